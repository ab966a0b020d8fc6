"""Numbers of the papers, and conditions under which rows are measured, in files that a person can read."""

import tomllib
from importlib.resources import files
from typing import Any

__all__ = ["read_table"]


def read_table(paper: str, name: str = "tables") -> dict[str, Any]:
    """``NAME.toml`` in a paper's folder."""
    place = files("footfall_reproductions").joinpath(paper, f"{name}.toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))
