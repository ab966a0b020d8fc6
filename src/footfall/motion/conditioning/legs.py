"""Legs by inverse kinematics, in closed form and for all frames at once, and the positions where feet stay.

A leg of a skeleton is bent to a position from the orientations that its limbs should have (:func:`solve_leg`); a leg of
ball joints in poses that are there already has its ankle moved (:func:`moved_ankles`, as
:mod:`footfall.methods.tracking.poses` does inside the law). Feet that stand neither slide nor sink in.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.motion.ball_poses import BallLeg
from footfall.motion.gait.feet import smoothed
from footfall.motion.motion import GroundProfile
from footfall.motion.quaternion import (
    Array,
    between,
    conjugate,
    cross,
    dot,
    exp,
    from_axis_angle,
    log,
    multiply,
    norm,
    normalised,
    rotate,
    rotate_points,
    twist_angle,
    unit,
    wrapped_angle,
)
from footfall.motion.skeleton.landmarks import first_link
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.smoothing import transition

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

    In a contact the foot rolls on the lowest points of its sole without slipping, around the point where it was.

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


_LEAST_FLEXION = 0.03
_STRAIGHTEST = np.deg2rad(9.0)
_SPARE = 1.3
"""How much a turn about the leg is spared where the knee is bent and the foot is in the air: 2 minimises the squares of
the errors of thigh, shank and heading."""


@dataclass(frozen=True, eq=False)
class TwoBoneLeg:
    """Thigh and shank of a skeleton.

    Attributes:
        hip, knee, ankle: joint indices.
        centre: index of the joint where the hip stands; the hip itself, or the first of several links in series.
        thigh: (3,) from there to the knee, in the hip's frame.
        shank: (3,) ankle in the knee's frame.
        rest: (4,) the knee's rest rotation; or [T, 4], from which it bends in each frame.
        axis: (3,) the axis of flexion in the knee's frame; or [T, 3].
    """

    hip: int
    knee: int
    ankle: int
    centre: int
    thigh: Array
    shank: Array
    rest: Array
    axis: Array

    @classmethod
    def of(cls, skeleton: Skeleton, roles: dict[str, int], side: str, lateral: Array | None = None) -> "TwoBoneLeg":
        """The leg of a skeleton by its roles; fixed connectors between its joints are folded in.

        Args:
            skeleton: the body.
            roles: joint by role.
            side: "left" or "right".
            lateral: (3,) the axis about which the knee flexes, in the rest pose; y by default.
        """
        hip, knee, ankle = (roles[f"{side}_{role}"] for role in ("hip", "knee", "ankle"))
        places, turns = skeleton.at_rest()
        centre = first_link(skeleton, hip)
        return cls(
            hip,
            knee,
            ankle,
            centre,
            rotate(conjugate(turns[hip]), places[knee] - places[centre]),
            rotate(conjugate(turns[knee]), places[ankle] - places[knee]),
            multiply(conjugate(turns[hip]), turns[knee]),
            rotate(conjugate(turns[knee]), np.array([0.0, 1.0, 0.0]) if lateral is None else lateral),
        )

    def terms(self) -> tuple[Array, Array, Array]:
        """(a, b, c), [] or [T], with |hip to ankle|² = a + b cos θ + c sin θ for a flexion θ."""
        along = self.axis * (self.axis @ self.shank)[..., None]
        fixed, cosine = rotate(self.rest, along), rotate(self.rest, self.shank - along)
        sine = rotate(self.rest, cross(self.axis, self.shank))
        a = self.thigh @ self.thigh + self.shank @ self.shank + 2 * fixed @ self.thigh
        return a, 2 * cosine @ self.thigh, 2 * sine @ self.thigh


def leg_reach(leg: TwoBoneLeg) -> Array:
    """[] or [T] the longest distance from hip to ankle that inverse kinematics uses: a nearly straight knee."""
    a, b, c = leg.terms()
    return np.asarray(np.sqrt(a + np.hypot(b, c) * np.cos(_LEAST_FLEXION)))


def knee_bend(leg: TwoBoneLeg, distance: Array) -> tuple[Array, Array]:
    """The knee's flexion [T] at which the ankle is at a distance [T] from the hip, and its slope [T], rad/m.

    Near a straight knee the slope grows without bound; it is held at that of 9°, and beyond the leg's reach the flexion
    goes on with it below zero.
    """
    a, b, c = leg.terms()
    reach = leg_reach(leg)
    inside = np.clip(distance, np.sqrt(np.maximum(a - np.hypot(b, c) * 0.95, 1e-9)), reach)
    bend = np.arccos(np.clip((inside**2 - a) / np.hypot(b, c), -1.0, 1.0))
    slope = -2.0 * inside / (np.hypot(b, c) * np.sin(np.clip(bend, _STRAIGHTEST, np.pi - _STRAIGHTEST)))
    return bend + slope * np.maximum(distance - reach, 0.0), slope


def solve_leg(
    leg: TwoBoneLeg,
    hip: Array,
    target: Array,
    thigh: Array,
    foot_forward: Array | None = None,
    share: Array | float = 1.0,
) -> tuple[Array, Array]:
    """World orientations [T, 4] of thigh and shank that bring the ankle to ``target``, or as near as the leg reaches.

    The law of cosines gives the knee; the thigh is then turned from its given orientation by the shortest way. With
    ``foot_forward`` the leg is also turned about the line from hip to ankle, until the foot's direction lies in the
    plane of the knee, so that an ankle without yaw can hold it.

    Args:
        leg: the bones.
        hip: [T, 3] hip positions.
        target: [T, 3] where the ankle should be.
        thigh: [T, 4] orientation of the thigh to stay near to.
        foot_forward: [T, 3] directions of the feet, or None.
        share: [T] 1 where the foot must keep its heading, 0 where the limbs may rather keep their directions.
    """
    a, b, c = leg.terms()
    way = target - hip
    distance = norm(way)
    shortest = np.sqrt(np.maximum(a - np.hypot(b, c) * 0.95, 1e-9))
    distance = np.clip(distance, shortest, leg_reach(leg))
    flexion = np.arctan2(c, b) + np.arccos(np.clip((distance**2 - a) / np.hypot(b, c), -1.0, 1.0))
    knee = multiply(leg.rest, from_axis_angle(leg.axis, flexion))
    ankle = leg.thigh + rotate(knee, leg.shank)
    turned = normalised(multiply(between(rotate(thigh, ankle), way), thigh))
    if foot_forward is not None:
        whole = _swivel(way, rotate(multiply(turned, knee), leg.axis), foot_forward)
        bent = np.sin(0.5 * (flexion - np.arctan2(c, b))) ** 2
        part = share + (1.0 - np.asarray(share)) / (1.0 + _SPARE * bent)
        turned = normalised(multiply(from_axis_angle(unit(way), whole * part), turned))
    return turned, normalised(multiply(turned, knee))


def _swivel(way: Array, lateral: Array, forward: Array) -> Array:
    """The smaller angle [T] about ``way`` after which ``lateral`` is square to ``forward``."""
    n = unit(way)
    constant = dot(n, lateral) * dot(n, forward)
    cosine, sine = dot(lateral, forward) - constant, dot(cross(n, lateral), forward)
    size = np.maximum(np.hypot(cosine, sine), 1e-9)
    spread = np.arccos(np.clip(-constant / size, -1.0, 1.0))
    centre = np.arctan2(sine, cosine)
    turns = np.stack([centre + spread, centre - spread])
    turns = wrapped_angle(turns)
    best = np.where(np.abs(turns[0]) < np.abs(turns[1]), turns[0], turns[1])
    return np.asarray(np.clip(best, -1.5, 1.5))


_STRAIGHT = 1e-3
"""Sine of the knee's angle below which a leg has no plane of its own; it then bends about the thigh's side axis."""
_SIDE = np.array([0.0, 1.0, 0.0])


def raised_ankles(frames: Array, leg: BallLeg, rise: Array) -> Array:
    """Poses [T, nq] with a leg's ankle higher by ``rise`` [T], metres; the foot keeps its orientation in the world."""
    return moved_ankles(frames, leg, np.stack([0.0 * rise, 0.0 * rise, rise], axis=-1))


