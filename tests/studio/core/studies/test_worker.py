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

from footfall.control import load_controller, print_controller
from footfall.methods.limit_cycle import THESIS_GROUND
from footfall.studio.core.studies.worker import _study, basin_study
from footfall.studio.core.worlds.setting import Setting

WALK = print_controller(load_controller("walk"))


HUMAN = print_controller(load_controller("human-walk"))
DRIVE = {"servo": True, "sampling": "F-L", "forward": "pelvis-up", "lateral": "pelvis-up", "targets": (0.3, 0.0)}


def asked(study: str, setting: Setting | None = None, **options: int) -> list[dict[str, Any]]:
    """What a worker answers, line by line, and its status."""
    request = {"study": study, "controller": WALK, "options": options, "drive": None}
    request["setting"] = asdict(setting or Setting())
    done = subprocess.run(
        [sys.executable, "-m", "footfall.studio.core.studies.worker"],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return [*map(json.loads, done.stdout.splitlines()), {"status": done.returncode}]


@pytest.mark.slow
def test_a_rose_is_told_line_by_line() -> None:
    *progress, result, status = asked("rose", directions=4, sizes=6)
    assert status == {"status": 0}
    told = [line["progress"] for line in progress]
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    sketches = [line["sketch"]["limits"] for line in progress if "sketch" in line]
    assert np.all(np.diff(sketches, axis=0) >= 0.0)
    assert sketches[-1] == result["result"]["limits"]
    limits = result["result"]["limits"]
    assert len(limits) == 4
    assert 200.0 <= max(limits) <= 1200.0
    assert result["result"]["resolution"] == 200.0


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
        result = basin_study(WALK, asdict(setting), lambda part: None, count=5)
        grids[name] = np.array(result["survived"])
    assert grids["plain"].any()
    assert not np.array_equal(grids["moon"], grids["plain"])
    assert grids["ice"].sum() < grids["plain"].sum()
    assert grids["uphill"].sum() < grids["plain"].sum()
    assert grids["loaded"].sum() <= grids["plain"].sum()


@pytest.mark.slow
@pytest.mark.usefixtures("optimised_kernels")  # a human that walks for long
def test_a_balanced_walker_has_a_rose_and_a_basin() -> None:
    request = {"controller": HUMAN, "setting": asdict(Setting().on_ground(THESIS_GROUND)), "drive": DRIVE}
    progress: list[float] = []
    rose = _study(request | {"study": "rose", "options": {"directions": 2, "sizes": 4}}, progress.append)
    assert progress[-1] == pytest.approx(1.0)
    assert min(rose["limits"]) >= 150.0
    basin = _study(request | {"study": "basin", "options": {"count": 3}}, progress.append)
    survived = np.array(basin["survived"])
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
        "import subprocess, sys; job = subprocess.Popen([sys.executable, '-m', 'footfall.studio.core.studies.worker'],"
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
