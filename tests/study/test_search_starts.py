"""Searches start from anything, keep speed and kind of gait unless told otherwise, and say where results come from."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.control import load_controller, parse_controller, print_controller
from footfall.study.search.cma_search import (
    Range,
    Search,
    all_ranges,
    bound_words,
    broken_bounds,
    number,
    with_origin,
)
from footfall.study.search.measuring import Measuring
from footfall.study.search.objective import LEAST_FLIGHT, Bound, Objective, ObjectiveTerm, usual_bounds
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait

LESS_TORQUE = Objective((ObjectiveTerm("torque", 1.0),))
GAIT = ("survival", "speed", "step_length", "step_time", "step_rate", "flight", "torque")
WALKS = {"speed": 1.0, "step_rate": 2.8, "flight": 0.0}
RUNS = {"speed": 3.0, "step_rate": 4.0, "flight": 0.3}
STANDS = {"speed": 0.0, "step_rate": 0.0, "flight": 0.0}
FALLS = dict.fromkeys(WALKS, np.nan)


def measured(bounds, **measures):
    return not broken_bounds(replace(LESS_TORQUE, bounds=bounds), {"survival": 1.0, **measures})


@pytest.mark.parametrize("gait", [WALKS, RUNS, STANDS])
def test_a_gait_keeps_its_own_usual_bounds_and_others_do_not(gait):
    bounds = usual_bounds(LESS_TORQUE, gait)
    assert measured(bounds, **gait)
    for other in (WALKS, RUNS, STANDS):
        assert measured(bounds, **other) == (other is gait)
        assert measured(usual_bounds(LESS_TORQUE, gait, any_speed=True, any_gait=True), **other)


def test_what_is_asked_for_is_not_kept_as_it_was():
    kept = {b.measure for b in usual_bounds(LESS_TORQUE, WALKS)}
    assert kept == {"speed", "step_rate", "flight"}
    assert {b.measure for b in usual_bounds(Objective((ObjectiveTerm("speed", -1.0),)), WALKS)} == {
        "step_rate",
        "flight",
    }
    asked = Objective((), (Bound("flight", 0.1), Bound("speed", 2.0)))
    assert {b.measure for b in usual_bounds(asked, WALKS)} == {"step_rate"}
    assert usual_bounds(LESS_TORQUE, FALLS) == (Bound("step_rate", 0.5),)


def test_candidates_that_fall_stand_or_walk_are_measured_side_by_side():
    measuring = Measuring(Experiment("walk", settle=3.0), GAIT, seconds=2.0)
    found = measuring({"0.hold": np.array([0.3, 5.0, 0.3]), "0.swing_hip.c_v": np.array([0.2, 0.2, 0.01])}, 3)
    assert found["survival"][0] == 1.0
    assert found["survival"][1:].max() < 1.0 or not np.isfinite(found["step_time"][1:]).all()
    assert found["step_length"][0] == pytest.approx(found["speed"][0] * found["step_time"][0])
    assert found["flight"][0] < LEAST_FLIGHT
    alone = measuring({"0.hold": np.array([0.3]), "0.swing_hip.c_v": np.array([0.2])}, 1)
    for name in GAIT:
        assert alone[name][0] == pytest.approx(found[name][0], rel=1e-9), name


def test_a_controller_that_stands_is_searched_too_and_cannot_be_pushed_by_phase():
    stand = load_controller("stand")
    assert all(np.isfinite([r.low, r.high]).all() for r in all_ranges(stand))
    experiment = Experiment(stand, settle=1.0)
    found = Measuring(experiment, GAIT, seconds=1.0)({}, 1)
    assert found["survival"][0] == 1.0
    assert found["step_rate"][0] == 0.0
    assert np.isfinite(found["torque"][0])
    with pytest.raises(Exception, match="takes no steps after 1 s") as told:
        SettledGait(experiment, 1, 0.0)
    assert "footfall sweep" in str(told.value)


def test_a_search_never_ends_worse_than_it_began():
    objective = Objective((ObjectiveTerm("torque", 1.0),), (Bound("speed", 0.9, 1.1),))
    measuring = Measuring(Experiment("walk", settle=3.0), ("survival", "torque", "speed"), seconds=2.0)
    ranges = (Range("0.swing_hip", -0.4, 0.41), Range("kp", 50.0, 301.0))
    found = Search(measuring, objective, ranges, population=4, generations=1, sigma=1.0).run()
    assert found.cost <= 1.0 + 1e-3
    assert found.holds


def test_the_result_says_where_it_comes_from():
    first = load_controller("walk").changed(basin={"radius": 0.1})
    objective = Objective((ObjectiveTerm("torque", 1.0),))
    measuring = Measuring(Experiment("walk", settle=3.0), ("survival", "torque", "speed"), seconds=2.0)
    found = Search(measuring, objective, (Range("kp", 250.0, 350.0),), population=4, generations=1).run()
    made = with_origin(found, first, "mine.toml", objective, "mine-two", (9, 10), "CMA-ES, seed 1")
    again = parse_controller(print_controller(made))
    assert again.name == "mine-two"
    assert again.about.startswith(
        "Found by footfall optimize (CMA-ES, seed 1) for less torque, from 'walk' in mine.toml"
    )
    assert "9 of 10 disturbed starts" in again.about
    assert not again.basin


def test_numbers_and_bounds_in_words():
    assert [number(v) for v in (np.nan, -4.5e-19, 16889.3, 0.3591, 2e7)] == ["–", "0", "16,889", "0.3591", "2e+07"]
    assert bound_words(Bound("flight", high=LEAST_FLIGHT)) == "always a foot on the ground"
    assert bound_words(Bound("speed", 0.9, 1.1)) == "speed 0.9 to 1.1 m/s"
    assert bound_words(Bound("push_forward", 430.0)) == "push_forward >= 430 N"


def test_pushes_of_ones_own_are_refused_with_what_to_ask_for(capsys):
    assert main(["optimize", "walk", "--minimize", "torque", "--set", "push.start=3"]) == 2
    assert "--maximize push_forward" in capsys.readouterr().err
