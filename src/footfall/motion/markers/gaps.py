"""Gaps in the paths of markers: short ones are filled, long ones end the recording. Frames around a jump are a gap."""

from collections.abc import Mapping

import numpy as np

from footfall.motion.quaternion import Array

LONGEST_GAP = 0.25
"""Seconds over which a marker's path is interpolated."""
JUMP, FASTEST = 0.008, 400.0
"""Metres by which a marker leaves its course within a frame, and at least m/s², where it has jumped: more than a heel
has that strikes the ground."""
AROUND = 0.04
"""Seconds before and after a jump in which its marker is not believed: a wrong one drifts away before it is lost."""


def find_jumps(path: Array, times: Array) -> Array:
    """[N] frames at which a path [T, 3] jumps: a marker that was taken for another, or a reflection."""
    if len(path) < 3:
        return np.zeros(0, dtype=int)
    step = float(np.median(np.diff(times)))
    course = np.linalg.norm(np.diff(path, 2, axis=0), axis=-1)
    return np.asarray(np.flatnonzero(np.nan_to_num(course) > max(JUMP, FASTEST * step**2)) + 1)


def without_jumps(path: Array, times: Array) -> Array:
    """A path [T, 3] that is not a number around its jumps."""
    jumps = find_jumps(path, times)
    if not len(jumps):
        return path
    near = np.abs(times[:, None] - times[jumps]).min(axis=1) <= AROUND
    return np.asarray(np.where(near[:, None], np.nan, path))


def fill_gaps(path: Array, times: Array, longest: float = LONGEST_GAP) -> Array:
    """A path [T, 3] with its gaps (not a number) of up to ``longest`` seconds filled: by a cubic where there are enough
    frames around them, at the ends by nothing."""
    seen = np.isfinite(path).all(axis=-1)
    if seen.all() or not seen.any():
        return path
    from scipy.interpolate import PchipInterpolator

    filled = path.copy()
    known = np.flatnonzero(seen)
    if len(known) > 1:
        between = PchipInterpolator(times[known], path[known], axis=0)
        missing = np.flatnonzero(~seen)
        after = np.searchsorted(known, missing)
        inside = (after > 0) & (after < len(known))
        before, behind = known[np.clip(after - 1, 0, None)], known[np.clip(after, None, len(known) - 1)]
        short = inside & (times[behind] - times[before] <= longest)
        filled[missing[short]] = between(times[missing[short]])
    return filled


def longest_run(paths: Mapping[str, Array]) -> tuple[int, int]:
    """First frame and last + 1 of the longest stretch in which all paths [T, 3] are known."""
    known = np.all([np.isfinite(path).all(axis=-1) for path in paths.values()], axis=0).astype(int)
    edges = np.diff(np.concatenate([[0], known, [0]]))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    if not len(starts):
        return 0, 0
    best = int(np.argmax(ends - starts))
    return int(starts[best]), int(ends[best])
