"""The one exception that footfall raises for bad input, the warning for what is likely a mistake, and the wording that
all messages share."""

import difflib
from collections.abc import Collection, Iterable
from numbers import Integral
from typing import Any

from footfall.escaping import plain_line

MOST_COUNT = 2**31 - 1
"""No count that a user gives is larger, of anything: kernels count in 32 bits."""
MOST_CANDIDATES = 2**24
"""Values, worlds, starts or candidates that a user may list at a time: all of them are held in memory."""
MOST_SEED = 2**31 - 1


class FootfallError(Exception):
    """Something a user gave is wrong: the message says what, where, and what would be right, in one line."""

    def __init__(self, message: object = "") -> None:
        super().__init__(plain_line(" ".join(str(message).split()) if "\n" in str(message) else message))


class FootfallWarning(UserWarning):
    """Something a user gave can be done but is likely a mistake; commands print it as one line."""


def unknown_name(kind: str, name: str, choices: Iterable[str]) -> FootfallError:
    """An error for a name that is none of ``choices``, with the nearest one or the whole list."""
    names = sorted(choices)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"did you mean '{near[0]}'?" if near else f"choose one of: {', '.join(names)}"
    return FootfallError(f"unknown {kind} '{name}': {hint}")


def check_name(kind: str, name: str, choices: Collection[str]) -> None:
    """Refuse a name that is none of ``choices``."""
    if name not in choices:
        raise unknown_name(kind, name, choices)


def check_whole(name: str, value: Any, least: int, most: int = MOST_COUNT) -> None:
    """Refuse what is not a whole number within limits."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        above = most == MOST_COUNT and not (whole and value > most)
        limits = f"of at least {least}" if above else f"from {least} to {most}"
        raise FootfallError(f"{name} is {value}; it must be a whole number {limits}")
