"""Worlds that follow different clips under candidates for their gains, in one launch.

All clips are put into one library, so that one launch tries every candidate on every clip, on a CPU or a GPU. What a
candidate costs on a clip is the mean over the clip's worlds of

    the share of the time that it did not stay up  +  w |distance - clip's| / clip's  +  0.5 joint error (radians)

w is 0.2 unless given. Distances are taken once on the way, joint errors several times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.law import TrackingLaw
from footfall.methods.tracking.repertoire import Fragment, Repertoire, TrackingGains
from footfall.motion.quaternion import conjugate, multiply
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.study.imitation.following import clip_course

Array = NDArray[np.float64]
LOOKS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0])
"""Seconds at which worlds are looked at."""
DISTANCE_WEIGHT, ERROR_WEIGHT = 0.2, 0.5


def joined_repertoire(controllers: Sequence[TrackingController]) -> tuple[Repertoire, list[int]]:
    """All controllers' fragments in one repertoire under one set of gains, and each one's first fragment."""
    fragments: list[Fragment] = []
    starts: list[int] = []
    for controller in controllers:
        first = len(fragments)
        starts.append(first + controller.repertoire.start)
        for fragment in controller.repertoire.fragments:
            after = fragment.successor + first if fragment.successor >= 0 else -1
            fragments.append(replace(fragment, successor=after, gains=0))
    model = controllers[0].repertoire
    return Repertoire(tuple(fragments), (TrackingGains(),), model.settings, model.ground), starts


@dataclass(frozen=True, eq=False)
class Tried:
    """The outcome of C candidates on K clips with ``each`` worlds a clip.

    Attributes:
        cost: [C, K].
        lived: [C, K, each] share of the time up.
        distance: [C, K, each] over the clip's.
        error: [C, K, each] of joints, radians.
    """

    cost: Array
    lived: Array
    distance: Array
    error: Array


class CandidateWorlds:
    """Worlds that follow clips, ``each`` of every clip for a candidate.

    Args:
        controllers: the clips; the first one's ground holds for all, and gains are replaced by the candidates'.
        seconds: that a walk which repeats should stay up; another clip runs once, at most so long.
        forces: [K * each, P, 3] newtons of the pushes of one candidate's worlds.
        starts: [K * each, P] their times.
        noise: of the starts' velocities.
        seed: of the noise.
        figure: in place of theirs.
        distance_weight: of the distance in the cost.
        device: "cpu" or "cuda".
        options: further ones of :class:`Simulation`.
    """

    def __init__(
        self,
        controllers: Sequence[TrackingController],
        *,
        each: int = 1,
        seconds: float = 12.0,
        forces: Array | None = None,
        starts: Array | None = None,
        noise: float = 0.02,
        seed: int = 1,
        figure: Figure | None = None,
        distance_weight: float = DISTANCE_WEIGHT,
        device: str = "cpu",
        **options: Any,
    ) -> None:
        self.figure = Figure.load(controllers[0].figure) if figure is None else figure
        self.controllers, self.each = list(controllers), each
        self.distance_weight = distance_weight
        self.options = {"device": device} | options
        self.repertoire, self.firsts = joined_repertoire(controllers)
        self.law = TrackingLaw(self.repertoire, self.figure)
        self.library = self.law.library
        loops = [c.repertoire.fragments[-1].successor >= 0 for c in controllers]
        lengths = [sum(len(f.frames) - 1 for f in c.repertoire.fragments) / 30.0 for c in controllers]
        self.seconds = np.array([seconds if loop else min(n, seconds) for loop, n in zip(loops, lengths, strict=True)])
        self.looked = np.array([LOOKS[: max(1, np.searchsorted(LOOKS, s, "right"))][-1] for s in self.seconds])
        courses = [clip_course(c.repertoire, round(30 * s) + 1) for c, s in zip(controllers, self.looked, strict=True)]
        self.distance = np.array([float(np.linalg.norm(way[-1, :2] - way[0, :2])) for way in courses])
        self.forces, self.starts = forces, starts
        self.shake(noise, seed)

    def shake(self, noise: float, seed: int) -> None:
        """Other disturbances of the starts."""
        count = len(self.controllers) * self.each
        self.shaken = np.random.default_rng(seed).normal(0.0, noise, (count, self.figure.nv))

    def row(self, values: Mapping[str, float]) -> Array:
        """A law's row of parameters with some values replaced; kv goes with kt."""
        given = dict(values)
        if "kt" in given:
            given.setdefault("kv", 2.0 * given["kt"] ** 0.5)
        return np.asarray(self.law.applied(self.law.parameters[None], given)[0])

    def run(self, rows: Array) -> Tried:
        """Try candidates' rows [C, NP]."""
        count, per = len(rows), len(self.controllers) * self.each
        shape = (count, len(self.controllers), self.each)
        simulation = self._simulation(rows, per)
        lived, went = np.ones(shape), np.zeros(shape)
        error, looks = np.zeros(shape), np.zeros(shape)
        longest = float(self.seconds.max())
        for time in [*LOOKS[: np.searchsorted(LOOKS, longest - 1e-9)], longest]:
            outcome = simulation.run(float(time) - simulation.time)
            up = np.where(outcome.survived, np.inf, outcome.end_time).reshape(shape)
            here = self.looked == time
            went[:, here] = np.linalg.norm(outcome.qpos[:, :2], axis=1).reshape(shape)[:, here]
            counts = (up >= time) & (self.seconds >= time)[None, :, None]
            error += np.where(counts, self._errors(simulation, outcome.qpos).reshape(shape), 0.0)
            looks += counts
            lived = np.minimum(up / self.seconds[None, :, None], 1.0)
        off = np.abs(went - self.distance[:, None]) / np.maximum(self.distance[:, None], 1.0)
        off = np.where(lived >= 1.0, np.clip(off, 0.0, 1.0), 1.0)
        angle = np.where(looks > 0, error / np.maximum(looks, 1.0), 0.5)
        cost = (1.0 - lived + self.distance_weight * off + ERROR_WEIGHT * np.minimum(angle, 0.5)).mean(axis=2)
        return Tried(cost, lived, went / np.maximum(self.distance[:, None], 1e-3), angle)

    def _simulation(self, rows: Array, per: int) -> Simulation:
        count = len(rows)
        begin = [c.start for c in self.controllers]
        pushes = []
        if self.forces is not None and self.starts is not None:
            pushes = [
                Push(np.tile(self.forces[:, k], (count, 1)), np.tile(self.starts[:, k], count), 0.4)
                for k in range(self.forces.shape[1])
            ]
        simulation = Simulation(
            TrackingController("many", self.repertoire, self.controllers[0].figure),
            figure=self.figure,
            qpos=np.tile(np.repeat([s.qpos for s in begin], self.each, axis=0), (count, 1)),
            qvel=np.tile(np.repeat([s.qvel for s in begin], self.each, axis=0) + self.shaken, (count, 1)),
            worlds=count * per,
            pushes=pushes,
            efforts=False,
            last_states=1,
            **self.options,
        )
        snapshot = simulation.snapshot()
        places = self.law.layout.memory()
        snapshot["memory"][:, places["fragment"]] = np.tile(np.repeat(self.firsts, self.each), count)
        simulation.restore(snapshot)
        simulation.set_parameters(rows, np.repeat(np.arange(count), per))
        return simulation

    def _errors(self, simulation: Simulation, qpos: Array) -> Array:
        """[W] mean angle between simulated joints and the clip's."""
        places, memory = self.law.layout.memory(), simulation.memory
        fragment = np.clip(memory[:, places["fragment"]].astype(int), 0, len(self.repertoire.fragments) - 1)
        index = memory[:, places["index"]].astype(int)
        first, length = self.library[fragment, 0].astype(int), self.library[fragment, 1].astype(int)
        shown = self.library[first + np.clip(index, 0, length), 7 : self.figure.nq]
        own = np.asarray(qpos, dtype=float)[:, 7:]
        between = multiply(conjugate(own.reshape(-1, 4)), shown.reshape(-1, 4))
        cosine = np.clip(np.abs(np.nan_to_num(between[:, 0])), 0.0, 1.0)
        return np.asarray((2.0 * np.arccos(cosine)).reshape(len(own), -1).mean(axis=1))
