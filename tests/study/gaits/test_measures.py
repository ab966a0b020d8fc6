"""Gaits in space: what is measured of them, and how goals and free numbers are read."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.places import LegRoom
from footfall.simulation import Record, Simulation
from footfall.study.gaits.goal import Goal, goal_names, load_goal
from footfall.study.gaits.judging import Judge
from footfall.study.measures.own_units import Units, gait_numbers
from footfall.study.measures.trace_measures import gait_measures, stride_profiles
from footfall.study.robustness.foot_slip import foot_slip
from footfall.study.search.graph_changes import FreeNumbers
from footfall.study.trials.bench import ROSE


@pytest.fixture(scope="module")
def walk():
    simulation = Simulation("walk-3d", record=Record(rate=100.0))
    outcome = simulation.run(9.0)
    return simulation.trace(), outcome


def test_the_walk_neither_sinks_nor_slides(walk):
    """What visitors of the studio see first: less than 1.5 cm into the ground and less than 4 cm over it, a stance."""
    trace, _ = walk
    slip = foot_slip(trace, Ground())
    assert slip.depth < 0.015
    assert slip.slide < 0.04
    assert slip.lift < 0.04


def test_the_walk_is_measured_as_its_outcome_says(walk):
    trace, outcome = walk
    found = gait_measures(trace, outcome.torque_squared)
    assert found["speed"][0] == pytest.approx(outcome.speed[0], rel=0.03)
    assert found["step_time"][0] == pytest.approx(outcome.step_time[0], rel=0.02)
    assert found["flight"][0] == 0.0
    assert 0.054 < found["step_width"][0] < 0.137
    assert 0.1 < found["double_support"][0] < 0.3


def test_legs_inside_each_other_are_measured_as_on_any_body(walk):
    trace, outcome = walk
    units = Units.of(trace.figure)
    found = gait_measures(trace, outcome.torque_squared, room=LegRoom(trace.figure))["overlap"]
    wanted = gait_numbers(trace, outcome.torque_squared, units, settle=4.0)["overlap"]
    assert found[0] == pytest.approx(wanted[0] * units.length)
    assert np.isnan(gait_measures(trace, outcome.torque_squared)["overlap"]).all()


def test_people_compared_with_themselves_are_alike(walk):
    trace, outcome = walk
    profiles = {name: values[0] for name, values in stride_profiles(trace).items()}
    assert gait_measures(trace, outcome.torque_squared, profiles)["likeness"][0] == pytest.approx(0.0, abs=1e-9)


def test_heading_does_not_matter(walk):
    """Turned about the vertical, a motion has the same measures."""
    from dataclasses import replace

    from footfall.motion.quaternion import multiply

    trace, outcome = walk
    turn = 1.1
    qpos = trace.qpos.copy()
    c, s = np.cos(turn), np.sin(turn)
    qpos[..., 0], qpos[..., 1] = (
        c * trace.qpos[..., 0] - s * trace.qpos[..., 1],
        s * trace.qpos[..., 0] + c * trace.qpos[..., 1],
    )
    qpos[..., 3:7] = multiply(np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]), trace.qpos[..., 3:7])
    before = gait_measures(trace, outcome.torque_squared)
    after = gait_measures(replace(trace, qpos=qpos), outcome.torque_squared)
    for name in ("speed", "side_speed", "step_width", "lean", "step_time", "double_support"):
        assert after[name] == pytest.approx(before[name], abs=1e-9), name


def test_free_numbers_at_the_origin_are_the_controllers_own():
    for name in goal_names():
        goal = load_goal(name)
        graph = goal.start()
        free = FreeNumbers(goal, graph, Figure.load(graph.figure))
        rows = free.rows(np.zeros((2, len(free))))
        within = [n for n in free.numbers if not n.low <= n.value <= n.high]
        if not within:
            np.testing.assert_allclose(rows[0], free.table.row, atol=6e-5)


def test_a_judge_tells_walkers_from_fallers():
    goal = load_goal("walk-3d")
    graph = load_controller("walk-3d")
    figure = Figure.load(graph.figure)
    free = FreeNumbers(goal, graph, figure)
    small = Goal(name="test", base="walk-3d", want={"speed": (1.0, 1.3, 100.0)}, pushes=type(goal.pushes)(phases=1))
    judge = Judge(small, graph, figure, 2, None, seconds=6.0)
    rows = free.rows(np.zeros((2, len(free))))
    rows[1] = free.table.applied(rows[1:], {"torso.kp": 1.0, "torso.kd": 0.1})[0]
    cost, measures = judge(rows, 0.2)
    assert measures["survived"].tolist() == [1.0, 0.0]
    assert cost[0] < 50 < 500 < cost[1]
    assert len(ROSE) == 8


@pytest.mark.parametrize(
    ("text", "part"),
    [("bass = 1", "unknown key 'bass'"), ("base = 'walk-3d'\n[want]\nspede = [0, 1, 1]", "spede"), ("base = ", "TOML")],
)
def test_bad_goals_are_refused_in_one_line(tmp_path, text, part):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(FootfallError, match=part) as caught:
        load_goal(path)
    assert "\n" not in str(caught.value)


def test_a_goal_that_says_width_means_the_spread_that_it_meant(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('base = "walk-3d"\n[want]\nwidth = [0.09, 0.16, 2500]\n', encoding="utf-8")
    assert load_goal(path).want == {"spread": (0.09, 0.16, 2500)}
