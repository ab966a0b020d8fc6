"""A part of a reproduction: rows that are measured together, alone or beside other parts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from footfall_reproductions.row import Row


@dataclass(frozen=True)
class Part:
    """Rows that are measured together.

    Attributes:
        name: short, lower case with hyphens, different from all others of the paper.
        words: what is measured, for the progress bar.
        rows: ids of its rows; ``*`` stands for anything.
        measure: measures them.
        searches: whether a controller is searched for a clip, for minutes, for a row of ours; measured only when asked.
    """

    name: str
    words: str
    rows: tuple[str, ...]
    measure: Callable[[], Iterable[Row]]
    searches: bool = False

    def has(self, wanted: str) -> bool:
        """Whether a wanted id, or pattern of ids, may be among its rows."""
        return any(overlap(wanted, own) for own in self.rows)


def overlap(one: str, other: str) -> bool:
    """Whether some id fits both patterns, in which ``*`` stands for anything."""
    if not one or not other:
        return set(one + other) <= {"*"}
    if one[0] == "*":
        return overlap(one[1:], other) or overlap(one, other[1:])
    if other[0] == "*":
        return overlap(other, one)
    return one[0] == other[0] and overlap(one[1:], other[1:])


def parts_of(module: Any) -> tuple[Part, ...]:
    """A paper's parts; a module without parts of its own is one part."""
    if hasattr(module, "parts"):
        return tuple(module.parts())
    return (Part("all", "all rows", ("*",), module.rows),)


def chosen_parts(parts: Sequence[Part], wanted: Sequence[str], *, searches: bool = True) -> tuple[Part, ...]:
    """The parts that have any of the wanted rows; where none is named all of them, without searches if so asked."""
    if not wanted:
        return tuple(p for p in parts if searches or not p.searches)
    return tuple(p for p in parts if any(p.has(w) for w in wanted))


def measure_parts(parts: Sequence[Part], progress: Callable[[float, str], None] | None = None) -> list[Row]:
    """All rows of some parts, one part after the other."""
    found: list[Row] = []
    for k, part in enumerate(parts):
        if progress is not None:
            progress(k / len(parts), part.words)
        found += part.measure()
    if progress is not None:
        progress(1.0, "done")
    return found
