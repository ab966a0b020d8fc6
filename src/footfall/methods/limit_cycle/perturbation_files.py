"""Perturbation files: one readable TOML text a perturbation, and the library of built-in ones.

name = "hip-pitch"
unit = "degrees"            of the angles, or "radians" (the default)
[[states]]
stance_hip_pitch = 1.0
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from footfall.errors import unknown_name
from footfall.methods.limit_cycle.perturbation import HOLD, Perturbation
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import Schema, print_table, read_table
from footfall.writing import write_whole

SCHEMA = Schema(largest=1e6)
"""Radians, degrees or seconds."""
_UNITS = {"degrees": math.pi / 180.0, "radians": 1.0}


@dataclass(frozen=True)
class _PerturbationFile:
    name: str
    states: tuple[Mapping[str, float], ...]
    about: str = ""
    unit: Literal["degrees", "radians"] = "radians"


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
    return parse_perturbation(read_text(path, "perturbation file"), str(path))


def parse_perturbation(text: str, where: str = "perturbation text") -> Perturbation:
    """A perturbation from the text of its file; errors name ``where`` and the place in it."""
    file = read_table(parse_toml(text, where), _PerturbationFile, where, SCHEMA)
    unit = _UNITS[file.unit]
    states = ({name: value * (1.0 if name == HOLD else unit) for name, value in own.items()} for own in file.states)
    return Perturbation(file.name, tuple(states), file.about)


def print_perturbation(perturbation: Perturbation) -> str:
    """The text of a perturbation's file; angles in radians, which keep every digit."""
    return print_table(_PerturbationFile(perturbation.name, perturbation.states, perturbation.about), SCHEMA)


def save_perturbation(perturbation: Perturbation, path: str | Path) -> None:
    """Write a perturbation file, whole or not at all."""
    write_whole(Path(path), print_perturbation(perturbation).encode())
