"""Captured feet fitted to flat ground: what is added to a level walk is taken away again."""

import numpy as np
import pytest

from footfall.methods.tracking.controller import load_tracking
from footfall.motion.ball_poses import ankles, legs_of
from footfall.motion.conditioning.ground_fit import fit_ground, soles_of, swing_heights
from footfall.motion.conditioning.legs import raised_ankles


@pytest.fixture(scope="module")
def walk(biped):
    """Ten steps of the shipped walk, fitted once."""
    fragments = load_tracking("tracked-walk").repertoire.fragments
    frames = [fragments[-2].frames[:1]]
    for k in range(10):
        part = fragments[-2 + k % 2].frames.copy()
        part[:, :2] += frames[-1][-1, :2] - part[0, :2]
        frames.append(part[1:])
    return fit_ground(np.concatenate(frames), biped)


def planted(frames, biped):
    soles = soles_of(frames, biped)
    slow = np.linalg.norm(soles.velocity[..., :2], axis=-1) < 0.1
    return soles.height[slow & (soles.height < 0.05)]


def test_planted_soles_are_on_the_ground(walk, biped):
    assert np.abs(np.median(planted(walk, biped))) < 5e-3
    assert np.abs(planted(walk, biped)).max() < 0.03


def test_a_fitted_walk_stays_as_it_is(walk, biped):
    again = fit_ground(walk, biped)
    np.testing.assert_allclose(again, walk, atol=8e-3)


@pytest.mark.parametrize("slope", [0.02, -0.01])
def test_a_floor_that_slopes_is_made_flat(walk, biped, slope):
    tilted = walk.copy()
    tilted[:, 2] += slope * tilted[:, 0]
    fitted = fit_ground(tilted, biped)
    assert np.abs(fitted[5:-5, 2] - walk[5:-5, 2]).max() < 0.012


def test_a_walk_on_the_spot_travels_as_its_planted_foot_says(walk, biped):
    speed = (walk[-1, 0] - walk[0, 0]) / (len(walk) - 1)
    still = walk.copy()
    still[:, 0] -= speed * np.arange(len(walk))
    fitted = fit_ground(still, biped)
    gone = (fitted[-1, 0] - fitted[0, 0]) / (walk[-1, 0] - walk[0, 0])
    assert 0.85 < gone < 1.15


def test_lifted_feet_swing_clear_of_the_ground_and_stand_on_it(walk, biped):
    skimming = walk.copy()
    for leg in legs_of(biped):
        skimming = raised_ankles(skimming, leg, np.where(_swings(walk, biped, leg), -0.04, 0.0))
    lifted = fit_ground(skimming, biped, lifted=True)
    heights = soles_of(lifted, biped).height
    assert heights.min() > -6e-3
    least = swing_heights(skimming, biped)
    assert (least > 0.02).any()
    assert (heights - least).min() > -6e-3
    np.testing.assert_allclose(lifted[:, :2], fit_ground(skimming, biped)[:, :2], atol=1e-9)


def _swings(frames, biped, leg):
    side = 0 if leg.hip == legs_of(biped)[0].hip else 1
    return soles_of(frames, biped).height[:, side] > 0.03


@pytest.mark.parametrize("side", [0, 1])
def test_an_ankle_is_raised_by_what_is_asked_and_its_foot_keeps_its_orientation(walk, biped, side):
    rise = 0.03 * np.sin(np.arange(len(walk)))
    rise = np.minimum(rise, 0.03)
    raised = raised_ankles(walk, legs_of(biped)[side], np.abs(rise))
    moved = ankles(raised, biped) - ankles(walk, biped)
    np.testing.assert_allclose(moved[:, side, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(moved[:, side, 2], np.abs(rise), atol=1e-9)
    np.testing.assert_allclose(moved[:, 1 - side], 0.0, atol=1e-12)
    dots = (soles_of(raised, biped).turn * soles_of(walk, biped).turn).sum(axis=-1)
    np.testing.assert_allclose(np.abs(dots), 1.0, atol=1e-9)
