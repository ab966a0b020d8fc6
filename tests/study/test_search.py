"""Objectives, changed controllers, searches that resume, continuation."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.table import GraphTable
from footfall.study.measures.runs import stride_difference
from footfall.study.search.cma_search import Range, Search, all_ranges
from footfall.study.search.continuation import continuation, nominal, reshaped_figure
from footfall.study.search.free_numbers import changed_graph
from footfall.study.search.measuring import Measuring
from footfall.study.search.objective import Bound, Objective, ObjectiveTerm, parse_bound, parse_term
from footfall.study.sweeps.experiment import Experiment

WALK = load_controller("walk")
TABLE = GraphTable(WALK, Figure.load("planar-biped"))
NAMES = [
    "speed",
    "kp",
    "kd",
    "torque_limit",
    "hold",
    "0.hold",
    "swing_hip.c_v",
    "0.swing_hip.c_v",
    "1.swing_hip.c_d",
    "stance_ankle",
    "1.swing_knee.angle",
    "torso",
    "0.torso",
]


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 0.9).map(lambda v: round(v, 4)), min_size=1, max_size=4))
def test_a_changed_graph_is_the_changed_table(changes: dict[str, float]) -> None:
    graph = changed_graph(WALK, changes)
    assert np.allclose(GraphTable(graph, TABLE.figure).row, TABLE.applied(TABLE.row[None], changes)[0])


def test_what_a_file_cannot_say_is_refused() -> None:
    with pytest.raises(FootfallError, match="cannot be written"):
        changed_graph(WALK, {"reaction_gain": 2.0})


def test_gains_of_a_joint_are_written_to_the_file() -> None:
    graph = changed_graph(WALK, {"left_knee.kp": 100.0, "knee.kd": 7.0})
    assert parse_controller(print_controller(graph)) == graph
    table = GraphTable(graph, TABLE.figure)
    assert (table.value("left_knee.kp"), table.value("right_knee.kp")) == (100.0, TABLE.value("right_knee.kp"))
    assert (table.value("left_knee.kd"), table.value("left_hip.kd")) == (7.0, TABLE.value("left_hip.kd"))


def test_bounds_and_terms_in_words() -> None:
    assert parse_bound("speed=1.0±0.05") == Bound("speed", 0.95, 1.05)
    assert parse_bound("speed=1.0+-0.05") == Bound("speed", 0.95, 1.05)
    assert parse_bound("push_forward>=430") == Bound("push_forward", 430.0)
    assert parse_bound("peak_torque<=2e2") == Bound("peak_torque", high=200.0)
    assert parse_term("torque*2", -1.0) == ObjectiveTerm("torque", -2.0)
    for bad in ("speed", "speed=1", "speed>=a", "speed>=1±2"):
        with pytest.raises(FootfallError, match="bound"):
            parse_bound(bad)
    with pytest.raises(FootfallError, match="did you mean 'torque'"):
        parse_term("torqe", 1.0)


@given(st.floats(0.0, 0.99), st.floats(0.1, 10.0), st.floats(0.0, 3.0))
def test_a_fall_costs_more_than_anything_that_stands(lived: float, torque: float, speed: float) -> None:
    objective = Objective((ObjectiveTerm("torque", 1.0),), (Bound("speed", 0.9, 1.1),))
    found = {"survival": np.array([lived, 1.0]), "torque": np.array([0.0, torque]), "speed": np.array([1.0, speed])}
    cost = objective.cost(found, {"torque": 1.0})
    assert cost[0] > cost[1]
    assert cost[1] >= torque


def search(generations: int = 3) -> Search:
    objective = Objective((ObjectiveTerm("torque", 1.0),), (Bound("speed", 0.5, 1.5),))
    measuring = Measuring(Experiment("walk", settle=3.0), objective.measures, seconds=2.0)
    ranges = (Range("0.swing_hip", 0.3, 0.5), Range("kp", 250.0, 350.0))
    return Search(measuring, objective, ranges, population=6, generations=generations, sigma=0.1)


def test_a_search_lowers_its_cost_and_resumes_where_it_was(tmp_path: Path) -> None:
    whole = search().run()
    assert whole.cost <= 1.0
    assert whole.holds
    assert len(whole.history) == 3
    search(1).run(tmp_path / "c.json")
    told: list[int] = []
    resumed = search().run(tmp_path / "c.json", lambda done, total, best: told.append(done))
    assert resumed.set == whole.set
    assert resumed.history == whole.history
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(FootfallError, match="cannot be read"):
        search().run(tmp_path / "c.json")


def test_the_found_controller_starts_on_its_gait() -> None:
    found = search(1).run()
    again = Experiment(found.controller, seconds=5.0).run()
    assert again["survived"][0]
    assert again["speed"][0] == pytest.approx(found.measures["speed"], rel=0.03)


def test_ranges_hold_the_controller() -> None:
    for r in all_ranges(WALK):
        assert r.low <= TABLE.value(r.name) <= r.high
    with pytest.raises(FootfallError, match="empty"):
        Range("kp", 2.0, 1.0)


def test_likeness_does_not_feel_phase() -> None:
    stride = np.stack([np.sin(np.linspace(0, 2 * np.pi, 64, endpoint=False) + k) for k in range(3)], axis=-1)
    assert stride_difference(np.roll(stride, 17, axis=0), stride) == pytest.approx(0.0, abs=1e-12)
    assert stride_difference(stride, 0.0 * stride) == pytest.approx(np.sqrt(0.5))


@pytest.mark.slow
def test_continuation_arrives(tmp_path: Path) -> None:
    way = continuation(search(), {"body.thigh": 1.1}, steps=2)
    assert [s.share for s in way.stages] == [0.5, 1.0]
    assert way.found.holds
    assert way.found.measures["survival"] == 1.0
    figure = reshaped_figure(way.experiment)
    again = Experiment(way.found.controller, figure=figure, seconds=5.0).run()
    assert again["survived"][0]


def test_nominal_conditions() -> None:
    experiment = Experiment("walk", terrain="slope:2")
    assert nominal("body.thigh", experiment) == 1.0
    assert nominal("body.load", experiment) == 0.0
    assert nominal("terrain.degrees", experiment) == 2.0
    assert nominal("ground.friction", experiment) == 0.65
    with pytest.raises(FootfallError, match="moves body"):
        continuation(search(), {"kp": 3.0})
