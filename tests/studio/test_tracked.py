"""A tracked character for a page: steered, pushed, sent to points; its page shows and changes it."""

import urllib.error
import urllib.request

import numpy as np
import pytest

from footfall.control.tracking.controller import load_tracking
from footfall.control.tracking.motion_graph import GraphClip, MotionGraph
from footfall.studio.tracked_page import TrackedPage
from footfall.studio.tracked_world import TrackedWorld


@pytest.fixture(scope="module")
def graph():
    """The shipped walk after a second of standing, as a clip."""
    from footfall.figures import Figure

    fragments = load_tracking("tracked-walk").repertoire.fragments
    walk = [fragments[0].frames[:1]]
    for fragment in fragments * 2:
        part = fragment.frames.copy()
        part[:, :2] += walk[-1][-1, :2] - part[0, :2]
        walk.append(part[1:])
    frames = np.concatenate(walk)
    stand = np.tile(frames[0], (30, 1))
    return MotionGraph([GraphClip("walk", np.concatenate([stand, frames]))], Figure.load("mocap-biped"))


@pytest.fixture
def world(graph):
    return TrackedWorld(graph)


def test_the_clip_is_shown_where_the_character_is(world):
    for _ in range(5):
        world.advance()
    np.testing.assert_allclose(world.clip_pose[:2], world.pose[:2])
    places, turns = world.joints(world.pose)
    np.testing.assert_allclose(places[0], world.pose[:3], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-9)


def test_a_push_acts_along_its_heading_and_only_from_then_on(graph):
    pushed, free = TrackedWorld(graph), TrackedWorld(graph)
    for _ in range(3):
        pushed.advance()
        free.advance()
    np.testing.assert_array_equal(pushed.pose, free.pose)
    pushed.push(80.0, 0.0)
    for _ in range(4):
        pushed.advance()
        free.advance()
    assert pushed.pose[0] > free.pose[0] + 1e-3


def test_points_are_walked_to_in_turn_and_a_turn_gives_them_up(world):
    world.points = [(0.1, 0.0), (3.0, 1.0)]
    world.advance()
    assert world.points == [(3.0, 1.0)]
    assert world.steering.direction > 0.1
    world.turn(30.0)
    assert world.points == []


def test_gains_are_changed_for_every_step(world):
    world.set_gains(c1_cor=0.77)
    assert {step.gains.c1_cor for step in world.graph.steps} == {0.77}
    world.advance()
    assert world.call(lambda: world.set_gains(c1_cor=float("nan")))


def test_the_page_draws_steers_and_stops(graph):
    page = TrackedPage(TrackedWorld(graph), port=0, playing=False)
    try:
        before = page.world.steering.direction
        page._pressed("Left")
        page._pushed("Rear")
        page.gains["c4"].value = 0.3
        for _ in range(100):
            if page._asked.empty() and page.world.steering.direction != before:
                break
            page._thread.join(0.05)
        assert page.world.steering.direction > before
        assert page.address.startswith("http://")
        foreign = urllib.request.Request(page.address, headers={"Origin": "http://evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign)
    finally:
        page.stop()
