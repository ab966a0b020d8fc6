"""Figures of ball joints from figures of hinges: the same bones, masses and motion."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.ball_joints import with_ball_joints
from footfall.figures.scaling import scaled_figure
from footfall.motion.ball_poses import legs_of


@pytest.fixture(scope="module")
def pair():
    figure = Figure.load("human-28")
    return figure, with_ball_joints(figure)


def test_every_moving_body_has_a_ball_joint(pair):
    figure, ball = pair
    assert {joint.kind for joint in ball.joints} == {"free", "ball"}
    assert [body.name for body in ball.bodies] == [body.name for body in figure.bodies if body.joints]
    assert len(legs_of(ball)) == 2
    np.testing.assert_allclose(ball.mirror_qpos(ball.default_qpos), ball.default_qpos, atol=1e-12)
    assert ball.model.body_mass.sum() == pytest.approx(figure.model.body_mass.sum(), rel=1e-12)
    np.testing.assert_allclose(ball.default_qpos[:3], figure.default_qpos[:3], atol=1e-9)


def test_bodies_are_where_the_hinges_put_them_and_weigh_the_same(pair):
    """In any pose: places of all bodies, the whole body's centre of mass, kinetic and potential energy."""
    figure, ball = pair
    rng = np.random.default_rng(0)
    for _ in range(5):
        one, two = mujoco.MjData(figure.model), mujoco.MjData(ball.model)
        one.qpos[:] = figure.default_qpos
        one.qpos[7:] = rng.normal(0.0, 0.4, figure.nq - 7)
        mujoco.mj_forward(figure.model, one)
        two.qpos[:7] = one.qpos[:7]
        for body in ball.bodies[1:]:
            own, parent = (
                one.xquat[figure.body(name).index + 1] for name in (body.name, ball.bodies[body.parent].name)
            )
            relative, back = np.zeros(4), np.zeros(4)
            mujoco.mju_negQuat(back, parent)
            mujoco.mju_mulQuat(relative, back, own)
            at = ball.joint(body.joints[0]).qpos
            two.qpos[at : at + 4] = relative
        mujoco.mj_forward(ball.model, two)
        for body in ball.bodies:
            np.testing.assert_allclose(two.xpos[body.index + 1], one.xpos[figure.body(body.name).index + 1], atol=1e-12)
        np.testing.assert_allclose(two.subtree_com[1], one.subtree_com[1], atol=1e-12)
        inertias = []
        for model, data in ((figure.model, one), (ball.model, two)):
            full = np.zeros((model.nv, model.nv))
            mujoco.mj_fullM(model, data, full)
            inertias.append(full[:6, :6])
        np.testing.assert_allclose(inertias[1], inertias[0], atol=1e-10)


def test_a_child_of_ball_joints(pair):
    child = scaled_figure(pair[1], height=1.1)
    assert {joint.kind for joint in child.joints} == {"free", "ball"}
    assert child.mirror is not None


def test_what_cannot_have_ball_joints_is_refused():
    with pytest.raises(FootfallError, match="free root"):
        with_ball_joints(Figure.load("planar-biped"))
    with pytest.raises(FootfallError, match="all joints are hinges"):
        with_ball_joints(Figure.load("mocap-biped"))