def moved_ankles(frames: Array, leg: BallLeg, move: Array) -> Array:
    """Poses [T, nq] with a leg's ankle moved by ``move`` [T, 3], metres; the foot keeps its orientation in the world.

    The leg is bent from what it is (:func:`solve_leg`): about the knee's axis where it is a hinge, else in the plane of
    hip, knee and ankle, in the sense in which it is bent already. A straight leg bends as knees do.
    """
    hip, knee, ankle = (slice(at, at + 4) for at in (leg.hip, leg.knee, leg.ankle))
    pelvis, bend = frames[:, 3:7], frames[:, knee]
    thigh = multiply(pelvis, frames[:, hip])
    foot = multiply(multiply(thigh, bend), frames[:, ankle])
    lower = rotate(bend, leg.ankle_at)
    normal = cross(leg.knee_at, lower)
    if leg.knee_axis is None:
        straight = norm(normal) < _STRAIGHT * norm(leg.knee_at) * norm(lower)
        normal = unit(np.where(straight[:, None], _SIDE, normal))
    else:
        normal = np.where((normal @ leg.knee_axis < 0.0)[:, None], -leg.knee_axis, leg.knee_axis)
    bones = TwoBoneLeg(
        leg.hip, leg.knee, leg.ankle, leg.hip, leg.knee_at, leg.ankle_at, bend, rotate(conjugate(bend), normal)
    )
    reach = rotate(thigh, leg.knee_at + lower)
    thigh, shin = solve_leg(bones, np.zeros_like(reach), reach + move, thigh)
    result = frames.copy()
    result[:, hip] = multiply(conjugate(pelvis), thigh)
    result[:, knee] = multiply(conjugate(thigh), shin)
    result[:, ankle] = multiply(conjugate(shin), foot)
    return result
