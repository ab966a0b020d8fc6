"""The ``.bones`` format of Laszlo's thesis (appendix B): a skeleton in its reference pose.

    bone <n>                          a new bone, the current one from here on
    seg <x,y,z> <x,y,z>               a straight segment of the current bone
    mass <m>, iner <ix> <iy> <iz>, cofm <x> <y> <z>
    hinge <parent> <x,y,z> <axis>     one rotation against a parent bone; uhinge takes two axes, ghinge three
    kpd hinge <bone>[:<dof>] <kp> <kd>
    mon <x,y,z> [<bone>]              a monitor point, on the bone whose segment is nearest unless one is named
    kpd mon <n> <kp> <kd>             gains of the ground at point n; zeros make it a marker
    set up_mon <a>,<b>,<c>            points that span the up vector: origin, tip, aside; also cofm_mon <swing>,<stance>

Footfall adds

    include <file>                    read another file first
    weld <bone>:<dof> …               hold rotations in the reference pose; a bone held altogether joins its parent
    pose <bone>:<dof> <degrees>       an angle of the default pose, which is otherwise the reference pose
    rename <bone> <name>
    unit <m>                          length of one coordinate
    rods <radius> <density>           bones without a mass are cylinders along their segments, m and kg/m³

A comment on a bone, hinge or monitor line is its name.

The thesis has forward -x, right -z, up +y; footfall has forward x, left y, up z: (x, y, z) -> (-x, z, y), a rotation.
Joint axes become -y (pitch), x (roll) and z (yaw), so that hips are positive forward and to the left; where that turns
an axis round, the joint's sign is -1: footfall's angle = sign · thesis's angle.

As MJCF a skeleton has capsules along its segments and boxes for its feet.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, check_name
from footfall.escaping import markup
from footfall.figures.inertia import combine, cylinder
from footfall.text_files import is_file, read_text


@dataclass(frozen=True)
class BoneHinge:
    """One rotation of a bone against its parent, in footfall's axes."""

    name: str
    axis: tuple[float, float, float]
    sign: float
    """footfall's angle = sign · thesis's angle."""
    kp: float = 0.0
    kd: float = 0.0
    pose: float = 0.0
    """The thesis's angle in the default pose, rad."""
    welded: bool = False


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone in the reference pose, in footfall's axes; positions in the world, inertia about the centre of mass."""

    number: int
    name: str
    parent: int | None = None
    """Number of the parent bone."""
    anchor: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    """[3], where its hinges are; for the first bone the middle of its segments."""
    hinges: tuple[BoneHinge, ...] = ()
    segments: tuple[NDArray[np.float64], ...] = ()
    """Each [2, 3]."""
    radii: tuple[float, ...] = ()
    """How thick its segments are drawn: as the matter of its mass at the density of water, m."""
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    inertia: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Monitor:
    """A monitor point in the reference pose, in footfall's axes."""

    name: str
    position: NDArray[np.float64]
    bone: int
    ground: bool = True


@dataclass(frozen=True, eq=False)
class Bones:
    """A skeleton as a ``.bones`` file describes it, in footfall's axes."""

    bones: dict[int, Bone]
    monitors: tuple[Monitor, ...]
    settings: dict[str, tuple[int, ...]]

    @property
    def hinges(self) -> tuple[BoneHinge, ...]:
        """Every rotation in the script's order: the columns of the thesis's pose tables."""
        return tuple(hinge for bone in self.bones.values() for hinge in bone.hinges if not hinge.welded)

    def rigid(self) -> "Bones":
        """The same skeleton with every bone that is welded altogether made part of its parent."""
        bones = dict(self.bones)
        owner = {number: number for number in bones}
        for number in reversed(list(bones)):
            bone = bones[number]
            if bone.parent is None or not all(hinge.welded for hinge in bone.hinges):
                continue
            parent = bones[bone.parent]
            mass, com, inertia = combine(
                np.asarray(parent.mass), parent.com, parent.inertia, np.asarray(bone.mass), bone.com, bone.inertia
            )
            bones[bone.parent] = replace(
                parent,
                mass=float(mass),
                com=com,
                inertia=inertia,
                segments=(*parent.segments, *bone.segments),
                radii=(*parent.radii, *bone.radii),
            )
            del bones[number]
            owner = {key: bone.parent if value == number else value for key, value in owner.items()}
            for key, child in bones.items():
                if child.parent == number:
                    bones[key] = replace(child, parent=bone.parent)
        monitors = tuple(replace(monitor, bone=owner[monitor.bone]) for monitor in self.monitors)
        return Bones(bones, monitors, self.settings)


