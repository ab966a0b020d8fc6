"""The sampled ground against its definition: every sample's own force, summed up by hand."""

import mujoco
import numpy as np
import pytest
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.ground import Ground, ground_function
from footfall.dynamics.stages import Stages
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.ball_joints import pad_samples
from tests.dynamics.evaluation import QUICK

GROUND = Ground(stiffness=2000.0, damping=89.4, friction=0.8, law="sampled", locking_speed=0.05)


DT = 0.001


def _felt(figure, qpos, qvel, *, implicit=False):
    """Forces on the ground points [S, P, 3], their places [S, P, 3], what they answer to accelerations with [S, P, 3]
    and contact masks [S], by the Warp function."""
    compiled = CompiledFigure(figure, feet_only=True)
    stages = Stages(compiled, implicit=False)
    ground = ground_function(compiled, "sampled", "flat", implicit=implicit)
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
        answers: wp.array[Points],
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
        ground(position, velocity, anchor, contact, force, stiffness, real(wp.static(DT)), constants, 0, table, 0)
        at[i] = position
        forces[i] = force
        answers[i] = stiffness
        masks[i] = contact

    n = len(qpos)
    outputs = [*(wp.zeros(n, dtype=Points) for _ in range(3)), wp.zeros(n, dtype=wp.int32)]
    rows = wp.array(np.array([GROUND.row()]), dtype=real)
    inputs = [wp.array(qpos, dtype=Qpos), wp.array(qvel, dtype=Qvel), rows, wp.zeros((1, 1), dtype=real)]
    wp.launch(run, dim=n, inputs=inputs, outputs=outputs)
    places, forces, answers, masks = (x.numpy() for x in outputs)
    return forces.reshape(n, -1, 3), places.reshape(n, -1, 3), answers.reshape(n, -1, 3), masks


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


def _states(figure, count):
    """Random states with feet near the ground."""
    rng = np.random.default_rng(3)
    qpos = np.tile(figure.default_qpos, (count, 1))
    qpos[:, 2] += rng.uniform(-0.06, 0.03, count)
    for joint in figure.joints:
        at = joint.qpos + (3 if joint.kind == "free" else 0)
        qpos[:, at : at + 4] += rng.normal(0, 0.06, (count, 4))
        qpos[:, at : at + 4] /= np.linalg.norm(qpos[:, at : at + 4], axis=1, keepdims=True)
    return qpos, rng.normal(0, 0.5, (count, figure.nv))


def test_forces_on_four_points_are_those_of_all_samples():
    figure, count = Figure.load("mocap-biped"), 40
    qpos, qvel = _states(figure, count)
    forces, places, _, masks = _felt(figure, qpos, qvel)
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


def test_implicit_friction_answers_at_least_as_much_as_all_samples():
    """Σ S_i a_i² >= h Σ G a_s² for every motion of a foot: each step of the friction loses energy."""
    figure, count = Figure.load("mocap-biped"), 20
    qpos, qvel = _states(figure, count)
    forces, places, answers, _ = _felt(figure, qpos, qvel, implicit=True)
    np.testing.assert_array_equal(forces, _felt(figure, qpos, qvel)[0])
    np.testing.assert_array_equal(answers[..., 2], 0.0)
    names = [p.name for p in figure.points if p.ground and p.foot]
    rng, compared = np.random.default_rng(5), 0
    for i in range(count):
        for side in ("left", "right"):
            own = [j for j, name in enumerate(names) if name.startswith(side)]
            x, v, grip = _touching(figure, qpos[i], qvel[i], side)
            slope, offset = rng.normal(size=(2, 3)), rng.normal(size=2)
            moved = (places[i, own] @ slope.T + offset) ** 2
            exact = DT * (grip[:, None] * (x @ slope.T + offset) ** 2).sum()
            assert (answers[i, own, :2] * moved).sum() >= exact * (1 - 1e-9)
            compared += len(v) > 0
    assert compared > count // 2


