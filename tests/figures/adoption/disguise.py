"""A figure in disguise: the same body in a file with other frames, axes, names and root direction."""

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from footfall.figures import Figure


@dataclass(frozen=True)
class Disguise:
    """MJCF text of the body, and the figure's joint and body names by those in the text."""

    spec: mujoco.MjSpec
    joints: dict[str, str]
    bodies: dict[str, str]


def disguised(figure: Figure, seed: int, *, turns: int = 0) -> Disguise:
    """Write a figure whose frames are along the world's axes with random frames, signs of axes and names.

    Args:
        figure: one with a free root.
        seed: of the disguise.
        turns: quarter turns of the whole body to the left.
    """
    rng = np.random.default_rng(seed)
    model = figure.model
    data = mujoco.MjData(model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_kinematics(model, data)
    world = Rotation.from_euler("z", turns * np.pi / 2).as_matrix()
    frames = [np.eye(3)] + [Rotation.random(rng=rng).as_matrix() for _ in range(model.nbody - 1)]
    numbers = rng.permutation(model.nbody + model.njnt)
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = model.opt.gravity
    made, joints, bodies = {0: spec.worldbody}, {}, {}
    for b in range(1, model.nbody):
        parent = int(model.body_parentid[b])
        place = frames[parent].T @ (world @ (data.xpos[b] - data.xpos[parent]))
        turn = frames[parent].T @ frames[b]
        name = f"part{numbers[b]}"
        bodies[name] = model.body(b).name
        body = made[b] = made[parent].add_body(name=name, pos=place, quat=quaternion(turn))
        into = frames[b].T @ world
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = model.body_mass[b], into @ model.body_ipos[b], model.body_inertia[b]
        body.iquat = quaternion(into @ matrix(model.body_iquat[b]))
        for j in range(int(model.body_jntadr[b]), int(model.body_jntadr[b] + model.body_jntnum[b])):
            label = f"axle{numbers[model.nbody + j]}"
            joints[label] = model.joint(j).name
            if int(model.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_FREE):
                body.add_freejoint(name=label)
                continue
            sign = rng.choice([-1.0, 1.0])
            lower, upper = sorted(sign * model.jnt_range[j])
            body.add_joint(
                name=label, axis=sign * (into @ model.jnt_axis[j]), pos=into @ model.jnt_pos[j], range=[lower, upper],
                limited=mujoco.mjtLimited.mjLIMITED_TRUE, armature=0.01 + 0.001 * j, frictionloss=0.1,
            ).damping[0] = 0.2  # fmt: skip
        for g in range(model.ngeom):
            if int(model.geom_bodyid[g]) == b:
                turned = quaternion(into @ matrix(model.geom_quat[g]))
                body.add_geom(
                    type=mujoco.mjtGeom(int(model.geom_type[g])), size=model.geom_size[g],
                    pos=into @ model.geom_pos[g], quat=turned, mass=0.0,
                )  # fmt: skip
    for a in range(model.nu):
        label = next(k for k, v in joints.items() if v == model.joint(int(model.actuator_trnid[a, 0])).name)
        motor = spec.add_actuator(name=f"motor{a}", target=label)
        motor.trntype = mujoco.mjtTrn.mjTRN_JOINT
        motor.gear[0], motor.ctrlrange = 50.0, [-1.0 - a, 1.0 + a]
        motor.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
    return Disguise(spec, joints, bodies)


def matrix(quat):
    """[3, 3] of a quaternion."""
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, np.asarray(quat, dtype=float))
    return flat.reshape(3, 3)


def quaternion(turn):
    """[4] of a rotation."""
    out = np.zeros(4)
    mujoco.mju_mat2Quat(out, np.asarray(turn).ravel())
    return out
