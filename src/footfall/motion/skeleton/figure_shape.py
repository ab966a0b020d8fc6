"""The shape of a figure: its MuJoCo geoms as capsules, the meshes of its file in the frames of its bodies, and shapes
for links of robots without meshes.

Where meshes are missing, a link is drawn as the box of even density that has its mass and inertia, with tubes from its
own joint to those of the links that hang on it. A foot covers its sole; a torso without a head gets one on top.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import name_tokens, side_of
from footfall.motion.skeleton.solids import capsule_solid, reduced
from footfall.motion.skeleton.tree import Capsule, EndSite, Mesh, triple

_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = 2, 3, 4, 5, 6, 7
_SHOWN_GROUPS = 3
_UP = np.array([0.0, 0.0, 1.0])
_Surface = tuple[Array, np.ndarray]
"""Vertices [V, 3] and triangles [N, 3]."""


def geom_capsules(model: Any, names: Sequence[str], anchors: Array) -> tuple[Capsule, ...]:
    """Capsules for the visible geoms (groups 0 to 2) of a MuJoCo model's bodies.

    Args:
        model: a ``mujoco.MjModel``.
        names: the bodies' names, without the world.
        anchors: [B, 3] where each body's joint frame stands in the body's frame.
    """
    capsules: list[Capsule] = []
    for g in range(model.ngeom):
        body = int(model.geom_bodyid[g]) - 1
        if body < 0 or int(model.geom_group[g]) >= _SHOWN_GROUPS:
            continue
        side = side_of(names[body])
        for start, end, radius in _pieces(int(model.geom_type[g]), np.array(model.geom_size[g])):
            a, b = (rotate(model.geom_quat[g], p) + model.geom_pos[g] - anchors[body] for p in (start, end))
            if "head" in name_tokens(names[body]) and np.linalg.norm(b - a) > 1.5 * radius:
                capsules += _neck_and_head(body, a, b, radius)
            else:
                capsules.append(Capsule(body, triple(a), triple(b), radius, radius, side, "limb" if side else "trunk"))
    return tuple(capsules)


def _neck_and_head(body: int, a: Array, b: Array, radius: float) -> list[Capsule]:
    """A long head is a neck with a head on it; the far end is the one further from the joint."""
    near, far = (a, b) if np.linalg.norm(a) < np.linalg.norm(b) else (b, a)
    along = (far - near) / np.linalg.norm(far - near)
    size = max(radius, 0.3 * float(np.linalg.norm(far - near)))
    top = far + (radius - size) * along
    return [
        Capsule(body, triple(near), triple(top), 0.6 * radius, 0.6 * radius, "", "neck"),
        Capsule(body, triple(top - 0.35 * size * along), triple(top), size, 0.96 * size, "", "head"),
    ]


def _pieces(kind: int, size: Array) -> list[tuple[Array, Array, float]]:
    """(start, end, radius) of the capsules that stand for one geom, in its own frame."""
    if kind == _SPHERE:
        return [(0 * _UP, 0 * _UP, float(size[0]))]
    if kind in (_CAPSULE, _CYLINDER):
        half = float(size[1]) - (float(size[0]) if kind == _CYLINDER else 0.0)
        return [(-max(half, 0.0) * _UP, max(half, 0.0) * _UP, float(size[0]))]
    if kind not in (_BOX, _ELLIPSOID):
        return []
    thin, middle, long = np.argsort(size)
    radius = float(size[thin]) if kind == _BOX else float(0.5 * (size[thin] + size[middle]))
    along = np.eye(3)[long] * max(float(size[long]) - radius, 0.0)
    aside = np.eye(3)[middle] * max(float(size[middle]) - radius, 0.0)
    if kind == _ELLIPSOID or np.linalg.norm(aside) < 0.3 * radius:
        return [(-along, along, radius)]
    count = int(np.ceil(np.linalg.norm(aside) / radius)) + 1
    return [(-along + k * aside, along + k * aside, radius) for k in np.linspace(-1.0, 1.0, count)]


def geom_meshes(model: Any, names: Sequence[str], anchors: Array) -> tuple[Mesh, ...]:
    """The meshes of a MuJoCo model's bodies, one for each body that has some: those of visible groups (0 to 2), or else
    all; of a body that has meshes which collide with nothing, these alone. Where they are very fine, fewer triangles
    (:mod:`footfall.motion.skeleton.solids`).

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
        meshes.append(_joined(body, [_placed(model, g, _triangles(model, g), anchors) for g in seen or there], names))
    return reduced(meshes)


