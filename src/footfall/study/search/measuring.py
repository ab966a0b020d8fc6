"""Measures: what an optimiser judges a candidate controller by, over candidates as worlds.

    survival        share of the time that it stayed up, undisturbed
    speed           m/s                             step_time       s
    step_length     m, speed × step_time            step_rate       footsteps per second
    flight          share of a stride without any foot on the ground
    torque          N² m², mean summed square of joint torques
    power           W, mean absolute joint power    transport       power / (weight × speed), the cost of transport
    peak_torque     N m                             smoothness      mean summed square of accelerations
    torso_sway      rad, the range of the torso's pitch
    push_forward, push_backward
                    N, the limit of a 0.1 s push at ten phases of a step: the strict limit, and a tenth of how far the
                    mean over phases lies above it, so that a search feels progress
    likeness        rad, root mean square difference of the joint angles over a stride from a clip's

All but survival are taken on the settled gait, after ``settle`` seconds. A world that stands without a step has no
step_time, step_length or push limits.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import jobs_at_a_time, run_all
from footfall.errors import FootfallError, unknown_name
from footfall.motion.motion import Motion
from footfall.simulation import Record, Simulation, Trace
from footfall.study.sweeps.conditions import Conditions
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait

Array = NDArray[np.float64]

MEASURES = {
    "survival": "",
    "speed": "m/s",
    "step_length": "m",
    "step_time": "s",
    "step_rate": "per s",
    "flight": "of a stride",
    "torque": "N² m²",
    "power": "W",
    "transport": "",
    "peak_torque": "N m",
    "smoothness": "1/s⁴",
    "torso_sway": "rad",
    "push_forward": "N",
    "push_backward": "N",
    "likeness": "rad",
}
"""The measures and their units."""
PHASES = 10
STRIDE_SAMPLES = 64


@dataclass(frozen=True)
class Measuring:
    """How candidates are measured.

    Attributes:
        experiment: the controller that candidates change; its settings hold in all of them.
        names: the measures wanted.
        seconds: of undisturbed walking after the settling.
        forces: [F] newtons, rising, tried in both directions where pushes are measured.
        clip: what ``likeness`` compares with: a motion with the figure's own coordinates (channel "qpos").
    """

    experiment: Experiment
    names: tuple[str, ...]
    seconds: float = 8.0
    forces: tuple[float, ...] = tuple(50.0 * k for k in range(2, 21))
    clip: Motion | None = None

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in MEASURES:
                raise unknown_name("measure", name, MEASURES)
        if "likeness" in self.names and self.clip is None:
            raise FootfallError("likeness: give a clip to be like")

    def __call__(self, values: Mapping[str, Array], count: int, executor: Executor | None = None) -> dict[str, Array]:
        """[C] each measure of C candidates, whose parameters are ``values`` [C]; NaN where one fell.

        An executor takes the candidates in a few shares; the numbers do not depend on which.
        """
        bounds = np.linspace(0, count, min(count, jobs_at_a_time(executor)) + 1).astype(int)
        shares = [(self, {n: v[a:b] for n, v in values.items()}, int(b - a)) for a, b in pairwise(bounds)]
        gaits = run_all(_settled, shares, executor)
        longest = max(gait.longest for gait in gaits)
        latest = max(float(gait.outcome.time.max()) for gait in gaits)
        for gait in gaits:
            gait.longest = longest
        found = run_all(_measured, [(self, gait, latest) for gait in gaits], executor)
        return {name: np.concatenate([part[name] for part in found]) for name in self.names}

    def of_gaits(self, gait: SettledGait, latest: float) -> dict[str, Array]:
        """[C] each measure of settled candidates, the last of which, of the whole generation, settled at ``latest``."""
        e, values, count = self.experiment, gait.values, gait.replicas
        settled = gait.outcome
        simulation = self._simulation(values, count)
        simulation.restore(gait.snapshot)
        outcome = simulation.run(self.seconds)
        steps = outcome.survived & np.isfinite(gait.strike)
        total = latest + self.seconds
        with np.errstate(invalid="ignore", divide="ignore"):
            speed = (outcome.distance - settled.distance) / (outcome.time - settled.time)
            mean = {
                name: (getattr(outcome, part) * outcome.time - getattr(settled, part) * settled.time)
                / (outcome.time - settled.time)
                for name, part in (
                    ("torque", "torque_squared"),
                    ("power", "power"),
                    ("smoothness", "acceleration_squared"),
                )
            }
            weight = e.load_figure().body_parameters().mass.sum() * 9.81
            found: dict[str, Array] = {
                **mean,
                "survival": np.where(outcome.survived, 1.0, np.minimum(outcome.time / total, 0.999)),
                "speed": speed,
                "step_length": np.abs(speed) * gait.stride / 2.0,
                "step_time": gait.stride / 2.0,
                "step_rate": (outcome.footsteps - settled.footsteps) / (outcome.time - settled.time),
                "transport": mean["power"] / (weight * np.abs(speed)),
                "peak_torque": outcome.peak_torque,
                "torso_sway": outcome.torso_high - outcome.torso_low,
            }
        for name, angle in (("push_forward", 0.0), ("push_backward", 180.0)):
            if name in self.names:
                found[name] = self._pushed(gait, steps, angle)
        if "flight" in self.names:
            found["flight"] = self._flight(gait, values, count)
        if "likeness" in self.names:
            found["likeness"] = self._likeness(gait, values, count)
        return {n: found[n] if n == "survival" else np.where(outcome.survived, found[n], np.nan) for n in self.names}

    def _simulation(self, values: Mapping[str, Array], count: int, record: Record | None = None) -> Simulation:
        unpushed = {**values, "push.force": np.zeros(count), "push.start": np.zeros(count)}
        return Conditions(self.experiment, unpushed, count).simulation(record=record)

    def _pushed(self, gait: SettledGait, steps: NDArray[np.bool_], angle: float) -> Array:
        who = np.flatnonzero(steps)
        limit = np.full(len(steps), np.nan)
        if not len(who):
            return limit
        span = 0.5 if self.experiment.graph.symmetric else 1.0
        grid = np.meshgrid(who, np.array(self.forces), span * np.arange(PHASES) / PHASES, indexing="ij")
        replica, force, phase = (a.reshape(-1) for a in grid)
        passed, _ = gait.push(force, phase, replica.astype(int), angle=angle)
        rising = np.logical_and.accumulate(passed.reshape(grid[0].shape), axis=1).sum(axis=1)
        sizes = np.concatenate([[0.0], self.forces])
        strict = sizes[rising.min(axis=1)]
        limit[who] = strict + 0.1 * (sizes[rising].mean(axis=1) - strict)
        return limit

    def _stride(
        self, gait: SettledGait, values: Mapping[str, Array], count: int, field: str
    ) -> tuple[Trace, Array, Array]:
        """One stride of every candidate from its left foot's strike: the trace, its times [S] from there, and the
        stride's length [C], a second where there is none."""
        simulation = self._simulation(values, count, Record(rate=200.0, fields=(field,), worlds=count))
        latest = np.full_like(gait.snapshot["step_count"], gait.snapshot["step_count"].max())
        simulation.restore({**gait.snapshot, "step_count": latest})
        length = np.where(np.isfinite(gait.stride), gait.stride, 1.0)
        simulation.run(float(length.max()) + 0.02)
        trace = simulation.trace()
        return trace, trace.times - trace.times[0], length

    def _flight(self, gait: SettledGait, values: Mapping[str, Array], count: int) -> Array:
        """[C] the share of a stride in which nothing touches the ground."""
        trace, times, length = self._stride(gait, values, count, "events")
        within = times[:, None] < length[None]
        return np.asarray((~trace.contact.any(axis=2) & within).sum(axis=0) / within.sum(axis=0))

    def _likeness(self, gait: SettledGait, values: Mapping[str, Array], count: int) -> Array:
        wanted = clip_stride(self.clip, self.experiment)  # type: ignore[arg-type]
        trace, times, length = self._stride(gait, values, count, "qpos")
        result = np.full(count, np.nan)
        for w in np.flatnonzero(np.isfinite(gait.stride)):
            own = np.linspace(0.0, length[w], STRIDE_SAMPLES, endpoint=False)
            angles = np.stack([np.interp(own, times, column) for column in trace.qpos[:, w, :].T], axis=-1)
            result[w] = stride_difference(angles[:, _angles(self.experiment)], wanted)
        return result


