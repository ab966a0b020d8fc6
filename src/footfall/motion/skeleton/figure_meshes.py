"""The meshes of a figure's file, in the frames of its bodies, as pictures draw them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.mesh_reduction import reduced
from footfall.motion.skeleton.roles import side_of
from footfall.motion.skeleton.tree import Mesh

_MESH = 7
_SHOWN_GROUPS = 3


def geom_meshes(model: Any, names: Sequence[str], anchors: Array) -> tuple[Mesh, ...]:
    """The meshes of a MuJoCo model's bodies, one for each body that has some: those of visible groups (0 to 2), or else
    all; of a body that has meshes which collide with nothing, these alone. Where they are very fine, fewer triangles
    (:mod:`footfall.motion.skeleton.mesh_reduction`).

    Args:
        model: a ``mujoco.MjModel``.
        names: the bodies' names, without the world.
        anchors: [B, 3] where each body's joint frame is in the body's frame.
    """
    geoms = [g for g in range(model.ngeom) if int(model.geom_type[g]) == _MESH and int(model.geom_bodyid[g]) > 0]
    geoms = [g for g in geoms if int(model.geom_group[g]) < _SHOWN_GROUPS] or geoms
    meshes = []
    for body in sorted({int(model.geom_bodyid[g]) - 1 for g in geoms}):
        there = [g for g in geoms if int(model.geom_bodyid[g]) - 1 == body]
        seen = [g for g in there if not (model.geom_contype[g] or model.geom_conaffinity[g])]
        own = [_triangles(model, g) for g in seen or there]
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in own)])
        meshes.append(
            Mesh(
                body,
                np.concatenate([vertices for vertices, _ in own]) - anchors[body],
                np.concatenate([triangles + start for (_, triangles), start in zip(own, starts)]),
                side_of(names[body]),
            )
        )
    return reduced(meshes)


def _triangles(model: Any, g: int) -> tuple[Array, np.ndarray]:
    """Vertices [V, 3] in the body's frame and triangles [N, 3] of a geom, facing outward on the whole."""
    m = int(model.geom_dataid[g])
    first, face = int(model.mesh_vertadr[m]), int(model.mesh_faceadr[m])
    vertices = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[m])], dtype=float)
    triangles = np.array(model.mesh_face[face : face + int(model.mesh_facenum[m])], dtype=np.int64)
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    if float(np.einsum("nk,nk->n", a, np.cross(b, c)).sum()) < 0.0:
        triangles = triangles[:, ::-1]
    return rotate(model.geom_quat[g], vertices) + model.geom_pos[g], triangles
