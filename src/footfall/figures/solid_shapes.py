"""What of a body is solid to itself: capsules for its collision shapes, and which of them can touch each other.

Every shape is taken as a capsule (:func:`footfall.figures.mjcf.geom_capsule`). Legs meet each other and the arms, arms
meet each other, the trunk and the head. Neighbours and shapes that overlap while the figure stands are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.mjcf import (
    body_points,
    capsule_along,
    colliding,
    geom_capsule,
    point_position,
    posed,
    rotation_matrix,
)
from footfall.figures.parts import Body, Leg
from footfall.figures.side_names import Side

Array = NDArray[np.float64]

_TRUNK, _LEG = "trunk", " leg"

SMALLEST = 1e-4
"""Metres: shapes of a smaller radius are none."""
MIDDLE = 0.02
"""Metres from the middle, within which bodies belong to the trunk."""
SEVERAL = 3
"""Balls of a body that are taken as one capsule."""
COVERED = 0.012
"""A shape that sticks out of another one of its body by less, metres, is left out."""


@dataclass(frozen=True, eq=False)
class LimbCapsule:
    """A capsule fixed in a body.

    Attributes:
        name: of the shape in the figure's file, or of its body.
        geoms: the numbers of what it stands for in the model.
        body: index of the body.
        centre: [3] in the body's frame.
        half: [3] from the centre to the end of the axis; zero for a ball.
        radius: metres.
    """

    name: str
    geoms: tuple[int, ...]
    body: int
    centre: Array
    half: Array
    radius: float


@dataclass(frozen=True)
class SolidShapes:
    """The capsules of a figure, and which touch each other.

    Attributes:
        capsules: those that are in a pair.
        limbs: the limb of each: "left leg", "right leg", "trunk", or the name of an arm's first body.
        pairs: numbers of two capsules each.
        overlapping: names of pairs that overlap as the figure stands, with metres; they pass through each other.
        notes: shapes that are not what they are called, and why.
    """

    capsules: tuple[LimbCapsule, ...] = ()
    limbs: tuple[str, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    overlapping: tuple[tuple[str, str, float], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def ends(self) -> Array:
        """[2 capsules, 3] the ends of the capsules' axes in their bodies' frames."""
        return np.array([c.centre + sign * c.half for c in self.capsules for sign in (-1.0, 1.0)]).reshape(-1, 3)

    @property
    def end_bodies(self) -> list[int]:
        """[2 capsules] the body of each end."""
        return [c.body for c in self.capsules for _ in range(2)]

    @property
    def leg_pairs(self) -> list[int]:
        """Numbers of the pairs of two legs."""
        legs = [limb.endswith(_LEG) for limb in self.limbs]
        return [k for k, (a, b) in enumerate(self.pairs) if legs[a] and legs[b]]

    @property
    def names(self) -> list[tuple[str, str]]:
        """Names of the two shapes of every pair."""
        return [(self.capsules[a].name, self.capsules[b].name) for a, b in self.pairs]


def solid_shapes(model: Any, bodies: Sequence[Body], legs: Mapping[Side, Leg], qpos: Array) -> SolidShapes:
    """Capsules and pairs of a figure with legs and a free root that stands at ``qpos`` [nq]."""
    limbs = _limbs(bodies, legs, posed(model, qpos).xpos[1:, 1] - qpos[1])
    every, notes = _capsules(model)
    kinds = [limbs[c.body] for c in every]
    near = [
        (a, b)
        for a, b in combinations(range(len(every)), 2)
        if _may_meet(kinds[a], kinds[b]) and not _are_neighbours(bodies, every[a].body, every[b].body)
    ]
    gaps = solid_gaps(model, every, near, [qpos])[:, 0]
    overlapping = [(every[a].name, every[b].name, float(-g)) for (a, b), g in zip(near, gaps, strict=True) if g <= 0]
    pairs = [pair for pair, gap in zip(near, gaps, strict=True) if gap > 0]
    used = sorted({k for pair in pairs for k in pair})
    number = {k: n for n, k in enumerate(used)}
    return SolidShapes(
        tuple(every[k] for k in used),
        tuple(kinds[k] for k in used),
        tuple((number[a], number[b]) for a, b in pairs),
        tuple(overlapping),
        tuple(notes),
    )


def random_poses(model: Any, qpos: Array, count: int) -> list[Array]:
    """[nq] each: a figure with its hinges anywhere in their ranges, always the same ones."""
    random, found = np.random.default_rng(1), []
    hinges = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE)
    ranges = np.where(model.jnt_limited[hinges, None], model.jnt_range[hinges], [-1.0, 1.0])
    for _ in range(count):
        pose = qpos.copy()
        pose[model.jnt_qposadr[hinges]] = random.uniform(ranges[:, 0], ranges[:, 1])
        found.append(pose)
    return found


def solid_gaps(
    model: Any, capsules: Sequence[LimbCapsule], pairs: Sequence[tuple[int, int]], poses: Sequence[Array] | Array
) -> Array:
    """[pairs, poses] metres between the surfaces of capsules, negative where they overlap, at qpos [poses, nq]."""
    if not pairs:
        return np.zeros((0, len(poses)))
    centres = body_points(model, poses, ((c.body, c.centre) for c in capsules))
    halves = body_points(model, poses, ((c.body, c.centre + c.half) for c in capsules)) - centres
    gaps = [
        capsule_distance(centres[:, a], halves[:, a], centres[:, b], halves[:, b])
        - capsules[a].radius
        - capsules[b].radius
        for a, b in pairs
    ]
    return np.array(gaps)


def capsule_position(data: Any, capsule: LimbCapsule) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[3] centre and [3] half axis of a capsule in the world."""
    turn = data.xmat[capsule.body + 1].reshape(3, 3)
    return point_position(data, capsule.body, capsule.centre), turn @ capsule.half


