"""Figures that were not written for footfall."""

import re

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Simulation
from tests.figures.dynamics_of import acceleration
from tests.figures.random_trees import random_state

LEG = """<body name="thigh{s}" pos="0 0 -0.1"><joint name="thigh{s}_joint" axis="0 -1 0" range="-150 0"/>
  <geom name="thigh{s}_geom" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/>
  <body name="foot{s}" pos="0 0 -0.5"><joint name="foot{s}_joint" axis="0 -1 0"/>
    <geom name="foot{s}_geom" type="{shape}"/></body></body>"""
WALKER = """<mujoco model="walker"><worldbody><geom name="floor" type="plane" size="9 9 1"/>
  <body name="torso" pos="0 0 1.25">
    <joint name="rootx" type="slide" axis="1 0 0"/><joint name="rootz" type="slide" axis="0 0 1" ref="1.25"/>
    <joint name="rooty" axis="0 1 0"/>
    <geom name="torso_geom" type="ellipsoid" size="0.1 0.1 0.2"/>{legs}</body></worldbody>
  <actuator><motor joint="thigh_joint" gear="50" ctrlrange="-2 2" ctrllimited="true"/></actuator></mujoco>"""
SHAPES = {
    "capsule": ('capsule" fromto="-0.1 0 0 0.2 0 0" size="0.06', 2, -0.06),
    "box": ('box" size="0.15 0.05 0.02" pos="0.05 0 -0.04', 4, -0.06),
    "sphere": ('sphere" size="0.06', 1, -0.06),
}


def walker(shape):
    return WALKER.format(legs="".join(LEG.format(s=side, shape=SHAPES[shape][0]) for side in ("", "_left")))


@pytest.mark.parametrize("shape", SHAPES)
def test_contact_points_lie_under_what_collides(shape):
    figure = Figure.load(walker(shape))
    _, count, height = SHAPES[shape]
    for leg in figure.legs.values():
        assert len(leg.sole) == count
        np.testing.assert_allclose([figure.point(p).position[2] for p in leg.sole], height, atol=1e-9)
    assert sum(1 for point in figure.points if point.foot is None) == 5
    assert figure.default_qpos[1] == pytest.approx(1.25 - (1.15 - 0.5 - 0.06), abs=1e-9)
    assert Figure.load(figure.xml).points[0].name == figure.points[0].name


def test_feet_may_be_named():
    text = walker("box").replace("foot", "ankle")
    assert Figure.load(text).legs == {}
    texts = '<custom><text name="left_foot" data="ankle_left"/><text name="right_foot" data="{}"/></custom></mujoco>'
    figure = Figure.load(text.replace("</mujoco>", texts.format("ankle")))
    assert figure.leg("right").foot == "ankle"
    assert len(figure.leg("left").heel) == 2
    with pytest.raises(FootfallError, match="unknown body for the right foot of figure 'walker' 'ankel'"):
        Figure.load(text.replace("</mujoco>", texts.format("ankel")))


def test_a_site_elsewhere_does_not_make_a_foot():
    text = walker("box").replace('<geom name="torso_geom"', '<site name="gyro"/><geom name="torso_geom"')
    figure = Figure.load(text)
    assert len(figure.leg("left").sole) == 4
    assert figure.point("gyro").foot is None


def test_a_bare_name_beside_a_left_one_is_the_right_one():
    figure = Figure.load(walker("capsule"))
    assert figure.root == "planar"
    assert figure.sides.joints == (("thigh_left_joint", "thigh_joint"), ("foot_left_joint", "foot_joint"))
    assert figure.joint_for("swing_hip", "left") == "thigh_joint"
    assert figure.joint_for("stance_ankle", "left") == "foot_left_joint"
    assert figure.joint("thigh_joint").torque_limit == 100.0
    qpos, qvel = random_state(figure, 3)
    mirrored = acceleration(figure.model, figure.mirror_qpos(qpos), figure.mirror_qvel(qvel))
    expected = figure.mirror_qvel(acceleration(figure.model, qpos, qvel))
    np.testing.assert_allclose(mirrored, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


TURNED_ROOTS = {
    '<joint name="root_x" type="slide" axis="1 0 0"/>': '<joint name="root_x" type="slide" axis="-1 0 0"/>',
    '<joint name="root_z" type="slide" axis="0 0 1"/>': '<joint name="root_z" type="slide" axis="0 0 -1"/>',
    '<joint name="torso_pitch"': '<joint name="torso_pitch" axis="0 1 0"',
}
"""Joints of the planar biped's root -> the same pointing the other way."""


def test_root_joints_that_point_the_other_way_are_reversed():
    """Each alone starts as the planar biped; with all three turned it walks as that does."""
    own = Figure.load("planar-biped")
    text = own.xml
    for joint, turned in TURNED_ROOTS.items():
        assert joint in text
        text = text.replace(joint, turned)
        other = Figure.load(own.xml.replace(joint, turned))
        np.testing.assert_allclose(other.default_qpos, own.default_qpos, atol=1e-12)
        state = random_state(own, 3)
        np.testing.assert_allclose(
            acceleration(other.model, *state), acceleration(own.model, *state), rtol=1e-9, atol=1e-9
        )
    one, two = (Simulation("walk", figure=figure).run(2.0) for figure in (own, Figure.load(text)))
    assert two.survived.all()
    np.testing.assert_allclose(one.qpos, two.qpos, atol=1e-6)


def test_key_frames_and_ranges_turn_with_the_root():
    text = walker("box").replace(
        '<joint name="rooty" axis="0 1 0"/>', '<joint name="rooty" axis="0 1 0" range="-90 30"/>'
    )
    home = '<keyframe><key name="home" qpos="0 1.25 0.1 0 0 0 0"/></keyframe></mujoco>'
    figure = Figure.load(text.replace("</mujoco>", home))
    assert figure.joint("rooty").axis.tolist() == [0.0, -1.0, 0.0]
    assert figure.default_qpos[2] == -0.1
    np.testing.assert_allclose([figure.joint("rooty").lower, figure.joint("rooty").upper], np.deg2rad([-30, 90]))


def test_motors_without_gains_are_named():
    text = Figure.load("planar-biped").xml
    figure = Figure.load(re.sub(r'<position kp="300" kv="30"', "<motor", text).replace("<position", "<motor"))
    with pytest.raises(FootfallError, match="has a motor without gains"):
        Simulation("walk", figure=figure)
    assert Simulation("walk", figure=figure, set={"kp": 300.0, "kd": 30.0}).run(1.0).survived.all()
