"""Skeletons: a tree of joints with offsets, what moves in a motion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from footfall.errors import FootfallError, check_name
from footfall.motion.quaternion import Array, multiply, rotate

T = TypeVar("T")


def triple(v: Array) -> tuple[float, float, float]:
    """A vector (3,) as plain numbers."""
    return float(v[0]), float(v[1]), float(v[2])


@dataclass(frozen=True)
class EndSite:
    """A point fixed to a joint's segment: a BVH end site, or a contact point of a figure.

    Attributes:
        name: its name; may be empty.
        joint: index of the joint that it moves with.
        offset: where it lies in that joint's frame, (3,) in metres.
        contact: whether the ground can touch it.
    """

    name: str
    joint: int
    offset: tuple[float, float, float]
    contact: bool = False


@dataclass(frozen=True)
class Capsule:
    """A tapered capsule fixed to a joint: what pictures and exported bodies are made of.

    Attributes:
        joint: index of the joint whose frame it moves with.
        start, end: (3,) its two centres in that frame, metres.
        radius_start, radius_end: metres.
        side: "left", "right" or "".
        part: the part of the body it shows: "hip" for a thigh, "trunk", "head" …
    """

    joint: int
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius_start: float
    radius_end: float
    side: str = ""
    part: str = "other"


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles fixed to a joint: a part of a figure as its file draws it.

    Attributes:
        joint: index of the joint whose frame it moves with.
        vertices: [V, 3] in that frame, metres.
        triangles: [N, 3] indices of vertices, counter-clockwise from outside.
        side: "left", "right" or "".
    """

    joint: int
    vertices: Array
    triangles: np.ndarray
    side: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Skeleton:
    """A tree of joints, each carrying the rigid segment that hangs on it.

    Joint 0 is the root; a parent stands before its children. With local rotations q_j and the root at p_0,

        orientation_j = orientation_parent q_j        position_j = position_parent + orientation_parent · offset_j

    so that rotations are whole (they contain the rest rotation). Axes are footfall's: at rest x is forward, y left, z
    up.

    Attributes:
        names: joint names, unique.
        parents: index of each joint's parent, -1 for the root.
        offsets: [J, 3] joint in its parent's frame, metres. The root's is where the file put it; it moves nothing.
        rest: [J, 4] local rotation of each joint in the rest pose; none by default.
        ends: points at the ends of segments.
        mass: [J] segment masses in kg, or None where unknown.
        com: [J, 3] centres of mass of the segments in the joints' frames, or None.
        capsules: the body's shape where it is known; ``body_shape.body_capsules`` makes one from the bones otherwise.
        meshes: the body's surface where its file has one; pictures then show it instead of capsules.
        roles: joint by role where that is known already (from a map or from the body's shape); ``roles.find_roles``
            reads the names otherwise.
        aliases: names to tell roles by, one for each joint, where they say more than ``names``; empty otherwise.
        marks: landmarks that are not at the joints, by name: the joint that each moves with, and its position in that
            joint's frame. A robot's thigh ends above its knee, wherever its three hip joints are.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Array
    rest: Array = field(default_factory=lambda: np.empty(0))
    ends: tuple[EndSite, ...] = ()
    mass: Array | None = None
    com: Array | None = None
    capsules: tuple[Capsule, ...] = ()
    meshes: tuple[Mesh, ...] = ()
    roles: Mapping[str, int] | None = None
    aliases: tuple[str, ...] = ()
    marks: Mapping[str, tuple[int, tuple[float, float, float]]] = field(default_factory=dict)
    _known: dict[str, object] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        J = len(self.names)
        set_ = object.__setattr__
        set_(self, "names", tuple(str(name) for name in self.names))
        set_(self, "parents", tuple(int(p) for p in self.parents))
        set_(self, "offsets", np.array(self.offsets, dtype=float))
        set_(
            self,
            "rest",
            np.tile([1.0, 0, 0, 0], (J, 1)) if np.size(self.rest) == 0 else np.array(self.rest, dtype=float),
        )
        if J == 0:
            raise FootfallError("skeleton: it has no joints")
        if len(set(self.names)) != J:
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise FootfallError(f"skeleton: two joints are called '{twice}'; names must differ")
        if len(self.parents) != J or self.parents[0] != -1:
            raise FootfallError("skeleton: parents must name one parent for each joint, and -1 for the first")
        for j, parent in enumerate(self.parents[1:], start=1):
            if not 0 <= parent < j:
                raise FootfallError(f"skeleton: the parent of '{self.names[j]}' must come before it (one root only)")
        for label, array, shape in (("offsets", self.offsets, (J, 3)), ("rest", self.rest, (J, 4))):
            if array.shape != shape or not (np.abs(array) < 1e9).all():
                raise FootfallError(f"skeleton: {label} must be finite numbers of shape {shape}, not {array.shape}")
        held = [part.joint for parts in (self.ends, self.capsules, self.meshes) for part in parts]
        if any(not 0 <= joint < J for joint in held):
            raise FootfallError("skeleton: an end site, capsule or mesh names a joint that is not there")
        for label, width in (("mass", ()), ("com", (3,))):
            given = getattr(self, label)
            if given is not None:
                set_(self, label, np.array(given, dtype=float))
                if getattr(self, label).shape != (J, *width):
                    raise FootfallError(f"skeleton: {label} must have shape {(J, *width)}")

    def __len__(self) -> int:
        return len(self.names)

    @property
    def telling_names(self) -> tuple[str, ...]:
        """The names that roles are recognised by."""
        return self.aliases or self.names

    def __repr__(self) -> str:
        return f"<Skeleton of {len(self)} joints: {', '.join(self.names[:4])}{' …' if len(self) > 4 else ''}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        (own, arrays), (others, other_arrays) = self._compared(), other._compared()
        return own == others and all(_same(a, b) for a, b in zip(arrays, other_arrays))

    def _compared(self) -> tuple[object, list[Array | None]]:
        """What makes two skeletons equal: plain values, and arrays."""
        plain = (self.names, self.parents, self.ends, self.capsules, [(m.joint, m.side) for m in self.meshes])
        surfaces = [array for mesh in self.meshes for array in (mesh.vertices, mesh.triangles)]
        return plain, [self.offsets, self.rest, self.mass, self.com, *surfaces]

    __hash__ = None  # type: ignore[assignment]

    def once(self, what: str, make: Callable[[], T]) -> T:
        """``make()``, computed once for this skeleton and kept under the name ``what``."""
        if what not in self._known:
            self._known[what] = make()
        return self._known[what]  # type: ignore[return-value]

    def index(self, name: str) -> int:
        """The index of a joint by name."""
        check_name("joint", name, self.names)
        return self.names.index(name)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint, the indices of its children."""
        found: list[list[int]] = [[] for _ in self.parents]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(child)
        return tuple(map(tuple, found))

    def chain(self, joint: int) -> list[int]:
        """The joints from the root down to ``joint``."""
        return _chain(self.parents, joint)

    def subtree(self, joint: int) -> list[int]:
        """``joint`` and everything below it."""
        inside = {joint}
        for j, parent in enumerate(self.parents):
            if parent in inside:
                inside.add(j)
        return sorted(inside)

    def forward(self, root_position: Array, rotations: Array) -> tuple[Array, Array]:
        """World positions [..., J, 3] and orientations [..., J, 4] for root positions [..., 3] and local rotations
        [..., J, 4]."""
        local = np.ascontiguousarray(np.moveaxis(np.asarray(rotations, dtype=float), -2, 0))
        positions, orientations = np.empty((*local.shape[:-1], 3)), np.empty_like(local)
        positions[0], orientations[0] = root_position, local[0]
        for j in range(1, len(self)):
            above = self.parents[j]
            positions[j] = positions[above] + rotate(orientations[above], self.offsets[j])
            orientations[j] = multiply(orientations[above], local[j])
        return np.moveaxis(positions, 0, -2), np.moveaxis(orientations, 0, -2)

    def at_rest(self) -> tuple[Array, Array]:
        """Positions [J, 3] and orientations [J, 4] in the rest pose with the root at the origin."""
        return self.once("at rest", lambda: self.forward(np.zeros(3), self.rest))

    def rest_positions(self) -> Array:
        """[J, 3] joint positions in the rest pose with the root at the origin."""
        return self.at_rest()[0]

    def end_offsets(self) -> Array:
        """[E, 3] offsets of the end sites."""
        return np.array([end.offset for end in self.ends], dtype=float).reshape(-1, 3)

    def end_positions(self, positions: Array, orientations: Array) -> Array:
        """[T, E, 3] positions of the end sites for joints at positions [T, J, 3] with orientations [T, J, 4]."""
        joints = [end.joint for end in self.ends]
        return np.asarray(positions[:, joints] + rotate(orientations[:, joints], self.end_offsets()))


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


