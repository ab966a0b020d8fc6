"""The sampled ground against its definition: every sample's own force, summed up by hand."""

import mujoco
import numpy as np
import pytest
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.ground import Ground, ground_function
from footfall.dynamics.sampled_ground import pad_samples
from footfall.dynamics.stages import Stages
from footfall.errors import FootfallError
from footfall.figures import Figure

GROUND = Ground(stiffness=2000.0, damping=89.4, friction=0.8, law="sampled", locking_speed=0.05)


def _felt(figure, qpos, qvel):
    """Forces on the ground points [S, P, 3], their places [S, P, 3] and contact masks [S], by the Warp function."""
    compiled = CompiledFigure(figure, feet_only=True)
    stages = Stages(compiled, implicit=False)
    ground = ground_function(compiled, "sampled", "flat", implicit=False)
    Points, Scratch, Qpos, Qvel = compiled.Points, stages.Scratch, compiled.Qpos, compiled.Qvel
    sense = stages.sense
    real = wp.float64

    @wp.kernel(enable_backward=False, module="unique")
    def run(
        q: wp.array[Qpos],
        v: wp.array[Qvel],
        constants: wp.array2d[real],
        table: wp.array2d[real],
        at: wp.array[Points],
        forces: wp.array[Points],
        masks: wp.array[wp.int32],
    ):
        i = wp.tid()
        position = Points()
        velocity = Points()
        anchor = Points()
        force = Points()
        stiffness = Points()
        scratch = Scratch()
        contact = wp.int32(0)
        a = q[i]
        b = v[i]
        sense(a, b, table, 0, scratch, position, velocity)
        ground(position, velocity, anchor, contact, force, stiffness, real(0.001), constants, 0, table, 0)
        at[i] = position
        forces[i] = force
        masks[i] = contact

    n = len(qpos)
    outputs = [wp.zeros(n, dtype=Points), wp.zeros(n, dtype=Points), wp.zeros(n, dtype=wp.int32)]
    rows = wp.array(np.array([GROUND.row()]), dtype=real)
    inputs = [wp.array(qpos, dtype=Qpos), wp.array(qvel, dtype=Qvel), rows, wp.zeros((1, 1), dtype=real)]
    wp.launch(run, dim=n, inputs=inputs, outputs=outputs)
    places, forces, masks = (x.numpy() for x in outputs)
    return forces.reshape(n, -1, 3), places.reshape(n, -1, 3), masks


def _by_hand(figure, qpos, qvel):
    """Each foot's total force and moment about the world's origin [2, 6]."""
    model = figure.model
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    totals = []
    for side in ("left", "right"):
        body = figure.body(f"{side}_foot").index
        _, samples = pad_samples(figure, body)
        twist = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body + 1, twist, 0)
        turn, origin = data.xmat[body + 1].reshape(3, 3), data.xpos[body + 1]
        total = np.zeros(6)
        for local in samples.reshape(-1, 3):
            x = origin + turn @ local
            v = twist[3:] + np.cross(twist[:3], turn @ local)
            if x[2] > 0:
                continue
            normal = max(GROUND.stiffness * -x[2] - GROUND.damping * v[2], 0.0)
            sliding = np.linalg.norm(v[:2])
            share = min(sliding / GROUND.locking_speed, 1.0)
            f = np.array([0.0, 0.0, normal])
            if sliding > 0:
                f[:2] = -GROUND.friction * normal * share * v[:2] / sliding
            total += np.concatenate([f, np.cross(x, f)])
        totals.append(total)
    return np.array(totals)


def test_forces_on_four_points_are_those_of_all_samples():
    figure = Figure.load("mocap-biped")
    rng = np.random.default_rng(3)
    count = 40
    qpos = np.tile(figure.default_qpos, (count, 1))
    qpos[:, 2] += rng.uniform(-0.06, 0.03, count)
    for joint in figure.joints:
        at = joint.qpos + (3 if joint.kind == "free" else 0)
        qpos[:, at : at + 4] += rng.normal(0, 0.06, (count, 4))
        qpos[:, at : at + 4] /= np.linalg.norm(qpos[:, at : at + 4], axis=1, keepdims=True)
    qvel = rng.normal(0, 0.5, (count, figure.nv))
    forces, places, masks = _felt(figure, qpos, qvel)
    names = [p.name for p in figure.points if p.ground and p.foot]
    touched = 0
    for i in range(count):
        wanted = _by_hand(figure, qpos[i], qvel[i])
        for k, side in enumerate(("left", "right")):
            own = [j for j, name in enumerate(names) if name.startswith(side)]
            moments = np.cross(places[i, own], forces[i, own])
            found = np.concatenate([forces[i, own].sum(axis=0), moments.sum(axis=0)])
            np.testing.assert_allclose(found, wanted[k], atol=1e-8)
            touches = bool(masks[i] & sum(1 << j for j in own))
            assert touches == bool(np.any(wanted[k]) or touches)
            touched += touches
    assert touched > count // 2


def test_figures_without_pads_are_refused_in_words():
    with pytest.raises(FootfallError, match="sampled ground"):
        ground_function(CompiledFigure(Figure.load("human-12")), "sampled", "flat", implicit=False)
