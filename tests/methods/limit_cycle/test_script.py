"""The thesis's scripts: read as printed, with the corrections, and run."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.methods.limit_cycle import hip_control, read_script, run_script
from footfall.methods.simbicon.table import GraphTable

SHORT = """
< human-12.bones
set sddt 0.002
set pcstates 6
posecycle poses 0
0 0   0 -50 60 -5 0   0 -10 0 0 0   5 5
0 0   0 -50 60 -5 0   0 -10 0 0 0   .2
0 0   0 -20 0 5 0     0 -10 0 0 0   .2
0 0   0 -10 0 0 0     0 -50 60 -5 0 4 5
0 0   0 -10 0 0 0     0 -50 60 -5 0 .2
0 0   0 -10 0 0 0     0 -20 0 5 0   .2
set hinit 0,0, 0,0,0,0,0, -5.1,-20,50
"""


def table(number, column, right):
    rows = [["0"] * 13 for _ in range(6)]
    for k in range(3):
        rows[k + (0 if right else 3)][column] = "1"
    return f"posecycle poses {number}\n" + "\n".join(" ".join(row) for row in rows) + "\n"


def short(balance="balance 1 1 180 5 0:0 1 180 1 0:1"):
    tables = table(1, 8, True) + table(2, 3, False) + table(3, 7, True) + table(4, 2, False)
    return SHORT + tables + f"set showfile a_Q=[.25,0].out\nset Q_d 0.25,0\nset superposition true\n{balance}\n"


def test_the_thesis_script_holds_27_trials_of_the_library_s_own_walk():
    script = read_script("human-walk-trials")
    assert [len(script.trials), script.trials[0].steps, script.dt] == [27, 60, 0.00025]
    own = GraphTable(load_controller("human-walk"), script.figure)
    read = GraphTable(script.graph, script.figure)
    assert np.allclose(own.row, read.row, atol=1e-11)
    assert np.allclose(load_controller("human-walk").start.qpos, script.graph.start.qpos, atol=1e-11)
    for trial, sampling in ((script.trials[0], "F-L"), (script.trials[9], "SP"), (script.trials[-1], "L-F")):
        control = hip_control(sampling)
        assert trial.control.sampling == control.sampling
        for got, wanted in zip(trial.control.dimensions, control.dimensions, strict=True):
            assert got.variable.name == wanted.variable.name
            assert np.array_equal(got.perturbation.delta(read) != 0, wanted.perturbation.delta(own) != 0)


@pytest.mark.slow
def test_a_script_writes_the_files_that_it_names(tmp_path):
    source = tmp_path / "short.script"
    source.write_text(short())
    (trial,) = run_script(source, tmp_path, integrator="implicit")
    assert trial.footsteps == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a_Q=[.25,0].out", "a_Q=[.25,0].toml", "short.script"]
    lines = (tmp_path / "a_Q=[.25,0].out").read_text().splitlines()
    assert len(lines) == 4
    assert load_controller(tmp_path / "a_Q=[.25,0].toml").start is not None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0 0   0 -20 0 5 0     0 -10 0 0 0   .2", "0 0 0 .2", "short.script line 8: the row has 4 numbers"),
        ("set sddt 0.002", "set stdt 0.002", "did you mean 'sddt'?"),
        ("< human-12.bones", "< dragon.bones", "neither beside the script nor built in"),
        ("0:0 1 180", "7:0 1 180", "'7:0': a regulation variable is"),
        ("set showfile a_", "set showfile ../a_", "name a file, not a path"),
        ("balance 1 1", "balance 1", "'balance' takes"),
        (
            "balance 1 1 180",
            "balance 1 1 180 5 0:0 1 180 1 0:1\nset sddt 0.1\nbalance 1 1 180",
            "before the first balance",
        ),
        ("5 5\n", "99 5\n", "monitor point 99 is not there"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, old, new, said):
    source = tmp_path / "short.script"
    assert old in short()
    source.write_text(short().replace(old, new))
    with pytest.raises(FootfallError) as error:
        read_script(source)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
