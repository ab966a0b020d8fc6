"""The studio from end to end: a real server, a real (headless) browser."""

import hashlib
import json
from pathlib import Path

import imageio.v3
import numpy as np
import pytest

from footfall.control import load_controller
from footfall.motion import load_motion
from footfall.studio import Studio
from footfall.studio.core.geometry.kinematics import Kinematics
from footfall.studio.core.session.exporting import FORMATS, motion_bytes
from tests.studio.controls import (
    advance,
    button,
    choose,
    click_id,
    drag_slider,
    in_a_browser,
    insist_on,
    on_screen,
    opened,
    press,
    reload,
    row,
    status,
    tab,
    tick,
    unfold,
    until,
)
from tools.browser import Browser, Page

pytestmark = in_a_browser


@pytest.fixture(autouse=True)
def edit_panel(page: Page) -> None:
    tab(page, "Edit")


def on_canvas(page: Page) -> str:
    return hashlib.sha256(page.screenshot()).hexdigest()


def camera_of(studio: Studio) -> object:
    return next(iter(studio.server.get_clients().values())).camera


@pytest.mark.slow
def test_the_biped_walks_and_the_scene_agrees_with_the_simulation(studio: Studio, page: Page) -> None:
    page.js("(window.drawing = true)")
    first = on_canvas(page)
    click_id(page, "ff-play")
    until(lambda: studio.session.world.time > 0.3, what="it to walk")
    until(lambda: on_canvas(page) != first, what="another picture")
    page.js("(window.drawing = false, 1)")
    page.wait("document.getElementById('ff-play').title.startsWith('Pause')", 30, "the button to pause")
    click_id(page, "ff-play")
    until(lambda: not studio.session.loop.playing)
    studio.session.loop.call(lambda: None)
    placed = Kinematics(studio.session.world.figure).place(studio.session.world.simulation.qpos[0])

    def agrees() -> bool:
        drawn = np.array([mesh.position for mesh in studio.stage.walker.meshes])
        return bool(np.abs(drawn - placed.position).max() < 1e-9)

    until(agrees, what="the bodies to be drawn where they are")
    page.wait(
        f"document.body.innerText.includes('{studio.session.world.time:.2f} s')", 30, "the time that is simulated"
    )
    until(lambda: status(page) == "paused", what="word of it")
    before = studio.session.world.time
    click_id(page, "ff-step")
    until(lambda: studio.session.world.time > before)
    assert studio.session.world.time - before == pytest.approx(1 / 60, abs=1e-3)


@pytest.mark.slow
def test_a_dragged_slider_changes_the_gait_and_undo_takes_it_back(studio: Studio, page: Page) -> None:
    advance(studio, 2.5)
    knee = studio.session.world.figure.joint("right_knee").qpos
    plain = studio.session.history.last(1.5).qpos[:, knee].min()
    drag_slider(page, "swing knee", -5)
    until(lambda: studio.session.controller.states[0].targets["swing_knee"].angle < -1.15, what="the edit")
    advance(studio, 2.0)
    assert studio.session.history.last(1.5).qpos[:, knee].min() < plain - 0.03
    insist_on(lambda: press(page, "Undo"), lambda: studio.session.controller == studio.session.document.saved, "undo")
    wanted = f"{row('swing knee')}.querySelector('input').value"
    page.wait(f"{wanted} === '-63'", 20, "the slider to go back")
    insist_on(lambda: press(page, "Redo"), lambda: studio.session.controller != studio.session.document.saved, "redo")


@pytest.mark.slow
def test_a_dragged_handle_poses_the_figure(studio: Studio, page: Page) -> None:
    session = studio.session
    tick(page, "Pose with handles", True)
    until(lambda: session.posing and "right_knee" in studio.stage.handles.places, what="the handles")

    def drag() -> None:
        x, y = on_screen(page, camera_of(studio), studio.stage.handles.places["right_knee"] + studio.stage.origin)
        page.drag((x, y), (x + 60, y - 20))

    insist_on(drag, lambda: session.controller.states[0].targets["swing_knee"].angle > -1.05, "the knee to straighten")
    page.js("document.activeElement?.blur()")
    page.key("z", modifiers=2)
    until(lambda: session.controller == session.document.saved, what="one undo for the whole gesture")
    tick(page, "Pose with handles", False)
    until(lambda: not session.posing)


