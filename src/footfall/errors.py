"""The one exception that footfall raises for bad input, the warning for what is likely a mistake, and the wording that
all messages share."""

import difflib
from collections.abc import Iterable

from footfall.escaping import plain_line


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
