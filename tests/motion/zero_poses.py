"""The same motion written in other ways: other zero poses, axes, units, roots, orders and names."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.motion import EndSite, Motion, Skeleton
from footfall.motion.quaternion import (
    Array,
    conjugate,
    from_axis_angle,
    from_matrix,
    multiply,
    normalised,
    rotate,
    to_euler,
)

ZERO_POSES = ("lying", "bent", "a pose of the clip", "random")


def rezeroed(motion: Motion, kind: str, seed: int = 0) -> Motion:
    """The motion with another zero pose: every joint's frame turned by a constant, all places kept."""
    skeleton, rng = motion.skeleton, np.random.default_rng(seed)
    J = len(skeleton)
    if kind == "lying":
        turns = np.tile(from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(-np.pi / 2)), (J, 1))
    elif kind == "bent":
        turns = from_axis_angle(np.array([0.0, 1.0, 0.0]), np.where(np.arange(J) % 2 == 0, 0.9, -0.7))
    elif kind == "a pose of the clip":
        turns = conjugate(motion.orientations()[len(motion) // 2])
    else:
        turns = normalised(rng.normal(size=(J, 4)))
    above = np.array([[1.0, 0.0, 0.0, 0.0] if p < 0 else turns[p] for p in skeleton.parents])
    ends = []
    for end in skeleton.ends:
        x, y, z = (float(v) for v in rotate(conjugate(turns[end.joint]), np.array(end.offset)))
        ends.append(EndSite(end.name, end.joint, (x, y, z), end.contact))
    changed = Skeleton(skeleton.names, skeleton.parents, rotate(conjugate(above), skeleton.offsets), ends=tuple(ends))
    rotations = normalised(multiply(multiply(conjugate(above), motion.rotations), turns))
    return replace(motion, skeleton=changed, rotations=rotations)


def shuffled(motion: Motion, seed: int = 0) -> Motion:
    """The motion with its joints in another order, parents still before children."""
    skeleton, rng = motion.skeleton, np.random.default_rng(seed)
    order: list[int] = []
    open_ = [0]
    while open_:
        joint = open_.pop(int(rng.integers(len(open_))))
        order.append(joint)
        open_ += skeleton.children[joint]
    at = {joint: k for k, joint in enumerate(order)}
    changed = Skeleton(
        tuple(skeleton.names[j] for j in order),
        tuple(-1 if skeleton.parents[j] < 0 else at[skeleton.parents[j]] for j in order),
        skeleton.offsets[order],
        skeleton.rest[order],
        ends=tuple(replace(end, joint=at[end.joint]) for end in skeleton.ends),
    )
    return replace(motion, skeleton=changed, rotations=motion.rotations[:, order])


def nameless(motion: Motion) -> Motion:
    """The motion with joints that are called Bone001, Bone002 …"""
    names = tuple(f"Bone{j + 1:03d}" for j in range(len(motion.skeleton)))
    return replace(motion, skeleton=replace(motion.skeleton, names=names, roles=None))


def write_odd_bvh(
    path: Path, motion: Motion, *, axes: Array | None = None, scale: float = 100.0, root: str = ""
) -> Path:
    """A BVH file in axes turned by [3, 3] from footfall's, in units of 1 / ``scale`` metres.

    ``root``: "travels" adds a root above that carries the travel, "still" one that stands and lets the old root travel.
    """
    axes = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]) if axes is None else axes
    q = from_matrix(axes)
    skeleton, T = motion.skeleton, len(motion)
    place = motion.root_position @ axes.T * scale
    lines: list[str] = ["HIERARCHY"]
    columns: list[Array] = []

    def channels(joint: int) -> Array:
        return np.rad2deg(to_euler("zxy", multiply(multiply(q, motion.rotations[:, joint]), conjugate(q))))

    def point(offset: Array) -> str:
        return "OFFSET " + " ".join(f"{v:.7f}" for v in axes @ offset * scale)

    def write(joint: int, places: bool) -> None:
        lines.append(f"{'ROOT' if not lines[1:] else 'JOINT'} {skeleton.names[joint]}")
        lines.append("{")
        lines.append(point(np.zeros(3) if joint == 0 else skeleton.offsets[joint]))
        lines.append(
            f"CHANNELS {6 if places else 3} {'Xposition Yposition Zposition ' if places else ''}"
            "Zrotation Xrotation Yrotation"
        )
        columns.extend([place] if places else [])
        columns.append(channels(joint))
        for child in skeleton.children[joint]:
            write(child, False)
        for end in skeleton.ends:
            if end.joint == joint:
                lines.extend(["End Site", "{", point(np.array(end.offset)), "}"])
        lines.append("}")

    if root:
        lines.extend(
            [
                "ROOT Reference",
                "{",
                "OFFSET 0 0 0",
                "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            ]
        )
        columns.extend([place if root == "travels" else np.zeros((T, 3)), np.zeros((T, 3))])
    write(0, places=root != "travels")
    lines.extend(["}"] if root else [])
    lines.extend(["MOTION", f"Frames: {T}", f"Frame Time: {motion.frame_time:.8f}"])
    rows = np.concatenate(columns, axis=1)
    lines.extend(" ".join(f"{v:.6f}" for v in row) for row in rows)
    path.write_text("\n".join(lines) + "\n")
    return path
