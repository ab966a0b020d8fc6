"""Bodies to adapt to, made from built-in ones."""

import mujoco
import numpy as np

from footfall.figures import Figure

__all__ = ["edited", "similar"]


def similar(name: str, length: float, mass: float, *, free: bool = False) -> Figure:
    """A figure scaled exactly: lengths, masses, servos, armature and damping by their dimensions.

    ``free`` drops the joints' ranges, whose stops have a time of their own.
    """
    spec = Figure.load(name).spec()
    spec.compile()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    model = Figure.load(name).model
    time = np.sqrt(length)
    for body in spec.bodies[1:]:
        body.pos = length * np.array(model.body_pos[body.id])
        body.quat = model.body_quat[body.id]
        body.mass = mass * model.body_mass[body.id]
        body.ipos = length * np.array(model.body_ipos[body.id])
        body.iquat = model.body_iquat[body.id]
        body.inertia = mass * length**2 * np.array(model.body_inertia[body.id])
        body.fullinertia = np.full(6, np.nan)
        body.explicitinertial = True
        for geom in list(body.geoms):
            spec.delete(geom)
    for site in spec.sites:
        site.pos = length * np.array(site.pos)
    for joint in spec.joints:
        joint.pos = length * np.array(joint.pos)
        joint.armature *= mass * length**2
        joint.damping = np.array(joint.damping) * mass * length * length / time
        if free:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
    for actuator in spec.actuators:
        torque = mass * length
        actuator.gainprm = np.array(actuator.gainprm) * torque
        bias = np.array(actuator.biasprm)
        bias[1], bias[2] = bias[1] * torque, bias[2] * torque * time
        actuator.biasprm = bias
        actuator.forcerange = np.array(actuator.forcerange) * torque
    for key in spec.keys:
        qpos = np.array(key.qpos)
        qpos[: 2 if Figure.load(name).root == "planar" else 3] *= length
        key.qpos = qpos
    return Figure.load(spec.to_xml())


def edited(
    name: str, *, without: tuple[str, ...] = (), welded: tuple[str, ...] = (), backward_knees: bool = False
) -> Figure:
    """A figure without some bodies (and what hangs from them), with some joints welded, or with knees that bend the
    other way."""
    spec = Figure.load(name).spec()
    for body in without:
        spec.delete(spec.body(body))
    for joint in welded:
        for actuator in [a for a in spec.actuators if a.target == joint]:
            spec.delete(actuator)
        spec.delete(spec.joint(joint))
    for key in list(spec.keys):
        spec.delete(key)
    if backward_knees:
        for side in ("left", "right"):
            knee = spec.joint(f"{side}_knee")
            knee.range = [-float(knee.range[1]), -float(knee.range[0])]
    return Figure.load(spec.to_xml())
