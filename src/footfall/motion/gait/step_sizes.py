"""How long and how wide steps are: one definition for captured motion, simulations, tables and searches.

A foot's place is where its ankle is at foot strike. A foot strikes at A and again at C; the other foot strikes at B in
between. The line of progression of that stride is AC, with the unit vector u. Then

    stride length = |C - A|        step length = (B - A) · u        step width = ± |(B - A) - ((B - A) · u) u|

The width is positive where the foot is on its own side of the line that the other foot makes, negative where it crosses
over. So defined by Huxham, Gong, Baker, Morris and Iansek ("Defining spatial parameters for non-linear walking", Gait &
Posture 23, 2006), and by Visual3D, whose feet are placed by their proximal ends, the ankles. It holds on curves, and
needs no direction that somebody faces. Where feet stay in place (strides under 0.1 m), u is the direction faced.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.motion.quaternion import Array

IN_PLACE = 0.1
"""Metres: a shorter stride has no line of progression."""


@dataclass(frozen=True, eq=False)
class FootPlace:
    """Where a foot struck.

    Attributes:
        time: seconds. side: "left" or "right".
        place: [2] of the ankle on the ground, metres.
        facing: [2] unit vector of the direction faced.
    """

    time: float
    side: str
    place: Array
    facing: Array


@dataclass(frozen=True)
class StepSize:
    """A step, from the strike of the other foot to the strike of this one, within the other foot's stride.

    Attributes:
        time: of the strike that ends it. side: of the foot that makes it.
        length, width, stride: metres; the stride is the other foot's.
    """

    time: float
    side: str
    length: float
    width: float
    stride: float


def step_sizes(places: Sequence[FootPlace]) -> list[StepSize]:
    """The sizes of all steps between strikes of the other foot, in order of time."""
    ordered = sorted(places, key=lambda p: p.time)
    sizes = []
    for a, b, c in zip(ordered, ordered[1:], ordered[2:], strict=False):
        if not a.side == c.side != b.side:
            continue
        way, step = c.place - a.place, b.place - a.place
        stride = float(np.hypot(*way))
        u = way / stride if stride > IN_PLACE else b.facing
        across = float(u[0] * step[1] - u[1] * step[0])
        sizes.append(StepSize(b.time, b.side, float(step @ u), across if b.side == "left" else -across, stride))
    return sizes


def mean_step_width(places: Sequence[FootPlace]) -> float:
    """Metres; not a number without a step."""
    sizes = step_sizes(places)
    return float(np.mean([size.width for size in sizes])) if sizes else float("nan")
