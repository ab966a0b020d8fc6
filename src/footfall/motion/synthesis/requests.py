"""Requests over time in words: ``90@4`` asks for 90 from second 4 on."""

import math
from collections.abc import Callable, Sequence

from footfall.errors import FootfallError


def parse_requests(words: Sequence[str], what: str) -> Callable[[float], float]:
    """A function of time from words VALUE or VALUE@SECONDS: each holds from its time until the next.

    Args:
        words: one or more; a word without a time starts at 0.
        what: what is wanted, for errors.
    """
    steps = sorted(
        (_number(at or "0", what), _number(value, what)) for value, _, at in (w.partition("@") for w in words)
    )
    if not steps:
        raise FootfallError(f"{what}: give a number, or several with the second from which they hold, as in 90@4")
    if len({time for time, _ in steps}) < len(steps):
        raise FootfallError(f"{what}: two wishes start at the same second")

    def wish(time: float) -> float:
        held = [value for start, value in steps if start <= time]
        return held[-1] if held else steps[0][1]

    return wish


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FootfallError(f"{what}: '{text[:40]}' is not a number; write VALUE or VALUE@SECONDS, as in 90@4")
    return value
