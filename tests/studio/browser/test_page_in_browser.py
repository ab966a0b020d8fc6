"""The page itself: its controls, files, questions, small screens, a lost server."""

import time
from pathlib import Path

import imageio.v3
import numpy as np
import pytest

from footfall.control import load_controller
from footfall.motion import load_motion
from footfall.studio import Studio
from footfall.studio.core.background import TasksChanged
from footfall.studio.core.clip import LARGEST_CLIP
from footfall.studio.core.frames import FORMATS, motion_bytes
from tests.accessibility import NO_AXE, find_axe, violations
from tests.studio.controls import (
    advance,
    control,
    in_a_browser,
    opened,
    panel,
    press,
    reload,
    shown,
    slide,
    tick,
    until,
    upload,
    value,
    write,
)
from tools.browser import Browser, Page

pytestmark = in_a_browser

KNEE, HOLD = "edit/folder/target-angles/swing-knee", "edit/folder/hold-s"
NAMES = "footfall.panels.list.map(p => p.name)"


def test_a_slider_changes_the_gait_and_a_field_keeps_keys_and_nonsense_to_itself(studio: Studio, page: Page) -> None:
    session = studio.session
    panel(page, "edit")
    slide(page, KNEE, -80)
    until(lambda: session.states[0].targets["swing_knee"].angle < -1.3, what="the edit")
    press(page, "edit/undo")
    until(lambda: session.controller == session.document.saved, what="undo")
    page.wait(f"{control(KNEE, 'input[type=number]')}.value === '-63.03'", what="the slider to go back")
    press(page, "edit/redo")
    until(lambda: session.controller != session.document.saved, what="redo")
    session.loop.call(lambda: session.edit(lambda _: session.document.saved))
    page.wait(f"{control(HOLD, 'input[type=number]')}.value === '0.3'", what="the number")
    write(page, HOLD, "", "input[type=number]")
    assert value(page, HOLD, "input[type=number]") == "0.3"
    field = shown(page, HOLD, "input[type=number]")
    page.js(f"({field}.focus(), 1)")
    before = session.world.time
    for key in ("n", " ", "j"):
        page.key(key)
    page.key("Escape")
    page.wait(f"document.activeElement !== {field}", what="the field to be left")
    assert session.world.time == before
    assert not session.world.force().any()
    page.key("n")
    until(lambda: session.world.time > before, what="the key to reach the walker")
    until(lambda: (page.key("Escape"), page.js("footfall.panels.open.size === 0"))[1], what="Escape to close the panel")


def test_what_is_saved_is_asked_about_and_there_after_a_reload(studio: Studio, page: Page, folder: Path) -> None:
    session = studio.session
    panel(page, "edit")
    press(page, "edit/save-load-compare/file", "Save")
    page.wait(
        "document.querySelector('dialog[open]')?.textContent.includes('comes with footfall')", what="the question"
    )
    before = session.world.time
    for key in ("n", "l"):
        page.key(key)
    page.key("Escape")
    page.wait("!document.querySelector('dialog[open]')", what="the question to go")
    session.loop.call(lambda: None)
    assert session.world.time == before, "keys stay with the dialog"
    assert not session.world.force().any()
    slide(page, HOLD, 0.4)
    until(lambda: session.document.changed, what="the edit")
    assert not (folder / "walk.toml").exists()
    write(page, "edit/save-load-compare/name", "my-walk")
    press(page, "edit/save-load-compare/file", "Save")
    until(lambda: (folder / "my-walk.toml").is_file(), what="the file")
    until(lambda: session.document.name == "my-walk", what="its name")
    assert load_controller(folder / "my-walk.toml") == session.controller
    reload(page)
    panel(page, "gait")
    page.wait(f"{control('gait/controller', 'select')}?.value === 'my-walk'", what="the controller")
    assert "swing_kne" in session.library.skipped[0]


