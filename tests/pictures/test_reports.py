"""All reports have one design: the verdict first, plots that can be read out, letters that can be read."""

import re
from importlib.resources import files
from xml.etree import ElementTree

import pytest

from footfall.pictures.page import empty_figure
from footfall.pictures.web_page import Verdict, plot_section, plot_svg, report_page, table_section
from footfall.simulation.trace import table_html

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
    assert "var(--ff-left)" in text
    assert "#0072" not in text
    assert text == drawn(), "the same plot makes the same drawing"


def _luminance(colour: str) -> float:
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    r, g, b = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "accent", "good", "bad"])
@pytest.mark.parametrize("ground", ["panel", "sky0", "sky1"])
def test_letters_of_reports_can_be_read(theme: int, ink: str, ground: str) -> None:
    sheet = (files("footfall.pictures") / "report.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): (#\w{6})", re.findall(r":root \{([^}]*--ink: #[^}]*)\}", sheet)[theme]))
    high, low = sorted((_luminance(colours[ink]), _luminance(colours[ground])), reverse=True)
    assert (high + 0.05) / (low + 0.05) >= 4.5
