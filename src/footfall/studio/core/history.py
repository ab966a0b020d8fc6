"""What was simulated: samples, states to go on from, footprints and trail."""

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.studio.core.geometry import Kinematics
from footfall.terrain import Terrain

Array = NDArray[np.float64]

SIGNALS = ("d", "v", "rise", "d_side", "v_side", "phase")
"""The law's signals that are kept."""
RATE = 100.0
"""Samples a second."""
STATE = np.dtype([("name", "U64"), ("number", np.int32), ("right", np.bool_)])
"""A controller's state: the controller's name, the state's number as written, whether the right leg is in stance."""


@dataclass(frozen=True, eq=False)
class Samples:
    """S consecutive samples of one walker.

    Attributes:
        times: [S] seconds. qpos [S, nq], qvel [S, nv], torque [S, nv], signals [S, SIGNALS].
        state: [S] of :data:`STATE`.
        contact: [S, P].
        stance: [S].
        push: [S, 3] newtons.
        target: [S, nq] the pose that the controller asked for then; NaN where it does not say.
        anchor: [S, P, 3] where each of the figure's points stuck to the ground at the end of that turn of the loop,
            meaningful where it touched.
        reference: [S, nq] the pose of the clip that it followed, where it was; [S, 0] where it followed none.
    """

    times: Array
    qpos: Array
    qvel: Array
    torque: Array
    signals: Array
    state: NDArray[np.void]
    contact: NDArray[np.bool_]
    stance: NDArray[np.int32]
    push: Array
    target: Array
    anchor: Array
    reference: Array

    def __len__(self) -> int:
        return len(self.times)

    @classmethod
    def blank(cls, figure: Figure, count: int = 0) -> "Samples":
        """So many samples, all zeros."""
        widths = {"qpos": figure.nq, "qvel": figure.nv, "torque": figure.nv, "signals": len(SIGNALS), "push": 3}
        return cls(
            times=np.zeros(count),
            **{name: np.zeros((count, width)) for name, width in widths.items()},
            state=np.zeros(count, dtype=STATE),
            contact=np.zeros((count, sum(p.ground for p in figure.points)), dtype=bool),
            stance=np.zeros(count, dtype=np.int32),
            target=np.zeros((count, figure.nq)),
            anchor=np.zeros((count, len(figure.points), 3)),
            reference=np.zeros((count, 0)),
        )


SECONDS = 300.0
"""How far back a studio remembers."""
SNAPSHOT_SECONDS = 0.1
"""Seconds between states that a walk can be continued from."""


