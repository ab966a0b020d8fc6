"""Two-bone inverse kinematics of a leg, in closed form and for all frames at once."""

from dataclasses import dataclass

import numpy as np

from footfall.motion.quaternion import (
    Array,
    between,
    conjugate,
    cross,
    dot,
    from_axis_angle,
    multiply,
    norm,
    normalised,
    rotate,
    unit,
    wrap_angle,
)
from footfall.motion.skeleton.landmarks import first_link
from footfall.motion.skeleton.tree import Skeleton

_LEAST_FLEXION = 0.03
_STRAIGHTEST = np.deg2rad(9.0)
_SPARE = 1.3
"""How much a turn about the leg is spared where the knee is bent and the foot is in the air: 2 minimises the squares of
the errors of thigh, shank and heading. Set after looking at straight walks (0.7, 1, 1.3, 1.5 and 2 were measured), so
that neither limbs nor headings are more than 15° off at worst."""


@dataclass(frozen=True, eq=False)
class TwoBoneLeg:
    """Thigh and shank of a skeleton.

    Attributes:
        hip, knee, ankle: joint indices.
        centre: index of the joint where the hip stands; the hip itself, or the first of several links in series.
        thigh: (3,) from there to the knee, in the hip's frame.
        shank: (3,) ankle in the knee's frame.
        rest: (4,) the knee's rest rotation.
        axis: (3,) the axis of flexion in the knee's frame.
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

    def terms(self) -> tuple[float, float, float]:
        """(a, b, c) with |hip to ankle|² = a + b cos θ + c sin θ for a flexion θ."""
        along = self.axis * float(self.axis @ self.shank)
        fixed, cosine = rotate(self.rest, along), rotate(self.rest, self.shank - along)
        sine = rotate(self.rest, cross(self.axis, self.shank))
        a = float(self.thigh @ self.thigh + self.shank @ self.shank + 2 * self.thigh @ fixed)
        return a, float(2 * self.thigh @ cosine), float(2 * self.thigh @ sine)


def leg_reach(leg: TwoBoneLeg) -> float:
    """The longest distance from hip to ankle that inverse kinematics uses: a nearly straight knee."""
    a, b, c = leg.terms()
    return float(np.sqrt(a + np.hypot(b, c) * np.cos(_LEAST_FLEXION)))


def knee_bend(leg: TwoBoneLeg, distance: Array) -> tuple[Array, Array]:
    """The knee's flexion [T] at which the ankle is at a distance [T] from the hip, and its slope [T], rad/m.

    Near a straight knee the slope grows without bound; it is held at that of 9°, and beyond the leg's reach the flexion
    goes on with it below zero.
    """
    a, b, c = leg.terms()
    reach = leg_reach(leg)
    inside = np.clip(distance, np.sqrt(max(a - np.hypot(b, c) * 0.95, 1e-9)), reach)
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
    shortest = float(np.sqrt(max(a - np.hypot(b, c) * 0.95, 1e-9)))
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
    turns = wrap_angle(turns)
    best = np.where(np.abs(turns[0]) < np.abs(turns[1]), turns[0], turns[1])
    return np.asarray(np.clip(best, -1.5, 1.5))
