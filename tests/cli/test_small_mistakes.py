"""Small mistakes that newcomers make, and machines that are not as usual: one line says what to do."""

import fcntl
import json
import re
import threading

import numpy as np
import pytest

import footfall as ff
from footfall.cli.main import main
from footfall.control import load_controller
from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.kernels import building, start
from footfall.study.gaits import find
from footfall.study.gaits.goal import load_goal
from footfall.study.sweeps.factors import axis_name
from footfall.study.trials.bench import Judged
from tests.cli.commands import refused, said
from tests.motion.walks import walk


def test_a_cache_that_cannot_be_written_is_elsewhere(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "file").touch()
    assert start.usable_cache(str(tmp_path / "good")) is None
    found = start.usable_cache(str(tmp_path / "file" / "below"))
    assert found is not None
    assert found.startswith(str(tmp_path / "footfall-kernels-"))
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "WARP_CACHE_PATH" in said[0]
    monkeypatch.setattr(start.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    with pytest.raises(FootfallError, match="name a folder that can be written to"):
        start.usable_cache(str(tmp_path / "file" / "below"))


def test_a_cache_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(start.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "file").touch()
    (tmp_path / "theirs").mkdir()
    start.usable_cache(str(tmp_path / "file" / "x"))
    own = next(tmp_path.glob("footfall-kernels-*"))
    own.rmdir()
    own.symlink_to(tmp_path / "theirs")
    with pytest.raises(FootfallError, match="cannot be kept"):
        start.usable_cache(str(tmp_path / "file" / "x"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", ".png"], ".png: that is only a suffix; name the file, as in walk.png"),
        (["--seconds", "inf"], "seconds is inf; it must be a finite number above 0"),
        (["--push", "300@25:0.1"], "it begins at 25 s, but the run ends at 20 s (--seconds)"),
    ],
)
def test_run_refuses(capsys, words, told):
    assert told in refused(capsys, "run", "walk", *words)


def test_pushes_as_text():
    simulation = ff.Simulation("walk", pushes=["300@5:0.1", "0,0,90@6:0.2@left_thigh"])
    assert simulation.pushes == (ff.Push(300.0, 5.0, 0.1), ff.Push((0.0, 0.0, 90.0), 6.0, 0.2, "left_thigh"))
    with pytest.raises(FootfallError, match="give a list"):
        ff.Simulation("walk", pushes="300@5:0.1")
    with pytest.raises(FootfallError, match=r"give footfall\.Push"):
        ff.Simulation("walk", pushes=[300])
    with pytest.raises(FootfallError, match="FORCE@START:DURATION"):
        ff.Simulation("walk", pushes=["300"])


def test_only_motions_are_saved(tmp_path):
    simulation = ff.Simulation("walk")
    with pytest.raises(FootfallError, match=r"a Simulation is not a motion; save\(simulation\.trace\(\)\.motion"):
        ff.save(simulation, tmp_path / "walk.png")
    with pytest.raises(FootfallError, match=r"give a footfall\.Motion"):
        ff.save("walk", tmp_path / "walk.png")
    with pytest.raises(FootfallError, match="that is only a suffix"):
        ff.save(walk(0.1), tmp_path / ".png")


@pytest.mark.parametrize(
    ("kind", "a", "b", "told"),
    [
        ("unifrom", 0.0, 1.0, "did you mean 'uniform'"),
        ("normal", 0.0, -1.0, "sd is at least 0"),
        ("loguniform", 0.0, 1.0, "0 < low ≤ high"),
        ("uniform", 0.0, np.inf, "finite"),
    ],
)
def test_draws_are_checked_when_they_are_made(kind, a, b, told):
    with pytest.raises(FootfallError, match=f"draw 'kp': .*{told}"):
        ff.Draw("kp", kind, a, b)


def test_worlds_with_values_of_their_own_are_all_described(capsys):
    words = ("run", "walk", "--set", "swing_hip.c_v=0.1:0.3:3", "--seconds", "0.5", "--json")
    answer = json.loads(said(capsys, *words))
    assert answer["world"] == 0
    assert answer["set"] == {"swing_hip.c_v": pytest.approx([0.1, 0.2, 0.3])}
    assert len(answer["per_world"]["distance_m"]) == 3
    assert answer["per_world"]["distance_m"][0] == answer["distance_m"]


def test_waiting_for_another_process_is_said(tmp_path, monkeypatch):
    lines, told = [], threading.Event()

    def print_line(line, **_):
        lines.append(line)
        told.set()

    monkeypatch.setattr(building, "print", print_line, raising=False)
    taken = threading.Event()

    def hold():
        with open(tmp_path / "lock", "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            taken.set()
            told.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(60)
    token = building.LOADED.set("planar-biped with walk for cpu")
    try:
        with building._lock(tmp_path / "lock"):
            pass
    finally:
        building.LOADED.reset(token)
        holder.join()
    assert lines[0].startswith("footfall: waiting for another process that compiles planar-biped with walk for cpu")


def test_no_internal_names_in_messages():
    graphs = [load_controller(name) for name in ("walk", "run", "skipping")]
    law = kind_of(graphs[0]).shared_law(graphs, Figure.load("planar-biped"))
    assert law.label == "walk, run and 1 more"
    simulation = ff.Simulation(law=law, figure="planar-biped")
    assert simulation.description()["controller"] == "walk, run and 1 more"


def test_find_gait_keeps_the_best_after_ctrl_c(monkeypatch):
    class Interrupted:
        def __init__(self, *_, **__):
            self.calls, self.population = 0, 8

        def __call__(self, rows, turn, size):
            self.calls += 1
            if self.calls == 3:
                raise KeyboardInterrupt
            count = len(rows)
            tallies = {"pushes_survived": np.full(count, 0.5)}
            return Judged(np.arange(float(count)), {"speed": np.ones(count)}, tallies)

    monkeypatch.setattr(find, "Judge", Interrupted)
    monkeypatch.setattr(find, "settled_start", lambda *_, **__: None)
    goal = load_goal("crouch-walk-3d")  # one that needs no tables of people
    found = find.find_gait(goal, population=8)
    assert found.interrupted
    assert len(found.history) == 2
    assert "optimize --goal crouch-walk-3d" in found.controller.about


@pytest.mark.parametrize(
    ("factor", "axis"),
    [
        ("push.force", "push_force"),
        ("0.swing_hip.c_v", "state_0_swing_hip_c_v"),
        ("kp", "kp"),
        ("0.hold", "state_0_hold"),
    ],
)
def test_axes_of_a_sweep_are_words(factor, axis):
    assert axis_name(factor) == axis
    assert axis.isidentifier()


def test_the_list_of_commands_has_one_column(capsys):
    assert main(["--help"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    places = {re.match(r"  \S+(\s{2,})", row).end() for row in rows}
    assert len(places) == 1
