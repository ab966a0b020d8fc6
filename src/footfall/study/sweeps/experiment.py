"""Experiments: N worlds of one controller, each with numbers of its own, run to their outcomes.

Every number has a name, so that a sweep, a robustness test or an optimiser can vary any of them:

    swing_hip.c_v, 1.swing_hip.c_d, 0.hold, speed, kp, torque_limit …    the controller's own parameters
    push.force                  newtons                      push.duration     seconds (0.1)
    push.angle                  heading in degrees: 0 forward, 90 to the left, 180 backward
    push.elevation              degrees upward; on a planar figure 0 is forward, 90 up, 180 backward
    push.start                  seconds, or else             push.phase        of a stride from left foot strike, 0 to 1
    push.count, push.every      how many, how far apart in seconds (1; 5)
    terrain.rise, terrain.degrees …              a field of the terrain that is walked on
    body.thigh, body.mass       how much longer a limb is; how much heavier every body
    body.thigh.mass, body.torso.load, body.load  how much heavier one body is; kilograms that it, or the torso, carries
    ground.friction, ground.stiffness, ground.damping
    sensor_delay, actuator_delay                 seconds
    control_rate                per second: how often the law acts; its torques are held in between
    noise.joint_angle, noise.orientation …       standard deviations of the sensors (rad, rad/s, m/s)
    motor_speed, motor_torque, motor_knee        of all motors: rad/s without load, N m at rest, share of the speed
    start.pitch, start.left_knee.rate …          added to a coordinate of the start (radians, metres), or to its rate
    start.noise, replica        size of a random change of the start, and which draw of it (see ``Conditions``)
    dt                          seconds

An experiment is a value: plain text and numbers, so that any executor can carry it to another process or machine.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.kind import Controller
from footfall.control.registry import load_walker, located_error, parse_controller, print_controller
from footfall.errors import MOST_SEED, FootfallError, check_whole
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation
from footfall.study.measures.table import MEASURES, OF_OUTCOME
from footfall.study.sweeps.conditions import NEVER, Conditions

Array = NDArray[np.float64]
Results = dict[str, NDArray[Any]]

OUTCOMES = {name: (MEASURES[row].unit, MEASURES[row].definition) for row, name in OF_OUTCOME.items()}
"""What every world answers: unit and meaning, of the table of measures."""


@dataclass(frozen=True)
class Experiment:
    """A controller, what it walks on and what happens to it.

    Attributes:
        controller: a name, a file, a controller, or the text of a controller file, which it is kept as. Any law that
            names its parameters can be studied.
        figure: a built-in name, a figure, or the MJCF text; None for the controller's own.
        terrain: NAME[:ARGS], as :func:`footfall.terrain.parse_terrain` reads it.
        set: names held at one number in all worlds.
        seconds: how long; None for 20 s, or for ``recovery`` beyond the last push.
        settle: seconds of walking before a push that is given by its phase.
        recovery: seconds to walk on after the last push, where ``seconds`` is None.
        push_body: the body that is pushed; empty for the torso.
        push_place: where on it: "top" (the torso's highest contact point, the applet's choice; the centre of mass of
            any other body), "com", or three metres.
        seed: of the random changes of the start.
        dt, integrator, device, precision, threads: as in :class:`footfall.simulation.Simulation`.
    """

    controller: str | Path | Controller
    figure: str | Figure | None = None
    terrain: str = "flat"
    set: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    settle: float = 6.0
    recovery: float = 6.0
    push_body: str = ""
    push_place: str | tuple[float, float, float] = "top"
    seed: int = 0
    dt: float = 0.001
    integrator: str = "implicit"
    device: str = "cpu"
    precision: str | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.controller, str) or "\n" not in self.controller:
            object.__setattr__(self, "controller", print_controller(load_walker(self.controller)))
        if isinstance(self.figure, Figure):
            object.__setattr__(self, "figure", self.figure.xml)
        check_whole("seed", self.seed, 0, MOST_SEED)
        for name in ("seconds", "settle", "recovery"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise FootfallError(f"{name} is {value}; it must be above 0")

    @property
    def parsed(self) -> Controller:
        """The controller as a value."""
        return _parsed(self.text)

    @property
    def name(self) -> str:
        """The controller's."""
        return self.parsed.name

    @property
    def graph(self) -> PoseControlGraph:
        """The controller of a study that asks for a pose control graph; others are refused."""
        parsed: Any = self.parsed
        return load_graph(parsed)

    @property
    def text(self) -> str:
        """The controller's file as text."""
        return str(self.controller)

    def load_figure(self) -> Figure:
        """The figure that walks."""
        if self.figure is not None:
            return _figure(str(self.figure))
        try:
            return _figure(self.parsed.figure)
        except FootfallError as error:
            raise located_error(self.parsed, error) from None

    def check(self, names: Mapping[str, ArrayLike] | None = None) -> None:
        """Raise what :meth:`run` would raise for these names, without running."""
        Conditions(self, {k: np.atleast_1d(np.asarray(v, dtype=float))[:1] for k, v in (names or {}).items()}, 1)

    def run(
        self,
        values: Mapping[str, ArrayLike] | None = None,
        worlds: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Results:
        """Run N worlds.

        Args:
            values: numbers by name, each one for all or [N].
            worlds: N; by default the longest of ``values``.
            progress: called with the fraction done.

        Returns:
            arrays [N] by the names of ``OUTCOMES``.
        """
        given = {name: np.asarray(v, dtype=float).reshape(-1) for name, v in (values or {}).items()}
        count = worlds or max([1, *(len(v) for v in given.values())])
        for name, v in given.items():
            if len(v) not in (1, count):
                raise FootfallError(f"'{name}' has {len(v)} values for {count} worlds; give 1 or {count}")
        spread = {name: np.broadcast_to(v, count) for name, v in given.items()}
        steps = spread.pop("dt", np.broadcast_to(self.set.get("dt", self.dt), count))
        results: Results = {}
        for dt in np.unique(steps):
            chosen = np.flatnonzero(steps == dt)
            part = self._run({n: v[chosen] for n, v in spread.items()}, len(chosen), float(dt), progress)
            for name, array in part.items():
                results.setdefault(name, np.zeros(count, dtype=array.dtype))[chosen] = array
        return results

    def _run(
        self, values: Mapping[str, Array], count: int, dt: float, progress: Callable[[float], None] | None
    ) -> Results:
        conditions = Conditions(self, values, count)
        simulation = conditions.simulation(dt=dt)
        pushing = conditions.pushing
        start = np.full(count, np.nan)
        seconds = self.seconds if self.seconds is not None else 20.0
        if pushing is not None:
            if pushing.by_phase:
                strike, stride, lost = strike_times(simulation, self.settle)
                if lost.any():
                    world = int(np.argmax(lost))
                    raise FootfallError(
                        f"push.phase: world {world} takes no steps after {self.settle:g} s; give push.start instead"
                    )
                start = strike + pushing.phase * stride
                simulation.set_pushes(pushing.pushes(np.where(np.isnan(start), NEVER, start)))
            else:
                start = pushing.start
            if self.seconds is None:
                alive = np.isfinite(start)
                last = (start + pushing.last)[alive].max() if alive.any() else simulation.time + dt
                seconds = float(last) + self.recovery
        rest = max(dt, seconds - simulation.time)
        already = simulation.time
        report = None if progress is None else lambda now: progress((now - already) / rest)
        outcome = simulation.run(rest, report)
        results: Results = {name: getattr(outcome, name) for name in OUTCOMES if name != "push_time"}
        return results | {"push_time": start}


def strike_times(simulation: Simulation, settle: float) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Let N worlds settle, and stop each at a strike of its left foot, from which phases are counted.

    Returns:
        [N] the time of that strike, and [N] the length of the stride before it, NaN where the world fell or takes no
        steps; [N] whether it is up but takes no steps.
    """
    outcome = simulation.run(settle)
    patience = round(5.0 / simulation.dt)
    footsteps = outcome.footsteps + (simulation.snapshot()["stance"] == 0)
    times = []
    for more in (0, 2):
        simulation.step(patience, footsteps=footsteps + more)
        times.append(simulation.snapshot()["step_count"] * simulation.dt)
    now = simulation.outcome()
    steps = now.footsteps >= footsteps + 2
    strike = np.where(now.survived & steps, times[1], np.nan)
    return strike, strike - times[0], now.survived & ~steps


@lru_cache(maxsize=64)
def _parsed(text: str) -> Controller:
    controller: Controller = parse_controller(text)
    return controller


@lru_cache(maxsize=16)
def _figure(source: str) -> Figure:
    return Figure.load(source)
