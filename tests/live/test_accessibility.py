"""Live pages, the crowd and the player, as axe-core judges them: names, roles, reachability and contrast."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footfall.control import load_controller
from footfall.live.crowd import write_crowd_page
from footfall.live.page import write_live_page
from footfall.pictures import save
from tests.accessibility import NO_AXE, find_axe, violations
from tests.motion.walks import walk
from tools.browser import Browser, Page, find_chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed"),
    pytest.mark.skipif(find_axe() is None, reason=NO_AXE),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(1280, 720, scale=0.5) as opened:
        yield opened


def opened(browser: Browser, path: Path, size: tuple[int, int], theme: str) -> Page:
    page = browser.open("about:blank", size)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    page.go(f"file://{path}#play=no")
    page.wait("document.documentElement?.dataset.ready === 'yes'", 90)
    return page


@pytest.mark.parametrize(("size", "theme"), [((1280, 720), "light"), ((390, 844), "dark")], ids=["desk", "phone"])
def test_every_panel_of_a_live_page(browser: Browser, tmp_path: Path, size: tuple[int, int], theme: str) -> None:
    page = opened(browser, write_live_page([load_controller("walk")], tmp_path / "walk.html"), size, theme)
    page.js("(async () => { await footfall.compare(true); footfall.advance(1); })()")
    for tab in ("gait", "world", "plots", "try", "share"):
        page.js(f"document.querySelector('[data-tab={tab}]').click(), footfall.advance(0)")
        page.js("(document.getElementById('shows').open = true, 0)")
        assert violations(page) == [], tab
    page.close()


def test_the_player_and_the_crowd(browser: Browser, tmp_path: Path) -> None:
    pages = {"light": save(walk(2.0), tmp_path / "p.html"), "dark": write_crowd_page(tmp_path / "crowd.html")}
    for theme, path in pages.items():
        page = opened(browser, path, (1024, 700), theme)
        assert violations(page) == [], path.name
        page.close()
