"""What a file calls zero, its axes, unit, root, order and names must not change what comes out."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, load_motion, path_length, retarget
from footfall.motion.quaternion import exp, multiply, normalised
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.retargeting.standing import standing
from footfall.motion.skeleton.landmarks import landmarks, limb_vectors
from tests.motion.rewriting import WAYS, Y_UP, Z_UP, rewritten, shortened, worst_angle
from tests.motion.walks import MOCAP, needs_mocap, walk
from tests.motion.zero_poses import ZERO_POSES, nameless, rezeroed, shuffled, write_odd_bvh

BROKEN = {"dance1.bvh"}
"""Refused whole, since its knees are broken; a second of it says nothing."""
CLIPS = [path for path in (clips_in(MOCAP) if MOCAP.is_dir() else []) if path.name not in BROKEN]


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
    motion = lively_walk(1.2)
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
@pytest.mark.parametrize("path", CLIPS, ids=lambda path: path.stem)
def test_every_captured_clip_comes_out_the_same(path, tmp_path):
    """A second of each clip, two of the ways to write it; ``python -m tests.motion.rewriting`` does all of it."""
    motion = shortened(load_motion(path), 1.0, 20.0)
    target = Figure.load("human-28")
    number = CLIPS.index(path)
    try:
        known, _ = retarget(motion, target)
    except FootfallError:
        ((_, odd, joints),) = rewritten(motion, tmp_path, [number % len(ZERO_POSES)])
        with pytest.raises(FootfallError):
            retarget(odd, target, joints=joints)
        return
    for label, odd, joints in rewritten(motion, tmp_path, [number % WAYS, (number + 3) % WAYS]):
        result, _ = retarget(odd, target, joints=joints)
        assert worst_angle(known, result, legs="shape" in label) < 1.0, label


def test_the_data_is_there_or_said_to_be_missing():
    if not MOCAP.is_dir():
        pytest.skip(f"NO MOTION CAPTURE: {MOCAP} is absent")
    assert len(CLIPS) > 60
