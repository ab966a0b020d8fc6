"""Force platforms beside markers: forces at the frames' times, and when something stood on a platform."""

from typing import Any

import numpy as np

from footfall.motion.markers.markers import Markers
from footfall.motion.quaternion import Array

LOADED = 20.0
"""Newtons above which something stands on a platform (Zeni et al. 2008; clinics use 10 to 20)."""
_SHORTEST = 0.05


def plate_channels(
    markers: Markers, axes: Array, first: int, last: int
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Channels of a motion of the frames ``first`` to ``last`` - 1, and what else is known.

    Channels: ``plate_force`` [T, K, 3] newtons on the foot and ``plate_moment`` [T, K, 3] about the world's origin, as
    the mean over one frame around the frame's time. Known: ``plate_contacts``, rows of platform, beginning and end in
    seconds; ``plate_corners``, four places on the ground for each platform; ``events``, rows of seconds, side and kind;
    ``mass``.

    Args:
        markers: as read. axes: [3, 3] from the file's axes to the world's.
    """
    begin = float(markers.times[first])
    known: dict[str, Any] = {}
    if markers.mass > 0:
        known["mass"] = markers.mass
    if markers.events:
        known["events"] = [[round(e.time - begin, 6), e.side, e.kind] for e in markers.events]
    if not markers.plates:
        return {}, known
    per_frame = (
        max(round(markers.plate_rate * (markers.times[1] - markers.times[0])), 1) if len(markers.times) > 1 else 1
    )
    forces, moments, contacts = [], [], []
    for number, plate in enumerate(markers.plates):
        force = plate.force @ axes.T
        about = plate.moment @ axes.T + np.cross(axes @ plate.centre, force)
        contacts += [
            [number, a / markers.plate_rate - begin, b / markers.plate_rate - begin]
            for a, b in _stretches(force[:, 2] > LOADED, _SHORTEST * markers.plate_rate)
        ]
        forces.append(_at_frames(force, per_frame, len(markers.times))[first:last])
        moments.append(_at_frames(about, per_frame, len(markers.times))[first:last])
    known["plate_contacts"] = contacts
    known["plate_corners"] = [np.round(plate.corners @ axes.T, 6)[:, :2].tolist() for plate in markers.plates]
    return {"plate_force": np.stack(forces, axis=1), "plate_moment": np.stack(moments, axis=1)}, known


def _at_frames(signal: Array, each: int, frames: int) -> Array:
    """[T, 3] means of the samples [S, 3] around every ``each``-th one."""
    half = each // 2
    padded = np.concatenate([np.repeat(signal[:1], half, axis=0), signal, np.repeat(signal[-1:], half + 1, axis=0)])
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(padded, axis=0)])
    starts = np.minimum(each * np.arange(frames), len(padded) - 2 * half - 1)
    return np.asarray((sums[starts + 2 * half + 1] - sums[starts]) / (2 * half + 1))


def _stretches(found: np.ndarray, shortest: float) -> list[tuple[int, int]]:
    """(first, last + 1) samples of the stretches that last."""
    edges = np.diff(np.concatenate([[0], found.astype(int), [0]]))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
    return [(int(a), int(b)) for a, b in zip(starts, ends, strict=True) if b - a >= shortest]
