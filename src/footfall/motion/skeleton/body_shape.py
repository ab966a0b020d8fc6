"""The body around a skeleton's bones, for pictures and for exported meshes.

A skeleton that has meshes is drawn with them. One with a person's joints gets a person's shape: the cross-sections in
``human_shape.csv``, laid along the bones of the rest pose. Along a bone they stretch with its length, across it they
grow with the legs. Every part is fixed to one joint; neighbours have rounded ends of equal size about their common
joint, so that a bent knee stays closed. Any other skeleton is drawn with tapered capsules: its own (those of a figure),
or simple ones along its bones.
"""

import itertools
from collections.abc import Sequence
from functools import cache

import numpy as np

from footfall.motion.quaternion import Array, conjugate, rotate
from footfall.motion.skeleton.roles import find_roles, leg_length, name_tokens, side_of
from footfall.motion.skeleton.solids import MeshSolid, Solid, capsule_solid, tube
from footfall.motion.skeleton.tree import Capsule, Skeleton, triple
from footfall.text_files import packaged_table

_LEG, _HIPS, _SHOULDERS, _ARM = 0.872, 0.0932, 0.1847, 0.272
"""Of the person in the table: thigh and shank together, half the width of hips and shoulders, the upper arm; m."""
_HEAD, _NECK_TO_CROWN, _SKULL_TO_CROWN, _HAND = 0.245, 0.295, 0.19, 0.185
_SHOULDER_TO_NECK = 0.085
_HEEL, _TOES, _ANKLE = 0.055, 0.19, 0.085
_TUCK = 0.97
"""How much slimmer the trunk is where it is cut, so that the pieces' round ends stay inside each other."""
_LEVEL = 0.03
"""Radians of a sole's slope that are not seen."""
_UP, _FORWARD = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
_LEAST = 0.05
"""Spine joints nearer to each other than this share of the trunk are drawn as one."""


def human_solids(skeleton: Skeleton, leg: float) -> list[Solid]:
    """The solids of a person, for the joints that have a role in it; none where the skeleton is not a person's.

    Args:
        skeleton: with legs of thigh, shank and foot, hips side by side, and a head above them.
        leg: length of thigh and shank, m.
    """
    body = _Person(skeleton, leg)
    if not body.is_one:
        return []
    solids = body.trunk() + body.head()
    for side in ("left", "right"):
        solids += body.leg(side) + body.arm(side)
    return solids


