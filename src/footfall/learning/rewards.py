"""The terms of the reward, each a small Warp function over what is seen of a world after a decision:

    value(seen)

:class:`footfall.methods.network.seen.SeenTypes` ``.Seen`` is what is seen. Other packages add terms of their own (entry
points ``footfall.terms``); they count where an environment's weights name them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import warp as wp

from footfall.errors import FootfallError, unknown_name
from footfall.methods.network.seen import SeenTypes, clip_number
from footfall.methods.network.terms import own_terms
from footfall.plugins import plugin_names

SPEED_WIDTH = 0.5
"""m/s: how far speed may be off before its term has fallen to 1/e."""
HEADING_WIDTH = 0.5
"""rad: the same for heading."""
POSE_SHARE, VELOCITY_SHARE, ROOT_SHARE, TURN_SHARE = 0.5, 0.1, 0.25, 0.15
"""Of the imitation term: the joints' pose, their velocities, the root's position and its turning."""
SLIDE_MOST = 0.005
"""Metres that feet may slide between decisions before it costs no more."""
PLACE_MOST = 0.5
"""Metres that the root may be from the clip's before it costs no more."""
STANDING_HEIGHT, STANDING_UP = (0.7, 0.95), (0.6, 0.95)
"""Share of its height in a stand, and of up along the root's own up, at which a body begins to stand and stands."""
LEAP, LEAP_MOST = 0.9, 3.0
"""m/s of the root that cost nothing, and beyond which more costs no more."""


@dataclass(frozen=True)
class RewardTerm:
    """A term of the reward.

    Attributes:
        name: by which environments weigh it.
        weight: the usual one.
        formula: what it is, for tables.
        about: what it is for.
        build: makes the Warp function (seen) that answers its value.
        goal: the option without which it is 0, "heading", "clip" or "fallen", or "past" for either of the last two;
            empty for a term that is always there.
    """

    name: str
    weight: float
    formula: str
    about: str
    build: Callable[[SeenTypes], wp.Function]
    goal: str = ""


def _term(
    name: str, weight: float, formula: str, about: str, goal: str = ""
) -> Callable[[Callable[[SeenTypes], wp.Function]], RewardTerm]:
    """A decorator: the term that a function builds."""
    return lambda build: RewardTerm(name, weight, formula, about, build, goal)


@_term("alive", 1.0, "1", "for every decision that does not end in a fall")
def _alive(types: SeenTypes) -> wp.Function:
    zero, one = types.real(0.0), types.real(1.0)

    @types.part
    def alive(seen):
        return wp.where(seen.fell, zero, one)

    return alive


@_term("fall", -1.0, "1", "when the walker falls")
def _fall(types: SeenTypes) -> wp.Function:
    zero, one = types.real(0.0), types.real(1.0)

    @types.part
    def fall(seen):
        return wp.where(seen.fell, one, zero)

    return fall


@_term("speed", 1.0, f"exp(-((v - goal) / {SPEED_WIDTH:g})²)", "v: mean speed since the last decision, along the goal")
def _speed(types: SeenTypes) -> wp.Function:
    zero, width = types.real(0.0), types.real(SPEED_WIDTH)

    @types.part
    def speed(seen):
        moved = seen.goal[0] * seen.moved[0]
        moved += seen.goal[1] * seen.moved[1]
        off = -seen.goal_speed
        if seen.seconds > zero:
            off += moved / seen.seconds
        off = off / width
        return wp.exp(-off * off)

    return speed


@_term("heading", 0.5, f"exp(-(error / {HEADING_WIDTH:g})²)", "error: the angle between body and goal", "heading")
def _heading(types: SeenTypes) -> wp.Function:
    width = types.real(HEADING_WIDTH)

    @types.part
    def heading(seen):
        sine = seen.heading[1] * seen.goal[0] - seen.heading[0] * seen.goal[1]
        turn = wp.atan2(sine, seen.heading[0] * seen.goal[0] + seen.heading[1] * seen.goal[1]) / width
        return wp.exp(-turn * turn)

    return heading


