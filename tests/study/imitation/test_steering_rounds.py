"""Transitions that are blamed for falls."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.study.imitation.random_steering import BLAMED, Blame


@pytest.fixture(scope="module")
def graph():
    return load_controller("steered-walk").graph


def test_what_often_went_well_is_not_left_out_for_one_fall():
    blame = Blame()
    for _ in range(30):
        blame.count([0, 1, 2], up=True)
    blame.count([0, 1, 2, 3], up=False)
    assert blame.left_out() == {("transition", (2, 3))}
    assert blame.made["transition", (0, 1)] == 31


def test_only_the_last_transitions_before_a_fall_are_blamed():
    blame = Blame()
    blame.count(list(range(BLAMED + 3)), up=False)
    assert blame.left_out() == {("transition", (k + 2, k + 3)) for k in range(BLAMED)}


def test_stops_and_starts_after_them_are_told_apart():
    blame = Blame()
    blame.count([4, 5, -1], up=False)
    assert ("stop", (5, -1)) in blame.left_out()
    other = Blame()
    other.count([-1, 4, 5, -1, 7], up=False)
    assert ("stop", (5, 7)) in other.left_out()
    assert ("stop", (-1, 4)) not in other.made


def test_a_step_that_follows_in_its_clip_can_be_left_out_too(graph):
    a, b = next(iter(graph.following.items()))
    far = next(int(k) for k in np.argsort(graph.cost[a]) if int(k) != b)
    start = graph.keeping({(a, far): (3, 3)}, None)
    assert np.flatnonzero(np.isfinite(start.cost[a])).tolist() == sorted((b, far))
    blame = Blame()
    blame.count([a, b], up=False)
    assert np.flatnonzero(np.isfinite(blame.without(start).cost[a])).tolist() == [far]
    blame.count([a, far], up=False)
    assert not np.isfinite(blame.without(start).cost[a]).any()