def _placed(model: Any, g: int, surface: _Surface, anchors: Array) -> _Surface:
    """The surface of a geom in its body's joint frame."""
    vertices, triangles = surface
    return rotate(model.geom_quat[g], vertices) + model.geom_pos[g] - anchors[int(model.geom_bodyid[g]) - 1], triangles


def _triangles(model: Any, g: int) -> _Surface:
    """The triangles of a geom's mesh, facing outward on the whole."""
    m = int(model.geom_dataid[g])
    first, face = int(model.mesh_vertadr[m]), int(model.mesh_faceadr[m])
    vertices = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[m])], dtype=float)
    triangles = np.array(model.mesh_face[face : face + int(model.mesh_facenum[m])], dtype=np.int64)
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    if float(np.einsum("nk,nk->n", a, np.cross(b, c)).sum()) < 0.0:
        triangles = triangles[:, ::-1]
    return vertices, triangles


_LARGEST, _TUBE, _HEAD, _SOLE = 0.1, 0.022, 0.05, 0.025
"""As shares of the height of the body: half a box's side at most (some files' inertias are wrong), the radius of tubes,
of the head, the thickness of soles."""
_ENOUGH = 0.6
"""Share of the box of its inertia that a body's own geoms fill at least, to be its shape."""
_CHAMFER = 0.25
"""Share of a box's shortest side by which its edges are cut."""


def bare_bodies(figure: Any) -> set[int]:
    """Numbers of the bodies of an adopted figure whose geoms are too small for their masses, or not there, since meshes
    of the file are missing; without the world. Empty for any other figure."""
    adoption = getattr(figure, "adoption", None)
    if adoption is None or not any(finding.what == "meshes" for finding in adoption.findings):
        return set()
    original, model = adoption.original, figure.model
    covered: dict[str, float] = {}
    for g in range(original.ngeom):
        name = original.body(int(original.geom_bodyid[g])).name
        covered[name] = covered.get(name, 0.0) + float(np.prod(2.0 * original.geom_aabb[g][3:]))
    bare = set()
    for body in figure.bodies:
        own = sum(covered.get(name, 0.0) for name in adoption.body_names.get(body.name, ()))
        sides = _sides(float(model.body_mass[body.index + 1]), np.array(model.body_inertia[body.index + 1]))
        if own < _ENOUGH * float(np.prod(sides)):
            bare.add(body.index)
    return bare


def link_meshes(
    model: Any, names: Sequence[str], anchors: Array, ends: Sequence[EndSite], height: float, bare: Collection[int]
) -> list[Mesh]:
    """Meshes of links without a shape of their own.

    Args:
        model: a ``mujoco.MjModel``.
        names: of its bodies, without the world.
        anchors: [B, 3] where each body's joint frame is in the body's frame.
        ends: its contact points, in the joints' frames.
        height: of the whole body, metres.
        bare: numbers of the bodies that need a shape, without the world.
    """
    headless = not any({"head", "neck"} & {*name_tokens(name)} for name in names)
    meshes = []
    for body in sorted(bare):
        soles = [end.offset for end in ends if end.joint == body and end.name.endswith(("heel", "toe"))]
        box = _box(model, body, height, anchors[body])
        parts = [box] if len(soles) < 3 else [_sole(np.array(soles), _SOLE * height)]
        for child in range(len(names)):
            if int(model.body_parentid[child + 1]) == body + 1:
                there = model.body_pos[child + 1] + rotate(model.body_quat[child + 1], anchors[child]) - anchors[body]
                parts.append(_tube(np.zeros(3), there, _TUBE * height))
        if len(soles) > 2:
            parts.append(_tube(np.zeros(3), np.mean(soles, axis=0) + _SOLE * height * _UP, _TUBE * height))
        if headless and any(end.joint == body and end.name == "head" for end in ends):
            parts.append(_head(box[0], _HEAD * height))
        meshes.append(_joined(body, parts, names))
    return meshes


