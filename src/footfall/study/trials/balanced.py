"""Walkers that limit-cycle control balances step by step (Laszlo 1996), in the trials of every other gait: pushed at
phases of a settled stride, and begun from changed starts. Time is counted in steps, at whose ends their worlds pause.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.methods.limit_cycle import BalanceControl, BalancedWalk
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.study.sweeps.conditions import Conditions, Pushing
from footfall.study.sweeps.experiment import Experiment

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
SETTLED, RECOVERY, STARTED = 12, 12, 14
"""Steps before a push, after it, and those that a changed start must walk for."""


class BalancedGait:
    """A balanced gait, ready to be pushed as a :class:`~footfall.study.trials.pushing.SettledGait` is.

    Args:
        experiment: the walker and where it walks.
        control: how its steps are balanced.
        progress: called with the share of the steps that are taken before it is pushed.
        options: of the simulation, which go before the experiment's.
    """

    def __init__(
        self,
        experiment: Experiment,
        control: BalanceControl,
        *,
        progress: Callable[[float], None] = lambda share: None,
        **options: Any,
    ) -> None:
        self._experiment, self._control, self._options = experiment, control, options
        self._progress = progress
        self._walks: dict[int, BalancedWalk] = {}

    @cached_property
    def _settled(self) -> tuple[bool, dict[str, NDArray[Any]]]:
        """Whether one world still walks when it should be pushed, and its state then."""
        alone = self._walk(1)
        return bool(self._take(alone, 0, SETTLED, self._progress)[0]), alone.main.snapshot()

    @property
    def upright(self) -> bool:
        """Whether it still walks when it should be pushed."""
        return self._settled[0]

    def push(
        self, force: ArrayLike, phase: ArrayLike, *, angle: ArrayLike = 0.0, duration: float = 0.1
    ) -> tuple[Flags, Array]:
        """Push N worlds, each once, and let them take steps.

        Args:
            force: newtons.
            phase: of two mean steps, 0 to 1.
            angle: degrees to the left; each a number or [N].
            duration: seconds.

        Returns:
            [N] whether each stayed up; [N] seconds from the push to its fall, NaN if it did not fall.
        """
        values = np.broadcast_arrays(*(np.asarray(a, dtype=float).reshape(-1) for a in (force, phase, angle)))
        count = len(values[0])
        settled = self._settled[1]
        walk, now = self._walk(count), float(settled["step_count"][0]) * self._experiment.dt
        start = now + values[1] * 2.0 * now / SETTLED
        names = {"push.force": values[0], "push.angle": values[2], "push.duration": np.full(count, duration)}
        walk.main.restore(settled, np.zeros(count, dtype=int))
        walk.main.set_pushes(self._pushing(names, count).pushes(start))
        survived = self._take(walk, SETTLED, RECOVERY)
        return survived, walk.main.outcome().end_time - start

    def start(self, pitch: Array, speed: Array) -> Flags:
        """[N] whether it walks from starts whose root is pitched by radians [N], and faster by metres a second [N]."""
        walk = self._walk(len(pitch))
        walk.main.reset()
        start = walk.main.snapshot()
        turn = from_axis_angle(np.array([0.0, 1.0, 0.0]), pitch)
        start["qpos"][:, 3:7] = multiply(turn, start["qpos"][:, 3:7].astype(float))
        start["qvel"][:, 0] += speed
        walk.main.restore(start)
        return self._take(walk, 0, STARTED)

    def _pushing(self, values: dict[str, Array], count: int) -> Pushing:
        pushing = Conditions(self._experiment, values, count).pushing
        assert pushing is not None
        return pushing

    def _walk(self, count: int) -> BalancedWalk:
        """Worlds under the experiment's conditions, those of the last time where there are as many."""
        if count not in self._walks:
            experiment = self._experiment
            still = {"push.force": np.zeros(1), "push.start": np.zeros(1)}
            conditions = Conditions(experiment, still, 1).arguments()
            own = {name: conditions[name] for name in ("figure", "set", "terrain", "ground", "body", "pushes")}
            own |= {"dt": experiment.dt, "integrator": experiment.integrator, "threads": experiment.threads}
            walk = BalancedWalk(experiment.graph, self._control, walkers=count, **own | self._options)
            self._walks = {count: walk}
        return self._walks[count]

    @staticmethod
    def _take(
        walk: BalancedWalk, first: int, steps: int, progress: Callable[[float], None] = lambda share: None
    ) -> Flags:
        """[N] whether worlds are upright after balanced steps, ``first`` of which were taken before."""
        alive = np.ones(walk.walkers, dtype=bool)
        base = np.tile(walk.table.row, (walk.walkers, 1))
        wanted = np.tile([d.target for d in walk.control.dimensions], (walk.walkers, 1))
        still = {axis: np.zeros(walk.walkers) for axis in ("forward", "lateral")}
        for number in range(first, first + steps):
            start = walk.main.snapshot()
            alive &= walk.take(start, base, walk.aimed(start, wanted, still), number, alive).upright
            progress((number + 1 - first) / steps)
            if not alive.any():
                break
        return alive
