"""Figures in another size: laws of similarity, and MJCF text that keeps every digit."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.figures.mjcf import mjcf_text
from footfall.figures.scaling import figure_height, scaled_figure
from tests.figures.dynamics_of import acceleration, passive
from tests.figures.random_trees import random_state

KEPT = (
    "body_pos", "body_quat", "body_mass", "body_ipos", "body_inertia", "body_iquat", "jnt_range", "jnt_axis", "jnt_pos",
    "geom_pos", "geom_quat", "geom_size", "geom_contype", "geom_friction", "site_pos", "site_quat", "site_size",
    "site_group", "key_qpos",
    "actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "actuator_gear", "dof_damping", "dof_armature",
    "jnt_stiffness", "qpos0", "numeric_data", "text_data",
)  # fmt: skip


@pytest.mark.parametrize("name", figure_names())
def test_the_text_of_a_figure_is_the_same_figure_to_the_bit(name):
    figure = Figure.load(name)
    again = Figure.load(mjcf_text(figure.model, figure.name))
    for field in KEPT:
        np.testing.assert_array_equal(getattr(again.model, field), getattr(figure.model, field), err_msg=field)
    np.testing.assert_array_equal(again.default_qpos, figure.default_qpos)
    assert again.legs == figure.legs
    assert again.torso == figure.torso


@pytest.mark.parametrize("name", figure_names())
@pytest.mark.parametrize(("height", "mass"), [(1.1, None), (3.0, None), (None, 40.0), (0.3, 5.0)])
def test_motions_of_two_sizes_are_similar(name, height, mass):
    """With lengths times L and masses times M, states with times times √L accelerate alike under torques times M L."""
    figure = Figure.load(name)
    other = scaled_figure(figure, height=height, mass=mass)
    assert height is None or figure_height(other) == pytest.approx(height, rel=1e-12)
    ratio = figure_height(other) / figure_height(figure)
    heavier = other.model.body_mass.sum() / figure.model.body_mass.sum()
    assert heavier == pytest.approx(ratio**3 if mass is None else mass / figure.model.body_mass.sum(), rel=1e-12)
    qlength, vlength = _lengths(figure)
    for seed in range(3):
        qpos, qvel = random_state(figure, seed)
        torque = np.random.default_rng(seed).normal(0.0, 30.0, figure.nv)
        one = acceleration(passive(figure.model), qpos, qvel, torque)
        new_qpos, new_qvel = qpos * ratio**qlength, qvel * ratio ** (vlength - 0.5)
        two = acceleration(passive(other.model), new_qpos, new_qvel, torque * heavier * ratio ** (1.0 - vlength))
        np.testing.assert_allclose(two, one * ratio ** (vlength - 1.0), rtol=1e-8, atol=1e-8 * np.abs(one).max())
    np.testing.assert_allclose(other.mirror_qpos(other.default_qpos), other.default_qpos)


def _lengths(figure):
    """Powers of length of the coordinates [nq] and of the degrees of freedom [nv]."""
    qpos, dof = np.zeros(figure.nq), np.zeros(figure.nv)
    for joint in figure.joints:
        count = {"free": 3, "slide": 1}.get(joint.kind, 0)
        qpos[joint.qpos : joint.qpos + count] = 1.0
        dof[joint.dof : joint.dof + count] = 1.0
    return qpos, dof


def test_a_leg_swings_with_the_root_of_its_length():
    """The period of a hanging leg, 2π √(I / m g d), from masses and inertias about its hip."""

    def period(figure):
        model, data = figure.model, mujoco.MjData(figure.model)
        data.qpos[:] = figure.default_qpos
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        dof = figure.joint("left_hip_pitch").dof
        hip = figure.body("left_thigh").index + 1
        reach = data.xpos[hip] - data.subtree_com[hip]
        return 2.0 * np.pi * np.sqrt(full[dof, dof] / (9.8 * model.body_subtreemass[hip] * reach[2]))

    grown = Figure.load("human-28")
    child = scaled_figure(grown, height=0.25 * figure_height(grown))
    assert period(child) == pytest.approx(0.5 * period(grown), rel=1e-10)


def test_servos_follow_the_size_and_limits_the_muscles():
    grown = Figure.load("human-28")
    child = scaled_figure(grown, height=0.9)
    machine = scaled_figure(grown, height=0.9, strength="similar")
    for joint in grown.joints:
        if joint.actuated:
            small = child.joint(joint.name)
            assert small.kp == pytest.approx(joint.kp * 0.5**4)
            assert small.kd == pytest.approx(joint.kd * 0.5**4.5)
            assert small.torque_limit == pytest.approx(joint.torque_limit * 0.5**3)
            assert machine.joint(joint.name).torque_limit == pytest.approx(joint.torque_limit * 0.5**4)
            assert (small.lower, small.upper) == (joint.lower, joint.upper)


def test_a_motor_without_gains_gets_other_limits():
    text = """<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1" mass="1"/>
      <body name="c" pos="0 0 0.3"><joint name="j" axis="0 1 0"/><geom size="0.1" mass="1"/></body></body></worldbody>
      <actuator><motor joint="j" ctrlrange="-2 2" ctrllimited="true" gear="10"/></actuator></mujoco>"""
    other = scaled_figure(Figure.load(text), mass=16.0)
    assert other.joint("j").torque_limit == pytest.approx(160.0)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [({}, "give a height or a mass"), ({"height": -1.0}, "height -1"), ({"mass": float("nan")}, "mass nan")],
)
def test_sizes_that_make_no_sense(sizes, words):
    with pytest.raises(FootfallError, match=words):
        scaled_figure(Figure.load("human-28"), **sizes)
