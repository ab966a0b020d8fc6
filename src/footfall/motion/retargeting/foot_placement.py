"""Feet that stay where they stand: targets for the ankles, without sliding and without sinking in."""

from itertools import pairwise

import numpy as np

from footfall.motion.editing.transitions import transition
from footfall.motion.ground import GroundProfile
from footfall.motion.quaternion import Array, exp, from_axis_angle, log, multiply, normalised, rotate, twist_angle

__all__ = ["flattened", "placed_ankles", "steadied"]

_UP = np.array([0.0, 0.0, 1.0])
_FLAT, _TILTED = np.deg2rad(4.0), np.deg2rad(14.0)
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
    size = np.linalg.norm(tilt, axis=-1)
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
    return normalised(multiply(from_axis_angle(_UP, _carried(correction, spans)[:, 0]), orientation))


def _carried(correction: Array, spans: list[tuple[int, int]]) -> Array:
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


def placed_ankles(
    ankle: Array, orientation: Array, offsets: Array, spans: list[tuple[int, int]], ground: GroundProfile
) -> Array:
    """Ankle positions [T, 3] near ``ankle`` for which the foot neither slides while it stands nor ever sinks in.

    In a contact the foot rolls on the lowest point of its sole without slipping, around the place where it was. Between
    contacts the corrections pass into each other with the transition function of paper 001, appendix B.

    Args:
        ankle: [T, 3] where the ankle would be.
        orientation: [T, 4] of the foot.
        offsets: [P, 3] points of the sole in the foot's frame, from the ankle.
        spans: (first, last + 1) frames of the contacts.
        ground: what it stands on.
    """
    T = len(ankle)
    sole = rotate(orientation[:, None], offsets[None])
    correction = np.zeros((T, 3))
    for a, b in spans:
        rolled = np.zeros((b - a, 2))
        for k in range(a + 1, b):
            pivot = int(np.argmin(sole[k - 1, :, 2] + sole[k, :, 2]))
            rolled[k - a] = rolled[k - a - 1] + sole[k - 1, pivot, :2] - sole[k, pivot, :2]
        rolled += (ankle[a:b, :2] - rolled).mean(axis=0)
        correction[a:b, :2] = rolled - ankle[a:b, :2]
        correction[a:b, 2] = _standing_height(rolled, sole[a:b], ground) - ankle[a:b, 2]
    placed = ankle + _carried(correction, spans)
    placed[:, 2] = np.maximum(placed[:, 2], _standing_height(placed[:, :2], sole, ground))
    return placed


def _standing_height(place: Array, sole: Array, ground: GroundProfile) -> Array:
    """[N] ankle heights at which the lowest point of a sole [N, P, 3] (from the ankle at ``place`` [N, 2]) just
    touches."""
    points = place[:, None, :] + sole[..., :2]
    return np.asarray((ground.height(points[..., 0], points[..., 1]) - sole[..., 2]).max(axis=1))
