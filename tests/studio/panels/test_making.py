"""What is made in a studio: bodies, gaits, links; and what its panels say when that fails."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs
from urllib.request import urlopen

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.figures.scaling import figure_height
from footfall.methods.simbicon.editing import with_contact, with_hold
from footfall.studio import Studio
from footfall.studio.core.background import TasksChanged
from tests.studio.controls import until
from tests.studio.panels.test_panels import turn

PAGE = SimpleNamespace(number=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio")
    for k in range(3):
        (folder / f"bad-{k}.toml").write_text("rubbish = [")
    (folder / "bad.xml").write_text("<mujoco><worldbody/></mujoco>")
    return folder


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Studio]:
    studio = Studio("walk", port=0, folder=folder, shadows=False, playing=False)
    yield studio
    studio.stop()


def walks(studio: Studio, name: str) -> None:
    until(lambda: studio.session.document.name == name, 120, name)
    studio.session.loop.call(lambda: None)


def test_bad_files_are_named_to_the_first_page_alone_and_without_their_paths(studio: Studio, folder: Path) -> None:
    told: list[str] = []
    for number in (0, 1, 2):  # three pages, or one that is loaded again
        studio.shared.join(number, lambda: None)
        studio.session.loop.call(studio.session.step)
        studio.session.loop.call(lambda: None)
        ops = json.loads(studio.shared.take(number, 1)[0])["ops"]
        told.append(str([op["text"] for op in ops if op["op"] == "toast"]))
    assert ["bad-0.toml" in text for text in told] == [True, False, False]
    listed = studio.gui.find("edit/save-load-compare/html-2").content
    assert all(f"bad-{k}.toml" in listed for k in range(3))
    assert str(folder) not in listed + told[0]


def test_a_controller_that_cannot_be_opened_leaves_the_name_of_the_one_that_walks(studio: Studio) -> None:
    session, chooser = studio.session, studio.gui.find("gait/controller")
    document = session.library.documents["run"]
    session.library.documents["run"].controller = document.saved.changed(figure="/nowhere/gone.xml")
    turn(studio, chooser, "run")
    until(lambda: "gone.xml" in session.message, what="the error")
    until(lambda: chooser.value == "walk", what="the old name")
    session.library.documents["run"].controller = document.saved
    session.message = ""


def test_what_is_refused_does_not_stay_on_its_slider(studio: Studio) -> None:
    session, slider = studio.session, studio.gui.find("edit/folder/hold-s")
    hold = session.states[0].hold
    turn(studio, slider, 0.0)
    until(lambda: "hold is 0" in session.message, what="the refusal")
    assert session.states[0].hold == hold
    assert slider.value == pytest.approx(hold, abs=1e-3)
    session.message = ""


def test_a_state_that_ends_by_time_alone_has_some() -> None:
    walk: Any = load_controller("walk")
    ended = next(i for i, state in enumerate(walk.states) if state.contact)
    unheld = with_hold(walk, ended, 0.0)
    assert unheld.states[ended].hold == 0.0
    assert with_contact(unheld, ended, False).states[ended].hold > 0.0
    assert with_contact(walk, ended, True) == walk


@pytest.mark.slow
def test_a_body_is_chosen_measured_and_walked_on_in_another_size(studio: Studio, folder: Path) -> None:
    session, panel = studio.session, studio.layout.body
    own = figure_height(session.world.figure)
    panel._choice.change(PAGE, "bad.xml")
    until(lambda: "bad.xml" in session.message, what="the error")
    until(lambda: panel._choice.value == "planar-biped", what="the body that walks")
    assert str(folder) not in session.message
    panel._walk(None)
    until(lambda: "already" in session.message, what="the answer")
    panel._height.change(PAGE, round(0.8 * own, 2))
    assert panel._mass.value == pytest.approx(0.8**3 * panel._facts["mass_kg"], rel=0.02)
    assert "asked for" in panel._table.content
    panel._walk(None)
    until(lambda: session.world.figure.name != "planar-biped", what="the smaller body")
    session.loop.call(lambda: None)
    assert figure_height(session.world.figure) == pytest.approx(round(0.8 * own, 2), rel=1e-6)
    (kept,) = (path.name for path in folder.glob("planar-biped-*.xml"))
    assert panel._choice.value == kept
    assert kept in studio.layout.studies.sections["adapt"].fields["figure"].options
    for _ in range(120):
        session.loop.call(session.step)
    assert session.world.fell_at is None  # a walk that is scaled with its body walks
    session.open("walk")
    walks(studio, "walk")
    session.message = ""


def test_a_gait_is_begun_named_and_saved(studio: Studio, folder: Path) -> None:
    session, begin = studio.session, studio.gui.find("gait/new-gait/begin")
    for name, told in (("walk", "already"), ("My Gait", "lower-case")):
        studio.gui.find("gait/new-gait/name").value = name
        begin.press(PAGE)
        until(lambda told=told: told in session.message, what=told)
        session.message = ""
    assert "My Gait" not in session.library.names
    studio.gui.find("gait/new-gait/name").value = "mine"
    begin.press(PAGE)
    walks(studio, "mine")
    assert (folder / "mine.toml").is_file()
    assert studio.gui.find("gait/controller").value == "mine"
    session.open("walk")
    walks(studio, "walk")


def test_a_link_leads_to_a_live_page_of_the_walk_in_its_setting(studio: Studio) -> None:
    session, export = studio.session, studio.layout.export
    session.loop.call(lambda: session.change_setting(friction=0.4))
    export._linked.press(PAGE)
    until(lambda: "href" in export._link_shown.content, what="the link")
    link = export._link_shown.content.split("href='")[1].split("'")[0].replace("&amp;", "&")
    path, _, state = link.partition("#")
    assert parse_qs(state) == {
        "gait": ["walk"], "terrain": ["flat"], "gravity": ["9.8"], "friction": ["0.4"], "load": ["0"],
    }  # fmt: skip
    with urlopen(studio.address + path) as answer:
        page = answer.read().decode()
    assert page.startswith("<!doctype html>")
    assert '"name":"walk"' in page
    session.loop.call(lambda: session.change_setting(friction=0.65))


def test_the_floor_is_drawn_where_it_is_after_terrain_and_reset(studio: Studio) -> None:
    session, node = studio.session, studio.stage.ground._node

    def check(what: str) -> None:
        terrain = session.world.simulation.terrains[0]
        x = np.linspace(-5.0, 30.0, 200)
        props = node.item.props
        drawn = np.interp(x, props["x"], np.ravel(props["z"]))
        np.testing.assert_allclose(drawn, [float(terrain.height(v, 0.0)) for v in x], atol=1e-4, err_msg=what)

    def walk(seconds: float) -> None:
        for _ in range(round(60 * seconds)):
            session.loop.call(session.step)

    session.loop.call(session.reset)
    for terrain in ("slope:-3", "flat", "steps:-0.02,1.2,20"):
        session.loop.call(lambda terrain=terrain: session.change_setting(terrain=terrain))
        check(terrain)
        walk(3.0)
        check(f"{terrain}, walked on")
    assert float(session.world.simulation.terrains[0].height(float(session.world.state["qpos"][0, 0]))) < -0.01
    session.loop.call(session.reset)
    check("reset")
    session.loop.call(lambda: session.change_setting(terrain="flat"))
    session.loop.call(session.reset)
    check("flat again")
    assert np.ravel(node.item.props["z"]) == pytest.approx(0.0)


def test_a_film_says_how_much_of_it_is_drawn(studio: Studio) -> None:
    session, export, shares = studio.session, studio.layout.export, list[float]()
    session.events.on(TasksChanged, lambda _: shares.extend(t.share for t in session.tasks if t.share is not None))
    for _ in range(70):
        session.loop.call(session.step)
    export.seconds.value = 1.0
    came: list[str] = []
    page = SimpleNamespace(number=0, download=lambda name, content: came.append(name))
    studio.gui.find("export/download-mp4").press(page)
    until(lambda: came, what="the film")
    assert came == ["walk.mp4"]
    assert len(set(shares)) > 5
    assert shares == sorted(shares)
    assert shares[-1] > 0.9
    until(lambda: not session.tasks, what="no task")
