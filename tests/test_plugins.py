"""Other people's packages: those in ``examples`` are installed into a folder and used, in processes of their own, as
someone who installed them would. A package that does not load leaves all else as it is."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from footfall.kernels.building import LOG

EXAMPLES = Path(__file__).parents[1] / "examples"
PACKAGES = [EXAMPLES / f"footfall-own-{what}" for what in ("law", "figure", "format", "command", "term")]

BROKEN = """[project]
name = "broken"
version = "1.0"

[project.entry-points."footfall.controllers"]
broken-law = "broken_package:KIND"
no-law = "json:dumps"

[project.entry-points."footfall.figures"]
broken-figure = "broken_package:FILE"
no-figure = "math:pi"

[project.entry-points."footfall.formats"]
broken = "broken_package"
silent = "json"

[project.entry-points."footfall.commands"]
broken-command = "broken_package:run"

[project.entry-points."footfall.terms"]
broken-term = "broken_package:TERM"
"""


def install(packages: list[Path], target: Path) -> None:
    """Install packages into a folder: by pip where their build system is at hand, else what pip would leave there."""
    if find_spec("hatchling") and find_spec("pip"):
        offline = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(target)]
        command = [sys.executable, "-m", "pip", "install", *offline, *map(str, packages)]
        subprocess.run(command, check=True, capture_output=True)
        return
    for package in packages:
        for part in package.glob("footfall_own_*"):
            (shutil.copytree if part.is_dir() else shutil.copy)(part, target / part.name)
        describe((package / "pyproject.toml").read_text(encoding="utf-8"), target)


def describe(pyproject: str, target: Path) -> None:
    """Write what tells Python that a package is installed."""
    project = tomllib.loads(pyproject)["project"]
    folder = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [line for group, points in groups for line in (f"[{group}]", *(f"{k} = {v}" for k, v in points.items()))]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


SESSION = """
import contextlib, io, json, sys
from footfall.cli.main import main
answers = []
for line in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(line.split())
    answers.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(answers))