_STILL = 1e-3


def fold_travel(
    parents: Sequence[int], offsets: Array, root_position: Array, rotations: Array, sliding: Mapping[int, Array]
) -> tuple[Array, Array, int | None]:
    """Root positions [T, 3] and offsets [J, 3] with which everything below a travelling joint stays where it was.

    Some files have a still root and let the hips below it travel, or share the travel between both. The deepest joint
    that slides and carries at least half of all joints takes the root with it: the root's position becomes that
    joint's, and the bones between them shrink to nothing.

    Args:
        parents: parent of each joint, -1 for the root.
        offsets: [J, 3] joints in their parents' frames.
        root_position: [T, 3].
        rotations: [T, J, 4] local rotations.
        sliding: joint -> its positions [T, 3] in its parent's frame, for joints with position channels.

    Returns:
        root positions, offsets, and the joint whose travel was folded, or None where none travels.
    """
    J = len(parents)
    carried = np.ones(J, dtype=int)
    for j in range(J - 1, 0, -1):
        carried[parents[j]] += carried[j]
    size = float(np.linalg.norm(offsets[1:], axis=-1).max(initial=1e-9))
    moving = [
        j for j, way in sliding.items() if j > 0 and 2 * carried[j] >= J and np.ptp(way, axis=0).max() > _STILL * size
    ]
    if not moving:
        return root_position, offsets, None
    home = max(moving, key=lambda j: (len(_chain(parents, j)), j))
    place, turn = root_position.copy(), rotations[:, 0]
    offsets = offsets.copy()
    for j in _chain(parents, home)[1:]:
        place = place + rotate(turn, sliding.get(j, offsets[j]))
        turn = multiply(turn, rotations[:, j])
        offsets[j] = 0.0
    return place, offsets, home


def _chain(parents: Sequence[int], joint: int) -> list[int]:
    """The joints from the root down to ``joint``."""
    path = [joint]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    return path[::-1]
