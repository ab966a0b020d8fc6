"""Clips with shorter strides: a run of three metres a second at two, so that a walker may come to it step by step.

Ways over the ground are a share of what they were, and so are the places where feet stand; the time of a step, its
heights and its flights stay. Hips and knees are turned so that the ankles are where the feet go.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.leg_reach import moved_ankles
from footfall.methods.tracking.motion_graph import FPS, GraphClip
from footfall.motion.synthesis.ball_poses import ankles, legs_of
from footfall.motion.synthesis.foot_cuts import ContactRule, foot_contacts

Array = NDArray[np.float64]


def slowed_clip(clip: GraphClip, share: float, skeleton: Figure) -> GraphClip:
    """A clip that goes a share of its way in the same time.

    Args:
        clip: with poses of the skeleton. share: of the way, above 0, at most 1. skeleton: of ball joints.
    """
    if not 0.0 < share <= 1.0:
        raise FootfallError(f"slowed clip: the share is {share:g}; it must be above 0 and at most 1")
    contacts = foot_contacts(clip.frames, skeleton, FPS, ContactRule())
    feet, begin, poses = ankles(clip.frames, skeleton), clip.frames[0, :2], clip.frames.copy()
    poses[:, :2] = begin + share * (poses[:, :2] - begin)
    for side, (leg, stands) in enumerate(zip(legs_of(skeleton), (contacts.left, contacts.right), strict=True)):
        wanted = feet[:, side].copy()
        wanted[:, :2] += (share - 1.0) * (_held(feet[:, side, :2], stands) - begin)
        poses = moved_ankles(poses, leg, wanted - ankles(poses, skeleton)[:, side])
    return replace(clip, name=f"{clip.name}--{share:g}", frames=poses)


def _held(foot: Array, stands: NDArray[np.bool_]) -> Array:
    """[T, 2] the foot, at one place for as long as it stands, and going from one to the next while it swings."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], stands, [False]]).astype(int)))
    times, places = [], []
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        times += [first, after - 1]
        places += [foot[first:after].mean(axis=0)] * 2
    for end in (0, len(foot) - 1):
        if not stands[end]:
            times.insert(0 if end == 0 else len(times), end)
            places.insert(0 if end == 0 else len(places), foot[end])
    at = np.arange(len(foot))
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    known, there = np.array(times, dtype=float), np.array(places)
    s = np.clip((at - known[low]) / np.maximum(known[low + 1] - known[low], 1.0), 0.0, 1.0)[:, None]
    smooth = s * s * (3.0 - 2.0 * s)
    return np.asarray((1.0 - smooth) * there[low] + smooth * there[low + 1])
