"""The text of a BVH file: its figures with their joints, and the numbers of every frame."""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.quaternion import Array

_CHANNELS = {f"{axis}{kind}": (kind[0], axis.lower()) for axis in "XYZ" for kind in ("position", "rotation")}
_LARGEST = 1 << 28
_MOST_JOINTS = 2000
_FARTHEST = 1e7


@dataclass
class BvhJoint:
    """A joint as the file describes it.

    Attributes:
        name: its name.
        parent: index of its parent among all joints of the file, -1 for a root.
        offset: its OFFSET.
        channels: ("p" or "r", "x", "y" or "z") of each channel.
        ends: OFFSETs of its end sites.
        label: a word behind ``End Site``, as some tools write it; empty otherwise.
    """

    name: str
    parent: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, str]] | None = None
    ends: list[tuple[float, float, float]] = field(default_factory=list)
    label: str = ""


class BvhText:
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
                raise self.error(f"{what} holds {value:g}, which is not a finite place or angle")
        return values

    def read(self) -> tuple[list[BvhJoint], float, Array]:
        """All joints of all figures, parents first; the frame time; [T, channels] the numbers."""
        first = self.next()
        if first[0].upper() != "HIERARCHY":
            raise self.error(f"a BVH file begins with HIERARCHY, not '{first[0][:40]}'")
        joints: list[BvhJoint] = []
        words = self.next()
        while words[0].upper() == "ROOT":
            self.figure(words, joints)
            words = self.next()
        if not joints:
            raise self.error(f"expected ROOT, not '{words[0][:40]}'")
        if words[0].upper() != "MOTION":
            raise self.error(f"expected MOTION, not '{words[0][:40]}'")
        return joints, *self.frames(sum(len(joint.channels or []) for joint in joints))

    def figure(self, words: list[str], joints: list[BvhJoint]) -> None:
        """Append the joints of one ROOT."""
        joints.append(BvhJoint(" ".join(words[1:]) or "root", -1))
        self.brace()
        open_: list[int] = [len(joints) - 1]
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
                joints.append(BvhJoint(" ".join(words[1:]) or f"joint{len(joints)}", open_[-1]))
                self.brace()
                open_.append(len(joints) - 1)
            elif word == "END":
                joint.ends.append(self.end_site())
                joint.label = " ".join(words[2:])
            elif word == "}":
                if joint.offset is None or joint.channels is None:
                    raise self.error(f"joint '{joint.name}' needs both OFFSET and CHANNELS")
                open_.pop()
            else:
                raise self.error(
                    f"'{words[0][:40]}' in joint '{joint.name}'; OFFSET, CHANNELS, JOINT, End Site or }} belong here"
                )

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

    def channels(self, words: list[str], joint: BvhJoint) -> list[tuple[str, str]]:
        if len(words) < 2 or not _is_count(words[1]) or int(words[1]) != len(words) - 2:
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
        if words[0].lower() != "frames:" or len(words) != 2 or not _is_count(words[1]):
            raise self.error("expected 'Frames: COUNT'")
        count = int(words[1])
        words = self.next()
        if [word.lower() for word in words[:2]] != ["frame", "time:"]:
            raise self.error("expected 'Frame Time: SECONDS'")
        (frame_time,) = self.numbers(words[2:], 1, "Frame Time")
        if not 1e-6 < frame_time < 100:
            raise self.error(f"Frame Time of {frame_time:g} s is not a frame time")
        here = self.at + 1
        filled = [k for k in range(here, len(self.lines)) if self.lines[k].strip()]
        if width == 0:
            raise self.error("no joint has a channel")
        if len(filled) != count or count == 0:
            self.at = len(self.lines) - 1
            more = "; is it cut off?" if len(filled) < count else ""
            raise self.error(f"'Frames: {count}' is announced, but {len(filled)} lines of numbers follow{more}")
        try:
            values = np.loadtxt([self.lines[k] for k in filled], comments=None, ndmin=2)
        except ValueError:
            values = np.empty(0)
        if values.shape != (count, width) or not (np.abs(values) <= _FARTHEST).all():
            values = np.empty((count, width))
            for row, k in enumerate(filled):
                self.at = k
                values[row] = self.numbers(self.lines[k].split(), width, f"frame {row}")
        return frame_time, values


def _is_count(word: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", word) is not None


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
