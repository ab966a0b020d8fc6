"""What readers of motion files share: units, axes, joint names, and opening a file.

What is given of unit and upward axis counts, then what the file says, then a guess, which is marked as such in the
motion's ``source`` (``unit_from``, ``up_from``), so that reports say so. Joint names are made unique, and kept to a
length that a person can read.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from footfall.errors import FootfallError, check_name, unknown_name
from footfall.escaping import plain_line
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, normalised
from footfall.motion.skeleton.roles import bone_length, find_roles, has_legs, leg_length
from footfall.motion.skeleton.tree import Skeleton, triple

UNITS: Mapping[str, float] = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres in a unit; ``cmu`` is that of the CMU database (inches over 0.45), ``dm`` that of MakeHuman."""

Up = Literal["x", "-x", "y", "-y", "z", "-z"]
UP_AXES: tuple[Up, ...] = ("y", "z", "x", "-y", "-z", "-x")

_TO_FOOTFALL: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "y": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "z": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "x": ((0, 0, 1), (0, -1, 0), (1, 0, 0)),
    "-y": ((0, 0, 1), (-1, 0, 0), (0, -1, 0)),
    "-z": ((0, 1, 0), (1, 0, 0), (0, 0, -1)),
    "-x": ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
}
_FULL_NAMES = (("millim", "mm"), ("centim", "cm"), ("decim", "dm"), ("inch", "inch"), ("met", "m"))


def file_bytes(path: Path, what: str = "a motion", most: int = 1 << 28) -> bytes:
    """The content of a file, if it is no larger than ``what`` it should be may be."""
    try:
        check_size(path, what, most)
        return path.read_bytes()
    except OSError as error:
        raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error


def check_size(path: Path, what: str, most: int = 1 << 28) -> None:
    """Refuse a file that is larger than ``what`` it should be may be."""
    if path.stat().st_size > most:
        raise FootfallError(f"{path}: too large (at most {most >> 20} MB) for {what}")


def file_lines(path: Path, what: str = "a motion", most: int = 1 << 28) -> list[str]:
    """The lines of a text file; bytes that are no text become question marks."""
    return file_bytes(path, what, most).decode("utf-8-sig", errors="replace").splitlines()


def number_rows(lines: Sequence[tuple[int, str]], width: int, path: Path, between: str | None = None) -> Array:
    """[T, width] the numbers of lines, each given with the number by which errors name it."""
    table = np.empty((len(lines), width))
    for k, (number, line) in enumerate(lines):
        cells = line.split(between)
        if len(cells) != width:
            raise FootfallError(f"{path}, line {number}: {len(cells)} values, but there are {width} columns")
        try:
            table[k] = [float(cell) for cell in cells]
        except ValueError as error:
            raise FootfallError(f"{path}, line {number}: {error}") from error
    return table


def axes_from_up(up: str) -> Array:
    """[3, 3] the turn from a file's axes to footfall's (x forward, y left, z up).

    A file with x or y up, or down, looks along its z axis; one with z up (as Blender writes) along -y, with z down
    along y.
    """
    check_name("up axis", up, _TO_FOOTFALL)
    return np.array(_TO_FOOTFALL[up], dtype=float)


def turned(axes: Array, quaternions: Array) -> Array:
    """Quaternions [..., 4] of the same rotations seen in axes turned by ``axes`` [3, 3]."""
    return np.concatenate([quaternions[..., :1], quaternions[..., 1:] @ axes.T], axis=-1)


def seen_in(skeleton: Skeleton, axes: Array, scale: float = 1.0) -> Skeleton:
    """A skeleton whose joints are not turned at rest, in axes turned by ``axes`` [3, 3] and in other lengths."""
    ends = [replace(end, offset=triple(np.asarray(end.offset) @ axes.T * scale)) for end in skeleton.ends]
    return replace(skeleton, offsets=skeleton.offsets @ axes.T * scale, ends=tuple(ends))


def metres_per(unit: str | float) -> float:
    """Metres in a unit given by name or as a number."""
    try:
        value = UNITS[unit] if isinstance(unit, str) and unit in UNITS else float(unit)
    except ValueError:
        raise unknown_name("unit", str(unit), UNITS) from None
    if not (math.isfinite(value) and 1e-9 < value < 1e9):
        raise FootfallError(f"unit: {unit} is not a length in metres")
    return value


def unit_named(text: str) -> str | None:
    """The unit that a file names in its own words ("mm", "meters", "mete" …), or None where that is not a length."""
    word = text.strip().strip("\0").lower()
    if word in UNITS:
        return word
    return next((unit for start, unit in _FULL_NAMES if word.startswith(start)), None)


PLAUSIBLE_LEG = (0.35, 1.1)
"""Shortest and longest thigh plus shank of a walking person, metres: a child of two, and a very tall grown-up."""

_HUMAN_LEG, _HUMAN_HEIGHT = 0.86, 1.4
"""Metres of a grown person's thigh and shank, and of all bones from ankle to head."""


