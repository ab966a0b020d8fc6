"""Edits of a pose control graph."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import (
    add_state,
    graph_differences,
    move_state,
    remove_state,
    target_name,
    with_hold,
    with_speed,
    with_target,
)

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
            with pytest.raises(FootfallError, match=r"only state|the last one already"):
                EDITS[kind](graph, i)
        else:
            graph = EDITS[kind](graph, i)
    assert parse_controller(print_controller(graph)) == graph
    assert [graph.successor(i) for i in range(len(graph.states))][-1] is not None


def test_a_removed_state_that_was_added_leaves_what_was_there() -> None:
    longer = add_state(WALK, 0)
    assert len(longer.states) == 3
    assert replace(longer.states[1], hold=WALK.states[0].hold) == WALK.states[0]
    assert [s.targets for s in remove_state(longer, 1).states] == [s.targets for s in WALK.states]


@pytest.mark.parametrize("name", ["walk", "walk-3d"])
def test_an_added_state_shares_the_time_of_the_one_before(name: str) -> None:
    graph = load_controller(name)
    for i, state in enumerate(graph.states):
        if state.hold > 0:
            longer = add_state(graph, i)
            assert sum(s.hold for s in longer.states) == pytest.approx(sum(s.hold for s in graph.states))


def test_a_state_must_end_somehow() -> None:
    assert with_hold(WALK, 1, 0.0).states[1].contact
    for seconds in (0.0, -5.0):
        with pytest.raises(FootfallError, match="above 0 seconds"):
            with_hold(WALK, 0, seconds)


@pytest.mark.parametrize("name", ["walk", "walk-3d", "human-walk"])
def test_every_joint_has_a_target_by_some_name(name: str) -> None:
    graph = load_controller(name)
    figure = Figure.load(graph.figure)
    for state in graph.states:
        for joint in (j for j in figure.joints if j.actuated):
            role = target_name(state, figure, joint.name)
            assert figure.joint_for(role, state.stance) == joint.name


def test_the_last_state_cannot_be_removed() -> None:
    with pytest.raises(FootfallError, match="only state"):
        remove_state(remove_state(WALK, 0), 0)


def test_differences_name_what_changed() -> None:
    edited = with_speed(with_target(with_hold(WALK, 0, 0.5), 1, "swing_hip", c_d=1.0), 0.3)
    assert {row[0] for row in graph_differences(edited, WALK)} == {"0 hold", "1 swing hip c_d", "speed"}
    assert graph_differences(WALK, WALK) == []


def test_a_joints_role_is_the_one_its_state_uses() -> None:
    graph, figure = load_controller("walk"), Figure.load("planar-biped")
    assert target_name(graph.states[0], figure, "right_knee") == "swing_knee"
    assert target_name(graph.states[0], figure, "left_knee") == "stance_knee"
    human = load_controller("human-walk")
    assert target_name(human.states[0], Figure.load(human.figure), "left_knee") == "left_knee"
