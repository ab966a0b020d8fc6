"""The measure of likeness, and the benchmark over folders."""

import json
from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import load_motion, retarget, save_motion
from footfall.motion.quaternion import exp, from_axis_angle, multiply
from footfall.motion.retargeting.benchmark import benchmark
from footfall.motion.retargeting.fidelity import fidelity
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import MOCAP, clip, needs_mocap, person, turned_about_z

STRAIGHT_WALKS = [
    "cmu/16_21",
    "cmu/16_31",
    "cmu/16_47",
    "snu/wd2_WalkForwardNormal00",
    "snu/wd2_WalkForwardVFast00",
    "snu-paper/wd2_WalkSameSame01",
]


def test_a_motion_is_like_itself():
    found = fidelity(lively_walk(), lively_walk())
    assert all(row.worst < 1e-6 for row in found.limbs.values())
    assert all(value == pytest.approx(1.0) for value in found.bends.values())
    assert found.path < 1e-12
    assert found.path_ratio == pytest.approx(1.0)
    assert found.verdict() == "good"


@pytest.mark.parametrize("degrees", [5.0, 30.0])
def test_a_known_turn_is_measured(degrees):
    motion = lively_walk()
    rotations = motion.rotations.copy()
    thigh = motion.skeleton.index("LeftUpLeg")
    turn = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(np.deg2rad(degrees)))
    rotations[:, thigh] = multiply(turn, rotations[:, thigh])
    bent = type(motion)(motion.skeleton, motion.times, motion.root_position, rotations)
    found = fidelity(motion, bent)
    assert found.limbs["left_thigh"].worst <= degrees + 1e-6
    assert found.limbs["left_thigh"].worst > 0.8 * degrees
    assert found.limbs["right_thigh"].worst < 1e-6
    assert ("left thigh" in found.verdict()) == (degrees > 10)


def test_a_foot_that_points_at_the_ground_is_bad_and_one_that_lies_on_its_side_is_not():
    """No frame of a foot is left out, and the slope of its instep is no heading."""
    motion = lively_walk()
    rotations, foot = motion.rotations.copy(), motion.skeleton.index("LeftFoot")
    rotations[:, foot] = multiply(rotations[:, foot], from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(1.3)))
    found = fidelity(motion, replace(motion, rotations=rotations))
    assert found.limbs["left_foot_yaw"].median > 60.0
    offsets = motion.skeleton.offsets.copy()
    offsets[motion.skeleton.index("LeftToeBase"), 2] -= 0.04
    turn = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(1.4))
    lying = [motion.rotations.copy() for _ in range(2)]
    for rows in lying:
        rows[:, 0] = multiply(turn, rows[:, 0])
    other = replace(motion, skeleton=replace(motion.skeleton, offsets=offsets), rotations=lying[1])
    found = fidelity(replace(motion, rotations=lying[0]), other)
    assert found.limbs["left_foot_yaw"].worst < 1e-6


def test_a_body_that_lies_down_is_bad_though_its_feet_are_still():
    motion = lively_walk()
    flipped = turned_about_z(motion, np.pi)
    found = fidelity(motion, flipped)
    assert found.verdict().startswith("BAD")
    assert any("foot yaw" in fault for fault in found.faults())


@pytest.mark.parametrize("figure", ["human", "human-28"])
def test_limbs_point_where_the_source_s_do(figure):
    motion, report = retarget(lively_walk(), Figure.load(figure))
    found = report.fidelity
    for limb in ("trunk", "thigh", "shank", "foot_yaw"):
        assert found.worst(limb).median < 5.0, limb
        assert found.worst(limb).worst < 20.0, limb
    assert found.least_bend("knee") > 0.95
    assert found.least_bend("elbow") > 0.95
    if figure == "human-28":
        assert found.worst("upper_arm").worst < 2.0
        assert found.worst("forearm").worst < 5.0
        assert report.limited < 0.05
    assert found.fastest < 40.0
    assert report.after.slide < 0.005
    assert motion.channels["qpos"].shape[1] == Figure.load(figure).nq


def test_what_joints_cannot_show_is_counted():
    """Arms spread sideways: a shoulder that only pitches cannot, and says so; one of three axes can."""
    motion = lively_walk()
    rotations = motion.rotations.copy()
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        j = motion.skeleton.index(f"{side}Arm")
        turn = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(sign * 0.9))
        rotations[:, j] = multiply(turn, rotations[:, j])
    spread = type(motion)(motion.skeleton, motion.times, motion.root_position, rotations)
    _, narrow = retarget(spread, Figure.load("human"))
    _, wide = retarget(spread, Figure.load("human-28"))
    assert narrow.limited_joints["left_upper_arm"] > 0.9
    assert "left_upper_arm" in narrow.limited_joints
    assert "upper arm" in narrow.verdict()
    assert "beyond the figure's joints" in narrow.verdict()
    assert wide.limited_joints.get("left_upper_arm", 0.0) == 0.0


def test_forearms_that_are_not_square_to_their_hinges_point_where_they_should():
    """Arms carry: without a roll of the upper arm the forearm of human-28 is up to 7 degrees off when well bent."""
    motion = lively_walk(1.0)
    rotations = motion.rotations.copy()
    bend = np.zeros((len(motion), 3))
    bend[:, 1] = -1.9
    for side in ("Left", "Right"):
        rotations[:, motion.skeleton.index(f"{side}ForeArm")] = exp(bend)
    bent = type(motion)(motion.skeleton, motion.times, motion.root_position, rotations)
    _, report = retarget(bent, Figure.load("human-28"))
    assert report.fidelity.worst("forearm").worst < 0.5


