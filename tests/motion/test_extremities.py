"""Toes and clavicles of a rig, which the body that moves it does not have, or has."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.motion import Motion, load_motion, retarget, retarget_to_rig
from footfall.motion.gait.feet import lowest_points
from footfall.motion.quaternion import conjugate, from_axis_angle, multiply, rotate
from footfall.motion.retargeting.extremities import toes_of
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import MOCAP, clip, needs_mocap, walk

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def on_figure():
    """A walk on a figure, which has neither toes nor clavicles."""
    return retarget(walk(2.0, speed=1.2), Figure.load("human-28"))[0]


def on_tiptoe():
    """A figure that rises on its stiff feet by up to 40 degrees, twice, as high as they ask."""
    motion = on_figure()
    labels, qpos = motion.labels["qpos"], np.tile(motion.channels["qpos"][0], (len(motion), 1))
    qpos[:, labels.index("root.x") : labels.index("root.y") + 1] = 0.0
    for name in ("hip_roll", "hip_pitch", "hip_yaw", "knee", "ankle_roll", "ankle_pitch"):
        for side in ("left", "right"):
            qpos[:, labels.index(f"{side}_{name}")] = 0.0
    for side in ("left", "right"):
        qpos[:, labels.index(f"{side}_ankle_pitch")] = -np.deg2rad(40.0) * np.sin(np.pi * motion.times) ** 2
    raised = Motion.from_qpos(Figure.load("human-28"), motion.times, qpos)
    qpos[:, labels.index("root.z")] -= lowest_points(raised)
    return Motion.from_qpos(Figure.load("human-28"), motion.times, qpos)


def bend(motion: Motion, side: str) -> np.ndarray:
    """[T] radians by which toes are bent against the foot, as at rest."""
    roles, turns = find_roles(motion.skeleton), motion.orientations()
    ankle, toe = roles[f"{side}_ankle"], roles[f"{side}_toe"]
    rest = motion.skeleton.at_rest()[1]
    foot, toes = (multiply(turns[:, j], conjugate(rest[j])) for j in (ankle, toe))
    ahead = rotate(multiply(conjugate(foot), toes), X)
    return np.arctan2(ahead[:, 2], ahead[:, 0])


def with_clavicles(skeleton: Skeleton) -> Skeleton:
    """A skeleton with a joint between chest and shoulder on either side."""
    names, parents, offsets = list(skeleton.names), list(skeleton.parents), skeleton.offsets.copy()
    for arm in ("LeftArm", "RightArm"):
        at = names.index(arm)
        names.insert(at, arm.replace("Arm", "Shoulder"))
        offsets = np.insert(offsets, at, [0.0, 0.2 * offsets[at, 1], 0.0], axis=0)
        offsets[at + 1] -= offsets[at]
        parents = [p + (p >= at) for p in parents]
        parents.insert(at, parents[at])
        parents[at + 1] = at
    ends = tuple(replace(e, joint=names.index(skeleton.names[e.joint])) for e in skeleton.ends)
    return Skeleton(tuple(names), tuple(parents), offsets, np.tile([1.0, 0, 0, 0], (len(names), 1)), ends=ends)


def test_toes_bend_as_the_heel_rises_and_stay_out_of_the_ground():
    motion, report = retarget(on_tiptoe(), walk(0.5).skeleton)
    assert report.verdict() == "good"
    assert not {"LeftToeBase", "RightToeBase"} & {*report.still}
    assert lowest_points(motion).min() > -1e-3
    for side in ("left", "right"):
        degrees, heel = np.rad2deg(bend(motion, side)), 40.0 * np.sin(np.pi * motion.times) ** 2
        assert degrees.max() == pytest.approx(40.0, abs=8.0)
        assert np.corrcoef(degrees, heel)[0, 1] > 0.98


def test_feet_with_toes_slide_no_more_than_stiff_ones():
    motion, report = retarget(on_figure(), walk(0.5).skeleton)
    assert report.feet == "corrected"
    assert report.after.slide < 0.005
    assert len(toes_of(motion.skeleton)) == 2


def test_a_source_shows_how_its_toes_bend():
    source = lively_walk(1.0)
    toes = [find_roles(source.skeleton)[f"{side}_toe"] for side in ("left", "right")]
    rotations = source.rotations.copy()
    turn = from_axis_angle(np.array([0.0, 1.0, 0.0]), -0.5 * np.sin(2 * np.pi * source.times) ** 2)
    for toe in toes:
        rotations[:, toe] = multiply(rotations[:, toe], turn)
    motion, _ = retarget_to_rig(replace(source, rotations=rotations), walk(0.5))
    assert np.rad2deg(bend(motion, "left").max()) > 10.0


@pytest.mark.parametrize(("raised", "degrees"), [(0.0, 0.0), (90.0, 12.0), (150.0, 24.0)])
def test_clavicles_rise_with_the_arms(raised, degrees):
    figure = Figure.load("human-28")
    motion = on_figure()
    qpos = motion.channels["qpos"].copy()
    names = list(motion.labels["qpos"])
    roll = [k for k, name in enumerate(names) if "shoulder" in name and ("roll" in name or "side" in name)]
    assert roll, names
    rig = with_clavicles(walk(0.5).skeleton)
    for k in roll:
        qpos[:, k] = np.deg2rad(raised) * (1.0 if "left" in names[k] else -1.0)
    lifted = Motion.from_qpos(figure, motion.times, qpos)
    result, report = retarget(lifted, rig)
    assert "LeftShoulder" not in report.still
    assert report.fidelity.worst("upper_arm").median < 1.0
    roles, turns = find_roles(rig), result.orientations()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        relative = multiply(conjugate(turns[:, roles["chest"]]), turns[:, roles[f"{side}_clavicle"]])
        across = rotate(relative, np.array([0.0, sign, 0.0]))
        assert np.rad2deg(np.arcsin(across[:, 2])) == pytest.approx(degrees, abs=6.0)


def test_a_source_shows_how_its_clavicles_turn():
    rig = with_clavicles(walk(0.5).skeleton)
    motion, _ = retarget(lively_walk(1.0), rig)
    left = rig.index("LeftShoulder")
    rotations = motion.rotations.copy()
    shrug = from_axis_angle(X, 0.3 * np.sin(2 * np.pi * motion.times))
    rotations[:, left] = multiply(rotations[:, left], shrug)
    arm = rig.index("LeftArm")
    rotations[:, arm] = multiply(conjugate(shrug), rotations[:, arm])
    again, report = retarget(replace(motion, rotations=rotations), rig)
    assert report.matched["LeftShoulder"] == "LeftShoulder"
    assert np.rad2deg(np.ptp(np.arcsin(rotate(again.rotations[:, left], np.array([0.0, 1.0, 0.0]))[:, 2]))) > 25.0


@needs_mocap
@pytest.mark.parametrize("name", ["others/three.js/Xbot.glb", "others/makehuman/walk1.bvh", "others/blx/mixamo.bvh"])
def test_rigs_of_other_makers_have_toes(name):
    rig = load_motion(MOCAP / name)
    motion, report = retarget_to_rig(load_motion(clip("cmu/16_47")), rig)
    toe = rig.skeleton.names[find_roles(rig.skeleton)["left_toe"]]
    assert toe not in report.still
    turns = motion.rotations[:, rig.skeleton.index(toe)]
    away = 2.0 * np.arccos(np.clip(np.abs((turns * turns[0]).sum(axis=-1)), 0.0, 1.0))
    assert np.rad2deg(np.ptp(away)) > 15.0
    assert report.verdict() == "good"
