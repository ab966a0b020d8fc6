"""A clip imitated by any law: the better one is kept."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.characters import imitate_by_any_law
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import Imitation, check_policy, imitate_by_policy, tracker_file
from footfall.study.imitation.practised import worth


@pytest.fixture(scope="module")
def policy():
    return check_policy(load_controller(str(tracker_file())))


@pytest.fixture(scope="module")
def clip(policy):
    return random_walk(Figure.load(policy.figure), 4.0, 5002)


def test_the_better_character_stays_up_from_more_starts_for_longer(policy, clip):
    made = imitate_by_policy(clip, policy, pushes=False)
    fallen = replace(made, following=replace(made.following, fell=True))
    sooner = replace(fallen, following=replace(fallen.following, time=1.0))
    fewer = Imitation(made.controller, None, made.following, made.up - 1, made.tried, {})
    assert worth(made) > worth(fewer) > worth(fallen) > worth(sooner)


def test_a_network_that_stays_up_needs_no_search(policy, clip):
    done = imitate_by_any_law(clip, policy, practice=0, pushes=False)
    assert (done.law, done.tried) == ("learned", ("network",))


@pytest.mark.slow
def test_where_the_network_falls_gains_are_searched(policy, clip):
    """A network that says nothing falls; known sets of gains do better."""
    mute = replace(
        policy, network=replace(policy.network, weights=tuple(np.zeros_like(w) for w in policy.network.weights))
    )
    done = imitate_by_any_law(clip, mute, practice=0, pushes=False, search=GainSearch(generations=0))
    assert (done.law, done.tried) == ("tracking", ("network", "search"))
    assert not done.made.following.fell
    assert "fell after" in done.why


@pytest.mark.slow
def test_a_loop_is_searched_first(policy, clip):
    """What walks without end comes before what walks for a minute."""
    done = imitate_by_any_law(clip, policy, loop=True, practice=0, pushes=False, search=GainSearch(generations=0))
    assert done.tried[0] == "search"
    assert done.made.following.seconds == pytest.approx(60.0, abs=2.0)
