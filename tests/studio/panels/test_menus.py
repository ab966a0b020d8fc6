"""What menus offer instead of words to type: terrains, factors of a sweep, bodies from elsewhere."""

import math
from pathlib import Path

import pytest

from footfall.control.registry import kind_of, load_controller
from footfall.figures import Figure
from footfall.studio.core.library import Bodies, Library
from footfall.studio.panels.body import TERRAINS
from footfall.studio.panels.studies import FACTORS, NOTHING, _factors
from footfall.study.sweeps.factors import Grid, factor_unit, parse_factor
from footfall.terrain import parse_terrain


@pytest.mark.parametrize("name", TERRAINS)
def test_every_terrain_is_one_that_can_be_seen(name: str) -> None:
    words, (_, least, most, _), start = TERRAINS[name]
    terrain = parse_terrain(words.format(start))
    assert start == 0.0 or least <= start <= most
    _, z = terrain.profile()
    rise = float(z.max() - z.min())
    assert rise == 0.0 if name == "flat" else rise > 0.04


def test_stairs_begin_at_15_cm_and_slopes_are_in_degrees() -> None:
    assert TERRAINS["stairs"][0].format(TERRAINS["stairs"][2]).startswith("stairs:0.15,")
    assert TERRAINS["slope down"][0].format(4.5) == "slope:-4.5"


@pytest.mark.parametrize("which", FACTORS)
def test_every_factor_of_a_sweep_is_one_that_the_command_knows(which: str) -> None:
    _, least, most = FACTORS[which]
    axes = {"over": {"": which, " from": least, " until": most, " values": 7.0}}
    axes["across"] = {"": NOTHING, " from": 0.0, " until": 0.0, " values": 10.0}
    chosen = {name + part: value for name, parts in axes.items() for part, value in parts.items()} | {
        "show": "survived"
    }
    options = _factors(chosen)
    assert options["across"] == ""
    assert set(options) == {"over", "across", "show"}
    factor = parse_factor(options["over"])
    assert factor.name == FACTORS[which][0]
    assert isinstance(factor, Grid)
    assert len(factor.values) == 7
    turns = factor_unit(factor.name) == "rad"
    assert ("(°)" in which and not factor.name.startswith("push.")) == turns, "degrees on pages, radians in commands"
    assert factor.values[-1] == pytest.approx(math.radians(most) if turns else most, rel=1e-5)


def test_a_body_from_elsewhere_is_offered_by_its_files_name(tmp_path: Path) -> None:
    path, folder = tmp_path / "elsewhere" / "mine.xml", tmp_path / "studio"
    path.parent.mkdir()
    folder.mkdir()
    path.write_text(Figure.load("planar-biped").xml, encoding="utf-8")
    bodies = Bodies(folder)
    assert "mine.xml" not in bodies.names
    assert bodies.name_of(str(path)) == "mine.xml"
    names, groups = bodies.choice()
    assert dict(zip(names, groups, strict=True))["mine.xml"] == "from elsewhere"
    assert bodies.source("mine.xml") == str(path)
    assert len(bodies.load("mine.xml").bodies) == len(Figure.load("planar-biped").bodies)


def test_a_page_asks_run_for_a_speed_forward_and_leaves_others_alone(tmp_path: Path) -> None:
    run, walk = load_controller("run"), load_controller("walk")
    kind = kind_of(run)
    assert kind.for_page(run).balance.speed > 1.0
    assert kind.for_page(walk) is walk
    slow = kind.with_number(run, "speed", 0.4)
    assert kind.for_page(slow) is slow
    assert Library(tmp_path).document("run").controller == kind.for_page(run)
    assert load_controller("run").balance.speed == 0.0