_NAMES = {"upper_leg": "thigh", "lower_leg": "shank"}
LARGEST = 1e9
"""Of the numbers in a file: no mass, length or gain comes near it."""
_PLANES = {"x": "roll", "y": "yaw", "z": "pitch"}


def read_bones(source: str | Path) -> Bones:
    """Read a ``.bones`` file, or text of one (anything with a line break in it)."""
    reader = _Reader()
    if isinstance(source, str) and "\n" in source:
        reader.read(source, "bones text", None)
    else:
        path = Path(source)
        if not is_file(path):
            raise FootfallError(f"bones file {path} does not exist")
        reader.read(read_text(path), str(path), path)
    return reader.finish()


class _Reader:
    """Collects the commands of a file; ``finish`` makes a skeleton of them."""

    def __init__(self) -> None:
        self.bones: dict[int, Bone] = {}
        self.monitors: list[tuple[str, NDArray[np.float64], int | None]] = []
        self.markers: set[int] = set()
        self.settings: dict[str, tuple[int, ...]] = {}
        self.rods: tuple[float, float] | None = None
        self.unit = 1.0
        self.current = 0
        self.where = ""
        self.files: list[Path | None] = []
        own = "bone seg cofm mass iner hinge mon kpd set include weld rename pose"
        self.commands: dict[str, Callable[[list[str], str], None]] = {name: getattr(self, name) for name in own.split()}
        self.commands |= {"uhinge": self.hinge, "ghinge": self.hinge, "unit": self.set_unit, "rods": self.set_rods}

    def read(self, text: str, name: str, path: Path | None) -> None:
        self.files.append(path)
        for number, line in enumerate(text.splitlines(), start=1):
            code, _, comment = line.partition("#")
            words = code.split()
            if not words:
                continue
            self.where = f"{name} line {number}"
            check_name(f"bones command ({self.where})", words[0], self.commands)
            self.words = words[0]
            self.commands[words[0]](words[1:], comment.strip())
        self.files.pop()

    def fail(self, message: str) -> FootfallError:
        return FootfallError(f"{self.where}: {message}")

    def numbers(self, words: list[str], count: int, form: str) -> list[float]:
        try:
            values = [float(v) for word in words for v in word.split(",") if v]
        except ValueError:
            values = []
        if len(values) != count or not np.all(np.abs(values) <= LARGEST):
            raise self.fail(f"'{self.words} {' '.join(words)}' should read '{self.words} {form}'")
        return values

    def integer(self, word: str, form: str) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise self.fail(f"'{word}' is not a number; the line should read '{self.words} {form}'")
        return int(word)

    def point(self, xyz: list[float]) -> NDArray[np.float64]:
        return self.unit * _turned(xyz)

    def change(self, **values: object) -> None:
        if self.current not in self.bones:
            raise self.fail(f"'{self.words}' needs a bone before it")
        self.bones[self.current] = replace(self.bones[self.current], **values)  # type: ignore[arg-type]

    def bone(self, words: list[str], comment: str) -> None:
        number = self.integer(words[0] if words else "", "<number>")
        if number in self.bones:
            raise self.fail(f"bone {number} is there already")
        self.bones[number] = Bone(number, _slug(comment) or f"bone{number}")
        self.current = number

    def seg(self, words: list[str], comment: str) -> None:
        v = self.numbers(words, 6, "<x>,<y>,<z> <x>,<y>,<z>")
        if self.current in self.bones:
            segment = np.stack([self.point(v[:3]), self.point(v[3:])])
            self.change(segments=(*self.bones[self.current].segments, segment))
        else:
            self.change()

    def cofm(self, words: list[str], comment: str) -> None:
        self.change(com=self.point(self.numbers(words[:3], 3, "<x> <y> <z>")))

    def mass(self, words: list[str], comment: str) -> None:
        (value,) = self.numbers(words, 1, "<kg>")
        if value <= 0.0:
            raise self.fail(f"mass {value:g} is not positive")
        self.change(mass=value)

    def iner(self, words: list[str], comment: str) -> None:
        x, y, z = self.numbers(words, 3, "<ix> <iy> <iz>")
        if min(x, y, z) <= 0.0:
            raise self.fail("moments of inertia are positive")
        self.change(inertia=np.diag([x, z, y]))

    def hinge(self, words: list[str], comment: str) -> None:
        axes = {"hinge": 1, "uhinge": 2, "ghinge": 3}[self.words]
        form = "<parent> <x>,<y>,<z>" + " <ax>,<ay>,<az>" * axes
        parent = self.integer(words[0] if words else "", form)
        if parent not in self.bones or parent == self.current:
            raise self.fail(f"parent bone {parent} is not there yet")
        v = self.numbers(words[1:], 3 + 3 * axes, form)
        bone = self.bones.get(self.current)
        side = re.match(r"(left|right)_", bone.name if bone else "")
        label = _slug(comment.split(" - ")[0].split("(")[0]) or f"hinge{self.current}"
        stem = label if label.startswith(("left_", "right_")) or not side else f"{side[0]}{label}"
        hinges = []
        for i in range(axes):
            letter, axis, sign = self.axis(v[3 + 3 * i : 6 + 3 * i])
            hinges.append(BoneHinge(stem if axes == 1 else f"{stem}_{_PLANES[letter]}", axis, sign))
        self.change(parent=parent, anchor=self.point(v[:3]), hinges=tuple(hinges))

    def axis(self, xyz: list[float]) -> tuple[str, tuple[float, float, float], float]:
        at = [i for i, value in enumerate(xyz) if value != 0.0]
        if len(at) != 1:
            raise self.fail(f"hinge axis {xyz} should be along x, y or z")
        turned = _turned(xyz) / abs(xyz[at[0]])
        wanted = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)][at[0]])
        return "xyz"[at[0]], (wanted[0], wanted[1], wanted[2]), float(turned @ wanted)

    def mon(self, words: list[str], comment: str) -> None:
        v = self.numbers(words[:1] if len(words) == 2 else words, 3, "<x>,<y>,<z> [<bone>]")
        bone = self.integer(words[1], "<x>,<y>,<z> [<bone>]") if len(words) == 2 else None
        if bone is not None and bone not in self.bones:
            raise self.fail(f"bone {bone} is not there")
        label = comment.split(" - ")[-1]
        self.monitors.append((_slug(label) or f"mon{len(self.monitors) + 1}", self.point(v), bone))

    def kpd(self, words: list[str], comment: str) -> None:
        form = "hinge <bone>[:<dof>] <kp> <kd>"
        if len(words) != 4 or words[0] not in ("hinge", "mon"):
            raise self.fail(f"'kpd {' '.join(words)}' should read 'kpd {form}' or 'kpd mon <n> <kp> <kd>'")
        kp, kd = self.numbers(words[2:], 2, form)
        if min(kp, kd) < 0.0:
            raise self.fail("gains are not negative")
        if words[0] == "hinge":
            self.change_hinge(words[1], form, kp=kp, kd=kd)
            return
        number = self.integer(words[1], "mon <n> <kp> <kd>")
        if not 1 <= number <= len(self.monitors):
            raise self.fail(f"monitor point {number} is not there")
        if kp == 0.0 and kd == 0.0:
            self.markers.add(number - 1)

    def weld(self, words: list[str], comment: str) -> None:
        for word in words:
            self.change_hinge(word, "<bone>:<dof> …", welded=True)

    def rename(self, words: list[str], comment: str) -> None:
        number = self.integer(words[0] if words else "", "<bone> <name>")
        if number not in self.bones or len(words) != 2:
            raise self.fail(f"'rename {' '.join(words)}' should read 'rename <bone> <name>'")
        self.bones[number] = replace(self.bones[number], name=_slug(words[1]))

    def pose(self, words: list[str], comment: str) -> None:
        form = "<bone>:<dof> <degrees>"
        (degrees,) = self.numbers(words[1:], 1, form)
        self.change_hinge(words[0] if words else "", form, pose=float(np.radians(degrees)))

    def change_hinge(self, word: str, form: str, **values: object) -> None:
        bone_text, _, dof_text = word.partition(":")
        bone, dof = self.integer(bone_text, form), self.integer(dof_text or "0", form)
        if bone not in self.bones or dof >= len(self.bones[bone].hinges):
            raise self.fail(f"bone {bone} has no hinge {dof}")
        hinges = list(self.bones[bone].hinges)
        hinges[dof] = replace(hinges[dof], **values)  # type: ignore[arg-type]
        self.bones[bone] = replace(self.bones[bone], hinges=tuple(hinges))

    def set(self, words: list[str], comment: str) -> None:
        if not words or words[0] not in ("up_mon", "cofm_mon"):
            raise self.fail(f"'set {' '.join(words)}': a skeleton sets up_mon or cofm_mon")
        count = 3 if words[0] == "up_mon" else 2
        values = tuple(int(v) for v in self.numbers(words[1:], count, f"{words[0]} " + ",".join(["<n>"] * count)))
        if any(not 1 <= v <= len(self.monitors) for v in values):
            raise self.fail(f"{words[0]} names a monitor point that is not there")
        self.settings[words[0]] = values

    def set_unit(self, words: list[str], comment: str) -> None:
        (self.unit,) = self.numbers(words, 1, "<metres>")

    def set_rods(self, words: list[str], comment: str) -> None:
        radius, density = self.numbers(words, 2, "<radius> <density>")
        self.rods = (radius, density)

    def include(self, words: list[str], comment: str) -> None:
        here = self.files[-1]
        if len(words) != 1 or here is None:
            raise self.fail("'include' takes the name of a file beside this one")
        path = here.parent / words[0]
        if not is_file(path):
            raise self.fail(f"included file {path} does not exist")
        if path in self.files:
            raise self.fail(f"{path} includes itself")
        where = self.where
        self.read(read_text(path), str(path), path)
        self.where = where

    def finish(self) -> Bones:
        if not self.bones:
            raise self.fail("there is no bone")
        roots = [bone for bone in self.bones.values() if bone.parent is None]
        if len(roots) != 1:
            raise self.fail(
                f"bones {', '.join(str(b.number) for b in roots)} have no hinge; one bone, the root, has none"
            )
        for number, bone in self.bones.items():
            if bone.mass == 0.0:
                self.bones[number] = self.rod_mass(bone)
            else:
                length = sum(float(np.linalg.norm(segment[1] - segment[0])) for segment in bone.segments)
                self.bones[number] = replace(bone, radii=(_capsule(bone.mass, length),) * len(bone.segments))
        root = roots[0]
        middle = np.mean(np.concatenate(root.segments), axis=0) if root.segments else root.com
        self.bones[root.number] = replace(self.bones[root.number], anchor=middle)
        monitors = [
            Monitor(name, position, self.nearest(position) if bone is None else bone, i not in self.markers)
            for i, (name, position, bone) in enumerate(self.monitors)
        ]
        return Bones(dict(self.bones), tuple(monitors), dict(self.settings))

    def rod_mass(self, bone: Bone) -> Bone:
        if self.rods is None or not bone.segments:
            raise self.fail(f"bone {bone.number} ({bone.name}) has no mass")
        mass, com, inertia = np.zeros(()), np.zeros(3), np.zeros((3, 3))
        for segment in bone.segments:
            mass, com, inertia = combine(mass, com, inertia, *cylinder(segment[0], segment[1], *self.rods))
        return replace(bone, mass=float(mass), com=com, inertia=inertia, radii=(self.rods[0],) * len(bone.segments))

    def nearest(self, position: NDArray[np.float64]) -> int:
        distances = {
            bone.number: min((_distance(position, segment) for segment in bone.segments), default=np.inf)
            for bone in self.bones.values()
        }
        return min(distances, key=lambda number: distances[number])


