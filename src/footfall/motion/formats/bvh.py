"""BVH files, in: any order of channels, any unit, any axis up, one or several figures.

The position channels of a root replace its OFFSET (as every tool that writes BVH takes them). Position channels of
other joints replace the OFFSET where they are constant. Where they move, a joint that carries most of the body gives
its travel to the root; of others the mean is taken.
"""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.formats.bvh_label import read_label
from footfall.motion.formats.bvh_text import BvhJoint, BvhText
from footfall.motion.formats.conventions import turned
from footfall.motion.formats.guesses import settle
from footfall.motion.formats.joint_names import tidy_names
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_euler, normalised
from footfall.motion.skeleton.legs import has_legs
from footfall.motion.skeleton.shape_roles import with_roles
from footfall.motion.skeleton.travel import fold_travel
from footfall.motion.skeleton.tree import EndSite, Skeleton

_KINDS = {"p": "position", "r": "rotation"}


def read_bvh(path: Path, *, unit: str | float = "auto", up: str = "auto", root: str = "") -> Motion:
    """Load a BVH file as a motion in metres, x forward, y left, z up.

    Args:
        path: the file.
        unit: "m", "cm", "mm", "inch", "cmu", metres as a number, or "auto": what the file says (those that footfall
            wrote do), else the one that gives human legs.
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
    notes += frame.notes
    axes, scale = frame.axes, frame.scale
    ends = [(j, np.array(end) @ axes.T * scale) for j, joint in enumerate(joints) for end in joint.ends]
    layout: dict[str, Any] = {
        "unit": scale,
        "up": frame.up,
        "channels": [[axis.upper() + _KINDS[kind] for kind, axis in joint.channels or []] for joint in joints],
    }
    source = {"file": path.name, "format": "bvh", **frame.source(), "frame_time": frame_time, "bvh": layout}
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
