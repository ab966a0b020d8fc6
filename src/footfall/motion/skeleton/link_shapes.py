"""Shapes for links of robots without meshes: their boxes and cylinders as they are, or what masses and joints say.

Where meshes are missing, a link is drawn as the box of even density that has its mass and inertia, with tubes from its
own joint to those of the links that hang on it. A foot covers its sole; a torso without a head gets one on top.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import name_tokens, side_of
from footfall.motion.skeleton.solids import capsule_solid
from footfall.motion.skeleton.tree import Capsule, EndSite, Mesh

_LARGEST, _TUBE, _HEAD, _SOLE = 0.1, 0.022, 0.05, 0.025
"""As shares of the height of the body: half a box's side at most (some files' inertias are wrong), the radius of tubes,
of the head, the thickness of soles."""
_ENOUGH = 0.6
"""Share of the box of its inertia that a body's own geoms fill at least, to be its shape."""
_CHAMFER = 0.25
"""Share of a box's shortest side by which its edges are cut."""

_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX = 2, 3, 4, 5, 6
_UP = np.array([0.0, 0.0, 1.0])
_Surface = tuple[Array, np.ndarray]


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
        model: a ``mujoco.MjModel``. names: of its bodies, without the world.
        anchors: [B, 3] where each body's joint frame is in the body's frame.
        ends: its contact points, in the joints' frames. height: of the whole body, metres.
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
        model: a ``mujoco.MjModel``. names: of its bodies, without the world.
        anchors: [B, 3] where each body's joint frame is in the body's frame. bodies: numbers, without the world.
    """
    shown = [g for g in range(model.ngeom) if int(model.geom_group[g]) < 3 and int(model.geom_bodyid[g]) - 1 in bodies]
    if not any(int(model.geom_type[g]) in (_BOX, _CYLINDER) for g in shown):
        return []
    meshes = []
    for body in sorted(bodies):
        parts = []
        for g in (g for g in shown if int(model.geom_bodyid[g]) - 1 == body):
            surface = _simple(int(model.geom_type[g]), np.array(model.geom_size[g]))
            if surface is not None:
                place = model.geom_pos[g] - anchors[body]
                parts.append((rotate(model.geom_quat[g], surface[0]) + place, surface[1]))
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
    (ax, ay, az), (bx, by, bz) = (tuple(map(float, place)) for place in (start, end))
    solid = capsule_solid(Capsule(0, (ax, ay, az), (bx, by, bz), radius, radius))
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