def apart_function(types: SeenTypes) -> wp.Function:
    """A Warp function (seen): the square of the distance between the root and the clip's, each over its ground."""
    up, zero, of_clip = 1 if types.scope.planar else 2, types.real(0.0), clip_number(types)

    @types.part
    def apart(seen):
        square = zero
        for i in range(wp.static(up)):
            off = seen.qpos[i] - of_clip(seen, seen.frame, i)
            square += off * off
        off = seen.qpos[up] - of_clip(seen, seen.frame, up) - seen.beneath
        square += off * off
        return square

    return apart


@_term(
    "imitation",
    2.0,
    f"{POSE_SHARE:g} exp(-2 Σ Δq²) + {VELOCITY_SHARE:g} exp(-0.02 Σ Δq'²) + {ROOT_SHARE:g} exp(-10 |Δroot|²)"
    f" + {TURN_SHARE:g} exp(-5 θ²)",
    "Δ: from the clip's joints, joint velocities and root at this time; θ: angle between the two roots, rad",
    "clip",
)
def _imitation(types: SeenTypes) -> wp.Function:
    planar, figure, of_clip = types.scope.planar, types.scope.figure, clip_number(types)
    real, (root_q, root_v), nq, nv = types.real, types.scope.root, figure.nq, figure.nv
    zero, one, two, five, ten, fifty = (real(x) for x in (0.0, 1.0, 2.0, 5.0, 10.0, 50.0))
    shares = (POSE_SHARE, VELOCITY_SHARE, ROOT_SHARE, TURN_SHARE)
    pose_share, velocity_share, root_share, turn_share = (real(share) for share in shares)
    apart = apart_function(types)

    @types.part
    def imitation(seen):
        pose = zero
        i = int(root_q)
        while i < wp.static(nq):
            off = seen.qpos[i] - of_clip(seen, seen.frame, i)
            pose += off * off
            i += 1
        rate = zero
        i = int(root_v)
        while i < wp.static(nv):
            off = seen.qvel[i] - of_clip(seen, seen.frame, nq + i)
            rate += off * off
            i += 1
        turn = zero
        if wp.static(planar):
            turn = seen.qpos[2] - of_clip(seen, seen.frame, 2)
        else:
            along = zero
            for j in range(3, 7):
                along += seen.qpos[j] * of_clip(seen, seen.frame, j)
            turn = two * wp.acos(wp.min(wp.abs(along), one))
        return (
            pose_share * wp.exp(-two * pose)
            + velocity_share * wp.exp(-rate / fifty)
            + root_share * wp.exp(-ten * apart(seen))
            + turn_share * wp.exp(-five * turn * turn)
        )

    return imitation


def bounded_function(types: SeenTypes) -> wp.Function:
    """A Warp function (number): of an action, from -1 to 1; what is not finite counts as 0."""
    zero, one = types.real(0.0), types.real(1.0)

    @types.part
    def bounded(number):
        value = number
        if not wp.isfinite(value):
            value = zero
        return wp.clamp(value, -one, one)

    return bounded


@_term("smooth", -0.05, "mean((action - last action)²)", "the cost of acting otherwise than before", "past")
def _smooth(types: SeenTypes) -> wp.Function:
    real, actions, bounded = types.real, types.scope.actions, bounded_function(types)

    @types.part
    def smooth(seen):
        change = real(0.0)
        i = int(0)
        while i < wp.static(actions):
            off = bounded(seen.action[i]) - seen.past[i]
            change += off * off
            i += 1
        return change / real(wp.static(actions))

    return smooth


@_term(
    "slide",
    -200.0,
    f"min(mean |Δp|, {SLIDE_MOST:g})",
    "Δp: metres that the points where the feet hold the ground moved since the last decision",
    "clip",
)
def _slide(types: SeenTypes) -> wp.Function:
    most = types.real(SLIDE_MOST)

    @types.part
    def slide(seen):
        return wp.min(seen.slid, most)

    return slide


@_term(
    "place",
    0.0,
    f"min(|Δroot|, {PLACE_MOST:g})",
    "Δroot: metres from the clip's root at this time; for policies that must keep to a clip's path closely",
    "clip",
)
def _place(types: SeenTypes) -> wp.Function:
    most, apart = types.real(PLACE_MOST), apart_function(types)

    @types.part
    def place(seen):
        return wp.min(wp.sqrt(apart(seen)), most)

    return place


