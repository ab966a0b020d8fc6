"""Angles of hinges in series: exact where they can be, smooth everywhere, within limits."""

import numpy as np
import pytest

from footfall.motion.quaternion import conjugate, log, multiply
from footfall.motion.skeleton.hinges import FAST, hinge_angles
from tests.motion.walks import turn_of

X, Y, Z = np.eye(3)
FPS = 60.0


def smooth_angles(count, size, seconds=10.0, seed=0):
    rng = np.random.default_rng(seed)
    times = np.arange(int(seconds * FPS)) / FPS
    waves = (
        rng.normal(size=count) * np.sin(2 * np.pi * (f * times[:, None] + rng.uniform(size=count)))
        for f in (0.2, 0.5, 0.9)
    )
    return size * sum(waves)


def turned_by(first, second):
    return np.linalg.norm(log(multiply(conjugate(first), second)), axis=-1)


@pytest.mark.parametrize("axes", [(X, -Y, Z), (X, Z, X), (Z, Y, X), (Y, X), (X, -Y), (Y,)], ids=str)
def test_angles_come_back(axes):
    angles = smooth_angles(len(axes), 0.4)
    axes = np.array(axes)
    found = hinge_angles(axes, turn_of(axes, angles), frame_time=1 / FPS)
    assert turned_by(turn_of(axes, found), turn_of(axes, angles)).max() < 1e-9
    if len(axes) < 3 or abs(axes[0] @ axes[2]) < 0.5:
        assert np.abs(found - angles).max() < 1e-9


def test_angles_pass_a_right_angle_without_a_jump():
    """A thigh that is lifted beyond level: the middle hinge goes past 90°, where the angles have two solutions."""
    times = np.arange(0, 4, 1 / FPS)
    angles = np.stack(
        [0.2 * np.sin(2 * times), 1.1 + 0.9 * np.sin(2 * np.pi * times), 0.1 * np.cos(3 * times)], axis=-1
    )
    axes = np.array([X, Y, Z])
    found = hinge_angles(axes, turn_of(axes, angles), frame_time=1 / FPS)
    assert np.abs(np.diff(found, axis=0)).max() * FPS < 2 * FAST
    assert np.median(turned_by(turn_of(axes, found), turn_of(axes, angles))) < 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_no_turn_makes_hinges_race(seed):
    """Turns that no person makes, straight through gimbal lock: servos could follow, and the pose stays near."""
    rng = np.random.default_rng(seed)
    angles = smooth_angles(3, 0.7, seed=seed)
    wanted = turn_of(np.array([Z, X, Z]), angles + rng.uniform(-3, 3, 3))
    speed = turned_by(wanted[:-1], wanted[1:]).max() * FPS
    axes = np.array([X, Y, Z])
    found = hinge_angles(axes, wanted, frame_time=1 / FPS)
    assert np.abs(np.diff(found, axis=0)).max() * FPS < max(40.0, speed)
    off = np.rad2deg(turned_by(turn_of(axes, found), wanted))
    assert np.median(off) < 1.0
    assert np.percentile(off, 90) < 15.0


def test_limits_are_kept_and_the_others_make_up_for_it():
    angles = smooth_angles(3, 0.5)
    axes = np.array([X, Y, Z])
    low, high = np.array([-0.2, -2.0, -2.0]), np.array([0.2, 2.0, 2.0])
    wanted = turn_of(axes, angles)
    found = hinge_angles(axes, wanted, low=low, high=high, frame_time=1 / FPS)
    assert (found >= low - 1e-12).all()
    assert (found <= high + 1e-12).all()
    limited = turn_of(axes, np.clip(angles, low, high))
    assert turned_by(turn_of(axes, found), wanted).mean() <= turned_by(limited, wanted).mean() + 1e-9


def test_a_weighted_direction_comes_first():
    angles = smooth_angles(3, 0.5)
    wanted = turn_of(np.array([X, Y, Z]), angles)
    axes = np.array([X, Y])
    found = hinge_angles(axes, wanted, own=np.eye(3), weights=(0.001, 0.001, 1.0), frame_time=1 / FPS)
    way = [np.array(q) for q in (turn_of(axes, found), wanted)]
    from footfall.motion.quaternion import rotate

    off = np.arccos(np.clip(np.sum(rotate(way[0], Z) * rotate(way[1], Z), axis=-1), -1, 1))
    assert np.rad2deg(off).max() < 1.0
