"""The states of a law, by names that stay what they are when controllers change: controller, number, stance side."""

from typing import Any

__all__ = ["state_at", "state_name"]


def state_name(law: Any, state: int) -> tuple[str, int, bool]:
    """A state of a law as (controller, number as written, whether the right leg is in stance)."""
    table = law.table
    graph = table.graphs[table.owners[state]]
    return graph.name, table.origins[state], table.states[state].state.stance == "right"


def state_at(law: Any, name: str, number: int, right: bool) -> int:
    """The state of a law with this controller, number and stance, or the nearest that there is."""
    names = law.table.names
    return int(law.table.state_of(names.index(name) if name in names else 0, number, right=right))