@dataclass(frozen=True, eq=False)
class Frame:
    """How a file's lengths and axes become footfall's.

    Attributes:
        unit: its name, or metres.
        scale: metres in it.
        up: the file's upward axis.
        axes: [3, 3] the turn from the file's axes to footfall's.
        notes: what a reader of the report should know.
        origins: ``unit_from`` and ``up_from``: "given", "file" or "guess".
    """

    unit: str | float
    scale: float
    up: str
    axes: Array
    notes: list[str]
    origins: dict[str, str]

    def motion(
        self,
        skeleton: Skeleton,
        times: Array,
        root_position: Array,
        rotations: Array,
        source: Mapping[str, Any],
        notes: Sequence[str] = (),
    ) -> Motion:
        """Poses in the file's lengths and axes as a motion.

        Args:
            skeleton: in the file's lengths and axes.
            times: [T].
            root_position: [T, 3].
            rotations: [T, J, 4].
            source: what else is known of the motion.
            notes: of its reader.
        """
        said = [*notes, *self.notes]
        moved = seen_in(skeleton, self.axes, self.scale)
        known = {**source, "unit": self.unit, "up": self.up, **self.origins, **({"notes": said} if said else {})}
        place, turns = root_position @ self.axes.T * self.scale, normalised(turned(self.axes, rotations))
        return Motion(moved, times, place, turns, source=known)


def settle(
    skeleton: Skeleton,
    root_position: Array,
    rotations: Array,
    *,
    unit: str | float = "auto",
    up: str = "auto",
    said: Mapping[str, str] | None = None,
) -> Frame:
    """Unit and upward axis of poses in a file's own lengths and axes.

    Args:
        skeleton: in the file's lengths and axes.
        root_position: [T, 3].
        rotations: [T, J, 4].
        unit: given by the user, or "auto".
        up: given by the user, or "auto".
        said: what the file itself says, by ``unit`` and ``up``.
    """
    said = said or {}
    named = unit if unit != "auto" else said.get("unit") or guess_unit(skeleton)
    upward = up if up != "auto" else said.get("up") or guess_up(skeleton, root_position, rotations)
    origins = {
        f"{name}_from": "given" if given != "auto" else "file" if said.get(name) else "guess"
        for name, given in (("unit", unit), ("up", up))
    }
    scale = metres_per(named)
    leg = leg_length(skeleton) * scale
    notes = []
    if origins["unit_from"] == "guess" and has_legs(skeleton) and not PLAUSIBLE_LEG[0] <= leg <= PLAUSIBLE_LEG[1]:
        notes.append(
            f"no known unit gives this skeleton the legs of a person; in '{named}' they are {leg:.2f} m long: "
            "name the unit"
        )
    return Frame(named, scale, upward, axes_from_up(upward), notes, origins)


def guess_unit(skeleton: Skeleton) -> str:
    """The unit in which this skeleton is as tall as a person.

    Among the units that give legs (thigh and shank) between 0.35 and 1.1 m (all, where none does) it is the one nearest
    to a grown person's bones from ankle to head, 1.4 m; where no head is known, to a grown person's legs, 0.86 m.
    """
    leg, roles = leg_length(skeleton), find_roles(skeleton)
    size, usual = leg, _HUMAN_LEG
    if "head" in roles and has_legs(skeleton):
        size, usual = leg + bone_length(skeleton, 0, roles["head"]), _HUMAN_HEIGHT
    low, high = PLAUSIBLE_LEG
    likely = [unit for unit, metres in UNITS.items() if low <= leg * metres <= high] or list(UNITS)
    return min(likely, key=lambda unit: abs(math.log(size * UNITS[unit] / usual)))


def guess_up(skeleton: Skeleton, root_position: Array, rotations: Array) -> Up:
    """The signed file axis that points up; y where the names do not tell where head and feet are.

    For each axis the cosines between it and the line from feet to head are added up: in the rest pose, in the first
    frame and over the whole motion. The height of the lowest joint along the axis must stay level, since something
    stands or lies on the ground all the time: its spread, in leg lengths, counts against the axis (at most 1). A body
    that falls and lies for long is so not taken for a change of axes.
    """
    roles = find_roles(skeleton)
    top = roles.get("head", roles.get("neck", roles.get("chest")))
    feet = [roles[role] for role in ("left_ankle", "right_ankle") if role in roles]
    if top is None or not feet:
        return "y"
    every = max(len(root_position) // 50, 1)
    positions = skeleton.forward(root_position[::every], rotations[::every])[0]
    rest = skeleton.rest_positions()
    body = _direction(positions[:, top] - positions[:, feet].mean(axis=1))
    standing = _direction(rest[top] - rest[feet].mean(axis=0))
    leg = leg_length(skeleton)
    best: dict[Up, float] = {}
    for axis in UP_AXES:
        upward = axes_from_up(axis)[2]
        lowest = (positions @ upward).min(axis=1)
        spread = float(np.percentile(lowest, 90) - np.percentile(lowest, 10)) / leg
        best[axis] = float(standing @ upward + body[0] @ upward + (body @ upward).mean() - min(spread, 1.0))
    return max(best, key=lambda axis: round(best[axis], 3))


def _direction(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))


_LONGEST = 120


def tidy_names(names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Names that differ from each other, of at most 120 characters, and a note for each that was changed."""
    taken: set[str] = set()
    result, notes = [], []
    for k, name in enumerate(plain_line(name).strip() for name in names):
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        unique, count = short or f"joint{k}", 1
        while unique in taken:
            count += 1
            unique = f"{short}_{count}"
        if len(short) < len(name):
            notes.append(f"joint '{unique[:40]}…': its name of {len(name)} characters was shortened")
        elif unique != short and name:
            notes.append(f"joint '{unique}' was renamed: another bears its name")
        taken.add(unique)
        result.append(unique)
    return tuple(result), notes
