"""A walk that was balanced step by step replays from its file alone."""

import json

import numpy as np
import pytest

from footfall.control import load_controller, save_controller
from footfall.methods.limit_cycle import BalancedWalk, hip_control
from footfall.simulation import Simulation
from tests.cli.commands import said


@pytest.mark.slow
def test_a_replay_file_walks_as_the_walk_did(capsys, tmp_path):
    file = tmp_path / "replay.toml"
    words = ["limit-cycle", "human-walk", "--footsteps", "8", "--out", file, "--json"]
    balanced = json.loads(said(capsys, *words))
    assert balanced["footsteps"] == 8
    assert balanced["files"] == [str(file)]
    again = json.loads(said(capsys, "run", file, "--seconds", balanced["seconds"] - 0.01, "--json"))
    assert not again["fell"]
    assert again["footsteps"] >= 7


@pytest.mark.slow
def test_the_file_holds_ground_and_integration(tmp_path):
    walk = BalancedWalk("human-walk", hip_control("F-L", targets=(0.28, 0.0)), dt=0.002)
    record = walk.walk(3)
    save_controller(record.aperiodic(), tmp_path / "replay.toml")
    graph = load_controller(tmp_path / "replay.toml")
    assert graph.ground == walk.options["ground"]
    simulation = Simulation(graph)
    assert (simulation.dt, simulation.integrator) == (0.002, "implicit")
    assert simulation.grounds == [walk.options["ground"].usual(solid=False)]
    simulation.step(round(record.seconds() / simulation.dt))
    np.testing.assert_array_equal(simulation.qpos, record.replay().qpos)
