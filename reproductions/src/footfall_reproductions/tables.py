"""Numbers of the papers, and conditions under which rows are measured, in files that a person can read."""

from importlib.resources import files
from typing import Any

from footfall.text_files import parse_toml


def paper_table(paper: str, name: str = "tables") -> dict[str, Any]:
    """``NAME.toml`` in a paper's folder."""
    place = files("footfall_reproductions").joinpath(paper, f"{name}.toml")
    return parse_toml(place.read_text(encoding="utf-8"), f"{paper}/{name}.toml")
