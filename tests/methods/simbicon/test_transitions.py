"""Repertoires, requests and scripts."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import current_controller, parse_sequence, perform, request, sequence_simulation
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Record, Simulation
from footfall.study.transitions import TransitionMatrix

FIGURE = Figure.load("planar-biped")
THREE = ["walk", "in-place-walk", "crouch-walk"]
"""Those of the script below: one kernel for all."""


def repertoire(*names: str) -> GraphTable:
    return SimbiconLaw([load_controller(n) for n in names], FIGURE).table


def test_entries_keep_number_and_stance() -> None:
    table = repertoire("walk", "run", "skipping")
    for state in range(len(table.entries)):
        for h, entered in enumerate(table.entries[state]):
            if entered < 0:
                continue
            assert table.owners[entered] == h
            assert table.states[state].state.stance == table.states[entered].state.stance
            assert table.origins[state] == table.origins[entered]
    skip = int(table.first[2])
    assert list(table.entries[skip + 2, :2]) == [-1, -1], "a skip's third state has no match in a walk"


def test_a_repertoire_changes_nothing_while_nothing_is_requested() -> None:
    alone = Simulation("walk").run(3.0)
    among = sequence_simulation(THREE).run(3.0)
    np.testing.assert_allclose(alone.qpos, among.qpos, atol=1e-9)  # two kernels round differently


def test_request_waits_for_its_time_and_the_state_to_end() -> None:
    simulation = sequence_simulation(THREE, record=Record(rate=1000, fields=("events",)))
    request(simulation, "in-place-walk", at=1.0)
    simulation.run(2.0)
    trace = simulation.trace()
    states = trace.state[:, 0]
    first = int(np.argmax(states >= 4))
    assert trace.times[first] >= 1.0
    assert states[first - 1] % 4 != states[first] % 4
    assert (states[first] - 4) == (states[first - 1] + 1) % 4


def test_script_is_performed_and_told() -> None:
    script = parse_sequence("walk 3, in-place-walk 4; crouch-walk 4  # low\nwalk 3")
    simulation = sequence_simulation(script)
    answers = perform(simulation, script)
    assert [a.controller for a in answers] == ["walk", "in-place-walk", "crouch-walk", "walk"]
    assert [a.time for a in answers] == [0.0, 3.0, 7.0, 11.0]
    assert all(a.entered[0] and a.upright[0] for a in answers)
    assert current_controller(simulation)[0] == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("walk", "NAME SECONDS"),
        ("walk -1", "NAME SECONDS"),
        ("", "empty"),
        ("wallk 3", "walk"),
        ("x.txt", "x.txt"),
    ],
)
def test_bad_scripts_are_refused_in_one_line(text: str, part: str) -> None:
    with pytest.raises(FootfallError, match=part) as caught:
        parse_sequence(text)
    assert "\n" not in str(caught.value)


def test_request_needs_a_repertoire() -> None:
    with pytest.raises(FootfallError, match="one controller"):
        request(Simulation("walk"), "run")
    with pytest.raises(FootfallError, match="walk"):
        request(sequence_simulation(["walk", "run"]), "wolk")


def test_parameters_are_addressed_by_graph_or_everywhere() -> None:
    table = repertoire("walk", "run")
    everywhere = {i for i, _ in table.cells("swing_hip.c_v")}
    single = {i for i, _ in table.cells("run/swing_hip.c_v")}
    assert single < everywhere
    row = table.applied(table.row[None], {"run/kp": 200.0})[0]
    assert np.count_nonzero(row != table.row) == len(table.slots)


def test_routes_go_round_what_fails() -> None:
    share = np.array([[1.0, 1.0, 0.0], [0.5, 1.0, 1.0], [0.0, 0.0, 1.0]])
    matrix = TransitionMatrix(("a", "b", "c"), share, 2, 0.8, share[..., None] > 0)
    assert matrix.route("a", "c") == ("a", "b", "c")
    assert matrix.route("c", "a") == ()
    assert matrix.chance(matrix.route("b", "a")) == 0.5
    assert ("a", "c") in matrix.routes()