def solid_meshes(model: Any, names: Sequence[str], anchors: Array, bodies: Collection[int]) -> list[Mesh]:
    """Meshes of the visible simple geoms (groups 0 to 2) of some bodies, where boxes or cylinders are among them all.

    Args:
        model: a ``mujoco.MjModel``.
        names: of its bodies, without the world.
        anchors: [B, 3] where each body's joint frame is in the body's frame.
        bodies: numbers, without the world.
    """
    shown = [g for g in range(model.ngeom) if int(model.geom_group[g]) < 3 and int(model.geom_bodyid[g]) - 1 in bodies]
    if not any(int(model.geom_type[g]) in (_BOX, _CYLINDER) for g in shown):
        return []
    meshes = []
    for body in sorted(bodies):
        own = [g for g in shown if int(model.geom_bodyid[g]) - 1 == body]
        surfaces = [(g, _simple(int(model.geom_type[g]), np.array(model.geom_size[g]))) for g in own]
        parts = [_placed(model, g, surface, anchors) for g, surface in surfaces if surface is not None]
        if parts:
            meshes.append(_joined(body, parts, names))
    return meshes


def _simple(kind: int, size: Array) -> _Surface | None:
    """The surface of a geom in its own frame; None for other kinds."""
    if kind == _BOX:
        return _hull(_corners(size, 0.5 * _CHAMFER * float(size.min())))
    if kind in (_SPHERE, _CAPSULE):
        half = size[1] * _UP if kind == _CAPSULE else np.zeros(3)
        return _tube(-half, half, float(size[0]))
    if kind == _CYLINDER:
        turn = 2.0 * np.pi * np.arange(24) / 24
        ring = size[0] * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=-1)
        return _hull(np.concatenate([ring - size[1] * _UP, ring + size[1] * _UP]))
    if kind == _ELLIPSOID:
        vertices, triangles = _tube(np.zeros(3), np.zeros(3), 1.0)
        return vertices * size, triangles
    return None


def _joined(body: int, parts: Sequence[_Surface], names: Sequence[str]) -> Mesh:
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    return Mesh(
        body,
        np.concatenate([vertices for vertices, _ in parts]),
        np.concatenate([triangles + start for (_, triangles), start in zip(parts, starts)]),
        side_of(names[body]),
    )


def _box(model: Any, body: int, height: float, anchor: Array) -> _Surface:
    """The box of a body's inertia, its edges cut."""
    sides = _sides(float(model.body_mass[body + 1]), np.array(model.body_inertia[body + 1]))
    half = np.clip(0.5 * sides, 0.008 * height, _LARGEST * height)
    corners = _corners(half, _CHAMFER * float(half.min()))
    return _hull(rotate(model.body_iquat[body + 1], corners) + model.body_ipos[body + 1] - anchor)


def _corners(half: Array, cut: float) -> Array:
    """[24, 3] of a box with half sides [3], its edges cut."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return np.concatenate([signs * (half - cut * (1.0 - np.eye(3)[k])) for k in range(3)])


def _sides(mass: float, moments: Array) -> Array:
    """[3] of the box of even density with this mass and these moments of inertia."""
    return np.asarray(np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / max(mass, 1e-9), 0.0)))


def _sole(points: Array, thick: float) -> _Surface:
    """A foot over its sole's corners, narrower at its top."""
    middle = points.mean(axis=0)
    top = middle + 0.86 * (points - middle) + thick * _UP
    return _hull(np.concatenate([points, points + 0.5 * thick * _UP, top]))


def _head(torso: Array, radius: float) -> _Surface:
    """A head on a short neck, on top of a torso's corners [N, 3]."""
    top = torso[torso[:, 2] > torso[:, 2].max() - 0.2 * float(np.ptp(torso[:, 2]))].mean(axis=0)
    low = np.array([top[0], top[1], float(torso[:, 2].max()) + 0.7 * radius])
    return _tube(low, low + 0.8 * radius * _UP, radius)


def _tube(start: Array, end: Array, radius: float) -> _Surface:
    solid = capsule_solid(Capsule(0, triple(start), triple(end), radius, radius))
    return solid.vertices, solid.triangles


def _hull(points: Array) -> _Surface:
    """The convex hull, facing outward."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    used, corners = np.unique(hull.simplices, return_inverse=True)
    triangles, places = corners.reshape(-1, 3), points[used]
    a, b, c = (places[triangles[:, k]] for k in range(3))
    inward = np.einsum("nk,nk->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return places, triangles
