"""Where worlds run: devices, scalar types, arrays on a device, and rows of tables handed out to worlds there."""

import os
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from footfall.errors import FootfallError
from footfall.kernels.start import start_warp


@wp.kernel
def take_rows(source: wp.array2d[Any], which: wp.array[wp.int32], target: wp.array2d[Any]):
    """target[w] = source[which[w]], for every world w and column."""
    w, column = wp.tid()
    target[w, column] = source[which[w], column]


def device_of(name: str) -> Any:
    """A Warp device: "cpu", "cuda" or "cuda:N"."""
    start_warp()
    if name == "cpu":
        return wp.get_device("cpu")
    if name.split(":")[0] != "cuda":
        raise FootfallError(f"device is '{name}'; choose 'cpu' or 'cuda'")
    if not wp.is_cuda_available():
        raise FootfallError(f"device '{name}': no CUDA device was found here; use 'cpu'")
    try:
        return wp.get_device(name)
    except Exception as error:
        raise FootfallError(f"device '{name}': {error}") from error


def real_of(precision: str | None, device: Any) -> Any:
    """The scalar type: given, or float64 on the CPU and float32 on a GPU."""
    kinds = {"float32": wp.float32, "float64": wp.float64}
    if precision is None:
        return wp.float64 if device.is_cpu else wp.float32
    if precision not in kinds:
        raise FootfallError(f"precision is '{precision}'; choose 'float32' or 'float64'")
    return kinds[precision]


def memory_of(device: Any) -> int:
    """Bytes of memory of a device; where it is not known, more than there are."""
    if not device.is_cpu:
        return int(device.total_memory)
    if not hasattr(os, "sysconf"):
        return 1 << 40
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def to_device(values: ArrayLike, dtype: Any, device: Any) -> Any:
    """An array on a device."""
    return wp.array(np.ascontiguousarray(values), dtype=dtype, device=device)


def rows_to_device(rows: ArrayLike, real: Any, device: Any, which: ArrayLike | None = None) -> Any:
    """A table [1 or N, columns]; on a GPU neighbouring worlds' numbers lie side by side, as neighbouring threads
    read them. With ``which`` [N], world w takes row ``which[w]``: only the distinct rows travel to the device."""
    table = np.atleast_2d(np.asarray(rows, dtype=float))
    if which is not None:
        source, chosen = to_device(table, real, device), to_device(np.asarray(which), wp.int32, device)
        target = wp.empty((table.shape[1], len(chosen)), dtype=real, device=device).transpose((1, 0))
        wp.launch(take_rows, dim=target.shape, inputs=[source, chosen], outputs=[target], device=device)
        return target if not device.is_cpu else target.contiguous()
    if device.is_cpu or len(table) == 1:
        return to_device(table, real, device)
    return to_device(table.T, real, device).transpose((1, 0))