def _touching(figure, qpos, qvel, side):
    """Places and velocities of the samples of a foot below the ground, and the steepness of their friction."""
    model = figure.model
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    body, twist = figure.body(f"{side}_foot").index, np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body + 1, twist, 0)
    arms = pad_samples(figure, body)[1].reshape(-1, 3) @ data.xmat[body + 1].reshape(3, 3).T
    x, v = data.xpos[body + 1] + arms, twist[3:] + np.cross(twist[:3], arms)
    below = x[:, 2] <= 0
    x, v = x[below], v[below]
    normal = np.maximum(-GROUND.stiffness * x[:, 2] - GROUND.damping * v[:, 2], 0.0)
    return x, v, GROUND.friction * normal / np.maximum(np.linalg.norm(v[:, :2], axis=1), GROUND.locking_speed)


def test_hybrid_dynamics_with_answering_points_is_that_of_the_forces_that_come_of_it():
    """Joints' accelerations given, points with f - S a: the same motion as under plain forces of that size."""
    figure, count = Figure.load("mocap-biped"), 6
    compiled = CompiledFigure(figure, feet_only=True)
    stages, explicit = (Stages(compiled, implicit=implicit, prescribed=True) for implicit in (True, False))
    sense, accelerate, Scratch = stages.sense, stages.accelerate, stages.Scratch
    sense_plain, accelerate_plain, ScratchPlain = explicit.sense, explicit.accelerate, explicit.Scratch
    Points, Pushes, Qpos, Qvel, nv = compiled.Points, compiled.Pushes, compiled.Qpos, compiled.Qvel, compiled.nv
    Both = wp.types.vector(length=2 * nv, dtype=wp.float64)

    @wp.kernel(enable_backward=False, module="unique", module_options=QUICK)
    def run(
        q: wp.array[Qpos],
        v: wp.array[Qvel],
        wanted: wp.array[Qvel],
        force: wp.array[Points],
        answer: wp.array[Points],
        body: wp.array2d[wp.float64],
        found: wp.array[Both],
        plain: wp.array[Both],
    ):
        i = wp.tid()
        qpos, qvel, asked, f, s = q[i], v[i], wanted[i], force[i], answer[i]
        scratch = Scratch()
        position = Points()
        velocity = Points()
        moved = Points()
        push = Pushes()
        qacc = Qvel()
        torque = Qvel()
        sense(qpos, qvel, body, 0, scratch, position, velocity)
        accelerate(qpos, qvel, body, 0, scratch, asked, f, s, push, qacc, torque, moved)
        both = Both()
        for k in range(nv):
            both[k] = qacc[k]
            both[nv + k] = torque[k]
        found[i] = both
        felt = f - wp.cw_mul(s, moved)
        kept = ScratchPlain()
        sense_plain(qpos, qvel, body, 0, kept, position, velocity)
        accelerate_plain(qpos, qvel, body, 0, kept, asked, felt, push, qacc, torque)
        for k in range(nv):
            both[k] = qacc[k]
            both[nv + k] = torque[k]
        plain[i] = both

    qpos, qvel = _states(figure, count)
    rng, points = np.random.default_rng(7), Points._length_
    given = [rng.normal(0, 20, (count, nv)), rng.normal(0, 100, (count, points)), rng.uniform(0, 20, (count, points))]
    kinds = (Qpos, Qvel, Qvel, Points, Points)
    inputs = [wp.array(a, dtype=k, device="cpu") for a, k in zip((qpos, qvel, *given), kinds, strict=True)]
    outputs = [wp.zeros(count, dtype=Both, device="cpu") for _ in range(2)]
    empty = wp.zeros((1, 1), dtype=wp.float64, device="cpu")
    wp.launch(run, dim=count, inputs=[*inputs, empty], outputs=outputs, device="cpu")
    found, plain = (x.numpy() for x in outputs)
    np.testing.assert_allclose(found, plain, rtol=1e-8, atol=1e-7)


def test_figures_without_pads_are_refused_in_words():
    with pytest.raises(FootfallError, match="sampled ground"):
        ground_function(CompiledFigure(Figure.load("human-12")), "sampled", "flat", implicit=False)
