"""What a file calls zero, its axes, unit, root, order and names must not change what comes out."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.motion import Motion, load_motion, path_length, retarget
from footfall.motion.editing.cutting import resampled, trimmed
from footfall.motion.quaternion import exp, multiply, normalised
from footfall.motion.retargeting.standing import standing
from footfall.motion.skeleton.landmarks import landmark_positions, landmarks, limb_vectors
from tests.motion.walks import MOCAP, clip, needs_mocap, walk
from tests.motion.zero_poses import ZERO_POSES, nameless, rezeroed, shuffled, write_odd_bvh

Y_UP = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
Z_UP = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
CLIPS = [
    "cmu/16_21",
    "cmu/16_45",
    "snu/wd2_WalkForwardNormal00",
    "snu/walk_left_90degree",
    "snu-paper/wd2_WalkSoldier00",
    "snu-paper/wd2_WalkSameSame01",
    "others/bandai/dataset-2_walk_masculine_004",
    "others/pybvh/bvh_test1",
]


def lively_walk(seconds: float = 2.5) -> Motion:
    """A walk whose elbows bend and whose trunk, head and arms sway in all directions."""
    motion = walk(seconds)
    rotations, times = motion.rotations.copy(), motion.times
    rng = np.random.default_rng(3)
    for name in ("Hips", "Spine", "Spine1", "Head", "LeftArm", "RightArm"):
        j = motion.skeleton.index(name)
        size = 0.25 if "Arm" in name else 0.08
        sway = size * np.sin(2 * np.pi * times[:, None] / 1.1 + rng.uniform(0, 6, 3))
        rotations[:, j] = normalised(multiply(rotations[:, j], exp(sway)))
    for side, lead in (("Left", 0.0), ("Right", np.pi)):
        bend = np.zeros((len(times), 3))
        bend[:, 1] = -0.6 - 0.4 * np.sin(2 * np.pi * times / 1.1 + lead)
        rotations[:, motion.skeleton.index(f"{side}ForeArm")] = exp(bend)
    return Motion(motion.skeleton, times, motion.root_position, rotations)


def worst_angle(first: Motion, second: Motion) -> float:
    """Degrees between limbs of two motions, the worst limb and frame."""
    worst = 0.0
    a, b = (limb_vectors(landmark_positions(motion)) for motion in (first, second))
    assert a.keys() == b.keys()
    for limb in a:
        cross = np.linalg.norm(np.cross(a[limb], b[limb]), axis=-1)
        worst = max(worst, float(np.arctan2(cross, np.sum(a[limb] * b[limb], axis=-1)).max()))
    return float(np.rad2deg(worst))


@pytest.mark.parametrize("kind", ZERO_POSES)
def test_a_zero_that_stands_keeps_every_place(kind):
    motion = rezeroed(lively_walk(), kind)
    upright = standing(motion)
    assert np.abs(upright.positions() - motion.positions()).max() < 1e-12
    assert np.abs(upright.end_positions() - motion.end_positions()).max() < 1e-12
    marks = {name: mark.place(*upright.skeleton.at_rest()) for name, mark in landmarks(upright.skeleton).items()}
    limbs = limb_vectors({name: place[None] for name, place in marks.items()})
    for limb, way in limbs.items():
        up = way[0, 2] / np.linalg.norm(way[0])
        if limb.endswith("foot"):
            assert way[0, 0] > 0.9 * np.linalg.norm(way[0, :2]), limb
        else:
            assert up > 0.99 if limb in ("trunk", "head") else up < -0.99, limb


@pytest.mark.parametrize("kind", ZERO_POSES)
@pytest.mark.parametrize("figure", ["human", "human-28"])
def test_the_zero_pose_changes_nothing(figure, kind):
    target = Figure.load(figure)
    motion = lively_walk()
    known, report = retarget(motion, target)
    odd, other = retarget(rezeroed(motion, kind, seed=5), target)
    assert worst_angle(known, odd) < 1.0
    assert np.abs(known.channels["qpos"] - odd.channels["qpos"]).max() < np.deg2rad(1.0)
    assert other.matched == report.matched


def test_neither_order_nor_names_change_anything():
    target = Figure.load("human-28")
    known, _ = retarget(lively_walk(), target)
    odd, report = retarget(nameless(shuffled(rezeroed(lively_walk(), "random"), seed=2)), target)
    assert "left_knee" in report.guessed
    assert worst_angle(known, odd) < 1.0
    motion = nameless(lively_walk())
    names = dict(zip(lively_walk().skeleton.names, motion.skeleton.names, strict=True))
    given = {
        f"{side}_{role}": names[f"{side.title()}{part}"]
        for side in ("left", "right")
        for role, part in (
            ("hip", "UpLeg"),
            ("knee", "Leg"),
            ("ankle", "Foot"),
            ("toe", "ToeBase"),
            ("shoulder", "Arm"),
            ("elbow", "ForeArm"),
        )
    }
    mapped, _ = retarget(motion, target, joints=given | {"head": names["Head"]})
    assert worst_angle(known, mapped) < 1.0


@pytest.mark.parametrize("root", ["", "travels", "still"])
@pytest.mark.parametrize(("axes", "scale"), [(Y_UP, 1.0), (Y_UP, 1000.0), (Z_UP, 39.37)])
def test_axes_units_and_roots_change_nothing(tmp_path, root, axes, scale):
    target = Figure.load("human-28")
    known, _ = retarget(lively_walk(1.5), target)
    path = write_odd_bvh(tmp_path / "odd.bvh", rezeroed(lively_walk(1.5), "random"), axes=axes, scale=scale, root=root)
    motion = load_motion(path)
    assert path_length(motion) == pytest.approx(path_length(lively_walk(1.5)), rel=0.02)
    odd, report = retarget(motion, target)
    assert worst_angle(known, odd) < 1.0
    assert report.fidelity.path < 0.1


@needs_mocap
@pytest.mark.parametrize("name", CLIPS)
def test_captured_clips_come_out_the_same_from_any_zero_pose(name, tmp_path):
    target = Figure.load("human-28")
    motion = load_motion(clip(name))
    motion = resampled(trimmed(motion, None, 4.0), min(motion.fps, 30.0))
    known, _ = retarget(motion, target)
    for kind, root in zip(ZERO_POSES, ("", "travels", "still", "")):
        written = write_odd_bvh(tmp_path / "odd.bvh", shuffled(rezeroed(motion, kind, seed=7)), axes=Z_UP, root=root)
        odd, _ = retarget(load_motion(written), target)
        assert worst_angle(known, odd) < 1.0, kind
    odd, _ = retarget(nameless(shuffled(rezeroed(motion, "random"))), target)
    legs = [limb for limb in limb_vectors(landmark_positions(known)) if "thigh" in limb or "shank" in limb]
    a, b = (limb_vectors(landmark_positions(m)) for m in (known, odd))
    for limb in legs:
        assert np.abs(_angle(a[limb], b[limb])).max() < np.deg2rad(1.0), limb


def _angle(a, b):
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def test_the_data_is_there_or_said_to_be_missing():
    if not MOCAP.is_dir():
        pytest.skip(f"NO MOTION CAPTURE: {MOCAP} is absent")
    assert all(clip(name).is_file() for name in CLIPS)
