"""TOML as users write it: read whole, or refused in one line."""

import tomllib
from typing import Any

from footfall.errors import FootfallError

__all__ = ["parse_toml"]


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a text; ``where`` begins the message of an error."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets within brackets
        raise FootfallError(f"{where}: not a TOML file: {' '.join(str(error).split())}") from error
