"""Gaits in space: what is measured of them, and how goals and free numbers are read."""

import re
from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.quaternion import multiply
from footfall.simulation import Record, Simulation
from footfall.study.gaits.goal import Goal, goal_names, goal_trials, load_goal
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.search.free_numbers import FreeNumbers
from footfall.study.trials.bench import ROSE, Judge


@pytest.fixture(scope="module")
def walk():
    simulation = Simulation("walk-3d", record=Record(rate=100.0))
    outcome = simulation.run(9.0)
    return simulation.trace(), outcome


def test_the_walk_is_measured_as_its_outcome_says(walk):
    trace, outcome = walk
    names = ("speed", "step_time", "flight", "double_support_share")
    walks = Walks(trace, outcome.torque_squared, 4.0)
    found = measure_walks(walks, names)
    assert found["speed"][0] == pytest.approx(outcome.speed[0], rel=0.03)
    assert found["step_time"][0] == pytest.approx(outcome.step_time[0], rel=0.02)
    assert found["flight"][0] == 0.0
    feet = [[i for i, p in enumerate(trace.figure.points) if p.foot == side] for side in ("left", "right")]
    down = np.array([trace.contact[walks.first :, 0][:, points].any(axis=1) for points in feet])
    assert found["double_support_share"][0] == pytest.approx(down.all(axis=0).mean(), abs=0.01)


def test_legs_inside_each_other_are_measured_in_metres_and_hip_heights(walk):
    trace, outcome = walk
    walks = Walks(trace, outcome.torque_squared, 4.0)
    metres = measure_walks(walks, ["leg_clearance"])["leg_clearance"]
    heights = measure_walks(walks, ["leg_clearance"], own_units=True)["leg_clearance"]
    assert metres[0] == pytest.approx(heights[0] * walks.units.length)


def test_left_and_right_do_not_matter(walk):
    """A motion's mirror image has the same measures, and goes to the other side."""
    trace, outcome = walk
    figure = trace.figure
    swap = {"left": "right", "right": "left"}
    names = [re.sub("left|right", lambda side: swap[side[0]], point.name) for point in figure.points]
    other = [[point.name for point in figure.points].index(name) for name in names]
    seen = {"contact": trace.contact[..., other], "stance": 1 - trace.stance}
    image = replace(trace, qpos=figure.mirror_qpos(trace.qpos), **seen)
    names = ["speed", "step_width", "lean", "step_time", "double_support_share", "leg_clearance"]
    before = measure_walks(Walks(trace, outcome.torque_squared, 4.0), [*names, "side_speed"])
    after = measure_walks(Walks(image, outcome.torque_squared, 4.0), [*names, "side_speed"])
    for name in names:
        assert after[name] == pytest.approx(before[name], rel=1e-3), name
    assert after["side_speed"] == pytest.approx(-before["side_speed"], abs=1e-9)


def test_people_compared_with_themselves_are_alike(walk):
    trace, outcome = walk
    profiles = {name: values[0] for name, values in Walks(trace, outcome.torque_squared, 4.0).profiles.items()}
    walks = Walks(trace, outcome.torque_squared, 4.0, profiles)
    assert measure_walks(walks, ["likeness"])["likeness"][0] == pytest.approx(0.0, abs=1e-9)


def test_heading_does_not_matter(walk):
    """Turned about the vertical, a motion has the same measures."""
    trace, outcome = walk
    turn = 1.1
    qpos = trace.qpos.copy()
    c, s = np.cos(turn), np.sin(turn)
    qpos[..., 0], qpos[..., 1] = (
        c * trace.qpos[..., 0] - s * trace.qpos[..., 1],
        s * trace.qpos[..., 0] + c * trace.qpos[..., 1],
    )
    qpos[..., 3:7] = multiply(np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]), trace.qpos[..., 3:7])
    names = ("speed", "side_speed", "step_width", "lean", "step_time", "double_support_share")
    before = measure_walks(Walks(trace, outcome.torque_squared, 4.0), names)
    after = measure_walks(Walks(replace(trace, qpos=qpos), outcome.torque_squared, 4.0), names)
    for name in names:
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
    judge = Judge(goal_trials(small, graph, figure, seconds=6.0), 2)
    rows = free.rows(np.zeros((2, len(free))))
    rows[1] = free.table.applied(rows[1:], {"torso.kp": 1.0, "torso.kd": 0.1})[0]
    judged = judge(rows, 0, 0.2)
    assert judged.tallies["survived"].tolist() == [1.0, 0.0]
    assert judged.costs[0] < 50 < 500 < judged.costs[1]
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


@pytest.mark.parametrize(
    ("old", "name"),
    [("width", "spread"), ("sway", "pelvis_speed"), ("double_support", "double_support_share"), ("likeness",) * 2],
)
def test_a_goal_with_an_old_name_means_what_it_meant(tmp_path, old, name):
    path = tmp_path / "mine.toml"
    path.write_text(f'base = "walk-3d"\n[want]\n{old} = [0.09, 0.16, 2500]\n', encoding="utf-8")
    assert load_goal(path).want == {name: (0.09, 0.16, 2500)}


def test_a_goal_in_an_old_unit_means_what_it_meant(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'base = "walk-3d"\n[want]\nshake = [0.5, 1.5, 20]\n[less]\neffort = 0.5\nshake = 8\n', encoding="utf-8"
    )
    goal = load_goal(path)
    assert goal.want == {"joint_acceleration": pytest.approx((50.0, 150.0, 0.2))}
    assert goal.less == pytest.approx({"torque": 5e-5, "joint_acceleration": 0.08})
