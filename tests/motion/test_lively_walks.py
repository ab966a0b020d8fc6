"""Lively walks: they run, jump, hop and spin; what is in the air falls as things do."""

from itertools import pairwise

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.learning.clips import DEEP, QUICK
from footfall.motion.ball_poses import hinge_chains
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.synthesis.footstep_plan import lively_style, plan_footsteps, steady_style
from footfall.motion.synthesis.random_walks import Flight, flights_of, heights_of, random_walk
from tools.made_clips import UNSEEN, lively_clips

TIMES = np.arange(0.0, 4.0, 1e-3)
LEAPS = ([Flight(1.0, 1.3)], [Flight(1.0, 1.1), Flight(1.3, 1.45), Flight(3.0, 3.4)])


@pytest.mark.parametrize("flights", LEAPS)
def test_a_leap_is_a_parabola_between_bends(flights):
    height, weight = heights_of(flights, TIMES)
    speed = np.gradient(height, TIMES)
    assert np.abs(np.diff(speed)).max() < 0.06  # no jump of its speed where feet leave and land
    bent = np.gradient(speed, TIMES)
    for flight in flights:
        inside = (flight.leaves + 0.01 < TIMES) & (flight.lands - 0.01 > TIMES)
        np.testing.assert_allclose(bent[inside], -GRAVITY, atol=1e-6)
        assert not weight[inside].any()
        assert height[inside].max() == pytest.approx(GRAVITY * (flight.lands - flight.leaves) ** 2 / 8.0, rel=0.01)
    assert (height[[0, -1]] == 0.0).all()


@pytest.mark.parametrize("flights", LEAPS)
def test_feet_give_back_what_gravity_takes(flights):
    """Over all leaps together the weight on the feet is the usual one, for the body ends as it began."""
    _, weight = heights_of(flights, TIMES)
    assert weight.min() >= 0.0
    assert weight.mean() == pytest.approx(1.0, abs=0.02)


def test_nobody_flies_while_a_foot_is_down():
    lands, leaves = np.array([0.0, 0.0, 0.5, 1.0, 1.6]), np.array([0.2, 0.6, 1.1, 1.4, np.inf])
    assert flights_of(lands, leaves) == [Flight(1.4, 1.6)]


def test_plans_have_all_that_is_lively():
    runs, jumps, hops, spins = 0, 0, 0, 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        plan = plan_footsteps(lively_style(random), 12.0, random)
        assert (np.diff(plan.lands) >= 0.0).all()
        for left in (True, False):
            mine = np.flatnonzero(plan.left == left)
            assert (plan.lands[mine[1:]] > plan.leaves[mine[:-1]]).all()
        flights = flights_of(plan.lands, plan.leaves)
        runs += any(flight.lands - flight.leaves < 0.18 for flight in flights)
        jumps += bool((np.diff(plan.lands[2:]) == 0.0).any())
        hops += bool((np.diff(plan.left.astype(int)) == 0).any())
        spins += bool((np.abs(np.diff(plan.turns)) > 1.2).any())
    assert min(runs, jumps, hops, spins) >= 2


def _longest(plan):
    """Steps in a row at one speed of a run."""
    found = longest = 0
    for before, speed in pairwise(plan.speeds):
        found = found + 1 if speed == before > 1.2 else 0
        longest = max(longest, found)
    return longest


def test_steady_runs_go_on_and_on():
    longest = []
    for style in (lively_style, steady_style):
        plans = []
        for seed in range(12):
            random = np.random.default_rng(seed)
            plans.append(plan_footsteps(style(random), 12.0, random))
        longest.append(max(map(_longest, plans)))
    assert longest[0] < 10 < 20 < longest[1]


def test_feet_are_off_the_ground_in_the_air_and_on_it_else():
    human = Figure.load("human-28")
    chains = hinge_chains(human)
    for seed in (3, 5):
        random = np.random.default_rng(seed)
        plan = plan_footsteps(lively_style(random), 8.0, random)
        frames = chains.ball_poses(random_walk(human, 8.0, seed, 50.0, lively=True).to_qpos(human))
        lowest, times = soles_of(frames, chains.skeleton).height.min(axis=1), np.arange(len(frames)) / 50.0
        aloft = np.zeros(len(frames), dtype=bool)
        for flight in flights_of(plan.lands, plan.leaves):
            middle = 0.5 * (flight.leaves + flight.lands)
            aloft |= np.abs(times - middle) < 0.25 * (flight.lands - flight.leaves)
        assert aloft.any()
        assert np.median(lowest[aloft]) > 0.01
        assert np.median(np.abs(lowest[~aloft])) < 0.01


def test_clips_that_nothing_was_trained_on_can_be_followed():
    human = Figure.load("human-28")
    chains = hinge_chains(human)
    for seed, clip in lively_clips(human, 50.0, 3).items():
        assert seed > UNSEEN
        qpos = clip.to_qpos(human)
        assert np.abs(np.diff(qpos[:, 7:], axis=0)).max() * 50.0 < QUICK
        assert soles_of(chains.ball_poses(qpos), chains.skeleton).height.min() > DEEP
