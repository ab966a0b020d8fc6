"""Numbers that kernels use as indices: none that names nothing gets in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import load_controller
from footfall.control.registry import law_of
from footfall.control.rows import StateField, check_kernel_choice, check_kernel_index
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.error_learning import learner
from footfall.methods.simbicon.law import SimbiconLaw

PLANAR = Figure.load("planar-biped")
WALK, RUN = load_controller("walk"), load_controller("run")
WRONG = (-2.0, 0.5, 4.0, 1e6, 1e300, np.nan, np.inf, -np.inf)


NUMBERS = st.floats() | st.integers(-9, 9).map(float)


@given(st.lists(NUMBERS, min_size=1, max_size=5), st.integers(-3, 3), st.integers(3, 9))
def test_exactly_what_is_whole_and_within_is_let_in(values, first, last):
    right = all(value in range(first, last + 1) for value in values)
    if right:
        check_kernel_index(np.array(values), first, last, "it")
    else:
        with pytest.raises(FootfallError, match="it is"):
            check_kernel_index(np.array(values), first, last, "it")


def test_one_of_is_one_of():
    check_kernel_choice(np.array([0.0, 30.0]), [0, 30], "it")
    with pytest.raises(FootfallError, match="it is 29 in world 1; it must be one of"):
        check_kernel_choice(np.array([0.0, 29.0]), [0, 30], "it")


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("field", [StateField.NEXT, StateField.DISTURBED, StateField.GRAPH])
def test_rows_that_lead_nowhere_are_refused(field, wrong):
    law = law_of(WALK, PLANAR)
    law.check_parameters(law.parameters[None])
    for state in range(len(law.table.states)):
        rows = np.tile(law.parameters, (3, 1))
        rows[1, law.table.layout.state(state, field)] = wrong
        with pytest.raises(FootfallError, match=f"state {state}, {field.name.lower()} is .* in row 1"):
            law.check_parameters(rows)


@pytest.mark.parametrize("wrong", [w for w in WRONG if w != 4.0])
def test_entries_that_lead_nowhere_are_refused(wrong):
    law = SimbiconLaw([WALK, RUN], PLANAR)
    rows = law.parameters[None].copy()
    rows[0, law.table.layout.entry(2, 1)] = wrong
    with pytest.raises(FootfallError, match="state 2, entry of graph 1"):
        law.check_parameters(rows)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", ["state", "request", "learning_bin"])
def test_memories_of_what_is_not_there_are_refused(name, wrong):
    law = SimbiconLaw([learner(WALK, bins=4)], PLANAR)
    memory = np.tile(law.memory, (2, 1))
    law.check_memory(memory)
    memory[1, law.plan.memory[name]] = wrong
    with pytest.raises(FootfallError, match=f"memory: {name} is .* in world 1"):
        law.check_memory(memory)


def test_a_clock_of_learning_does_not_run_before_0():
    law = SimbiconLaw([learner(WALK, bins=4)], PLANAR)
    memory = law.memory[None].copy()
    memory[0, law.plan.memory["learning_clock"]] = -0.1
    with pytest.raises(FootfallError, match="learning_clock"):
        law.check_memory(memory)


def test_more_learned_torques_than_a_thread_holds_are_refused():
    from footfall.methods.simbicon.error_learning import learner

    human = Figure.load("human-28")
    with pytest.raises(FootfallError, match="use fewer bins"):
        SimbiconLaw(learner(load_controller("walk-3d"), bins=2000), human)
