"""Foot placement by a model: the swing foot goes where a linear inverted pendulum says that the body can be caught.

This is ours, in place of the swing hip's feedback (equation 3). What the pelvis is off its reference, e_d from the
stance ankle and e_v in its velocity, grows until the foot lands in T seconds as a pendulum of the reference's height z
does, with w = sqrt(g / z):

    e_v(T) = w sinh(w T) e_d + cosh(w T) e_v

Placed e_v(T) / w further from the pelvis than in the clip, the foot takes away the whole error of the capture point
(d + v / w) in one step: the divergent part is gone, and what is left decays. The figure is no pendulum, as its stance
leg moves it too, and half of that is better than all of it: ``placement`` is the share, and the swing hip's own
feedback has the rest. Places are those under the simulated pelvis: the pose is turned with it while the leg moves, so
that a pelvis that leans does not carry the foot elsewhere.

A foot that lands late is put down: its target sinks to the ground. Otherwise the figure may stand on one leg, with the
other foot some centimetres above the ground, until it topples.
"""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.methods.tracking.layout import SettingField
from footfall.methods.tracking.leg_poses import LegPoses
from footfall.methods.tracking.now import TrackingNow
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations

GRAVITY = 9.81
FURTHEST = 0.4
"""Metres that a foot is placed away from the clip's place at most."""
LANDS = 0.6
"""The share of a swing after which nothing is predicted any more: feet land before its end."""
LOWEST = 0.3
"""Metres that a pelvis is taken to be high at least."""


class PlacementParts(NamedTuple):
    """Stages of the correction.

    Attributes:
        place: (now) moves the target's swing foot over the ground. put_down: (now, sense) lowers it when it lands late.
    """

    place: wp.Function
    put_down: wp.Function


def placement_functions(types: Types, r: Rotations, now: TrackingNow, poses: Poses, legs: LegPoses) -> PlacementParts:
    """The stages for a figure."""
    real, Sense = types.real, types.Sense
    Now, setting, Vec3, smooth = now.Now, now.setting, r.Vec3, r.smooth
    get, put = poses.get, poses.put
    ankle, foot, set_foot, move_ankle = legs.ankle, legs.foot, legs.set_foot, legs.move_ankle
    zero, half, one = real(0.0), real(0.5), real(1.0)
    gravity, furthest, low, share_of_swing = real(GRAVITY), real(FURTHEST), real(LOWEST), real(LANDS)

    @wp.func
    def place(now: wp.ref[Now]):
        side = 1 - now.stance
        swift = wp.sqrt(gravity / wp.max(now.reference[2], low))
        lands = share_of_swing * real(now.length)
        grown = wp.exp(swift * wp.max(lands - real(now.index), zero) / now.rate)
        shift = half * (grown - one / grown) * now.arm + half * (grown + one / grown) / swift * now.velocity
        size = wp.length(shift)
        if size > furthest:
            shift = furthest / size * shift
        pelvis = get(now.target, 3)
        orientation = foot(now.target, side)
        wanted = ankle(now.target, side) + shift
        put(now.target, 3, get(now.seen, 3))
        move = wanted - ankle(now.target, side)
        share = setting(now, SettingField.PLACEMENT) * smooth(wp.min(now.time, one))
        move_ankle(now.target, side, share * Vec3(move[0], move[1], zero))
        put(now.target, 3, pelvis)
        set_foot(now.target, side, orientation)

    @wp.func
    def put_down(now: wp.ref[Now], sense: wp.ref[Sense]):
        side = 1 - now.stance
        pelvis = get(now.target, 3)
        orientation = foot(now.target, side)
        put(now.target, 3, get(now.seen, 3))
        over = sense.qpos[2] + ankle(now.target, side)[2] - sense.view[side] - setting(now, SettingField.SOLE)
        drop = setting(now, SettingField.LATE_LANDING) * real(now.index - now.length) / now.rate
        move_ankle(now.target, side, Vec3(zero, zero, -wp.clamp(over, zero, drop)))
        put(now.target, 3, pelvis)
        set_foot(now.target, side, orientation)

    return PlacementParts(place, put_down)
