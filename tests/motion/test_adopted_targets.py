"""Captured motion on adopted bodies: limbs where the source's are, trunks upright, and verdicts that tell the truth."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.scaling import figure_height, scaled_figure
from footfall.motion import Motion, load_motion, retarget, save_motion
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.motion.retargeting.fidelity import Difference, Fidelity
from footfall.motion.retargeting.retarget import at_own_pace
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.hinges import hinge_angles
from footfall.motion.skeleton.landmarks import landmarks
from footfall.motion.skeleton.roles import find_roles
from tests.motion.robots import HEAVY_ROBOT
from tests.motion.walks import MOCAP, needs_mocap, turn_of, walk

ROBOTS = Path(__file__).parents[3] / "shared" / "data" / "robots"
needs_robots = pytest.mark.skipif(
    not ROBOTS.is_dir(), reason=f"NO ROBOTS: {ROBOTS} is absent, so nothing here was checked on real robots"
)
MODELS = {
    "g1": "unitree_g1/g1.xml",
    "h1": "unitree_h1/h1.xml",
    "talos": "pal_talos/talos.xml",
    "op3": "robotis_op3/op3.xml",
}


@pytest.fixture(scope="module")
def heavy(tmp_path_factory):
    path = tmp_path_factory.mktemp("robot") / "heavy.xml"
    path.write_text(HEAVY_ROBOT, encoding="utf-8")
    figure = Figure.load(path)
    assert figure.adoption is not None
    return figure


def _angles(figure, motion):
    """[T, joints] of the hinges."""
    return motion.channels["qpos"][:, [joint.qpos for joint in figure.joints if joint.kind == "hinge"]]


def _still(clip, frames=30):
    """The clip's rest pose, held."""
    skeleton = clip.skeleton
    return Motion(
        skeleton,
        np.arange(frames) / 30.0,
        np.tile([0.0, 0.0, 0.93], (frames, 1)),
        np.tile(skeleton.rest, (frames, 1, 1)),
    )


def _bow(clip, angle, frames=60):
    """A person that stands and bows from the waist, to an angle and back."""
    still = _still(clip, frames)
    rotations = still.rotations.copy()
    lean = angle * np.sin(np.pi * np.arange(frames) / (frames - 1))
    spine = clip.skeleton.index("Spine")
    rotations[:, spine] = multiply(rotations[:, spine], from_axis_angle(np.array([0.0, 1.0, 0.0]), lean))
    return replace(still, rotations=rotations)


def test_limbs_hang_straight_in_the_zero_pose(heavy):
    skeleton = skeleton_of(heavy)
    places = {name: mark.place(*skeleton.at_rest()) for name, mark in landmarks(skeleton).items()}
    for side in ("left", "right"):
        for near, far in (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist")):
            way = places[f"{side}_{far}"] - places[f"{side}_{near}"]
            np.testing.assert_allclose(way[:2], 0.0, atol=0.02 * abs(way[2]))
            assert way[2] < 0.0
    np.testing.assert_allclose((places["shoulders"] - places["hips"])[:2], 0.0, atol=1e-9)


def test_a_person_who_stands_leaves_a_robot_in_its_zero_pose(heavy):
    result, report = retarget(_still(walk(0.5)), heavy)
    assert np.abs(np.rad2deg(_angles(heavy, result))).max() < 6.0
    assert report.verdict() == "good"


def test_a_walk_keeps_its_limbs_on_a_robot(heavy):
    result, report = retarget(walk(3.0), heavy)
    assert report.verdict() == "good"
    for limb, most in (("trunk", 2.0), ("thigh", 8.0), ("shank", 8.0), ("upper_arm", 2.0), ("forearm", 2.0)):
        worst = report.fidelity.worst(limb)
        assert worst is not None
        assert worst.median < most, limb
    low = [j.lower - 1e-6 for j in heavy.joints if j.kind == "hinge"]
    high = [j.upper + 1e-6 for j in heavy.joints if j.kind == "hinge"]
    assert (_angles(heavy, result) >= low).all()
    assert (_angles(heavy, result) <= high).all()


def test_a_pelvis_leans_where_the_waist_cannot(tmp_path):
    """The same robot without a waist's pitch bows by its pelvis."""
    stiff = HEAVY_ROBOT
    for word in ("waist_pitch", "waist_roll"):
        stiff = _without_joint(stiff, word)
    path = tmp_path / "stiff.xml"
    path.write_text(stiff, encoding="utf-8")
    figure = Figure.load(path)
    assert not [joint.name for joint in figure.joints if joint.name in ("waist_pitch", "waist_roll")]
    _, report = retarget(_bow(walk(0.5), 0.6), figure)
    assert report.fidelity.limbs["trunk"].worst < 1.0


def _without_joint(text, word):
    """MJCF text without the joints whose names hold a word."""
    import re

    return re.sub(rf'<joint name="[^"]*{word}[^"]*"[^>]*/>', "", text)


def test_roles_and_landmarks_of_a_robot_survive_a_file(heavy, tmp_path):
    result, _ = retarget(walk(1.0), heavy)
    again = load_motion(save_motion(result, tmp_path / "robot.npz"))
    assert find_roles(again.skeleton) == find_roles(result.skeleton)
    for name, mark in landmarks(result.skeleton).items():
        np.testing.assert_array_equal(landmarks(again.skeleton)[name].offsets, mark.offsets, err_msg=name)


def test_a_robots_motion_comes_back_onto_it(heavy):
    """What a robot does, seen as captured motion, is what it does again."""
    first, _ = retarget(walk(2.0), heavy)
    second, report = retarget(replace(first, figure="", channels={}), heavy, keep_feet=False)
    assert report.fidelity.worst("forearm").median < 2.0
    assert report.fidelity.worst("shank").median < 2.0
    assert np.rad2deg(np.median(np.abs(_angles(heavy, second) - _angles(heavy, first)))) < 1.0


def test_two_hinges_aim_a_limb_exactly_wherever_it_points():
    """A shoulder of pitch and roll: the limb's direction comes first, on one of both ways, without leaps."""
    axes = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
    times = np.linspace(0.0, 1.0, 200)
    angles = np.stack([1.5 * np.sin(2 * np.pi * times), 0.9 * np.cos(2 * np.pi * times)], axis=-1)
    twist = from_axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * np.sin(6.0 * times))
    wanted = multiply(turn_of(axes, angles), twist)
    low, high = np.array([-1.6, -1.0]), np.array([1.6, 1.0])
    found = hinge_angles(axes, wanted, own=np.eye(3), weights=(0.05, 0.05, 1.0), low=low, high=high, frame_time=0.01)
    np.testing.assert_allclose(found, angles, atol=1e-6)


