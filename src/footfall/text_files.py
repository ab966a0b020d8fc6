"""Text files as users write them: read whole, or refused in one line."""

import tomllib
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError

__all__ = ["is_file", "parse_toml", "read_text"]


def is_file(path: Path) -> bool:
    """Whether there is such a file; no, where the name is too long for one."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_text(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FootfallError(f"{path} cannot be read: {error}") from error


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a text; ``where`` begins the message of an error."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets within brackets
        raise FootfallError(f"{where}: not a TOML file: {error}") from error
