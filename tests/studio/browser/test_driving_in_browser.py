"""A balanced human in the browser: it walks on, turns, and goes to a point that was clicked."""

import math

import numpy as np
import pytest

from footfall.studio import Studio
from footfall.studio.core.geometry.heading import facing
from tests.studio.controls import (
    advance,
    choose,
    drag_slider,
    in_a_browser,
    insist_on,
    on_screen,
    press,
    row,
    status,
    tab,
    tick,
    until,
)
from tools.browser import Page

pytestmark = [*in_a_browser, pytest.mark.usefixtures("optimised_module")]


@pytest.fixture
def human(studio: Studio, page: Page) -> None:
    """The human, chosen on the page, at its start with nothing asked of it."""
    tab(page, "Edit")
    page.wait(f"{row('Controller')}?.querySelector('input')?.value === 'walk'", 15, "the page to show the planar walk")
    choose(page, "Controller", "human-walk")
    until(lambda: studio.session.world.can.balance, 120, "the human")
    studio.session.loop.call(lambda: studio.steering.drive(balanced=True, heading=None, postures={}, points=()))
    studio.session.loop.call(studio.session.reset)


@pytest.mark.slow
def test_the_human_walks_balanced_and_goes_where_it_is_sent(studio: Studio, page: Page, human: None) -> None:
    studio.session.loop.play(True)
    until(lambda: studio.session.world.time > 0.3, what="it to walk")
    advance(studio, 10.0)
    world = studio.session.world
    assert world.fell_at is None
    assert len(world.steps) > 15
    until(lambda: status(page) == "paused", what="word of it")
    tab(page, "Balance")
    page.wait("document.querySelectorAll('[data-testid=steps] circle').length > 20", 20, "the steps' values")

    tab(page, "Drive")
    studio.session.loop.call(studio.steering.clear_path)
    tick(page, "Click the ground to add points", True)
    camera = next(iter(studio.server.get_clients().values())).camera
    insist_on(
        lambda: page.click(*on_screen(page, camera, np.array([0.6, 3.0, 0.0]))),
        lambda: studio.steering.points,
        "a point on the ground",
    )
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
    tick(page, "Click the ground to add points", False)
    press(page, "Clear")
    until(lambda: not world.drive.points, what="no points")


@pytest.mark.slow
def test_it_is_turned_and_posed_from_the_page(studio: Studio, page: Page, human: None) -> None:
    world = studio.session.world
    advance(studio, 5.0)
    tab(page, "Drive")
    insist_on(lambda: press(page, "30° right"), lambda: world.drive.heading, "a heading")
    heading = world.drive.heading
    page.js("document.activeElement?.blur()")
    page.key("o")
    until(lambda: math.remainder(world.drive.heading - heading, 2 * math.pi) < -0.4, what="another heading")
    drag_slider(page, "Bent knees", 40)
    until(lambda: world.drive.postures.get("bent-knee", 0.0) > 0.1, what="a posture")
    advance(studio, 3.0)
    assert world.fell_at is None
    assert world.course.postures["bent-knee"] > 0.0
    tab(page, "Balance")
    tick(page, "Balance every step", False)
    until(lambda: not world.drive.balanced, what="no balance")
    advance(studio, 4.0)
    until(lambda: status(page).startswith("fell at"), what="word of its fall")
