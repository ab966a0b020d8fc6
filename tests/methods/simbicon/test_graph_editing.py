"""Edits of a pose control graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import (
    add_state,
    differences,
    move_state,
    remove_state,
    target_name,
    with_hold,
    with_target,
)
from footfall.methods.simbicon.parameterisation import with_speed

WALK = load_controller("walk")
EDITS = {"a": add_state, "r": remove_state, "m": lambda g, k: move_state(g, k, 1)}


@given(st.integers(0, 1), st.sampled_from(["angle", "c_d", "c_v"]), st.floats(-3, 3))
def test_edited_targets_survive_their_file(index: int, part: str, value: float) -> None:
    edited = with_target(WALK, index, "swing_knee", **{part: value})
    assert getattr(edited.states[index].targets["swing_knee"], part) == value
    assert parse_controller(print_controller(edited)) == edited


@given(st.lists(st.tuples(st.sampled_from("amr"), st.integers(0, 9)), max_size=12))
def test_any_order_of_adding_moving_and_removing_leaves_a_valid_graph(steps: list[tuple[str, int]]) -> None:
    graph = WALK
    for kind, at in steps:
        i = at % len(graph.states)
        if (kind == "r" and len(graph.states) == 1) or (kind == "m" and i == len(graph.states) - 1):
            with pytest.raises(FootfallError, match=r"only state|beyond the ends"):
                EDITS[kind](graph, i)
        else:
            graph = EDITS[kind](graph, i)
    assert parse_controller(print_controller(graph)) == graph
    assert [graph.successor(i) for i in range(len(graph.states))][-1] is not None


def test_a_removed_state_that_was_added_leaves_what_was_there() -> None:
    longer = add_state(WALK, 0)
    assert len(longer.states) == 3
    assert longer.states[1] == WALK.states[0]
    assert [s.targets for s in remove_state(longer, 1).states] == [s.targets for s in WALK.states]


def test_the_last_state_cannot_be_removed() -> None:
    with pytest.raises(FootfallError, match="only state"):
        remove_state(remove_state(WALK, 0), 0)


def test_differences_name_what_changed() -> None:
    edited = with_speed(with_target(with_hold(WALK, 0, 0.5), 1, "swing_hip", c_d=1.0), 0.3)
    assert {row[0] for row in differences(edited, WALK)} == {"0 hold", "1 swing hip c_d", "speed"}
    assert differences(WALK, WALK) == []


def test_a_joints_role_is_the_one_its_state_uses() -> None:
    graph, figure = load_controller("walk"), Figure.load("planar-biped")
    assert target_name(graph.states[0], figure, "right_knee") == "swing_knee"
    assert target_name(graph.states[0], figure, "left_knee") == "stance_knee"
    human = load_controller("human-walk")
    assert target_name(human.states[0], Figure.load(human.figure), "left_knee") == "left_knee"
