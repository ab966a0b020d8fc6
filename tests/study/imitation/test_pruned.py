"""What a network's character falls after is left out."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.study.imitation import random_steering as pruning
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import check_policy, tracker_file
from footfall.study.imitation.random_steering import pruned


@pytest.fixture(scope="module")
def character():
    policy = check_policy(load_controller(str(tracker_file())))
    return SteeredNetwork(
        "me", policy, tuple(retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure)))
    )


@pytest.mark.slow
def test_what_falls_are_blamed_on_is_left_out(character, monkeypatch):
    """A network that does nothing falls after its first steps, whatever they are; one that walks loses nothing."""
    for name, value in {"ROUNDS": 2, "WALKS": 2, "SECONDS": 6.0, "CLEAN": 1}.items():
        monkeypatch.setattr(pruning, name, value)
    silent = replace(
        character.policy.network, weights=tuple(np.zeros_like(w) for w in character.policy.network.weights)
    )
    silenced, falls = pruned(replace(character, policy=replace(character.policy, network=silent)))
    assert falls.rounds == ((0, 2), (0, 2))
    assert falls.left_out > 0
    before = int(character.graph.near.sum())
    assert int(silenced.graph.near.sum()) < before
    walker, walks = pruned(character)
    assert walks.rounds == ((2, 2),)
    assert walks.left_out == 0
    assert int(walker.graph.near.sum()) == before
