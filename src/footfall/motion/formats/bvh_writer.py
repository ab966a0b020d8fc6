"""BVH files, out. A motion that came from BVH goes back in its own unit, axes and order of rotations.

Programs read position channels in two ways: Blender takes them instead of a joint's OFFSET, three.js adds them to it.
Both agree on what is written here: only the root has position channels, and its OFFSET is zero where it has one.
"""

from pathlib import Path

import numpy as np

from footfall.motion.formats.bvh_label import unit_label
from footfall.motion.formats.conventions import UNITS, Up, axes_from_up, metres_per, turned
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, to_euler
from footfall.motion.skeleton.hinges import hinge_angles

_ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
_JOINT_CHANNELS = ("Zrotation", "Xrotation", "Yrotation")


def write_bvh(motion: Motion, path: Path, *, unit: str | float | None = None, up: Up | None = None) -> None:
    """Save the poses of a motion as BVH.

    BVH has one end site for each last joint: of several contact points the foremost is written. Times become a steady
    frame time. Other channels, ground and figure are not kept (.npz keeps them).

    Args:
        motion: what to save.
        path: the file.
        unit: "m", "cm", "mm", "inch", "cmu" or metres; by default that of the BVH the motion came from, else cm.
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
            name = skeleton.names[j].replace("\n", " ").strip() or f"joint{j}"
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
