"""Transitions that a policy is tried on in worlds: those that it passes are kept."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.methods.network.multilayer import Network
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.study.imitation import transitions
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import check_policy, tracker_file
from footfall.study.imitation.transitions import TransitionTrial, passed


@pytest.fixture(scope="module")
def made():
    """A character, and the transitions that may be tried."""
    policy = check_policy(load_controller(str(tracker_file())))
    one = SteeredNetwork(
        "me", policy, tuple(retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure)))
    )
    return one, transitions._candidates(one.graph)


@pytest.fixture(scope="module")
def character(made):
    """A character, of whose transitions three are tried."""
    one, _ = made
    graph = one.graph
    own = list(graph.following.items())[1]
    apart = np.where(graph.near, graph.cost, np.inf)
    apart[own[0], own[1]] = np.inf
    others = [(own[0], int(np.argmin(apart[own[0]]))), list(graph.following.items())[2]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transitions, "WORLDS", 4)
        patch.setattr(transitions, "_candidates", lambda graph: [own, *others])
        yield one, [own, *others]


@pytest.fixture(scope="module")
def tried(character):
    """The character with those that it passes, and what was said meanwhile."""
    told = []
    return passed(character[0], progress=lambda done, what: told.append((done, what))), told


def test_those_that_it_passes_are_kept(character, tried):
    one, pairs = character
    first, told = tried
    assert set(first.tried) <= set(pairs)
    assert first.tried[pairs[0]] == (2, 2)
    assert told[-1][0] == 1.0
    assert "of 3 pass" in told[-1][1]
    assert passed(one).tried == first.tried


def test_those_that_it_passed_are_tried_harder(tried):
    """From worse starts fewer pass, and none that did not before."""
    first, _ = tried
    good = {pair for pair, (up, _) in first.tried.items() if up}
    again = passed(first, TransitionTrial(1.0, 3, 0.05))
    assert {pair for pair, (up, _) in again.tried.items() if up} <= good
    assert set(again.tried.values()) <= {(3, 3), (0, 3)}
    worse = passed(first, TransitionTrial(1.0, 3, 8.0))
    assert not any(up for up, _ in worse.tried.values())


def test_a_policy_that_does_nothing_passes_none(character):
    one, pairs = character
    network = one.policy.network
    idle = Network(tuple(0.0 * w for w in network.weights), tuple(0.0 * b for b in network.biases), network.activation)
    made = passed(replace(one, policy=replace(one.policy, network=idle)))
    assert made.tried == {pair: (0, 2) for pair in pairs if one.graph.following.get(pair[0]) == pair[1]}
    assert not made.graph.near[pairs[0]]


def test_candidates_are_the_nearest_of_each_clip(made):
    one, found = made
    graph = one.graph
    assert set(graph.following.items()) <= set(found)
    assert all(graph.near[pair] for pair in found)
    clips = np.array([step.clip for step in graph.steps])
    for clip in set(clips):
        mine = [b for a, b in found if a == 0 and clips[b] == clip]
        assert len(mine) <= transitions.MOST_PER_CLIP
