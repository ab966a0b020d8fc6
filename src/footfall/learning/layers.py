"""What learning computes with: the array library at hand, a network's layers while they learn, and Adam's steps (Kingma
and Ba 2015).

NumPy on a CPU and torch on a GPU both hold the worlds' own memory. What both have under one name (``exp``, ``where``,
``clip`` …) is used through :attr:`Arrays.xp`. All weights and biases lie in one array, so that a step is a handful of
operations.
"""

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.methods.network.multilayer import Network
from footfall.plugins import optional_module


class Arrays:
    """What learning needs of an array library beyond the names that all have: NumPy, on the CPU.

    Args:
        seed: of what is drawn.

    Attributes:
        initial: from which first weights are drawn.
    """

    xp: Any = np
    """The library's module."""
    initial: np.random.Generator
    random: Any

    def __init__(self, seed: int = 0) -> None:
        self.initial = self.random = np.random.default_rng(seed)

    def shared(self, array: Any) -> Any:
        """A Warp array as one of the library's, without a copy."""
        return array.numpy()

    def of(self, numbers: ArrayLike) -> Any:
        """A copy of numbers, in single precision where they are not whole."""
        return np.array(numbers, dtype=None if np.asarray(numbers).dtype.kind == "i" else np.float32)

    def numpy(self, array: Any) -> NDArray[Any]:
        """An array of the library as NumPy's."""
        return np.asarray(array)

    def zeros(self, *shape: int) -> Any:
        """Zeros in single precision."""
        return np.zeros(shape, dtype=np.float32)

    def normal(self, shape: tuple[int, ...]) -> Any:
        """Normally distributed numbers."""
        return self.random.standard_normal(shape, dtype=np.float32)

    def minibatches(self, count: int, parts: int) -> list[Any]:
        """Indices of ``count`` rows in random order, in so many parts."""
        return np.array_split(self.random.permutation(count), parts)

    def tally(self, places: Any, size: int, amounts: Any = None) -> Any:
        """[size] how often each place is among places [N], or the sums of amounts [N] by place."""
        return np.bincount(places, amounts, minlength=size)

    @property
    def random_state(self) -> str:
        """Where the random numbers are, as text."""
        return json.dumps(self.random.bit_generator.state)

    def go_on(self, state: str) -> None:
        """Continue random numbers from a :attr:`random_state`."""
        self.random.bit_generator.state = json.loads(state)

    def single(self, array: Any) -> Any:
        """An array in single precision."""
        return self.xp.asarray(array, dtype=self.xp.float32)

    def double(self, array: Any) -> Any:
        """An array in double precision."""
        return self.xp.asarray(array, dtype=self.xp.float64)

    def working(self) -> AbstractContextManager[Any]:
        """While it is entered, the library works in step with the worlds' kernels."""
        return nullcontext()


class TorchArrays(Arrays):
    """Torch, on the device of some worlds.

    Args:
        device: Warp's.
        seed: of what is drawn.
    """

    def __init__(self, device: Any, seed: int = 0) -> None:
        torch = optional_module("torch", "learning on a GPU needs torch: pip install 'footfall[learn]'")
        self.xp, self._warp = torch, device
        self.device = torch.device("cpu" if device.is_cpu else f"cuda:{device.ordinal}")
        self.random = torch.Generator(self.device).manual_seed(seed)
        self.initial = np.random.default_rng(seed)

    def shared(self, array: Any) -> Any:
        return wp.to_torch(array)

    def of(self, numbers: ArrayLike) -> Any:
        whole = np.asarray(numbers).dtype.kind == "i"
        return self.xp.tensor(np.asarray(numbers), dtype=None if whole else self.xp.float32, device=self.device)

    def numpy(self, array: Any) -> NDArray[Any]:
        found: NDArray[Any] = array.detach().cpu().numpy()
        return found

    def zeros(self, *shape: int) -> Any:
        return self.xp.zeros(shape, device=self.device)

    def normal(self, shape: tuple[int, ...]) -> Any:
        return self.xp.randn(shape, generator=self.random, device=self.device)

    def minibatches(self, count: int, parts: int) -> list[Any]:
        order = self.xp.randperm(count, generator=self.random, device=self.device)
        return list(order.tensor_split(parts))

    def tally(self, places: Any, size: int, amounts: Any = None) -> Any:
        amounts = self.xp.ones_like(places) if amounts is None else amounts
        return self.double(self.zeros(size)).index_add_(0, places, self.double(amounts))

    @property
    def random_state(self) -> str:
        return bytes(self.random.get_state().tolist()).hex()

    def go_on(self, state: str) -> None:
        self.random.set_state(self.xp.tensor(list(bytes.fromhex(state)), dtype=self.xp.uint8))

    def working(self) -> AbstractContextManager[Any]:
        """On the stream of the worlds' kernels, so that neither waits for the other on the CPU."""
        if self._warp.is_cpu:
            return nullcontext()
        stream: AbstractContextManager[Any] = self.xp.cuda.stream(wp.stream_to_torch(self._warp))
        return stream


