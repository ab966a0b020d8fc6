"""Legs that stand: the pelvis follows the standing feet, and legs reach the places where feet stay."""

import numpy as np

from footfall.motion.editing.transitions import transition
from footfall.motion.gait.contact import Contacts
from footfall.motion.gait.feet import Sole
from footfall.motion.gait.heading import smoothed
from footfall.motion.ground import GroundProfile
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
    unit,
)
from footfall.motion.retargeting.foot_placement import carried, faded, held_ankles, swung_ankles
from footfall.motion.retargeting.leg_ik import TwoBoneLeg, leg_reach, solve_leg
from footfall.motion.retargeting.pose_builder import PoseBuilder
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["LegPlanter", "from_ankle_at_rest"]

_UP = np.array([0.0, 0.0, 1.0])
_LIMB, _FOOT = (0.05, 0.05, 1.0), (1.0, 0.5, 1.0)
_FADE = 0.2
"""Seconds in which the correction of a foot fades once it is in the air."""
_HANGING = 0.006
"""Metres above its usual height in a contact at which a sole does not stand."""
_LIFT_SECONDS = 0.2
_EVENED = 1.0
"""Share of that difference; 1 was chosen after 0, 0.5 and 0.8 were measured: knees of CMU 16_47 follow best."""
_HEEL_RISE = np.deg2rad(5.0), np.deg2rad(20.0)
_MORE_RISE = np.deg2rad(15.0)
_ROUNDS = 5
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
        self.trust = {side: self._trust(side, turned[side]) for side in self.feet}
        lift = self._follow(self._evened({side: self._lift(side, turned[side]) for side in self.feet}), _LIFT_SECONDS)
        builder.move(lift * _UP)
        held = {side: self._hold(side, turned[side]) for side in self.feet}
        away = {side: (held[side] - builder.positions[:, sole.ankle])[:, :2] for side, sole in self.feet.items()}
        shift = self._follow(away, 0.3)
        builder.move(np.concatenate([shift * ([1.0, 0.0] if self.planar else [1.0, 1.0]), 0 * shift[:, :1]], axis=1))
        for side in self.feet:
            turned[side] = self._rolled(side, turned[side], held[side])
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
        """The contacts without the ends in which the sole hangs well above its height in the rest of the contact."""
        held = {"left": self.contacts.left.copy(), "right": self.contacts.right.copy()}
        for side in self.feet:
            height = -self._lift(side, turned[side])
            for a, b in self.contacts.spans(side):
                high = height[a:b] > np.median(height[a:b]) + _HANGING
                down = np.flatnonzero(~high)
                held[side][a : a + down[0]] = False
                held[side][a + down[-1] + 1 : b] = False
        return Contacts(held["left"], held["right"], self.contacts.times)

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
        sole = rotate(turned[:, None], self.offsets[side][None])[..., 2].min(axis=1)
        return np.asarray(-(self.builder.positions[:, self.feet[side].ankle, 2] + sole))

    def _trust(self, side: str, turned: Array) -> Array:
        """[T] how much a standing foot says about the body's place: less as its heel rises, none in the air."""
        raised = self._raised(side, turned)
        return np.where(self.contacts.foot(side), 1.0 - 0.9 * transition(raised, *_HEEL_RISE), 0.0)

    def _hold(self, side: str, turned: Array) -> Array:
        """[T, 3] where the ankle of a foot belongs that is ``turned`` [T, 4] and stands in its contacts."""
        ankle, spans = self.builder.positions[:, self.feet[side].ankle], self.contacts.spans(side)
        return held_ankles(ankle, turned, self.offsets[side], spans, GroundProfile.flat())

    def _rolled(self, side: str, turned: Array, held: Array) -> Array:
        """Foot orientations [T, 4] that rise a little more or less over toes or heel, so that the leg keeps its shape.

        While the heel is up the foot can turn about the toes that stand, while the toes are up about the heel. It is
        turned, by 15° at most and not beyond level, to where the ankle comes nearest to its place on the leg as it was.
        """
        raised, sole = self._raised(side, turned), self.feet[side]
        toes, heel = (self.offsets[side][rows].mean(axis=0) for rows in (sole.toe, sole.heel))
        away = -rotate(turned, np.where(raised[:, None] > 0, toes, heel))
        wish = self.builder.positions[:, sole.ankle] - held + away
        ahead = rotate(turned, rotate(self.builder.frames[sole.ankle], np.array([1.0, 0.0, 0.0])))
        across = unit(cross(_UP, ahead))
        sine = dot(across, cross(away, wish))
        cosine = dot(away, wish) - dot(across, away) * dot(across, wish)
        most = np.clip(np.abs(raised), 0.0, _MORE_RISE)
        turn = np.where(self.contacts.foot(side), np.clip(np.arctan2(sine, cosine), -most, most), 0.0)
        fade = max(round(_FADE / self.frame_time), 1)
        turn = smoothed(faded(turn[:, None], self.contacts.spans(side), fade), self.frame_time, 0.1)[:, 0]
        turn = np.clip(turn, -np.maximum(raised, 0.0), np.maximum(-raised, _MORE_RISE))
        return normalised(multiply(from_axis_angle(across, turn), turned))

    def _raised(self, side: str, turned: Array) -> Array:
        """[T] how far a foot's heel is up, radians."""
        frame = self.builder.frames[self.feet[side].ankle]
        ahead = rotate(multiply(turned, frame), np.array([1.0, 0.0, 0.0]))
        return np.asarray(np.arcsin(np.clip(-ahead[:, 2], -1.0, 1.0)))

    def _evened(self, lifts: dict[str, Array]) -> dict[str, Array]:
        """What both feet wish [T, 1], with a part of the lasting difference between them taken out.

        In some captures one foot stands a few centimetres higher than the other. The body would rise and sink at every
        step; legs of one length share that difference instead.
        """
        usual = {
            side: float(np.median(lift[self.contacts.foot(side)]))
            for side, lift in lifts.items()
            if self.contacts.foot(side).any()
        }
        middle = float(np.mean(list(usual.values()))) if usual else 0.0
        return {side: (lift - _EVENED * (usual.get(side, middle) - middle))[:, None] for side, lift in lifts.items()}

    def _follow(self, wishes: dict[str, Array], seconds: float) -> Array:
        """[T, K] what standing feet wish [T, K] for the body on average, carried through flights and smoothed."""
        count = np.sum([self.trust[side] for side in wishes], axis=0)
        if not count.any():
            return np.zeros_like(next(iter(wishes.values())))
        total = np.sum([self.trust[side][:, None] * wish for side, wish in wishes.items()], axis=0)
        mean = total / np.where(count > 0, count, 1.0)[:, None]
        return smoothed(carried(mean, _runs(count > 0)), self.frame_time, seconds)

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

        width = max(int(0.12 / self.frame_time), 1)
        widest = maximum_filter1d(np.maximum(needed, 0.0), 2 * width + 1, mode="nearest")
        return np.maximum(smoothed(widest, self.frame_time, 0.25), needed)

    def _reach(self, side: str, goal: Array, turned: Array, yaws: bool) -> None:
        """Bend a leg so that its ankle comes to ``goal`` [T, 3] and its foot is ``turned`` [T, 4]; again where joints
        in series shift it."""
        builder, leg, asked = self.builder, self.legs[side], goal
        fade = max(round(_FADE / self.frame_time), 1)
        stands = faded(self.contacts.foot(side)[:, None].astype(float), self.contacts.spans(side), fade)[:, 0]
        simple = len(self._bodies(leg)) == 3
        for _ in range(2 if simple else _ROUNDS):
            hip = builder.positions[:, leg.centre].copy()
            if self.planar:
                asked = np.stack([asked[:, 0], hip[:, 1], asked[:, 2]], axis=-1)
            forward = rotate(turned, self._toe_direction(leg)) if yaws else None
            thigh, shank = solve_leg(leg, hip, asked, self.wanted[leg.hip], forward, stands)
            knee = normalised(multiply(conjugate(thigh), shank))
            builder.forget(self._bodies(leg))
            aim = None if yaws else (leg.thigh + rotate(knee, leg.shank), asked - hip)
            builder.turn(leg.hip, thigh, _LIMB, aim)
            builder.turn(leg.knee, multiply(builder.orientations[:, leg.hip], knee), _LIMB)
            builder.turn(leg.ankle, turned, _FOOT)
            sole = rotate(builder.orientations[:, leg.ankle, None], self.offsets[side][None])[..., 2].min(axis=1)
            sunk = np.maximum(-(builder.positions[:, leg.ankle, 2] + sole), 0.0)
            if simple and sunk.max() < _SUNK:
                break
            goal = goal + np.where(sunk > _SUNK, sunk, 0.0)[:, None] * _UP
            asked = goal + np.clip(asked - builder.positions[:, leg.ankle], -_FARTHEST, _FARTHEST)

    def _toe_direction(self, leg: TwoBoneLeg) -> Array:
        """(3,) forward in the ankle's own frame."""
        return rotate(self.builder.frames[leg.ankle], np.array([1.0, 0.0, 0.0]))


def _runs(known: np.ndarray) -> list[tuple[int, int]]:
    padded = np.concatenate([[0], known.astype(int), [0]])
    return [
        (int(a), int(b)) for a, b in zip(np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1))
    ]


def from_ankle_at_rest(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] from the ankle to the sole's points in the rest pose, in the world's axes."""
    places, turns = skeleton.at_rest()
    return np.asarray(places[sole.joints] + rotate(turns[sole.joints], sole.offsets) - places[sole.ankle])


def _from_ankle(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] the sole's points in the ankle's frame, with the joints below it at rest."""
    return rotate(conjugate(skeleton.at_rest()[1][sole.ankle]), from_ankle_at_rest(skeleton, sole))
