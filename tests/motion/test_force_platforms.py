"""Force platforms of C3D files: one foot's push, written in every way that laboratories write it; jumping markers."""

import numpy as np
import pytest

from footfall.motion.formats.c3d import C3DParameters, plate_signals
from footfall.motion.markers import fill_gaps, find_jumps, without_jumps

CORNERS = np.array([[[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]]], dtype=float)
"""Its x is the world's, its y points the other way, its z into the ground."""


def platform(kind: int, table: np.ndarray, origin: tuple[float, float, float] = (0.0, 0.0, 0.0)):
    numbers = {
        ("FORCE_PLATFORM", "USED"): np.array(1.0),
        ("FORCE_PLATFORM", "TYPE"): np.array([float(kind)]),
        ("FORCE_PLATFORM", "CORNERS"): CORNERS,
        ("FORCE_PLATFORM", "ORIGIN"): np.array([origin]),
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(1.0, table.shape[1] + 1)[None],
    }
    (plate,) = plate_signals(table, C3DParameters({}, numbers), 1.0, 100.0)
    return plate


def pushed(place=(0.1, 0.2), force=(10.0, 20.0, -800.0), depth=0.04) -> np.ndarray:
    """[S, 6] force and moment about sensors ``depth`` below the surface, in the platform's axes (z down), while a foot
    pushes there in the second half."""
    arm = np.array([*place, -depth])
    row = np.concatenate([force, np.cross(arm, force)])
    return np.concatenate([np.zeros((100, 6)), np.tile(row, (100, 1))])


def centre(plate) -> np.ndarray:
    force, moment = plate.force[-1], plate.moment[-1]
    return plate.centre[:2] + np.array([-moment[1], moment[0]]) / force[2]


def test_both_signs_of_the_origin_are_one_platform():
    """Sensors are below the surface, whether the file says where they are from it, or it from them."""
    table = pushed()
    for origin in ((0.0, 0.0, 0.04), (0.0, 0.0, -0.04)):
        plate = platform(2, table, origin)
        assert plate.force[-1] == pytest.approx([10.0, -20.0, 800.0])
        assert centre(plate) == pytest.approx([0.5 + 0.1, 0.5 - 0.2])


def test_a_platform_that_writes_its_centre_of_pressure():
    force = np.array([10.0, 20.0, -800.0])
    row = [*force, 100.0, 200.0, 3.0]  # millimetres
    plate = platform(1, np.concatenate([np.zeros((100, 6)), np.tile(row, (100, 1))]))
    assert plate.force[-1] == pytest.approx([10.0, -20.0, 800.0])
    assert centre(plate) == pytest.approx([0.6, 0.3])
    about = np.cross([0.1, -0.2, 0.0], plate.force[-1])
    assert plate.moment[-1, 2] - about[2] == pytest.approx(-3.0)


def test_an_empty_platform_shows_nothing():
    drift = np.array([1.0, -2.0, 17.0, 0.5, 0.2, -0.1])
    noise = np.random.default_rng(1).normal(0.0, 0.5, (200, 6))
    plate = platform(2, pushed() + drift + noise, (0.0, 0.0, 0.04))
    assert np.abs(plate.force[:100].mean(axis=0)).max() < 0.2
    assert plate.force[100:].mean(axis=0) == pytest.approx([10.0, -20.0, 800.0], abs=0.3)
    stood = platform(2, pushed()[100:] + drift)  # never empty: nothing is known to take off
    assert stood.force[-1, 2] == pytest.approx(783.0)


def test_a_marker_that_jumps_is_smoothed_over_and_a_heel_that_strikes_is_not():
    times = np.arange(0, 2, 0.004)
    true = np.stack([1.2 * times, 0.03 * np.sin(6 * times), 1.0 + 0.02 * np.cos(12 * times)], axis=-1)
    seen = true.copy()
    seen[200:208, 0] += np.linspace(0.002, 0.016, 8)  # drifts off and snaps back
    assert set(find_jumps(seen, times)) == {207, 208}
    mended = fill_gaps(without_jumps(seen, times), times)
    assert np.abs(mended - true).max() < 0.002
    assert not len(find_jumps(true, times))
    heel = np.where(times < 1.0, -1.0 * (times - 1.0), 0.0)  # stops from 1 m/s within a frame: 4 mm off its course
    assert not len(find_jumps(np.stack([heel, 0 * heel, 0 * heel], axis=-1), times))
