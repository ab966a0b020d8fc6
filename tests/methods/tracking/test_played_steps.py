"""Walks that are played on a motion graph without physics: smooth, on planted feet, where they are sent."""

import math

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.methods.tracking.motion_graph import Choosing
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.motion.ball_poses import ankles
from footfall.motion.quaternion import wrapped_angle
from tests.methods.tracking.conftest import chosen_by

FPS = 30.0


@pytest.fixture(scope="module")
def graph():
    return chosen_by(load_controller("steered-walk").graph, Choosing(0.06, blends=False, plans=True, near=0.12))


def played(graph, *orders: tuple[float, float, float]) -> PlayedSteps:
    """A walk of (seconds, degrees, speed)."""
    walk = PlayedSteps(graph)
    for seconds, degrees, speed in orders:
        walk.direct(math.radians(degrees), speed)
        until = walk.time + seconds
        while walk.time < until - 1e-9:
            walk.advance()
    return walk


@pytest.fixture(scope="module")
def walk(graph):
    return played(graph, (6.0, 0.0, 0.8), (8.0, 100.0, 0.6), (6.0, 40.0, 0.9))


def test_it_goes_where_it_is_sent(graph):
    for degrees in (70.0, -120.0):
        walk = played(graph, (3.0, 0.0, 0.8), (9.0, degrees, 0.8))
        assert abs(wrapped_angle(walk.facing - math.radians(degrees))) < 0.25
    fast, slow = (played(graph, (8.0, 0.0, speed)).place[0] for speed in (0.9, 0.4))
    assert fast > slow + 1.0


def test_frames_and_orders_go_by_time(walk):
    assert walk.time == pytest.approx(20.0, abs=0.1)
    assert len(walk.orders) == len(walk.frames) == round(walk.time * FPS) + 1
    assert walk.orders[0] == (0.0, 1.0)
    assert walk.orders[-1] == (pytest.approx(math.radians(40.0)), 0.9)
    assert len(walk.walked) > 20


def test_seams_are_smooth(walk, graph):
    """No frame moves the pelvis or an ankle more than the steps themselves do; quaternions are units."""
    norms = np.linalg.norm(walk.frames[:, 3:].reshape(len(walk.frames), -1, 4), axis=-1)
    np.testing.assert_allclose(norms, 1.0, atol=1e-9)

    def quickest(frames):
        return max(
            np.linalg.norm(np.diff(frames[:, :3], axis=0), axis=-1).max(),
            np.linalg.norm(np.diff(ankles(frames, graph.skeleton), axis=0), axis=-1).max(),
        )

    own = max(quickest(clip.frames) for clip in graph.clips)
    assert quickest(walk.frames) < 1.3 * own


def test_planted_feet_stay(walk, graph):
    """The lower ankle slides no faster than in the clips."""

    def slides(frames):
        feet = ankles(frames, graph.skeleton)
        speed = np.linalg.norm(np.diff(feet[..., :2], axis=0), axis=-1) * FPS
        return speed.min(axis=1)

    own = np.concatenate([slides(clip.frames) for clip in graph.clips])
    assert np.percentile(slides(walk.frames), 90) < 1.3 * np.percentile(own, 90) + 0.02
