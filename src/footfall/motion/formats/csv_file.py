"""Motions as .csv: one row a frame, for spreadsheets and scripts; the description stands in the first line."""

import csv
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.record import describe, read_description, rebuild
from footfall.motion.motion import Motion

_LARGEST = 1 << 28
_LARGEST_LINE = 1 << 24


def write_csv(motion: Motion, path: Path) -> None:
    """Save a motion as a table.

    The first line is ``#`` and a JSON description, the second the column names: ``time``, ``root.x`` …, ``JOINT.qw``
    …, then channels (``qpos.NAME``). Numbers are printed so that they read back unchanged.
    """
    names, blocks = ["time"], [motion.times[:, None]]
    names += [f"root.{axis}" for axis in "xyz"]
    blocks.append(motion.root_position)
    names += [f"{joint}.q{axis}" for joint in motion.skeleton.names for axis in "wxyz"]
    blocks.append(motion.rotations.reshape(len(motion), -1))
    for name, value in motion.channels.items():
        flat = value.reshape(len(motion), -1)
        labels = motion.labels.get(name, ())
        own = labels if len(labels) == flat.shape[1] else range(flat.shape[1])
        names += [name] if value.ndim == 1 else [f"{name}.{label}" for label in own]
        blocks.append(flat)
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {describe(motion)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        columns = [column for block in blocks for column in block.T.tolist()]
        writer.writerows([_text(value) for value in row] for row in zip(*columns))


def _text(value: float | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def read_csv(path: Path) -> Motion:
    """Load a motion saved by ``write_csv``."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FootfallError(f"{path}: too large for a table (at most {_LARGEST >> 20} MB); .npz holds more")
        with path.open(encoding="utf-8", newline="") as file:
            first = file.readline(_LARGEST_LINE)
            if not first.startswith("# {"):
                raise FootfallError(
                    f"{path}, line 1: not a footfall motion (it must begin with '# {{' and a description)"
                )
            described = read_description(first[2:], str(path))
            header = next(csv.reader([file.readline(_LARGEST_LINE)]), [])
            table = _rows(file.read(), len(header), path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FootfallError(f"{path}: not readable as text ({error})") from error
    try:
        J = len(described["names"])
        frames = {
            "times": table[:, 0],
            "root_position": table[:, 1:4],
            "rotations": table[:, 4 : 4 + 4 * J].reshape(len(table), J, 4),
        }
        at = 4 + 4 * J
        for name, (dtype, shape) in described["channels"].items():
            width = int(np.prod(shape, dtype=int))
            block = table[:, at : at + width].reshape(len(table), *shape)
            frames[name] = block.astype(np.dtype(dtype))
            at += width
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FootfallError(f"{path}: columns do not fit the description in line 1") from error
    if at != len(header):
        raise FootfallError(f"{path}, line 2: {len(header)} columns, but the description names {at}")
    return rebuild(described, frames, str(path))


def _rows(text: str, width: int, path: Path) -> np.ndarray:
    lines = text.splitlines()
    if not lines or width < 8:
        raise FootfallError(f"{path}: it has no frames")
    table = np.empty((len(lines), width))
    for number, line in enumerate(lines):
        cells = line.split(",")
        if len(cells) != width:
            raise FootfallError(f"{path}, line {number + 3}: {len(cells)} values, but there are {width} columns")
        try:
            table[number] = [float(cell) for cell in cells]
        except ValueError as error:
            raise FootfallError(f"{path}, line {number + 3}: {error}") from error
    return table