def test_knees_that_bend_as_no_knee_does_are_refused():
    motion = lively_walk(1.0)
    rotations = motion.rotations.copy()
    way = np.zeros((len(motion), 3))
    way[:, 1], way[:, 0] = np.where(motion.times < 0.6, 1.0, -1.0), np.where(motion.times > 0.8, 1.0, 0.0)
    rotations[:, motion.skeleton.index("LeftLeg")] = exp(way)
    broken = type(motion)(motion.skeleton, motion.times, motion.root_position, rotations)
    with pytest.raises(FootfallError, match="the left knee of the motion bends sideways or backwards"):
        retarget(broken, Figure.load("human-28"))


def test_a_motion_of_one_frame_comes_over():
    motion = lively_walk()
    still = type(motion)(motion.skeleton, motion.times[:1], motion.root_position[:1], motion.rotations[:1])
    result, report = retarget(still, Figure.load("human-28"))
    assert len(result) == 1
    assert report.fidelity.worst("thigh").worst < 10.0


def test_an_animal_is_refused_in_words():
    from footfall.motion import Motion, Skeleton

    body = person()
    rows = list(zip(body.names, body.parents, body.offsets.tolist(), strict=True))
    names, parents, offsets = [], [], []
    at = {}
    for name, parent, offset in rows:
        if name.endswith("Foot"):
            names.append(name.replace("Foot", "Link"))
            parents.append(at[body.names[parent]])
            offsets.append([0.0, 0.0, -0.25])
            at[name] = len(names)
            names.append(name)
            parents.append(len(names) - 2)
            offsets.append([0.1, 0.0, -0.18])
            continue
        at[name] = len(names)
        names.append(name)
        parents.append(-1 if parent < 0 else at[body.names[parent]])
        offsets.append(offset)
    skeleton = Skeleton(tuple(names), tuple(parents), np.array(offsets))
    times = np.arange(60) / 30
    rotations = np.tile(skeleton.rest, (60, 1, 1))
    bend = np.zeros((60, 3))
    bend[:, 1] = 0.8 * np.sin(4 * times)
    for side in ("Left", "Right"):
        rotations[:, skeleton.index(f"{side}Link")] = exp(bend)
    bird = Motion(skeleton, times, np.tile([0.0, 0.0, 0.9], (60, 1)), rotations)
    with pytest.raises(FootfallError, match="one bone more"):
        retarget(bird, Figure.load("human"))


def test_a_folder_is_measured(tmp_path, capsys):
    save_motion(lively_walk(1.5), tmp_path / "good.npz")
    (tmp_path / "broken.bvh").write_text("HIERARCHY\nnothing\n")
    (tmp_path / "notes.txt").write_text("no motion\n")
    rows = benchmark(tmp_path, Figure.load("human-28"))
    assert [row.outcome for row in rows] == ["refused", "good"]
    assert main(["motion", "benchmark", str(tmp_path), "--onto", "human-28", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["good"] == 1
    assert answer["refused"] == 1
    assert "line" in answer["rows"][0]["refused"]
    assert answer["rows"][1]["fidelity"]["limbs"]["left_thigh"]["median"] < 5.0
    assert main(["motion", "benchmark", str(tmp_path), "--onto", "human-28"]) == 0
    assert "0 of 2 clips are BAD" in capsys.readouterr().out.splitlines()[0]
    assert main(["motion", "benchmark", str(tmp_path / "none")]) == 2


@needs_mocap
@pytest.mark.parametrize("name", STRAIGHT_WALKS)
def test_captured_straight_walks_are_like_their_source(name):
    _, report = retarget(load_motion(clip(name)), Figure.load("human-28"))
    found = report.fidelity
    for limb in ("trunk", "thigh", "shank", "foot_yaw", "upper_arm", "forearm"):
        assert found.worst(limb).median < 5.0, limb
        assert found.worst(limb).worst < 15.0, limb
    assert found.least_bend("knee") > 0.95
    elbow = found.least_bend("elbow")
    assert elbow is None or elbow > 0.95
    assert found.fastest < 40.0
    assert report.after.slide < 0.005
    assert report.after.penetration < 0.01


@needs_mocap
def test_other_people_s_clips_are_right_or_refused():
    """Two of each kind that used to fail; the whole folder is measured by ``footfall motion benchmark``."""
    names = (
        "bandai/dataset-2_walk_masculine_004.bvh",
        "lafan/walk1_subject1_head.bvh",
        "pybvh/bvh_test3.bvh",
        "glTF-Sample-Assets/CesiumMan.glb",
    )
    for name in names:
        assert retarget(load_motion(MOCAP / "others" / name), Figure.load("human-28"))[1].verdict() == "good", name
    rows = benchmark(MOCAP / "others" / "Anytop", Figure.load("human-28"))
    assert [row.outcome for row in rows] == ["refused"]
    assert [
        row.outcome for row in benchmark(MOCAP / "others" / "glTF-Sample-Assets" / "Fox.glb", Figure.load("human"))
    ] == ["refused"]