@_term("control", -0.1, "mean(action²)", "the cost of acting")
def _control(types: SeenTypes) -> wp.Function:
    real, actions, bounded = types.real, types.scope.actions, bounded_function(types)

    @types.part
    def control(seen):
        cost = real(0.0)
        i = int(0)
        while i < wp.static(actions):
            a = bounded(seen.action[i])
            cost += a * a
            i += 1
        return cost / real(wp.static(actions))

    return control


# -- getting up --------------------------------------------------------------------------------------------------------


def crown_function(types: SeenTypes) -> tuple[wp.Function, float]:
    """A Warp function (seen): the height above the ground of the figure's crown, the ground point that is highest in a
    stand; and that height in a stand. The world's up is carried along the chain of hinges to it."""
    figure, real = types.scope.figure, types.real
    model, data = figure.model, mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_kinematics(model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    heights = [float((data.xpos[p.body + 1] + turns[p.body + 1] @ p.position)[2]) for p in figure.points]
    crown = figure.points[int(np.argmax(heights))]
    shifts, axes, places = [], [], []
    body, before = crown.body + 1, np.array(crown.position)
    while model.body_parentid[body] != 0:
        if not np.allclose(model.body_quat[body], (1.0, 0.0, 0.0, 0.0)):
            raise FootfallError(
                f"figure '{figure.name}': body '{model.body(body).name}' is turned in its parent's axes"
            )
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        for k in reversed(range(first, first + count)):
            shifts.append(before - model.jnt_pos[k])
            axes.append(model.jnt_axis[k])
            places.append(int(model.jnt_qposadr[k]))
            before = model.jnt_pos[k]
        before = before + model.body_pos[body]
        body = model.body_parentid[body]
    steps = len(places)
    Shifts: Any = wp.types.matrix(shape=(steps + 1, 3), dtype=real)
    Axes: Any = wp.types.matrix(shape=(max(1, steps), 3), dtype=real)
    Three: Any = wp.types.vector(length=3, dtype=real)
    shift = Shifts(*np.array([before, *shifts[::-1]], dtype=float).ravel().tolist())
    axis = Axes(*np.array(axes[::-1] or [np.zeros(3)], dtype=float).ravel().tolist())
    place, one = tuple(places[::-1]), real(1.0)

    @types.part
    def crown_height(seen):
        shifted = shift
        turned = axis
        up = Three(seen.up[0], seen.up[1], seen.up[2])
        z = seen.height + wp.dot(up, shifted[0])
        for k in range(wp.static(steps)):
            a = turned[k]
            angle = seen.qpos[wp.static(place[k])]
            c = wp.cos(angle)
            up = up * c - wp.cross(a, up) * wp.sin(angle) + a * (wp.dot(a, up) * (one - c))
            z += wp.dot(up, shifted[k + 1])
        return z

    return crown_height, max(heights)


@_term(
    "rise",
    1.5,
    "crown / standing crown, from 0 to 1",
    "for the height above the ground of the head's top",
    "fallen",
)
def _rise(types: SeenTypes) -> wp.Function:
    crown, height = crown_function(types)
    zero, one, standing = types.real(0.0), types.real(1.0), types.real(height)

    @types.part
    def rise(seen):
        return wp.clamp(crown(seen) / standing, zero, one)

    return rise


@_term("lift", 0.5, "height / standing height, from 0 to 1", "for the root's height above the ground", "fallen")
def _lift(types: SeenTypes) -> wp.Function:
    real, figure = types.real, types.scope.figure
    zero, one, standing = real(0.0), real(1.0), real(figure.default_qpos[2])

    @types.part
    def lift(seen):
        return wp.clamp(seen.height / standing, zero, one)

    return lift


@_term("upright", 0.5, "(1 + up_z) / 2", "for a root that is upright", "fallen")
def _upright(types: SeenTypes) -> wp.Function:
    half, one = types.real(0.5), types.real(1.0)

    @types.part
    def upright(seen):
        return half * (one + seen.up[2])

    return upright


@_term(
    "stand",
    2.0,
    f"g (0.4 exp(-Σ q² / 2) + 0.3 exp(-4 |v|²) + 0.3 feet), g = share(height, {STANDING_HEIGHT[0]:g} to "
    f"{STANDING_HEIGHT[1]:g} of standing) · share(up_z, {STANDING_UP[0]:g} to {STANDING_UP[1]:g})",
    "for standing; q: joints, from the standing pose; v: the root's level velocity; feet: share that touch the ground",
    "fallen",
)
def _stand(types: SeenTypes) -> wp.Function:
    real, figure, (root_q, _) = types.real, types.scope.figure, types.scope.root
    zero, one, half, four = (real(x) for x in (0.0, 1.0, 0.5, 4.0))
    pose_share, still_share = real(0.4), real(0.3)
    low, wide = (real(x * float(figure.default_qpos[2])) for x in (STANDING_HEIGHT[0], np.ptp(STANDING_HEIGHT)))
    least, range_up = real(STANDING_UP[0]), real(np.ptp(STANDING_UP))
    home = [float(x) for x in figure.default_qpos]
    Home = wp.types.vector(length=len(home), dtype=real)
    standing, nq = Home(*home), figure.nq

    @types.part
    def stand(seen):
        pose = standing
        off = zero
        i = int(root_q)
        while i < wp.static(nq):
            off += (seen.qpos[i] - pose[i]) * (seen.qpos[i] - pose[i])
            i += 1
        moved = seen.qvel[0] * seen.qvel[0] + seen.qvel[1] * seen.qvel[1]
        up = wp.clamp((seen.height - low) / wide, zero, one) * wp.clamp((seen.up[2] - least) / range_up, zero, one)
        feet = half * (seen.left + seen.right)
        return up * (pose_share * wp.exp(-half * off) + still_share * (wp.exp(-four * moved) + feet))

    return stand


@_term("gentle", -0.02, "mean(min(q'², 100))", "the cost of quick joints", "fallen")
def _gentle(types: SeenTypes) -> wp.Function:
    nv, root_v = types.scope.figure.nv, types.scope.root[1]
    zero, most, count = types.real(0.0), types.real(100.0), types.real(nv - root_v)

    @types.part
    def gentle(seen):
        total = zero
        i = int(root_v)
        while i < wp.static(nv):
            total += wp.min(seen.qvel[i] * seen.qvel[i], most)
            i += 1
        return total / count

    return gentle


@_term("leap", -1.0, f"max(0, |v| - {LEAP:g})", "v: the root's velocity; the cost of throwing oneself about", "fallen")
def _leap(types: SeenTypes) -> wp.Function:
    zero, least, most = types.real(0.0), types.real(LEAP), types.real(LEAP_MOST)

    @types.part
    def leap(seen):
        speed = wp.sqrt(seen.qvel[0] * seen.qvel[0] + seen.qvel[1] * seen.qvel[1] + seen.qvel[2] * seen.qvel[2])
        return wp.clamp(speed - least, zero, most)

    return leap


REWARDS: tuple[RewardTerm, ...] = (_alive, _speed, _heading, _imitation, _smooth, _slide, _place, _control, _fall)
REWARDS += (_rise, _lift, _upright, _stand, _gentle, _leap)
"""The terms that come with footfall."""


def rewards_of(weights: Mapping[str, float]) -> tuple[RewardTerm, ...]:
    """footfall's terms, and those of other packages that weights name; unknown ones are refused, and numbers that are
    not finite."""
    known = {term.name: term for term in REWARDS}
    if not set(weights) <= set(known) - set(plugin_names("terms")):
        known |= {name: term for name, term in own_terms(RewardTerm, known).items() if name in weights}
    for name, value in weights.items():
        if name not in known:
            raise unknown_name("term of the reward", name, [*known, *own_terms(RewardTerm)])
        if not math.isfinite(value):
            raise FootfallError(f"weight of '{name}' is {value}; it must be finite")
    return tuple(known.values())
