"""The walker on the page: drawn where it is simulated, played, pulled, posed, pushed and led."""

import hashlib
import math

import numpy as np
import pytest

from footfall.studio import Studio
from footfall.studio.core.geometry import heading_of
from tests.studio.controls import (
    advance,
    choose,
    control,
    drawn,
    in_a_browser,
    number_of_page,
    on_screen,
    opened,
    panel,
    press,
    slide,
    status,
    take_hold,
    tick,
    until,
    value,
)
from tools.browser import Browser, Page

pytestmark = in_a_browser


def picture(page: Page) -> str:
    return hashlib.sha256(page.screenshot()).hexdigest()


def test_the_walker_is_drawn_where_it_is_simulated(studio: Studio, page: Page) -> None:
    session = studio.session
    page.js("(window.drawing = true)")
    first = picture(page)
    page.click_on("document.getElementById('play')")
    until(lambda: session.world.time > 0.3, what="it to walk")
    until(lambda: picture(page) != first, what="another picture")
    page.js("(window.drawing = false, 1)")
    page.wait("footfall.state.playing", what="word of it")
    page.click_on("document.getElementById('play')")
    until(lambda: not session.loop.playing, what="it to pause")
    before = session.world.time
    page.click_on("document.getElementById('step')")
    until(lambda: session.world.time > before, what="a step")
    assert session.world.time - before == pytest.approx(1 / 60, abs=1e-3)
    page.wait(f"Math.abs(footfall.scene.focus[4] - {session.world.time}) < 1e-3", what="the frame of that time")
    places = np.array(drawn(page, "walker")).reshape(-1, 7)[:, :3]
    np.testing.assert_allclose(places, studio.stage.walker.places, atol=1e-4)
    placed = studio.stage.kinematics.place(session.world.state["qpos"][0])
    np.testing.assert_allclose(places[0], placed.position[0], atol=1e-4)
    shown = f"Math.abs(parseFloat(document.getElementById('clock').textContent) - {session.world.time}) < 0.0051"
    page.wait(shown, what="the time")  # a half may be rounded up or down
    until(lambda: status(page) == "paused", what="word of it")


def test_the_bar_travels_through_time_and_a_fall_can_be_rewound(studio: Studio, page: Page) -> None:
    session = studio.session
    advance(studio, 3.0)
    page.wait("document.getElementById('scrub').ariaValueMax === '3.00'", what="three seconds")
    x, y, width, height = page.js(
        "(r => [r.x, r.y, r.width, r.height])(document.getElementById('scrub').getBoundingClientRect())"
    )
    page.click(x + 0.5 * width, y + height / 2)
    until(lambda: session.looking is not None, what="the past")
    assert session.looking == pytest.approx(1.5, abs=0.26)
    page.wait("document.getElementById('note').textContent.startsWith('In the past')", what="word of it")
    page.wait("Math.abs(footfall.scene.focus[4] - 1.5) < 0.26", what="that moment")
    page.js("(document.activeElement.blur(), 1)")
    for key, there in (("ArrowRight", False), ("ArrowLeft", True), ("End", False)):
        page.key(key)
        until(lambda there=there: (session.looking is not None) == there, what=f"what {key} does")
    session.loop.call(lambda: session.world.push((-1500.0, 0.0, 0.0), 0.3))
    advance(studio, 2.0)
    assert session.world.fell_at is not None
    page.wait("document.getElementById('note').textContent.startsWith('Fell')", what="the note")
    page.key("ArrowLeft")
    until(lambda: session.looking is not None, what="two seconds ago")
    page.key(" ")
    until(lambda: session.world.fell_at is None, what="it to walk on")
    session.loop.play(False)
    page.key("r")
    until(lambda: session.world.time < 0.5, what="the start")
    page.wait("document.getElementById('note').hidden", what="no note")


def test_it_is_pulled_by_the_mouse_and_pushed_by_a_key_until_it_falls(studio: Studio, page: Page) -> None:
    session = studio.session
    places = np.array(drawn(page, "walker")).reshape(-1, 7)[:, :3]
    x, y = take_hold(page, "walker", lambda: places[0] + [0.0, 0.0, 0.25])
    session.loop.play(True)
    page.mouse("mouseMoved", x + 90, y)
    until(lambda: session.world.force()[0] > 20.0, what="a pull")
    page.mouse("mouseReleased", x + 90, y, buttons=0)
    until(lambda: not session.world.force().any(), what="letting go")
    session.loop.play(False)
    session.loop.call(session.reset)
    panel(page, "push")
    slide(page, "push/force-n", 900)
    until(lambda: studio.steering.force == 900.0, what="more force")
    for _ in range(4):
        page.key("j")
        until(lambda: session.world.force().any() or session.world.fell_at is not None, what="a push")
        advance(studio, 2.0)
    assert session.world.fell_at is not None
    page.wait("document.querySelector('[data-testid=status]').innerText.startsWith('fell at')", what="word of it")
    page.click_on("document.getElementById('reset')")
    until(lambda: session.world.fell_at is None, what="the start")


