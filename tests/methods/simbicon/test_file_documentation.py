"""The page on controller files has every table and key that the reader takes, with its default, and no others."""

import math
import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.methods.simbicon.graph import PoseControlGraph, ServoGains, State, Target
from footfall.methods.tracking.controller import Entry, TrackingFile
from footfall.methods.tracking.repertoire import Fragment, Settings
from footfall.methods.tracking.repertoire import TrackingGains as TrackingGains
from footfall.toml_files import types_of

PAGE = (Path(__file__).parents[3] / "docs" / "controller-files.md").read_text(encoding="utf-8")

SECTIONS = {
    name: part
    for name, kind in types_of(PoseControlGraph).items()
    for part in (kind, *get_args(kind))
    if is_dataclass(part) and part is not State
}
"""Tables of a pose control graph, with their dataclasses."""


def section(title):
    """The text under a heading, up to the next heading of its level."""
    level = title.partition(" ")[0]
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found, f"no heading '{title}'"
    return found[1]


def rows(text):
    """Key -> cells, of the tables of a section."""
    lines = (line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `"))
    return {cells[0].strip().strip("`"): [cell.strip() for cell in cells] for cells in lines}


def written(default):
    """A default as the page writes it."""
    if isinstance(default, bool):
        return str(default).lower()
    return (
        f'`"{default}"`' if isinstance(default, str) else str(list(default) if isinstance(default, tuple) else default)
    )


@pytest.mark.parametrize("name", SECTIONS)
def test_every_key_of_a_table_is_there_with_its_default(name):
    kind, told = SECTIONS[name], rows(section(f"### `[{name}]`"))
    assert set(told) == {f.name for f in fields(kind)}
    for part in fields(kind):
        cell = told[part.name][2]
        if part.default is MISSING and part.default_factory is MISSING:
            assert cell == "required", part.name
        elif part.default is None:
            assert cell == "the figure's", part.name
        elif part.default is not MISSING:
            assert cell.strip("`") == written(part.default).strip("`"), part.name


def test_every_key_of_a_state_and_of_a_target_is_there():
    assert set(rows(section("## States"))) == {f.name for f in fields(State)} - {"targets"}
    assert set(rows(section("## Targets"))) == {f.name for f in fields(Target)}


def test_every_key_and_table_at_the_top_is_there():
    text = section("## Top level")
    tables = {name.strip("[]") for name in re.findall(r"`(\[+\w+\]+)`", text)}
    assert set(rows(text)) | tables == {f.name for f in fields(PoseControlGraph)}
    for gain in fields(ServoGains):
        assert f"`{gain.name}`" in section("### `[servo]`")


def test_every_key_of_a_tracked_clip_is_there():
    text = section("## Tracked clips")
    for kind in (Settings, TrackingGains, Fragment, Entry):
        for part in fields(kind):
            assert f"`{part.name}`" in text, part.name
    for key in types_of(TrackingFile):
        assert re.search(rf"`\[*{key}\]*`", text), key


def test_the_examples_of_learned_torques_are_some_in_every_form():
    examples = re.findall(r"```toml\n(.*?)```", section("### `[feedforward]`"), re.DOTALL)
    walk = print_controller(load_controller("walk-3d")).partition("[[states]]")
    known = [parse_controller(walk[0] + e + "\n" + walk[1] + walk[2]).feedforward for e in examples]
    assert [k.over for k in known] == ["stride", "step", "stride"]
    assert [(k.limit, k.limit_angle) for k in known] == [(math.inf, 0.2), (60.0, math.inf), (math.inf, 0.2)]
    assert known[0] == known[2]
    assert set(known[0].joints) == {"torso", "torso_roll", "torso_yaw"}
