"""The terms of the reward, each a small Warp function over what is seen of a world after a decision:

    value(seen)

:class:`footfall.methods.network.seen.SeenTypes` ``.Seen`` is what is seen. Other packages add terms of their own (entry
points ``footfall.terms``); they count where an environment's weights name them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class RewardTerm:
    """A term of the reward.

    Attributes:
        name: by which environments weigh it.
        weight: the usual one.
        formula: what it is, for tables.
        about: what it is for.
        build: makes the Warp function (seen) that answers its value.
        goal: the option without which it is 0, "heading" or "clip"; empty for a term that is always there.
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
            off = seen.qpos[i] - of_clip(seen, seen.frame, i) + seen.pulled[i]
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


@_term("smooth", -0.05, "mean((action - last action)²)", "the cost of acting otherwise than before", "clip")
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


REWARDS: tuple[RewardTerm, ...] = (_alive, _speed, _heading, _imitation, _smooth, _slide, _place, _control, _fall)
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
