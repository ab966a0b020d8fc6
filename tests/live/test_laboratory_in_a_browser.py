"""The live page as a laboratory: two walkers, time that goes back, links that hold everything, challenges, and browsers
without WebGL or with less motion."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.live.page import write_live_page
from tools.browser import Browser, Page, find_chromium

from .test_page_in_a_browser import CHANGE, opened, pixels

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None, reason="NO BROWSER: chromium is not installed, so live pages were not opened"
    ),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(800, 520, scale=0.5) as opened:
        yield opened


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_live_page([load_controller("walk")], tmp_path_factory.mktemp("live") / "walk.html")


@pytest.fixture(scope="module")
def shared(browser: Browser, path: Path) -> Iterator[Page]:
    page = opened(browser, path)
    yield page
    page.close()


@pytest.fixture
def page(shared: Page) -> Page:
    """The page as its plain link shows it: that restores everything."""
    shared.js("(location.hash = '', location.hash = 'play=no', 0)")
    shared.wait("!footfall.state.playing && footfall.walker.time === 0 && footfall.runs.length === 1")
    return shared


def test_going_back_in_time_and_on_again_gives_the_same_bits(page: Page) -> None:
    assert page.js(
        "(() => { footfall.advance(1); document.querySelectorAll('#pushes button')[1].click(); footfall.advance(2);"
        " const then = [...footfall.walker.qpos]; footfall.lookAt(2); footfall.stepBy(-1);"
        " const looked = footfall.state.look; footfall.goOn(); const from = footfall.walker.time;"
        " footfall.advance(3 - from); return looked < 2 && looked > 1.97 && from <= looked && from > looked - 0.051"
        " && footfall.walker.qpos.every((x, i) => x === then[i]); })()"
    )


def test_the_past_is_shown_as_it_was(page: Page) -> None:
    seen = page.js(
        "(() => { footfall.advance(1.5); const then = [...footfall.runs[0].poses]; footfall.advance(1);"
        " const now = [...footfall.walker.qpos]; footfall.lookAt(1.5); footfall.state.playing = false;"
        " footfall.tick(performance.now());"
        " return [then, [...footfall.runs[0].poses], now, [...footfall.walker.qpos]]; })()"
    )
    np.testing.assert_allclose(seen[0], seen[1], atol=1e-6)
    assert seen[2] == seen[3]


def test_two_walkers_with_the_same_gains_walk_alike_and_with_others_they_do_not(page: Page) -> None:
    same, other = page.js(
        "(async () => { await footfall.compare(true); const apart = () => footfall.runs[0].walker.qpos.map((x, i) =>"
        " Math.abs(x - footfall.runs[1].walker.qpos[i])).reduce((a, b) => Math.max(a, b));"
        " footfall.advance(1); document.querySelectorAll('#pushes button')[1].click(); footfall.advance(1);"
        " const same = apart(); document.getElementById('edit-b').click(); footfall.walker.set('0.swing_hip.c_v', 0.1);"
        " footfall.advance(1); return [same, apart()]; })()"
    )
    assert same == 0
    assert other > 1e-3


def test_a_link_holds_everything_and_another_one_begins_from_the_standard(page: Page, browser: Browser) -> None:
    page.js(
        "(async () => { await footfall.compare(true); footfall.runs[0].walker.set('0.hold', 0.31);"
        " footfall.runs[1].walker.set('0.hold', 0.33); document.getElementById('forces').click();"
        " footfall.view.yaw = 0.5; footfall.view.distance = 7; footfall.state.speed = 0.5; })()"
    )
    page.js(CHANGE.format("document.getElementById('force')", 240, "input"))
    page.js(CHANGE.format("document.querySelector('#world [data-path=friction] input')", 0.5, "input"))
    page.js(CHANGE.format("document.getElementById('terrain')", "'slope:3'", "change"))
    link = page.js("footfall.link()")
    told = (
        "({ holds: footfall.runs.map(r => r.walker.get('0.hold')), forces: footfall.state.forces,"
        " yaw: footfall.view.yaw,"
        " far: footfall.view.distance, speed: footfall.state.speed, push: document.getElementById('force').value,"
        " settings: footfall.runs.map(r => r.walker.settings), link: footfall.link() })"
    )
    before = page.js(told)
    page.js(f"(location.hash = 'play=no', location.hash = {link.partition('#')[2]!r} + '&play=no', 0)")
    page.wait("footfall.runs.length === 2 && footfall.state.forces && !footfall.state.playing")
    assert page.js(told) == before
    page.js("(location.hash = 'play=no', 0)")
    page.wait("footfall.runs.length === 1 && footfall.walker.get('0.hold') === 0.3")
    assert page.js("footfall.link().split('#')[1]") == "gait=walk"


DRAGGED = """(() => {
footfall.advance(0.5); footfall.showPose('0'); footfall.advance(0);
const place = () => footfall.view.project(footfall.posing.handles.find(h => h.name === HANDLE).at), [x, y] = place();
const far = () => Math.hypot(x + 30 - place()[0], y - place()[1]), get = () => footfall.walker.get(TARGET);
const send = (kind, x, y) => document.getElementById('view').dispatchEvent(
  new PointerEvent(kind, {pointerId: 5, clientX: x, clientY: y, button: 0, buttons: 1}));
const before = get();
send('pointerdown', x, y);
for (let k = 1; k <= 10; k++) send('pointermove', x + 3 * k, y);
const after = get(), best = far();
const near = [-0.02, 0.02].map(by => { footfall.walker.set(TARGET, after + by); footfall.advance(0); return far(); });
send('pointerup', x + 30, y);
return [before, after, best, near]; })()"""


@pytest.mark.parametrize(("handle", "target"), [("right hip", "swing_hip"), ("right knee", "swing_knee")])
def test_a_handle_of_a_pose_comes_as_near_as_its_joint_lets_it(page: Page, handle: str, target: str) -> None:
    script = DRAGGED.replace("HANDLE", repr(handle)).replace("TARGET", repr(f"0.{target}.angle"))
    before, after, best, near = page.js(script)
    assert after > before + 0.1
    assert best < 30
    assert min(near) > best - 0.2


def test_a_challenge_gets_harder_until_it_falls(page: Page) -> None:
    told = page.js(
        "(() => { footfall.startChallenge(1); footfall.state.playing = false; footfall.advance(11);"
        " const friction = footfall.walker.settings.friction; for (let k = 0; k < 60; k++) footfall.advance(1);"
        " return [friction, footfall.walker.outcome, document.getElementById('challenge').textContent]; })()"
    )
    assert told[0] == pytest.approx(0.8 * 0.65)
    assert told[1] == "fell"
    assert "fell at" in told[2]


def test_every_slider_has_a_name_with_its_unit_and_a_sentence(page: Page) -> None:
    rows = page.js(
        "[...document.querySelectorAll('.row')].map(r => [r.dataset.path, r.title,"
        " r.querySelector('input').getAttribute('aria-label')])"
    )
    assert len(rows) > 20
    for path, sentence, name in rows:
        assert sentence.endswith("."), path
        assert name, path
    units = {path.split(".")[-1]: name for path, _, name in rows}
    assert units["hold"] == "hold, s"
    assert units["c_v"].endswith("rad s/m")


def test_without_webgl_it_is_drawn_on_a_plain_canvas(browser: Browser, path: Path) -> None:
    page = browser.open("about:blank")
    page.send(
        "Page.addScriptToEvaluateOnNewDocument",
        source="const plain = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext ="
        " function (kind, ...more) { return kind === 'webgl2' ? null : plain.call(this, kind, ...more); };",
    )
    page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    page.go(f"file://{path}")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    assert page.js("footfall.view.flat")
    assert not page.js("footfall.state.playing"), "less motion is asked for, so it waits"
    page.js("footfall.advance(0.5)")
    seen = pixels(page)[:, :220]
    assert (seen[..., 2] - seen[..., 0] > 60).mean() > 0.002
    assert (seen[..., 0] - seen[..., 2] > 60).mean() > 0.002
    page.close()


def test_the_wheel_scrolls_a_page_that_embeds_it(page: Page) -> None:
    wheel = (
        "(e => { document.getElementById('view').dispatchEvent(e); return e.defaultPrevented; })"
        "(new WheelEvent('wheel', {deltaY: 10, cancelable: true}))"
    )
    assert page.js(wheel)
    page.js("document.body.classList.add('embedded')")
    assert not page.js(wheel)
    page.js("document.body.classList.remove('embedded')")
    assert page.js("document.getElementById('gait').hidden && !document.getElementById('gaits').children.length")


def test_escape_leaves_a_field_and_closes_what_is_shown(page: Page) -> None:
    page.js("(document.getElementById('force').focus(), 0)")
    page.key("Escape")
    assert page.js("document.activeElement.tagName") == "BODY"
    page.js("(document.getElementById('shows').open = true, 0)")
    page.key("Escape")
    assert not page.js("document.getElementById('shows').open")
    assert page.js("document.activeElement.tagName") == "SUMMARY", "the keyboard goes on from there"
    page.js("(document.activeElement.blur(), 0)")


def test_motors_of_a_fallen_body_do_not_glow(page: Page) -> None:
    page.js(
        "(() => { footfall.state.torques = true; const { view } = footfall, plain = view.draw;"
        " view.draw = scene => { window.heat = scene.heat; plain.call(view, scene); }; footfall.advance(1); })()"
    )
    assert page.js("Math.max(...window.heat)") > 0
    assert page.js("Math.max(...window.heat)") <= 1
    page.js("(() => { footfall.walker.push([2000, 0, 0], 0.3); footfall.advance(3); })()")
    assert page.js("footfall.walker.outcome") == "fell"
    assert page.js("window.heat") is None
    page.js("(() => { delete footfall.view.draw; footfall.state.torques = false; })()")
