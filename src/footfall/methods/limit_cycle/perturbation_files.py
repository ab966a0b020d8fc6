"""Perturbation files: one readable TOML text a perturbation, and the library of built-in ones.

name = "hip-pitch"
unit = "degrees"            of the angles, or "radians" (the default)
[[states]]
stance_hip_pitch = 1.0
"""

import math
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.methods.limit_cycle.perturbation import HOLD, Perturbation
from footfall.text_files import parse_toml
from footfall.writing import write_whole

__all__ = [
    "load_perturbation",
    "parse_perturbation",
    "perturbation_names",
    "print_perturbation",
    "save_perturbation",
]

_KEYS = ("name", "about", "unit", "states")
LARGEST = 1e6
"""Radians, degrees or seconds."""
_UNITS = {"degrees": math.pi / 180.0, "radians": 1.0}


def _folder() -> Any:
    return resources.files("footfall.methods.limit_cycle") / "perturbations"


@cache
def perturbation_names() -> tuple[str, ...]:
    """Names of the built-in perturbations."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml")))


def load_perturbation(source: str | Path | Perturbation) -> Perturbation:
    """A perturbation by built-in name or from a ``.toml`` file (a perturbation passes through)."""
    if isinstance(source, Perturbation):
        return source
    name = str(source)
    if name in perturbation_names():
        text = (_folder() / f"{name}.toml").read_text(encoding="utf-8")
        return parse_perturbation(text, f"perturbation '{name}'")
    path = Path(source)
    if path.suffix != ".toml":
        raise unknown_name("perturbation", name, perturbation_names())
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FootfallError(f"perturbation file {path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FootfallError(f"perturbation file {path} cannot be read: {error}") from error
    return parse_perturbation(text, str(path))


def parse_perturbation(text: str, where: str = "perturbation text") -> Perturbation:
    """A perturbation from the text of its file; errors name ``where`` and the place in it."""
    data = parse_toml(text, where)
    for key in data:
        if key not in _KEYS:
            raise FootfallError(f"{where}: {unknown_name('key', key, _KEYS)}")
    for key in ("name", "states"):
        if key not in data:
            raise FootfallError(f"{where}: '{key}' is missing")
    unit = data.get("unit", "radians")
    if unit not in _UNITS:
        raise FootfallError(f"{where}: unit is {unit!r}; choose 'degrees' or 'radians'")
    if not isinstance(data["states"], list) or not all(isinstance(s, dict) for s in data["states"]):
        raise FootfallError(f"{where}: states must be written as [[states]] tables")
    states = tuple(_state(s, _UNITS[unit], f"{where}, state {i}") for i, s in enumerate(data["states"]))
    return Perturbation(str(data["name"]), states, str(data.get("about", "")))


def _state(data: Mapping[str, Any], unit: float, where: str) -> dict[str, float]:
    state = {}
    for name, value in data.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise FootfallError(f"{where}: {name} is {value!r:.40}; it must be a finite number")
        state[name] = float(value) * (1.0 if name == HOLD else unit)
    return state


def print_perturbation(perturbation: Perturbation) -> str:
    """The text of a perturbation's file; angles in radians, which keep every digit."""
    lines = [f'name = "{perturbation.name}"']
    if perturbation.about:
        about = perturbation.about.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'about = "{about}"')
    for state in perturbation.states:
        lines += ["", "[[states]]", *(f"{name} = {value!r}" for name, value in state.items())]
    return "\n".join(lines) + "\n"


def save_perturbation(perturbation: Perturbation, path: str | Path) -> None:
    """Write a perturbation file, whole or not at all."""
    write_whole(Path(path), print_perturbation(perturbation).encode())
