"""Changing a running simulation, parameterisation, reactions and error learning."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import displaced_targets, interpolated_graph, with_speed
from footfall.methods.simbicon.error_learning import learn_torques, learned, learner, step_torques, torso_swing
from footfall.methods.simbicon.graph import Reaction
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Push, Record, Simulation

FIGURE = Figure.load("planar-biped")
WALK = load_controller("walk")
ROUNDING = 1e-9
"""How far two kernels' motions may lie apart after seconds: they round differently."""


@pytest.mark.parametrize(
    ("path", "value"),
    [("0.swing_hip", 0.9), ("torso", -0.3), ("kp", 250.0), ("left_knee.kd", 10.0), ("torque_limit", 20.0),
     ("0.hold", 0.0), ("speed", 1.0), ("swing_hip.c_v", 0.5), ("hip_high", 0.1)],
)  # fmt: skip
def test_a_change_acts_from_the_next_step_on(path: str, value: float) -> None:
    simulation, other = Simulation("walk", last_states=0), Simulation("walk", last_states=0)
    for s in (simulation, other):
        s.step(150)
    np.testing.assert_array_equal(simulation.qvel, other.qvel)
    simulation.set({path: value})
    for s in (simulation, other):
        s.step(2)
    assert np.any(simulation.qvel != other.qvel) or np.any(simulation.memory != other.memory)


def test_every_named_parameter_can_be_changed_while_it_runs() -> None:
    simulation = Simulation("walk")
    simulation.step(10)
    table = GraphTable(WALK, FIGURE)
    for path in table.paths():
        simulation.set({path: table.value(path)})
    other = Simulation("walk")
    other.step(10)
    for s in (simulation, other):
        s.step(300)
    np.testing.assert_array_equal(simulation.qpos, other.qpos)


@given(share=st.floats(0, 1))
@settings(max_examples=20, deadline=None)
def test_interpolation_is_between_its_ends(share: float) -> None:
    a, b = WALK, load_controller("fast-walk")
    mixed = interpolated_graph(a, b, share)
    rows = [GraphTable(g, FIGURE) for g in (a, mixed, b)]
    for path in ("0.swing_hip", "0.hold", "1.swing_hip.c_d", "torso"):
        low, middle, high = (t.value(path) for t in rows)
        assert min(low, high) - 1e-12 <= middle <= max(low, high) + 1e-12


def test_interpolated_ends_are_the_controllers_and_the_middle_walks() -> None:
    fast = load_controller("fast-walk")
    assert interpolated_graph(WALK, fast, 0.0).states == WALK.states
    assert interpolated_graph(WALK, fast, 1.0).states == fast.states
    speeds = [float(Simulation(interpolated_graph(WALK, fast, x)).run(20.0).speed[0]) for x in (0.0, 0.5, 1.0)]
    assert speeds == sorted(speeds)


def test_controllers_that_do_not_correspond_are_not_interpolated() -> None:
    with pytest.raises(FootfallError, match="4 states"):
        interpolated_graph(WALK, load_controller("skipping"), 0.5)


def test_displacement_adds_and_speed_is_set() -> None:
    moved = displaced_targets(WALK, {"swing_hip": 0.1, "1.torso": -0.2})
    assert [s.targets["swing_hip"].angle for s in moved.states] == pytest.approx([0.5, -0.6])
    assert [s.targets["torso"].angle for s in moved.states] == [0.0, -0.2]
    with pytest.raises(FootfallError, match="swing_hip"):
        displaced_targets(WALK, {"swing_hop": 0.1})
    speeds = [
        float(Simulation(with_speed(load_controller("run"), x)).run(20.0).speed[0]) for x in (-0.5, 0.0, 0.5, 1.0)
    ]
    assert speeds == sorted(speeds)
    assert speeds[-1] > 1.0 > 0.0 > speeds[0]


def test_reaction_is_off_by_default_and_acts_late() -> None:
    push = [Push(300.0, 5.0, 0.1)]
    reacting = WALK.changed(reaction=Reaction(gain=2.0))
    plain, quick = Simulation(WALK, pushes=push), Simulation(reacting, pushes=push)
    for s in (plain, quick):
        s.run(5.0)
    np.testing.assert_allclose(plain.qpos, quick.qpos, atol=ROUNDING)
    for s in (plain, quick):
        s.run(0.14)
    np.testing.assert_allclose(plain.qpos, quick.qpos, atol=ROUNDING)
    for s in (plain, quick):
        s.run(0.5)
    assert np.abs(plain.qpos - quick.qpos).max() > 1e-3
    assert parse_controller(print_controller(reacting)) == reacting


def test_learning_calms_the_torso_and_keeps_what_it_learned() -> None:
    learning = learn_torques("walk", seconds=40.0)
    assert learning.before > 3.0
    assert learning.swing[-1] < 0.6
    assert learning.feedback[-1] < 0.2 * learning.forward[-1]
    again = parse_controller(print_controller(learning.controller))
    assert again == learning.controller
    assert torso_swing(again) < 0.7
    step = step_torques(again)
    assert np.abs(step.feedback).mean() < np.abs(step_torques("walk").feedback).mean()


def test_a_rate_of_nought_learns_nothing() -> None:
    graph = learner(WALK, rate=0.0)
    simulation, plain = Simulation(graph), Simulation(WALK)
    for s in (simulation, plain):
        s.run(4.0)
    np.testing.assert_allclose(simulation.qpos, plain.qpos, atol=ROUNDING)
    forward = learned(graph, simulation.figure, simulation.memory[0]).feedforward
    assert forward is not None
    assert set(forward.joints["torso"]) == {0.0}
    assert forward.period == pytest.approx(0.358, abs=0.01)


def test_feed_forward_keeps_to_its_limit() -> None:
    graph = learner(WALK, rate=0.5, limit=10.0)
    simulation = Simulation(graph, record=Record(rate=100, fields=("signals",)))
    simulation.run(6.0)
    assert np.abs(simulation.trace().signals["feedforward_torque"]).max() == 10.0
    with pytest.raises(FootfallError, match="1 to 2000"):
        learner(WALK, bins=0)


def test_ankle_reference_lies_between_heel_and_toe() -> None:
    row = GraphTable(WALK.changed(balance=replace(WALK.balance, reference="ankle")), FIGURE)
    assert row.value("reference") == pytest.approx(0.25)
