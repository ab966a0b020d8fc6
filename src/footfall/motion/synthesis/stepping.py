"""One motion of many fragments, with feet that stand held where they stand.

A fragment is put where the one before ended: facing the same way, its standing foot on the place where that foot is.
The displacement between both poses decays as in Data-Driven Biped Control, equation 6. The standing foot would slide
while it does; the whole body is shifted by as much as keeps that foot on its own path. A fragment can also be bent:
turned about the standing foot while it lasts, so that the heading comes out as wanted.
"""

from collections.abc import Sequence

import numpy as np

from footfall.motion.editing.cutting import placed
from footfall.motion.editing.displacement import Pose
from footfall.motion.editing.transitions import transition, transition_back
from footfall.motion.gait.heading import facing_angle
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_axis_angle, multiply, normalised, rotate
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.synthesis.fragments import SUPPORT, Fragment

_UP = np.array([0.0, 0.0, 1.0])


def joined_on_feet(fragments: Sequence[Fragment], bends: Sequence[float] | None = None) -> Motion:
    """The fragments in order as one motion from the origin, facing x; ``bends`` are radians added to each turn."""
    first = placed(fragments[0].motion)
    angles = list(bends) if bends is not None else [0.0] * len(fragments)
    root, rotations = _bent(first.skeleton, first.root_position, first.rotations, fragments[0], first.times, angles[0])
    times, roots, turns = [first.times - first.times[0]], [root], [rotations]
    for fragment, bend in zip(fragments[1:], angles[1:]):
        root, rotations, clock = _next(fragment, bend, roots[-1][-1], turns[-1][-1])
        times.append(times[-1][-1] + clock[1:])
        roots.append(root[1:])
        turns.append(rotations[1:])
    return Motion(
        first.skeleton,
        np.concatenate(times),
        np.concatenate(roots),
        np.concatenate(turns),
        figure=first.figure,
        figure_xml=first.figure_xml,
        source=first.source,
    )


def _next(fragment: Fragment, bend: float, last_root: Array, last_turns: Array) -> tuple[Array, Array, Array]:
    """Root [T, 3], rotations [T, J, 4] and clock [T] of a fragment that follows on a pose."""
    skeleton = fragment.motion.skeleton
    end = Motion(skeleton, np.zeros(1), last_root[None], last_turns[None])
    follow = placed(fragment.motion, (0.0, 0.0), float(facing_angle(end)[0]))
    clock = follow.times - follow.times[0]
    own = _support(skeleton, follow.root_position, follow.rotations, fragment.kind)
    here = _support(skeleton, end.root_position, end.rotations, fragment.kind)[0]
    shift = (here - own[0]) * [1.0, 1.0, 0.0]
    root, rotations = follow.root_position + shift, follow.rotations
    fade = transition_back(clock, 0.0, max(float(clock[-1]), 1e-9))
    gap = Pose(last_root, last_turns) / Pose(root[0], rotations[0])
    moved = Pose(root, rotations) @ (gap**fade)
    slip = own + shift - _support(skeleton, moved.root, moved.rotations, fragment.kind)
    root = moved.root + slip - fade[:, None] * slip[0]
    root, rotations = _bent(skeleton, root, moved.rotations, fragment, clock, bend)
    return root, rotations, clock


def _support(skeleton: Skeleton, root: Array, rotations: Array, kind: str) -> Array:
    """[T, 3] the middle of the ankles that stand; the root where none does."""
    roles = find_roles(skeleton)
    feet = [roles[f"{side}_ankle"] for side in SUPPORT[kind] if f"{side}_ankle" in roles]
    if not feet:
        return root
    return np.asarray(skeleton.forward(root, rotations)[0][:, feet].mean(axis=1))


def _bent(
    skeleton: Skeleton, root: Array, rotations: Array, fragment: Fragment, times: Array, bend: float
) -> tuple[Array, Array]:
    """Poses turned about the vertical through the standing foot, from nothing to ``bend`` radians."""
    if bend == 0.0:
        return root, rotations
    clock = times - times[0]
    turn = from_axis_angle(_UP, bend * transition(clock, 0.0, max(float(clock[-1]), 1e-9)))
    pivot = _support(skeleton, root, rotations, fragment.kind)
    rotations = rotations.copy()
    rotations[:, 0] = normalised(multiply(turn, rotations[:, 0]))
    return pivot + rotate(turn, root - pivot), rotations
