"""Periodic motions as text: one line for each coordinate, in TOML."""

import math
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.synthesis.periodic import PeriodicMotion
from footfall.text_files import parse_toml
from footfall.writing import write_whole

__all__ = ["load_periodic", "save_periodic"]

_FORMAT = "footfall periodic motion 1"
_LARGEST = 1 << 22


def save_periodic(cycle: PeriodicMotion, path: str | Path) -> Path:
    """Save a periodic motion as a .toml file that a person can read and change."""
    path = Path(path)
    lines = [
        f'format = "{_FORMAT}"',
        f"name = {_quoted(cycle.name)}",
        f"figure = {_quoted(cycle.figure)}",
        f"anchor = {_quoted(cycle.anchor)}  # its largest value is at phase 0.25",
        f"period = {cycle.period:.9g}  # seconds",
        f"speed = {cycle.speed:.9g}  # metres a second",
        f"cycles = {cycle.cycles:.4g}  # averaged",
        "",
        "# coordinate = [[harmonic k, a, b], …] with value = sum of a cos(2 pi k phase) + b sin(2 pi k phase)",
        "[series]",
    ]
    for name, rows in cycle.series.items():
        terms = ", ".join(f"[{int(k)}, {a:.9g}, {b:.9g}]" for k, a, b in rows)
        lines.append(f"{_quoted(name)} = [{terms}]")
    lines += ["", "# root mean square left by the harmonics above", "[error]"]
    lines += [f"{_quoted(name)} = {value:.4g}" for name, value in cycle.error.items()]
    write_whole(path, ("\n".join(lines) + "\n").encode())
    return path


def _quoted(text: str) -> str:
    kept = "".join(c for c in text if c.isprintable()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{kept}"'


def load_periodic(path: str | Path) -> PeriodicMotion:
    """Load a periodic motion."""
    path = Path(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise FootfallError(f"{path}: too large for a periodic motion")
        content = parse_toml(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise FootfallError(f"{path}: cannot be read ({' '.join(str(error).split())[:100]})") from error
    if content.get("format") != _FORMAT:
        raise FootfallError(f'{path}: not a periodic motion (it must say format = "{_FORMAT}")')
    try:
        series = {str(k): np.array(v, dtype=float).reshape(-1, 3) for k, v in content["series"].items()}
        period, speed = float(content["period"]), float(content["speed"])
        cycle = PeriodicMotion(
            str(content["name"]),
            str(content["figure"]),
            period,
            speed,
            str(content["anchor"]),
            series,
            {str(k): float(v) for k, v in content.get("error", {}).items()},
            float(content.get("cycles", 1.0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FootfallError(f"{path}: {type(error).__name__} in it: {' '.join(str(error).split())[:80]}") from error
    numbers_fine = all(np.isfinite(rows).all() and (rows[:, 0] >= 0).all() for rows in series.values())
    if not (math.isfinite(period) and period > 0 and math.isfinite(speed) and numbers_fine):
        raise FootfallError(f"{path}: period must be above 0 and all numbers finite")
    return cycle
