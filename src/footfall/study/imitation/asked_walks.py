"""Characters whose law takes a speed and a heading while they walk, steered: one by a path or a sequence, and many at
random.

The orders at random are those of other characters (:class:`footfall.learning.clips.RandomOrders`): every 3 to 8 s a
heading up to 150 degrees away, a speed from 0.3 m/s to the fastest, and a stop now and then.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import kind_of
from footfall.figures import Figure
from footfall.learning.clips import FASTEST_ORDER, random_orders
from footfall.motion.ball_poses import FPS, facing_of
from footfall.motion.quaternion import wrapped_angle
from footfall.progress import Show, silent
from footfall.simulation import Record, Simulation
from footfall.study.imitation.following import way_length
from footfall.study.imitation.steering import Steered, Steering
from footfall.study.trials.bench import disturbed_worlds

Array = NDArray[np.float64]
EVERY = 0.1
"""Seconds between two looks at a character."""
HEEDED = 2.0
"""Seconds after an order from which on it is measured how well it is obeyed."""
WITHIN = np.radians(15.0), 0.15
"""Heading's and speed's error that count as obeyed, rad and m/s."""
OVER = 10
"""Looks over which a speed is measured."""


def is_asked(controller: Any, figure: str | None = None) -> bool:
    """Whether a controller takes a heading while it walks, on a body in space, its own or another, and no clips or
    steps are chosen for it."""
    can = kind_of(controller).abilities(controller)
    return can.run and can.turn and not can.follow and Figure.load(figure or controller.figure).root == "free"


def _asked(controller: Any) -> tuple[str, ...]:
    """What it takes as it is meant; the desired speed of a pose control graph is a number of its balance feedback."""
    can = kind_of(controller).abilities(controller)
    return ("heading", "speed") if can.speed and not can.edit else ("heading",)


class AskedSteering(Steering):
    """One such character that is told where to go, as :class:`Steering`; it has no styles.

    Args:
        controller: whose law takes them.
        figure: a figure or its file; by default the controller's own.
        noise: standard deviation of what is added to the start's velocities.
        seed: of that.
    """

    def __init__(self, controller: Any, *, figure: str | None = None, noise: float = 0.0, seed: int = 1) -> None:
        self.simulation = _started(controller, 1, noise, seed, Record(rate=FPS, worlds=1), figure)
        self._asked = dict.fromkeys(_asked(controller), 0.0)

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Radians from the world's x, and metres a second."""
        given = {"heading": direction, "speed": speed}
        self._asked |= {name: value for name, value in given.items() if value is not None and name in self._asked}
        self.simulation.set(self._asked)

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""
        return np.asarray(self.simulation.qpos[0, :2], dtype=float)

    @property
    def facing(self) -> float:
        """Heading of the pelvis."""
        return float(facing_of(np.asarray(self.simulation.qpos, dtype=float))[0])

    def advance(self) -> bool:
        """Simulate a little; False when it has fallen."""
        self.simulation.step(round(EVERY / self.simulation.dt))
        return bool(self.simulation.outcome().survived[0])

    def result(self) -> Steered:
        """The outcome so far."""
        outcome, motion = self.simulation.outcome(), self.simulation.trace().motion()
        fell = not bool(outcome.survived[0])
        seconds = float(outcome.end_time[0]) if fell else self.simulation.time
        way = way_length(motion.root_position[:, :2])
        return Steered(fell, seconds, int(outcome.footsteps[0]), way, motion)


@dataclass(frozen=True)
class Asked:
    """How characters did who were steered at random.

    Attributes:
        up: how many stayed up, of ``minutes``.
        heading_error, speed_error: degrees and m/s, on average, from HEEDED after each order on; speeds over a second,
            not a number where no speed can be asked for.
        heading_within, speed_within: the share of that time in which they are less than WITHIN.
        fastest: m/s over a second.
        fell: seconds after which they fell, and by how many degrees the last order was to turn them.
    """

    up: int
    minutes: int
    heading_error: float
    speed_error: float
    heading_within: float
    speed_within: float
    fastest: float
    fell: tuple[tuple[float, float], ...]


def asked_at_random(
    controller: Any,
    minutes: int,
    *,
    figure: str | None = None,
    seed: int = 1,
    seconds: float = 60.0,
    fastest: float = FASTEST_ORDER,
    noise: float = 0.03,
    progress: Show = silent,
) -> Asked:
    """Steer characters at random, side by side.

    Args:
        controller: whose law takes a heading, or a speed and a heading.
        minutes: how many.
        figure: a figure or its file; by default the controller's own.
        seed: of orders and noise.
        seconds: of each.
        fastest: m/s that is asked for.
        noise: standard deviation of what is added to the starts' velocities.
        progress: called with the share done and a few words.
    """
    simulation, names = _started(controller, minutes, noise, seed, None, figure), _asked(controller)
    orders = [random_orders(1000 * seed + k, seconds, fastest) for k in range(minutes)]
    begins = [[0.0, *accumulate(seconds for seconds, _, _ in own)] for own in orders]
    looks = round(seconds / EVERY)
    wanted, age = np.zeros((looks, minutes, 2)), np.zeros((looks, minutes))
    seen, up = np.zeros((looks, minutes, 3)), np.zeros((looks, minutes), dtype=bool)
    for look in range(looks):
        time = look * EVERY
        for k, own in enumerate(orders):
            number = int(np.searchsorted(begins[k], time + 1e-9, side="right")) - 1
            wanted[look, k], age[look, k] = own[number][1:], time + EVERY - begins[k][number]
        simulation.set({name: wanted[look, :, k] for k, name in enumerate(names)})
        simulation.step(round(EVERY / simulation.dt))
        qpos = np.asarray(simulation.qpos, dtype=float)
        seen[look] = np.column_stack([qpos[:, :2], facing_of(qpos)])
        up[look] = simulation.outcome().survived
        progress((look + 1) / looks, f"random minutes: {up[look].sum()} of {minutes} up")
    speed = np.full((looks, minutes), np.nan)
    speed[OVER:] = np.linalg.norm(seen[OVER:, :, :2] - seen[:-OVER, :, :2], axis=2) / (OVER * EVERY)
    turned = np.abs(wrapped_angle(seen[..., 2] - wanted[..., 0]))[up & (age > HEEDED)]
    off = np.abs(speed - wanted[..., 1])[up & (age > HEEDED + OVER * EVERY) & np.isfinite(speed)]
    ends = np.asarray(simulation.outcome().end_time)
    fell = []
    for k in map(int, np.flatnonzero(~up[-1])):
        number = int(np.searchsorted(begins[k], ends[k])) - 1
        before = orders[k][max(number - 1, 0)][1]
        fell.append((round(float(ends[k]), 1), round(float(np.degrees(orders[k][number][1] - before)))))
    return Asked(
        int(up[-1].sum()),
        minutes,
        float(np.degrees(turned.mean())),
        float(off.mean()) if "speed" in names else np.nan,
        float((turned < WITHIN[0]).mean()),
        float((off < WITHIN[1]).mean()) if "speed" in names else np.nan,
        float(np.nanmax(np.where(up, speed, np.nan))),
        tuple(fell),
    )


def _started(
    controller: Any, worlds: int, noise: float, seed: int, record: Record | None, body: str | None
) -> Simulation:
    """Worlds at their start, with disturbed velocities."""
    figure = Figure.load(body or controller.figure)
    shaken = np.random.default_rng(seed).normal(0.0, 1.0, (worlds, figure.nv)) * noise
    return disturbed_worlds(controller, figure=figure, shaken=shaken, record=record, last_states=1)