def _capsule(mass: float, length: float) -> float:
    """Radius of a capsule of that mass in water: π r² l + 4/3 π r³ = m/ρ."""
    roots = np.roots([4.0 / 3.0 * np.pi, np.pi * length, 0.0, -mass / 1000.0])
    return float(max(root.real for root in roots if abs(root.imag) < 1e-9))


def _distance(point: NDArray[np.float64], segment: NDArray[np.float64]) -> float:
    """From ``point`` [3] to ``segment`` [2, 3], in micrometres' resolution so that ties go to the earlier bone."""
    span = segment[1] - segment[0]
    along = np.clip((point - segment[0]) @ span / max(float(span @ span), 1e-30), 0.0, 1.0)
    return round(float(np.linalg.norm(segment[0] + along * span - point)), 6)


def _turned(xyz: list[float]) -> NDArray[np.float64]:
    """A vector of the thesis's axes in footfall's."""
    x, y, z = xyz
    return np.array([-x, z, y]) + 0.0


def _slug(label: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
    for old, new in _NAMES.items():
        name = name.replace(old, new)
    return name


SOLE = 0.01
"""Radius of the spheres that MuJoCo's own contacts see at a foot's points."""

_HEAD = """<mujoco model="{name}">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0 0 -9.8" timestep="0.0005" integrator="implicitfast"/>
  <default>
    <default class="figure">
      <joint type="hinge"/>
      <geom contype="2" conaffinity="0" group="2" friction="1" rgba="0.55 0.60 0.66 1"/>
      <site size="0.012" rgba="0.85 0.30 0.20 1"/>
      <default class="right">
        <geom rgba="0.80 0.45 0.30 1"/>
      </default>
      <default class="sole">
        <geom type="sphere" size="{sole:g}" contype="1" priority="1" group="3" rgba="0.85 0.30 0.20 1"/>
      </default>
    </default>
  </default>
"""


def bones_to_mjcf(bones: Bones, name: str) -> str:
    """MJCF text of a skeleton on a free root, in its reference pose; body frames are at the hinges, in world axes.

    Args:
        bones: the skeleton; bones that are welded altogether become part of their parents.
        name: the model's name.
    """
    rigid = _with_bars(bones).rigid()
    children: dict[int | None, list[Bone]] = {}
    for bone in rigid.bones.values():
        children.setdefault(bone.parent, []).append(bone)
    (root,) = children[None]
    lines = [_HEAD.format(name=markup(name), sole=SOLE)]
    torso = _torso(rigid)
    lines.append(f'  <custom>\n    <text name="torso" data="{markup(torso)}"/>\n  </custom>\n')
    lines.append("  <worldbody>")
    lines += _body(rigid, children, root, np.zeros(3), "    ")
    lines.append("  </worldbody>\n\n  <actuator>")
    for hinge in _hinges(children, root):
        own = markup(hinge.name)
        lines.append(f'    <position name="{own}" joint="{own}" kp="{hinge.kp:g}" kv="{hinge.kd:g}"/>')
    height = root.anchor[2] - min((m.position[2] for m in rigid.monitors), default=0.0)
    angles = _text([hinge.sign * hinge.pose for hinge in _hinges(children, root)])
    pose = f"0 0 {height:.12g}  1 0 0 0  {angles}"
    lines.append(f'  </actuator>\n\n  <keyframe>\n    <key name="home" qpos="{pose}"/>\n  </keyframe>\n</mujoco>\n')
    return "\n".join(lines)


def _torso(bones: Bones) -> str:
    """The bone that carries the up vector, or else the first."""
    if "up_mon" in bones.settings:
        return bones.bones[bones.monitors[bones.settings["up_mon"][0] - 1].bone].name
    return next(iter(bones.bones.values())).name


def _hinges(children: dict[int | None, list[Bone]], bone: Bone) -> Iterator[BoneHinge]:
    """The free hinges in the order in which MuJoCo numbers joints: depth first."""
    yield from (hinge for hinge in bone.hinges if not hinge.welded)
    for child in children.get(bone.number, []):
        yield from _hinges(children, child)


def _body(
    bones: Bones, children: dict[int | None, list[Bone]], bone: Bone, origin: NDArray[np.float64], indent: str
) -> list[str]:
    inner = indent + "  "
    style = "right" if bone.name.startswith("right_") else "figure"
    lines = [f'{indent}<body name="{markup(bone.name)}" pos="{_text(bone.anchor - origin)}" childclass="{style}">']
    if bone.parent is None:
        lines.append(f'{inner}<freejoint name="root"/>')
    for hinge in bone.hinges:
        if not hinge.welded:
            lines.append(f'{inner}<joint name="{markup(hinge.name)}" axis="{_text(hinge.axis)}"/>')
    i = bone.inertia
    full = _text([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    tensor = f'diaginertia="{_text(np.diag(i))}"' if np.allclose(i, np.diag(np.diag(i))) else f'fullinertia="{full}"'
    lines.append(f'{inner}<inertial pos="{_text(bone.com - bone.anchor)}" mass="{bone.mass:.12g}" {tensor}/>')
    points = [monitor for monitor in bones.monitors if monitor.bone == bone.number]
    lines += [inner + line for line in _geoms(bone, points)]
    for point in points:
        group = "" if point.ground else ' group="4"'
        lines.append(f'{inner}<site name="{markup(point.name)}" pos="{_text(point.position - bone.anchor)}"{group}/>')
    for child in children.get(bone.number, []):
        lines += _body(bones, children, child, bone.anchor, inner)
    return [*lines, f"{indent}</body>"]


def _geoms(bone: Bone, points: list[Monitor]) -> list[str]:
    soles = [p.position - bone.anchor for p in points if p.ground] if "foot" in bone.name else []
    lines = []
    if len(soles) >= 3:
        low, high = np.min(soles, axis=0), np.max(soles, axis=0)
        top = max(0.4 * low[2], low[2] + 2.0 * SOLE)
        centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + top) / 2]
        size = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (top - low[2]) / 2]
        lines.append(f'<geom type="box" pos="{_text(centre)}" size="{_text(size)}"/>')
    elif bone.segments:
        for segment, radius in zip(bone.segments, bone.radii):
            ends = _text((segment - bone.anchor).ravel())
            lines.append(f'<geom type="capsule" fromto="{ends}" size="{radius:.4g}"/>')
    for sole in soles:
        lines.append(f'<geom class="sole" pos="{_text(sole + np.array([0.0, 0.0, SOLE]))}"/>')
    return lines


def _with_bars(bones: Bones) -> Bones:
    """With a segment across from each left limb's joint to the right one's, which carries the pair."""
    barred = dict(bones.bones)
    named = {bone.name: bone for bone in bones.bones.values()}
    for left in bones.bones.values():
        right = named.get(left.name.replace("left_", "right_", 1))
        if right is None or right is left or left.parent is None or right.parent != left.parent:
            continue
        parent = barred[left.parent]
        segments = (*parent.segments, np.stack([left.anchor, right.anchor]))
        radii = (*parent.radii, min((*left.radii, *right.radii), default=2.0 * SOLE))
        barred[left.parent] = replace(parent, segments=segments, radii=radii)
    return replace(bones, bones=barred)


def _text(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " ".join(f"{float(v):.12g}" for v in np.asarray(values) + 0.0)
