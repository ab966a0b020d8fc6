"""MuJoCo scenes: a figure on its terrain, as MuJoCo's own contacts see it, and movable boxes, which a character walks
through and pushes about.

The boxes' states are MuJoCo's, in the scene's own data, behind the figure's: the rollout does not know them. After each
``mj_forward`` they are moved on by a semi-implicit Euler step, inside the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.ground import Ground
from footfall.dynamics.solid import FRICTION
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.solid_shapes import SolidShapes
from footfall.terrain import Terrain

SOLE, BONE, OWN = 1, 2, 4
"""Bits of MuJoCo's contact masks: what the terrain meets, what boxes meet, and boxes among themselves."""


@dataclass(frozen=True)
class MovableBox:
    """A box that may be pushed.

    Attributes:
        size: its edges, metres.
        position: of its centre.
        mass: kilograms.
        heading: turn about the vertical, radians.
        friction: with whatever it touches.
    """

    size: tuple[float, float, float]
    position: tuple[float, float, float]
    mass: float = 1.0
    heading: float = 0.0
    friction: float = 0.8

    def __post_init__(self) -> None:
        numbers = (*self.size, self.mass)
        if not all(math.isfinite(x) and x > 0.0 for x in numbers):
            raise FootfallError(f"box: size {self.size} and mass {self.mass} must be above 0")


def add_boxes(spec: Any, boxes: Sequence[MovableBox]) -> None:
    """Put boxes into a MuJoCo specification, behind the figure's bodies."""
    for k, box in enumerate(boxes):
        half = 0.5 * box.heading
        body = spec.worldbody.add_body(
            name=f"box{k}", pos=list(box.position), quat=[math.cos(half), 0.0, 0.0, math.sin(half)]
        )
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * x for x in box.size],
            mass=box.mass,
            friction=[box.friction, 0.005, 0.0001],
            contype=OWN | SOLE,
            conaffinity=OWN | BONE | SOLE,
        )


def stacked_boxes(
    at: Sequence[tuple[float, float]], *, high: int = 3, edge: float = 0.25, mass: float = 0.4, seed: int = 1
) -> list[MovableBox]:
    """Stacks of boxes at positions on the ground, each box turned a little."""
    random = np.random.default_rng(seed)
    return [
        MovableBox((edge, edge, edge), (x, y, edge * (level + 0.5) + 1e-3), mass, float(random.uniform(-0.2, 0.2)))
        for x, y in at
        for level in range(high)
    ]


def box_states(data: Any, nq: int, count: int) -> NDArray[np.float64]:
    """[count, 7] positions and quaternions of the boxes."""
    return np.array(data.qpos[nq : nq + 7 * count]).reshape(count, 7)


WIDTH = 50.0
FAR = 1000.0
RIM = 20.0
DEEP = 1.0


def scene_model(
    figure: Figure,
    terrain: Terrain,
    ground: Ground,
    dt: float,
    *,
    fallen: bool = False,
    boxes: Sequence[MovableBox] = (),
    solid: bool = False,
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
        fallen: whether the whole figure meets the ground, or its soles.
        boxes: movable ones, which meet the figure, the ground and each other.
        solid: whether the figure's limbs meet each other.
    """
    spec = figure.spec()
    if solid:
        _add_limb_pairs(spec, figure.solid)
    off = mujoco.mjtDisableBit
    spec.option.timestep = dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= int(off.mjDSBL_ACTUATION | off.mjDSBL_LIMIT | off.mjDSBL_WARMSTART)
    for geom in spec.geoms:
        if fallen:
            geom.contype = int(geom.contype > 0) * (BONE | SOLE)
        elif ground.law == "sampled":
            geom.contype = int(geom.contype > 0) * BONE
        if geom.contype & SOLE:
            geom.friction[0] = min(ground.friction, 1e3)
    meets = {"contype": 0, "conaffinity": 1}
    if terrain.kind == "flat":
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **meets)
    elif terrain.kind == "profile":
        _add_profile(spec, terrain, meets)
    else:
        _add_field(spec, terrain, meets)
    add_boxes(spec, boxes)
    return spec.compile()


def _add_limb_pairs(spec: Any, shapes: SolidShapes) -> None:
    """Contacts between the shapes of limbs that touch each other."""
    spec.compile()
    geoms = {int(geom.id): geom for geom in spec.geoms}
    for number, geom in geoms.items():
        geom.name = geom.name or f"solid{number}"
    for pair in shapes.pairs:
        for a, b in product(*(shapes.capsules[k].geoms for k in pair)):
            friction = [FRICTION, FRICTION, 0.005, 0.0001, 0.0001]
            spec.add_pair(geomname1=geoms[a].name, geomname2=geoms[b].name, condim=3, friction=friction)


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

    def take_objects(self, other: MujocoScene, nq: int, nv: int) -> None:
        """Put movable objects, behind a figure's ``nq`` and ``nv`` coordinates, where they are in another scene."""
        self.data.qpos[nq:] = other.data.qpos[nq:]
        self.data.qvel[nv:] = other.data.qvel[nv:]
