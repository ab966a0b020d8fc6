"""Legs that stand: the pelvis follows the standing feet, and legs reach the positions where feet stay."""

import numpy as np
from numpy.typing import NDArray

from footfall.motion.conditioning.legs import (
    TwoBoneLeg,
    carried,
    faded,
    held_ankles,
    knee_bend,
    leg_reach,
    solve_leg,
    swung_ankles,
)
from footfall.motion.gait.contact import Contacts, spans_of
from footfall.motion.gait.feet import Sole, smoothed
from footfall.motion.motion import GroundProfile
from footfall.motion.quaternion import (
    Array,
    conjugate,
    cross,
    dot,
    from_axis_angle,
    multiply,
    norm,
    normalised,
    rotate,
    rotate_points,
    unit,
)
from footfall.motion.retargeting.pose_builder import PoseBuilder
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.smoothing import smoothed_by, transition

_UP = np.array([0.0, 0.0, 1.0])
_LIMB, _FOOT = (0.05, 0.05, 1.0), (1.0, 0.5, 1.0)
_FADE = 0.2
"""Seconds in which the correction of a foot fades once it is in the air."""
_HANGING = 0.006
"""Metres above its usual height in a contact at which a sole does not stand."""
_ON_ITS_WAY = 0.04
"""Metres from its usual position in a contact at which a foot has not yet, or no longer, stands."""
_MOST_STRAIGHTENED = np.deg2rad(8.0)
"""Radians that a knee straightens at most to keep a foot down at the beginning or end of its contact."""
_SHIFT_SECONDS = 0.3
_RISE_SECONDS, _RISE_WEIGHT, _RISE_ROUNDS = 0.3, 100.0, 6
"""Periods below which the body does not follow its knees, where a metre turns a knee by 10 rad; rounds of Newton."""
_EVENED = 0.7
"""Share of a lasting difference between the heights of both feet that the legs bear."""
_MOST_GIVE = np.deg2rad(40.0)
_HEEL_RISE = np.deg2rad(5.0), np.deg2rad(20.0)
_MORE_RISE = np.deg2rad(15.0)
_LEAST_LEVER = 0.02
"""Metres a radian below which a turn of the foot does not change the length of the leg."""
_ROUNDS = 4
_SUNK = 5e-4
_FARTHEST = 0.1
"""Metres that a goal is moved at most to make up for joints in series."""


