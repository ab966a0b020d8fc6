"""Printed values: about five lines that fit a terminal, with what to do next."""

import numpy as np
import pytest

from footfall.control import LawController, controller_names, load_controller
from footfall.figures import Figure, figure_names
from footfall.simulation import Record, Simulation


@pytest.fixture(scope="module")
def simulation():
    made = Simulation("walk", worlds=3, set={"swing_hip.c_v": [0.0, 0.2, 0.3]}, record=Record())
    made.run(2.0)
    return made


def _check(value, *words):
    text = str(value)
    lines = text.splitlines()
    assert text == repr(value)
    assert text.startswith("<")
    assert 3 <= len(lines) <= 6
    assert max(map(len, lines)) <= 100
    assert "next: " in text
    for word in words:
        assert word in text


def test_a_simulation_says_how_far_it_is(simulation):
    fresh = Simulation("walk")
    _check(fresh, "<Simulation of walk on planar-biped: 1 world, 0.00 s so far>", "nothing is recorded")
    outcome = simulation.outcome()
    _check(simulation, "3 worlds, 2.00 s so far", f"{int(outcome.survived.sum())} up, {int(outcome.fell.sum())} fell")


def test_an_outcome_says_how_its_worlds_ended(simulation):
    outcome = simulation.outcome()
    fell = np.flatnonzero(outcome.fell)
    first = fell[np.argmin(outcome.end_time[fell])]
    _check(
        outcome, f"{int(outcome.survived.sum())} stayed up", f"world {first}, fell at {outcome.end_time[first]:.2f} s"
    )
    one = Simulation("walk").run(1.0)
    _check(one, "1 world: stayed up for 1.00 s", f"{one.footsteps[0]} footsteps")
    assert len(str(Simulation("walk", worlds=500).run(0.1)).splitlines()) <= 6


def test_a_trace_says_which_world_it_plots(simulation):
    trace = simulation.trace()
    _check(trace, "200 samples", "plots show world 0", "trace.motion(2)", "recorded: qpos, qvel, torque")
    assert "world 0 of 3" in trace._repr_html_()


@pytest.mark.parametrize("name", figure_names())
def test_a_figure_is_no_dump(name):
    figure = Figure.load(name)
    _check(figure, f"<Figure {name}: {figure.root} root, {len(figure.bodies)} bodies", f"footfall show {name}")


@pytest.mark.parametrize("name", controller_names())
def test_a_controller_says_what_it_drives(name):
    controller = load_controller(name)
    _check(controller, f"'{name}' for {controller.figure}, law '{controller.law}'")


def test_a_law_of_ones_own_shows_its_numbers():
    many = {f"c_{k}": 0.5 * k for k in range(9)}
    _check(LawController("mine", "planar-biped", "own", parameters=many), "c_1 0.5", "and 3 more")
    _check(LawController("mine", "planar-biped", "own"), "the law's own")
