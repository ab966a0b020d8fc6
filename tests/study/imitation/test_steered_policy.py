"""A policy that is steered: how well it obeys, and what the command refuses."""

import math

import numpy as np
import pytest

from footfall.study.imitation.network_follower import tracker_file
from footfall.study.imitation.steering import distances, obeyed
from tests.cli.commands import refused


def test_errors_are_those_of_the_motion():
    """A body that slides at 0.8 m/s and faces 10 degrees off, under one order to walk at 1 m/s along x and one to
    stand."""
    times = np.arange(181) / 30.0
    poses = np.zeros((181, 7))
    poses[:, 0] = 0.8 * times
    poses[:, 3], poses[:, 6] = math.cos(math.radians(5.0)), math.sin(math.radians(5.0))
    orders = [(0.0, 1.0)] * 120 + [(2.0, 0.0)] * 61
    heading, speed = obeyed(poses, orders)
    assert heading == pytest.approx(10.0, abs=1e-6)
    assert speed == pytest.approx(0.2, abs=1e-6)
    assert math.isnan(obeyed(poses, [(0.0, 0.0)] * 181)[0])


def test_distances_are_to_the_nearest_part_of_the_path():
    places = np.array([[1.0, 0.5], [2.5, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(distances([[2.0, 0.0], [2.0, 2.0]], places), [0.5, 0.5, 1.0])


def test_what_is_refused(capsys):
    assert "networks that follow clips" in refused(capsys, "steer", "--minutes", "3")
    assert "--live opens the studio" in refused(capsys, "steer", "--policy", "t.toml", "--live", "--sequence", "3:0")
    policy = ("steer", "--policy", str(tracker_file()), "--sequence", "3:0")
    assert "leave --figure" in refused(capsys, *policy, "--figure", "human-28")
    assert "give a path" in refused(capsys, "steer", "--policy", "t.toml")
    words = ("steer", "--policy", "t.toml", "--minutes", "2", "--sequence", "3:0")
    assert "--minutes measures" in refused(capsys, *words)
    assert "give 1 to 10000" in refused(capsys, "steer", "human", "--minutes", "0")
