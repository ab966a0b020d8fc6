"""The skinned body of a glTF file: solids as triangles, each bound to one joint."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.motion.quaternion import Array, rotate, to_matrix
from footfall.motion.skeleton.mesh_solids import MeshSolid
from footfall.motion.skeleton.solids import Solid
from footfall.motion.skeleton.tree import Skeleton


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


def body_mesh(skeleton: Skeleton, solids: Sequence[Solid | MeshSolid], root: Array) -> BodyMesh:
    """The mesh of ``solids`` on a skeleton in its rest pose with the root at ``root`` (3,)."""
    places, turns = skeleton.forward(root, skeleton.rest)
    starts = np.cumsum([0, *(len(solid.vertices) for solid in solids)])
    return BodyMesh(
        np.concatenate([places[s.joint] + rotate(turns[s.joint], s.vertices) for s in solids]),
        np.concatenate([rotate(turns[s.joint], s.normals) for s in solids]),
        np.concatenate([np.full(len(s.vertices), s.joint) for s in solids]),
        np.concatenate([s.triangles + start for s, start in zip(solids, starts)]),
    )


def rest_matrices(skeleton: Skeleton, root: Array) -> Array:
    """[J, 4, 4] joint frames in the world in the rest pose."""
    places, turns = skeleton.forward(root, skeleton.rest)
    frames = np.tile(np.eye(4), (len(skeleton), 1, 1))
    frames[:, :3, :3] = to_matrix(turns)
    frames[:, :3, 3] = places
    return frames
