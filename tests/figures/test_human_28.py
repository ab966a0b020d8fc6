"""The 28-DOF human against what is published of it, and against Laszlo's human, whose masses it shares."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.inertia import combine
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.roles import find_roles

JOINTS = {"neck": 3, "waist": 3, "shoulder": 6, "elbow": 4, "hip": 6, "knee": 2, "ankle": 4}
MASSES = {"pelvis": 16.61, "torso": 29.27, "head": 5.89, "thigh": 8.35, "shank": 4.16, "foot": 1.34, "upper_arm": 2.79}
MASSES |= {"lower_arm": 1.761, "hand": 0.0}


@pytest.fixture(scope="module")
def human():
    return Figure.load("human-28")


def _placed(figure):
    data = mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(figure.model, data)
    return data


def test_it_has_the_joints_of_the_paper(human):
    driven = [joint.name for joint in human.joints if joint.actuated]
    assert len(driven) == 28
    assert {place: sum(place in name for name in driven) for place in JOINTS} == JOINTS


def test_its_masses_are_the_published_ones(human):
    found = {body.name.removeprefix("left_").removeprefix("right_"): body.mass for body in human.bodies}
    assert found == pytest.approx(MASSES)
    assert sum(body.mass for body in human.bodies) == pytest.approx(88.572)
    with pytest.raises(FootfallError, match="no mass of its own"):
        human.body_parameters("left_hand=1kg")


def test_its_limbs_weigh_and_lie_as_those_of_the_thesis(human):
    thesis = Figure.load("human")
    ours, theirs = _placed(human), _placed(thesis)
    for name in ("pelvis", "head", "left_thigh", "right_shank", "left_foot", "right_upper_arm", "left_lower_arm"):
        np.testing.assert_allclose(ours.body(name).xipos, theirs.body(name).xipos, atol=1e-12, err_msg=name)
        i, j = human.model.body(name).id, thesis.model.body(name).id
        np.testing.assert_allclose(human.model.body_inertia[i], thesis.model.body_inertia[j], rtol=1e-9, err_msg=name)
        if name not in ("pelvis", "head"):
            np.testing.assert_allclose(ours.body(name).xpos, theirs.body(name).xpos, atol=1e-12, err_msg=name)


def test_its_trunk_is_the_one_that_the_thesis_split(human):
    """The two links of the thesis together have its mass and centre; its inertia is their plain sum, as published."""
    thesis, placed = Figure.load("human"), _placed(Figure.load("human"))
    parts = [(thesis.body(n).mass, placed.body(n).xipos, np.zeros((3, 3))) for n in ("lower_torso", "upper_torso")]
    mass, centre, _ = combine(*(np.asarray(v) for part in parts for v in part))
    assert human.body("torso").mass == pytest.approx(float(mass), abs=1e-3)
    np.testing.assert_allclose(_placed(human).body("torso").xipos, centre, atol=1e-4)
    moments = sum(np.sort(thesis.model.body(n).inertia) for n in ("lower_torso", "upper_torso"))
    np.testing.assert_allclose(np.sort(human.model.body("torso").inertia), moments, atol=1e-4)


def test_its_gains_follow_the_paper(human):
    for joint in human.joints:
        if joint.actuated:
            assert joint.kp == 1000.0 if "waist" in joint.name else joint.kp <= 300.0
            assert joint.kd == pytest.approx(0.1 * joint.kp)
            assert joint.torque_limit == joint.kp


def test_its_limits_are_mirror_images_and_hold_the_default_pose(human):
    perm, sign = human.mirror_dofs
    driven = np.array([joint.dof for joint in human.joints if joint.actuated])
    lower = np.where(sign > 0, human.lower[perm], -human.upper[perm])
    upper = np.where(sign > 0, human.upper[perm], -human.lower[perm])
    np.testing.assert_array_equal(lower[driven], human.lower[driven])
    np.testing.assert_array_equal(upper[driven], human.upper[driven])
    assert np.all(np.isfinite(human.lower[driven]) & np.isfinite(human.upper[driven]))
    angles = human.default_qpos[7:]
    assert np.all((human.lower[6:] <= angles) & (angles <= human.upper[6:]))


def test_motion_knows_its_wrists_and_its_chest(human):
    skeleton = skeleton_of(human)
    roles = {role: skeleton.names[joint] for role, joint in find_roles(skeleton).items()}
    assert roles["left_wrist"] == "left_hand"
    assert roles["right_shoulder"] == "right_upper_arm"
    assert roles["chest"] == "torso"
    assert roles["head"] == "head"
