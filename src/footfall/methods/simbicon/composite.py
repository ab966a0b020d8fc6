"""Composite graphs: pose control graphs one after another in one (Laszlo 1996, section 2.3).

Each part is written out for both sides and gone through a number of times; the last one goes round for ever, or ends.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from footfall.control.registry import kind_of
from footfall.control.slots import slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.both_sides import write_out
from footfall.methods.simbicon.graph import PoseControlGraph, State


def composite_graph(
    name: str, parts: Sequence[tuple[PoseControlGraph, int]], figure: Figure, *, ends: bool = False
) -> PoseControlGraph:
    """One graph that goes through several.

    Args:
        name: of the new graph.
        parts: graphs, each with how often it is gone through; all under one law.
        figure: the figure that tells the sides apart.
        ends: whether the last state stays for ever, instead of the last part going round.
    """
    if not parts:
        raise FootfallError(f"composite '{name}': it has no parts; give at least one graph")
    first = parts[0][0]
    states: list[State] = []
    for k, (graph, times) in enumerate(parts):
        if graph.law != first.law:
            raise FootfallError(
                f"composite '{name}': '{graph.name}' is under law '{graph.law}', '{first.name}' under '{first.law}'"
            )
        if times < 1:
            raise FootfallError(
                f"composite '{name}': '{graph.name}' is gone through {times} times; it must be at least once"
            )
        rounds = 1 if k == len(parts) - 1 and not ends else times
        for turn in range(rounds):
            states += _written_out(graph, figure, f"{k}-{graph.name}-{turn}")
    if ends:
        states[-1] = replace(states[-1], next="end", hold=math.inf, contact=False)
    elif states[-1].next != "end":
        loop = len(states) - len(_written_out(parts[-1][0], figure, ""))
        states[-1] = replace(states[-1], next=states[loop].name)
    return replace(first, name=name, states=tuple(states), symmetric=False, basin={}, about=_about(parts))


def _written_out(graph: PoseControlGraph, figure: Figure, prefix: str) -> list[State]:
    """A graph's states for both sides, by the figure's own joint names, each leading to the one that follows."""
    written = []
    slots = slots_of(figure, balanced=kind_of(graph).usual.feedback, where=f"controller '{graph.name}'")
    for i, (state, targets, _, _) in enumerate(write_out(graph, figure, slots)):
        branch = state.disturbed or (state.next if state.next != "end" else "")
        if branch:
            raise FootfallError(
                f"graph '{graph.name}' branches (state {i} leads to '{branch}'); parts must go straight on"
            )
        written.append(replace(state, targets=targets, name=f"{prefix}-{i}"))
    return written


def _about(parts: Sequence[tuple[PoseControlGraph, int]]) -> str:
    return "Composite: " + ", ".join(f"{graph.name} {times}×" for graph, times in parts) + "."
