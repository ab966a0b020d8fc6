"""Arrays of an environment as other libraries hold them, without a copy where they share memory (DLPack)."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import warp as wp

from footfall.errors import FootfallError


def as_array(array: Any, library: str) -> Any:
    """A copy of a Warp array on its own device, as a library's array; NumPy's are on the CPU."""
    if library == "numpy":
        return np.array(array.numpy())
    copy = wp.clone(array)
    return copy if library == "warp" else _converter(library)(copy)


def _converter(library: str) -> Callable[[Any], Any]:
    converters: dict[str, Callable[[Any], Any]] = {"torch": wp.to_torch, "jax": wp.to_jax}
    return converters[library]


def check_library(library: str) -> None:
    """Refuse a library that is not installed."""
    try:
        import_module(library)
    except ImportError:
        raise FootfallError(f"arrays is '{library}', which is not installed; choose 'numpy' or 'warp'") from None


def fill_actions(target: Any, actions: Any, shape: tuple[int, ...]) -> None:
    """Copy actions [N, A] into a Warp array: from NumPy or lists, or on the device from what speaks DLPack (torch, jax,
    Warp, CuPy)."""
    given = actions
    if isinstance(actions, wp.array):
        pass
    elif hasattr(actions, "__dlpack__") and not isinstance(actions, np.ndarray):
        given = wp.from_dlpack(actions.detach() if hasattr(actions, "detach") else actions)
    if isinstance(given, wp.array):
        if tuple(given.shape) != shape:
            raise _wrong_shape(tuple(given.shape), shape)
        if given.dtype != wp.float32:
            raise FootfallError(f"actions are of type {given.dtype.__name__}; on a device give float32")
        wp.copy(target, given)
        return
    given = np.asarray(given, dtype=np.float32)
    if given.shape != shape:
        raise _wrong_shape(given.shape, shape)
    if not np.isfinite(given).all():
        world = int(np.argmin(np.isfinite(given).all(axis=1)))
        raise FootfallError(f"actions are not finite in world {world}; give numbers from -1 to 1")
    target.assign(np.ascontiguousarray(given))


def _wrong_shape(given: tuple[int, ...], shape: tuple[int, ...]) -> FootfallError:
    return FootfallError(f"actions have shape {given}; give {shape}: a row for each world, a column for each number")
