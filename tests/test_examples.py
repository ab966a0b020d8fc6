"""The scripts in examples: each makes its picture, film or page, and says so."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
MADE = {
    "push_sweep": "push_sweep.png",
    "terrain": "terrain.png",
    "retarget": "retarget.png",
    "crowd": "crowd.png",
    "basin": "basin.png",
    "optimisation": "optimisation.png",
    "own_law": "own_law.png",
    "own_figure": "own_figure.png",
    "environment": "environment.gif",
    "live_page": "live_page.html",
}
"""Script -> what it writes."""
QUICK = ("crowd", "live_page")
MAGIC = {".png": b"\x89PNG", ".gif": b"GIF8", ".html": b"<!doctype html"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in MADE])
def test_an_example_makes_its_picture(name, tmp_path, monkeypatch, capsys):
    if name == "environment":
        pytest.importorskip("gymnasium", reason="NO GYMNASIUM: its example was not run")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    made = tmp_path / MADE[name]
    assert made.read_bytes()[:20].lower().startswith(MAGIC[made.suffix].lower())
    assert made.stat().st_size > 5000
    assert capsys.readouterr().out.strip()


def test_the_table_of_examples_is_complete():
    table = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in (*EXAMPLES.glob("*.py"), *(EXAMPLES / "notebooks").glob("*.ipynb")):
        assert f"({path.relative_to(EXAMPLES).as_posix()})" in table, path