"""
"""Runs command lines one after the other, as a shell would, and prints what each said."""


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Installed:
    """footfall with packages beside it.

    Attributes:
        site: the folder that they are installed in. place: where commands run.
    """

    site: Path
    place: Path

    def python(self, *arguments: str, **environment: str) -> str:
        """What Python prints."""
        paths = [str(self.site), *(p for p in sys.path if Path(p, "footfall").is_dir())]
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.place,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, *lines: str, **environment: str) -> list[Answer]:
        """Run command lines of ``footfall`` in one process."""
        return [Answer(*row) for row in json.loads(self.python("-c", SESSION, json.dumps(lines), **environment))]

    def refuses(self, lines: dict[str, str]) -> None:
        """Each line is refused, in one line that has the text beside it."""
        for (line, expected), answer in zip(lines.items(), self.run(*lines), strict=True):
            assert answer.status == 2, line
            assert answer.err.count("\n") == 1, answer.err
            assert expected in answer.err


@pytest.fixture(scope="module")
def footfall(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    site = tmp_path_factory.mktemp("site")
    install(PACKAGES, site)
    return Installed(site, tmp_path_factory.mktemp("place"))


def test_a_law_without_poses_is_not_drawn(footfall: Installed) -> None:
    (answer,) = footfall.run("show own-stroll --out stroll.png")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines() == [
        "footfall: stroll.png: controller 'own-stroll' has no poses to draw (law 'own-walk'); draw how it moves: "
        "footfall run own-stroll --out stroll.png"
    ]
    assert not (footfall.place / "stroll.png").exists()


def test_everything_is_listed_and_shown(footfall: Installed) -> None:
    listed, shown, told, text, figure, usage = footfall.run(
        "show --json",
        "show own-stroll",
        "show own-stroll --json",
        "show own-stroll --toml",
        "show strider --json",
        "--help",
    )
    rows = json.loads(listed.out)
    about = "SIMBICON's planar walk under a law of one's own"
    assert {"name": "own-stroll", "figure": "planar-biped", "about": about} in rows["controllers"]
    assert {"name": "strider", "about": "A planar biped with long legs, a short torso and light feet"} in rows[
        "figures"
    ]
    assert shown.out.startswith("own-stroll: a controller for planar-biped, law 'own-walk'\n")
    assert "  c_v        0.25   0.2\n" in shown.out
    assert json.loads(told.out)["parameters"]["c_d"] == 2.2
    library = EXAMPLES / "footfall-own-law/footfall_own_law/controllers/own-stroll.toml"
    assert text.out == library.read_text(encoding="utf-8")
    assert json.loads(figure.out)["root"] == "planar"
    assert "\n  cadence " in usage.out
    assert {answer.err for answer in (listed, shown, told, text, figure, usage)} == {""}


def test_mistakes_name_the_choices(footfall: Installed) -> None:
    head = 'name = "wrong"\nfigure = "strider"\n'
    (footfall.place / "number.toml").write_text(f'{head}law = "own-walk"\n[parameters]\nc_w = 1\n')
    (footfall.place / "law.toml").write_text(f'{head}law = "own-wak"\n')
    footfall.refuses(
        {
            "run own-strol": "unknown controller 'own-strol': did you mean 'own-stroll'?",
            "run walk --figure stridr": "unknown figure 'stridr': did you mean 'strider'?",
            "run own-stroll --set c_w=1": "unknown parameter 'c_w': did you mean",
            "sweep own-stroll --over c_w=1:2:3": "unknown factor 'c_w': did you mean",
            "export walk.npz --out walk.wrong": ".poses",
            "stability own-stroll": "is not a pose control graph; its law is 'own-walk'",
            "run number.toml": "number.toml, [parameters]: unknown parameter 'c_w': did you mean",
            "run law.toml": "law.toml: unknown law 'own-wak': did you mean 'own-walk'?",
        }
    )


def test_a_figure_and_a_format_by_name(footfall: Installed) -> None:
    script = """
