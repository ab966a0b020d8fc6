"""The course in Chromium, opened from disk: every exercise is solved by moving its sliders, one by keyboard alone;
pages judge as footfall simulates; axe-core finds nothing serious."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.live.course import Lesson, Trial, lessons, write_course
from footfall.live.course.grading import passes, read_result, try_again
from tests.accessibility import NO_AXE, find_axe, violations
from tests.studio.controls import until
from tools.browser import Browser, Page, find_chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None, reason="NO BROWSER: chromium is not installed: lessons were not opened"
    ),
]
EACH = pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
MOVE = "(e => {{ e.value = {1}; e.dispatchEvent(new Event('input')); }})(document.querySelector('[data-slider={0}]'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(900, 700, scale=0.5, drawing=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    write_course(folder)
    return folder


def opened(browser: Browser, folder: Path, lesson: Lesson, fragment: str = "", **options: Any) -> Page:
    page = browser.open("about:blank", **options)
    page.go(f"file://{folder / lesson.name}.html#{fragment}&play=no")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    return page


@EACH
def test_an_exercise_is_solved_by_its_sliders_and_by_nothing_less(
    browser: Browser, course: Path, lesson: Lesson, tmp_path: Path
) -> None:
    page = opened(browser, course, lesson)
    assert not page.js("footfall.judge().passed"), "it is solved at the start"
    for name, value in lesson.answer.settings.items():
        page.js(MOVE.format(name, value))
    page.js("document.getElementById('check').click()")
    page.wait("footfall.state.verdict !== null")
    assert page.js("document.querySelector('#verdict strong').textContent") == "Solved.", page.js(
        "document.getElementById('verdict').textContent"
    )
    link, held = page.js("footfall.link()"), page.js("({...footfall.values})")
    assert held == {s.name: pytest.approx(lesson.answer.settings.get(s.name, s.value)) for s in lesson.sliders}
    file = tmp_path / "result.json"
    file.write_text(json.dumps(page.js("footfall.result()")), encoding="utf-8")
    _, _, settings, passed = read_result(file)
    assert passed
    assert settings == pytest.approx(held)
    assert page.js("performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length") == 0
    page.go("about:blank")
    page.go(f"{link}&play=no")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    assert page.js("({...footfall.values})") == held, "a link brings the settings back"
    page.close()


@pytest.mark.parametrize("number", [1, 2, 4, 5, 6, 7, 8, 9])
def test_a_page_judges_as_footfall_simulates(browser: Browser, course: Path, number: int) -> None:
    lesson = lessons()[number - 1]
    settings = {s.name: lesson.answer.settings.get(s.name, s.value) for s in lesson.sliders}
    page = opened(browser, course, lesson, "&".join(f"{name}={value}" for name, value in settings.items()))
    for seen, trial in zip(page.js("footfall.judge().trials"), lesson.exercise.trials, strict=True):
        came, (stays_up, own) = seen["came"], try_again(lesson, settings, trial)
        assert came["up"] == stays_up
        for name in {"footsteps", "distance", "slope", "speed_left", "seconds"} & set(own):
            np.testing.assert_allclose(came[name], own[name], atol=1e-6)
        if number == 5:  # counted here step by step, there within the step
            torso = "torso_low", "torso_high"
            np.testing.assert_allclose([came[k] for k in torso], [own[k] for k in torso], atol=0.1)
    assert passes(lesson, settings)
    page.close()


def test_a_map_shows_what_a_push_does(browser: Browser, course: Path) -> None:
    lesson = lessons()[7]
    page = opened(browser, course, lesson, "at=4.1&push=625&c_v=0.2")
    page.js("while (footfall.chart.cells.size < 3) footfall.chart.work()")
    for cell, good in page.js("[...footfall.chart.cells]"):
        at, push = page.js(f"(({{at, push}}) => [at, push])(footfall.chart.at(Math.floor({cell} / 12), {cell} % 12))")
        trial = Trial(push=push, at=at)
        assert good == try_again(lesson, {"at": at, "push": push, "c_v": 0.2}, trial)[0]
    page.close()


def test_a_lesson_can_be_done_by_keyboard(browser: Browser, course: Path) -> None:
    lesson = lessons()[3]
    page = opened(browser, course, lesson)
    page.js("document.querySelector('[data-slider=c_v]').focus()")
    for _ in range(12):
        page.key("ArrowRight")
    assert page.js("footfall.values.c_v") == pytest.approx(0.24)
    page.js("document.getElementById('check').focus()")
    page.key(" ")
    page.wait("footfall.state.verdict !== null")
    assert page.js("footfall.state.verdict.passed")
    page.close()


def test_a_result_is_saved_with_a_name(browser: Browser, course: Path) -> None:
    page = opened(browser, course, lessons()[0], "k=0.325&T=0.5")
    page.js("document.getElementById('hand-in').open = true, document.getElementById('student').value = 'Ada L'")
    page.js("footfall.check().then(() => document.getElementById('save').click())")
    file = browser.downloads / f"{lessons()[0].name}-Ada-L.json"
    assert until(lambda: file.is_file(), 20)
    assert read_result(file)[0] == "Ada L"
    page.close()


@pytest.mark.skipif(find_axe() is None, reason=NO_AXE)
@pytest.mark.parametrize(("size", "theme"), [((1280, 860), "light"), ((390, 844), "dark")], ids=["desk", "phone"])
@EACH
def test_nothing_serious_stands_in_the_way(
    browser: Browser, course: Path, lesson: Lesson, size: tuple[int, int], theme: str
) -> None:
    page = opened(browser, course, lesson, size=size)
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    page.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.js("footfall.check().then(() => footfall.advance(0.5))")
    assert violations(page) == []
    assert page.js("document.documentElement.scrollWidth <= innerWidth"), "it is wider than the window"
    page.close()
