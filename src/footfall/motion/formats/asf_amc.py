"""Acclaim motion, in: an .amc file with the .asf skeleton beside it (the CMU database's own format).

A bone turns in its own axes C: its local rotation is C M C⁻¹ with M from the bone's degrees of freedom. Angles
written in the order X Y Z are applied in that order about fixed axes. Bones become joints at their beginning.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import file_lines, settle
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, from_euler, multiply
from footfall.motion.skeleton.tree import EndSite, Skeleton, triple

_CMU_RATE = 120.0
_DOFS = ("tx", "ty", "tz", "rx", "ry", "rz", "l")


@dataclass
class _Bone:
    name: str
    line: int
    direction: Array = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    dofs: list[str] = field(default_factory=list)
    parent: str = ""


def read_amc(
    path: Path,
    *,
    skeleton: str | Path | None = None,
    unit: str | float = "auto",
    up: str = "auto",
    fps: float | None = None,
) -> Motion:
    """Load an .amc file.

    Args:
        path: the .amc file.
        skeleton: its .asf file; by default the one of the same name, of the name before the first ``_`` (as CMU has
            it), or the only one in the folder.
        unit: of lengths; "auto" takes the one that gives human legs.
        up: the upward axis; "auto" takes what the poses tell.
        fps: frames a second; by default what the file says (``:SAMPLES-PER-SECOND``), else CMU's 120.
    """
    source = _skeleton_file(path) if skeleton is None else Path(skeleton)
    bones, degrees = _read_asf(source)
    frames, said = _read_amc(path, bones, degrees)
    rate = float(fps or said or _CMU_RATE)
    notes = [] if fps or said else [f"the file does not say its rate; {_CMU_RATE:g} frames a second were taken"]
    order = list(bones)
    index = {name: k for k, name in enumerate(order)}
    offsets = np.zeros((len(order), 3))
    rotations = np.empty((len(frames), len(order), 4))
    root_position = np.zeros((len(frames), 3))
    at = 0
    for k, name in enumerate(order):
        bone = bones[name]
        block = frames[:, at : at + len(bone.dofs)]
        at += len(bone.dofs)
        turns = [c for c, dof in enumerate(bone.dofs) if dof.startswith("r")]
        moved = from_euler("".join(bone.dofs[c][1] for c in reversed(turns)), block[:, list(reversed(turns))])
        rotations[:, k] = multiply(multiply(bone.axis, moved), conjugate(bone.axis))
        if k == 0:
            rotations[:, 0] = multiply(bone.axis, moved)
            for c, dof in enumerate(bone.dofs):
                if dof.startswith("t"):
                    root_position[:, "xyz".index(dof[1])] = block[:, c]
        else:
            above = bones[bone.parent]
            offsets[k] = above.direction * above.length
    parents = tuple(-1 if k == 0 else index[bones[name].parent] for k, name in enumerate(order))
    leaves = {k: bones[name] for k, name in enumerate(order) if k not in parents}
    ends = tuple(EndSite("", k, triple(bone.direction * bone.length)) for k, bone in leaves.items())
    raw = Skeleton(tuple(order), parents, offsets, ends=ends)
    frame = settle(raw, root_position, rotations, unit=unit, up=up)
    return frame.motion(
        raw,
        np.arange(len(frames)) / rate,
        root_position,
        rotations,
        {"file": path.name, "format": "amc", "skeleton": source.name, "frame_time": 1.0 / rate},
        notes,
    )


def _skeleton_file(path: Path) -> Path:
    beside = sorted(path.parent.glob("*.asf"))
    for name in (path.stem, path.stem.split("_")[0]):
        for file in beside:
            if file.stem == name:
                return file
    if len(beside) == 1:
        return beside[0]
    raise FootfallError(f"{path}: there is no '{path.stem}.asf' beside it; name the skeleton file")


def _numbers(words: list[str], count: int, path: Path, line: int) -> list[float]:
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = [math.nan]
    if len(values) != count or not all(math.isfinite(v) and abs(v) < 1e7 for v in values):
        raise FootfallError(f"{path}, line {line + 1}: expected {count} numbers, not '{' '.join(words)[:60]}'")
    return values


def _read_asf(path: Path) -> tuple[dict[str, _Bone], bool]:
    """Bones in hierarchical order, root first, and whether angles are in degrees."""
    section, degrees = "", True
    root = _Bone("root", 0, dofs=["tx", "ty", "tz", "rx", "ry", "rz"])
    bones: dict[str, _Bone] = {"root": root}
    bone: _Bone | None = None
    links: list[tuple[int, str, list[str]]] = []
    for number, text in enumerate(file_lines(path, most=1 << 29)):
        words = text.split("#", 1)[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            section = words[0].lower()
            continue
        key, rest = words[0].lower(), words[1:]
        if section == ":units" and key == "angle":
            degrees = not (rest and rest[0].lower().startswith("rad"))
        elif section == ":root":
            if key == "order":
                root.dofs = _dofs(rest, path, number)
            elif key == "orientation":
                root.axis = _axis(rest, "XYZ", degrees, path, number)
        elif section == ":bonedata":
            bone = _bone_line(key, rest, bone, bones, degrees, path, number)
        elif section == ":hierarchy" and key not in ("begin", "end"):
            links.append((number, words[0], rest))
    return _ordered(bones, links, path), degrees


def _bone_line(
    key: str, rest: list[str], bone: _Bone | None, bones: dict[str, _Bone], degrees: bool, path: Path, number: int
) -> _Bone | None:
    if key == "begin":
        return _Bone("", number)
    if bone is None:
        raise FootfallError(f"{path}, line {number + 1}: '{key[:40]}' outside begin and end")
    if key == "end":
        if not bone.name or bone.name in bones:
            raise FootfallError(f"{path}, line {number + 1}: a bone without a name of its own")
        bones[bone.name] = bone
        return None
    if key == "name" and rest:
        bone.name = rest[0]
    elif key == "direction":
        bone.direction = np.array(_numbers(rest, 3, path, number))
    elif key == "length":
        bone.length = _numbers(rest, 1, path, number)[0]
    elif key == "axis":
        bone.axis = _axis(rest[:3], rest[3] if len(rest) > 3 else "XYZ", degrees, path, number)
    elif key == "dof":
        bone.dofs = _dofs(rest, path, number)
    return bone


def _dofs(words: list[str], path: Path, number: int) -> list[str]:
    dofs = [word.lower() for word in words]
    if any(dof not in _DOFS for dof in dofs) or len(set(dofs)) < len(dofs):
        raise FootfallError(f"{path}, line {number + 1}: '{' '.join(words)[:60]}'; freedoms are {', '.join(_DOFS)}")
    return dofs


def _axis(words: list[str], order: str, degrees: bool, path: Path, number: int) -> Array:
    angles = np.array(_numbers(words, 3, path, number))
    if sorted(order.lower()) != ["x", "y", "z"]:
        raise FootfallError(f"{path}, line {number + 1}: '{order[:20]}' is not an order of axes such as XYZ")
    turns = [np.deg2rad(v) if degrees else v for v in angles]
    return from_euler(order.lower()[::-1], np.array(turns[::-1]))


def _ordered(bones: dict[str, _Bone], links: list[tuple[int, str, list[str]]], path: Path) -> dict[str, _Bone]:
    for number, parent, children in links:
        for name in (parent, *children):
            if name not in bones:
                raise FootfallError(
                    f"{path}, line {number + 1}: the hierarchy names '{name[:40]}', which is not a bone"
                )
        for name in children:
            if bones[name].parent or name == "root":
                raise FootfallError(f"{path}, line {number + 1}: bone '{name}' hangs on two others")
            bones[name].parent = parent
    order, waiting = [], ["root"]
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += [child for child in reversed(bones) if bones[child].parent == name and child != "root"]
        if len(order) > len(bones):
            break
    if len(order) != len(bones):
        loose = next((name for name in bones if name not in order), "root")
        raise FootfallError(f"{path}: bone '{loose}' does not hang on the root")
    return {name: bones[name] for name in order}


def _read_amc(path: Path, bones: dict[str, _Bone], degrees: bool) -> tuple[Array, float | None]:
    """[T, freedoms] values, angles in radians, in the order of ``bones``; frames a second where the file says so."""
    starts, at = {}, 0
    for name, bone in bones.items():
        starts[name] = at
        at += len(bone.dofs)
    turning = np.array([dof.startswith("r") for bone in bones.values() for dof in bone.dofs])
    if at == 0:
        raise FootfallError(f"{path}: no bone of the skeleton can move")
    rows: list[Array] = []
    rate: float | None = None
    seen = 0
    moving = sum(1 for bone in bones.values() if bone.dofs)
    lines = file_lines(path, most=1 << 29)
    for number, text in enumerate(lines):
        words = text.split()
        if not words or words[0][0] in "#:":
            degrees = degrees and not (words and words[0].upper().startswith(":RAD"))
            rate = _frame_rate(words, path, number) or rate
            continue
        if len(words) == 1 and words[0].isdigit():
            if rows and seen != moving:
                raise FootfallError(
                    f"{path}, line {number + 1}: the frame before names {seen} bones, it needs {moving}"
                )
            alike = None if rows else _frames_alike(lines[number:], bones, starts)
            if alike is not None:
                rows, seen = list(alike), moving
                break
            rows.append(np.zeros(at))
            seen = 0
            continue
        if not rows:
            raise FootfallError(f"{path}, line {number + 1}: expected a frame number, not '{words[0][:40]}'")
        if words[0] not in bones:
            raise FootfallError(f"{path}, line {number + 1}: '{words[0][:40]}' is not a bone of the skeleton")
        count = len(bones[words[0]].dofs)
        rows[-1][starts[words[0]] : starts[words[0]] + count] = _numbers(words[1:], count, path, number)
        seen += 1
    if not rows or seen != moving:
        raise FootfallError(f"{path}: {'the last frame is cut off' if rows else 'it has no frames'}")
    values = np.stack(rows)
    return (np.where(turning, np.deg2rad(values), values) if degrees else values), rate


def _frame_rate(words: list[str], path: Path, number: int) -> float | None:
    """Frames a second, where a line says how many they are."""
    if not words or words[0].upper() != ":SAMPLES-PER-SECOND":
        return None
    (rate,) = _numbers(words[1:], 1, path, number)
    if not 0 < rate < 1e5:
        raise FootfallError(f"{path}, line {number + 1}: {rate:g} frames a second is not a frame rate")
    return rate


def _frames_alike(lines: list[str], bones: dict[str, _Bone], starts: dict[str, int]) -> Array | None:
    """[T, freedoms] values of frames that all name the same bones in the same order, read column by column, as nearly
    every file has them; None for others, and where something is wrong (line by line it is found where)."""
    lines = [text for text in lines if text and not text.isspace()]
    size = next((k for k, text in enumerate(lines[1:], start=1) if text.strip().isdigit()), len(lines))
    names = [text.split()[0] for text in lines[1:size]]
    moving = [name for name, bone in bones.items() if bone.dofs]
    if (
        sorted(names) != sorted(moving)
        or len(lines) % size
        or not all(text.strip().isdigit() for text in lines[::size])
    ):
        return None
    values = np.empty((len(lines) // size, sum(len(bone.dofs) for bone in bones.values())))
    for k, name in enumerate(names, start=1):
        rows, count = lines[k::size], len(bones[name].dofs)
        words = " ".join(rows).split()
        if len(words) != len(rows) * (count + 1) or words[:: count + 1] != [name] * len(rows):
            return None
        del words[:: count + 1]
        try:
            values[:, starts[name] : starts[name] + count] = np.array(words, dtype=float).reshape(-1, count)
        except ValueError:
            return None
    return values if (np.abs(values) < 1e7).all() else None
