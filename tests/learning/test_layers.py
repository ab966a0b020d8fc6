"""Networks that learn: gradients are those of finite differences, and steps lead down."""

from itertools import pairwise

import numpy as np
import pytest

from footfall.learning.layers import Adam, Layers, fresh_network
from footfall.methods.network.multilayer import ACTIVATIONS, Network


def random_network(activation: str, seed: int = 0) -> Network:
    random = np.random.default_rng(seed)
    sizes = (5, 7, 6, 3)
    weights = [random.normal(size=(m, n)) / np.sqrt(n) for n, m in pairwise(sizes)]
    return Network.of(weights, [random.normal(size=m) for m in sizes[1:]], activation)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_answers_are_the_networks(activation: str) -> None:
    network, rows = random_network(activation), np.random.default_rng(1).normal(size=(20, 5)).astype(np.float32)
    layers = Layers(network)
    assert np.allclose(layers(rows), network(rows), atol=1e-5)
    assert np.allclose(layers.network()(rows), network(rows), atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_slopes_are_finite_differences(activation: str) -> None:
    random = np.random.default_rng(2)
    rows, pull = random.normal(size=(11, 5)).astype(np.float32), random.normal(size=(11, 3)).astype(np.float32)
    layers = Layers(random_network(activation))
    layers(rows)
    layers.backward(pull)
    found, step = layers.gradients.copy(), 1e-3
    for k in random.choice(layers.values.size, 40, replace=False):
        kept, sums = layers.values[k], []
        for side in (step, -step):
            layers.values[k] = kept + np.float32(side)
            sums.append(float((layers.network()(rows) * pull).sum()))
        layers.values[k] = kept
        assert found[k] == pytest.approx((sums[0] - sums[1]) / (2.0 * step), rel=0.02, abs=0.02)


def test_steps_lead_down_and_are_no_longer_than_they_may_be() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(256, 4)).astype(np.float32)
    wanted = np.sin(rows[:, :1] + rows[:, 1:2])
    layers = Layers(fresh_network((4, 32, 32, 1), "elu", random, 0.1))
    down = Adam(layers, 3e-3)
    errors = []
    for _ in range(300):
        off = layers(rows) - wanted
        errors.append(float((off * off).mean()))
        layers.backward(np.float32(2.0 / len(rows)) * off)
        down.step(1.0)
    assert errors[-1] < 0.05 * errors[0]
    before = layers.values.copy()
    layers.gradients[:] = 1e6
    Adam(layers, 1e-3).step(1.0)
    assert np.abs(layers.values - before).max() <= 1e-3 + 1e-6
