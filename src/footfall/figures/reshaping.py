"""Between a figure's MuJoCo model and its body parameters."""

from copy import copy
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.body_parameters import BodyParameters
from footfall.figures.parts import Body, Joint, Point


def parameters_of(
    model: Any, bodies: tuple[Body, ...], joints: tuple[Joint, ...], points: tuple[Point, ...]
) -> BodyParameters:
    """The parameters of one world, as the model has them."""
    count = len(bodies)
    anchors = np.zeros((count, 3))
    for joint in reversed(joints):
        if joint.kind != "free":
            anchors[joint.body] = joint.anchor
    turns = np.zeros((count, 9))
    for i in range(count):
        mujoco.mju_quat2Mat(turns[i], model.body_iquat[i + 1])
    turn = turns.reshape(count, 3, 3)
    inertia = np.einsum("bij,bj,bkj->bik", turn, model.body_inertia[1:], turn)
    return BodyParameters(
        position=model.body_pos[None, 1:].copy(),
        quat=model.body_quat[1:].copy(),
        mass=model.body_mass[None, 1:].copy(),
        com=model.body_ipos[None, 1:].copy(),
        inertia=inertia[None],
        points=np.array([[point.position for point in points]]).reshape(1, len(points), 3),
        stretch=np.ones((1, count, 3)),
        names=tuple(body.name for body in bodies),
        parents=tuple(body.parent for body in bodies),
        point_bodies=tuple(point.body for point in points),
        anchors=anchors,
    )


def reshaped_spec(spec: Any, params: BodyParameters) -> Any:
    """A copy of an ``mujoco.MjSpec`` with the bodies, sites and geoms that ``params`` (one world) say."""
    spec = spec.copy()
    spec.compile()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    spec.compiler.settotalmass = -1.0
    own = {int(body.id) - 1: body for body in spec.bodies if body.id > 0}
    if sorted(own) != list(range(len(params.names))):
        raise FootfallError("body parameters belong to another figure")
    sites = sorted((site for site in spec.sites if site.parent.id > 0), key=lambda site: int(site.id))
    for b, body in own.items():
        body.pos = params.position[0, b]
        body.mass = params.mass[0, b]
        body.ipos = params.com[0, b]
        moments, axes = np.linalg.eigh(params.inertia[0, b])
        axes = axes * np.linalg.det(axes)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, axes.ravel())
        body.iquat, body.inertia = quat, moments
        body.fullinertia = np.full(6, np.nan)
        body.explicitinertial = True
        for geom in body.geoms:
            _stretch_geom(geom, params.stretch[0, b], params.anchors[b])
    for site, position in zip(sites, params.points[0], strict=True):
        site.pos = position
    return spec


def standing_heights(
    model: Any, points: tuple[Point, ...], qpos: NDArray[np.float64], params: BodyParameters
) -> NDArray[np.float64]:
    """[W], height of the lowest foot point (without feet, of the lowest point) of each world at ``qpos`` [nq]."""
    chosen = [i for i, p in enumerate(points) if p.foot and p.ground] or [i for i, p in enumerate(points) if p.ground]
    heights = np.zeros(params.worlds)
    if not chosen:
        return heights
    own, data = copy(model), mujoco.MjData(model)
    owners = [points[i].body + 1 for i in chosen]
    for w in range(params.worlds):
        own.body_pos[1:] = params.position[w]
        data.qpos[:] = qpos
        mujoco.mj_kinematics(own, data)
        turn = data.xmat[owners].reshape(-1, 3, 3)
        heights[w] = np.min(data.xpos[owners, 2] + np.einsum("pj,pj->p", turn[:, 2], params.points[w, chosen]))
    return heights


def _stretch_geom(geom: Any, factors: NDArray[np.float64], anchor: NDArray[np.float64]) -> None:
    """Stretch a geom with its body: exactly for boxes and ellipsoids along the axes, in length for capsules."""
    if np.all(factors == 1.0):
        return
    if np.all(np.isfinite(geom.fromto)):
        geom.fromto = (anchor + factors * (np.reshape(geom.fromto, (2, 3)) - anchor)).ravel()
        return
    geom.pos = anchor + factors * (geom.pos - anchor)
    if geom.type in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, geom.quat)
        geom.size = geom.size * np.linalg.norm(factors[:, None] * turn.reshape(3, 3), axis=0)