class LegPlanter:
    """Corrects the legs of poses that are built already.

    Args:
        builder: the poses, all joints set.
        legs: thigh and shank by side.
        feet: soles of the target by side.
        contacts: which foot stands when.
        wanted: world orientations [T, 4] by joint.
        planar: whether the figure moves in the x-z plane.
    """

    def __init__(
        self,
        builder: PoseBuilder,
        legs: dict[str, TwoBoneLeg],
        feet: dict[str, Sole],
        contacts: Contacts,
        wanted: dict[int, Array],
        planar: bool,
    ) -> None:
        self.builder, self.legs, self.feet, self.contacts = builder, legs, feet, contacts
        self.wanted, self.planar, self.frame_time = wanted, planar, builder.frame_time
        self.offsets = {side: _from_ankle(builder.skeleton, sole) for side, sole in feet.items()}

    def plant(self) -> Contacts:
        """Move the pelvis and bend the legs so that standing feet neither slide nor sink in.

        Returns:
            The contacts that were held: the source's, without the ends in which this body's foot does not come down to
            the ground (a rigid or shorter foot leaves it before the source's toes do).
        """
        builder = self.builder
        yaws = {side: self._turns_feet(leg) for side, leg in self.legs.items()}
        turned = {
            side: self.wanted[sole.ankle] if yaws[side] else builder.orientations[:, sole.ankle].copy()
            for side, sole in self.feet.items()
        }
        self.contacts = self._held(turned)
        for side in (side for side, turns in yaws.items() if turns):
            turned[side] = self._eased(side, turned[side])
        self.trust = {side: self._trust(side, turned[side]) for side in self.feet}
        builder.move(self._rise({side: self._lift(side, turned[side]) for side in self.feet})[:, None] * _UP)
        held = self._shift(turned)
        rolled = {side: self._rolled(side, turned[side], held[side]) for side in self.feet}
        self.contacts = self._within_reach(rolled)
        for side in self.feet:
            turned[side] = self._rolled(side, turned[side], self._hold(side, turned[side]))
            held[side] = self._hold(side, turned[side])
        builder.move(-_UP * self._sink(held)[:, None])
        for side, sole in self.feet.items():
            goal = swung_ankles(
                builder.positions[:, sole.ankle],
                held[side],
                turned[side],
                self.offsets[side],
                self.contacts.spans(side),
                GroundProfile.flat(),
                max(round(_FADE / self.frame_time), 1),
            )
            self._reach(side, goal, turned[side], yaws[side])
        return self.contacts

    def _held(self, turned: dict[str, Array]) -> Contacts:
        """The contacts without the ends in which the sole hangs well above its height in the rest of the contact, or is
        still on its way: the source's foot moves slowly there, but further than a foot that stands.

        Measured where the sole's lowest points are, since a foot that rolls over its toes moves its ankle."""
        stands: dict[str, NDArray[np.bool_]] = {}
        for side in self.feet:
            height = -self._lift(side, turned[side])
            slid = self.builder.positions[:, self.feet[side].ankle] - self._hold(side, turned[side])
            stands[side] = np.zeros(len(height), dtype=bool)
            for a, b in self.contacts.spans(side):
                high = height[a:b] > np.median(height[a:b]) + _HANGING
                away = norm(slid[a:b, :2] - np.median(slid[a:b, :2], axis=0)) > _ON_ITS_WAY
                away &= away.mean() < 0.5
                stands[side][a:b] = ~high & ~away if (~high & ~away).any() else ~high
        return self._without_ends(stands)

    def _without_ends(self, stands: dict[str, NDArray[np.bool_]]) -> Contacts:
        """The contacts without the ends in which a foot does not stand, by side [T]; where it never does, they stay."""
        held = {"left": self.contacts.left.copy(), "right": self.contacts.right.copy()}
        for side, stood in stands.items():
            for a, b in self.contacts.spans(side):
                down = np.flatnonzero(stood[a:b])
                if len(down):
                    held[side][a : a + down[0]] = False
                    held[side][a + down[-1] + 1 : b] = False
        return Contacts(held["left"], held["right"], self.contacts.times)

    def _within_reach(self, turned: dict[str, Array]) -> Contacts:
        """The contacts without the ends in which a leg would have to straighten too much to keep the foot down.

        Toes that bend let a person's heel rise further than a rigid foot's can; such a foot leaves the ground first.
        """
        stands: dict[str, NDArray[np.bool_]] = {}
        for side in self.feet:
            leg = self.legs[side]
            hip, ankle = (self.builder.positions[:, j] for j in (leg.centre, leg.ankle))
            bends = [knee_bend(leg, norm(place - hip))[0] for place in (ankle, self._hold(side, turned[side]))]
            stands[side] = bends[0] - bends[1] < _MOST_STRAIGHTENED
        return self._without_ends(stands)

    def _eased(self, side: str, turned: Array) -> Array:
        """Foot orientations [T, 4] that give way a little in each contact where the knee's plane is not the foot's.

        People's feet point outward of the plane in which their knees bend; a figure whose ankle has no yaw can only
        turn the whole leg about the line from hip to ankle, which moves thigh and shank aside by sin(bend / 2) times
        that turn ψ. The squares of all three errors are least where the foot gives way by ψ 2 s² / (1 + 2 s²), s the
        sine: the mean of it in a contact, so that the foot does not turn while it stands.
        """
        leg, ahead = self.legs[side], self._toe_direction(self.legs[side])
        found = rotate(self.builder.orientations[:, leg.ankle], ahead)
        wanted = rotate(turned, ahead)
        off = np.arctan2(cross(wanted, found)[:, 2], dot(wanted[:, :2], found[:, :2]))
        v = self.builder.positions[:, leg.ankle] - self.builder.positions[:, leg.centre]
        square = 2.0 * np.sin(0.5 * knee_bend(leg, norm(v))[0]) ** 2
        give = np.clip(off, -_MOST_GIVE, _MOST_GIVE) * square / (1.0 + square)
        spans = self.contacts.spans(side)
        for a, b in spans:
            give[a:b] = give[a:b].mean()
        give = faded(give[:, None], spans, max(round(_FADE / self.frame_time), 1))[:, 0] if spans else 0.0 * give
        return normalised(multiply(from_axis_angle(_UP, give), turned))

    def _turns_feet(self, leg: TwoBoneLeg) -> bool:
        """Whether a leg can turn about its length, so that feet keep their heading."""
        if self.planar:
            return False
        builder = self.builder
        builder.forget(self._bodies(leg))
        count = builder.hinge_count(leg.hip)
        builder.done |= set(self._bodies(leg))
        return count > 2

    def _bodies(self, leg: TwoBoneLeg) -> list[int]:
        """The bodies of a leg, its hip's first links included."""
        skeleton = self.builder.skeleton
        shared = set(skeleton.chain(self.legs["left"].hip)) & set(skeleton.chain(self.legs["right"].hip))
        return [j for j in skeleton.chain(leg.ankle) if j not in shared]

    def _lift(self, side: str, turned: Array) -> Array:
        """[T] how far the body must rise for a foot's sole to touch the ground."""
        sole = rotate_points(turned, self.offsets[side])[..., 2].min(axis=1)
        return np.asarray(-(self.builder.positions[:, self.feet[side].ankle, 2] + sole))

    def _trust(self, side: str, turned: Array) -> Array:
        """[T] how much a standing foot says about the body's position: less as its heel rises, none in the air."""
        raised = self._raised(side, turned)
        return np.where(self.contacts.foot(side), 1.0 - 0.9 * transition(raised, *_HEEL_RISE), 0.0)

    def _hold(self, side: str, turned: Array) -> Array:
        """[T, 3] where the ankle of a foot belongs that is ``turned`` [T, 4] and stands in its contacts."""
        ankle, spans = self.builder.positions[:, self.feet[side].ankle], self.contacts.spans(side)
        return held_ankles(ankle, turned, self.offsets[side], spans, GroundProfile.flat(), self.frame_time)

    def _rolled(self, side: str, turned: Array, held: Array) -> Array:
        """Foot orientations [T, 4] that rise a little more or less over toes or heel, so that the leg keeps its shape.

        While the heel is up the foot can turn about the toes that stand, while the toes are up about the heel. It is
        turned, by 15° at most and not beyond level, to where the leg has the length that it had (Newton): a centimetre
        of it is ten degrees at a knee that is nearly straight, and half a degree aside.
        So is a foot that swings and would sink in, just before it lands.
        """
        raised, sole, stands = self._raised(side, turned), self.feet[side], self.contacts.foot(side)
        sunk = np.where(stands, 0.0, np.maximum(self._lift(side, turned), 0.0))
        held = held + sunk[:, None] * _UP
        toes, heel = (self.offsets[side][rows].mean(axis=0) for rows in (sole.toe, sole.heel))
        away = -rotate(turned, np.where(raised[:, None] > 0, toes, heel))
        ahead = rotate(turned, rotate(self.builder.frames[sole.ankle], np.array([1.0, 0.0, 0.0])))
        across = unit(cross(_UP, ahead))
        hip = self.builder.positions[:, self.legs[side].centre]
        length = norm(self.builder.positions[:, sole.ankle] - hip)
        most, turn = np.clip(np.abs(raised), 0.0, _MORE_RISE), np.zeros(len(raised))
        for _ in range(2):
            arm = rotate(from_axis_angle(across, turn), away)
            way = held - away + arm - hip
            lever = dot(unit(way), cross(across, arm))
            turn = np.clip(turn + (length - norm(way)) * lever / (lever**2 + _LEAST_LEVER**2), -most, most)
        touches = stands | (sunk > 0)
        turn = np.where(touches, turn, 0.0)
        fade = max(round(_FADE / self.frame_time), 1)
        turn = smoothed(faded(turn[:, None], spans_of(touches), fade), self.frame_time, 0.1)[:, 0]
        turn = np.clip(turn, -np.maximum(raised, 0.0), np.maximum(-raised, _MORE_RISE))
        return normalised(multiply(from_axis_angle(across, turn), turned))

    def _raised(self, side: str, turned: Array) -> Array:
        """[T] how far a foot's heel is up, radians."""
        frame = self.builder.frames[self.feet[side].ankle]
        ahead = rotate(multiply(turned, frame), np.array([1.0, 0.0, 0.0]))
        return np.asarray(np.arcsin(np.clip(-ahead[:, 2], -1.0, 1.0)))

    def _rise(self, lifts: dict[str, Array]) -> Array:
        """[T] how far the body rises or sinks: to where the knees keep the bend they have, as well as both can.

        A leg whose foot is ``lift`` [T] below its position on the ground has the length |v + (lift - rise) z| after the
        body rose, v from hip to ankle, and so the knee's bend follows from the law of cosines. The rise that minimises
        the squares of the changes of both knees, with a penalty on its acceleration, is found by Gauss and Newton. A
        foot in the air only pushes the body up where it would sink in. In some captures one foot stands a few
        centimetres higher than the other; legs then share that difference, and straight legs, which could not make it
        up but by buckling, decide.
        """
        lifts = self._evened(lifts)
        rise = np.zeros(len(self.contacts.times))
        stiffness = _RISE_WEIGHT * (_RISE_SECONDS / (2 * np.pi * self.frame_time)) ** 4
        for _ in range(_RISE_ROUNDS):
            weight, wish = np.full(len(rise), 1e-3), np.zeros(len(rise))
            for side, lift in lifts.items():
                leg = self.legs[side]
                v = self.builder.positions[:, leg.ankle] - self.builder.positions[:, leg.centre]
                gap = lift - rise
                gap = np.where(self.contacts.foot(side), gap, np.maximum(gap, 0.0))
                length = norm(v + gap[:, None] * _UP)
                bend, slope = knee_bend(leg, length)
                change = bend - knee_bend(leg, norm(v))[0]
                slope = -slope * (v[:, 2] + gap) / length
                trust = np.where(self.contacts.foot(side), self.trust[side], (gap > 0.0).astype(float))
                weight += trust * slope**2
                wish += trust * slope * (slope * rise - change)
            rise = smoothed_by(wish / weight, weight, stiffness)
        return rise

    def _evened(self, lifts: dict[str, Array]) -> dict[str, Array]:
        """How far feet are below their positions [T], with a share of the lasting difference between them taken out.

        In some captures one foot stands a few centimetres higher than the other. The body would rise and sink at every
        step; legs of one length bear a part of that difference instead, all the time.
        """
        stood = {side: lift[self.contacts.foot(side)] for side, lift in lifts.items()}
        usual = {side: float(np.median(rows)) for side, rows in stood.items() if len(rows)}
        middle = float(np.mean(list(usual.values()))) if usual else 0.0
        return {side: lift - _EVENED * (usual.get(side, middle) - middle) for side, lift in lifts.items()}

    def _follow(self, wishes: dict[str, Array], seconds: float) -> Array:
        """[T, K] what standing feet wish [T, K] for the body on average, carried through flights and smoothed."""
        count = np.sum([self.trust[side] for side in wishes], axis=0)
        if not count.any():
            return np.zeros_like(next(iter(wishes.values())))
        total = np.sum([self.trust[side][:, None] * wish for side, wish in wishes.items()], axis=0)
        mean = total / np.where(count > 0, count, 1.0)[:, None]
        return smoothed(carried(mean, spans_of(count > 0)), self.frame_time, seconds)

    def _sink(self, goals: dict[str, Array]) -> Array:
        """[T] how far the pelvis must sink for the standing legs to reach their goals, without jerks."""
        needed = np.zeros(len(self.contacts.times))
        for side, goal in goals.items():
            leg = self.legs[side]
            reach = 0.999 * leg_reach(leg)
            way = self.builder.positions[:, leg.centre] - goal
            across = np.minimum(norm(way[:, : 1 if self.planar else 2]), reach)
            short = way[:, 2] - np.sqrt(reach**2 - across**2)
            needed = np.maximum(needed, np.where(self.contacts.foot(side), short, 0.0))
        if not needed.any():
            return needed
        from scipy.ndimage import maximum_filter1d

        width = max(int(0.12 / self.frame_time + 1e-3), 1)
        widest = maximum_filter1d(np.maximum(needed, 0.0), 2 * width + 1, mode="nearest")
        return np.maximum(smoothed(widest, self.frame_time, 0.25), needed)

    def head(self) -> None:
        """Turn the legs about the lines from hip to ankle so that feet head where they should; the body follows the
        feet that stand, and knees stay as they are."""
        for side, leg in self.legs.items():
            if self._turns_feet(leg):
                self._bend(side, self.builder.positions[:, leg.ankle].copy(), self.wanted[leg.ankle], True)
        turned = {side: self.builder.orientations[:, sole.ankle] for side, sole in self.feet.items()}
        self.trust = {side: self._trust(side, turned[side]) for side in self.feet}
        self._shift(turned)

    def _shift(self, turned: dict[str, Array]) -> dict[str, Array]:
        """Move the body along with its standing feet, which are ``turned`` [T, 4]; where their ankles belong [T, 3]."""
        held = {side: self._hold(side, turned[side]) for side in self.feet}
        away = {side: (held[side] - self.builder.positions[:, sole.ankle])[:, :2] for side, sole in self.feet.items()}
        shift = self._follow(away, _SHIFT_SECONDS) * ([1.0, 0.0] if self.planar else [1.0, 1.0])
        self.builder.move(np.concatenate([shift, 0 * shift[:, :1]], axis=1))
        return held

    def _reach(self, side: str, goal: Array, turned: Array, yaws: bool) -> None:
        """Bend a leg so that its ankle comes to ``goal`` [T, 3] and its foot is ``turned`` [T, 4]; again where joints
        in series shift it, or where a foot that cannot be turned so would sink in."""
        builder, leg, asked = self.builder, self.legs[side], goal
        simple = len(self._bodies(leg)) == 3
        for _ in range(_ROUNDS):
            self._bend(side, asked, turned, yaws)
            sole = rotate_points(builder.orientations[:, leg.ankle], self.offsets[side])[..., 2].min(axis=1)
            sunk = np.maximum(-(builder.positions[:, leg.ankle, 2] + sole), 0.0)
            if simple and sunk.max() < _SUNK:
                break
            goal = goal + np.where(sunk > _SUNK, sunk, 0.0)[:, None] * _UP
            asked = goal + np.clip(asked - builder.positions[:, leg.ankle], -_FARTHEST, _FARTHEST)

    def _bend(self, side: str, ankle: Array, turned: Array, yaws: bool) -> None:
        """Bring an ankle to [T, 3] and its foot to ``turned`` [T, 4], as near as the figure's joints can."""
        builder, leg = self.builder, self.legs[side]
        fade = max(round(_FADE / self.frame_time), 1)
        stands = faded(self.contacts.foot(side)[:, None].astype(float), self.contacts.spans(side), fade)[:, 0]
        hip = builder.positions[:, leg.centre].copy()
        if self.planar:
            ankle = np.stack([ankle[:, 0], hip[:, 1], ankle[:, 2]], axis=-1)
        forward = rotate(turned, self._toe_direction(leg)) if yaws else None
        thigh, shank = solve_leg(leg, hip, ankle, self.wanted[leg.hip], forward, stands)
        knee = normalised(multiply(conjugate(thigh), shank))
        builder.forget(self._bodies(leg))
        aim = None if yaws else (leg.thigh + rotate(knee, leg.shank), ankle - hip)
        builder.turn(leg.hip, thigh, _LIMB, aim)
        builder.turn(leg.knee, multiply(builder.orientations[:, leg.hip], knee), _LIMB)
        builder.turn(leg.ankle, turned, _FOOT)

    def _toe_direction(self, leg: TwoBoneLeg) -> Array:
        """(3,) forward in the ankle's own frame."""
        return rotate(self.builder.frames[leg.ankle], np.array([1.0, 0.0, 0.0]))


def from_ankle_at_rest(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] from the ankle to the sole's points in the rest pose, in the world's axes."""
    places, turns = skeleton.at_rest()
    return np.asarray(places[sole.joints] + rotate(turns[sole.joints], sole.offsets) - places[sole.ankle])


def _from_ankle(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] the sole's points in the ankle's frame, with the joints below it at rest."""
    return rotate(conjugate(skeleton.at_rest()[1][sole.ankle]), from_ankle_at_rest(skeleton, sole))