def _settled(share: tuple[Measuring, Mapping[str, Array], int]) -> SettledGait:
    measuring, values, count = share
    return SettledGait(measuring.experiment, count, 0.0, values, must_step=False)


def _measured(share: tuple[Measuring, SettledGait, float]) -> dict[str, Array]:
    measuring, gait, latest = share
    return measuring.of_gaits(gait, latest)


def _angles(experiment: Experiment) -> list[int]:
    """Places of the joint angles in qpos."""
    return [j.qpos for j in experiment.load_figure().joints if j.ndof == 1 and j.actuated]


def clip_stride(clip: Motion, experiment: Experiment) -> Array:
    """[STRIDE_SAMPLES, joints] the joint angles of one stride of a clip, whose period is found by autocorrelation."""
    if "qpos" not in clip.channels or clip.channels["qpos"].shape[1] != experiment.load_figure().nq:
        raise FootfallError("likeness: the clip has no coordinates of this figure; retarget it first (channel 'qpos')")
    angles = clip.channels["qpos"][:, _angles(experiment)]
    rate = (len(clip) - 1) / (clip.times[-1] - clip.times[0])
    centred = angles - angles.mean(axis=0)
    lags = np.arange(round(0.4 * rate), min(round(2.0 * rate), len(clip) - 2))
    if len(lags) < 3:
        raise FootfallError(f"likeness: the clip of {len(clip)} frames is too short to hold a stride")
    error = np.array([np.mean((centred[lag:] - centred[:-lag]) ** 2) for lag in lags])
    stride = int(lags[np.argmin(error)])
    middle = (len(clip) - stride) // 2
    places = middle + np.linspace(0.0, stride, STRIDE_SAMPLES, endpoint=False)
    frames = np.arange(len(clip))
    return np.stack([np.interp(places, frames, column) for column in angles.T], axis=-1)


def stride_difference(a: Array, b: Array) -> float:
    """Root mean square difference of two strides [S, J] at the phase shift where it is least."""
    return float(np.sqrt(min(np.mean((np.roll(a, k, axis=0) - b) ** 2) for k in range(len(a)))))
