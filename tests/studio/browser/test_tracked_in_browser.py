"""Tracked and steered characters in the browser: gains by slider, steering by keys, their clip beside them."""

import math

import pytest

from footfall.studio import Studio
from tests.studio.controls import advance, choose, drag_slider, in_a_browser, insist_on, status, tab, until
from tests.studio.numbers import number_of
from tools.browser import Page

pytestmark = in_a_browser


@pytest.mark.slow
def test_a_tracked_walk_is_chosen_watched_and_its_gains_are_edited(studio: Studio, page: Page) -> None:
    session = studio.session
    tab(page, "Edit")
    choose(page, "Controller", "tracked-walk")
    until(lambda: session.document.name == "tracked-walk", 300, "the tracked walk")
    advance(studio, 2.0)
    assert session.world.fell_at is None
    until(lambda: status(page) == "paused", what="word of it")
    assert studio.stage.clip.visible
    before = number_of(session.controller, "c0")
    drag_slider(page, "c0", 20)
    until(lambda: number_of(session.controller, "c0") != before, what="another gain")
    insist_on(lambda: page.key("z", 2), lambda: number_of(session.controller, "c0") == before, "the edit to be undone")
    assert page.errors == []


@pytest.mark.slow
def test_a_steered_walk_obeys_the_keys(studio: Studio, page: Page) -> None:
    session = studio.session
    tab(page, "Edit")
    choose(page, "Controller", "steered-walk")
    until(lambda: session.world.clip, 300, "the steered walk")
    advance(studio, 1.0)
    tab(page, "Drive")
    page.wait("[...document.querySelectorAll('button')].some(e => e.innerText.startsWith('march'))", 20, "the styles")
    page.js("document.activeElement?.blur()")
    insist_on(lambda: page.key("u"), lambda: studio.steering.heading, "a turn")
    assert math.degrees(studio.steering.heading or 0.0) % 30 == pytest.approx(0.0, abs=0.1)
    insist_on(lambda: page.key("2"), lambda: session.world.gait == "march", "another style")
    advance(studio, 4.0)
    assert session.world.fell_at is None
    assert session.world.clip
    assert session.world.heading > 0.2