import pickle, numpy as np
from footfall import Figure, Motion, load_motion, save
figure = Figure.load("strider")
assert pickle.loads(pickle.dumps(figure)).name == figure.name == "strider"
qpos = np.tile(figure.default_qpos, (5, 1))
qpos[:, 0] = np.arange(5)
save(Motion.from_qpos(figure, np.arange(5) / 10, qpos), "slide.poses")
motion = load_motion("slide.poses")
assert motion.figure == "strider"
assert np.array_equal(motion.channels["qpos"], qpos)
"""
    assert footfall.python("-c", script) == ""
    (written,) = footfall.run("export slide.poses --out slide.bvh")
    assert written == Answer(0, "wrote slide.bvh\n", "")
    (footfall.place / "bad.poses").write_text("strider\n0.0 one\n")
    footfall.refuses(
        {
            "motion import slide.bvh --out again.poses": "retarget the motion onto a figure",
            "motion info bad.poses": "bad.poses: package 'footfall-own-format' failed to read it: ValueError",
            "motion import bad.poses --unit cm --out x.npz": "bad.poses: 'unit' is not an option of a .poses file",
        }
    )
    assert not (footfall.place / "again.poses").exists()


def test_a_package_that_does_not_load_leaves_all_else_working(footfall: Installed, tmp_path: Path) -> None:
    shutil.copytree(footfall.site, tmp_path / "site")
    (tmp_path / "site" / "broken_package.py").write_text("raise ImportError('out of order')\n")
    describe(BROKEN, tmp_path / "site")
    broken = Installed(tmp_path / "site", tmp_path)
    shown, usage, listed = broken.run("show walk", "--help", "show")
    assert shown.err == usage.err == ""
    assert "broken-command" in usage.out
    assert listed.status == 0
    assert {"own-stroll", "strider"} <= set(listed.out.split())
    said = listed.err.splitlines()
    wrong = "footfall: package 'broken' adds '{}' to footfall's {}, but it does not load: ImportError: out of order"
    for name, group in (("broken-law", "controllers"), ("broken-figure", "figures")):
        assert sum(line.startswith(wrong.format(name, group)) for line in said) == 1, said
    assert any("law 'no-law': package 'broken' adds <function dumps" in line for line in said)
    assert any("figure 'no-figure' of package 'broken': it is 3.14" in line for line in said)
    assert len(said) == 4
    (tmp_path / "own.toml").write_text('name = "own"\nfigure = "planar-biped"\nlaw = "broken-law"\n')
    failing = ("run own.toml", "run walk --figure broken-figure", "export a.broken --out a.npz", "broken-command")
    broken.refuses(
        dict.fromkeys(failing, "does not load: ImportError: out of order")
        | {"export a.silent --out a.npz": "package 'broken' cannot read .silent files; choose one of: .npz"}
    )


def test_two_packages_that_add_one_name(footfall: Installed, tmp_path: Path) -> None:
    shutil.copytree(footfall.site, tmp_path / "site")
    law = (
        '[project]\nname = "other"\nversion = "1.0"\n[project.entry-points."footfall.controllers"]\nown-walk = "json"\n'
    )
    describe(law, tmp_path / "site")
    _save_controller(tmp_path)
    expected = "both add 'own-walk' to footfall's controllers; uninstall one of them"
    Installed(tmp_path / "site", tmp_path).refuses({"run mine.toml": expected})


def _save_controller(folder: Path) -> None:
    shutil.copy(EXAMPLES / "footfall-own-law/footfall_own_law/controllers/own-stroll.toml", folder / "mine.toml")


@pytest.mark.slow
def test_an_observation_and_a_reward_of_ones_own(footfall: Installed, tmp_path: Path) -> None:
    """They are observed and rewarded in training, and the policy runs with the same observation, and not without the
    package."""
    script = """
import numpy as np
from footfall import save_controller
from footfall.learning import Options, PpoSettings, train_policy
from footfall.learning.options import DISABLED
from footfall.learning.worlds import EnvironmentWorlds, streams_of
from footfall.simulation import Simulation
options = Options.of(controller="walk", action="corrections", observe=["lean", "action"], weights={"erect": 0.5})
_, made = train_policy(options, PpoSettings(worlds=4, horizon=4, batches=2, hidden=(4,)), decisions=16)
save_controller(made, "leaning.toml")
worlds = EnvironmentWorlds(options, 2, mode=DISABLED)
worlds.restart(np.ones(2, dtype=bool), streams_of([1, 2]))
names, live = [row.name for row in worlds.setup.observations], worlds.live
start = {"qpos": live["qpos"].numpy(), "qvel": live["qvel"].numpy(), "dt": worlds.simulation.dt}
native = Simulation(made, worlds=2, **start)
for _ in range(10):
    live["action"].assign(made.network(live["observation"].numpy()).astype(np.float32))
    worlds.step()
    native.run(worlds.period)
    pitch = live["qpos"].numpy()[:, 2]
    np.testing.assert_allclose(live["observation"].numpy()[:, names.index("lean")], pitch, atol=1e-6)
    np.testing.assert_allclose(live["terms"].numpy()[:, -1], 0.5 * np.cos(pitch) ** 2)
    np.testing.assert_allclose(native.qpos, live["qpos"].numpy(), atol=1e-5)
