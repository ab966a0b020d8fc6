"""Feet that stay where they stand: targets for the ankles, without sliding and without sinking in."""

from itertools import pairwise

import numpy as np

from footfall.motion.editing.transitions import transition
from footfall.motion.gait.heading import smoothed
from footfall.motion.ground import GroundProfile
from footfall.motion.quaternion import (
    Array,
    exp,
    from_axis_angle,
    log,
    multiply,
    norm,
    normalised,
    rotate_points,
    twist_angle,
)

_UP = np.array([0.0, 0.0, 1.0])
_FLAT, _TILTED = np.deg2rad(4.0), np.deg2rad(14.0)
_EVEN = 1e-4
"""Metres within which points of a sole are equally low; a flat foot turns about the middle of them."""
_SKATING = 0.15, 0.3
"""Metres that a foot may move in a contact and be held still, and from which on it skates."""
_STEADY, _PIVOTING = np.deg2rad(8.0), np.deg2rad(20.0)


def flattened(orientation: Array, flat: Array) -> Array:
    """Foot orientations [T, 4] whose small tilts against ``flat`` (4,), the level foot, are removed; larger ones are
    kept.

    A captured foot on the ground is rarely quite level. Tilts under 4° vanish, those over 14° stay, between them the
    change is smooth, so that no jump appears as the heel rises.
    """
    relative = multiply(orientation, flat * [1.0, -1.0, -1.0, -1.0])
    yaw = from_axis_angle(_UP, twist_angle(relative, _UP))
    tilt = log(multiply(relative, yaw * [1.0, -1.0, -1.0, -1.0]))
    size = norm(tilt)
    kept = exp(tilt * transition(size, _FLAT, _TILTED)[:, None])
    return normalised(multiply(multiply(kept, yaw), flat))


def steadied(orientation: Array, spans: list[tuple[int, int]]) -> Array:
    """Foot orientations [T, 4] that do not turn on the spot while the foot stands.

    In each contact the heading is held at its mean; a foot that truly pivots (by more than about 20°) keeps doing so.
    """
    yaw = np.unwrap(twist_angle(orientation, _UP))
    correction = np.zeros((len(yaw), 1))
    for a, b in spans:
        away = yaw[a:b] - yaw[a:b].mean()
        correction[a:b, 0] = -away * (1.0 - transition(np.abs(away), _STEADY, _PIVOTING))
    return normalised(multiply(from_axis_angle(_UP, carried(correction, spans)[:, 0]), orientation))


def carried(correction: Array, spans: list[tuple[int, int]]) -> Array:
    """Corrections [T, K], known in the contacts, carried over the frames between them."""
    if not spans:
        return correction
    carried = correction.copy()
    carried[: spans[0][0]] = carried[spans[0][0]]
    carried[spans[-1][1] :] = carried[spans[-1][1] - 1]
    for (_, left), (right, _) in pairwise(spans):
        share = transition(np.arange(left, right, dtype=float), left - 1, right)[:, None]
        carried[left:right] = (1 - share) * carried[left - 1] + share * carried[right]
    return carried


def faded(correction: Array, spans: list[tuple[int, int]], fade: int) -> Array:
    """Corrections [T, K], known in the contacts, that fade within ``fade`` frames outside them."""
    if not spans:
        return correction
    result = carried(correction, spans)
    T = len(result)
    inside = np.zeros(T, dtype=bool)
    for a, b in spans:
        inside[a:b] = True
    frames = np.arange(T, dtype=float)
    starts, ends = np.array([a for a, _ in spans]), np.array([b - 1 for _, b in spans])
    after, before = np.searchsorted(ends, frames) - 1, np.searchsorted(starts, frames)
    outside = np.zeros_like(result)
    weight = np.zeros(T)
    for index, near, valid in ((after, ends, after >= 0), (before, starts, before < len(spans))):
        frame = near[np.clip(index, 0, len(spans) - 1)]
        share = np.where(valid, 1.0 - transition(np.abs(frames - frame), 0.0, float(fade)), 0.0)
        outside += share[:, None] * result[frame]
        weight += share
    both = weight > 1.0
    outside[both] = result[both]
    return np.where(inside[:, None], result, outside)


def held_ankles(
    ankle: Array,
    orientation: Array,
    offsets: Array,
    spans: list[tuple[int, int]],
    ground: GroundProfile,
    frame_time: float,
) -> Array:
    """Ankle positions [T, 3] for which the foot stands without sliding; between contacts as they were.

    In a contact the foot rolls on the lowest points of its sole without slipping, around the place where it was.

    Args:
        ankle: [T, 3] where the ankle would be.
        orientation: [T, 4] of the foot.
        offsets: [P, 3] points of the sole in the foot's frame, from the ankle.
        spans: (first, last + 1) frames of the contacts.
        ground: what it stands on.
        frame_time: seconds between frames.
    """
    sole = rotate_points(orientation, offsets)
    held = ankle.copy()
    for a, b in spans:
        height = sole[a : b - 1, :, 2] + sole[a + 1 : b, :, 2]
        lowest = (height < height.min(axis=1, keepdims=True) + _EVEN).astype(float)
        share = lowest / lowest.sum(axis=1, keepdims=True)
        steps = np.einsum("tp,tpk->tk", share, sole[a : b - 1, :, :2] - sole[a + 1 : b, :, :2])
        rolled = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
        rolled += _stay(ankle[a:b, :2] - rolled, frame_time)
        held[a:b, :2] = rolled
        held[a:b, 2] = _standing_height(rolled, sole[a:b], ground)
    return held


def _stay(away: Array, frame_time: float) -> Array:
    """[N, 2] where a foot stands in one contact, of where it would be [N, 2]: at the mean. A source whose feet skate,
    further than any that stands, keeps doing so, smoothly."""
    mean = away.mean(axis=0)
    skates = float(transition(np.asarray(np.linalg.norm(np.ptp(away, axis=0))), *_SKATING))
    if skates == 0.0:
        return np.broadcast_to(mean, away.shape)
    return np.asarray((1.0 - skates) * mean + skates * smoothed(away, frame_time, 0.5))


def swung_ankles(
    ankle: Array,
    held: Array,
    orientation: Array,
    offsets: Array,
    spans: list[tuple[int, int]],
    ground: GroundProfile,
    fade: int,
) -> Array:
    """Ankle positions [T, 3]: ``held`` [T, 3] in the contacts, ``ankle`` [T, 3] between them, never too low.

    A correction fades within ``fade`` frames after its contact, and comes within as many before, with the transition
    function of Data-Driven Biped Control, appendix B; over shorter swings one passes into the next.
    """
    correction = np.zeros_like(ankle)
    for a, b in spans:
        correction[a:b] = held[a:b] - ankle[a:b]
    placed = ankle + faded(correction, spans, fade)
    sole = rotate_points(orientation, offsets)
    placed[:, 2] = np.maximum(placed[:, 2], _standing_height(placed[:, :2], sole, ground))
    return placed


def _standing_height(place: Array, sole: Array, ground: GroundProfile) -> Array:
    """[N] ankle heights at which the lowest point of a sole [N, P, 3] (from the ankle at ``place`` [N, 2]) just
    touches."""
    points = place[:, None, :] + sole[..., :2]
    return np.asarray((ground.height(points[..., 0], points[..., 1]) - sole[..., 2]).max(axis=1))
