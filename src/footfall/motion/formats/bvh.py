"""BVH files, in: any order of channels, any unit, y or z up.

The position channels of a root replace its OFFSET (as every tool that writes BVH takes them). Position channels of
other joints replace the OFFSET where they are constant. Where they move, a joint that carries most of the body gives
its travel to the root; of others the mean is taken.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import Up, axes_from_up, guess_unit, guess_up, metres_per, turned
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_euler, normalised
from footfall.motion.skeleton.shape_roles import with_roles
from footfall.motion.skeleton.travel import fold_travel
from footfall.motion.skeleton.tree import EndSite, Skeleton

__all__ = ["read_bvh"]

_CHANNELS = {f"{axis}{kind}": (kind[0], axis.lower()) for axis in "XYZ" for kind in ("position", "rotation")}
_LARGEST = 1 << 28
_MOST_JOINTS = 2000
_FARTHEST = 1e7


@dataclass
class _Joint:
    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] | None = None
    ends: list[tuple[float, float, float]] = field(default_factory=list)


def read_bvh(path: Path, *, unit: str | float = "auto", up: Up | str = "auto") -> Motion:
    """Load a BVH file as a motion in metres, x forward, y left, z up.

    Args:
        path: the file.
        unit: "m", "cm", "mm", "inch", "cmu", metres as a number, or "auto": the one that gives human legs.
        up: the file's upward axis, "y" or "z", or "auto": the one along which the head stands above the feet.
    """
    joints, frame_time, values = _Reader(path).read()
    names, renamed = _unique([joint.name for joint in joints])
    offsets = np.array([joint.offset for joint in joints], dtype=float)
    root_position = np.tile(offsets[0], (len(values), 1))
    rotations = np.empty((len(values), len(joints), 4))
    notes = [f"joint '{name}' was renamed: another bears its name" for name in renamed]
    sliding: dict[int, Array] = {}
    at = 0
    for j, joint in enumerate(joints):
        channels = joint.channels or []
        block = values[:, at : at + len(channels)]
        at += len(channels)
        turns = [k for k, (kind, _) in enumerate(channels) if kind == "r"]
        rotations[:, j] = from_euler("".join(channels[k][1] for k in turns), np.deg2rad(block[:, turns]))
        moved = _positions(channels, block, offsets[j])
        if moved is not None and j == 0:
            root_position = moved
        elif moved is not None and np.abs(moved).max() > 1e-2 * np.abs(offsets[j]).max():
            offsets[j] = moved.mean(axis=0)
            sliding[j] = moved
    parents = tuple(joint.parent for joint in joints)
    root_position, offsets, home = fold_travel(parents, offsets, root_position, rotations, sliding)
    if home is not None:
        notes.append(f"the travel of joint '{names[home]}' was given to the root")
    for j, moved in sliding.items():
        if np.any(offsets[j]) and np.ptp(moved, axis=0).max() > 1e-3 * max(float(np.abs(moved).max()), 1e-9):
            notes.append(f"joint '{names[j]}' slides in the file; its mean offset was taken")
    raw = with_roles(Skeleton(names, parents, offsets), root_position, rotations)
    upward = guess_up(raw, root_position, rotations) if up == "auto" else up
    axes = axes_from_up(upward)
    named = guess_unit(raw) if unit == "auto" else unit
    scale = metres_per(named)
    ends = [(j, np.array(end) @ axes.T * scale) for j, joint in enumerate(joints) for end in joint.ends]
    layout: dict[str, Any] = {
        "unit": scale,
        "up": upward,
        "channels": [[axis.upper() + _KINDS[kind] for kind, axis in joint.channels or []] for joint in joints],
    }
    source = {"file": path.name, "format": "bvh", "unit": named, "frame_time": frame_time, "bvh": layout}
    return Motion(
        skeleton=Skeleton(
            names,
            parents,
            offsets @ axes.T * scale,
            ends=tuple(EndSite("", j, (float(p[0]), float(p[1]), float(p[2]))) for j, p in ends),
            roles=raw.roles,
        ),
        times=frame_time * np.arange(len(values), dtype=float),
        root_position=root_position @ axes.T * scale,
        rotations=normalised(turned(axes, rotations)),
        source=source | ({"notes": notes} if notes else {}),
    )


_KINDS = {"p": "position", "r": "rotation"}


def _positions(channels: list[tuple[str, str]], block: Array, offset: Array) -> Array | None:
    """[T, 3] positions from a joint's channels, its OFFSET where an axis has none; None without any."""
    columns = {axis: k for k, (kind, axis) in enumerate(channels) if kind == "p"}
    if not columns:
        return None
    places = np.tile(offset, (len(block), 1))
    for k, axis in enumerate("xyz"):
        if axis in columns:
            places[:, k] = block[:, columns[axis]]
    return places


def _unique(names: list[str]) -> tuple[tuple[str, ...], list[str]]:
    taken: dict[str, int] = {}
    result, renamed = [], []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            name = f"{name}_{taken[name]}"
            renamed.append(name)
        result.append(name)
    if len(set(result)) < len(result):
        result = [f"{name}_{k}" for k, name in enumerate(result)]
    return tuple(result), renamed


