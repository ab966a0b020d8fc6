"""Composite graphs: a composite of one graph is that graph; parts follow one another and the last goes round."""

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import composite_graph
from footfall.methods.simbicon.graph import PoseControlGraph, State
from footfall.simulation import Record, Simulation


@pytest.fixture(scope="module")
def figure() -> Figure:
    return Figure.load("planar-biped")


def test_a_composite_of_one_graph_walks_as_that_graph(figure: Figure) -> None:
    walk = load_controller("walk")
    same = composite_graph("one", [(walk, 1)], figure)
    assert np.array_equal(Simulation(walk).run(2.0).qpos, Simulation(same).run(2.0).qpos)


def test_parts_follow_one_another_and_the_last_goes_round(figure: Figure) -> None:
    walk, place = load_controller("walk"), load_controller("in-place-walk")
    both = composite_graph("walk-then-stay", [(walk, 3), (place, 1)], figure)
    assert parse_controller(print_controller(both)) == both
    simulation = Simulation(both, record=Record(rate=200.0, fields=("qpos", "events")))
    outcome = simulation.run(20.0)
    assert outcome.survived.all()
    states = simulation.trace().state[:, 0]
    assert np.array_equal(np.unique(states), np.arange(16))
    assert set(states[-400:]) == set(range(12, 16))
    assert outcome.distance[0] < 8.0


def test_parts_that_do_not_fit_are_refused(figure: Figure) -> None:
    walk = load_controller("walk")
    with pytest.raises(FootfallError, match="no parts"):
        composite_graph("none", [], figure)
    with pytest.raises(FootfallError, match="at least once"):
        composite_graph("never", [(walk, 0)], figure)
    held = PoseControlGraph("held", "planar-biped", (State({}, hold=1.0),), law="servo")
    with pytest.raises(FootfallError, match="under law"):
        composite_graph("mixed", [(walk, 1), (held, 1)], figure)
