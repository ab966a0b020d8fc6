"""Motion back on a rig: the skeleton of any motion file, whatever its zero pose."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.pendulum import Person, periodic_gait, record_walk, walk_motion
from footfall.motion import load_motion, retarget, retarget_to_rig, save_motion
from footfall.motion.quaternion import from_axis_angle, multiply, rotate
from footfall.motion.retargeting.standing import standing
from tests.cli.commands import refused, said
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import MOCAP, needs_mocap, walk
from tests.motion.zero_poses import ZERO_POSES, nameless, rezeroed

LIMBS = ("trunk", "thigh", "shank", "foot_yaw", "upper_arm", "forearm")


def test_every_joint_is_where_it_is_on_the_standing_rig():
    rig = rezeroed(lively_walk(1.0), "random", seed=3)
    onto, _ = retarget_to_rig(walk(1.0), rig)
    upright, _ = retarget(walk(1.0), standing(rig).skeleton)
    assert onto.skeleton is rig.skeleton
    assert np.abs(onto.positions() - upright.positions()).max() < 1e-9


@pytest.mark.parametrize("kind", ZERO_POSES)
def test_the_rigs_zero_pose_changes_no_place(kind):
    plain, _ = retarget_to_rig(lively_walk(1.0), lively_walk(1.0))
    other, report = retarget_to_rig(lively_walk(1.0), rezeroed(lively_walk(1.0), kind))
    assert np.abs(plain.positions() - other.positions()).max() < 1e-3
    assert report.verdict() == "good"


def test_a_motion_comes_back_from_its_own_rig():
    _, report = retarget_to_rig(lively_walk(1.0), lively_walk(1.0))
    assert report.scale == pytest.approx(1.0)
    for limb in LIMBS:
        assert report.fidelity.worst(limb).median < 3.0, limb


def test_the_file_has_the_rigs_form(tmp_path):
    save_motion(walk(0.5), tmp_path / "rig.bvh", unit="inch", up="z")
    text = (tmp_path / "rig.bvh").read_text().replace("Zrotation Xrotation Yrotation", "Yrotation Zrotation Xrotation")
    (tmp_path / "rig.bvh").write_text(text)
    rig = load_motion(tmp_path / "rig.bvh")
    motion, _ = retarget_to_rig(lively_walk(1.0), rig)
    save_motion(motion, tmp_path / "out.bvh")
    heads = [path.read_text().split("MOTION")[0] for path in (tmp_path / "rig.bvh", tmp_path / "out.bvh")]
    assert heads[0] == heads[1]
    again = load_motion(tmp_path / "out.bvh")
    assert np.abs(again.positions() - motion.positions()).max() < 1e-4


def test_the_command_takes_a_rig(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_motion(lively_walk(1.0), "turn.glb")
    save_motion(walk(0.5), "my-character.bvh")
    out = said(capsys, "motion", "import", "turn.glb", "--onto", "my-character.bvh", "--out", "turn-on-me.bvh")
    assert out.startswith("retargeted: good\n")
    assert max(map(len, out.splitlines())) <= 100
    assert load_motion("turn-on-me.bvh").skeleton.names == load_motion("my-character.bvh").skeleton.names
    line = refused(capsys, "motion", "import", "turn.glb", "--onto", "my-character.bvh", "--out", "my-character.bvh")
    assert "would be overwritten" in line


def test_a_rig_without_legs_is_refused_by_name(tmp_path):
    text = "HIERARCHY\nROOT Box\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\n"
    (tmp_path / "box.bvh").write_text(f"{text}OFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")
    with pytest.raises(FootfallError, match=r"rig 'box\.bvh': no legs of thigh, shank and foot"):
        retarget_to_rig(walk(0.5), load_motion(tmp_path / "box.bvh", unit="m", up="y"))


def test_a_rig_whose_names_say_nothing_is_known_by_its_shape():
    _, report = retarget_to_rig(lively_walk(1.0), nameless(lively_walk(1.0)))
    assert report.fidelity.worst("thigh").median < 5.0


def test_one_without_names_whose_spine_begins_at_the_hips_is_known_by_its_shape():
    person = walk_motion(record_walk(periodic_gait(Person.of()), 0.5, fps=30.0))
    assert np.linalg.norm(person.skeleton.offsets[1]) == 0.0
    _, report = retarget_to_rig(lively_walk(1.0), nameless(person))
    assert report.verdict() == "good"


def test_a_map_says_what_neither_names_nor_shape_do():
    rig = nameless(lively_walk(1.0))
    offsets = rig.skeleton.offsets.copy()
    names, own = lively_walk(1.0).skeleton.names, rig.skeleton.names
    offsets[[names.index(name) for name in ("LeftLeg", "LeftFoot")]] *= [[1.6], [1.3]]  # a wooden leg
    offsets[[k for k, name in enumerate(names) if "Arm" in name or "Hand" in name]] *= 0.1
    odd = replace(rig, skeleton=replace(rig.skeleton, offsets=offsets))
    with pytest.raises(FootfallError, match="name them in a map file"):
        retarget_to_rig(lively_walk(1.0), odd)
    limbs = [f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "Arm")]
    _, report = retarget_to_rig(lively_walk(1.0), odd, joints={own[names.index(name)]: name for name in limbs})
    assert report.fidelity.worst("thigh").median < 10.0


@needs_mocap
@pytest.mark.parametrize("name", ["others/blx/mixamo.bvh", "others/three.js/Xbot.glb", "others/makehuman/walk1.bvh"])
def test_rigs_of_other_makers(name):
    _, report = retarget_to_rig(lively_walk(1.5), load_motion(MOCAP / name))
    assert report.verdict() == "good"


def fallen_over(motion):
    """The motion while the body tips over to its side, about the line of its feet, and lies."""
    angle = np.pi / 2 * np.clip((motion.times - 0.5) / 0.7, 0.0, 1.0) ** 2
    turn = from_axis_angle(np.array([1.0, 0.0, 0.0]), angle)
    rotations = motion.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    lifted = rotate(turn, motion.root_position) + np.array([0.0, 0.0, 0.1])
    return replace(motion, rotations=rotations, root_position=lifted)


@needs_mocap
@pytest.mark.parametrize("name", ["others/blx/mixamo.bvh", "others/three.js/Xbot.glb", "others/makehuman/walk1.bvh"])
def test_a_fall_comes_over_as_a_walk_does(name):
    _, report = retarget_to_rig(fallen_over(lively_walk(2.0)), load_motion(MOCAP / name))
    assert report.verdict().startswith("good")
    assert report.fidelity.worst("trunk").median < 8.0
