"""Studies in a process of their own."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.methods.limit_cycle import THESIS_GROUND
from footfall.simulation import Simulation
from footfall.studio.core.job import Job
from footfall.studio.core.setting import Setting
from footfall.studio.core.studies import Result, Subject, basin_study, study, sweep_study
from tests.studio.controls import until

WALK = print_controller(load_controller("walk"))


LEGEND = 1
"""A patch of a basin's legend has the colour of starts that walk."""
HUMAN = print_controller(load_controller("human-walk"))
DRIVE = {"servo": True, "sampling": "F-L", "forward": "pelvis-up", "lateral": "pelvis-up", "targets": (0.3, 0.0)}


def subject(setting: Setting | None = None) -> Subject:
    return Subject(WALK, asdict(setting or Setting()))


def asked(study: str, setting: Setting | None = None, **options: int) -> list[dict[str, Any]]:
    """What a worker answers, line by line, and its status."""
    request = {"study": study, "controller": WALK, "options": options, "drive": None}
    request["setting"] = asdict(setting or Setting())
    reports: list[dict[str, Any]] = []
    job = Job(request, lambda job, report: reports.append(report))
    status = job.process.wait(600)
    stdin = job.process.stdin
    assert stdin is not None
    until(lambda: reports and {"result", "error"} & set(reports[-1]) and stdin.closed)
    job.finish()  # somebody presses the button when it has ended already
    return [*reports, {"status": status}]


def silent(part: float, words: str = "", sketch: Result | None = None) -> None:
    """Nobody looks."""


@pytest.mark.slow
def test_a_rose_is_told_line_by_line() -> None:
    *progress, result, status = asked("rose", directions=4, sizes=6)
    assert status == {"status": 0}
    told = [line["progress"] for line in progress]
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    sketches = [line["sketch"]["numbers"]["limits"] for line in progress if "sketch" in line]
    assert np.all(np.diff(sketches, axis=0) >= 0.0)
    numbers = result["result"]["numbers"]
    assert sketches[-1] == numbers["limits"]
    assert len(numbers["limits"]) == 4
    assert 200.0 <= max(numbers["limits"]) <= 1200.0
    assert numbers["resolution"] == 200.0


@pytest.mark.slow
def test_a_study_takes_the_studios_gravity_terrain_friction_and_load() -> None:
    grids = {}
    for name, setting in {
        "plain": Setting(),
        "moon": Setting(gravity=1.62),
        "ice": Setting(friction=0.02),
        "loaded": Setting(load=60.0),
        "uphill": Setting("slope:9"),
    }.items():
        found = basin_study(subject(setting), silent, count=5)
        grids[name] = np.array(found.numbers["survived"])
        assert found.picture.count("fill: var(--good)") - LEGEND == grids[name].sum()
    assert grids["plain"].any()
    assert not np.array_equal(grids["moon"], grids["plain"])
    assert grids["ice"].sum() < grids["plain"].sum()
    assert grids["uphill"].sum() < grids["plain"].sum()
    assert grids["loaded"].sum() <= grids["plain"].sum()


def test_a_sweep_holds_what_it_does_not_vary_and_varies_what_the_studio_holds() -> None:
    """Where friction is varied, the studio's own does not count; at that value a sweep is the walk as it is."""
    over = "ground.friction=0.02,0.65"
    swept = [
        sweep_study(subject(Setting(friction=mu)), silent, over=over, show="time", seconds=2.5) for mu in (0.65, 0.02)
    ]
    assert swept[0].rows == swept[1].rows
    assert swept[0].numbers == {"survived": 1, "worlds": 2}
    iced = sweep_study(subject(Setting(friction=0.02)), silent, over="body.load=0,1", seconds=2.5)
    assert iced.numbers["survived"] == 0


def test_what_varies_must_be_said_in_the_words_of_sweeps() -> None:
    for words, error in (("", "say what varies"), ("frction=0:1:3", "frction"), ("kp=1:2:99999", "too many here")):
        with pytest.raises(FootfallError, match=error):
            sweep_study(subject(), silent, over=words)


def test_a_search_gives_a_controller_that_costs_no_more_and_walks() -> None:
    """The controller that a search begins with is among its candidates."""
    told: list[str] = []
    result = study(
        "optimise",
        subject(),
        lambda part, words="", sketch=None: told.append(words),
        goal="less torque",
        keep="speed>=0.9",
        generations=2,
        population=4,
    )
    numbers = result.numbers
    assert numbers["measures"]["torque"] <= numbers["base"]["torque"] * (1 + 1e-9)
    assert numbers["holds"]
    assert any("generation 2 of 2" in words for words in told)
    found = parse_controller(result.controller)
    assert found.name == "walk-optimised"
    outcome = Simulation(found).run(5.0)
    assert outcome.survived.all()
    assert "disturbed starts" in result.words


@pytest.mark.slow
def test_stability_by_differences_and_by_decay_agree() -> None:
    """Two ways to the largest multiplier: the return map's slope, and a disturbance that fades in simulation."""
    result = study("stability", subject(), silent, settle=8.0)
    assert result.numbers["stable"]
    assert result.numbers["largest"] == pytest.approx(result.numbers["by_decay"], abs=0.03)
    assert 0.3 < result.numbers["largest"] < 1.0
    assert "<svg" in result.picture


@pytest.mark.parametrize("name", ["stability", "sweep", "optimise"])
def test_a_walker_that_is_balanced_step_by_step_is_refused_in_words(name: str) -> None:
    with pytest.raises(FootfallError, match="balanced step by step"):
        study(name, Subject(HUMAN, asdict(Setting()), DRIVE), silent)


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")  # a human that walks for long
def test_a_balanced_walker_has_a_rose_and_a_basin() -> None:
    human = Subject(HUMAN, asdict(Setting().on_ground(THESIS_GROUND)), DRIVE)
    told: list[float] = []
    rose = study("rose", human, lambda part, words="", sketch=None: told.append(part), directions=2, sizes=4)
    assert told[-1] == pytest.approx(1.0)
    assert min(rose.numbers["limits"]) >= 150.0
    survived = np.array(study("basin", human, silent, count=3).numbers["survived"])
    assert survived[1, 1]
    assert not survived[0].any()


def test_what_is_wrong_is_told_in_one_line() -> None:
    (error, status) = asked("rose", Setting(friction=0.0), directions=4, sizes=6)[-2:]
    assert status == {"status": 2}
    assert "falls before it could be pushed" in error["error"]
    (error, status) = asked("rosse")
    assert status == {"status": 2}
    assert "rose" in error["error"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell that a parent is gone")
def test_a_study_ends_with_the_studio_that_asked_for_it() -> None:
    request = {"study": "rose", "controller": WALK, "options": {}, "drive": None, "setting": asdict(Setting())}
    script = (
        "import subprocess, sys; job = subprocess.Popen([sys.executable, '-m', 'footfall.studio.core.job'],"
        f" stdin=subprocess.PIPE, stdout=subprocess.PIPE); job.stdin.write({json.dumps(request).encode()!r} + b'\\n');"
        " job.stdin.flush(); job.stdout.readline(); print(job.pid)"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    process = int(told.stdout)
    for _ in range(200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"the worker {process} lives on")
