"""The periodic gaits of table 1 and the acyclic controllers."""

import csv
import io

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.methods.simbicon.sequence import request, sequence_simulation
from footfall.simulation import Record, Simulation

TABLE_1 = """gait,state,hold,c_d,c_v,torso,swing_hip,swing_knee,swing_ankle,stance_knee,stance_ankle
walk,0,0.30,0.00,0.20,0.0,0.40,-1.10,0.20,-0.05,0.20
walk,1,fc,2.20,0.00,0.0,-0.70,-0.05,0.20,-0.10,0.20
in-place-walk,0,0.30,0.00,0.40,0.0,0.62,-1.10,0.20,-0.05,0.20
in-place-walk,1,fc,1.55,0.00,0.0,-0.10,-0.05,0.20,-0.10,0.20
fast-walk,0,0.27,0.00,0.20,-0.1,0.73,-1.83,0.20,-0.05,0.20
fast-walk,1,fc,2.00,0.00,-0.1,-0.70,-0.05,0.20,-0.10,-0.06
high-step-walk,0,0.30,0.00,0.20,0.0,1.00,-2.40,0.20,-0.05,0.20
high-step-walk,1,fc,2.00,0.00,0.0,-0.70,-0.05,0.20,-0.10,0.20
half-bent-walk,0,0.23,0.00,0.20,-0.2,0.62,-1.10,0.00,-0.05,0.00
half-bent-walk,1,fc,0.60,0.00,-0.2,-0.10,-0.05,0.00,-0.10,0.00
bent-walk,0,0.30,0.00,0.20,-0.6,0.80,-1.10,0.00,-0.05,0.00
bent-walk,1,fc,0.60,0.00,-0.6,-0.10,-0.05,0.00,-0.10,0.00
crouch-walk,0,0.30,0.00,0.20,-0.2,1.10,-2.17,0.62,-0.97,0.44
crouch-walk,1,fc,2.20,0.00,-0.3,-0.70,-0.05,0.20,-0.92,0.44
scissor-hop,0,0.27,0.00,0.77,-0.2,0.70,-0.58,0.20,-0.05,0.09
scissor-hop,1,fc,0.11,0.01,-1.0,-0.82,-0.27,0.20,-0.10,0.12
backwards-walk,0,0.22,0.00,0.28,0.2,0.37,-1.41,0.00,-0.05,0.00
backwards-walk,1,fc,0.60,0.00,0.3,-0.10,-0.05,0.00,-0.10,0.00
fast-run,0,0.15,0.00,0.20,-0.2,1.08,-2.18,0.20,-0.05,0.27
run,0,0.21,0.00,0.20,0.0,0.80,-1.84,0.20,-0.05,0.27
run,1,0.00,0.00,0.20,-0.2,1.08,-2.18,0.20,-0.05,0.27
skipping,0,0.19,0.00,0.40,0.0,1.04,-1.75,0.20,-0.19,0.20
skipping,1,0.12,0.00,0.40,0.0,2.25,-2.18,0.20,-0.05,-1.60
skipping,2,0.26,0.00,0.04,0.0,2.44,-2.09,0.20,-0.05,0.20
skipping,3,fc,0.18,0.37,0.0,-0.46,-0.05,0.20,-0.10,0.20
"""

CHANGED = {("bent-walk", 0): {"c_v": 0.1}, ("scissor-hop", 0): {"c_v": 0.077}}
"""Where a library file departs from the printed table; each file tells why."""


def test_library_holds_table_1() -> None:
    for row in csv.DictReader(io.StringIO(TABLE_1)):
        name, index = row["gait"], int(row["state"])
        state = load_controller(name).states[index]
        assert state.contact is (row["hold"] == "fc"), (name, index)
        if row["hold"] != "fc":
            assert state.hold == float(row["hold"]), (name, index)
        changed = CHANGED.get((name, index), {})
        for gain in ("c_d", "c_v"):
            assert getattr(state.targets["swing_hip"], gain) == changed.get(gain, float(row[gain])), (name, index, gain)
        for role in ("torso", "swing_hip", "swing_knee", "swing_ankle", "stance_knee", "stance_ankle"):
            assert state.targets[role].angle == float(row[role]), (name, index, role)


def test_departures_are_told() -> None:
    for (name, _), parts in CHANGED.items():
        assert all(part in load_controller(name).about for part in parts)


def test_gaits_go_where_their_names_say() -> None:
    speed = {name: float(Simulation(name).run(15.0).speed[0]) for name in ("walk", "fast-walk", "backwards-walk")}
    assert speed["backwards-walk"] < -1.0 < 0.8 < speed["walk"] < speed["fast-walk"]
    lean = {}
    for name in ("walk", "half-bent-walk", "bent-walk"):
        simulation = Simulation(name, record=Record(rate=50, fields=("qpos",)))
        simulation.run(6.0)
        lean[name] = float(simulation.trace().qpos[100:, 0, 2].mean())
    assert lean["bent-walk"] < lean["half-bent-walk"] < lean["walk"]


def test_standing_stands_still() -> None:
    for name in ("stand", "one-foot-stand"):
        simulation = Simulation(name)
        outcome = simulation.run(10.0)
        assert outcome.survived[0], name
        assert outcome.footsteps[0] == 0, name
        assert np.abs(simulation.qvel).max() < 0.05, name


def test_one_foot_stands_on_one_foot() -> None:
    simulation = Simulation("one-foot-stand", record=Record(rate=50, fields=("events",)))
    simulation.run(6.0)
    points = [p for p in simulation.figure.points if p.ground]
    touching = simulation.trace().contact[:, 0]
    assert not touching[:, [p.foot == "right" for p in points]].any()
    assert touching[10:, [p.foot == "left" for p in points]].any(axis=1).all()


@pytest.mark.slow
def test_standing_is_entered_from_the_in_place_walk() -> None:
    for name in ("stand", "one-foot-stand"):
        simulation = sequence_simulation(["in-place-walk", name], worlds=6)
        request(simulation, name, at=4.0 + np.linspace(0.0, 0.65, 6))
        outcome = simulation.run(10.0)
        assert outcome.survived.all(), name
        assert np.abs(simulation.qvel).max() < 0.05, name


def test_back_flip_turns_once_and_goes_on() -> None:
    simulation = Simulation("back-flip")
    outcome = simulation.run(8.0)
    assert outcome.survived[0]
    assert simulation.qpos[0, 2] == pytest.approx(2 * np.pi, abs=0.3)
    assert outcome.footsteps[0] > 8