class _Person:
    """A skeleton in its rest pose with the roles of its joints."""

    def __init__(self, skeleton: Skeleton, leg: float) -> None:
        self.skeleton = skeleton
        self.roles = find_roles(skeleton)
        self.places, self.turns = skeleton.forward(np.zeros(3), skeleton.rest)
        self.size = leg / _LEG
        self.head_joint = self.roles.get("head", self.roles.get("chest", -1))
        self.shouldered = "left_shoulder" in self.roles and "right_shoulder" in self.roles
        """Whether it has a joint at either shoulder."""

    @property
    def head_base(self) -> Array:
        """(3,) where the head turns: its joint, or above the shoulders where the chest carries it."""
        if "head" in self.roles:
            return self._at("head")
        return self._middle("shoulder") + _SHOULDER_TO_NECK * self.size * _UP

    @property
    def is_one(self) -> bool:
        """Whether the joints are there and lie as a person's."""
        legs = [f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "ankle")]
        if not set(legs) <= self.roles.keys() or not (
            "head" in self.roles or (self.shouldered and self.head_joint >= 0)
        ):
            return False
        hips, feet = self._middle("hip"), self._middle("ankle")
        apart = self._at("left_hip")[1] - self._at("right_hip")[1]
        upright = self.head_base[2] - hips[2] > 0.35 * _LEG * self.size
        standing = hips[2] - feet[2] > 0.8 * _LEG * self.size
        return bool(upright and standing and 0.5 < apart / (2.0 * _HIPS * self.size) < 2.0)

    def trunk(self) -> list[Solid]:
        """From the crotch to the neck, cut at the joints of the spine."""
        top = self.roles.get("neck", self.head_joint)
        low, shouldered = self._middle("hip"), self.shouldered
        high = self._middle("shoulder") if shouldered else self.places[top] - _SHOULDER_TO_NECK * self.size * _UP
        length = float((high - low) @ _UP)
        chest = self.roles.get("chest", self.skeleton.parents[top])
        spine = [j for j in self.skeleton.chain(chest) if j not in self.skeleton.chain(self.roles["pelvis"])]
        rows = _table()["trunk"].copy()
        width = [0.5 * self._apart("hip") / _HIPS, 0.5 * self._apart("shoulder") / _SHOULDERS if shouldered else 1.0]
        rows[:, 4] *= np.interp(rows[:, 0], [0.2, 0.8], np.clip(width, 0.8 * self.size, 1.25 * self.size)) / self.size
        pieces: list[tuple[int, float]] = [(self.roles["pelvis"], float(rows[0, 0]))]
        for joint in spine:
            share = float((self.places[joint] - low) @ _UP) / length
            if share - pieces[-1][1] > _LEAST and share < rows[-1, 0] - _LEAST:
                pieces.append((joint, share))
            else:
                pieces[-1] = (joint if joint == chest or len(pieces) > 1 else pieces[-1][0], pieces[-1][1])
        cuts = [share for _, share in pieces[1:]]
        ends = [*cuts, float(rows[-1, 0])]
        axes = np.stack([_FORWARD, np.cross(_UP, _FORWARD), _UP])
        solids = []
        for (joint, start), end in zip(pieces, ends):
            if shouldered or joint == self.roles["pelvis"]:
                forward = low + np.outer(np.clip([start, end], 0.0, 1.0), high - low)
                own = self._sections(_between(rows, start, end), length)
                own[[k for k, cut in ((0, start), (-1, end)) if cut in cuts], 3:5] *= _TUCK
                own[:, 1] += np.interp(own[:, 0] / length, [start, end], forward[:, 0] - low[0])
                solids.append(self._solid(joint, own, axes, low, "", "trunk"))
        return solids

    def head(self) -> list[Solid]:
        """Neck, head and nose."""
        head, turns = self.head_joint, self.head_base
        neck = self.roles.get("neck", head)
        own = [self.places[head] + rotate(self.turns[head], e) for e in self._ends(head)]
        usual = _NECK_TO_CROWN if neck == head else _SKULL_TO_CROWN
        crown = max([float(p[2] - turns[2]) for p in own], default=usual * self.size)
        crown = turns[2] + max(crown, 0.75 * usual * self.size)
        tall = _HEAD * self.size
        centre = turns.copy()
        if self.skeleton.com is not None and "head" in self.roles:
            centre += rotate(self.turns[head], self.skeleton.com[head])
        centre[2] = crown - tall
        axes = np.stack([_FORWARD, np.cross(_UP, _FORWARD), _UP])
        solids = [
            self._solid(head, self._sections(_table()[part], tall), axes, centre, "", "head")
            for part in ("head", "nose")
        ]
        base = self.places[neck].copy() if neck != head else turns.copy()
        if self.shouldered:
            middle = float(self._middle("shoulder")[0])
            base[0] = np.clip(base[0], middle, middle + 0.05 * self.size)
        long = float(centre[2] + 0.3 * tall - base[2])
        if long > 0.02 * self.size:
            rows = self._sections(_table()["neck"], long)
            rows[:, 1] += rows[:, 0] / long * (centre[0] - 0.012 * self.size - base[0])
            solids.append(self._solid(neck, rows, axes, base, "", "neck"))
        return solids

    def leg(self, side: str) -> list[Solid]:
        """Thigh, shank and foot."""
        hip, knee, ankle = (self._at(f"{side}_{role}") for role in ("hip", "knee", "ankle"))
        joints = [self.roles[f"{side}_{role}"] for role in ("hip", "knee", "ankle")]
        solids = [self._limb("thigh", joints[0], hip, knee, side), self._limb("shank", joints[1], knee, ankle, side)]
        return solids + self._foot(side, joints[2], ankle)

    def arm(self, side: str) -> list[Solid]:
        """Upper arm, forearm and hand, as far as the skeleton has joints for them."""
        if f"{side}_shoulder" not in self.roles or f"{side}_elbow" not in self.roles:
            return []
        shoulder, elbow = self._at(f"{side}_shoulder"), self._at(f"{side}_elbow")
        upper, lower = self.roles[f"{side}_shoulder"], self.roles[f"{side}_elbow"]
        hand = self.roles.get(f"{side}_wrist", lower)
        wrist = self.places[hand] if hand != lower else self._far_end(lower, elbow, elbow + 1.05 * (elbow - shoulder))
        along = (wrist - elbow) / max(float(np.linalg.norm(wrist - elbow)), 1e-9)
        tips = wrist + _HAND * self.size * along
        return [
            self._limb("upper_arm", upper, shoulder, elbow, side),
            self._limb("forearm", lower, elbow, wrist, side),
            self._limb("hand", hand, wrist, tips, side),
            self._limb("thumb", hand, wrist, tips, side, "hand"),
        ]

    def _foot(self, side: str, joint: int, ankle: Array) -> list[Solid]:
        """The foot, cut at the ball where the toes have a joint."""
        toe = self.roles.get(f"{side}_toe")
        holders = [joint] if toe is None else [joint, toe]
        touching = [e for e in self.skeleton.ends if e.joint in holders and e.contact]
        points = np.array([self.places[e.joint] + rotate(self.turns[e.joint], np.array(e.offset)) for e in touching])
        others = [self.places[j] + rotate(self.turns[j], e) for j in holders for e in self._ends(j)]
        front = self.places[toe] if toe is not None else max(others, key=lambda p: float(p[0]), default=ankle)
        slope = 0.0
        if len(points) > 2:
            front = points[points[:, 0] > points[:, 0].max() - 0.02].mean(axis=0)
            rear = points[points[:, 0] < points[:, 0].min() + 0.02].mean(axis=0)
            slope = float(np.arctan2(front[2] - rear[2], front[0] - rear[0]))
        way = (front - ankle) * [1.0, 1.0, 0.0]
        if len(points) > 2 or np.linalg.norm(way) < 0.03 * self.size:
            way = _FORWARD
        way = way / np.linalg.norm(way)
        aside, up = np.cross(way, _UP), _UP
        if abs(slope) > _LEVEL:  # at rest the sole is not level
            way, up = np.cos(slope) * way + np.sin(slope) * _UP, np.cos(slope) * _UP - np.sin(slope) * way
        if len(points) > 2:
            reach, spread = (points - ankle) @ way, (points - ankle) @ aside
            heel, tip = reach.min() - 0.012 * self.size, reach.max() + 0.035 * self.size
            sole, centre = float(((points - ankle) @ up).min()), 0.5 * float(spread.min() + spread.max())
        else:
            ends = [float((p - ankle) @ way) for p in others]
            heel, tip = -_HEEL * self.size, max([*ends, 0.8 * _TOES * self.size])
            if toe is not None and not ends:
                tip = max(tip, float((front - ankle) @ way) + 0.06 * self.size)
            lowest = min(float(p[2]) for p in [*others, front])
            sole = float(np.clip(lowest - ankle[2], -1.3 * _ANKLE * self.size, -0.8 * _ANKLE * self.size))
            centre = 0.0
        axes = np.stack([up, aside, way])
        origin = ankle + heel * way + centre * aside + sole * up
        rows, length = _table()["foot"], float(tip - heel)
        rows = rows * [1, 1, -1.0 if side == "left" else 1.0, 1, 1, 1]
        ball = 1.0 if toe is None else float((self.places[toe] - ankle) @ way - heel) / length
        if toe is None or not 0.4 < ball < 0.9:
            return [self._solid(joint, self._sections(rows, length), axes, origin, side, "foot")]
        cuts = [(joint, rows[0, 0], ball), (toe, ball, rows[-1, 0])]
        return [
            self._solid(j, self._sections(_between(rows, a, b), length), axes, origin, side, "foot") for j, a, b in cuts
        ]

    def _limb(self, name: str, joint: int, start: Array, end: Array, side: str, part: str | None = None) -> Solid:
        length = float(np.linalg.norm(end - start))
        along = (end - start) / max(length, 1e-9)
        ahead = _FORWARD if abs(along @ _FORWARD) < 0.9 else _UP
        ahead = ahead - (ahead @ along) * along
        ahead = ahead / np.linalg.norm(ahead)
        rows = _table()[name] * [1, 1, -1.0 if side == "left" else 1.0, 1, 1, 1]
        axes = np.stack([ahead, np.cross(along, ahead), along])
        return self._solid(joint, self._sections(rows, length), axes, start, side, part or name)

    def _solid(self, joint: int, rows: Array, axes: Array, origin: Array, side: str, part: str) -> Solid:
        rings = tube(rows, axes, origin, smooth=part != "hand", blunt=0.75 if part == "trunk" else 1.0)
        return Solid(joint, rotate(conjugate(self.turns[joint]), rings - self.places[joint]), side, part)

    def _sections(self, rows: Array, length: float) -> Array:
        """Rows of the table in metres, for a bone of this length."""
        return np.asarray(rows * [length, *[self.size] * 4, 1.0])

    def _at(self, role: str) -> Array:
        return np.asarray(self.places[self.roles[role]])

    def _middle(self, role: str) -> Array:
        return 0.5 * (self._at(f"left_{role}") + self._at(f"right_{role}"))

    def _apart(self, role: str) -> float:
        return float(np.linalg.norm(self._at(f"left_{role}") - self._at(f"right_{role}")))

    def _ends(self, joint: int) -> list[Array]:
        return [np.array(end.offset) for end in self.skeleton.ends if end.joint == joint]

    def _far_end(self, joint: int, start: Array, usual: Array) -> Array:
        """Where a segment without a child ends: its children, end sites and capsules say, or else the usual place."""
        tips = [self.skeleton.offsets[c] for c in self.skeleton.children[joint]] + self._ends(joint)
        tips += [np.array(c.end) for c in self.skeleton.capsules if c.joint == joint]
        seen = [self.places[joint] + rotate(self.turns[joint], tip) for tip in tips]
        far = max(seen, key=lambda p: float(np.linalg.norm(p - start)), default=usual)
        return far if np.linalg.norm(far - start) > 0.5 * _ARM * self.size else usual


