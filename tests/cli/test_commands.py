"""Commands of other packages: listed, completed and run like footfall's own, with errors of one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.cli import commands
from footfall.cli.main import main
from tests.cli.commands import refused

HOP = '''
from __future__ import annotations

from typing import Annotated, Literal

import tyro

from footfall.cli.arguments import Offers
from footfall.errors import FootfallError


Leg = Annotated[str, tyro.conf.Positional, Offers(lambda: ["left", "right"])]


def hop(leg: Leg, how: Literal["high", "far"] = "far") -> int:
    """Hop on one leg.

    Args:
        leg: left or right.
        how: high or far.
    """
    if leg == "middle":
        raise FootfallError("leg 'middle' is neither left nor right")
    print(f"hops {how} on the {leg} leg", 1 // len(leg))
    return 0


more = {"twice": hop}
nothing = "hop"
'''
POINTS = """[footfall.commands]
hop = hopping:hop
hops = hopping:more
hollow = hopping:nothing
broken = no_such_package:hop
run = hopping:hop
"""


@pytest.fixture(scope="module")
def hopping(tmp_path_factory) -> dict[str, str]:
    """The environment in which a package with commands is installed."""
    folder: Path = tmp_path_factory.mktemp("packages")
    (folder / "hopping.py").write_text(HOP)
    about = folder / "hop_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hop-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    path = os.pathsep.join([str(folder), *(p for p in sys.path if p)])
    return {**os.environ, "PYTHONPATH": path}


def _footfall(environment: dict[str, str], *words: str) -> tuple[int, str, str]:
    run = subprocess.run(
        [sys.executable, "-m", "footfall", *words], env=environment, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout, run.stderr


def test_it_is_listed_without_being_imported(hopping):
    program = "import sys; from footfall.cli.main import main; main(['--help']); assert 'hopping' not in sys.modules"
    run = subprocess.run([sys.executable, "-c", program], env=hopping, capture_output=True, text=True, check=True)
    rows = dict(line.split(maxsplit=1) for line in run.stdout.splitlines() if line.startswith("  "))
    assert rows["hop"] == rows["hops"] == rows["broken"] == "from hop-package"
    assert rows["run"] == commands.OWN["run"][1]


def test_it_runs_and_has_help(hopping):
    assert _footfall(hopping, "hop", "left", "--how", "high") == (0, "hops high on the left leg 0\n", "")
    assert _footfall(hopping, "hops", "twice", "right")[1] == "hops far on the right leg 0\n"
    status, text, _ = _footfall(hopping, "hop", "--help")
    assert status == 0
    assert "Hop on one leg." in text


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["hop", "middle"], "footfall: leg 'middle' is neither left nor right"),
        (["hop", "left", "--how", "low"], "footfall: .*high.*far"),
        (
            ["hop", ""],
            r"footfall: hop, from package 'hop-package': ZeroDivisionError: .*hopping\.py, line \d+",
        ),
        (["hollow"], "footfall: package 'hop-package' adds the command 'hollow' to footfall, but names a str"),
        (["broken"], "footfall: package 'hop-package' adds 'broken' to footfall's commands, but it does not load"),
        (["hup"], "footfall: unknown command 'hup': did you mean 'hop'"),
    ],
)
def test_its_errors_are_one_line(hopping, words, error):
    status, out, err = _footfall(hopping, *words)
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert re.match(error, err), err


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_it_is_completed(hopping, shell):
    status, text, err = _footfall(hopping, "--completion", shell)
    assert status == 0
    assert "left right" in text
    assert "high far" in text
    assert sorted(line.split("'")[3] for line in err.splitlines()) == ["broken", "hollow"]


def test_a_command_that_is_not_installed_says_how_to_get_it(capsys, monkeypatch):
    monkeypatch.setattr(commands, "plugin_names", lambda group: ())
    said = refused(capsys, "reproduce", "simbicon-2d")
    assert "measure a paper's tables and claims again" in said
    assert "pip install footfall-reproductions" in said
    assert "pip install -e reproductions" in said
    assert main(["--help"]) == 0
    assert "not installed: pip install footfall-reproductions" in capsys.readouterr().out
    assert main(["--completion", "bash"]) == 0
    assert "reproduce" not in capsys.readouterr().out
