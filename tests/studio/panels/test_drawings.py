"""Drawings of plots and studies."""

import re
import xml.etree.ElementTree as ET

import numpy as np

from footfall.figures import Figure
from footfall.pictures.page import dress, empty_figure
from footfall.pictures.plots import plot_rose
from footfall.studio.core.drawings import Line, curves, matplotlib_svg, table, timeline


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def test_drawings_are_well_formed_whatever_the_names_say() -> None:
    evil = "<script>alert(1)</script>'\""
    figure = Figure.load("planar-biped")
    times = np.arange(100) / 100
    codes = [(evil, k // 30, bool(k // 50)) for k in range(100)]
    contact = np.zeros((100, sum(p.ground for p in figure.points)), dtype=bool)
    contact[20:60] = True
    for text in (
        timeline(times, codes, contact, figure, 4.0, ["#ffffff"]),
        matplotlib_svg(plot_rose(np.arange(8) * 45.0, np.arange(8) * 100.0, {0.0: evil}), "rose"),
        curves([(evil, [Line(times, "red"), Line(-times, "blue", dashed=True)], (times, times + 1.0))], evil, "name"),
        table([(evil, evil, evil)], "name", (evil, "", "")),
    ):
        for drawing in parsed(text).iter("svg"):
            assert drawing.get("role") == "img"
            assert drawing.get("aria-label"), "it says what it shows"
        assert "<script" not in text
        assert not re.search(r"nan|inf", text.lower().replace("infinite", ""))


def test_a_plot_of_a_study_has_the_pages_colours_and_keeps_its_style_to_itself() -> None:
    figure = empty_figure(3.0, 2.0)
    ax = figure.subplots()
    ax.plot([0.0, 1.0], [1.0, 2.0], color="#0072B2")
    ax.set_title("<script>", loc="left")
    ax.set_xlabel("<b> & 'c'")
    dress(ax)
    text = matplotlib_svg(figure, "name")
    parsed(text)
    assert "var(--left)" in text
    assert "var(--ink)" in text
    assert not re.search("<style|<script|<metadata|#0072b2|#000000|#ffffff", text.lower())
