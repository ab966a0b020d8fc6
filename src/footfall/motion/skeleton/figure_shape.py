"""The shape of a figure: its MuJoCo geoms as capsules."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import name_tokens, side_of
from footfall.motion.skeleton.tree import Capsule

_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX = 2, 3, 4, 5, 6
_SHOWN_GROUPS = 3


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
                capsules.append(
                    Capsule(body, _triple(a), _triple(b), radius, radius, side, "limb" if side else "trunk")
                )
    return tuple(capsules)


def _neck_and_head(body: int, a: Array, b: Array, radius: float) -> list[Capsule]:
    """A long head is a neck with a head on it; the far end is the one further from the joint."""
    near, far = (a, b) if np.linalg.norm(a) < np.linalg.norm(b) else (b, a)
    along = (far - near) / np.linalg.norm(far - near)
    size = max(radius, 0.3 * float(np.linalg.norm(far - near)))
    top = far + (radius - size) * along
    return [
        Capsule(body, _triple(near), _triple(top), 0.6 * radius, 0.6 * radius, "", "neck"),
        Capsule(body, _triple(top - 0.35 * size * along), _triple(top), size, 0.96 * size, "", "head"),
    ]


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def _pieces(kind: int, size: Array) -> list[tuple[Array, Array, float]]:
    """(start, end, radius) of the capsules that stand for one geom, in its own frame."""
    up = np.array([0.0, 0.0, 1.0])
    if kind == _SPHERE:
        return [(0 * up, 0 * up, float(size[0]))]
    if kind in (_CAPSULE, _CYLINDER):
        half = float(size[1]) - (float(size[0]) if kind == _CYLINDER else 0.0)
        return [(-max(half, 0.0) * up, max(half, 0.0) * up, float(size[0]))]
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
