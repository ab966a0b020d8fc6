"""What a world observes: a table with a row for each number, in the order in which the kernel writes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.network.observations import SIGHTS
from footfall.simulation.python_law import ROOT

__all__ = ["LOOKS", "ROOT_POSITIONS", "SIGHTS", "Observation", "bounds", "observation_table"]

ROOT_POSITIONS = {"planar": 3, "free": 7}
"""Numbers of qpos that place a figure in the world."""

LOOKS = (1, 5, 15)
"""Decisions from now at which the clip is seen."""

NEAR, FAR, ANGLE, RATE = 2.0, 10.0, 4.0 * np.pi, 500.0
"""Metres from the clip, other metres, radians and metres or radians a second at which observations are cut off; a world
whose velocities reach 500 has diverged."""


@dataclass(frozen=True)
class Observation:
    """A number that is observed: its name, least and largest value, unit and meaning."""

    name: str
    low: float
    high: float
    unit: str
    about: str


def observation_table(
    figure: Figure,
    *,
    states: Sequence[str] = (),
    clock: bool = False,
    stance: bool = False,
    heading: bool = False,
    sight: bool = False,
    clip: bool = False,
) -> list[Observation]:
    """All that is observed.

    Args:
        figure: whose joints.
        states: labels of the controller's states. clock: whether it has one. stance: whether its stance is known.
        heading: whether there is a goal of heading. sight: whether the ground ahead is seen. clip: whether one is
            imitated.
    """
    planar = figure.root == "planar"
    rows = [Observation("height", -FAR, FAR, "m", "of the root above the ground beneath it")]
    if planar:
        rows.append(Observation("pitch", -ANGLE, ANGLE, "rad", "of the root"))
    else:
        rows += [Observation(f"up_{a}", -1.0, 1.0, "", f"the world's up along the root's {a}") for a in "xyz"]
    rows += [Observation(name, -ANGLE, ANGLE, unit, "joint position") for name, unit in _positions(figure)]
    if planar:
        rows += [
            Observation("velocity_forward", -RATE, RATE, "m/s", "of the root along x"),
            Observation("velocity_up", -RATE, RATE, "m/s", "of the root"),
            Observation("pitch_rate", -RATE, RATE, "rad/s", "of the root"),
        ]
    else:
        rows += [
            Observation(f"velocity_{name}", -RATE, RATE, "m/s", "of the root, in axes that turn with its heading")
            for name in ("forward", "left", "up")
        ]
        rows += [Observation(f"turn_rate_{a}", -RATE, RATE, "rad/s", f"of the root about its own {a}") for a in "xyz"]
    rows += [Observation(f"{name}_rate", -RATE, RATE, unit, "joint velocity") for name, unit in _rates(figure)]
    rows += [
        Observation(f"{side}_contact", 0.0, 1.0, "", f"1 while the {side} foot touches") for side in ("left", "right")
    ]
    rows.append(Observation("goal_speed", -FAR, FAR, "m/s", "the speed asked for"))
    if heading:
        rows += [
            Observation("heading_sin", -1.0, 1.0, "", "sine of the body's heading less the goal's"),
            Observation("heading_cos", -1.0, 1.0, "", "its cosine"),
        ]
    if stance:
        rows.append(Observation("stance", -1.0, 1.0, "", "the controller's stance leg: 1 left, -1 right, 0 none"))
    rows += [Observation(f"state_{label}", 0.0, 1.0, "", "1 while the controller is in this state") for label in states]
    if clock:
        rows.append(Observation("clock", 0.0, FAR, "s", "since the controller entered its state"))
    if sight:
        rows += [
            Observation(
                f"ground_{ahead:g}", -FAR, FAR, "m", f"height of the ground {ahead:g} m ahead, less that beneath"
            )
            for ahead in SIGHTS
        ]
    if clip:
        for look in LOOKS:
            rows += _seen_clip(figure, look)
        rows += [
            Observation(f"clip_velocity_{name}", -RATE, RATE, "m/s", f"of the clip's root at the next decision{axes}")
            for name, axes in (
                [("forward", ""), ("up", "")]
                if planar
                else [(way, ", in axes that turn with the figure's heading") for way in ("forward", "left", "up")]
            )
        ]
    return rows


def _seen_clip(figure: Figure, look: int) -> list[Observation]:
    """What is seen of the clip, ``look`` decisions from now."""
    when = f"{look} decision{'s' if look > 1 else ''} from now"
    less = f"the clip's root {when}, less the figure's"
    if figure.root == "planar":
        rows = [
            Observation(f"clip_{look}_forward", -NEAR, NEAR, "m", less),
            Observation(f"clip_{look}_up", -NEAR, NEAR, "m", less),
            Observation(f"clip_{look}_pitch", -ANGLE, ANGLE, "rad", f"of the clip's root {when}"),
        ]
    else:
        rows = [
            Observation(f"clip_{look}_{way}", -NEAR, NEAR, "m", f"{less}, in axes that turn with its heading")
            for way in ("forward", "left", "up")
        ]
        rows += [
            Observation(f"clip_{look}_{part}", -1.0, 1.0, "", f"{what} of the clip's heading {when} less the figure's")
            for part, what in (("sin", "sine"), ("cos", "cosine"))
        ]
        rows += [
            Observation(f"clip_{look}_up_{a}", -1.0, 1.0, "", f"the world's up along the clip's root's {a} {when}")
            for a in "xyz"
        ]
    return rows + [
        Observation(f"clip_{look}_{name}", -ANGLE, ANGLE, unit, f"the clip's joint position {when}")
        for name, unit in _positions(figure)
    ]


def bounds(table: Sequence[Observation]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Least and largest values, each [D]."""
    low, high = np.array([[row.low, row.high] for row in table], dtype=np.float32).T
    return low, high


def _positions(figure: Figure) -> list[tuple[str, str]]:
    """Name and unit of every number of qpos after the root's."""
    names: list[tuple[str, str]] = []
    for joint in figure.joints:
        if joint.qpos >= ROOT_POSITIONS[figure.root]:
            parts = [f"{joint.name}_{part}" for part in "wxyz"] if joint.kind == "ball" else [joint.name]
            names += [(part, {"slide": "m", "ball": ""}.get(joint.kind, "rad")) for part in parts]
    return names


def _rates(figure: Figure) -> list[tuple[str, str]]:
    """Name and unit of every number of qvel after the root's."""
    names: list[tuple[str, str]] = []
    for joint in figure.joints:
        if joint.dof >= ROOT[figure.root]:
            parts = [f"{joint.name}_{part}" for part in "xyz"] if joint.kind == "ball" else [joint.name]
            names += [(part, "m/s" if joint.kind == "slide" else "rad/s") for part in parts]
    return names
