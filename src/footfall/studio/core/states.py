"""The states of a law, by names that stay what they are when controllers change: controller, number, stance side."""

from typing import Any

from footfall.control.transitions import Repertoire

__all__ = ["state_at", "state_counts", "state_in", "state_name", "table_of"]


def state_in(table: Any, number: int, right: bool) -> int:
    """The written-out state of a table with a number and a stance side, or the nearest that there is."""
    for k, origin in enumerate(table.origins):
        if origin == number and (table.states[k][0].stance == "right") == right:
            return k
    return min(number, len(table.states) - 1)


def table_of(law: Any, g: int) -> Any:
    """The table of a law's controller number ``g``."""
    return law.table.tables[g] if isinstance(law.table, Repertoire) else law.table


def state_name(law: Any, state: int) -> tuple[str, int, bool]:
    """A state of a law as (controller, number as written, whether the right leg is in stance)."""
    table, local = law.table, state
    if isinstance(table, Repertoire):
        g = table.graph_of(state)
        local = state - int(table.first[g])
        table = table.tables[g]
    return table.graph.name, int(table.origins[local]), table.states[local][0].stance == "right"


def state_at(law: Any, name: str, number: int, right: bool) -> int:
    """The state of a law with this controller, number and stance, or the nearest that there is."""
    names = [g.name for g in law.graphs] if isinstance(law.table, Repertoire) else [law.table.graph.name]
    g = names.index(name) if name in names else 0
    table = table_of(law, g)
    first = int(law.table.first[g]) if isinstance(law.table, Repertoire) else 0
    wanted = [k for k, o in enumerate(table.origins) if o == min(number, len(table.graph.states) - 1)]
    sided = [k for k in wanted if (table.states[k][0].stance == "right") == right]
    return first + (sided or wanted)[0]


def state_counts(law: Any) -> list[int]:
    """How many written-out states each of a law's controllers has."""
    tables = law.table.tables if isinstance(law.table, Repertoire) else [law.table]
    return [len(t.states) for t in tables]
