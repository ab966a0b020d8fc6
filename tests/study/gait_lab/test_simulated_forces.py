"""Ground forces from motion alone: the laws of the whole body, and walks whose forces are known."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.analyse import _print
from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.motion import Motion, Skeleton, load_motion
from footfall.motion.gait.feet import sole_positions, soles
from footfall.study.gait_lab.analysis import analyse
from footfall.study.gait_lab.ground_forces import SIDES, foot_forces, whole_body_loads
from footfall.study.gait_lab.simulated_forces import HALF_WIDTH, _shared, simulated_forces, with_simulated_forces
from footfall.study.measures.cycles import kinematic_events
from tests.study.gait_lab.walks import OPENSIM, PLUG_IN_GAIT, STRAIGHT, clip, motion, trace

MASS = 70.0


@pytest.fixture(scope="module")
def found():
    """A simulated walk's forces by motion alone, with its events."""
    events = kinematic_events(motion())
    return simulated_forces(motion(), events, MASS)[0], events


def test_both_feet_together_give_what_the_whole_body_needs(found):
    """Impulses are in balance with the change of momentum: Σ F = m (c̈ - g) at every moment at which a foot stands."""
    forces, _ = found
    _, needed, _ = whole_body_loads(motion(), MASS)
    total = sum(foot.force for foot in forces.values())
    stands = np.all([foot.known for foot in forces.values()], axis=0) & (total[:, 2] > 50.0) & (needed[:, 2] > 50.0)
    assert stands.mean() > 0.8
    apart = np.abs(total - needed)[stands].max(axis=1)
    assert np.quantile(apart, 0.98) < 1e-6 * MASS * GRAVITY


def test_over_a_stride_the_mean_vertical_force_is_a_body_weight(found):
    forces, events = found
    total = sum(foot.force[:, 2] for foot in forces.values())
    strikes = events.strikes["left"][2:-1]
    inside = (motion().times >= strikes[0]) & (motion().times < strikes[-1])
    assert total[inside].mean() == pytest.approx(MASS * GRAVITY, rel=0.02)


def test_forces_are_in_proportion_to_the_mass(found):
    forces, events = found
    twice, _ = simulated_forces(motion(), events, 2.0 * MASS)
    for side in SIDES:
        np.testing.assert_allclose(twice[side].force, 2.0 * forces[side].force, rtol=1e-9, atol=1e-9)


def test_no_foot_pulls_and_no_centre_of_pressure_is_off_its_sole(found):
    forces, _ = found
    walk = motion()
    for side, foot in forces.items():
        assert foot.force[:, 2].min() >= 0.0
        points = sole_positions(walk, soles(walk.skeleton)[side])[..., :2]
        on = np.isfinite(foot.centre).all(axis=1)
        away = np.linalg.norm(points[on] - foot.centre[on, None, :2], axis=-1)
        length = np.linalg.norm(np.ptp(points[on], axis=1), axis=-1)
        assert (away.min(axis=1) <= np.hypot(0.5 * length, HALF_WIDTH) + 1e-6).all()


def test_two_feet_share_what_both_carry_by_where_it_acts():
    """With the whole force at one foot's centre of pressure that foot has all of it; halfway, each has half; the sum is
    the whole in every case, and which way the body walks does not matter."""
    first, second, com = np.zeros(3), np.array([0.6, 0.0, 0.0]), np.array([[0.3, 0.0, 1.0]])
    force = np.array([[40.0, 10.0, 700.0]])
    for at, shares in ((0.0, (1.0, 0.0)), (0.3, (0.5, 0.5)), (0.6, (0.0, 1.0)), (0.9, (0.0, 1.0))):
        moment = np.cross([at, 0.0, 0.0], force)
        both = _shared(force, moment, com, (first[None], second[None]), 0.0)
        np.testing.assert_allclose([f[0, 2] for f, _ in both], np.multiply(shares, 700.0), atol=1e-9)
        np.testing.assert_allclose(sum(f for f, _ in both), force, atol=1e-9)
        if at <= 0.6:
            np.testing.assert_allclose(sum(m for _, m in both), moment, atol=1e-9)
        turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        turned = _shared(force @ turn.T, moment @ turn.T, com @ turn.T, (first[None], second[None] @ turn.T), 0.0)
        for (f, _), (g, _) in zip(both, turned, strict=True):
            np.testing.assert_allclose(g, f @ turn.T, atol=1e-9)


