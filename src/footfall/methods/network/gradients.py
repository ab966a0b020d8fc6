"""A network's layers while they learn, in NumPy: answers, gradients, and Adam's steps (Kingma and Ba 2015).

All weights and biases lie in one array, so that a step is a handful of operations.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.methods.network.multilayer import Network

FIRST, SECOND, LEAST = 0.9, 0.999, 1e-5
"""Adam's decay rates, and what it adds to a divisor."""

Array = NDArray[np.float32]


class Layers:
    """Layers that learn.

    Attributes:
        values: all weights and biases. slopes: their gradients, of the last :meth:`descend`.
        weights, biases: of each layer, views of ``values``.
        activation: between layers.
    """

    def __init__(self, network: Network) -> None:
        shapes = [part.shape for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        self.activation = network.activation
        self.values = np.concatenate(
            [part.ravel() for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        ).astype(np.float32)
        self.slopes = np.zeros_like(self.values)
        parts, slopes = _views(self.values, shapes), _views(self.slopes, shapes)
        self.weights, self.biases = parts[::2], parts[1::2]
        self._slopes = list(zip(slopes[::2], slopes[1::2], strict=True))
        self._kept: list[Array] = []

    @classmethod
    def fresh(cls, sizes: Sequence[int], activation: str, random: np.random.Generator) -> "Layers":
        """New layers, with random weights whose answers are as large as their inputs; the last layer's are small."""
        weights = [random.normal(0.0, np.sqrt(2.0 / n), (m, n)) for n, m in pairwise(sizes)]
        weights[-1] *= 0.1
        return cls(Network.of(weights, [np.zeros(m) for m in sizes[1:]], activation))

    def __call__(self, inputs: Array) -> Array:
        """[N, out] answers to inputs [N, in]; what :meth:`descend` needs is kept."""
        self._kept = [inputs]
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = self._kept[-1] @ weight.T
            h += bias
            if k + 1 < len(self.weights):
                _activate(h, self.activation)
            self._kept.append(h)
        return self._kept[-1]

    def descend(self, slope: Array) -> None:
        """Fill :attr:`slopes`, from the gradient [N, out] by the last answers."""
        for k in reversed(range(len(self.weights))):
            into, bias = self._slopes[k]
            np.matmul(slope.T, self._kept[k], out=into)
            slope.sum(axis=0, out=bias)
            if k:
                slope = slope @ self.weights[k]
                slope *= _steepness(self._kept[k], self.activation)

    def network(self) -> Network:
        """As a value."""
        return Network.of(self.weights, self.biases, self.activation)


class Adam:
    """Steps down gradients.

    Args:
        size: how many values. rate: of learning; it may be changed at any time.
    """

    def __init__(self, size: int, rate: float) -> None:
        self.rate, self.count = rate, 0
        self._mean, self._square = np.zeros((2, size), dtype=np.float32)

    def step(self, values: Array, slopes: Array, longest: float) -> None:
        """Move values against their gradient, which is shortened to a length."""
        slopes = slopes * np.float32(min(1.0, longest / (float(np.sqrt(slopes @ slopes)) + 1e-6)))
        self.count += 1
        self._mean += np.float32(1.0 - FIRST) * (slopes - self._mean)
        self._square += np.float32(1.0 - SECOND) * (slopes * slopes - self._square)
        scale = self.rate * np.sqrt(1.0 - SECOND**self.count) / (1.0 - FIRST**self.count)
        values -= np.float32(scale) * self._mean / (np.sqrt(self._square) + np.float32(LEAST))


def _views(whole: Array, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(whole, ends[:-1]), shapes, strict=True)]


def _activate(h: Array, activation: str) -> None:
    """In place."""
    if activation == "tanh":
        np.tanh(h, out=h)
    elif activation == "relu":
        np.maximum(h, 0.0, out=h)
    else:
        below = np.minimum(h, 0.0)  # exp is much faster than expm1, and exact enough here
        np.exp(below, out=below)
        below -= 1.0
        np.maximum(h, 0.0, out=h)
        h += below


def _steepness(answer: Array, activation: str) -> Array:
    """The activation's derivative, from its answer."""
    if activation == "tanh":
        return np.float32(1.0) - answer * answer
    if activation == "relu":
        return (answer > 0.0).astype(np.float32)
    return np.minimum(answer, np.float32(0.0)) + np.float32(1.0)
