"""footfall's own part of the page: the bar under the viewport, notes over it, small screens, a lost server."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from footfall.studio import Studio
from footfall.studio.core.beside.clip import LARGEST_CLIP
from footfall.studio.panels.layout import TABS
from tests.studio.controls import (
    advance,
    button,
    choose,
    click_id,
    in_a_browser,
    insist,
    insist_on,
    opened,
    press,
    row,
    status,
    tab,
    unfold,
    until,
)
from tools.browser import Browser, Page

pytestmark = in_a_browser
NOTE = "document.getElementById('ff-note')"


def test_one_button_plays_and_pauses_and_the_bar_travels_through_time(studio: Studio, page: Page) -> None:
    session = studio.session
    advance(studio, 3.0)
    page.wait("document.getElementById('ff-clock').innerText === '3.00 s'", 30, "the time")
    click_id(page, "ff-play")
    until(lambda: session.loop.playing, what="it to play")
    page.wait("document.getElementById('ff-play').title.startsWith('Pause')", 30, "the button to say so")
    click_id(page, "ff-play")
    until(lambda: not session.loop.playing, what="it to pause")
    session.loop.call(session.reset)
    advance(studio, 3.0)
    left, top, width, height = page.js(
        "(() => { const r = document.getElementById('ff-scrub').getBoundingClientRect();"
        " return [r.x, r.y, r.width, r.height]; })()"
    )
    page.wait("document.getElementById('ff-clock').innerText === '3.00 s'", 30, "the time again")
    insist_on(lambda: page.click(left + 0.5 * width, top + height / 2), lambda: session.looking is not None, "the past")
    assert session.looking == pytest.approx(0.5 * session.history.end, abs=0.15)
    page.wait(f"{NOTE}.innerText.startsWith('In the past')", 30, "word of it")
    until(lambda: status(page) == "in the past", 30, "the panel to say so too")
    page.key("ArrowRight")
    until(lambda: session.looking is None, what="the present again")
    page.key("ArrowLeft")
    until(lambda: session.looking is not None, what="two seconds ago")
    assert session.history.end - (session.looking or 0.0) == pytest.approx(2.0, abs=0.02)
    page.key("End")
    until(lambda: session.looking is None, what="the present")


def test_a_fall_is_told_over_the_viewport_and_can_be_rewound(studio: Studio, page: Page) -> None:
    session = studio.session
    advance(studio, 3.0)
    session.loop.call(lambda: session.world.push((-1500.0, 0.0, 0.0), 0.3))
    advance(studio, 2.0)
    assert session.world.fell_at is not None
    page.wait(f"{NOTE}.innerText === 'Fell: R restarts, ← rewinds 2 s'", 30, "the note")
    page.wait("document.querySelector('[data-testid=speed]').innerText === '—'", 30, "no speed")
    page.key("ArrowLeft")
    until(lambda: session.looking is not None, what="the past")
    page.key(" ")
    until(lambda: session.world.fell_at is None, what="it to walk on")
    session.loop.play(False)
    page.key("r")
    until(lambda: session.world.time < 0.5, what="the start")
    page.wait(f"{NOTE}.style.display === 'none'", 30, "no note")


def test_words_in_a_number_field_give_way_to_the_number(studio: Studio, page: Page) -> None:
    tab(page, "Edit")
    field = f"{row('Hold (s)')}.querySelector('input:not([type=hidden])')"

    def write() -> None:
        page.click_on(field, 15.0)
        page.js(f"{field}.select()")
        page.send("Input.insertText", text="abc")

    insist(page, write, f"{field}.value === ''", "the empty field")
    page.js(f"{field}.blur()")
    page.wait(f"{field}.value === '0.3'", 30, "the number")
    assert studio.session.controller == studio.session.document.saved


def test_messages_are_written_as_they_are(studio: Studio, page: Page) -> None:
    studio.session.say("Told", "it's <b> & 'that'")
    page.wait(f"document.body.innerText.includes({json.dumps(chr(39).join(['it', 's <b> & ']))})", 30, "the message")
    assert "&#x27;" not in page.js("document.body.innerText")


def test_a_broken_file_in_the_folder_is_told_and_skipped(studio: Studio) -> None:
    (told,) = studio.session.library.skipped
    assert "mine.toml" in told
    assert "swing_kne" in told
    assert "mine" not in studio.session.library.documents


def test_saving_under_a_built_in_name_asks(studio: Studio, page: Page, folder: Path) -> None:
    tab(page, "Edit")
    unfold(page, "Save, load, compare", f"{row('Name')}?.querySelector('input')")
    insist(page, lambda: press(page, "Save"), f"!!{button('Save anyway')}", "the question")
    assert not (folder / "walk.toml").exists()
    press(page, "Choose another name")
    page.wait(f"!{button('Save anyway')}", 30, "the question to go")
    assert not (folder / "walk.toml").exists()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(studio: Studio, page: Page, tmp_path: Path) -> None:
    large = tmp_path / "large.bvh"
    with large.open("wb") as file:
        file.truncate(LARGEST_CLIP + (6 << 20))
    tab(page, "Clip")
    page.wait(f"!!{button('Load a motion clip')}")
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    found = page.send("DOM.querySelectorAll", nodeId=root, selector="input[type=file]")["nodeIds"]
    page.send("DOM.setFileInputFiles", nodeId=found[-1], files=[str(large)])
    until(lambda: "'large.bvh'" in studio.session.message, 30, "the refusal")
    assert studio.server.gui._current_file_upload_states == {}


@pytest.mark.slow
@pytest.mark.usefixtures("optimised_kernels")  # the human that test_driving_in_browser.py walks with
def test_views_and_another_figure_frame_the_camera_anew(studio: Studio, page: Page) -> None:
    client = next(iter(studio.server.get_clients().values()))
    page.js("document.activeElement?.blur()")
    for key, check in (("v", lambda p: p[2] > 3.0), ("c", lambda p: p[0] > 3.0), ("z", lambda p: p[1] < -3.0)):
        page.key(key)
        until(lambda check=check: check(np.asarray(client.camera.position)), 30, f"the view of {key}")
    client.camera.position = (9.0, 9.0, 9.0)
    tab(page, "Edit")
    choose(page, "Controller", "human-walk")
    until(lambda: studio.session.world.can.balance, 90, "the human")
    until(lambda: np.linalg.norm(client.camera.position) < 8.0, 30, "the camera")


def test_the_viewport_is_the_larger_part_and_no_field_is_clipped(page: Page) -> None:
    width = page.js("document.querySelector('canvas[data-engine]').getBoundingClientRect().width")
    assert width > 0.5 * 1280
    out = "r.width > 0 && (r.left < -1 || r.right > innerWidth + 1)"
    clipped = page.js(
        "[...document.querySelectorAll('input, button, [role=slider]')].map(e => e.getBoundingClientRect())"
        f".filter(r => {out}).length"
    )
    assert clipped == 0


@pytest.mark.slow
def test_a_dark_phone_reaches_every_panel_and_slows_nobody_down_when_it_freezes(studio: Studio, page: Page) -> None:
    paces = studio.pacing.paces
    (quick,) = until(lambda: set(studio.server.get_clients()) & set(paces), 30, "the page")
    with Browser(390, 844, scale=0.5, drawing=False) as other:
        phone = opened(other, studio, "/?darkMode")
        _reaches_every_panel(phone)
        assert phone.js("document.documentElement.dataset.mantineColorScheme") == "dark"
        ink = phone.js("getComputedStyle(document.documentElement).getPropertyValue('--ff-ink')").strip()
        assert sum(int(ink[k : k + 2], 16) for k in (1, 3, 5)) > 600

        (slow,) = until(lambda: set(studio.server.get_clients()) & set(paces) - {quick}, 30, "the phone")
        studio.session.loop.play(True)
        phone.send("Page.setWebLifecycleState", state="frozen")
        with suppress(Exception):
            phone.send("Runtime.evaluate", expression="for (;;) {}", wait=False)
        until(lambda: paces[slow].frozen, 60, "it to be noticed")
        sent, before = paces[slow].windows, paces[quick].windows
        until(lambda: paces[quick].windows > before + 20, 60, "frames for the quick one")
        assert paces[slow].windows - sent <= 1
        studio.session.loop.play(False)


def _reaches_every_panel(page: Page) -> None:
    page.wait(f"document.querySelectorAll('#ff-tabs button').length === {len(TABS)}", 30, "the row of panels")
    for name in TABS:
        way = f"[...document.querySelectorAll('#ff-tabs button')].find(b => b.textContent === '{name}').click()"
        shown = "[...document.querySelectorAll('[role=tab][aria-selected=true]')].some(e => e.innerText.trim() === "
        insist(page, lambda way=way: page.js(way), f"{shown} '{name}')", f"the panel {name}")
    fixed = "[...document.querySelectorAll('.mantine-Paper-root')].find(e => getComputedStyle(e).position === 'fixed')"
    sheet = page.js(f"{fixed}.getBoundingClientRect().top")
    canvas = page.js("document.querySelector('canvas[data-engine]').getBoundingClientRect().bottom")
    assert canvas <= sheet + 1
    assert canvas > 0.4 * 844


@pytest.mark.slow
def test_the_page_says_that_the_server_is_gone_and_comes_back_to_it(browser: Browser) -> None:
    first = Studio("walk", port=0, shadows=False, playing=False)
    port = first.server.get_port()
    page = opened(browser, first, size=(900, 600))
    first.stop()
    page.wait("document.getElementById('ff-gone').style.display === 'block'", 30, "word of it")
    second = Studio("walk", port=port, shadows=False, playing=False)
    try:
        assert second.server.get_port() == port
        page.wait("document.getElementById('ff-gone').style.display === 'none'", 30, "the bar to be back")
        until(lambda: second.server.get_clients(), 30, "the page to be back")
    finally:
        page.close()
        second.stop()