def test_a_simulated_walk_gets_its_own_forces_back():
    """footfall's walk lands hard, which a path filtered at 6 Hz does not show; the bounds are of that walk."""
    errors = analyse(motion(), name="walk", forces="simulated").force_errors
    assert errors["grf_vertical"].contacts >= 8
    assert errors["grf_vertical"].error < 0.35
    assert errors["grf_ahead"].error < 0.2
    assert errors["grf_aside"].error < 0.1


@pytest.mark.parametrize("name", [PLUG_IN_GAIT, OPENSIM])
def test_a_captured_walk_is_held_against_its_platforms(name, capsys, tmp_path):
    """The bounds, in per cent of the range, are those of docs/gait-measurements.md with some room."""
    walk = analyse(clip(name), forces="simulated")
    assert walk.events.source.startswith("kinematics"), "no platform had a say"
    for panel, most in (("grf_vertical", 13.0), ("grf_ahead", 15.0), ("grf_aside", 45.0)):
        assert walk.force_errors[panel].contacts == 1
        assert walk.force_errors[panel].share < most
    _print([walk])
    assert "over 1 whole contacts" in capsys.readouterr().out
    assert walk.save(tmp_path / "walk.json").stat().st_size
    assert walk.save(tmp_path / "walk.sto").stat().st_size


def test_platforms_have_no_say_in_simulated_forces():
    walk = load_motion(clip(PLUG_IN_GAIT))
    without = replace(walk, channels={}, source={k: v for k, v in walk.source.items() if not k.startswith("plate")})
    a, b = (foot_forces(with_simulated_forces(m, MASS)[0], kinematic_events(m)) for m in (walk, without))
    for side in SIDES:
        np.testing.assert_array_equal(a[side].force, b[side].force)


def test_a_clip_without_platforms_gets_moments_and_says_what_its_mass_is():
    walk = analyse(clip(STRAIGHT), forces="simulated")
    assert "knee_extension_moment" in walk.curves
    assert not walk.force_errors
    assert any("usual for its height" in note for note in walk.notes)


def test_what_is_simulated_has_no_simulated_forces():
    for walk in ("walk-3d", trace()):
        with pytest.raises(FootfallError, match="its ground forces are known"):
            analyse(walk, forces="simulated")
    with pytest.raises(FootfallError, match="choose 'measured' or 'simulated'"):
        analyse("walk-3d", forces="none")


def test_a_body_without_two_legs_is_refused():
    """No joint of the first is an ankle; the second has a left leg alone."""
    still = np.tile([1.0, 0.0, 0.0, 0.0], (100, 1, 1))
    ball = Motion(Skeleton(("ball",), (-1,), np.zeros((1, 3))), 0.02 * np.arange(100), np.zeros((100, 3)), still)
    with pytest.raises(FootfallError, match="no joint is an ankle"):
        analyse(ball, forces="simulated")
    names = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase")
    offsets = np.array([[0, 0, 0.9], [0, 0.1, 0], [0, 0, -0.4], [0, 0, -0.4], [0.15, 0, -0.05]])
    poses = np.tile(still, (1, len(names), 1))
    leg = Motion(Skeleton(names, (-1, 0, 1, 2, 3), offsets), ball.times, np.zeros((100, 3)), poses)
    with pytest.raises(FootfallError, match="no right foot"):
        analyse(leg, forces="simulated")