def capsule_distance(centre: Array, half: Array, other: Array, other_half: Array) -> Array:
    """[...] metres between segments centre ± half, [..., 3] each."""

    def dot(one: Array, two: Array) -> Array:
        return np.asarray((one * two).sum(axis=-1))

    def from_end(end: float, a: Array, b: Array, c: Array) -> Array:
        """The point on the other segment that is nearest to an end of this one."""
        return np.asarray(np.clip((end * b + c) / np.where(a > 0, a, 1.0), -1.0, 1.0))

    apart = centre - other
    a, b, e = dot(half, half), dot(half, other_half), dot(other_half, other_half)
    c, f = dot(half, apart), dot(other_half, apart)
    across = a * e - b * b
    inside = np.where(across > 0, across, 1.0)
    s, t = (b * f - c * e) / inside, (a * f - b * c) / inside
    s, t = (np.where((across > 0) & (np.abs(s) <= 1) & (np.abs(t) <= 1), x, 0.0) for x in (s, t))
    choices = [(s, t)]
    choices += [(np.full_like(a, end), from_end(end, e, b, f)) for end in (-1.0, 1.0)]
    choices += [(from_end(end, a, b, -c), np.full_like(a, end)) for end in (-1.0, 1.0)]
    found = [np.linalg.norm(apart + s[..., None] * half - t[..., None] * other_half, axis=-1) for s, t in choices]
    return np.asarray(np.min(found, axis=0))


def _limbs(bodies: Sequence[Body], legs: Mapping[Side, Leg], sideways: Array) -> list[str]:
    """[B] the limb that a body belongs to: the trunk with the head (bodies in the middle, by their positions
    ``sideways`` [B], down to where the legs part), a leg by its side, or an arm by the name of its first body."""

    def chain(index: int) -> list[int]:
        return [*chain(bodies[index].parent), index] if index >= 0 else []

    numbers = {b.name: b.index for b in bodies}
    feet = [chain(numbers[leg.foot]) for leg in legs.values()]
    both = set.intersection(*map(set, feet))
    sides = {index: f"{side}{_LEG}" for side, path in zip(legs, feet, strict=True) for index in set(path) - both}
    limbs: list[str] = []
    for b in bodies:
        if b.parent >= 0 and limbs[b.parent] != _TRUNK:
            limbs.append(limbs[b.parent])
        elif b.index in both or (abs(sideways[b.index]) < MIDDLE and b.index not in sides):
            limbs.append(_TRUNK)
        else:
            limbs.append(sides.get(b.index, b.name))
    return limbs


