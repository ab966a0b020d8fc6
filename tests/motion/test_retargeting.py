import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Skeleton, foot_quality, load_motion, match_joints, path_length, read_joint_map, retarget
from footfall.motion.conditioning.legs import TwoBoneLeg, leg_reach, solve_leg
from footfall.motion.quaternion import normalised, rotate
from footfall.motion.skeleton.roles import find_roles, roles_by_shape
from tests.motion.walks import clip, needs_mocap, person, walk

FAMILIES = {
    "mixamo": "mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot mixamorig:LeftToeBase mixamorig:LeftForeArm",
    "unreal": "thigh_l calf_l foot_l ball_l lowerarm_l",
    "rigify": "thigh.L shin.L foot.L toe.L forearm.L",
    "biped": "Bip01 L Thigh,Bip01 L Calf,Bip01 L Foot,Bip01 L Toe0,Bip01 L Forearm",
    "asf": "lfemur ltibia lfoot ltoes lradius",
    "smpl": "L_Hip L_Knee L_Ankle L_Foot L_Elbow",
    "footfall": "left_thigh left_shank left_foot left_toe left_lower_arm",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_names_of_every_family_are_understood(family):
    names = FAMILIES[family].split("," if "," in FAMILIES[family] else " ")
    skeleton = Skeleton(("pelvis", *names), (-1, 0, 1, 2, 3, 0), np.zeros((6, 3)))
    roles = find_roles(skeleton)
    assert [roles.get(f"left_{role}") for role in ("hip", "knee", "ankle", "toe", "elbow")] == [1, 2, 3, 4, 5]


def test_a_body_without_names_is_told_from_its_shape():
    skeleton = person()
    found = roles_by_shape(skeleton, np.zeros((1, 3)), skeleton.rest[None])
    known = find_roles(skeleton)
    for role in ("left_hip", "left_knee", "left_ankle", "right_hip", "right_knee", "right_ankle"):
        assert found[role] == known[role]
    names = tuple(f"n{j}" for j in range(len(skeleton)))
    nameless = Skeleton(names, skeleton.parents, skeleton.offsets, ends=skeleton.ends)
    match = match_joints(nameless, figure_skeleton("human"))
    assert "left_knee" in match.guessed


def figure_skeleton(name):
    from footfall.motion import skeleton_of

    return skeleton_of(Figure.load(name))


def test_map_files_come_before_names(tmp_path):
    (tmp_path / "map.txt").write_text("# mine\nleft_thigh = RightUpLeg\n\nright_thigh = LeftUpLeg # swapped\n")
    given = read_joint_map(tmp_path / "map.txt")
    match = match_joints(person(), figure_skeleton("human"), given)
    assert person().names[match.source_roles["left_hip"]] == "RightUpLeg"
    (tmp_path / "bad.txt").write_text("left_thigh RightUpLeg\n")
    with pytest.raises(FootfallError, match="line 1: expected 'TARGET = SOURCE'"):
        read_joint_map(tmp_path / "bad.txt")
    with pytest.raises(FootfallError, match="did you mean 'left_thigh'"):
        match_joints(person(), figure_skeleton("human"), {"left_tigh": "Hips"})


def test_inverse_kinematics_reaches_what_the_leg_can_reach():
    rng = np.random.default_rng(0)
    skeleton = figure_skeleton("human")
    leg = TwoBoneLeg.of(skeleton, find_roles(skeleton), "left")
    way = rng.normal(size=(200, 3))
    way *= (rng.uniform(0.3, 0.999, size=200) * leg_reach(leg) / np.linalg.norm(way, axis=-1))[:, None]
    hip = rng.normal(size=(200, 3))
    for forward in (None, rng.normal(size=(200, 3))):
        thigh, shank = solve_leg(leg, hip, hip + way, normalised(rng.normal(size=(200, 4))), forward)
        ankle = hip + rotate(thigh, leg.thigh) + rotate(shank, leg.shank)
        assert np.abs(ankle - hip - way).max() < 1e-9


def test_without_hip_yaw_feet_still_hold_better_than_before():
    _, report = retarget(walk(4.0), Figure.load("human-12"))
    assert report.after.slide < 0.5 * report.before.slide + 0.005
    assert report.after.penetration < 0.01


@pytest.mark.parametrize("figure", ["human", "planar-biped"])
def test_a_walk_keeps_its_feet_on_another_body(figure):
    motion, report = retarget(walk(4.0), Figure.load(figure))
    assert report.after.penetration < 0.01
    assert report.after.slide_worst < 0.02
    assert path_length(motion) == pytest.approx(report.scale * path_length(walk(4.0)), rel=0.02)
    assert np.allclose(motion.root_position[0, :2], 0, atol=0.05)
    assert motion.channels["qpos"].shape[1] == Figure.load(figure).nq


def test_retargeting_onto_its_own_skeleton_changes_little():
    source = walk(3.0)
    motion, report = retarget(source, source.skeleton, place=False)
    assert report.scale == pytest.approx(1.0)
    head = [source.skeleton.index(name) for name in ("Head", "LeftForeArm", "LeftLeg", "RightFoot")]
    away = motion.positions()[:, head] - source.positions()[:, head]
    away -= away.mean(axis=(0, 1))
    assert np.abs(away).max() < 0.04


def test_what_has_no_legs_is_refused_in_one_line():
    snake = Skeleton(("a", "b"), (-1, 0), np.array([[0.0, 0, 0], [0, 0, 1]]))
    with pytest.raises(FootfallError, match="no joint of the motion is a left hip"):
        match_joints(snake, figure_skeleton("human"))
    with pytest.raises(FootfallError, match="no joint of the target is a left hip"):
        retarget(walk(1.0), Figure.load("robo-bird"))


@needs_mocap
@pytest.mark.parametrize(
    "name", ["snu/wd2_WalkForwardNormal00", "cmu/16_47", "cmu/16_21", "snu-paper/wd2_WalkSameSame01"]
)
def test_captured_walks_keep_their_feet_on_the_human(name):
    motion, report = retarget(load_motion(clip(name)), Figure.load("human"))
    assert report.after.penetration < 0.01
    assert report.after.slide_worst < 0.02
    own = foot_quality(motion)
    assert own.penetration < 0.01
    assert own.slide_worst < 0.02
    assert report.before.slide_worst > 0.03
    assert not report.guessed