assert names[-8:] == ["lean", *(f"action_{k}" for k in range(7))]
"""
    assert footfall.python("-c", script) == ""
    (footfall.place / "leaning.toml").rename(tmp_path / "leaning.toml")
    (tmp_path / "site").mkdir()
    Installed(tmp_path / "site", tmp_path).refuses({"run leaning.toml": "unknown observation 'lean'"})
    footfall.refuses({"train PlanarTerrain-v0 --option observe=['leen']": "unknown observation term 'leen'"})
    taken = '[project]\nname = "taken"\nversion = "1.0"\n[project.entry-points."footfall.terms"]\n'
    describe(taken + 'control = "footfall_own_term:ERECT"\n', tmp_path / "site")
    shutil.copytree(EXAMPLES / "footfall-own-term" / "footfall_own_term", tmp_path / "site" / "footfall_own_term")
    command = "train PlanarTerrain-v0 --option weights={'control':1}"
    Installed(tmp_path / "site", tmp_path).refuses(
        {command: "package 'taken' adds the term 'control', a name of footfall's"}
    )


@pytest.mark.slow
def test_a_law_of_ones_own_runs_and_is_swept(footfall: Installed) -> None:
    _save_controller(footfall.place)
    answers = footfall.run(
        "run own-stroll --seconds 6 --set c_d=2.0 --out own.npz --json",
        "cadence own.npz --json",
        "sweep own-stroll --over c_v=0.1,0.3 --over push.force=0,200 --set push.start=2 --seconds 4 --out s.nc --json",
        "run mine.toml --set c_v=0:0.6:7 --seconds 4 --per-world --json",
        "run own-stroll --figure strider --seconds 1 --json",
    )
    assert [answer.status for answer in answers] == [0] * 5, answers
    ran, cadence, swept, many, strides = (json.loads(answer.out) for answer in answers)
    assert ran["controller"] == "own-stroll"
    assert not ran["fell"]
    assert ran["footsteps"] > 12
    assert cadence["cadence"] == pytest.approx(60 / ran["step_time_s"], rel=0.1)
    assert swept["dims"] == {"c_v": 2, "push.force": 2}
    assert swept["survived"] >= 2
    assert len(set(many["per_world"]["distance_m"])) == 7
    assert strides["figure"] == "strider"


@pytest.mark.slow
@pytest.mark.extra("ziglang")
def test_a_law_of_ones_own_becomes_a_live_page(footfall: Installed) -> None:
    answers = footfall.run(
        "live own-stroll --out page.html", "run own-stroll --seconds 0.5 --set c_d=2.1 --out run.live.html"
    )
    assert [answer.status for answer in answers] == [0, 0], answers
    pages = [(footfall.place / name).read_text(encoding="utf-8") for name in ("page.html", "run.live.html")]
    data = [json.loads(text.partition('id="data">')[2].partition("</script>")[0]) for text in pages]
    (page,), (run,) = (found["characters"] for found in data)
    (gait,) = page["gaits"]
    assert list(gait["parameters"]) == ["hold", "lift", "reach", "c_v", "c_d", "kp", "kd"]
    assert gait["parameters"]["c_v"] == {"value": 0.25, "state": "", "cells": [[3, 1]]}
    assert (gait["states"], page["signals"], page["memory"]) == ([], ["d", "v"], ["phase", "time"])
    assert "c_d = \x01c_d\x01" in page["templates"]["own-stroll"]
    assert run["parameters"][4] == 2.1


@pytest.mark.slow
def test_a_law_is_compiled_once_and_again_when_its_file_changes(footfall: Installed, tmp_path: Path) -> None:
    shutil.copytree(footfall.site, tmp_path / "site")
    own = Installed(tmp_path / "site", tmp_path)
    log = tmp_path / "log"

    def compiled() -> tuple[int, float]:
        log.write_text("")
        environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), LOG: str(log)}
        (ran,) = own.run("run own-stroll --seconds 1 --json", **environment)
        return len(log.read_text().splitlines()), json.loads(ran.out)["distance_m"]

    (first, before), (again, same) = compiled(), compiled()
    assert (first, again) == (1, 0)
    assert same == before
    file = tmp_path / "site" / "footfall_own_law" / "__init__.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("real(1.6)", "real(0.3)"), encoding="utf-8")
    changed, after = compiled()
    assert changed == 1
    assert after != before
