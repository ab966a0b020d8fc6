"""BVH files: any order of channels, any unit, any axis up, one or several figures.

In: the position channels of a root replace its OFFSET (as every tool that writes BVH takes them). Position channels of
other joints replace the OFFSET where they are constant. Where they move, a joint that carries most of the body gives
its travel to the root; of others the mean is taken.

Out: a motion that came from BVH goes back in its own unit, axes and order of rotations. Programs read position channels
in two ways: Blender takes them instead of a joint's OFFSET, three.js adds them to it. Both agree on what is written
here: only the root has position channels, and its OFFSET is zero where it has one. BVH has no place for unit and upward
axis. Some tools write a name behind ``End Site``, and readers skip it (Blender's and three.js' among them); footfall
writes one word behind the first:

    End Site footfall:unit=cm,up=y
"""

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.escaping import plain_line
from footfall.motion.formats.conventions import (
    UNITS,
    UP_AXES,
    Up,
    axes_from_up,
    file_bytes,
    metres_per,
    settle,
    tidy_names,
    turned,
)
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_euler, to_euler
from footfall.motion.skeleton.hinges import hinge_angles
from footfall.motion.skeleton.roles import has_legs, with_roles
from footfall.motion.skeleton.tree import EndSite, Skeleton, fold_travel

_SIGN = "footfall:"


def unit_label(unit: str | float, up: str) -> str:
    """The word for a unit (a name, or metres) and an upward axis."""
    return f"{_SIGN}unit={unit if isinstance(unit, str) else repr(float(unit))},up={up}"


def read_label(word: str) -> dict[str, str]:
    """``unit`` and ``up`` from such a word; empty for any other."""
    if not word.startswith(_SIGN):
        return {}
    pairs = dict(part.split("=", 1) for part in word.removeprefix(_SIGN).split(",") if "=" in part)
    try:
        metres_per(pairs.get("unit", ""))
    except FootfallError:
        return {}
    return {"unit": pairs["unit"], "up": pairs["up"]} if pairs.get("up") in UP_AXES else {}


_CHANNELS = {f"{axis}{kind}": (kind[0], axis.lower()) for axis in "XYZ" for kind in ("position", "rotation")}
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
        content = file_bytes(path, "a BVH file")
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
                raise self.error(f"{what} holds {value:g}, which is not a finite position or angle")
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


_KINDS = {"p": "position", "r": "rotation"}


def read_bvh(path: Path, *, unit: str | float = "auto", up: str = "auto", root: str = "") -> Motion:
    """Load a BVH file as a motion in metres, x forward, y left, z up.

    Args:
        path: the file.
        unit: "m", "dm", "cm", "mm", "inch", "cmu", metres as a number, or "auto": what the file says (those that
            footfall wrote do), else the one in which the body is as tall as a person.
        up: the file's upward axis: "y", "z", "x", with "-" before it where it points down, or "auto": what the file
            says, else what the poses tell.
        root: name of the figure to read where the file has several; by default the one that has legs.
    """
    every, frame_time, table = BvhText(path).read()
    joints, values, dropped = _chosen(every, table, root)
    names, notes = tidy_names([joint.name for joint in joints])
    notes += dropped
    offsets = np.array([joint.offset for joint in joints], dtype=float)
    rotations = np.moveaxis(np.empty((len(joints), len(values), 4)), 0, 1)
    root_position = np.tile(offsets[0], (len(values), 1))
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
    said = next((found for joint in joints if (found := read_label(joint.label))), {})
    frame = settle(raw, root_position, rotations, unit=unit, up=up, said=said)
    kept = [[axis.upper() + _KINDS[kind] for kind, axis in joint.channels or []] for joint in joints]
    layout = {"unit": frame.scale, "up": frame.up, "channels": kept}
    return frame.motion(
        replace(raw, ends=tuple(EndSite("", j, end) for j, joint in enumerate(joints) for end in joint.ends)),
        frame_time * np.arange(len(values), dtype=float),
        root_position,
        rotations,
        {"file": path.name, "format": "bvh", "frame_time": frame_time, "bvh": layout},
        notes,
    )


def _chosen(every: list[BvhJoint], table: Array, wanted: str) -> tuple[list[BvhJoint], Array, list[str]]:
    """The joints and columns of one figure of the file, and a note on the others."""
    roots = [j for j, joint in enumerate(every) if joint.parent < 0]
    bounds = [*roots, len(every)]
    figures = {j: every[j : bounds[k + 1]] for k, j in enumerate(roots)}
    names = [every[j].name for j in roots]
    if wanted and wanted not in names:
        raise unknown_name("root", wanted, names)
    likely = max(roots, key=lambda j: (_walks(figures[j]), len(figures[j])))
    first = roots[names.index(wanted)] if wanted else likely
    before = sum(len(joint.channels or []) for joint in every[:first])
    width = sum(len(joint.channels or []) for joint in figures[first])
    joints = figures[first]
    for joint in joints:
        joint.parent = max(joint.parent - first, -1)
    if width == 0:
        raise FootfallError(f"figure '{every[first].name}' has no channel")
    others = [f"'{every[j].name}'" for j in roots if j != first]
    note = f"dropped other figures and props of the file: {', '.join(others)}" if others else ""
    return joints, table[:, before : before + width], [note] if note else []


def _walks(joints: list[BvhJoint]) -> bool:
    names, _ = tidy_names([joint.name for joint in joints])
    base = min((joint.parent for joint in joints[1:]), default=0)
    parents = (-1, *(joint.parent - base for joint in joints[1:]))
    return has_legs(Skeleton(names, parents, np.zeros((len(names), 3))))


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


_ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
_JOINT_CHANNELS = ("Zrotation", "Xrotation", "Yrotation")


