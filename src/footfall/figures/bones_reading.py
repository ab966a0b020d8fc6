"""Reads the ``.bones`` format that ``footfall.figures.bones`` describes."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.figures.bones import Bone, Bones, Hinge, Monitor
from footfall.figures.inertia import combine, cylinder
from footfall.text_files import is_file, read_text

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
        self.commands: dict[str, Callable[[list[str], str], None]] = {
            "bone": self.bone,
            "seg": self.seg,
            "cofm": self.cofm,
            "mass": self.mass,
            "iner": self.iner,
            "hinge": self.hinge,
            "uhinge": self.hinge,
            "ghinge": self.hinge,
            "mon": self.mon,
            "kpd": self.kpd,
            "set": self.set,
            "include": self.include,
            "weld": self.weld,
            "rename": self.rename,
            "pose": self.pose,
            "unit": self.set_unit,
            "rods": self.set_rods,
        }

    def read(self, text: str, name: str, path: Path | None) -> None:
        self.files.append(path)
        for number, line in enumerate(text.splitlines(), start=1):
            code, _, comment = line.partition("#")
            words = code.split()
            if not words:
                continue
            self.where = f"{name} line {number}"
            if words[0] not in self.commands:
                raise unknown_name(f"bones command ({self.where})", words[0], self.commands)
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
            hinges.append(Hinge(stem if axes == 1 else f"{stem}_{_PLANES[letter]}", axis, sign))
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
