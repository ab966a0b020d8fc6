"""The array library that learning computes with: NumPy on a CPU, torch on a GPU. Both hold the worlds' own memory.

What both have under one name (``exp``, ``where``, ``clip`` …) is used through :attr:`Arrays.xp`.
"""

import json
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError


class Arrays(ABC):
    """What learning needs of an array library beyond the names that all have.

    Attributes:
        xp: the library's module.
        initial: from which first weights are drawn.
    """

    xp: Any
    initial: np.random.Generator

    @abstractmethod
    def shared(self, array: Any) -> Any:
        """A Warp array as one of the library's, without a copy."""

    @abstractmethod
    def of(self, numbers: ArrayLike) -> Any:
        """A copy of numbers, in single precision where they are not whole."""

    @abstractmethod
    def numpy(self, array: Any) -> NDArray[Any]:
        """An array of the library as NumPy's."""

    @abstractmethod
    def zeros(self, *shape: int) -> Any:
        """Zeros in single precision."""

    @abstractmethod
    def normal(self, shape: tuple[int, ...]) -> Any:
        """Normally distributed numbers."""

    @abstractmethod
    def minibatches(self, count: int, parts: int) -> list[Any]:
        """Indices of ``count`` rows in random order, in so many parts."""

    @abstractmethod
    def tally(self, places: Any, size: int, amounts: Any = None) -> Any:
        """[size] how often each place is among places [N], or the sums of amounts [N] by place."""

    @property
    @abstractmethod
    def random_state(self) -> str:
        """Where the random numbers are, as text."""

    @abstractmethod
    def go_on(self, state: str) -> None:
        """Continue random numbers from a :attr:`random_state`."""

    def single(self, array: Any) -> Any:
        """An array in single precision."""
        return self.xp.asarray(array, dtype=self.xp.float32)

    def double(self, array: Any) -> Any:
        """An array in double precision."""
        return self.xp.asarray(array, dtype=self.xp.float64)

    def working(self) -> AbstractContextManager[Any]:
        """While it is entered, the library works in step with the worlds' kernels."""
        return nullcontext()


class NumpyArrays(Arrays):
    """NumPy, on the CPU."""

    xp = np

    def __init__(self, seed: int = 0) -> None:
        self.initial = self.random = np.random.default_rng(seed)

    def shared(self, array: Any) -> Any:
        return array.numpy()

    def of(self, numbers: ArrayLike) -> Any:
        return np.array(numbers, dtype=None if np.asarray(numbers).dtype.kind == "i" else np.float32)

    def numpy(self, array: Any) -> NDArray[Any]:
        return np.asarray(array)

    def zeros(self, *shape: int) -> Any:
        return np.zeros(shape, dtype=np.float32)

    def normal(self, shape: tuple[int, ...]) -> Any:
        return self.random.standard_normal(shape, dtype=np.float32)

    def minibatches(self, count: int, parts: int) -> list[Any]:
        return np.array_split(self.random.permutation(count), parts)

    def tally(self, places: Any, size: int, amounts: Any = None) -> Any:
        return np.bincount(places, amounts, minlength=size)

    @property
    def random_state(self) -> str:
        return json.dumps(self.random.bit_generator.state)

    def go_on(self, state: str) -> None:
        self.random.bit_generator.state = json.loads(state)


class TorchArrays(Arrays):
    """Torch, on the device of some worlds.

    Args:
        device: Warp's.
        seed: of what is drawn.
    """

    def __init__(self, device: Any, seed: int = 0) -> None:
        try:
            import torch
        except ModuleNotFoundError:
            raise FootfallError("learning on a GPU needs torch: pip install 'footfall[learn]'") from None
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
    return NumpyArrays(seed) if numpy else TorchArrays(device, seed)