def arrays_of(device: Any, seed: int = 0, library: str | None = None) -> Arrays:
    """The library at hand for worlds on a device: NumPy on a CPU, torch on a GPU, or the one that is asked for."""
    numpy = device.is_cpu if library is None else library == "numpy"
    return Arrays(seed) if numpy else TorchArrays(device, seed)


BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-5
"""Adam's decay rates, and what it adds to a divisor."""


class Layers:
    """Layers that learn.

    Args:
        network: what they are at first.
        arrays: the library; by default NumPy.
        extra: how many numbers beside weights and biases learn too.

    Attributes:
        values: all weights, biases and extra numbers.
        gradients: their gradients, of the last :meth:`backward`.
        weights, biases: of each layer, views of ``values``.
        extra, extra_gradients: views of the extra numbers and their gradients.
        activation: between layers.
    """

    def __init__(self, network: Network, arrays: Arrays | None = None, extra: int = 0) -> None:
        self.arrays, self.activation = arrays or Arrays(), network.activation
        parts = [part for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        shapes = [part.shape for part in parts]
        self.values = self.arrays.of(np.concatenate([*(part.ravel() for part in parts), np.zeros(extra, np.float32)]))
        self.gradients = self.arrays.zeros(len(self.values))
        views, gradients = _views(self.values, shapes), _views(self.gradients, shapes)
        self.weights, self.biases = views[::2], views[1::2]
        self._gradients = list(zip(gradients[::2], gradients[1::2], strict=True))
        first = len(self.values) - extra
        self.extra, self.extra_gradients = self.values[first:], self.gradients[first:]
        self._kept: list[Any] = []

    def __call__(self, inputs: Any) -> Any:
        """[N, out] answers to inputs [N, in]; what :meth:`backward` needs is kept."""
        self._kept = [inputs]
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = self._kept[-1] @ weight.T
            h += bias
            if k + 1 < len(self.weights):
                _activate(self.arrays.xp, h, self.activation)
            self._kept.append(h)
        return self._kept[-1]

    def backward(self, slope: Any) -> None:
        """Fill :attr:`gradients`, from the gradient [N, out] by the last answers."""
        xp = self.arrays.xp
        for k in reversed(range(len(self.weights))):
            into, bias = self._gradients[k]
            xp.matmul(slope.T, self._kept[k], out=into)
            xp.sum(slope, 0, out=bias)
            if k:
                slope = slope @ self.weights[k]
                slope *= _derivative(xp, self._kept[k], self.activation)

    def network(self) -> Network:
        """As a value."""
        weights, biases = ([self.arrays.numpy(part) for part in parts] for parts in (self.weights, self.biases))
        return Network.of(weights, biases, self.activation)


def fresh_network(sizes: Sequence[int], activation: str, random: np.random.Generator, last: float) -> Network:
    """A network with random weights whose answers are as large as their inputs; those of its last layer are ``last``
    times as large."""
    weights = [random.normal(0.0, np.sqrt(2.0 / n), (m, n)) for n, m in pairwise(sizes)]
    weights[-1] *= last
    return Network.of(weights, [np.zeros(m) for m in sizes[1:]], activation)


class Adam:
    """Steps down gradients.

    Args:
        layers: whose numbers learn.
        rate: of learning; it may be changed at any time.

    Attributes:
        count: steps so far.
        mean, square: running means of the gradient and of its square.
    """

    def __init__(self, layers: Layers, rate: float) -> None:
        self.layers, self.rate, self.count = layers, rate, 0
        self.mean, self.square = (layers.arrays.zeros(len(layers.values)) for _ in range(2))

    def step(self, max_grad_norm: float) -> None:
        """Move the layers' numbers against their gradient, which is shortened to a length."""
        arrays, gradients = self.layers.arrays, self.layers.gradients
        norm = arrays.double(arrays.xp.sqrt(gradients @ gradients))
        gradients = gradients * arrays.single(arrays.xp.clip(max_grad_norm / (norm + 1e-6), None, 1.0))
        self.count += 1
        self.mean += (1.0 - BETA_1) * (gradients - self.mean)
        self.square += (1.0 - BETA_2) * (gradients * gradients - self.square)
        scale = self.rate * float(np.sqrt(1.0 - BETA_2**self.count)) / (1.0 - BETA_1**self.count)
        values = self.layers.values
        values -= scale * self.mean / (arrays.xp.sqrt(self.square) + EPSILON)


def _views(whole: Any, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    return [whole[first:end].reshape(shape) for (first, end), shape in zip(pairwise(ends), shapes, strict=True)]


def _activate(xp: Any, h: Any, activation: str) -> None:
    """In place."""
    if activation == "tanh":
        xp.tanh(h, out=h)
        return
    if activation == "elu":
        below = xp.clip(h, None, 0.0)  # exp is much faster than expm1, and exact enough here
        xp.exp(below, out=below)
        below -= 1.0
    xp.clip(h, 0.0, None, out=h)
    if activation == "elu":
        h += below


def _derivative(xp: Any, answer: Any, activation: str) -> Any:
    """The activation's derivative, from its answer."""
    if activation == "tanh":
        return 1.0 - answer * answer
    if activation == "relu":
        return answer > 0.0
    return xp.clip(answer, None, 0.0) + 1.0
