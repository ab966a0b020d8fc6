"""How far long work is that has parts."""

from collections.abc import Callable

Show = Callable[[float, str], None]
"""Called with the share done and a few words."""


def silent(done: float, what: str) -> None:
    """Show nothing."""


def part_of(show: Show, begin: float, share: float) -> Show:
    """What shows the progress of a part that begins at a share of the work and is so much of it."""
    return lambda done, what: show(begin + share * done, what)
