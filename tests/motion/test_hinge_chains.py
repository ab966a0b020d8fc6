"""A body of hinges and its skeleton of ball joints agree on where limbs are; angles and rotations lead to each
other."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.ball_joints import with_foot_pads
from footfall.motion.ball_poses import ankles, hinge_chains, legs_of, skeleton_of_balls
from footfall.motion.quaternion import multiply
from tests.motion.robots import HEAVY_ROBOT

FRAMES = 12


@pytest.fixture(scope="module", params=["human-28", "robot"])
def chains(request, tmp_path_factory):
    """A figure whose hinges of one joint are at one place, and a robot whose are apart."""
    if request.param == "human-28":
        return hinge_chains(Figure.load("human-28"))
    file = tmp_path_factory.mktemp("robot") / "robot.xml"
    file.write_text(HEAVY_ROBOT, encoding="utf-8")
    return hinge_chains(Figure.load(file))


def _random_poses(figure, spread):
    rng = np.random.default_rng(5)
    qpos = np.tile(figure.default_qpos, (FRAMES, 1))
    lower, upper = (np.nan_to_num(v[6:], posinf=1.0, neginf=-1.0) for v in (figure.lower, figure.upper))
    qpos[:, 7:] = np.clip(rng.normal(0.0, spread, (FRAMES, figure.nq - 7)), lower, upper)
    qpos[:, 3:7] = multiply(qpos[:, 3:7], np.array([0.96, 0.1, -0.2, 0.16]) / np.linalg.norm([0.96, 0.1, -0.2, 0.16]))
    return qpos


def test_every_hinge_is_in_one_chain(chains):
    names = [name for chain in chains.chains for name in chain.hinges]
    assert sorted(names) == sorted(joint.name for joint in chains.figure.joints if joint.kind == "hinge")
    assert [chain.name for chain in chains.chains] == [j.name for j in chains.skeleton.joints if j.kind == "ball"]
    assert legs_of(chains.skeleton)


def test_the_skeletons_centre_of_mass_is_the_figures(chains):
    """At rest, where no chain is turned."""
    centres = []
    for figure in (chains.figure, chains.skeleton):
        data = mujoco.MjData(figure.model)
        data.qpos[:7] = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
        data.qpos[7:] = 0.0 if figure is chains.figure else np.tile([1.0, 0.0, 0.0, 0.0], len(chains.chains))
        mujoco.mj_kinematics(figure.model, data)
        mujoco.mj_comPos(figure.model, data)
        centres.append(data.subtree_com[1].copy())
    np.testing.assert_allclose(centres[1], centres[0], atol=1e-5)


def test_limbs_are_turned_as_mujoco_turns_them(chains):
    figure, qpos = chains.figure, _random_poses(chains.figure, 0.4)
    poses = chains.ball_poses(qpos)
    data = mujoco.MjData(figure.model)
    for pose, own in zip(poses, qpos, strict=True):
        data.qpos[:] = own
        mujoco.mj_kinematics(figure.model, data)
        turns = {"": pose[3:7]}
        for chain, joint in zip(chains.chains, chains.skeleton.joints[1:], strict=True):
            above = chains.skeleton.bodies[joint.body].parent
            parent = chains.skeleton.bodies[above].name if above > 0 else ""
            turns[chains.skeleton.bodies[joint.body].name] = multiply(turns[parent], pose[joint.qpos : joint.qpos + 4])
            seen = data.xquat[figure.joint(chain.hinges[-1]).body + 1]
            found = turns[chains.skeleton.bodies[joint.body].name]
            assert abs(float(found @ seen)) == pytest.approx(1.0, abs=1e-9)


def test_ankles_are_where_mujoco_has_them(chains):
    """Exactly where hinges meet in one place; else within what the hinges are apart, times the angle."""
    figure, qpos = chains.figure, _random_poses(chains.figure, 0.2)
    found = ankles(chains.ball_poses(qpos), chains.skeleton)
    data = mujoco.MjData(figure.model)
    apart = max(
        np.ptp([figure.bodies[b].position for b in chain.bodies[1:]] + [np.zeros(3)]) for chain in chains.chains
    )
    for own, both in zip(qpos, found, strict=True):
        data.qpos[:] = own
        mujoco.mj_kinematics(figure.model, data)
        for side, place in zip(("left", "right"), both, strict=True):
            seen = data.xpos[figure.body(figure.legs[side].foot).index + 1]
            assert np.linalg.norm(seen - place) < 1e-9 + apart


def test_angles_come_back_from_rotations(chains):
    qpos = _random_poses(chains.figure, 0.3)
    np.testing.assert_allclose(chains.hinge_poses(chains.ball_poses(qpos), near=qpos + 0.05), qpos, atol=1e-6)


def test_a_rotation_that_a_knee_cannot_take_is_met_as_nearly_as_it_can(chains):
    """Turning a knee sideways besides bending it leaves it bent as it was."""
    knee = next(k for k, chain in enumerate(chains.chains) if chain.name == "left_knee")
    chain, figure = chains.chains[knee], chains.figure
    qpos = figure.default_qpos[None].copy()
    qpos[0, chain.qpos[0]] = 0.5 * (max(chain.lower[0], -1.0) + min(chain.upper[0], 1.0))
    frames = chains.ball_poses(qpos)
    at = 7 + 4 * knee
    frames[0, at : at + 4] = multiply(frames[0, at : at + 4], np.array([np.cos(0.1), np.sin(0.1), 0.0, 0.0]))
    found = chains.hinge_poses(frames, near=qpos)
    assert found[0, chain.qpos[0]] == pytest.approx(qpos[0, chain.qpos[0]], abs=0.02)
    feasible = chains.feasible(frames)
    np.testing.assert_allclose(chains.feasible(feasible), feasible, atol=1e-6)


def test_ranges_hold(chains):
    frames = chains.ball_poses(_random_poses(chains.figure, 3.0))
    found = chains.hinge_poses(frames)
    assert (found[:, 7:] >= chains.figure.lower[6:] - 1e-12).all()
    assert (found[:, 7:] <= chains.figure.upper[6:] + 1e-12).all()


def test_pads_change_nothing_but_the_feet_that_are_felt():
    figure = Figure.load("human-28")
    padded = with_foot_pads(figure)
    assert with_foot_pads(padded) is padded
    assert (padded.nq, padded.nv) == (figure.nq, figure.nv)
    for mine, other in ((padded.model.body_mass, figure.model.body_mass), (padded.lower, figure.lower)):
        np.testing.assert_array_equal(mine, other)
    np.testing.assert_allclose(padded.model.body_inertia, figure.model.body_inertia, rtol=1e-12)


def test_figures_that_cannot_track_are_refused():
    with pytest.raises(FootfallError, match="free root"):
        hinge_chains(Figure.load("planar-biped"))
    assert hinge_chains(Figure.load("mocap-biped")) is None
    assert skeleton_of_balls(Figure.load("mocap-biped")).name == "mocap-biped"
