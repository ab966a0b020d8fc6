"""Live pages, the crowd and the player, as axe-core judges them: names, roles, reachability and contrast."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from footfall.control import load_controller
from footfall.live.crowd import write_crowd_page
from footfall.live.page import write_live_page
from footfall.pictures import save
from footfall.pictures.page import TEXT, empty_figure
from footfall.pictures.web_page import Verdict, plot_section, plot_svg, report_page, table_section
from footfall.simulation.trace import table_html
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
    page.wait("document.documentElement?.dataset.ready === 'yes'")
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
    player, crowd = save(walk(2.0), tmp_path / "p.html"), write_crowd_page(tmp_path / "crowd.html")
    for path, size, theme in (
        (player, (1024, 700), "light"),
        (player, (390, 844), "dark"),
        (crowd, (1024, 700), "dark"),
    ):
        page = opened(browser, path, size, theme)
        assert violations(page) == [], path.name
        page.close()


@pytest.mark.parametrize(("size", "theme"), [((1280, 720), "light"), ((390, 844), "dark")], ids=["desk", "phone"])
def test_a_report_fits_its_screen(browser: Browser, tmp_path: Path, size: tuple[int, int], theme: str) -> None:
    figure = empty_figure(TEXT, 2.0)
    figure.subplots().plot([0.0, 1.0], label="a")
    table = table_html(["what", *"abcdefgh"], [["a long name of a measure", *["0.123 ± 0.001"] * 8]])
    body = table_section("Numbers", table) + plot_section("Plots", [("a line", plot_svg(figure, "a line"))])
    (tmp_path / "report.html").write_text(report_page("A report", Verdict("this", "that", "yes", True), body))
    page = browser.open("about:blank", size)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    page.go(f"file://{tmp_path / 'report.html'}")
    page.wait("!!document.querySelector('figure svg')")
    assert page.js("document.documentElement.scrollWidth") <= size[0]
    assert violations(page) == []
    page.close()
