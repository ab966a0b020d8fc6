"""A clip imitated by any law: the better one is kept."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.followers import EitherFollower, TrackingFollower
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.network_follower import NetworkFollower, check_policy, tracker_file


@pytest.fixture(scope="module")
def policy():
    return check_policy(load_controller(str(tracker_file())))


@pytest.fixture(scope="module")
def clip(policy):
    return random_walk(Figure.load(policy.figure), 4.0, 5002)


@pytest.fixture(scope="module")
def short(policy):
    return random_walk(Figure.load(policy.figure), 2.0, 5002)


def either(policy):
    """A network without practice, or known sets of gains."""
    return EitherFollower(NetworkFollower(policy, practice=0), TrackingFollower(search=GainSearch(generations=0)))


def test_the_better_character_stays_up_from_more_starts_for_longer(policy, short):
    made = NetworkFollower(policy, practice=0).imitate(short, pushes=False)
    fallen = replace(made, following=replace(made.following, fell=True))
    sooner = replace(fallen, following=replace(fallen.following, time=1.0))
    fewer = replace(made, up=made.up - 1)
    assert made.worth > fewer.worth > fallen.worth > sooner.worth


def test_a_network_that_stays_up_needs_no_search(policy, short):
    done = either(policy).imitate(short, pushes=False)
    assert (done.law, done.steps) == ("learned", ("network",))


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_where_the_network_falls_gains_are_searched(policy, clip):
    """A network that says nothing falls; known sets of gains do better."""
    mute = replace(
        policy, network=replace(policy.network, weights=tuple(np.zeros_like(w) for w in policy.network.weights))
    )
    done = either(mute).imitate(clip, pushes=False)
    assert (done.law, done.steps) == ("tracking", ("network", "search"))
    assert not done.following.fell
    assert "fell after" in done.why


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_a_loop_has_the_body_of_following_once(policy, clip):
    """A minute of the network's, which then stands."""
    done = either(policy).imitate(clip, loop=True, pushes=False)
    assert (done.law, done.steps, done.controller.figure) == ("learned", ("network",), policy.figure)
    assert done.following.seconds == pytest.approx(60.0, abs=2.0)
    assert done.controller.clip_frames.rest > 0
