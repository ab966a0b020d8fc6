"""What all commands have in common: files, JSON, progress, completion."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from typing import get_args

import pytest

from footfall.cli import printing as progress_module
from footfall.cli.arguments import arguments_of
from footfall.cli.commands import APART, OWN, command_groups, command_names, load_command
from footfall.cli.printing import print_json
from footfall.control import load_controller, parse_controller
from tests.cli.commands import refused, said


def _functions():
    for name in OWN:
        command = load_command(name)
        yield from [(f"{name} {k}", f) for k, f in command.items()] if isinstance(command, dict) else [(name, command)]


OTHER_WORDS = {
    "picture", "plots", "write", "steps", "script", "changes", "settings", "strip", "rate", "delay", "noise_seed",
    "data", "bands", "base",
}  # fmt: skip
"""Words for what --out, --set, --fps, --actuator-delay, --seed and --norms name."""


def test_there_are_so_many_commands_in_groups(capsys):
    """Every command stands in one group, also those that come in packages of their own."""
    groups = command_groups()
    grouped = [name for names in groups.values() for name in names]
    assert sorted(grouped) == sorted(command_names())
    assert (len(OWN), len(set(OWN) | set(APART))) == (20, 21)
    text = said(capsys, "--help")
    assert [line[:-1] for line in text.splitlines() if re.fullmatch(r"\w.*:", line)] == list(groups)


def test_options_have_one_meaning_each():
    """What several commands call by one name is of one type; lists of numbers and texts are not mixed."""
    kinds = {}
    for name, function in _functions():
        for option, (kind, _) in arguments_of(function).items():
            if "Positional" in repr(kind) or option in ("out", "over", "terrain", "push", "speed", "sturdy", "joint"):
                continue
            plain = {arg for arg in get_args(kind) or (kind,) if isinstance(arg, type)} - {type(None), tuple}
            for one in plain & {int, float, str, bool}:
                kinds.setdefault(option, {}).setdefault(one, []).append(name)
    assert {option: found for option, found in kinds.items() if len(found) > 1} == {}


def test_options_have_one_name_each():
    """No command has another word for a file to write; --figure is a body; every computing command has --json."""
    for name, function in _functions():
        options = set(arguments_of(function))
        assert not options & OTHER_WORDS, name
        text = inspect.getdoc(function)
        assert "paper 00" not in text, name
        if "figure" in inspect.signature(function).parameters:
            assert "figure: a built-in" in text, name
        assert "json" in options, name


def test_python_m_footfall(tmp_path):
    run = subprocess.run([sys.executable, "-m", "footfall", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("footfall ")


def test_json_has_no_nan(capsys):
    print_json({"a": float("nan"), "b": [float("inf"), 1.0], "c": {"d": -float("inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.0], "c": {"d": None}}


@pytest.mark.slow
def test_a_balanced_walker_that_falls_at_once_answers_null(capsys):
    words = ["limit-cycle", "human-walk", "--footsteps", "6", "--target", "2.0", "0", "--json"]
    text = said(capsys, *words)
    assert "NaN" not in text
    answer = json.loads(text)
    assert answer["fell"]
    assert answer["footsteps"] < 6


@pytest.mark.slow
def test_every_file_is_named_when_it_is_written(capsys, tmp_path):
    commands = {
        "run": ["walk", "--seconds", "1", "--out", "walk.npz", "--out", "walk.pdf"],
        "show": ["walk", "--out", "show.svg"],
        "sweep": ["walk", "--over", "kp=300,301", "--seconds", "1", "--out", "s.nc", "--out", "s.png"],
        "train": ["walk", "--method", "feedback-error", "--seconds", "6", "--out", "calm.toml", "--out", "calm.png"],
        "pendulum": ["--seconds", "1", "--out", "p.csv"],
    }
    for command, words in commands.items():
        files = [tmp_path / words[i + 1] for i, word in enumerate(words) if word == "--out"]
        text = said(
            capsys, command, *(str(tmp_path / w) if words[i - 1] == "--out" else w for i, w in enumerate(words))
        )
        assert [f"wrote {file}" for file in files] == [line for line in text.splitlines() if line.startswith("wrote")]
        assert all(file.stat().st_size > 500 for file in files)


def test_show_prints_the_file_itself(capsys, tmp_path):
    text = said(capsys, "show", "walk", "--toml")
    assert parse_controller(text) == load_controller("walk")
    (tmp_path / "mine.toml").write_text(text.replace('name = "walk"', 'name = "mine"'))
    assert json.loads(said(capsys, "run", tmp_path / "mine.toml", "--seconds", "1", "--json"))["controller"] == "mine"
    assert "only controllers" in refused(capsys, "show", "planar-biped", "--toml")


def test_a_range_runs_a_world_for_each_value(capsys):
    words = ["run", "walk", "--seconds", "1", "--json"]
    assert json.loads(said(capsys, *words, "--set", "kp=290:310:3"))["worlds"] == 3
    assert json.loads(said(capsys, *words, "--set", "kp=290,300", "--set", "kd=30"))["worlds"] == 2
    assert "3 values for 2 worlds" in refused(capsys, *words, "--set", "kp=290:310:3", "--worlds", "2")
    assert "LOW:HIGH:COUNT" in refused(capsys, *words, "--set", "kp=290..310")


def test_progress_in_a_log(capsys, monkeypatch):
    monkeypatch.setattr(progress_module, "LOG_SECONDS", 0.0)
    with progress_module.progress("walking", 4.0) as show:
        show(1.0)
        show(2, 8, "turning")
    assert capsys.readouterr().err.splitlines() == ["footfall: walking: 25%", "footfall: turning: 25%"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["foot"], set()),
        (["footfall", "ru"], {"run"}),
        (["footfall", "run", "thrif"], {"thrifty-walk"}),
        (["footfall", "run", "walk", "--integrator", "ex"], {"explicit"}),
        (["footfall", "sweep", "walk", "--sam"], {"--samples"}),
        (["footfall", "motion", "in"], {"info"}),
        (["footfall", "motion", "info", "--un"], {"--unit"}),
        (["footfall", "show", "planar"], {"planar-biped"}),
    ],
)
def test_bash_completes(capsys, tmp_path, words, found):
    script = tmp_path / "footfall.bash"
    script.write_text(said(capsys, "--completion", "bash"))
    line = " ".join(words)
    program = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _footfall; echo ${{COMPREPLY[@]}}"
    run = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) >= found
    assert run.stderr == ""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_scripts(capsys, tmp_path, shell):
    script = tmp_path / f"footfall.{shell}"
    script.write_text(said(capsys, "--completion", shell))
    assert "thrifty-walk" in script.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script)], check=True)
