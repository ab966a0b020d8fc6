"""Recovery: states that are left when v is beyond limits, on random inputs, in files and in a walk that is pushed."""

import numpy as np
import pytest
import warp as wp

from footfall.control import load_controller, parse_controller, print_controller
from footfall.control.law import Types
from footfall.control.parts import in_order, now_functions
from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.parts.reaction import recovery_function
from footfall.simulation import Push, Record, Simulation

N = 400
WALK = load_controller("walk-3d")
FIGURE = Figure.load(WALK.figure)


def test_states_are_left_for_their_disturbed_ones_beyond_the_limits_of_v_and_only_then():
    law = SimbiconLaw(WALK, FIGURE)
    table, memory_layout = law.table, law.plan.memory
    types = Types.of(CompiledFigure(FIGURE, feet_only=True), law, implicit=True)
    now = now_functions(types, law.plan.layout)
    Now, Sense, Memory, Command, enter = now.Now, types.Sense, types.Memory, types.Command, now.enter
    recover = recovery_function(types, law.plan, now, in_order(types, now, []))

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        v: wp.array2d[wp.float64],
        memories: wp.array[Memory],
        parameters: wp.array2d[wp.float64],
    ):
        i = wp.tid()
        sense = Sense()
        command = Command()
        memory = memories[i]
        now = Now()
        enter(int(memory[0]), parameters, 0, now)
        now.v[0] = v[i, 0]
        now.v[1] = v[i, 1]
        recover(now, sense, memory, command)
        memories[i] = memory

    rng = np.random.default_rng(5)
    states = rng.integers(len(table.states), size=N)
    before = np.zeros((N, len(memory_layout)))
    before[:, memory_layout["state"]] = states
    before[:, memory_layout["clock"]] = rng.uniform(0.01, 0.5, N)
    v = rng.normal(0.0, 0.6, (N, 2))
    memories = wp.array(before, dtype=Memory, device="cpu")
    inputs = [wp.array(v, dtype=wp.float64, device="cpu"), memories, wp.array(table.row[None], device="cpu")]
    wp.launch(run, N, inputs=inputs, device="cpu")
    limits, after, count, left = WALK.recovery, memories.numpy(), len(WALK.states), 0
    for i, k in enumerate(states):
        beyond = not -limits.slower <= v[i, 0] <= limits.faster or abs(v[i, 1]) > limits.sideways
        name = WALK.states[k % count].disturbed
        leaves = beyond and bool(name)
        expected = WALK.labels.index(name) + count * (k >= count) if leaves else k
        assert after[i, memory_layout["state"]] == expected
        assert after[i, memory_layout["clock"]] == (0.0 if leaves else before[i, memory_layout["clock"]])
        assert table.states[int(expected)].state.stance == table.states[k].state.stance
        left += leaves
    assert 50 < left < N - 50


def test_a_pushed_walk_takes_quick_steps_and_walks_on_as_before():
    pushes = [Push([[0.0, 0.0, 0.0], [0.0, 200.0, 0.0], [200.0, 0.0, 0.0]], 3.0, 0.4)]
    simulation = Simulation(WALK, worlds=3, dt=0.002, pushes=pushes, record=Record(rate=100.0, worlds=3))
    outcome = simulation.run(15.0)
    trace = simulation.trace()
    usual = [bool(s.state.disturbed) for s in SimbiconLaw(WALK, FIGURE).table.states]
    recovers = ~np.array(usual)[trace.state]
    assert outcome.survived.all()
    assert not recovers[:, 0].any()
    assert recovers[300:450, 1:].any(axis=0).all()
    assert not recovers[-200:].any()


def test_recovery_is_written_and_read_back():
    assert parse_controller(print_controller(WALK.changed(name="copy"))) == WALK.changed(name="copy")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('disturbed = "quick-swing"', 'disturbed = "quick-swim"', "did you mean 'quick-swing'"),
        ("slower = ", "slower = -", "slower is -"),
        ("symmetric = true", "symmetric = false", "exchange is for symmetric controllers"),
        ("exchange = true", "exchange = 1", "it must be true or false"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(old, new, message):
    with pytest.raises(FootfallError) as told:
        parse_controller(print_controller(WALK).replace(old, new), "own.toml")
    assert message in str(told.value)
    assert "\n" not in str(told.value)