def test_files_that_are_bad_or_too_large_are_refused_and_a_clip_walks_beside(
    studio: Studio, page: Page, tmp_path: Path
) -> None:
    session = studio.session
    bad, large, clip = tmp_path / "bad.toml", tmp_path / "large.bvh", tmp_path / "mine.bvh"
    bad.write_text('name = "x"\nfigure = "planar-biped"\n[[states]]\nhold = -3\n')
    with large.open("wb") as file:
        file.truncate(LARGEST_CLIP + (6 << 20))
    advance(studio, 2.0)
    clip.write_bytes(motion_bytes(session.loop.call(studio.layout.export.motion), ".bvh"))
    before = session.document
    panel(page, "edit")
    upload(page, "edit/save-load-compare/load-a-controller-toml", bad)
    page.wait("document.getElementById('toasts').textContent.includes('hold is -3')", what="the error on the page")
    assert session.document is before
    panel(page, "motion")
    upload(page, "motion/load-a-motion-clip", large)
    page.wait("document.getElementById('toasts').textContent.includes(\"'large.bvh'\")", what="the refusal")
    assert studio.layout.clips.clip is None
    upload(page, "motion/load-a-motion-clip", clip)
    read = until(lambda: studio.layout.clips.clip, what="the clip")
    assert read.seconds > 1.0
    page.wait("footfall.scene.nodes.get('clip')?.data?.length > 20", what="it on the page")
    session.loop.play(True)
    page.wait("document.querySelector('[data-testid=gaits]')?.innerText.includes('step length')", what="measures")
    assert page.js("document.body.innerText.includes('undefined')") is False
    press(page, "motion/play/remove-the-clip")
    until(lambda: studio.layout.clips.clip is None, what="no clip")
    page.wait("!footfall.scene.has('clip')", what="none on the page")
    panel(page, "3lp")
    tick(page, "3lp/walk-beside-the-biped", True)
    page.wait("footfall.scene.nodes.get('pendulum')?.data", what="the 3LP walker")
    tick(page, "3lp/walk-beside-the-biped", False)
    until(lambda: studio.companion.walker is None, what="none")


def test_downloads_open(studio: Studio, page: Page, browser: Browser) -> None:
    advance(studio, 1.25)
    studio.layout.export.seconds.value = 1.0
    panel(page, "export")
    for kind, (suffix, _) in FORMATS.items():
        if kind == "USD":  # written by a package that is not there on every machine, and read by none of ours
            continue
        press(page, f"export/download-{kind.lower()}")
        path = browser.downloads / f"{studio.session.controller.name}{suffix}"
        until(lambda path=path: path.is_file() and path.stat().st_size > 0, 60, path.name)
        if suffix == ".mp4":
            assert len(imageio.v3.imread(path)) > 10
        elif suffix == ".html":
            assert "<canvas" in path.read_text() or "<svg" in path.read_text()
        elif suffix != ".usdz":
            motion = load_motion(path)
            assert motion.seconds == pytest.approx(1.0, abs=0.1)
            assert np.isfinite(motion.positions()).all()


