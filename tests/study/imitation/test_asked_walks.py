"""Characters whose law takes a speed and a heading, steered."""

import itertools
import json
import math

import pytest

from footfall.control.registry import load_controller
from footfall.learning.clips import FASTEST_ORDER, SLOWEST_ORDER, random_orders
from footfall.study.imitation.asked_walks import asked_at_random, is_asked
from tests.cli.commands import said


def test_only_laws_that_take_a_heading_are_asked() -> None:
    assert is_asked(load_controller("human"))
    assert is_asked(load_controller("walk-3d"))
    assert not is_asked(load_controller("walk"))
    assert not is_asked(load_controller("steered-walk"))


def test_orders_last_long_enough_and_are_within_their_limits() -> None:
    orders = random_orders(3, 60.0, FASTEST_ORDER)
    assert orders == random_orders(3, 60.0, FASTEST_ORDER) != random_orders(4, 60.0, FASTEST_ORDER)
    assert sum(seconds for seconds, _, _ in orders) >= 60.0
    assert orders[0][1] == 0.0
    assert all(3.0 <= seconds <= 8.0 for seconds, _, _ in orders)
    assert all(speed == 0.0 or SLOWEST_ORDER <= speed <= FASTEST_ORDER for _, _, speed in orders)
    turns = [abs(b[1] - a[1]) for a, b in itertools.pairwise(orders)]
    assert max(turns) <= math.radians(150.0)


@pytest.mark.slow
def test_a_person_goes_where_it_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    walked = json.loads(said(capsys, "steer", "human", "--sequence", "2:0:0 6:60:1.2", "--json"))
    assert not walked["fell"]
    assert walked["heading_error_deg"] < 15.0
    assert 3.0 < walked["distance_m"] < 7.5


@pytest.mark.slow
def test_a_pose_control_graph_in_space_turns_where_it_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    """It is asked for a heading alone."""
    walked = json.loads(said(capsys, "steer", "walk-3d", "--sequence", "3:0 4:10", "--json"))
    assert not walked["fell"]
    assert walked["heading_error_deg"] < 15.0
    found = json.loads(said(capsys, "steer", "walk-3d", "--minutes", "1", "--json"))
    assert not {"speed_error", "speed_within"} & set(found)


@pytest.mark.slow
def test_random_steering_is_measured() -> None:
    found = asked_at_random(load_controller("human"), 3, seconds=12.0, fastest=1.5)
    assert (found.up, found.minutes, found.fell) == (3, 3, ())
    assert found.heading_error < 15.0
    assert found.speed_error < 0.15
