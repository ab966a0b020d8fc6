"""What a network's character falls after is left out."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.progress import silent
from footfall.study.imitation import characters
from footfall.study.imitation.characters import NetworkWalker
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import check_policy, tracker_file
from footfall.study.imitation.random_steering import all_stops, pruned_graph


@pytest.fixture(scope="module")
def character():
    policy = check_policy(load_controller(str(tracker_file())))
    return SteeredNetwork(
        "me", policy, tuple(retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure)))
    )


def _pruned(character):
    """The character without what it falls after in two rounds, and what was left out."""
    walker = NetworkWalker(character.policy)

    def walk(graph, number):
        return walker.walk(walker.on(character, graph), number, silent)

    near = {(int(a), int(b)): (1, 1) for a, b in np.argwhere(character.graph.near)}
    listed = character.graph.keeping(near, all_stops(character.graph))
    found = pruned_graph(listed, walk, rounds=2)
    return walker.on(character, found.graph), found


@pytest.mark.slow
def test_what_falls_are_blamed_on_is_left_out(character, monkeypatch):
    """A network that does nothing falls after its first steps, whatever they are; one that walks loses nothing."""
    for name, value in {"WALKS": 2, "SECONDS": 6.0}.items():
        monkeypatch.setattr(characters, name, value)
    idle = replace(character.policy.network, weights=tuple(np.zeros_like(w) for w in character.policy.network.weights))
    fallen, falls = _pruned(replace(character, policy=replace(character.policy, network=idle)))
    assert falls.rounds == ((0, 2), (0, 2))
    assert falls.left_out > 0
    before = int(character.graph.near.sum())
    assert int(fallen.graph.near.sum()) < before
    walker, walks = _pruned(character)
    assert walks.rounds == ((2, 2),)
    assert walks.left_out == 0
    assert int(walker.graph.near.sum()) == before
