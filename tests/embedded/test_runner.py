"""The script that needs MuJoCo, numpy and a C compiler alone: it walks the figure's own file."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from footfall.cli.main import main
from footfall.control import load_controller
from footfall.embedded.original_trials import original_trials
from footfall.figures import Figure
from tests.embedded.in_c import needs_compiler

pytestmark = needs_compiler

ROBOTS = Path(__file__).parents[3] / "shared" / "data" / "robots"


def exported(controller, figure, folder):
    """The script of an exported controller."""
    assert (
        main(["export", str(controller), "--figure", str(figure), "--out", str(folder / "exported.c"), "--runner"]) == 0
    )
    return folder / "run_exported.py"


def without_footfall(script, *arguments):
    """A script that ran in a Python that cannot find footfall."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    hidden = "import sys; sys.modules['footfall'] = None; sys.argv = sys.argv[1:]; import runpy; "
    command = [sys.executable, "-c", hidden + "runpy.run_path(sys.argv[0], run_name='__main__')", str(script)]
    words = [*command, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)


def run(script, *arguments):
    """What the runner says of each start."""
    done = without_footfall(script, *arguments)
    assert done.returncode in (0, 1), done.stderr
    starts = re.findall(r"([\d.]+) s, ([\d.]+) m, (\d+) steps, (\w+)", done.stdout)
    return [(float(s), float(m), int(n), ending) for s, m, n, ending in starts]


def test_the_planar_walk_on_mujoco_s_contacts(tmp_path):
    """With joints pushed by forces, since the file's own servos are no torque motors."""
    figure = tmp_path / "biped.xml"
    figure.write_text(Figure.load("planar-biped").xml, encoding="utf-8")
    script = exported("walk", figure, tmp_path)
    assert len(script.read_text(encoding="utf-8").splitlines()) < 170
    ((seconds, way, steps, ending),) = run(script, figure, "--seconds", 4, "--dt", 0.001)
    assert (seconds, ending) == (pytest.approx(4.0, abs=0.01), "up")
    assert 3.5 < way < 5.0
    assert 8 <= steps <= 14


def test_the_last_judge_counts_the_starts_that_stay_up():
    """Of a walk that walks all, of one pushed by its own numbers to the ground none."""
    figure, walk = Figure.load("planar-biped"), load_controller("walk")
    trials = original_trials(walk, figure, steps=(0.001,), each=1, seconds=1.5)
    assert trials.rows == ((0.001, 1e-6, 1, 1), (0.001, 1e-3, 1, 1))
    limp = walk.changed(servo=replace(walk.servo, joints={}, kp=0.0, kd=0.0))
    assert original_trials(limp, figure, steps=(0.002,), each=1, seconds=1.5).up == 0


def test_a_push_that_is_too_hard_is_a_fall(tmp_path):
    figure = tmp_path / "biped.xml"
    figure.write_text(Figure.load("planar-biped").xml, encoding="utf-8")
    script = exported("walk", figure, tmp_path)
    ends = run(script, figure, "--seconds", 4, "--dt", 0.002, "--push=-1500@1:0.3", "--starts", 2, "--noise", 1e-3)
    assert [ending for *_, ending in ends] == ["fell", "fell"]
    assert ends[0] != ends[1]


def test_feet_that_choose_the_floor_by_its_kind_stand_on_it(tmp_path):
    """As in files where feet are of a kind of their own, and only answer to the floor's."""
    figure = tmp_path / "biped.xml"
    xml = Figure.load("planar-biped").xml
    assert 'contype="1" priority="1"' in xml
    figure.write_text(
        xml.replace('contype="1" priority="1"', 'contype="4" conaffinity="1" priority="1"'), encoding="utf-8"
    )
    ((*_, ending),) = run(exported("walk", figure, tmp_path), figure, "--seconds", 2, "--dt", 0.001)
    assert ending == "up"


@pytest.mark.slow
def test_the_human_walks(tmp_path):
    figure = tmp_path / "human.xml"
    figure.write_text(Figure.load("human-28").xml, encoding="utf-8")
    ((_, way, steps, ending),) = run(exported("walk-3d", figure, tmp_path), figure, "--seconds", 5, "--dt", 0.001)
    assert ending == "up"
    assert way > 4.0
    assert steps >= 8


def adapted():
    """(controller, file) of the built-in controllers that were made for a robot's file."""
    from footfall.control import controller_names

    pairs = [(name, load_controller(name).figure) for name in controller_names(guests=False)]
    return [(name, ROBOTS / figure) for name, figure in pairs if (ROBOTS / figure).is_file()]


@pytest.mark.slow
@pytest.mark.parametrize(("controller", "file"), adapted())
def test_a_robot_walks_in_its_own_file(controller, file, tmp_path):
    ((_, _, steps, ending),) = run(exported(controller, file, tmp_path), file, "--seconds", 10)
    assert ending == "up"
    assert steps >= 10