def write_bvh(motion: Motion, path: Path, *, unit: str | float | None = None, up: Up | None = None) -> None:
    """Save the poses of a motion as BVH.

    BVH has one end site for each last joint: of several contact points the foremost is written. Times become a steady
    frame time. Other channels, ground and figure are not kept (.npz keeps them).

    Args:
        motion: what to save.
        path: the file.
        unit: "m", "dm", "cm", "mm", "inch", "cmu" or metres; by default that of the BVH the motion came from, else cm.
        up: "y", "z" or "x", with "-" where it points down; by default that of the BVH the motion came from, else y.
    """
    layout = motion.source.get("bvh", {})
    scale = metres_per(unit if unit is not None else layout.get("unit", "cm"))
    upward = up or str(layout.get("up", "y"))
    axes = axes_from_up(upward).T
    named = next((name for name, metres in UNITS.items() if metres == scale), scale)
    channels = _channels(motion, layout.get("channels"))
    places = motion.root_position @ axes.T / scale
    offsets = motion.skeleton.offsets @ axes.T / scale
    offsets[0] = [0.0 if f"{axis}position" in channels[0] else places[0, k] for k, axis in enumerate("XYZ")]
    text = ["HIERARCHY", *_hierarchy(motion, offsets, channels, axes / scale, unit_label(named, upward))]
    text += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {motion.frame_time:.9g}"]
    rotations = turned(axes, motion.rotations)
    columns: list[Array] = []
    for j in _depth_first(motion):
        angles = np.rad2deg(_angles([c[0].lower() for c in channels[j] if c.endswith("rotation")], rotations[:, j]))
        turns = iter(angles.T)
        for name in channels[j]:
            columns.append(next(turns) if name.endswith("rotation") else places[:, "XYZ".index(name[0])])
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(text) + "\n")
        np.savetxt(file, np.stack(columns, axis=-1), fmt="%.8f" if scale > 0.5 else "%.6f")


def _channels(motion: Motion, kept: object) -> list[tuple[str, ...]]:
    """The channels of each joint: those of the source file where they fit this skeleton. Positions are the root's
    alone, all three of them if it moves."""
    if isinstance(kept, list) and len(kept) == len(motion.skeleton):
        rows = [[str(name) for name in row] for row in kept]
        missing = [name for name in _ROOT_CHANNELS[:3] if name not in rows[0]]
        root = [*(missing if np.ptp(motion.root_position, axis=0).any() else []), *rows[0]]
        return [tuple(root), *(tuple(name for name in row if name.endswith("rotation")) for row in rows[1:])]
    return [_ROOT_CHANNELS, *[_JOINT_CHANNELS] * (len(motion.skeleton) - 1)]


def _depth_first(motion: Motion) -> list[int]:
    order: list[int] = []
    stack = [0]
    while stack:
        j = stack.pop()
        order.append(j)
        stack += reversed(motion.skeleton.children[j])
    return order


def _angles(order: list[str], q: Array) -> Array:
    """[T, K] angles of q [T, 4] about the axes of ``order``, continuous over time."""
    if not order:
        return np.empty((len(q), 0))
    if sorted(order) != ["x", "y", "z"]:
        return hinge_angles(np.stack([np.eye(3)["xyz".index(axis)] for axis in order]), q, smooth=False)
    angles = to_euler("".join(order), q)
    other = angles * [1.0, -1.0, 1.0] + np.pi
    for t in range(1, len(angles)):
        near, far = (row + 2 * np.pi * np.round((angles[t - 1] - row) / (2 * np.pi)) for row in (angles[t], other[t]))
        angles[t] = near if np.abs(near - angles[t - 1]).sum() <= np.abs(far - angles[t - 1]).sum() else far
    return angles


def _hierarchy(
    motion: Motion, offsets: Array, channels: list[tuple[str, ...]], to_file: Array, label: str
) -> list[str]:
    """The lines between HIERARCHY and MOTION. Joints are opened depth first and closed when their last child is; the
    first end site bears the label."""
    skeleton = motion.skeleton
    text: list[str] = []
    waiting: list[tuple[int, int, bool]] = [(0, 0, False)]
    while waiting:
        j, depth, done = waiting.pop()
        tab = "\t" * depth
        if not done:
            name = plain_line(skeleton.names[j]).strip() or f"joint{j}"
            text += [f"{tab}{'JOINT' if depth else 'ROOT'} {name}", f"{tab}{{", f"{tab}\tOFFSET {_triple(offsets[j])}"]
            text.append(f"{tab}\tCHANNELS {len(channels[j])} {' '.join(channels[j])}")
            waiting.append((j, depth, True))
            waiting += [(child, depth + 1, False) for child in reversed(skeleton.children[j])]
            continue
        for end in _end_sites(motion, j):
            text += [f"{tab}\tEnd Site {label}".rstrip(), f"{tab}\t{{"]
            text += [f"{tab}\t\tOFFSET {_triple(to_file @ end)}", f"{tab}\t}}"]
            label = ""
        text.append(f"{tab}}}")
    return text


def _end_sites(motion: Motion, j: int) -> list[Array]:
    """Where a joint's segment ends: its end sites; for a last joint without, the foremost of its contact points, or
    twice its centre of mass."""
    ends = [np.array(end.offset) for end in motion.skeleton.ends if end.joint == j and not end.contact]
    points = [np.array(end.offset) for end in motion.skeleton.ends if end.joint == j and end.contact]
    if ends or motion.skeleton.children[j]:
        return ends
    if points:
        return [max(points, key=lambda p: float(p[0]))]
    com = motion.skeleton.com
    return [2 * com[j] if com is not None else np.array([0.0, 0.0, 0.05])]


def _triple(v: Array) -> str:
    return " ".join(f"{value:.8f}" for value in v)
