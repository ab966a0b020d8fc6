"""Every figure as a target: built-in ones, robots, and figures whose joints turn about several points of one body."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, load_motion, retarget, skeleton_of
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.figure_skeleton import kinematic_model
from footfall.motion.skeleton.roles import find_roles
from tests.motion.rewriting import shortened
from tests.motion.robots import HEAVY_ROBOT, SMALL_ROBOT
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import clip, needs_mocap


def two_anchors() -> str:
    """The small robot with both joints of an ankle on the foot, each about its own point (as in dm_control)."""
    text = SMALL_ROBOT
    for side, word in (("Left", "left"), ("Right", "right")):
        start = text.index(f'<body name="Ankle_Cross_{side}"')
        inner = text.index(f'<body name="{word}_foot_link"')
        end = text.index("</body></body>", inner)
        foot = text[inner:end]
        foot = foot.replace('pos="0 0 -0.012">', 'pos="0 0 -0.292">', 1)
        pitch = f'<joint name="{side}_Ankle_Pitch" axis="0 1 0" pos="0 0 0.03" range="-0.87 0.35"/>'
        foot = foot.replace("<joint", f"{pitch}<joint", 1)
        text = text[:start] + foot + "</body>" + text[end + len("</body></body>") :]
    return text


TARGETS = {
    **{name: name for name in ("human", "human-12", "human-28", "mocap-biped", "planar-biped")},
    "heavy robot": HEAVY_ROBOT,
    "small robot": SMALL_ROBOT,
    "two anchors": two_anchors(),
}


@pytest.mark.parametrize("target", TARGETS)
def test_correction_never_makes_feet_worse(target):
    _, report = retarget(lively_walk(1.5), Figure.load(TARGETS[target]))
    assert report.after.slide <= report.before.slide + 1e-3
    assert report.after.penetration <= report.before.penetration + 1e-3


@needs_mocap
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["others/bvh-python/test_mocapbank", "cmu/16_35"])
def test_correction_never_makes_captured_feet_worse(target, name):
    """A crouch whose feet skate, beyond the joints of most figures; and a run."""
    _, report = retarget(shortened(load_motion(clip(name)), 8.0, 30.0), Figure.load(TARGETS[target]))
    assert report.after.slide <= report.before.slide + 1e-3
    assert report.after.penetration <= report.before.penetration + 1e-3


ROBOTS = ["heavy robot", "small robot", "two anchors"]


@pytest.mark.parametrize("robot", ROBOTS)
def test_parts_of_robots_are_found_and_their_limbs_follow(robot):
    figure = Figure.load(TARGETS[robot])
    roles = find_roles(skeleton_of(figure))
    parts = ("hip", "knee", "ankle", "shoulder", "elbow")
    assert {f"{side}_{part}" for side in ("left", "right") for part in parts} <= roles.keys()
    _, report = retarget(lively_walk(1.5), figure)
    for limb in ("trunk", "thigh", "shank", "foot_yaw", "upper_arm", "forearm"):
        assert report.fidelity.worst(limb).median < 5.0, limb


@needs_mocap
@pytest.mark.parametrize("robot", ROBOTS)
def test_robots_walk_as_the_source_does(robot):
    _, report = retarget(load_motion(clip("snu/wd2_WalkForwardNormal00")), Figure.load(TARGETS[robot]))
    assert report.verdict() == "good"
    for limb in ("trunk", "thigh", "shank", "foot_yaw", "upper_arm", "forearm"):
        assert report.fidelity.worst(limb).median < 5.0, limb
        assert report.fidelity.worst(limb).worst < 15.0, limb
    assert report.fidelity.least_bend("knee") > 0.95
    assert report.after.slide < 0.005


def test_a_body_whose_joints_have_two_anchors_is_posed_as_mujoco_poses_it():
    figure = Figure.load(two_anchors())
    skeleton = skeleton_of(figure)
    assert "left_foot_link_pitch" in skeleton.names
    rng = np.random.default_rng(0)
    qpos = np.tile(figure.model.qpos0, (5, 1))
    qpos[:, 7:] += rng.normal(scale=0.3, size=qpos[:, 7:].shape)
    motion = Motion.from_qpos(figure, np.arange(5.0), qpos)
    data = mujoco.MjData(figure.model)
    for frame in range(5):
        data.qpos[:] = qpos[frame]
        mujoco.mj_kinematics(figure.model, data)
        for body in range(1, figure.model.nbody):
            joint = skeleton.index(figure.model.body(body).name)
            turning = range(
                int(figure.model.body_jntadr[body]),
                int(figure.model.body_jntadr[body] + figure.model.body_jntnum[body]),
            )
            anchor = figure.model.jnt_pos[turning[-1]] if figure.model.body_jntnum[body] and body > 1 else np.zeros(3)
            there = data.xpos[body] + rotate(data.xquat[body], anchor)
            assert np.abs(motion.positions()[frame, joint] - there).max() < 1e-6
    assert np.abs(motion.to_qpos(figure)[:, 7:] - qpos[:, 7:]).max() < 1e-6
    with pytest.raises(FootfallError, match="share one anchor"):
        kinematic_model(figure.model)


def test_one_model_serves_where_anchors_agree():
    figure = Figure.load("human-28")
    assert kinematic_model(figure) is figure.model


def test_a_name_in_place_of_a_figure_is_refused_in_one_line():
    with pytest.raises(FootfallError, match=r"Figure\.load\('human-28'\)"):
        retarget(None, "human-28")
