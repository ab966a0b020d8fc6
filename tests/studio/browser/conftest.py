"""One studio and one browser for all tests that look at the page: starting them takes longer than most tests.

They end with this package: a page that is left open keeps a processor busy, and slows what follows. Scenes are drawn
only where a test says so (``window.drawing``): the tests' machine has no graphics card."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footfall.control import load_controller, print_controller
from footfall.studio import Studio
from tests.studio.controls import opened, until
from tools.browser import Browser, Page

BACK = "footfall.wire.open && document.getElementById('gone').hidden && !document.querySelector('dialog[open]')"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with Browser(1280, 720, scale=0.5, drawing=False) as browser:
        yield browser


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the studio saves controllers. One of them is broken."""
    folder = tmp_path_factory.mktemp("controllers")
    text = print_controller(load_controller("walk")).replace('"walk"', '"mine"').replace("swing_knee", "swing_kne")
    (folder / "mine.toml").write_text(text)
    return folder


@pytest.fixture(scope="package")
def shared_studio(folder: Path) -> Iterator[Studio]:
    studio = Studio("walk", port=0, folder=folder, shadows=False, playing=False)
    yield studio
    studio.stop()


@pytest.fixture
def studio(shared_studio: Studio) -> Iterator[Studio]:
    """The studio at the start of the planar walk, paused, as if it had just been opened."""
    studio, session = shared_studio, shared_studio.session
    session.loop.play(False)
    if session.document.name != "walk" or session.world.can.balance:
        session.open("walk")
        until(lambda: session.document.name == "walk" and not session.world.can.balance, what="the planar walk")

    def begin() -> None:
        session.posing = False
        session.select(0)
        session.edit(lambda _: session.document.saved)
        if session.setting.terrain != "flat":
            session.change_setting(terrain="flat")
        session.reset()

    session.loop.call(begin)
    studio.layout.path.mode.value = studio.layout.editor.states.posing.value = False
    session.message = ""
    yield studio
    session.loop.play(False)


@pytest.fixture(scope="package")
def pages() -> list[Page]:
    return []


@pytest.fixture
def page(studio: Studio, browser: Browser, pages: list[Page]) -> Iterator[Page]:
    """The studio's page, which all tests share; opened again where a test has left it unusable. It makes no errors."""
    if pages:
        try:
            pages[0].wait(BACK, 20)
        except Exception:
            pages.pop().close()
    if not pages:
        pages.append(opened(browser, studio))
    pages[0].js("(document.activeElement?.blur(), footfall.view.look('side'), footfall.paint())")
    yield pages[0]
    assert pages[0].errors == []