@pytest.mark.parametrize(
    ("size", "theme"), [((1280, 720), "light"), ((390, 844), "dark")], ids=["desk-light", "phone-dark"]
)
def test_every_panel_fits_is_named_and_can_be_read(
    studio: Studio, browser: Browser, size: tuple[int, int], theme: str
) -> None:
    advance(studio, 2.0)
    page = opened(browser, studio, f"?theme={theme}", size)
    assert page.js("[...document.querySelectorAll('#verbs button')].map(b => b.innerText.trim()).length") == 3
    names = page.js(NAMES)
    assert len(names) >= 12
    for name in names:
        panel(page, name)
        page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        clipped = page.js(
            "[...document.querySelectorAll('input, button, select')].filter(e => e.checkVisibility())"
            ".map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])"
            ".filter(([_, r]) => r.width > 0 && (r.left < -1 || r.right > innerWidth + 1)).map(([text]) => text)"
        )
        assert clipped == [], name
        if find_axe() is not None:
            assert violations(page) == [], name
    if find_axe() is None:
        print(NO_AXE)
    if size[0] < 500:
        sheet, foot = page.js(
            "['.side:not([hidden])', 'footer'].map(s => document.querySelector(s).getBoundingClientRect().top)"
        )
        assert foot < sheet
        assert foot > 0.4 * size[1]
    page.js("(document.getElementById('shows').open = true, 0)")
    inside = page.js(
        "['theme', 'keys'].map(id => document.getElementById(id).getBoundingClientRect())"
        ".every(r => r.width > 20 && r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight)"
    )
    assert inside
    page.click_on("document.getElementById('keys')")
    page.wait("!!document.querySelector('dialog[open]')", what="the list of keys")
    page.key("Escape")
    page.wait("!document.querySelector('dialog[open]')", what="the list to be closed")
    assert page.js(
        "[document.querySelector('#head [data-testid=time]'), document.getElementById('clock')].map(e => e.textContent)"
    ) == ["2.00 s", "2.00 s"]
    assert page.errors == []
    page.close()


def test_the_tab_key_reaches_every_control_and_escape_closes_the_panel(page: Page) -> None:
    panel(page, "push")
    usable = (
        "[...document.querySelectorAll('button, input, select, summary, [role=slider]')]"
        ".filter(e => e.checkVisibility() && !e.disabled)"
    )
    count = page.js(f"{usable}.length")
    assert count > 15
    page.js("(window.seen = new Set(), addEventListener('focusin', e => window.seen.add(e.target)), 0)")
    for _ in range(count + 12):
        page.key("Tab")
    assert page.js(f"{usable}.filter(e => !window.seen.has(e)).map(e => e.outerHTML.slice(0, 90))") == []
    page.js("(document.activeElement.blur(), 0)")
    page.key("Escape")
    assert page.js("[...footfall.panels.open]") == []


def test_the_page_says_that_the_server_is_gone_and_comes_back_to_it(browser: Browser) -> None:
    first = Studio("walk", port=0, shadows=False, playing=False)
    page = opened(browser, first, size=(900, 600))
    panel(page, "push")
    first.stop()
    page.wait("!document.getElementById('gone').hidden", what="word of it")
    second = Studio("walk", port=first.server.port, shadows=False, playing=False)
    try:
        assert second.server.port == first.server.port
        page.wait(
            "document.getElementById('gone').hidden && footfall.scene.has('walker')", what="the walker to be back"
        )
        until(lambda: second.shared.pages, what="the page to be back")
        assert page.js("document.querySelectorAll('[data-panel=push]').length") == 1
        press(page, "push/push", "forward")
        until(lambda: second.session.world.force().any(), what="a push")
    finally:
        page.close()
        second.stop()


def test_escape_cancels_only_work_that_is_shown(studio: Studio, page: Page) -> None:
    """What was begun within the last second is not shown yet: Escape closes the panel."""
    session = studio.session
    panel(page, "push")
    page.js("[...footfall.panels.open].filter(name => name !== 'push').forEach(name => footfall.panels.toggle(name))")
    until(lambda: not session.tasks, what="what earlier tests began to end")
    task = session.begin_task("Working")
    for ahead, is_shown in ((60.0, False), (-60.0, True)):
        task.began = time.time() + ahead
        session.events.emit(TasksChanged())
        page.wait(f"Math.abs(footfall.state.tasks[0]?.began - {task.began}) < 1", what="the work to be told")
        page.js("(footfall.panels.toggle('push', true), document.activeElement?.blur(), 0)")
        page.key("Escape")
        assert page.js("footfall.panels.open.has('push')") == is_shown
        if is_shown:
            until(lambda: task.cancelled and not session.tasks, what="the work to be cancelled")
        else:
            assert not task.cancelled
