"""Stands that a figure can stand in: its centre of mass over its feet.

A clip's person stands balanced, the figure in the same pose not always: its masses lie elsewhere, and its feet are
where the ground was fitted to them. Tracked as it is, such a stand topples before the first step.
"""

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.sampled_ground import pad_samples
from footfall.figures import Figure
from footfall.methods.tracking.leg_reach import moved_ankles
from footfall.motion.quaternion import rotate
from footfall.motion.synthesis.ball_poses import ankles, body_frames, facing_of, legs_of

__all__ = ["balance_of", "balanced_stands"]

Array = NDArray[np.float64]
FPS = 30.0
STILL = 0.12
"""Metres a second below which ankles and pelvis stand still."""
LONG = 10
"""Frames that a stand lasts."""
MARGIN = 0.07
"""Metres within the outline of both soles that the centre of mass has to keep."""
RAMP = 12
"""Frames over which a stand's shift comes and goes."""


def balance_of(frames: Array, figure: Figure) -> Array:
    """[T, 2] how far the centre of mass has to go, forward and to the left of the pelvis's facing, to be over the feet
    by MARGIN on all sides (or in the middle of feet that are narrower); zero where it is."""
    places, turns = body_frames(frames, figure)
    masses, centres = np.array([b.mass for b in figure.bodies]), np.array([b.com for b in figure.bodies])
    com = (masses[:, None] * (places + rotate(turns, centres))).sum(axis=1) / masses.sum()
    facing = facing_of(frames)
    ahead = np.stack([np.cos(facing), np.sin(facing)], axis=-1)
    axes = np.stack([ahead, np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)], axis=1)
    soles = []
    for side in ("left", "right"):
        body = figure.body(figure.leg(side).foot).index
        points = pad_samples(figure, body)[1].reshape(-1, 3)
        if not len(points):
            points = np.array([p.position for p in figure.points if p.body == body])
        soles.append(places[:, body, None] + rotate(turns[:, body, None], points[None]))
    seen = np.einsum("tij,tpj->tip", axes, np.concatenate(soles, axis=1)[..., :2])
    at = np.einsum("tij,tj->ti", axes, com[:, :2])
    low, high = seen.min(axis=2) + MARGIN, seen.max(axis=2) - MARGIN
    middle = 0.5 * (low + high)
    low, high = np.minimum(low, middle), np.maximum(high, middle)
    return np.asarray(np.clip(at, low, high) - at)


def balanced_stands(frames: Array, figure: Figure) -> Array:
    """Poses [T, nq] in which the pelvis is moved over the feet wherever both stand still, as far as balance needs."""
    result = frames
    for _ in range(2):
        away, facing = balance_of(result, figure), facing_of(result)
        shift = np.zeros((len(frames), 3))
        for a, b in _stands(frames, figure):
            ahead, left = np.median(away[a:b], axis=0)
            turn = float(np.median(facing[a:b]))
            move = [ahead * np.cos(turn) - left * np.sin(turn), ahead * np.sin(turn) + left * np.cos(turn), 0.0]
            at = np.arange(len(frames))
            share = np.clip(1.0 - np.maximum(a - at, at - (b - 1)) / RAMP, 0.0, 1.0)
            shift += (share * share * (3.0 - 2.0 * share))[:, None] * move
        if not np.abs(shift).max() > 1e-3:
            break
        result = result.copy()
        result[:, :3] += shift
        for leg in legs_of(figure):
            result = moved_ankles(result, leg, -shift)
    return result


def _stands(frames: Array, figure: Figure) -> list[tuple[int, int]]:
    """Stretches in which both feet and the pelvis stand still: first frame, the one after the last."""
    moving = np.concatenate([ankles(frames, figure), frames[:, None, :3]], axis=1)
    speed = np.linalg.norm(np.gradient(moving, 1.0 / FPS, axis=0), axis=-1).max(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (speed < STILL).astype(int), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= LONG]
