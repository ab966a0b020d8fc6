"""Policies that practise clips in torch, as on a GPU."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="NO GYMNASIUM: practice in torch was not tested")
pytest.importorskip("torch", reason="NO TORCH: practice in torch was not tested")

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.learning import practice_torch
from footfall.learning.practice_torch import TorchPractice
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.imitate import check_policy, tracker_file
from footfall.study.imitation.practised import tracker_options


def test_a_policy_begins_as_it_is_and_then_changes(monkeypatch):
    """Once the critic has settled; and to the ground ahead, which is level in practice, it answers as before."""
    monkeypatch.setattr(practice_torch, "SETTLING", 1)
    policy = check_policy(load_controller(str(tracker_file())))
    options = tracker_options(policy, random_walk(Figure.load(policy.figure), 3.0, 5007))
    practice = TorchPractice(policy.network, replace(options, threads=1), worlds=32)
    rows = practice._ppo._observed.numpy().copy()
    assert np.allclose(practice.network()(rows), policy.network(rows), atol=2e-3)
    practice.iterate()
    assert np.allclose(practice.network()(rows), policy.network(rows), atol=2e-3)
    practice.iterate()
    assert 1e-4 < np.abs(practice.network()(rows) - policy.network(rows)).mean() < 0.1
    assert (practice.iteration, practice.decisions) == (2, 2 * 32 * 16)
    names = [name for block in policy.observations for name in block.names]
    ground = [k for k, name in enumerate(names) if name.startswith("ground_")]
    assert np.array_equal(practice.network().weights[0][:, ground], policy.network.weights[0][:, ground])
    practice.close()
