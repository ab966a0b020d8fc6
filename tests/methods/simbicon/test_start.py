"""Where a controller begins: in a state that it has, or it is refused."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.control import load_controller, parse_controller, print_controller
from footfall.control.kind import FARTHEST
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph

WALK = load_controller("walk")
TEXT = print_controller(WALK)


def started(graph: PoseControlGraph, **changes: object) -> PoseControlGraph:
    return graph.changed(start=replace(graph.start, **changes))


@settings(max_examples=60)
@given(st.integers(-(2**70), 2**70) | st.integers(-5, 12), st.booleans())
def test_only_states_that_are_there_are_taken(state, symmetric):
    graph = WALK if symmetric else WALK.changed(symmetric=False)
    if 0 <= state < len(WALK.states) * (2 if symmetric else 1):
        assert started(graph, state=state).start.state == state
    else:
        with pytest.raises(FootfallError, match=f"state is {state}; choose from 0 to"):
            started(graph, state=state)


@pytest.mark.parametrize("state", ["1000000", "7", "-1", "100", "4"])
def test_a_file_is_refused_with_its_place_and_what_would_be_right(state, tmp_path):
    path = tmp_path / "mine.toml"
    assert "\nstate = 0\n" in TEXT
    path.write_text(TEXT.replace("\nstate = 0\n", f"\nstate = {state}\n"))
    with pytest.raises(FootfallError) as told:
        load_controller(path)
    for words in ("mine.toml", "[start]", f"state is {state}", "choose from 0 to 3"):
        assert words in str(told.value)


@pytest.mark.parametrize("value", ["0.0", "true", '"0"'])
def test_a_state_is_a_whole_number(value):
    with pytest.raises(FootfallError, match="whole number"):
        parse_controller(TEXT.replace("\nstate = 0\n", f"\nstate = {value}\n"))


@pytest.mark.parametrize("name", ["qpos", "qvel"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -2 * FARTHEST])
def test_numbers_are_near(name, number):
    values = getattr(WALK.start, name)
    with pytest.raises(FootfallError, match=f"{name} holds a number"):
        started(WALK, **{name: (number, *values[1:])})
