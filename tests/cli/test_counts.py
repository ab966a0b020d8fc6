"""Counts that a user gives: those that nothing can have are refused in one line that says the limit."""

import inspect
import re

import pytest
import tyro

from footfall.cli.arguments import arguments_of
from footfall.cli.commands import command_names, load_command
from footfall.cli.main import main
from footfall.errors import MOST_CANDIDATES, FootfallError
from footfall.study.robustness import push_map, report
from footfall.study.search.evolution import Evolution
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import parse_factor


def _commands():
    for name in command_names():
        command = load_command(name)
        if isinstance(command, dict):
            yield from ((f"{name} {sub}", function) for sub, function in command.items())
        else:
            yield name, command


def _needed(parameters):
    """Words for what a command needs."""
    words = []
    for name, (annotation, default) in parameters.items():
        if default is inspect.Parameter.empty:
            positional = tyro.conf.Positional in getattr(annotation, "__metadata__", ())
            words += ["x"] if positional else [f"--{name.strip('_').replace('_', '-')}", "x"]
    return words


COUNTS = [
    (command, name, words)
    for command, function in _commands()
    for words in [_needed(arguments_of(function))]
    for name, (annotation, _) in arguments_of(function).items()
    if name != "seed" and re.search(r"\bint\b", str(annotation))
]


@pytest.mark.parametrize(("command", "name", "words"), COUNTS, ids=[f"{c} --{n}" for c, n, _ in COUNTS])
@pytest.mark.parametrize("count", [10**14, 10**30])
def test_every_count_of_every_command_has_a_limit(capsys, command, name, words, count):
    option = f"--{name.strip('_').replace('_', '-')}"
    assert main([*command.split(), *words, option, str(count)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    own = rf"{name} is \[?{count}\]?; (give|there are) .*"  # of an option that is checked as it is read
    assert re.fullmatch(rf"footfall: ({option} is {count}; it may be at most 2147483647|{own})", line)


def test_there_are_counts():
    assert len(COUNTS) > 20


@pytest.mark.parametrize("count", [str(MOST_CANDIDATES + 1), "1" + "0" * 14, "1" + "0" * 5000])
def test_a_grid_says_how_many_values_it_may_have(capsys, count):
    with pytest.raises(FootfallError, match=rf"a factor has at most {MOST_CANDIDATES} values, so write kp=0:1:COUNT"):
        parse_factor(f"kp=0:1:{count}")
    assert main(["sweep", "walk", "--over", f"kp=0:1:{count}"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("count", [-1, 0, MOST_CANDIDATES + 1, 10**14, 10**30, 2.5, True])
def test_studies_refuse_counts_that_they_cannot_hold(count):
    walk = Experiment("walk")
    for name, call in (
        ("replicas", lambda: report.robustness_reports([walk], replicas=count)),
        ("phases", lambda: report.robustness_reports([walk], phases=count)),
        ("worlds", lambda: push_map.push_map(walk, count)),
        ("replicas", lambda: push_map.push_map(walk, 1, replicas=count)),
        ("population", lambda: Evolution(0.1, population=count, seed=1)),
    ):
        with pytest.raises(FootfallError, match=rf"^{name} is {re.escape(str(count))}; .* from \d to \d+$"):
            call()


@pytest.mark.parametrize("seed", [-1, 2**31, 10**30])
def test_seeds_have_a_limit(seed):
    for call in (lambda: Experiment("walk", seed=seed), lambda: Evolution(0.1, population=4, seed=seed)):
        with pytest.raises(FootfallError, match=rf"^seed is {seed}; it must be a whole number (from|of at least) 0"):
            call()


def test_too_little_memory_is_one_line(capsys, monkeypatch):
    def out_of_memory(*_, **__):
        raise MemoryError("Unable to allocate 728. TiB")

    monkeypatch.setattr("footfall.cli.sweep.Sweep", out_of_memory)
    assert main(["sweep", "walk", "--over", "kp=1:2:2"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("footfall: there is not enough memory for this (Unable to allocate 728. TiB); ask for fewer")
