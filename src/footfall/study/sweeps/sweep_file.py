"""A sweep's result as a NetCDF file, written chunk by chunk: memory does not grow with the number of worlds."""

from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.clusters.chunk_folder import Results
from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import OUTCOMES
from footfall.writing import write_whole

if TYPE_CHECKING:
    import xarray

IN_MEMORY = 1 << 24
"""Worlds up to which a loaded result is in memory; a larger one is read as it is used."""


def save_sweep(frame: "xarray.Dataset", dims: tuple[str, ...], parts: Iterable[Results], path: Path) -> None:
    """Write a result, whole or not at all.

    Args:
        frame: its coordinates and attributes, without outcomes.
        dims: the outcomes' axes, in the order of the worlds. parts: the chunks' outcomes, in order.
    """

    def write(file: Path) -> None:
        frame.to_netcdf(file, engine="h5netcdf")
        _append(file, dims, tuple(frame.sizes[name] for name in dims), parts)

    write_whole(path, write)


def load_sweep(path: str | Path) -> "xarray.Dataset":
    """A saved result."""
    import xarray

    try:
        data = xarray.open_dataset(path, engine="h5netcdf")
        if prod(data.sizes.values()) <= IN_MEMORY:
            with data:
                data = data.load()
    except (OSError, ValueError) as error:
        raise FootfallError(f"{path}: not a sweep that can be read: {error}") from error
    if "design" not in data.attrs:
        raise FootfallError(f"{path}: a NetCDF file, but not one that a footfall sweep wrote")
    return data


def _append(file: Path, dims: tuple[str, ...], shape: tuple[int, ...], parts: Iterable[Results]) -> None:
    import h5netcdf

    first = 0
    with h5netcdf.File(file, "a") as store:
        for part in parts:
            last = first + len(part["survived"])
            for name in OUTCOMES:
                values = part[name]
                if name not in store.variables:
                    if name == "push_time" and np.isnan(values).all():
                        continue  # nobody was pushed, so far
                    _create(store, name, dims, values.dtype)
                variable = store.variables[name]
                for place, at in slabs(shape, first, last):
                    spans = [n.stop - n.start for n in place if isinstance(n, slice)]
                    variable[place] = values[at].reshape(*spans, *shape[len(place) :])
            first = last


def _create(store: Any, name: str, dims: tuple[str, ...], dtype: "np.dtype[Any]") -> None:
    """A variable as xarray writes it."""
    unit, what = OUTCOMES[name]
    logical = dtype == np.bool_
    fill = {"fillvalue": np.nan} if dtype.kind == "f" else {}
    variable = store.create_variable(name, dims, np.int8 if logical else dtype, **fill)
    variable.attrs.update({"units": unit, "long_name": what} | ({"dtype": "bool"} if logical else {}))


def slabs(shape: tuple[int, ...], first: int, last: int) -> Iterator[tuple[tuple[slice | int, ...], slice]]:
    """Rectangles of an array [shape] that cover its elements ``first`` to ``last``, counted row by row, each with the
    stretch of those elements that it holds."""
    if first >= last:
        return
    if len(shape) <= 1:
        yield (tuple(slice(first, last) for _ in shape), slice(0, last - first))
        return
    row = prod(shape[1:])
    begin = first
    while begin < last:
        k, within = divmod(begin, row)
        if within == 0 and last - begin >= row:
            rows = (last - begin) // row
            end = begin + rows * row
            yield (slice(k, k + rows),), slice(begin - first, end - first)
        else:
            end = min(last, (k + 1) * row)
            for place, at in slabs(shape[1:], within, within + end - begin):
                yield (k, *place), slice(begin - first + at.start, begin - first + at.stop)
        begin = end
