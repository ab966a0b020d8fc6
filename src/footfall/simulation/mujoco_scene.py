"""MuJoCo scenes: a figure on its terrain, as MuJoCo's own contacts see it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import mujoco
import numpy as np

from footfall.dynamics.ground import Ground
from footfall.figures import Figure
from footfall.simulation.mujoco_objects import Box, add_boxes
from footfall.terrain import Terrain

__all__ = ["MujocoScene", "scene_model"]

WIDTH = 50.0
FAR = 1000.0
RIM = 20.0
DEEP = 1.0
BONE = 2
"""The bit of MuJoCo's contact masks that boxes meet and the terrain does not."""


def scene_model(
    figure: Figure,
    terrain: Terrain,
    ground: Ground,
    dt: float,
    *,
    body_touches: bool,
    boxes: Sequence[Box] = (),
) -> Any:
    """A ``mujoco.MjModel`` of a figure and the terrain that its soles meet.

    The law drives the joints, so the figure's actuators and joint limits are off; so is the warm start, so that a step
    depends on the state alone. The soles take the ground's friction; stiffness and damping of contacts stay MuJoCo's. A
    sampled ground acts on the feet from outside; then nothing of the figure meets the terrain, but all of it boxes.

    Args:
        figure: the figure on the terrain.
        terrain: a plane, boxes and prisms along a profile, or a height field.
        ground: its friction, and whether it is a sampled one.
        dt: step, seconds.
        body_touches: whether the points off the feet meet the ground too, to be drawn falling.
        boxes: movable ones, which meet the figure, the ground and each other.
    """
    spec = figure.spec()
    off = mujoco.mjtDisableBit
    spec.option.timestep = dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= int(off.mjDSBL_ACTUATION | off.mjDSBL_LIMIT | off.mjDSBL_WARMSTART)
    for geom in spec.geoms:
        if geom.contype == 1:
            geom.friction[0] = min(ground.friction, 1e3)
    if ground.law == "sampled":
        for geom in spec.geoms:
            geom.contype = int(geom.contype > 0) * BONE
    elif body_touches:
        _add_points(spec, figure)
    meets = {"contype": 0, "conaffinity": 1}
    if terrain.kind == "flat":
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **meets)
    elif terrain.kind == "profile":
        _add_profile(spec, terrain, meets)
    else:
        _add_field(spec, terrain, meets)
    add_boxes(spec, boxes)
    return spec.compile()


def _add_points(spec: Any, figure: Figure) -> None:
    """Beads at the points off the feet, that touch once the point itself is below the ground: by then it is a fall."""
    radius = 0.005
    for point in figure.points:
        if point.ground and point.foot is None:
            spec.bodies[point.body + 1].add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[radius, 0, 0],
                pos=point.position,
                mass=0.0,
                contype=1,
                conaffinity=0,
                gap=1.2 * radius,
                group=5,
            )


def _add_profile(spec: Any, terrain: Terrain, meets: dict[str, int]) -> None:
    """A box under each level stretch and a prism under each slope, down to a common base."""
    x, z = terrain.profile()
    x = np.concatenate([[x[0] - FAR], x, [x[-1] + FAR]])
    z = np.concatenate([z[:1], z, z[-1:]])
    base = float(z.min()) - DEEP
    for i, (x0, x1, z0, z1) in enumerate(zip(x[:-1], x[1:], z[:-1], z[1:], strict=True)):
        if z0 == z1:
            place, size = [(x0 + x1) / 2, 0, (z0 + base) / 2], [(x1 - x0) / 2, WIDTH, (z0 - base) / 2]
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=place, size=size, **meets)
            continue
        corners = [[a, y, b] for y in (-WIDTH, WIDTH) for a, b in ((x0, base), (x1, base), (x0, z0), (x1, z1))]
        spec.add_mesh(name=f"terrain{i}", uservert=np.array(corners, dtype=float).ravel(), inertia=_SHELL)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"terrain{i}", **meets)


_SHELL = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX


def _add_field(spec: Any, terrain: Terrain, meets: dict[str, int]) -> None:
    """A height field, its rim carried on for some metres."""
    origin, spacing, heights = terrain.grid()
    more = np.minimum(np.ceil(RIM / spacing).astype(int), 400)
    heights = np.pad(heights, [(n, n) for n in more], mode="edge")
    low, high = float(heights.min()), float(heights.max())
    size = 0.5 * spacing * (np.array(heights.shape) - 1)
    centre = origin - more * spacing + size
    spec.add_hfield(
        name="terrain",
        nrow=heights.shape[1],
        ncol=heights.shape[0],
        size=[size[0], size[1], max(high - low, 1e-6), DEEP],
        userdata=((heights.T - low) / max(high - low, 1e-6)).ravel(),
    )
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="terrain", pos=[centre[0], centre[1], low], **meets
    )


class MujocoScene:
    """A model with data of its own, for one thread at a time, and their addresses."""

    def __init__(self, model: Any, forward: int, boxes: int = 0) -> None:
        self.model = copy(model)
        self.data = mujoco.MjData(self.model)
        self.armature = np.array(self.model.dof_armature)
        self.step = np.array([self.model.opt.timestep])
        arrays = (
            self.data.qpos,
            self.data.qvel,
            self.data.qfrc_applied,
            self.data.xfrc_applied,
            self.data.qacc,
            self.model.dof_armature,
            self.armature,
        )
        pointers = [forward, self.model._address, self.data._address, *(a.ctypes.data for a in arrays)]
        pointers += [boxes, self.step.ctypes.data]
        self.addresses = np.array(pointers, dtype=np.uint64)
        """[12] mj_forward, model, data, qpos, qvel, qfrc_applied, xfrc_applied, qacc, armature, the model's own one;
        the number of boxes, and the step."""
