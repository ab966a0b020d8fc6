"""Policies that practise clips, without a learning library."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.ppo import PRACTICE, practising
from footfall.methods.network.deciding import Block
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation import network_follower
from footfall.study.imitation.network_follower import (
    AIMS,
    NetworkFollower,
    _judged,
    _pushed_over,
    check_policy,
    practise,
    tracker_file,
    tracker_options,
    with_clip,
)

SMALL = replace(PRACTICE, worlds=8, horizon=8, settling=1, batches=2)


@pytest.fixture(autouse=True)
def _few_starts(monkeypatch):
    """A judge of three disturbed starts, two of them for those alone that withstand the first."""
    monkeypatch.setattr(network_follower, "STARTS", 1)
    monkeypatch.setattr(network_follower, "MORE", 2)


@pytest.fixture(scope="module")
def policy():
    return check_policy(load_controller(str(tracker_file())))


@pytest.fixture(scope="module")
def clip(policy):
    return random_walk(Figure.load(policy.figure), 3.0, 5007)


@pytest.fixture(scope="module")
def short(policy):
    return random_walk(Figure.load(policy.figure), 0.7, 5001)


@pytest.fixture(scope="module")
def options(policy, clip):
    return replace(tracker_options(policy, clip), threads=1)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_policy_begins_as_it_is_and_then_changes(policy, options, library):
    """Once the critic has settled; and to the ground ahead, which is level in practice, it answers as before."""
    if library == "torch":
        pytest.importorskip("torch", reason="NO TORCH: practice in torch was not tested")
    practice = practising(policy.network, options, 0, SMALL, library)
    rows = practice.arrays.numpy(practice.worlds.observed())
    assert np.allclose(practice.network()(rows), policy.network(rows), atol=2e-3)
    practice.iterate()  # the critic settles
    assert np.allclose(practice.network()(rows), policy.network(rows), atol=2e-3)
    practice.iterate()
    assert np.abs(practice.network()(rows) - policy.network(rows)).mean() > 0.0
    assert (practice.iteration, practice.decisions) == (2, 2 * 8 * 8)
    names = [name for block in policy.observations for name in block.names]
    ground = [k for k, name in enumerate(names) if name.startswith("ground_")]
    assert np.array_equal(practice.network().weights[0][:, ground], policy.network.weights[0][:, ground])
    practice.close()


def test_the_same_seed_practises_the_same(policy, options):
    found = []
    for _ in range(2):
        practice = practising(policy.network, options, 3, SMALL)
        for _ in range(2):
            practice.iterate()
        found.append(practice.network().weights[0])
        practice.close()
    assert np.array_equal(*found)


def test_a_policy_that_learns_at_next_to_no_rate_stays_as_it_is(policy, options):
    practice = practising(
        policy.network, options, 0, replace(SMALL, learning_rate=1e-30, learning_rates=(1e-30, 1e-30))
    )
    rows = practice.arrays.numpy(practice.worlds.observed())
    before = practice.network()(rows)
    for _ in range(3):
        practice.iterate()
    assert np.array_equal(practice.network()(rows), before)
    practice.close()


def test_without_decisions_only_keenness_is_tried(policy, short):
    made = practise(with_clip(policy, short, "walk"), decisions=0)
    assert made.decisions == 0
    assert made.best.gain in (1.0, 1.5, 2.0)


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_a_judge_pushes(policy, clip):
    """No push throws nothing over, a gentle one neither, one of four body weights everything; a short clip is not
    pushed."""
    assert _pushed_over(with_clip(policy, clip, "walk"), (3000.0,)) == 0.0
    walk = with_clip(policy, random_walk(Figure.load(policy.figure), 6.5, 5003), "walk")
    assert [_pushed_over(walk, forces) for forces in ((), (5.0,), (3000.0,))] == [0.0, 0.0, 1.0]
    assert _pushed_over(walk, (5.0, 3000.0)) == 0.5


def test_a_judgement_is_a_number_whatever_happens(policy, clip, short):
    """Of a network that stays up, of one that falls, and of one that is on its way down when the clip ends."""
    silent = replace(policy.network, weights=tuple(np.zeros_like(w) for w in policy.network.weights))
    judged = [
        _judged(with_clip(policy, motion, "walk"), network, AIMS["course"], 7)
        for motion, network in ((clip, policy.network), (clip, silent), (short, silent))
    ]
    assert np.isfinite([one.cost for one in judged]).all()
    assert judged[0].cost < judged[1].cost
    assert [one.falls for one in judged[:2]] == [False, True]


def test_what_cannot_be_practised_is_refused_in_words(policy, clip):
    with pytest.raises(FootfallError, match="has no clip to practise"):
        practise(policy)
    with pytest.raises(FootfallError, match="unknown aim of practice 'brisk': choose one of: course, faithful, sturdy"):
        NetworkFollower(policy, aim="brisk")
    with pytest.raises(FootfallError, match="practice is -1; give decisions, 0 for none"):
        NetworkFollower(policy, practice=-1)
    names = tuple(name for block in policy.observations for name in block.names)
    other = replace(policy, observations=(Block(names[::-1]),))
    with pytest.raises(FootfallError, match="observes other numbers than"):
        tracker_options(other, clip)


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_practice_makes_better(policy, clip):
    """A policy whose targets are shifted, all the time, learns to shift them back."""
    last = policy.network.biases[-1]
    shifted = last + np.random.default_rng(0).normal(0.0, 0.4, len(last)).astype(np.float32)
    network = replace(policy.network, biases=(*policy.network.biases[:-1], shifted))
    before = with_clip(replace(policy, network=network), clip, "walk")
    after = practise(before, decisions=200_000)
    costs = [_judged(one, one.network, AIMS["course"], 7).cost for one in (before, after.controller)]
    assert costs[1] < 0.8 * costs[0]