def test_the_walker_can_be_dragged_and_pushed_until_it_falls(studio: Studio, page: Page) -> None:
    x, y = on_screen(page, camera_of(studio), np.array([0.0, 0.0, 1.15]))
    studio.session.loop.play(True)

    def pull() -> None:
        studio.session.loop.call(studio.session.reset)
        page.drag((x, y), (x + 90, y), steps=8)

    insist_on(pull, lambda: np.abs(studio.session.history.last(60.0).push).max() > 20.0, "a pull")
    until(lambda: not studio.session.world.force().any(), what="letting go")
    studio.session.loop.call(studio.session.reset)
    tab(page, "Push")
    drag_slider(page, "Force (N)", 90)
    until(lambda: studio.layout.push.force.value > 700, what="more force")
    page.js("document.activeElement?.blur()")
    for _ in range(4):
        page.key("j")
        until(lambda: studio.session.world.force().any() or studio.session.world.fell_at is not None, what="a push")
        advance(studio, 2.0)
    assert studio.session.world.fell_at is not None
    page.wait("document.querySelector('[data-testid=status]').innerText.startsWith('fell at')")
    click_id(page, "ff-reset")
    until(lambda: studio.session.world.fell_at is None)


def test_terrain_changes_ahead_of_the_walker(studio: Studio, page: Page) -> None:
    advance(studio, 1.0)
    tab(page, "Push")
    choose(page, "Terrain", "steps up")
    until(lambda: studio.session.setting.terrain.startswith("steps"), what="steps")
    terrain, x = studio.session.world.simulation.terrains[0], studio.session.world.simulation.qpos[0, 0]
    assert float(terrain.height(x)) == pytest.approx(0.0, abs=0.03)
    assert float(terrain.height(x + 40.0)) > 0.2
    choose(page, "Terrain", "flat")
    until(lambda: studio.session.setting.terrain == "flat")


def test_it_switches_to_another_gait_and_the_editor_follows(studio: Studio, page: Page) -> None:
    studio.session.loop.play(True)
    tab(page, "Drive")
    number = [c.name for c in studio.session.world.controllers].index("in-place-walk") + 1
    insist_on(
        lambda: press(page, f"in-place-walk  ({number})" if number < 10 else "in-place-walk"),
        lambda: studio.session.world.where()[0] == "in-place-walk",
        "the gait",
    )
    until(lambda: studio.session.document.name == "in-place-walk", what="the editor")
    tab(page, "Edit")
    page.wait(f"{row('Controller')}.querySelector('input').value === 'in-place-walk'")
    choose(page, "Controller", "walk")
    until(lambda: studio.session.document.name == "walk" and studio.session.world.where()[0] == "walk")


@pytest.mark.slow
def test_what_is_saved_and_what_is_studied_is_there_after_a_reload(studio: Studio, page: Page, folder: Path) -> None:
    name = f"{row('Name')}?.querySelector('input')"
    unfold(page, "Save, load, compare", name)
    drag_slider(page, "Hold (s)", 6)
    until(lambda: studio.session.document.changed)
    page.click_on(name)
    page.js(f"{name}.select()")
    page.send("Input.insertText", text="my-walk")
    press(page, "Save")
    until(lambda: (folder / "my-walk.toml").is_file(), what="the file")
    until(lambda: studio.session.document.name == "my-walk")
    assert load_controller(folder / "my-walk.toml") == studio.session.controller
    studies = studio.layout.studies
    studies.start("basin", count=5)
    reload(page)
    page.wait(f"{row('Controller')}?.querySelector('input')?.value === 'my-walk'", 30, "the controller")
    until(lambda: "of 25 starts" in studies.picture("basin"), 150, "the study")
    tab(page, "Stress")
    page.wait("document.querySelector('[data-testid=basin]')?.getClientRects().length > 0", 60, "its picture")


@pytest.mark.slow
def test_downloads_open(studio: Studio, page: Page, browser: Browser) -> None:
    advance(studio, 1.25)
    studio.layout.export.seconds.value = 1.0
    tab(page, "Export")
    for kind, (suffix, _) in FORMATS.items():
        press(page, f"Download {kind}")
        path = browser.downloads / f"{studio.session.controller.name}{suffix}"
        until(lambda path=path: path.is_file() and path.stat().st_size > 0, 30, path.name)
        if suffix == ".mp4":
            assert len(imageio.v3.imread(path)) > 10
        elif suffix == ".html":
            assert "<canvas" in path.read_text() or "<svg" in path.read_text()
        else:
            motion = load_motion(path)
            assert motion.seconds == pytest.approx(1.0, abs=0.1)
            assert np.isfinite(motion.positions()).all()


