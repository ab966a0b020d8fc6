"""Periodic motions as text: one line for each coordinate, in TOML."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.synthesis.periodic import PeriodicMotion
from footfall.text_files import parse_toml, read_text, write_whole
from footfall.toml_files import Schema, key_text, read_table, value_text

FORMAT = "footfall periodic motion 1"
SCHEMA = Schema(largest=1e12)
MOST_BYTES = 1 << 22


@dataclass(frozen=True)
class _PeriodicFile:
    format: Literal["footfall periodic motion 1"]
    name: str
    figure: str
    anchor: str
    period: float
    speed: float
    series: Mapping[str, tuple[tuple[float, float, float], ...]]
    cycles: float = 1.0
    error: Mapping[str, float] = field(default_factory=dict)


def save_periodic(cycle: PeriodicMotion, path: str | Path) -> Path:
    """Save a periodic motion as a .toml file that a person can read and change."""
    path = Path(path)
    name, figure, anchor = (value_text(_printable(text)) for text in (cycle.name, cycle.figure, cycle.anchor))
    lines = [
        f"format = {value_text(FORMAT)}",
        f"name = {name}",
        f"figure = {figure}",
        f"anchor = {anchor}  # its largest value is at phase 0.25",
        f"period = {cycle.period:.9g}  # seconds",
        f"speed = {cycle.speed:.9g}  # metres a second",
        f"cycles = {cycle.cycles:.4g}  # averaged",
        "",
        "# coordinate = [[harmonic k, a, b], …] with value = sum of a cos(2 pi k phase) + b sin(2 pi k phase)",
        "[series]",
    ]
    for name, rows in cycle.series.items():
        terms = ", ".join(f"[{int(k)}, {a:.9g}, {b:.9g}]" for k, a, b in rows)
        lines.append(f"{key_text(_printable(name))} = [{terms}]")
    lines += ["", "# root mean square left by the harmonics above", "[error]"]
    lines += [f"{key_text(_printable(name))} = {value:.4g}" for name, value in cycle.error.items()]
    write_whole(path, ("\n".join(lines) + "\n").encode())
    return path


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())


def load_periodic(path: str | Path) -> PeriodicMotion:
    """Load a periodic motion."""
    path = Path(path)
    content = parse_toml(read_text(path, "periodic motion", MOST_BYTES), str(path))
    if content.get("format") != FORMAT:
        raise FootfallError(f'{path}: not a periodic motion (it must say format = "{FORMAT}")')
    file = read_table(content, _PeriodicFile, str(path), SCHEMA)
    series = {name: np.array(rows, dtype=float).reshape(-1, 3) for name, rows in file.series.items()}
    if not (file.period > 0 and all((rows[:, 0] >= 0).all() for rows in series.values())):
        raise FootfallError(f"{path}: period must be above 0, and the harmonics at least 0")
    return PeriodicMotion(
        file.name, file.figure, file.period, file.speed, file.anchor, series, dict(file.error), file.cycles
    )