def _may_meet(one: str, other: str) -> bool:
    """Whether shapes of two limbs can touch: those of one limb, or of a leg and the trunk, are kept apart by the joints
    between them."""
    return one != other and not (_TRUNK in (one, other) and any(limb.endswith(_LEG) for limb in (one, other)))


def _are_neighbours(bodies: Sequence[Body], one: int, other: int) -> bool:
    """Whether two bodies share a joint, or are one: bodies without joints are part of what carries them."""

    def carrier(index: int) -> int:
        while index > 0 and not bodies[index].joints:
            index = bodies[index].parent
        return index

    a, b = carrier(one), carrier(other)
    above = [carrier(bodies[k].parent) if bodies[k].parent >= 0 else -1 for k in (a, b)]
    return a == b or above[0] == b or above[1] == a


def _capsules(model: Any) -> tuple[list[LimbCapsule], list[tuple[str, str]]]:
    """Capsules of the shapes that collide (of all shapes, if none does), and what is to be said about them."""
    found, notes = [], []
    for g in colliding(model, range(model.ngeom)):
        body = int(model.geom_bodyid[g]) - 1
        name = model.geom(g).name or f"{model.body(body + 1).name}_{g}"
        capsule = LimbCapsule(name, (g,), body, *geom_capsule(model, g))
        if capsule.radius < SMALLEST or not np.isfinite([*capsule.centre, *capsule.half, capsule.radius]).all():
            notes.append((name, "has no size; it touches nothing"))
            continue
        if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH:
            notes.append((name, f"is a mesh; taken as a capsule of radius {capsule.radius:.3f} m around its box"))
        found.append(capsule)
    kept = [c for c in found if not any(_covers(model, o, c) for o in found if o is not c and o.body == c.body)]
    return _together(kept, notes), notes


def _together(capsules: list[LimbCapsule], notes: list[tuple[str, str]]) -> list[LimbCapsule]:
    """Capsules, one around all balls of a body that has several of them."""
    kept = list(capsules)
    for body in sorted({c.body for c in capsules}):
        balls = [c for c in capsules if c.body == body and not c.half.any()]
        if len(balls) < SEVERAL:
            continue
        centres, radii = np.array([c.centre for c in balls]), np.array([[c.radius] for c in balls])
        low, high = (centres - radii).min(axis=0), (centres + radii).max(axis=0)
        size, around = (high - low) / 2, balls[0]
        half, radius = capsule_along(size, np.eye(3))
        kept = [c for c in kept if c not in balls]
        geoms = tuple(g for c in balls for g in c.geoms)
        kept.append(LimbCapsule(around.name, geoms, body, (low + high) / 2, half, radius))
        notes.append((around.name, f"and {len(balls) - 1} more balls of its body are taken as one capsule"))
    return kept


def _covers(model: Any, one: LimbCapsule, other: LimbCapsule) -> bool:
    """Whether a shape contains another one of its body, but for a little."""
    if other.radius > one.radius or (other.radius == one.radius and other.geoms < one.geoms):
        return False
    g = one.geoms[0]
    box, turn = model.geom_aabb[g], rotation_matrix(model.geom_quat[g])
    ends = np.array([other.centre - other.half, other.centre + other.half]) - model.geom_pos[g]
    beyond = np.abs(ends @ turn - box[:3]) + other.radius - box[3:]
    return bool(beyond.max() < COVERED)
