"""Perturbations: C = B + k ΔP is linear, and files keep every digit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import (
    Perturbation,
    difference,
    interpolated,
    load_perturbation,
    perturbation_names,
    save_perturbation,
)
from footfall.methods.limit_cycle.perturbation import parse_perturbation
from footfall.methods.simbicon.table import GraphTable

HUMAN = Figure.load("human")
WALK = load_controller("human-walk")
TABLE = GraphTable(WALK, HUMAN)


@pytest.mark.parametrize("name", perturbation_names())
def test_every_built_in_perturbation_fits_the_human_walk_and_its_file_keeps_every_digit(name, tmp_path):
    perturbation = load_perturbation(name)
    assert np.any(perturbation.delta(TABLE))
    save_perturbation(perturbation, tmp_path / "change.toml")
    assert load_perturbation(tmp_path / "change.toml") == perturbation


@given(st.floats(-50, 50))
def test_a_perturbed_graph_is_the_base_row_plus_k_times_the_change(k):
    duck = load_perturbation("duck")
    graph = duck.applied(WALK, HUMAN, k)
    assert np.allclose(GraphTable(graph, HUMAN).row, TABLE.row + k * duck.delta(TABLE), rtol=0, atol=1e-12)


def test_sensors_and_order_of_states_stay_as_they_are():
    graph = load_perturbation("stride-rate").applied(WALK, HUMAN)
    assert [s.contact for s in graph.states] == [s.contact for s in WALK.states]
    assert [s.hold for s in graph.states] == pytest.approx([0.0, 0.25, 0.25] * 2)


def test_the_difference_of_two_graphs_leads_from_one_to_the_other_and_blends_go_between():
    bent = load_perturbation("bent-knee").applied(WALK, HUMAN)
    change = difference(bent, WALK, HUMAN, "bend")
    assert np.allclose(GraphTable(change.applied(WALK, HUMAN), HUMAN).row, GraphTable(bent, HUMAN).row)
    half = GraphTable(interpolated(bent, WALK, 0.5, HUMAN), HUMAN).row
    assert np.allclose(half, 0.5 * (GraphTable(bent, HUMAN).row + TABLE.row))


def test_turning_left_mirrors_turning_right():
    """Swap the legs, negate yaw, shift by three states (the correction of figure 5.5 a)."""
    right, left = (load_perturbation(f"turn-{side}").states for side in ("right", "left"))
    for k in range(6):
        mirrored = {
            name.replace("left", "x").replace("right", "left").replace("x", "right"): -value
            for name, value in right[(k + 3) % 6].items()
        }
        assert mirrored == left[k]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "a"', "'states' is missing"),
        ('name = "a"\nunit = "turns"\n[[states]]\n', "choose 'degrees' or 'radians'"),
        ('name = "a"\n[[states]]\nwaist = nan\n', "must be a finite number"),
        ('nam = "a"\n', "did you mean 'name'?"),
    ],
)
def test_bad_files_are_named_in_one_line(text, said):
    with pytest.raises(FootfallError, match=r"^here") as error:
        parse_perturbation(text, "here")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_perturbation_that_does_not_fit_says_why():
    with pytest.raises(FootfallError, match="has 2 states; controller 'human-walk' has 6"):
        Perturbation("two", ({"waist": 0.1}, {"waist": 0.2})).delta(TABLE)
    with pytest.raises(FootfallError, match="perturbation 'wing'"):
        Perturbation("wing", ({"left_wing": 0.1},)).delta(TABLE)
