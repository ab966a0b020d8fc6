"""Runs of candidates whose gait has settled, and what an optimiser measures of them: functions from :class:`Runs` to
one number a candidate, defined by the rows of :data:`footfall.study.measures.table.MEASURES`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.motion import Motion
from footfall.simulation import Outcome, Trace

Array = NDArray[np.float64]

STRIDE_SAMPLES = 64


@dataclass(frozen=True, eq=False)
class Runs:
    """C candidates, undisturbed after their gait has settled.

    Attributes:
        figure: that walks.
        settled: what was counted until the gait had settled.
        outcome: what was counted until the end.
        seconds: from the start to the end of the longest run.
        stride: [C] seconds of a stride; NaN without steps.
        forces: [F] newtons of the pushes that are tried, rising.
        passed: angle in degrees -> the candidates [K] that step, and [K, F, P] whether they pass a push of each size at
            each of P phases.
        one_stride: field -> a trace of one stride from the left foot's strike, its times [S] from there, and the
            strides' lengths [C] in seconds (1 where there is none).
        clip: that ``clip_difference`` compares with, with the figure's coordinates.
    """

    figure: Figure
    settled: Outcome
    outcome: Outcome
    seconds: float
    stride: Array
    forces: tuple[float, ...]
    passed: Callable[[float], tuple[NDArray[np.intp], NDArray[np.bool_]]]
    one_stride: Callable[[str], tuple[Trace, Array, Array]]
    clip: Motion | None = None

    def since_settled(self, counted: str) -> Array:
        """[C] by how much a number of the outcome has grown, a second."""
        grown: Any = getattr(self.outcome, counted) - getattr(self.settled, counted)
        return np.asarray(grown / (self.outcome.time - self.settled.time))

    @property
    def speed(self) -> Array:
        """[C] metres a second."""
        return self.since_settled("distance")

    def mean(self, averaged: str) -> Array:
        """[C] the mean since the gait settled of a number that the outcome has as a mean from the start."""
        until, before = self.outcome.time, self.settled.time
        total = getattr(self.outcome, averaged) * until - getattr(self.settled, averaged) * before
        return np.asarray(total / (until - before))


def survival(runs: Runs) -> Array:
    return np.where(runs.outcome.survived, 1.0, np.minimum(runs.outcome.time / runs.seconds, 0.999))


def transport(runs: Runs) -> Array:
    weight = runs.figure.body_parameters().mass.sum() * runs.figure.gravity
    return np.asarray(runs.mean("power") / (weight * np.abs(runs.speed)))


def candidate_push_limit(runs: Runs, angle: float) -> Array:
    who, passed = runs.passed(angle)
    limit = np.full(len(runs.stride), np.nan)
    if len(who):
        rising = np.logical_and.accumulate(passed, axis=1).sum(axis=1)
        sizes = np.concatenate([[0.0], runs.forces])
        strict = sizes[rising.min(axis=1)]
        limit[who] = strict + 0.1 * (sizes[rising].mean(axis=1) - strict)
    return limit


def flight_of_stride(runs: Runs) -> Array:
    trace, times, length = runs.one_stride("events")
    within = times[:, None] < length[None]
    return np.asarray((~trace.contact.any(axis=2) & within).sum(axis=0) / within.sum(axis=0))


def clip_difference(runs: Runs) -> Array:
    if runs.clip is None:
        raise FootfallError("clip_difference: give a clip to compare with")
    wanted, own = clip_stride(runs.clip, runs.figure), _angles(runs.figure)
    trace, times, length = runs.one_stride("qpos")
    result = np.full(len(length), np.nan)
    for w in np.flatnonzero(np.isfinite(runs.stride)):
        at = np.linspace(0.0, length[w], STRIDE_SAMPLES, endpoint=False)
        angles = np.stack([np.interp(at, times, column) for column in trace.qpos[:, w, :].T], axis=-1)
        result[w] = stride_difference(angles[:, own], wanted)
    return result


def _angles(figure: Figure) -> list[int]:
    """Places of the joint angles in qpos."""
    return [j.qpos for j in figure.joints if j.ndof == 1 and j.actuated]


def clip_stride(clip: Motion, figure: Figure) -> Array:
    """[STRIDE_SAMPLES, joints] the joint angles of one stride of a clip, whose period is found by autocorrelation."""
    if "qpos" not in clip.channels or clip.channels["qpos"].shape[1] != figure.nq:
        raise FootfallError(
            "clip_difference: the clip has no coordinates of this figure; retarget it first (channel 'qpos')"
        )
    angles = clip.channels["qpos"][:, _angles(figure)]
    rate = (len(clip) - 1) / (clip.times[-1] - clip.times[0])
    centred = angles - angles.mean(axis=0)
    lags = np.arange(round(0.4 * rate), min(round(2.0 * rate), len(clip) - 2))
    if len(lags) < 3:
        raise FootfallError(f"clip_difference: the clip of {len(clip)} frames is too short to hold a stride")
    error = np.array([np.mean((centred[lag:] - centred[:-lag]) ** 2) for lag in lags])
    stride = int(lags[np.argmin(error)])
    middle = (len(clip) - stride) // 2
    places = middle + np.linspace(0.0, stride, STRIDE_SAMPLES, endpoint=False)
    frames = np.arange(len(clip))
    return np.stack([np.interp(places, frames, column) for column in angles.T], axis=-1)


def stride_difference(a: Array, b: Array) -> float:
    """Root mean square difference of two strides [S, J] at the phase shift where it is least."""
    return float(np.sqrt(min(np.mean((np.roll(a, k, axis=0) - b) ** 2) for k in range(len(a)))))