def test_a_dragged_handle_poses_the_figure_and_one_undo_takes_it_back(studio: Studio, page: Page) -> None:
    session = studio.session
    panel(page, "edit")
    tick(page, "edit/pose-with-handles", True)
    until(lambda: session.posing and "right_knee" in studio.stage.handles.places, what="the handles")
    page.wait("footfall.scene.handles().length > 3", what="the handles on the page")
    x, y = take_hold(page, "handles", lambda: studio.stage.handles.places["right_knee"])
    for k in (20, 40, 60):
        page.mouse("mouseMoved", x + k, y - k / 3)
    page.mouse("mouseReleased", x + 60, y - 20, buttons=0)
    until(lambda: session.states[0].targets["swing_knee"].angle > -1.05, what="the knee to straighten")
    page.js("(document.activeElement.blur(), 1)")
    page.key("z", modifiers=2)
    until(lambda: session.controller == session.document.saved, what="one undo for the whole gesture")
    tick(page, "edit/pose-with-handles", False)
    until(lambda: not session.posing, what="no handles")


def test_it_switches_gaits_and_terrain_and_another_figure_is_framed(studio: Studio, page: Page) -> None:
    session = studio.session
    session.loop.play(True)
    panel(page, "gait")
    press(page, "gait/gaits/in-place-walk")
    until(lambda: session.document.name == "in-place-walk", what="the gait")
    page.wait(f"{control('gait/controller', 'select')}.value === 'in-place-walk'", what="its name")
    session.loop.play(False)
    panel(page, "terrain")
    choose(page, "terrain/terrain", "steps up")
    until(lambda: session.setting.terrain.startswith("steps"), what="steps")
    x, height = float(session.world.state["qpos"][0, 0]), "footfall.scene.height({}, 0)".format
    page.wait(f"{height(x + 40)} > 0.2 && Math.abs({height(x)}) < 0.03", what="them on the page")
    before = page.js("footfall.view.distance")
    panel(page, "gait")
    choose(page, "gait/controller", "human-walk")
    until(lambda: session.world.can.balance, what="the human")
    page.wait(f"!footfall.view.planar && footfall.view.distance !== {before}", what="the camera")
    for key, high in (("v", 1.2), ("z", 0.0)):
        page.key(key)
        page.wait(f"Math.abs(footfall.view.pitch - {high}) < 0.3", what=f"the view of {key}")


@pytest.mark.usefixtures("optimised_kernels")
def test_the_human_goes_to_a_point_that_is_clicked_and_turns_by_key(studio: Studio, page: Page) -> None:
    session = studio.session
    session.open("human-walk")
    until(lambda: session.world.can.balance, what="the human")
    session.loop.call(session.reset)
    advance(studio, 6.0)
    world = session.world
    assert world.fell_at is None
    page.wait(f"Math.abs(footfall.scene.focus[4] - {world.time}) < 1e-3", what="the frame")
    panel(page, "steer")
    tick(page, "steer/path/click-the-ground-to-add-points", True)
    page.wait("footfall.state.clicks", what="the mode")
    page.js("(footfall.view.face(footfall.scene.heading), footfall.view.look('top'), footfall.view.zoom(1.6), 1)")
    page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    here, ahead = world.state["qpos"][0][:2], heading_of(world.state["qpos"][0])
    goal = here + 2.2 * np.array([math.cos(ahead + 0.8), math.sin(ahead + 0.8)])
    page.click(*on_screen(page, [*goal, 0.0]))
    until(lambda: studio.steering.points, what="a point on the ground")
    np.testing.assert_allclose(studio.steering.points[0], goal, atol=0.08)
    tick(page, "steer/path/click-the-ground-to-add-points", False)
    advance(studio, 2.0)
    assert heading_of(world.state["qpos"][0]) > ahead + 0.1
    press(page, "steer/path/points", "Clear")
    until(lambda: not studio.steering.points, what="no points")
    page.key("o")
    until(lambda: world.drive.heading is not None, what="a heading")
    panel(page, "balance")
    page.wait("document.querySelectorAll('[data-testid=steps] circle').length > 10", what="the steps' values")


def test_a_tab_that_dies_while_it_pulls_lets_go_and_a_frozen_one_holds_no_other_up(studio: Studio, page: Page) -> None:
    session, shared = studio.session, studio.shared
    mine = number_of_page(page)
    with Browser(640, 480, scale=0.5, drawing=False) as other:
        second = opened(other, studio)
        new = number_of_page(second)
        until(lambda: {mine, new} <= set(shared.pages), what="both pages")
        session.loop.play(True)
        x, y = take_hold(second, "walker", lambda: np.add(drawn(second, "walker")[:3], [0.0, 0.0, 0.2]))
        second.mouse("mouseMoved", x + 60, y)
        until(lambda: session.world.force().any(), what="a pull")
        second.send("Page.crash", wait=False)
        until(lambda: new not in shared.pages, what="the dead tab to be noticed")
    until(lambda: not session.world.force().any(), what="letting go")
    before = session.world.time
    until(lambda: session.world.time > before + 0.2, what="the walker to walk on")
    with Browser(640, 480, scale=0.5, drawing=False) as other:
        slow = opened(other, studio)
        slow.send("Runtime.evaluate", expression="for (;;) {}", wait=False)
        frames = page.js("footfall.wire.frames")
        page.wait(f"footfall.wire.frames > {frames} + 5", what="frames for the quick one")
        assert mine in shared.pages
    session.loop.play(False)
    panel(page, "edit")
    slide(page, "edit/folder/target-angles/swing-knee", -70)
    until(lambda: session.document.changed, what="the first tab to act")
    assert value(page, "edit/folder/target-angles/swing-knee", "input[type=number]") == "-70"
