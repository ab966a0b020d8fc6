"""A gamepad on the page: its sticks reach the walker and the view, its buttons do what keys do."""

import itertools
import json
import math
from collections.abc import Iterator, Sequence

import pytest

from footfall.studio import Studio
from tests.studio.controls import in_a_browser, until
from tools.browser import Page

pytestmark = in_a_browser

CONNECT = """(window.buttons = Array(17).fill(false), window.axes = [0, 0, 0, 0], window.sticks = [],
window.plainSend = footfall.wire.send,
footfall.wire.send = function (message) {
  if (message.type === 'stick') sticks.push({ ...message, at: document.timeline.currentTime });
  plainSend.call(this, message); },
navigator.getGamepads = () => {
  const pad = { connected: true, mapping: 'standard', axes, buttons: buttons.map(pressed => ({ pressed })) };
  return [null, pad]; },
dispatchEvent(new Event('gamepadconnected')))"""
DISCONNECT = """(delete navigator.getGamepads, delete footfall.wire.send,
dispatchEvent(new Event('gamepaddisconnected')))"""
PICTURES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
A, LB, UP, RIGHT = 0, 4, 12, 15


@pytest.fixture
def pad(page: Page) -> Iterator[Page]:
    """The page with a gamepad."""
    page.js(CONNECT)
    page.js(PICTURES)
    yield page
    page.js(DISCONNECT)
    page.js(PICTURES)


def move(page: Page, axes: Sequence[float]) -> None:
    page.js(f"(window.axes = {json.dumps(list(axes))}, 1)")
    page.js(PICTURES)


def press(page: Page, number: int) -> None:
    for down in ("true", "false"):
        page.js(f"(buttons[{number}] = {down}, 1)")
        page.js(PICTURES)


def test_the_left_stick_leads_the_walker_where_it_points_in_the_picture(studio: Studio, pad: Page) -> None:
    session, steering = studio.session, studio.steering
    session.open("steered-walk")
    until(lambda: session.document.name == "steered-walk", what="the steered walk")
    pad.wait("!footfall.view.planar", what="its view")
    for yaw in (-1.5, 0.4, 2.6):
        pad.js(f"(footfall.view.yaw = {yaw}, footfall.paint())")
        for x, y in ((0.0, -1.0), (1.0, 0.0), (-0.7, 0.7)):
            move(pad, (x, y, 0.0, 0.0))
            # up is away from the camera, which is at the angle yaw of the walker; right is to the right of that
            way = yaw + math.pi - math.atan2(x, -y)
            until(
                lambda way=way: (
                    steering.heading is not None and abs(math.remainder(steering.heading - way, math.tau)) < 0.1
                ),
                what=f"the heading of ({x}, {y}) at {yaw}",
            )
    low, high = steering.speeds
    assert steering.speed == pytest.approx(high, abs=0.02)
    held = steering.heading
    move(pad, (0.1, -0.1, 0.0, 0.0))
    until(lambda: steering.speed == pytest.approx(low), what="the slowest walk where the stick is released")
    assert steering.heading == held


def test_messages_are_few_and_the_release_is_always_sent(studio: Studio, pad: Page) -> None:
    move(pad, (1.0, 0.0, 0.0, 0.0))
    pad.wait("sticks.length === 1", what="the first")
    for k in range(5):  # a hand that trembles
        move(pad, (0.99, 0.02 * (-1) ** k, 0.0, 0.0))
    assert pad.js("sticks.length") == 1
    pad.js(
        "new Promise(done => { const from = performance.now(); (function turn(now) { const a = (now - from) / 100;"
        " window.axes = [Math.cos(a), Math.sin(a), 0, 0]; if (sticks.length < 9) requestAnimationFrame(turn);"
        " else { window.axes = [0, 0, 0, 0]; done(); } })(from); })"
    )
    pad.wait("sticks.at(-1).x === 0 && sticks.at(-1).y === 0", what="the release")
    times = [stick["at"] for stick in pad.js("sticks")][:-1]
    assert len(times) >= 9
    assert min(b - a for a, b in itertools.pairwise(times)) >= 100.0 - 1e-6
    assert studio.session.message == ""


def test_nothing_is_sent_while_a_dialog_is_open(studio: Studio, pad: Page) -> None:
    session = studio.session
    move(pad, (1.0, 0.0, 0.0, 0.0))
    pad.wait("sticks.length === 1", what="the stick")
    pad.key("?")
    pad.wait("document.querySelector('dialog[open]')?.textContent.includes('Left stick')", what="the list of keys")
    pad.wait("sticks.length === 2 && sticks[1].x === 0", what="the release")
    move(pad, (0.0, 1.0, 1.0, 0.0))
    press(pad, A)
    assert pad.js("sticks.length") == 2
    session.loop.call(lambda: None)
    assert not session.loop.playing
    pad.js("document.getElementById('dialog').close()")
    pad.wait("sticks.length >= 3", what="the stick again")


def test_buttons_act_once_a_press_and_the_right_stick_turns_the_view(studio: Studio, pad: Page) -> None:
    session = studio.session
    pad.wait("document.getElementById('toasts').textContent.includes('Left stick walks')", what="the hint")
    pad.js(f"(buttons[{RIGHT}] = true, 1)")
    until(lambda: session.world.force()[0] > 100.0, what="a push forward")
    session.loop.call(lambda: session.step(0.2))
    assert not session.world.force().any()
    pad.js(PICTURES)
    session.loop.call(lambda: None)
    assert not session.world.force().any(), "a button that stays down pushes once"
    press(pad, UP)
    until(lambda: session.world.force()[2] > 100.0, what="a push up")
    press(pad, A)
    until(lambda: session.loop.playing, what="it to walk")
    press(pad, A)
    until(lambda: not session.loop.playing, what="it to pause")
    distance, yaw, pitch = pad.js("[footfall.view.distance, footfall.view.yaw, footfall.view.pitch]")
    press(pad, LB)
    assert pad.js("footfall.view.distance") == pytest.approx(0.9 * distance)
    move(pad, (0.0, 0.0, 1.0, 1.0))
    pad.wait(f"footfall.view.yaw < {yaw - 0.05} && footfall.view.pitch > {pitch + 0.05}", what="another view")
    assert pad.js("sticks.length") == 0
