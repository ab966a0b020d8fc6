"""The gait cycle in a live page: its angles, cycles and table are those of the gait laboratory."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.figures import Figure
from footfall.live.page import SHOWN, people_bands, write_live_page
from footfall.motion import Motion
from footfall.motion.skeleton.roles import leg_length
from footfall.studio.core.clip import CycleReport
from footfall.study.measures.people import SCHWARTZ_SPEEDS, Norms
from tools.browser import Browser, Page, find_chromium

from .test_page_in_a_browser import opened

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None, reason="NO BROWSER: chromium is not installed, so live pages were not opened"
    ),
]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People made by hand: bands that differ by speed."""
    folder = tmp_path_factory.mktemp("people")
    with (folder / "schwartz2008_joint_angles.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["joint", "speed_group", "percent_cycle", "mean_deg", "mean_plus_1sd_deg"])
        for k, group in enumerate(SCHWARTZ_SPEEDS):
            for a, joint in enumerate((*SHOWN, "pelvis_tilt")):
                for percent in range(0, 101, 2):
                    mean = round(20 + 5 * k + 10 * a + 15 * np.sin(2 * np.pi * percent / 100), 1)
                    table.writerow([joint, group, percent, mean, round(mean + 6 + a, 1)])
    return folder


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, people: Path) -> Iterator[Page]:
    path = write_live_page(
        [load_controller("walk-3d")], tmp_path_factory.mktemp("live") / "walk.html", terrains=("flat",), bands=people
    )
    with Browser(900, 640, scale=0.5, drawing=False) as browser:
        page = opened(browser, path)
        page.js("(document.getElementById('tab-of-cycle').click(), 0)")
        assert page.js("!document.getElementById('no-cycle').hidden")
        page.js("(() => { for (let k = 0; k < 28; k++) footfall.advance(.25); return 0; })()")
        yield page
        page.close()


def test_angles_cycles_and_table_are_the_gait_laboratorys(page: Page, people: Path) -> None:
    rows = page.js("footfall.history.filter(h => h.t > 1 - 1e-9 && h.t <= 7).map(h => [h.t, [...h.q], h.contact])")
    found = page.js("(() => { const { run, ...r } = footfall.cycleReport(7); return r; })()")
    figure = Figure.load("human-28")
    names = page.js("footfall.walker.about.points.map(p => p.name)")
    bit = [names.index(p.name) if p.name in names else 30 for p in figure.points]
    touch = np.array([[bits >> k & 1 for k in bit] for _, _, bits in rows], dtype=bool)
    motion = Motion.from_qpos(
        figure,
        np.array([t for t, _, _ in rows]),
        np.array([q for _, q, _ in rows]),
        channels={"contact": touch},
    )
    report = CycleReport.of(motion, Norms(people, 1.0, leg_length(motion.skeleton)))
    assert report is not None
    assert [(c["side"], c["start"], c["end"]) for c in found["cycles"]] == [
        (c.side, pytest.approx(c.start), pytest.approx(c.end)) for c in report.cycles
    ]
    assert len(report.cycles) >= 8
    for name in SHOWN:
        np.testing.assert_allclose(found["curves"][name], report.curves[name], atol=1e-3)
        assert found["matches"][name] == pytest.approx(report.matches[name], abs=0.5)
    for side in ("left", "right"):
        for name in ("speed", "cadence", "stance", "double_support", "step_length", "step_width"):
            assert found["table"][side][name] == pytest.approx(report.parameters[name][side].mean, rel=0.01), name


def test_a_click_on_a_curve_shows_the_walker_at_that_moment(page: Page) -> None:
    page.js("(footfall.cycling.drawn = 0, footfall.advance(.01), 0)")
    page.click_on("document.querySelector('canvas[data-angle=knee_flexion]')")
    page.wait("footfall.cycling.chosen !== null")
    start, look, end = page.js(
        "(() => { const c = footfall.cycling.report.cycles.find(c => c.start === footfall.cycling.chosen);"
        " return [c.start, footfall.state.look, c.end]; })()"
    )
    assert start + 0.3 * (end - start) < look < start + 0.6 * (end - start)  # the middle of the panel, less its scale
    assert page.js("!footfall.state.playing && document.getElementById('cycle').value !== ''")
    page.js("(() => { const e = document.getElementById('cycle'); e.value = '1'; e.onchange(); return 0; })()")
    assert page.js("footfall.state.look === footfall.cycling.report.cycles[1].start")
    page.js("(footfall.goOn(), footfall.cycling.drawn = 0, footfall.advance(.5), 0)")
    assert page.js("footfall.cycling.chosen === null && footfall.state.look === null")


def test_bands_need_their_table(tmp_path: Path) -> None:
    from footfall import FootfallError

    with pytest.raises(FootfallError, match="no folder"):
        people_bands(tmp_path / "nowhere")
    with pytest.raises(FootfallError, match="has none of"):
        people_bands(tmp_path)
