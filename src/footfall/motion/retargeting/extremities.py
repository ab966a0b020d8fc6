"""Toes and clavicles of a rig, which footfall's own bodies do not have.

Toes bend at the ball of the foot so far that their tips stay out of the ground. With x and z the heights of the tips of
unit vectors along the foot, towards the toes and upward, the ball h above level ground and h₀ at rest, and toes of
length L that rise by α at rest, the tips stay at the height that they have at rest, or above it, if toes bend by

    β ≥ arctan(-x / z) + arcsin((sin α - (h - h₀) / L) / √(x² + z²)) - α

A clavicle rises by a fifth of what the upper arm is raised beyond 30°: by 30° with the arm overhead (Inman, Saunders
and Abbott 1944, "Observations on the function of the shoulder joint"). A source that has toes or clavicles of its own
shows how they turn; its toes bend more where they would sink in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.motion.conditioning.planting import from_ankle_at_rest
from footfall.motion.gait.feet import Sole, soles
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    dot,
    from_axis_angle,
    multiply,
    norm,
    rotate,
)
from footfall.motion.retargeting.pose_builder import PoseBuilder
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.smoothing import transition

MOST_BENT = np.deg2rad(70.0)
ARM_FREE, GIRDLE_SHARE = np.deg2rad(30.0), 0.2
_MOST_DOWN = np.deg2rad(30.0)
_AHEAD = 0.35
"""Share of the way from ankle to tips that a ball lies ahead at least; a joint below the ankle is none."""
_IN_LINE = 0.75
"""Share of the ball's way ahead from which on a joint of the foot begins a toe."""
SOLE_DOWN = 0.0, 0.25
"""Cosines between a foot's upward axis and the vertical from which on its toes heed the ground, and do in full."""
_TIPLESS = 0.5
"""Length of toes without a tip, in shares of the way from ankle to ball."""
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Toes:
    """The toes of one foot.

    Attributes:
        joints: at which they bend.
        foot: the ankle's joint.
        length: from ball to tips, m.
        slope: by which they rise towards their tips at rest, radians.
        height: of the ball above the sole at rest, m.
    """

    joints: tuple[int, ...]
    foot: int
    length: float
    slope: float
    height: float


def toes_of(skeleton: Skeleton) -> dict[str, Toes]:
    """The toes of each foot that has a joint at its ball."""
    roles, (places, turns) = find_roles(skeleton), skeleton.at_rest()
    found = {}
    for side, sole in soles(skeleton).items():
        if f"{side}_toe" not in roles:
            continue
        ankle, first = sole.ankle, roles[f"{side}_toe"]
        below = from_ankle_at_rest(skeleton, sole)
        way = (places[first] - places[ankle]) * (_X + _Y)
        reach = float(norm(way))
        if reach < _AHEAD * float(norm(below[:, :2]).max()):
            continue
        ahead = way / reach
        along = (places - places[ankle]) @ ahead
        inside = skeleton.subtree(ankle)
        far = [j for j in inside if along[j] > _IN_LINE * reach]
        joints = tuple(j for j in far if skeleton.parents[j] not in far)
        ball = places[list(joints)].mean(axis=0)
        tips = [places[j] for j in far if j not in joints]
        tips += [places[e.joint] + rotate(turns[e.joint], np.array(e.offset)) for e in skeleton.ends if e.joint in far]
        tip = max(tips, key=lambda p: float((p - ball) @ ahead), default=ball)
        flat = float((tip - ball) @ ahead)
        rise = float(tip[2] - ball[2])
        if flat < 0.1 * reach:
            flat, rise = _TIPLESS * reach, 0.0
        height = float(ball[2] - places[ankle][2] - below[:, 2].min())
        found[side] = Toes(joints, ankle, float(np.hypot(flat, rise)), float(np.arctan2(rise, flat)), height)
    return found


def firm_soles(skeleton: Skeleton, toes: Mapping[str, Toes]) -> dict[str, Sole]:
    """The soles as far as they do not bend: those of feet with toes end below the ball."""
    found = dict(soles(skeleton))
    places, turns = skeleton.at_rest()
    for side, toe in toes.items():
        sole, ankle = found[side], toe.foot
        ball = places[list(toe.joints)].mean(axis=0) - toe.height * _Z
        points = from_ankle_at_rest(skeleton, sole) + places[ankle]
        ahead = (ball - places[ankle]) * (_X + _Y)
        rear = points[(points - places[ankle]) @ ahead < 0.5 * (ahead @ ahead)]
        rows = np.concatenate([rear, ball[None]]) - places[ankle]
        offsets = rotate(conjugate(turns[ankle]), rows)
        count = len(rear)
        joints = np.full(count + 1, ankle)
        found[side] = replace(sole, joints=joints, offsets=offsets, heel=np.arange(count), toe=np.array([count]))
    return found


def own_bends(source: Motion) -> dict[str, Array]:
    """[T] radians by which each foot's toes bend in a motion whose zero stands, where it has toes."""
    roles, turns = find_roles(source.skeleton), source.orientations()
    found = {}
    for side, toe in toes_of(source.skeleton).items():
        ahead = rotate(multiply(conjugate(turns[:, toe.foot]), turns[:, roles[f"{side}_toe"]]), _X)
        found[side] = np.asarray(np.arctan2(ahead[:, 2], ahead[:, 0]))
    return found


def bend_toes(builder: PoseBuilder, toes: Mapping[str, Toes], own: Mapping[str, Array]) -> None:
    """Bend the toes of poses whose feet are where they belong.

    Args:
        builder: the poses.
        toes: by side.
        own: [T] by side: how the source's bend.
    """
    for side, toe in toes.items():
        for joint in toe.joints:
            builder.forget(builder.skeleton.subtree(joint))
            builder.rest(joint)
        frame = multiply(builder.orientations[:, toe.foot], builder.frames[toe.foot])
        ahead, up = rotate(frame, _X)[:, 2], rotate(frame, _Z)[:, 2]
        above = builder.positions[:, list(toe.joints), 2].mean(axis=1) - toe.height
        level = (np.sin(toe.slope) - above / toe.length) / np.maximum(np.hypot(ahead, up), 1e-9)
        needed = np.arctan2(-ahead, up) + np.arcsin(np.clip(level, -1.0, 1.0)) - toe.slope
        needed *= transition(up, *SOLE_DOWN)
        bend = np.clip(np.maximum(needed, own.get(side, 0.0)), -_MOST_DOWN, MOST_BENT)
        turn = from_axis_angle(rotate(frame, _Y), -bend)
        for joint in toe.joints:
            builder.point(joint, multiply(turn, builder.orientations[:, joint]))


def own_girdle(source: Motion) -> dict[str, Array]:
    """[T, 4] turns of each clavicle against the chest of a motion whose zero stands, where it has them."""
    roles, turns = find_roles(source.skeleton), source.orientations()
    home = conjugate(turns[:, roles.get("chest", roles["pelvis"])])
    sides = [side for side in ("left", "right") if f"{side}_clavicle" in roles]
    return {side: multiply(home, turns[:, roles[f"{side}_clavicle"]]) for side in sides}


def raised_girdle(side: str, chest: Array, arm: Array) -> Array:
    """[T, 4] the turn of a clavicle against the chest, from the frames [T, 4] of chest and upper arm."""
    raised = np.arccos(np.clip(dot(rotate(chest, _Z), rotate(arm, _Z)), -1.0, 1.0))
    angle = GIRDLE_SHARE * np.maximum(raised - ARM_FREE, 0.0)
    return from_axis_angle(_X, angle if side == "left" else -angle)