def test_a_bad_upload_is_told_and_changes_nothing(studio: Studio, page: Page, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x"\nfigure = "planar-biped"\n[[states]]\nhold = -3\n')
    before = studio.session.document
    unfold(page, "Save, load, compare", f"{row('Name')}?.querySelector('input')")
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    found = page.send("DOM.querySelectorAll", nodeId=root, selector="input[type=file]")["nodeIds"]
    assert found
    page.send("DOM.setFileInputFiles", nodeId=found[0], files=[str(bad)])
    until(lambda: "hold is -3" in studio.session.message, what="the error")
    page.wait(f"document.body.innerText.includes({json.dumps('hold is -3')})", 20, "the error on the page")
    assert studio.session.document is before


def test_a_diverging_simulation_is_told_and_reset_goes_on(studio: Studio, page: Page) -> None:
    studio.session.loop.play(True)
    until(lambda: studio.session.world.time > 0.1)
    studio.session.loop.call(lambda: studio.session.world.push((1e9, 0.0, 1e9), 1.0))
    until(lambda: studio.session.world.fell_at is not None or studio.session.world.diverged, what="the end of it")
    until(lambda: status(page).startswith(("diverged", "fell")), what="word of it")
    if studio.session.world.diverged:
        until(lambda: "The simulation diverged: at " in studio.session.message, what="what happened, and when")
        page.wait("document.body.innerText.includes('The simulation diverged')", 20, "that on the page")
    assert np.isfinite(studio.session.world.simulation.qpos).all()
    click_id(page, "ff-reset")
    until(lambda: not studio.session.world.diverged and studio.session.world.fell_at is None)
    click_id(page, "ff-play")
    until(lambda: studio.session.world.time > 0.1)


@pytest.mark.slow
def test_a_tab_that_dies_while_it_pulls_lets_go_and_the_other_goes_on(studio: Studio, page: Page) -> None:
    clients = studio.server.get_clients
    known = set(clients())
    with Browser(
        640, 480, scale=0.5, drawing=False
    ) as other:  # one of its own: tabs of one site may share a process, and its end
        second = opened(other, studio)
        (new,) = until(lambda: set(clients()) - known, 90, "another client")
        x, y = on_screen(second, clients()[new].camera, np.array([0.0, 0.0, 1.15]))
        studio.session.loop.play(True)

        def grab() -> None:
            second.mouse("mouseReleased", x, y, buttons=0)
            studio.session.loop.call(studio.session.reset)
            second.mouse("mouseMoved", x, y, "none", 0)
            second.mouse("mousePressed", x, y)
            for k in range(1, 9):
                second.mouse("mouseMoved", x + 4 * k, y)

        insist_on(grab, lambda: studio.session.world.force().any(), "a pull")
        second.send("Page.crash", wait=False)
        until(lambda: new not in clients(), 90, "the dead tab to be noticed")
    until(lambda: not studio.session.world.force().any(), 30, "letting go")
    before = studio.session.world.time
    until(lambda: studio.session.world.time > before + 0.2, what="the walker to walk on")
    drag_slider(page, "swing knee", -5)
    until(lambda: studio.session.document.changed, what="the first tab to act")


def test_a_clip_is_uploaded_and_walks_beside(studio: Studio, page: Page, tmp_path: Path) -> None:
    advance(studio, 2.0)
    path = tmp_path / "mine.bvh"
    path.write_bytes(motion_bytes(studio.session.loop.call(studio.layout.export.motion), ".bvh"))
    bad = tmp_path / "bad.bvh"
    bad.write_bytes(path.read_bytes()[:-500])
    tab(page, "Clip")
    page.wait(f"!!{button('Load a motion clip')}")

    def upload(file: Path) -> None:
        root = page.send("DOM.getDocument")["root"]["nodeId"]
        found = page.send("DOM.querySelectorAll", nodeId=root, selector="input[type=file]")["nodeIds"]
        page.send("DOM.setFileInputFiles", nodeId=found[-1], files=[str(file)])

    upload(bad)
    until(lambda: "'bad.bvh'" in studio.session.message, what="the error")
    assert studio.layout.clips.clip is None
    upload(path)
    studio.session.loop.play(True)
    clip = until(lambda: studio.layout.clips.clip, what="the clip")
    assert clip.seconds > 1.0
    page.wait("document.querySelector('[data-testid=gaits]')?.innerText.includes('step length')", 20, "measures")
    before = np.array([mesh.position for mesh in studio.layout.clips._view.meshes])
    until(lambda: np.abs(studio.layout.clips._view.meshes[-1].position - before[-1]).max() > 0.05, what="it to move")
    insist_on(lambda: press(page, "Remove the clip"), lambda: studio.layout.clips.clip is None, "no clip")


def test_three_linear_pendulums_walk_beside(studio: Studio, page: Page) -> None:
    tab(page, "3LP")
    tick(page, "Walk beside the biped", True)
    page.wait("document.querySelector('[data-testid=\"3lp\"]')?.innerText.includes('walks')", 20, "3LP")
    drag_slider(page, "Walking speed (m/s)", 20)
    walker = until(lambda: studio.companion.walker)
    until(lambda: walker.asked.get("speed", 1.0) > 1.05, what="its speed")
    tick(page, "Walk beside the biped", False)
    until(lambda: studio.companion.walker is None)
