"""A balanced human in the browser: it walks on, turns, and goes to a point that was clicked."""

import math
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from footfall.studio import Studio
from footfall.studio.core.heading import facing
from footfall.studio.tools.browser import Browser, Page, find_chromium
from tests.studio.controls import choose, drag_slider, on_screen, press, status, tab, tick, until

pytestmark = [
    pytest.mark.skipif(
        find_chromium() is None,
        reason="NO BROWSER TESTS: chromium is not installed; `make browser` installs it (apt-get install chromium)",
    ),
    pytest.mark.xdist_group("browser"),
    pytest.mark.flaky(reruns=5),  # a click on a page that a loaded machine draws slowly may be lost
]


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio("walk", port=0, shadows=False)
    yield studio
    studio.stop()


@pytest.fixture(scope="module")
def page(studio: Studio) -> Iterator[Page]:
    with Browser(1280, 720) as browser:
        page = browser.open(studio.address)
        page.wait("document.querySelector('[data-testid=status]')?.innerText", 60, "the page")
        until(lambda: studio.server.get_clients(), what="a client")
        page.wait("document.querySelector('.mantine-Notification-closeButton')?.click() ?? true")
        yield page


def advance(studio: Studio, seconds: float) -> None:
    """Simulate without waiting for the clock, and leave it paused."""
    for _ in range(round(4 * seconds)):
        studio.session.loop.call(lambda: studio.session.step(0.25))


@pytest.fixture
def human(studio: Studio, page: Page) -> None:
    """The human, chosen on the page, at its start with nothing asked of it."""
    for _ in range(4):
        if studio.session.balanced is None:
            tab(page, "Edit")
            choose(page, "Controller", "human-walk")
            with suppress(AssertionError):
                until(lambda: studio.session.balanced, 20)
    until(lambda: studio.session.balanced, 30, "the human")
    studio.session.loop.call(lambda: studio.steering.drive(balanced=True, heading=None, postures={}, points=()))
    studio.session.loop.call(studio.session.reset)


def test_the_human_walks_balanced_and_goes_where_it_is_sent(studio: Studio, page: Page, human: None) -> None:
    studio.session.loop.play(True)
    until(lambda: studio.session.world.time > 1.0, what="it to walk")
    advance(studio, 15.0)
    world = studio.session.balanced
    assert world is not None
    assert world.fell_at is None
    assert len(world.steps) > 30
    until(lambda: status(page) == "paused", what="word of it")
    tab(page, "Balance")
    page.wait("document.querySelectorAll('[data-testid=steps] circle').length > 40", 20, "the steps' values")

    tab(page, "Drive")
    studio.session.loop.call(studio.steering.clear_path)
    if not studio.layout.path.mode.value:
        tick(page, "Click the ground to add points")
    camera = next(iter(studio.server.get_clients().values())).camera
    for _ in range(6):
        if not studio.steering.points:
            page.click(*on_screen(page, camera, np.array([0.6, 3.0, 0.0])))
            with suppress(AssertionError):
                until(lambda: studio.steering.points, 3.0)
    (point,) = studio.steering.points
    assert np.array(point) + studio.stage.origin[:2] == pytest.approx([0.6, 3.0], abs=0.05)
    page.wait("document.querySelector('[data-testid=path]').innerText === '0 of 1 points reached.'", 20, "the point")
    before = facing(world.state["qpos"][0])
    advance(studio, 1.5)
    assert facing(world.state["qpos"][0]) > before + 0.1
    for _ in range(20):
        advance(studio, 1.0)
        if world.course.reached:
            break
    assert world.fell_at is None
    assert world.course.reached == 1
    page.wait("document.querySelector('[data-testid=path]').innerText === '1 of 1 points reached.'", 20, "its reach")
    tick(page, "Click the ground to add points")
    press(page, "Clear")
    until(lambda: not world.drive.points, what="no points")


def test_it_is_turned_and_posed_from_the_page(studio: Studio, page: Page, human: None) -> None:
    world = studio.session.balanced
    assert world is not None
    advance(studio, 5.0)
    tab(page, "Drive")
    press(page, "30° right")
    heading = until(lambda: world.drive.heading, what="a heading")
    page.click_on("document.querySelector('canvas')")
    page.key("o")
    until(lambda: math.remainder(world.drive.heading - heading, 2 * math.pi) < -0.4, what="another heading")
    drag_slider(page, "Bent knees", 40)
    until(lambda: world.drive.postures.get("bent-knee", 0.0) > 0.1, what="a posture")
    advance(studio, 3.0)
    assert world.fell_at is None
    assert world.course.postures["bent-knee"] > 0.0
    tab(page, "Balance")
    tick(page, "Balance every step")
    until(lambda: not world.drive.balanced, what="no balance")
    advance(studio, 4.0)
    until(lambda: status(page).startswith("fell at"), what="word of its fall")