class History:
    """A growing record that forgets what is older than ``SECONDS``."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self._count = 0
        self._snapshots: list[tuple[float, dict[str, NDArray[Any]]]] = []

    def __len__(self) -> int:
        return self._count

    @property
    def begin(self) -> float:
        return float(self._arrays["times"][0]) if self._count else 0.0

    @property
    def end(self) -> float:
        return float(self._arrays["times"][self._count - 1]) if self._count else 0.0

    def clear(self) -> None:
        self._arrays, self._count, self._snapshots = {}, 0, []

    def append(self, samples: Samples) -> None:
        """Add samples that follow the newest one."""
        if len(samples) == 0:
            return
        capacity = int(1.25 * SECONDS * RATE)
        if not self._arrays:
            self._arrays = {k: np.zeros((capacity, *v.shape[1:]), v.dtype) for k, v in vars(samples).items()}
        if self._count + len(samples) > capacity:
            keep = int(SECONDS * RATE)
            for array in self._arrays.values():
                array[:keep] = array[self._count - keep : self._count].copy()
            self._count = keep
            self._snapshots = [s for s in self._snapshots if s[0] >= self.begin]
        for name, values in vars(samples).items():
            self._arrays[name][self._count : self._count + len(samples)] = values
        self._count += len(samples)

    def remember(self, time: float, snapshot: Callable[[], dict[str, NDArray[Any]]]) -> None:
        """Take a state to go on from and keep it, if the last one kept is old enough."""
        if not self._snapshots or time - self._snapshots[-1][0] >= SNAPSHOT_SECONDS - 1e-9:
            self._snapshots.append((time, snapshot()))

    def index(self, time: float) -> int:
        """The sample nearest to a time."""
        if not self._count:
            return 0
        times = self._arrays["times"][: self._count]
        i = int(np.clip(np.searchsorted(times, time), 1, max(self._count - 1, 1)))
        return i - int(abs(times[i - 1] - time) <= abs(times[min(i, self._count - 1)] - time))

    def runs(self) -> tuple[Array, NDArray[np.void]]:
        """When the controller's state changed, [R] seconds, and what it changed to, [R]; the first sample begins the
        first run."""
        if not self._count:
            return np.zeros(0), np.zeros(0, dtype=STATE)
        state = self._arrays["state"][: self._count]
        first = np.flatnonzero(np.concatenate([[True], state[1:] != state[:-1]]))
        return self._arrays["times"][first], state[first]

    def last(self, seconds: float, until: float | None = None, every: int = 1) -> Samples:
        """The samples of the last ``seconds`` (before ``until``), every n-th."""
        if not self._count:
            raise IndexError("the history is empty")
        stop = self._count if until is None else self.index(until) + 1
        start = int(np.searchsorted(self._arrays["times"][:stop], self._arrays["times"][stop - 1] - seconds - 1e-9))
        return Samples(**{name: array[start:stop:every] for name, array in self._arrays.items()})

    def rewind(self, time: float) -> tuple[float, dict[str, NDArray[Any]]] | None:
        """Drop what came after the last state kept at or before a time; that state, None where there is none."""
        kept = [s for s in self._snapshots if s[0] <= time + 1e-9]
        if not kept:
            return None
        self._snapshots = kept
        self._count = int(np.searchsorted(self._arrays["times"][: self._count], kept[-1][0] - 1e-9))
        return kept[-1]


MOST_FOOTPRINTS = 4000
SPACING = 0.06
"""Metres between two points of the trail."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """A foot that became the stance foot: when, from heel [3] to toe [3], and whether it is the right one."""

    time: float
    heel: Array
    toe: Array
    right: bool


class Tracks:
    """Footprints and trail of one figure, oldest first."""

    def __init__(self, figure: Figure) -> None:
        self._kinematics = Kinematics(figure)
        self.footprints: list[Footprint] = []
        self._trail: list[tuple[float, Array]] = []
        self._stance: int | None = None
        self.forgotten = 0

    def append(self, samples: Samples, terrain: Terrain, until: float | None = None) -> None:
        """Add what new samples show, up to a time (of a fall)."""
        for i, time in enumerate(samples.times):
            if until is not None and time > until:
                return
            stance = int(samples.stance[i])
            root = self._root(samples.qpos[i])
            if not self._trail or float(np.linalg.norm(root - self._trail[-1][1])) >= SPACING:
                self._trail.append((float(time), root))
            if stance >= 0 and self._stance not in (None, stance) and self._kinematics.figure.legs:
                self._footprint(float(time), samples.qpos[i], stance == 1, terrain)
            if stance >= 0:
                self._stance = stance
        self.forgotten += max(len(self.footprints) - MOST_FOOTPRINTS, 0)
        self.footprints, self._trail = self.footprints[-MOST_FOOTPRINTS:], self._trail[-MOST_FOOTPRINTS:]

    def _root(self, qpos: Array) -> Array:
        return np.asarray(self._kinematics.place(qpos).position[0])

    def _footprint(self, time: float, qpos: Array, right: bool, terrain: Terrain) -> None:
        figure = self._kinematics.figure
        points = self._kinematics.place(qpos).points
        names = [p.name for p in figure.points]
        leg = figure.legs["right" if right else "left"]
        heel, toe = (np.mean([points[names.index(n)] for n in ends], axis=0) for ends in (leg.heel, leg.toe))
        for end in (heel, toe):
            end[2] = float(terrain.height(end[0], end[1]))
        if float(np.linalg.norm(toe - heel)) > 1e-3:
            self.footprints.append(Footprint(time, heel, toe, right))

    def _until(self, time: float | None) -> tuple[int, int]:
        """How many footprints and points of the trail there are until a time (all)."""
        end = np.inf if time is None else time + 1e-9
        prints = bisect.bisect_right(self.footprints, end, key=lambda one: one.time)
        return prints, bisect.bisect_right(self._trail, end, key=lambda one: one[0])

    def rewind(self, time: float) -> None:
        prints, trail = self._until(time)
        self.footprints, self._trail = self.footprints[:prints], self._trail[:trail]
        self._stance = None if not self.footprints else int(self.footprints[-1].right)

    def steps(self, until: float | None = None) -> int:
        """Footsteps taken until a time (all)."""
        return self.forgotten + self._until(until)[0]

    def last(self, count: int, until: float | None = None) -> list[Footprint]:
        """The newest footprints until a time."""
        stop = self._until(until)[0]
        return self.footprints[max(0, stop - count) : stop]

    def trail(self, count: int, until: float | None = None) -> Array:
        """[K, 3] the newest points of the trail until a time."""
        stop = self._until(until)[1]
        return np.array([place for _, place in self._trail[max(0, stop - count) : stop]]).reshape(-1, 3)
