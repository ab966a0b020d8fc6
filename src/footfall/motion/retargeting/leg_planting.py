"""Legs that stand: the pelvis follows the standing feet, and legs reach the places where feet stay."""

import numpy as np

from footfall.motion.gait.contact import Contacts
from footfall.motion.gait.feet import Sole
from footfall.motion.gait.heading import smoothed
from footfall.motion.ground import Ground
from footfall.motion.quaternion import Array, conjugate, multiply, normalised, rotate
from footfall.motion.retargeting.foot_placement import carried, placed_ankles
from footfall.motion.retargeting.leg_ik import TwoBoneLeg, leg_reach, solve_leg
from footfall.motion.retargeting.pose_builder import PoseBuilder
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["LegPlanter"]

_UP = np.array([0.0, 0.0, 1.0])
_LIMB, _FOOT = (0.05, 0.05, 1.0), (1.0, 0.5, 1.0)
_MISS = 1e-3
_ROUNDS = 3


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

    def plant(self) -> None:
        """Move the pelvis and bend the legs so that standing feet neither slide nor sink in."""
        builder = self.builder
        yaws = {side: self._turns_feet(leg) for side, leg in self.legs.items()}
        turned = {
            side: self.wanted[sole.ankle] if yaws[side] else builder.orientations[:, sole.ankle].copy()
            for side, sole in self.feet.items()
        }
        lift = self._follow({side: self._lift(side, turned[side])[:, None] for side in self.feet}, 0.2)
        builder.move(lift * _UP)
        goals = {}
        for side, sole in self.feet.items():
            ankle = builder.positions[:, sole.ankle]
            goals[side] = placed_ankles(
                ankle, turned[side], self.offsets[side], self.contacts.spans(side), Ground.flat()
            )
        away = {side: (goals[side] - builder.positions[:, sole.ankle])[:, :2] for side, sole in self.feet.items()}
        shift = self._follow(away, 0.3)
        builder.move(np.concatenate([shift * ([1.0, 0.0] if self.planar else [1.0, 1.0]), 0 * shift[:, :1]], axis=1))
        builder.move(-_UP * self._sink(goals)[:, None])
        for side, goal in goals.items():
            self._reach(self.legs[side], goal, yaws[side])

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

    def _follow(self, wishes: dict[str, Array], seconds: float) -> Array:
        """[T, K] what standing feet wish [T, K] for the body on average, carried through flights and smoothed."""
        total = sum(np.where(self.contacts.foot(side)[:, None], wish, 0.0) for side, wish in wishes.items())
        count = sum(self.contacts.foot(side).astype(float) for side in wishes)
        known = np.asarray(count > 0)
        if not known.any():
            return np.zeros_like(next(iter(wishes.values())))
        mean = np.asarray(total) / np.maximum(np.asarray(count), 1.0)[:, None]
        spans = [(int(a), int(b)) for a, b in _runs(known)]
        return smoothed(carried(mean, spans), self.frame_time, seconds)

    def _sink(self, goals: dict[str, Array]) -> Array:
        """[T] how far the pelvis must sink for the standing legs to reach their goals, without jerks."""
        needed = np.zeros(len(self.contacts.times))
        for side, goal in goals.items():
            leg = self.legs[side]
            reach = 0.999 * leg_reach(leg)
            way = self.builder.positions[:, leg.hip] - goal
            across = np.minimum(np.linalg.norm(way[:, : 1 if self.planar else 2], axis=-1), reach)
            short = way[:, 2] - np.sqrt(reach**2 - across**2)
            needed = np.maximum(needed, np.where(self.contacts.foot(side), short, 0.0))
        if not needed.any():
            return needed
        from scipy.ndimage import maximum_filter1d

        width = max(int(0.12 / self.frame_time), 1)
        widest = maximum_filter1d(np.maximum(needed, 0.0), 2 * width + 1, mode="nearest")
        return np.maximum(smoothed(widest, self.frame_time, 0.25), needed)

    def _reach(self, leg: TwoBoneLeg, goal: Array, yaws: bool) -> None:
        """Bend a leg so that its ankle comes to ``goal`` [T, 3]; again where joints in series shift it."""
        builder, asked = self.builder, goal
        for _ in range(_ROUNDS):
            hip = builder.positions[:, leg.hip].copy()
            if self.planar:
                asked = np.stack([asked[:, 0], hip[:, 1], asked[:, 2]], axis=-1)
            forward = rotate(self.wanted[leg.ankle], self._toe_direction(leg)) if yaws else None
            thigh, shank = solve_leg(leg, hip, asked, self.wanted[leg.hip], forward)
            knee = normalised(multiply(conjugate(thigh), shank))
            builder.forget(self._bodies(leg))
            aim = None if yaws else (leg.thigh + rotate(knee, leg.shank), asked - hip)
            builder.turn(leg.hip, thigh, _LIMB, aim)
            builder.turn(leg.knee, multiply(builder.orientations[:, leg.hip], knee), _LIMB)
            builder.turn(leg.ankle, self.wanted[leg.ankle], _FOOT)
            missed = goal - builder.positions[:, leg.ankle]
            if self.planar:
                missed[:, 1] = 0.0
            if np.abs(builder.positions[:, leg.hip] - hip).max() < _MISS and len(self._bodies(leg)) == 3:
                break
            asked = asked + missed

    def _toe_direction(self, leg: TwoBoneLeg) -> Array:
        """(3,) forward in the ankle's own frame."""
        return rotate(self.builder.frames[leg.ankle], np.array([1.0, 0.0, 0.0]))


def _runs(known: np.ndarray) -> list[tuple[int, int]]:
    padded = np.concatenate([[0], known.astype(int), [0]])
    return [(int(a), int(b)) for a, b in zip(np.flatnonzero(np.diff(padded) == 1), np.flatnonzero(np.diff(padded) == -1))]


def _from_ankle(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] the sole's points in the ankle's frame, with the joints below it at rest."""
    places, turns = skeleton.at_rest()
    world = places[sole.joints] + rotate(turns[sole.joints], sole.offsets)
    return rotate(conjugate(turns[sole.ankle]), world - places[sole.ankle])