def _between(rows: Array, start: float, end: float) -> Array:
    """The sections from ``start`` to ``end`` along, with new ones at both."""
    inside = rows[(rows[:, 0] > start + 0.013) & (rows[:, 0] < end - 0.013)]
    rim = np.stack([[np.interp(at, rows[:, 0], column) for column in rows.T] for at in (start, end)])
    return np.concatenate([rim[:1], inside, rim[1:]])


@cache
def _table() -> dict[str, Array]:
    """Part -> [C, 6] along, forward, outward, deep, wide, square."""
    parts: dict[str, list[list[float]]] = {}
    for part, *numbers in (row.values() for row in packaged_table("footfall.motion.skeleton", "human_shape.csv")):
        parts.setdefault(part, []).append([float(n) for n in numbers])
    return {part: np.array(sections) for part, sections in parts.items()}


_RADII = {
    "hip": (0.085, 0.058),
    "knee": (0.055, 0.037),
    "ankle": (0.034, 0.030),
    "toe": (0.028, 0.022),
    "shoulder": (0.048, 0.038),
    "elbow": (0.037, 0.027),
    "wrist": (0.026, 0.018),
    "clavicle": (0.050, 0.050),
    "trunk": (0.100, 0.105),
    "neck": (0.050, 0.046),
    "head": (0.085, 0.088),
    "other": (0.020, 0.015),
}
"""Radii at the start and the end of a part, as shares of a leg of 0.9 m (thigh and shank)."""