def test_a_smaller_body_moves_faster(heavy):
    result, report = retarget(walk(2.0), heavy)
    assert report.scale < 0.85
    paced = at_own_pace(result, report)
    assert paced.seconds == pytest.approx(np.sqrt(report.scale) * result.seconds)
    same = at_own_pace(result, replace(report, scale=1.0))
    assert same is result


def _likeness(**limbs):
    return Fidelity(limbs, {}, 0.0, None, None, "", 0.0)


def test_a_tenth_of_the_frames_counts_and_the_worst_is_told():
    good = _likeness(left_forearm=Difference(3.0, 30.0, 12.0))
    often = _likeness(left_forearm=Difference(3.0, 90.0, 60.0))
    rare = _likeness(left_forearm=Difference(3.0, 90.0, 12.0))
    assert good.verdict() == "good"
    assert often.verdict().startswith("BAD: left forearm 60° off in a tenth of the frames")
    assert not often.faults(often=False)
    assert rare.verdict() == "good, but left forearm 90° off at worst"


@needs_mocap
@needs_robots
@pytest.mark.parametrize(
    ("robot", "clip", "bounds"),
    [
        ("g1", "cmu/16_47", {"trunk": 1, "thigh": 6, "shank": 6, "upper_arm": 1, "forearm": 2}),
        ("g1", "snu/wd2_WalkSoldier00", {"trunk": 2, "thigh": 7, "shank": 7, "upper_arm": 1, "forearm": 3}),
        ("g1", "others/blx/mixamo", {"trunk": 2, "thigh": 10, "shank": 10, "upper_arm": 1, "forearm": 2}),
        ("h1", "cmu/16_47", {"trunk": 1, "thigh": 6, "shank": 7, "upper_arm": 1, "forearm": 2}),
        ("h1", "snu/wd2_WalkSoldier00", {"trunk": 1, "thigh": 9, "shank": 8, "upper_arm": 1, "forearm": 3}),
        ("talos", "cmu/16_19", {"trunk": 1, "thigh": 6, "shank": 6, "upper_arm": 18, "forearm": 9}),
        ("talos", "snu/wd2_WalkSoldier00", {"trunk": 1, "thigh": 7, "shank": 7, "upper_arm": 2, "forearm": 5}),
        ("op3", "snu/wd2_WalkSoldier00", {"trunk": 1, "thigh": 10, "shank": 9, "upper_arm": 1, "forearm": 15}),
    ],
)
def test_real_robots_look_like_the_person(robot, clip, bounds):
    motion = load_motion(MOCAP / f"{clip}.bvh")
    result, report = retarget(motion, Figure.load(ROBOTS / MODELS[robot]))
    for limb, most in bounds.items():
        worst = report.fidelity.worst(limb)
        assert worst is not None, limb
        assert worst.median < most, (limb, worst)
    assert report.verdict().startswith("good")
    assert np.isfinite(result.channels["qpos"]).all()


@needs_mocap
@needs_robots
@pytest.mark.parametrize("robot", ["talos", "op3"])
def test_a_robot_in_another_size_moves_alike(robot):
    """Directions do not know sizes; a scaled robot's file is read as footfall's own, without adoption."""
    motion, figure = load_motion(MOCAP / "cmu" / "16_19.bvh"), Figure.load(ROBOTS / MODELS[robot])
    large = scaled_figure(figure, height=2.0 * figure_height(figure))
    one, two = (retarget(motion, body, keep_feet=False)[0].channels["qpos"][:, 7:] for body in (figure, large))
    np.testing.assert_allclose(two, one, atol=1e-6)


@needs_mocap
@needs_robots
def test_forearms_that_a_robot_cannot_bend_are_no_good():
    """OP3's elbows bend sideways: a walk's forearms are 30 degrees off, and the report says so."""
    _, report = retarget(load_motion(MOCAP / "cmu" / "16_47.bvh"), Figure.load(ROBOTS / MODELS["op3"]))
    assert "forearm" in report.verdict()
    assert report.verdict().startswith("BAD")
    assert "beyond the figure's joints" in report.verdict()
