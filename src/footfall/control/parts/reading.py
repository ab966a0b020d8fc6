"""Reading a row of parameters: Warp functions that say where a state's, a graph's, a servo's and a target's numbers
begin.

A number is then ``parameters[row, servo + ServoField.KP]``: its place and its field's name.
"""

from functools import cache
from typing import Any, NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import RowLayout, StateField

__all__ = ["Reading", "reading_functions"]


class Reading(NamedTuple):
    """Where things begin in a row.

    Attributes:
        state_row: (state) -> a state's numbers.
        graph_row: (parameters, row, state_row) -> those of the graph that the state belongs to.
        servo_row: (graph_row, slot) -> a servo's. target_row: (state_row, slot) -> a target's.
        entry_row: (state) -> its entries.
    """

    state_row: wp.Function
    graph_row: wp.Function
    servo_row: wp.Function
    target_row: wp.Function
    entry_row: wp.Function


def reading_functions(types: Types, layout: RowLayout) -> Reading:
    """The functions for a layout."""
    return _functions(types.real, layout.compiled)


@cache
def _functions(real: Any, layout: RowLayout) -> Reading:
    """Made once: every joint's drive asks for them, and Warp takes a millisecond for each function."""
    many = layout.graphs > 1
    first_state, state_width = layout.state(0), layout.state_width
    first_servo, servo_width = layout.servo(0, 0), layout.servo(0, 1) - layout.servo(0, 0)
    first_target, target_width = layout.target(0, 0) - layout.state(0), layout.target(0, 1) - layout.target(0, 0)
    first_entry, entry_width = layout.entry(0), layout.entry(1) - layout.entry(0)

    @wp.func
    def state_row(state: int):
        return first_state + state_width * state

    @wp.func
    def graph_row(parameters: wp.array2d[real], row: int, state_row: int):
        graph = int(0)
        if wp.static(many):
            graph = int(parameters[row, state_row + StateField.GRAPH])
        return graph

    @wp.func
    def servo_row(graph_row: int, slot: int):
        return graph_row + first_servo + servo_width * slot

    @wp.func
    def target_row(state_row: int, slot: int):
        return state_row + first_target + target_width * slot

    @wp.func
    def entry_row(state: int):
        return first_entry + entry_width * state

    return Reading(state_row, graph_row, servo_row, target_row, entry_row)