def body_solids(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    """The parts of the body as solids: what every picture, film, page and exported file shows."""
    return skeleton.once("solids", lambda: _meshed(skeleton) if skeleton.meshes else _modelled(skeleton))


def _modelled(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    solids = human_solids(skeleton, leg_length(skeleton))
    if not solids:
        return [capsule_solid(capsule) for capsule in (*body_capsules(skeleton), *_head_on_top(skeleton))]
    shown = {solid.joint for solid in solids}
    return [*solids, *(capsule_solid(c) for c in skeleton.capsules if c.joint not in shown)]


def _head_on_top(skeleton: Skeleton) -> list[Capsule]:
    """A head for a figure of capsules that has legs and a trunk but none: it says where the body faces and ends.

    It sits on the top of the trunk, leaning forward, and reaches beyond it by its own radius, so that a body that lies
    on its trunk keeps its head above the ground.
    """
    roles = find_roles(skeleton)
    legs = {f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "ankle")}
    trunk = [c for c in skeleton.capsules if c.joint == roles.get("pelvis", -1) and c.part == "trunk"]
    named = any("head" in name_tokens(name) for name in skeleton.names)
    if not (legs <= roles.keys() and trunk) or named or "head" in roles or "chest" in roles:
        return []
    top = max(max(c.start[2], c.end[2]) for c in trunk)
    size = _RADII["head"][0] * leg_length(skeleton) / 0.9
    if top < size:
        return []
    low, high = (0.02 * size / 0.085, 0.0, top + 0.6 * size), (0.03 * size / 0.085, 0.0, top + size)
    return [Capsule(roles["pelvis"], low, high, size, 0.96 * size, "", "head")]


def _meshed(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    """The meshes, and the capsules of bodies that have none."""
    shown = {mesh.joint for mesh in skeleton.meshes}
    bare = [capsule for capsule in skeleton.capsules if capsule.joint not in shown]
    return [*map(MeshSolid.of, skeleton.meshes), *map(capsule_solid, bare)]


def capsule_ends(capsules: Sequence[Capsule], positions: Array, orientations: Array) -> Array:
    """[C, 2, 3] both centres of capsules whose joints are at positions [J, 3] with orientations [J, 4]."""
    joints = [capsule.joint for capsule in capsules]
    ends = np.array([(capsule.start, capsule.end) for capsule in capsules])
    return np.asarray(positions[joints][:, None] + rotate(orientations[joints][:, None], ends))


def body_capsules(skeleton: Skeleton) -> list[Capsule]:
    """Capsules for all bones: joint to child, and joint to end site; what a segment is follows from its role.

    The trunk is filled by a pelvis between the hips and a chest between the shoulders; feet with several contact points
    get their outline. A skeleton that brings its own capsules keeps them.
    """
    if skeleton.capsules:
        return list(skeleton.capsules)
    found = find_roles(skeleton)
    roles = {joint: role for role, joint in found.items()}
    scale = leg_length(skeleton) / 0.9
    parts = [_part(skeleton, j, roles, found["pelvis"]) for j in range(len(skeleton))]
    capsules: list[Capsule] = _girdles(skeleton, found, scale)
    for j in range(len(skeleton)):
        for target, offset, child in _targets(skeleton, j):
            length = float(np.linalg.norm(offset))
            part = _bone_part(parts, j, child)
            if part == "trunk" and child < 0 and "head" not in found and j != found["pelvis"]:
                part = "head"
            if not part or (length < 0.02 * scale and child >= 0):
                continue
            a, b = (r * scale for r in _RADII[part])
            start, end = np.zeros(3), offset
            if part == "head":
                start, end = 0.45 * offset, 0.70 * offset
            elif part not in ("trunk", "neck"):
                a, b = (min(r, 0.55 * max(length, 0.06 * scale)) for r in (a, b))
            side = "" if part in ("trunk", "neck", "head") else side_of(skeleton.names[j]) or side_of(target)
            capsules.append(Capsule(j, triple(start), triple(end), a, b, side, part))
    return _with_soles(skeleton, parts, capsules, scale)


def _girdles(skeleton: Skeleton, roles: dict[str, int], scale: float) -> list[Capsule]:
    """The pelvis from hip to hip and the chest from shoulder to shoulder, in the frames of the joints they hang on."""
    rest = skeleton.forward(np.zeros(3), skeleton.rest)
    capsules = []
    for joint, role, share, drop, radius in (
        ("pelvis", "hip", 0.75, 0.0, 0.088),
        ("chest", "shoulder", 0.62, 0.05, 0.092),
    ):
        pair = [roles.get(f"{side}_{role}") for side in ("left", "right")]
        if joint not in roles or pair[0] is None or pair[1] is None:
            continue
        home, turn = rest[0][roles[joint]], conjugate(rest[1][roles[joint]])
        ends = [rest[0][j] - [0.0, 0.0, drop * scale] for j in pair if j is not None]
        middle = 0.5 * (ends[0] + ends[1])
        a, b = (rotate(turn, middle + share * (end - middle) - home) for end in ends)
        if np.linalg.norm(a - b) > 0.05 * scale:
            capsules.append(Capsule(roles[joint], triple(a), triple(b), radius * scale, radius * scale, "", "trunk"))
            if joint == "chest":
                waist = rotate(turn, np.array([0.0, 0.0, -0.12 * scale])) + 0.35 * (a - 0.5 * (a + b))
                flank = rotate(turn, np.array([0.0, 0.0, -0.12 * scale])) + 0.35 * (b - 0.5 * (a + b))
                for top, low in ((a, waist), (b, flank)):
                    pair_radii = (radius * scale, 0.095 * scale)
                    capsules.append(Capsule(roles[joint], triple(top), triple(low), *pair_radii, "", "trunk"))
    return capsules


def _part(skeleton: Skeleton, joint: int, roles: dict[int, str], pelvis: int) -> str:
    """Which part of the body a joint's segment belongs to."""
    for j in reversed(skeleton.chain(joint)):
        role = roles.get(j, "")
        if role in ("pelvis", "chest"):
            return "trunk"
        if role:
            name = role.split("_")[-1]
            far = skeleton.chain(joint).index(joint) - skeleton.chain(joint).index(j)
            return "other" if name in ("wrist", "toe") and far > 0 else name
    return "trunk" if joint <= pelvis or pelvis in skeleton.chain(joint) else "other"


def _bone_part(parts: list[str], joint: int, child: int) -> str:
    """The part that the bone from ``joint`` to ``child`` (or to an end site) shows; empty inside a girdle."""
    part = parts[joint]
    if child >= 0 and (part == "clavicle" or (part == "trunk" and parts[child] in ("hip", "shoulder", "clavicle"))):
        return ""
    if part == "trunk" and child >= 0 and parts[child] in ("neck", "head"):
        return "neck"
    return part


def _targets(skeleton: Skeleton, joint: int) -> list[tuple[str, Array, int]]:
    """(name, offset, child or -1) of everything that hangs on a joint."""
    rows = [(skeleton.names[c], skeleton.offsets[c], c) for c in skeleton.children[joint]]
    return rows + [(e.name, np.array(e.offset), -1) for e in skeleton.ends if e.joint == joint]


def _with_soles(skeleton: Skeleton, parts: list[str], capsules: list[Capsule], scale: float) -> list[Capsule]:
    """Feet that carry several contact points get their outline too: capsules between neighbouring points."""
    for j, part in enumerate(parts):
        points = [np.array(e.offset) for e in skeleton.ends if e.joint == j]
        if part not in ("ankle", "toe") or len(points) < 2:
            continue
        radius = _RADII["toe"][1] * scale
        side = side_of(skeleton.names[j])
        loop = points if len(points) == 2 else [*_around(points), _around(points)[0]]
        for a, b in itertools.pairwise(loop):
            rim = [(float(p[0]), float(p[1]), float(p[2]) + radius) for p in (a, b)]
            capsules.append(Capsule(j, rim[0], rim[1], radius, radius, side, "toe"))
    return capsules


def _around(points: list[Array]) -> list[Array]:
    """Points in order around their centre, seen from above."""
    centre = np.mean(points, axis=0)
    return sorted(points, key=lambda p: float(np.arctan2(p[1] - centre[1], p[0] - centre[0])))