class _Reader:
    """Reads the words of a BVH file line by line, so that an error can name the line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.stat().st_size > _LARGEST:
                raise FootfallError(f"{path}: too large for a BVH file (at most {_LARGEST >> 20} MB)")
            content = path.read_bytes()
        except OSError as error:
            raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error
        if b"\0" in content[:4096]:
            raise FootfallError(f"{path}, line 1: not a BVH file (it holds binary data)")
        self.lines = content.decode("utf-8-sig", errors="replace").splitlines()
        self.at = -1

    def error(self, text: str) -> FootfallError:
        return FootfallError(f"{self.path}, line {min(max(self.at, 0) + 1, max(len(self.lines), 1))}: {text}")

    def next(self) -> list[str]:
        """The words of the next line that has any."""
        while self.at + 1 < len(self.lines):
            self.at += 1
            words = self.lines[self.at].split()
            if words:
                return words
        self.at = len(self.lines) - 1
        raise self.error("the file ends too early")

    def numbers(self, words: list[str], count: int, what: str) -> list[float]:
        if len(words) != count:
            raise self.error(f"{what} has {len(words)} numbers, it needs {count}")
        try:
            values = [float(word) for word in words]
        except ValueError:
            bad = next(word for word in words if not _is_number(word))
            raise self.error(f"'{bad[:40]}' is not a number ({what})") from None
        for value in values:
            if not math.isfinite(value) or abs(value) > _FARTHEST:
                raise self.error(f"{what} holds {value:g}, which is no finite place or angle")
        return values

    def read(self) -> tuple[list[_Joint], float, Array]:
        first = self.next()
        if first[0].upper() != "HIERARCHY":
            raise self.error(f"a BVH file begins with HIERARCHY, not '{first[0][:40]}'")
        joints = self.hierarchy()
        if (words := self.next())[0].upper() != "MOTION":
            if words[0].upper() == "ROOT":
                raise self.error("a second ROOT; footfall reads one figure a file: split it")
            raise self.error(f"expected MOTION, not '{words[0][:40]}'")
        return joints, *self.frames(sum(len(joint.channels or []) for joint in joints))

    def hierarchy(self) -> list[_Joint]:
        words = self.next()
        if words[0].upper() != "ROOT":
            raise self.error(f"expected ROOT, not '{words[0][:40]}'")
        joints = [_Joint(" ".join(words[1:]) or "root", -1, self.at)]
        self.brace()
        open_: list[int] = [0]
        while open_:
            words = self.next()
            joint, word = joints[open_[-1]], words[0].upper()
            if word == "OFFSET":
                x, y, z = self.numbers(words[1:], 3, f"OFFSET of '{joint.name}'")
                joint.offset = (x, y, z)
            elif word == "CHANNELS":
                joint.channels = self.channels(words, joint)
            elif word == "JOINT":
                if len(joints) >= _MOST_JOINTS:
                    raise self.error(f"more than {_MOST_JOINTS} joints")
                joints.append(_Joint(" ".join(words[1:]) or f"joint{len(joints)}", open_[-1], self.at))
                self.brace()
                open_.append(len(joints) - 1)
            elif word == "END":
                joint.ends.append(self.end_site())
            elif word == "}":
                if joint.offset is None or joint.channels is None:
                    raise self.error(f"joint '{joint.name}' needs both OFFSET and CHANNELS")
                open_.pop()
            else:
                raise self.error(
                    f"'{words[0][:40]}' in joint '{joint.name}'; OFFSET, CHANNELS, JOINT, End Site or }} belong here"
                )
        return joints

    def brace(self) -> None:
        words = self.next()
        if words != ["{"]:
            raise self.error(f"expected '{{', not '{' '.join(words)[:40]}'")

    def end_site(self) -> tuple[float, float, float]:
        self.brace()
        words = self.next()
        if words[0].upper() != "OFFSET":
            raise self.error("an End Site needs an OFFSET")
        x, y, z = self.numbers(words[1:], 3, "OFFSET of an End Site")
        if self.next() != ["}"]:
            raise self.error("expected '}' after the OFFSET of an End Site")
        return x, y, z

    def channels(self, words: list[str], joint: _Joint) -> list[tuple[str, str]]:
        if len(words) < 2 or not words[1].isdigit() or int(words[1]) != len(words) - 2:
            said = words[1][:20] if len(words) > 1 else "none"
            raise self.error(f"CHANNELS of '{joint.name}' counts {said}, but names {max(len(words) - 2, 0)}")
        known = {name.lower(): value for name, value in _CHANNELS.items()}
        for word in words[2:]:
            if word.lower() not in known:
                raise self.error(f"unknown channel '{word[:40]}'; choose among {', '.join(_CHANNELS)}")
        channels = [known[word.lower()] for word in words[2:]]
        if len(channels) > 6 or len(set(channels)) < len(channels):
            raise self.error(f"CHANNELS of '{joint.name}' names a channel twice")
        return channels

    def frames(self, width: int) -> tuple[float, Array]:
        words = self.next()
        if words[0].lower() != "frames:" or len(words) != 2 or not words[1].isdigit():
            raise self.error("expected 'Frames: COUNT'")
        count = int(words[1])
        words = self.next()
        if [word.lower() for word in words[:2]] != ["frame", "time:"]:
            raise self.error("expected 'Frame Time: SECONDS'")
        (frame_time,) = self.numbers(words[2:], 1, "Frame Time")
        if not 1e-6 < frame_time < 100:
            raise self.error(f"Frame Time of {frame_time:g} s is no frame time")
        here = self.at + 1
        filled = [k for k in range(here, len(self.lines)) if self.lines[k].strip()]
        if width == 0:
            raise self.error("no joint has a channel")
        if len(filled) != count or count == 0:
            self.at = len(self.lines) - 1
            more = "; is it cut off?" if len(filled) < count else ""
            raise self.error(f"'Frames: {count}' is announced, but {len(filled)} lines of numbers follow{more}")
        values = np.empty((count, width))
        for row, k in enumerate(filled):
            self.at = k
            values[row] = self.numbers(self.lines[k].split(), width, f"frame {row}")
        return frame_time, values


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
