"""The skinned body of a glTF file: capsules as triangles, each bound to one joint."""

from dataclasses import dataclass

import numpy as np

from footfall.motion.quaternion import Array, rotate, to_matrix
from footfall.motion.skeleton.tree import Capsule, Skeleton

__all__ = ["BodyMesh", "body_mesh", "rest_matrices"]

_AROUND, _OVER = 12, 4


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles in the rest pose.

    Attributes:
        positions, normals: [V, 3] in the skeleton's axes with the root at its rest place.
        joints: [V] the joint that moves each vertex.
        triangles: [N, 3] vertex indices, counter-clockwise from outside.
    """

    positions: Array
    normals: Array
    joints: np.ndarray
    triangles: np.ndarray


def body_mesh(skeleton: Skeleton, capsules: list[Capsule], root: Array) -> BodyMesh:
    """The mesh of ``capsules`` on a skeleton in its rest pose with the root at ``root`` (3,)."""
    places, turns = skeleton.forward(root, skeleton.rest)
    unit, ends, faces = _unit_capsule()
    positions, normals, joints, triangles = [], [], [], []
    for k, capsule in enumerate(capsules):
        a, b = np.array(capsule.start), np.array(capsule.end)
        frame = _frame(b - a)
        normal = unit @ frame.T
        centre = np.where(ends[:, None], b, a)
        radius = np.where(ends, capsule.radius_end, capsule.radius_start)[:, None]
        turn = turns[capsule.joint]
        positions.append(places[capsule.joint] + rotate(turn, centre + radius * normal))
        normals.append(rotate(turn, normal))
        joints.append(np.full(len(unit), capsule.joint))
        triangles.append(faces + k * len(unit))
    return BodyMesh(
        np.concatenate(positions), np.concatenate(normals), np.concatenate(joints), np.concatenate(triangles)
    )


def _unit_capsule() -> tuple[Array, np.ndarray, np.ndarray]:
    """Normals [V, 3] about the z axis, whether each vertex belongs to the far end [V], and triangles [N, 3]."""
    rows = [(False, k) for k in range(_OVER + 1)] + [(True, k) for k in range(_OVER, 2 * _OVER + 1)]
    normals, ends = [], []
    for far, k in rows:
        polar = np.pi * k / (2 * _OVER)
        for turn in 2 * np.pi * np.arange(_AROUND) / _AROUND:
            normals.append([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), -np.cos(polar)])
            ends.append(far)
    faces = []
    for r in range(len(rows) - 1):
        for k in range(_AROUND):
            i, j = r * _AROUND + k, r * _AROUND + (k + 1) % _AROUND
            faces += [[i, j, i + _AROUND], [j, j + _AROUND, i + _AROUND]]
    return np.array(normals), np.array(ends), np.array(faces)


def _frame(along: Array) -> Array:
    """[3, 3] right-handed axes in columns, the third along ``along``."""
    length = float(np.linalg.norm(along))
    w = along / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    u = np.cross([0.0, 1.0, 0.0] if abs(w[1]) < 0.9 else [1.0, 0.0, 0.0], w)
    u /= np.linalg.norm(u)
    return np.stack([u, np.cross(w, u), w], axis=-1)


def rest_matrices(skeleton: Skeleton, root: Array) -> Array:
    """[J, 4, 4] joint frames in the world in the rest pose."""
    places, turns = skeleton.forward(root, skeleton.rest)
    frames = np.tile(np.eye(4), (len(skeleton), 1, 1))
    frames[:, :3, :3] = to_matrix(turns)
    frames[:, :3, 3] = places
    return frames
