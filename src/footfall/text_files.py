"""Text files as users write them: read whole, or refused in one line."""

import tomllib
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError


def is_file(path: Path) -> bool:
    """Whether there is such a file; no, where the name is too long for one."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_text(path: Path, what: str = "", most: int | None = None) -> str:
    """The text of a file.

    Args:
        path: the file. what: what it is ("controller file"), with which errors begin. most: bytes that it may have.
    """
    name = f"{what} {path}".lstrip()
    try:
        if most is not None and path.stat().st_size > most:
            raise FootfallError(f"{name} is too large; it may have {most >> 20} MB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FootfallError(f"{name} cannot be read: it does not exist") from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise FootfallError(f"{name} cannot be read: {error}") from error


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a text; ``where`` begins the message of an error."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets within brackets
        raise FootfallError(f"{where}: not a TOML file: {error}") from error
