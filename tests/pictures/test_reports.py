"""All reports have one design: the verdict first, plots that can be read out, letters that can be read."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import footfall
from footfall.pictures import save
from footfall.pictures.page import empty_figure
from footfall.pictures.web_page import Verdict, page_colours, plot_section, plot_svg, report_page, table_section
from footfall.simulation.trace import table_html
from tests.motion.walks import walk

EVIL = "<script>alert('x')</script> __DATA__ \"&"


def test_the_verdict_comes_first_and_no_name_becomes_a_script() -> None:
    figure = empty_figure(2.0, 1.0)
    figure.subplots().plot([0.0, 1.0], label=EVIL)
    body = table_section(EVIL, table_html([EVIL], [[EVIL]])) + plot_section(EVIL, [(EVIL, plot_svg(figure, EVIL))])
    page = report_page(EVIL, Verdict(EVIL, EVIL, EVIL, False), body)
    assert page.index('class="verdict"') < page.index("<table>") < page.index("<svg")
    assert page.count("<script") == 2
    assert "alert('x')" not in page
    assert "script-src 'sha256-" in page


def test_a_plot_says_what_it_shows_in_the_pages_colours() -> None:
    def drawn() -> str:
        figure = empty_figure(2.0, 1.0)
        figure.subplots().plot([0.0, 1.0], color="#0072B2")
        return plot_svg(figure, "a line")

    text = drawn()
    drawing = ElementTree.fromstring(text)
    assert (drawing.get("role"), drawing.get("aria-label")) == ("img", "a line")
    assert "var(--left)" in text
    assert "#0072" not in text
    assert text == drawn(), "the same plot makes the same drawing"


def _luminance(colour: str) -> float:
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "accent", "good", "bad"])
@pytest.mark.parametrize("ground", ["solid", "sky0", "sky1"])
def test_letters_of_all_pages_can_be_read(theme: int, ink: str, ground: str) -> None:
    high, low = sorted((_luminance(page_colours()[name][theme]) for name in (ink, ground)), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_sheets_use_the_colours_of_all_pages_and_no_others() -> None:
    package = Path(footfall.__file__).parent
    sheets = [p for p in package.rglob("*.css") if "var(--" in p.read_text(encoding="utf-8")]
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert set(re.findall(r"var\(--([\w-]+)", text)) <= {*page_colours(), "top", "wide"}, sheet.name


def test_the_player_says_first_what_was_asked_and_what_came_out(tmp_path: Path) -> None:
    source = {"asked": f"{EVIL} on a hill", "walked": [2.0, 1.234, 0.617, "fell at 1.50 s"]}
    known = replace(walk(2.0), source=source)
    page = save(known, tmp_path / "known.html", title=EVIL).read_text(encoding="utf-8")
    for text in ("on a hill", "1.23 m in 2.0 s, 0.62 m/s", "fell at 1.50 s"):
        assert text in page[page.index('class="verdict"') : page.index("<footer")]
    assert "alert('x')" not in page[: page.index("<script")]
    cut = replace(walk(3.0), source=source)
    assert "fell at" not in save(cut, tmp_path / "cut.html").read_text(encoding="utf-8"), "what was said is of another"
