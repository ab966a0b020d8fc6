"""The kinematic conversion: smooth, on its feet, within a leg's reach; and as a motion."""

import numpy as np
import pytest

from footfall.methods.pendulum import (
    Person,
    Walk,
    human_walk,
    periodic_gait,
    record_walk,
    reference_clip,
    sample_gait,
    walk_motion,
)
from footfall.methods.pendulum.posture import alpha, beta, cubic, delta, gamma, ramp, soft_max
from footfall.motion import load_motion, save_motion


@pytest.fixture(scope="module")
def gait():
    return periodic_gait(Person.of())


def test_turning_is_smooth(gait):
    walk = record_walk(gait, 3.0, fps=200, turns={0.0: 0.3})
    points = walk_motion(walk).points()
    assert np.linalg.norm(np.diff(points, axis=0), axis=-1).max() < 6.0 / 200


def test_the_stance_foot_of_the_motion_is_the_stance_foot_of_the_model(gait):
    walk = record_walk(gait, 3.0)
    motion = walk_motion(walk)
    names = [end.name for end in motion.skeleton.ends]
    heels = motion.end_positions()
    flat = np.abs(walk.posture["stance_pitch"][:, 0]) < 1e-9
    assert flat.any()
    side = np.where(walk.state["d"][:, 0] > 0, "RightHeel", "LeftHeel")
    for k in np.flatnonzero(flat):
        heel = heels[k, names.index(side[k])]
        np.testing.assert_allclose(heel[:2], [walk.state["foot_x"][k, 0], walk.state["foot_y"][k, 0]], atol=1e-9)


def test_uphill_motion_stands_on_the_slope():
    slope = np.radians(8)
    walk = record_walk(periodic_gait(Person.of(), Walk(slope=slope)), 3.0)
    motion = walk_motion(walk)
    ends = motion.end_positions()[:, [e.contact for e in motion.skeleton.ends]]
    above = ends[..., 2] - np.tan(slope) * ends[..., 0]
    assert above.min() > -1e-9
    assert above.min(axis=1).max() < 0.02
    assert motion.ground is not None


def test_the_papers_pelvis_heights_are_there_to_choose():
    plain = {"stretch": 0.0, "flap": 0.0, "pelvis_turn": 0.0, "pelvis_drop": 0.0}
    for fixed, expected in ((0.0, 0.8772), (1.0, 0.8877)):
        gait = periodic_gait(Person.of(), Walk(fixed_height=fixed, **plain))
        half = sample_gait(gait, np.array([0.5 / 1.7]))
        assert float(half.posture["pelvis_z"][0, 0]) == pytest.approx(expected, abs=1e-4)


def test_feet_flap_after_heel_strike():
    body = Person.of()
    gait = periodic_gait(body, human_walk(body, 1.3))
    step = float(gait.stride.duration[0])
    pitch = sample_gait(gait, np.array([0.0, 0.99, 1.0, 1.3, 1.95]) * step)
    at_strike = float(pitch.posture["stance_pitch"][0, 0])
    assert np.radians(10) < at_strike < np.radians(30)
    assert float(pitch.posture["swing_pitch"][1, 0]) == pytest.approx(at_strike, abs=0.01)
    assert abs(float(pitch.posture["stance_pitch"][3, 0])) < 1e-6
    plain = sample_gait(periodic_gait(body, human_walk(body, 1.3, flap=0.0)), np.zeros(1))
    assert float(plain.posture["stance_pitch"][0, 0]) <= 0.0


def test_arms_swing_against_legs(gait):
    motion = walk_motion(record_walk(gait, 2.4))
    foot = motion.position("LeftFoot")[:, 0] - motion.position("Hips")[:, 0]
    hand = motion.position("LeftHand")[:, 0] - motion.position("Hips")[:, 0]
    assert np.corrcoef(foot, hand)[0, 1] < -0.8


def test_a_reference_clip_closes_on_itself(gait):
    clip = reference_clip(gait, cycles=2)
    first, last = clip.positions()[0], clip.positions()[-1]
    np.testing.assert_allclose(last - last[0], first - first[0], atol=1e-9)
    assert clip.seconds == pytest.approx(4 / 1.7)
    contact = clip.channel("contact")
    assert set(np.unique(contact)) == {0, 1}
    assert contact.any(axis=1).all()


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_walks_are_saved(gait, tmp_path, suffix):
    motion = walk_motion(record_walk(gait, 1.0, fps=30))
    path = save_motion(motion, tmp_path / f"walk{suffix}")
    again = load_motion(path)
    np.testing.assert_allclose(again.position("LeftFoot"), motion.position("LeftFoot"), atol=2e-4)


def test_smooth_pieces(gait):
    c = gait.stride.take(0)
    ends = np.array([0.0, float(c.double_time), float(c.duration)])
    np.testing.assert_allclose(alpha(c, ends), [0, -c.double_time, 0], atol=1e-12)
    np.testing.assert_allclose(beta(c, ends), [0, -2 * c.double_time, 0], atol=1e-12)
    np.testing.assert_allclose(gamma(c, ends), [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(delta(np.array([-1.0, 0.0, 1.0])), [-0.2, 0, 1], atol=1e-12)
    assert cubic(1.0, 2.0, 3.0, 4.0, 0.5, 0.0) == 1.0
    assert cubic(1.0, 2.0, 3.0, 4.0, 0.5, 1.0) == 3.0
    x = np.linspace(-1, 1, 401)
    assert np.all(ramp(x, 0.2) >= np.maximum(x, 0))
    assert np.all(ramp(x[x < -0.2], 0.2) == 0)
    assert np.abs(np.diff(ramp(x, 0.2), 2)).max() < 1e-4
    assert soft_max(3.0, 4.0) == 5.0
    assert soft_max(-1.0, 2.0) == 2.0
