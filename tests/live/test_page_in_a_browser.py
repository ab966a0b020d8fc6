"""Live pages in a real browser, opened from disk, without a network.

Time is driven by the tests (``footfall.advance``) where they look at the simulation, so that a loaded machine changes
nothing; hands are the browser's own events.
"""

import base64
import io
import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import footfall.live
from footfall.control import controller_names, load_controller, parse_controller
from footfall.live.description import write_module
from footfall.live.page import live_page, write_live_page
from footfall.motion import load_motion
from footfall.motion.motion import Motion
from footfall.pictures import save
from tests.studio.controls import until
from tools.browser import Browser, Page, find_chromium

from .node import find_node, run_modules
from .test_agreement import _request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None, reason="NO BROWSER: chromium is not installed, so live pages were not opened"
    ),
]
GAITS = ("walk", "fast-walk", "stand")
CHANGE = "(() => {{ const e = {0}; e.value = {1}; e.dispatchEvent(new Event('{2}')); }})()"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(800, 520) as opened:
        yield opened


@pytest.fixture(scope="module")
def walk_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_live_page([load_controller(n) for n in GAITS], tmp_path_factory.mktemp("live") / "walk.html")


def opened(browser: Browser, path: Path, fragment: str = "", playing: bool = False) -> Page:
    page = browser.open(f"file://{path}#{fragment}{'' if playing else '&play=no'}")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    return page


def state(page: Page) -> list[float]:
    return page.js("[...footfall.walker.qpos]")


def pixels(page: Page) -> Any:
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)


def test_a_file_from_disk_walks_by_itself(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page, playing=True)
    page.wait("footfall.walker.time > 1")
    page.js("footfall.state.playing = false")
    assert page.js("footfall.walker.outcome") == "walking"
    assert state(page)[0] > 0.8
    assert page.js("performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length") == 0
    seen = pixels(page)[:, :440]
    blue = (seen[..., 2] - seen[..., 0] > 60).mean()
    orange = (seen[..., 0] - seen[..., 2] > 60).mean()
    assert blue > 0.002
    assert orange > 0.002
    page.close()


@pytest.mark.slow
def test_physics_follows_the_clock_whatever_a_frame_takes(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    slow = page.js(
        "(footfall.state.playing = true, footfall.reset(), footfall.tick(1e9, Infinity), footfall.reset(),"
        " footfall.tick(1e9 + 900, Infinity), footfall.tick(1e9 + 1800, Infinity),"
        " footfall.state.playing = false, footfall.walker.step_count[0])"
    )
    assert slow == 1800
    page.close()


@pytest.mark.slow
@pytest.mark.skipif(find_node() is None, reason="node is not installed")
def test_every_controller_computes_in_the_browser_what_it_computes_in_node(browser: Browser, tmp_path: Path) -> None:
    page = browser.open("about:blank")
    script = (Path(footfall.live.__file__).parent / "runtime" / "walker.js").read_text(encoding="utf-8")
    page.js("globalThis.Walker = (() => {" + script.replace("\nexport ", "\n") + "return Walker; })(), 0")
    names = controller_names("live", guests=False)
    for name in names:
        write_module([load_controller(name)], tmp_path)
    requests = [_request(tmp_path, name) for name in names]
    for name, request, answer in zip(names, requests, run_modules(requests), strict=True):
        packed = base64.b64encode((tmp_path / f"{name}.wasm").read_bytes()).decode()
        pushes = json.dumps(request["pushes"])
        last = page.js(
            "(async () => {"
            f"const w = await Walker.load(Uint8Array.from(atob('{packed}'), c => c.charCodeAt(0)),"
            f" {(tmp_path / f'{name}.json').read_text()});"
            f"w.every = {request['every']}; w.reset();"
            f"for (const p of {pushes}) w.pushAt(p.place, p.force, p.start, p.seconds);"
            f"for (let k = 0; k < {request['steps']}; k += 1000) w.step(1000); return [...w.qpos]; }})()"
        )
        assert last == answer["last"], name
    page.close()


def test_a_body_is_dragged_with_the_mouse(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page, "gait=stand")
    page.js("footfall.advance(0.2)")
    free = page.js("(footfall.advance(0.5), [...footfall.walker.qpos])")
    page.js("footfall.reset(), footfall.advance(0.2), 0")
    x, y = page.js("footfall.view.project(footfall.walker.inWorld(0, footfall.walker.about.bodies[0].com))")
    page.mouse("mouseMoved", x, y, "none", 0)
    page.mouse("mousePressed", x, y)
    page.mouse("mouseMoved", x + 40, y)
    page.mouse("mouseMoved", x + 80, y)
    pulled = page.js("(footfall.advance(0.5), [...footfall.walker.qpos])")
    assert page.js("footfall.walker.pulls.size") == 1
    page.mouse("mouseReleased", x + 80, y, buttons=0)
    assert page.js("footfall.walker.pulls.size") == 0
    assert pulled[0] > free[0] + 0.05
    yaw = page.js("footfall.view.yaw")
    page.drag((60, 200), (160, 200), steps=3, pause=0.02)
    assert page.js("footfall.view.yaw") < yaw - 0.3
    page.close()


def test_pushes_make_it_stagger_and_fall(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    page.js("footfall.advance(1)")
    page.js("(document.getElementById('force').value = 600, 0)")
    for _ in range(6):
        page.click_on("document.querySelector('#pushes button')")
        page.js("footfall.advance(0.15)")
    page.js("footfall.advance(2)")
    assert page.js("footfall.walker.outcome") == "fell"
    assert page.js("document.getElementById('status').textContent").startswith("fell at")
    page.click_on("document.getElementById('reset')")
    assert page.js("footfall.walker.outcome") == "walking"
    assert page.js("footfall.walker.time") < 0.5
    page.close()


@pytest.mark.slow
def test_a_slider_changes_the_gait_and_a_link_carries_it(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    before = page.js("(footfall.advance(3), footfall.walker.qpos[0])")
    page.js("footfall.reset()")
    row = "[...document.querySelectorAll('.row')].find(r => r.dataset.path === '0.hold').querySelector('input')"
    page.click_on(row)
    for _ in range(12):
        page.key("ArrowRight")
    held = page.js("footfall.walker.get('0.hold')")
    assert held > 0.3
    after = page.js("(footfall.advance(3), footfall.walker.qpos[0])")
    assert abs(after - before) > 0.05
    page.click_on("document.querySelector('[data-tab=world]')")
    page.js(CHANGE.format("document.querySelector('#world input')", 5, "input"))
    page.js(CHANGE.format("document.getElementById('terrain')", "'slope:3'", "change"))
    link = page.js("footfall.link()")
    other = browser.open(link)
    other.wait("document.documentElement?.dataset.ready === 'yes'")
    assert other.js("footfall.walker.get('0.hold')") == held
    assert other.js("footfall.walker.settings") == page.js("footfall.walker.settings")
    assert other.js("footfall.walker.settings.terrain") == "slope:3"
    assert other.js("footfall.walker.settings.gravity") == -5
    page.close()
    other.close()


def test_gaits_switch_while_it_walks(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    page.js("footfall.advance(2)")
    page.click_on("[...document.querySelectorAll('#gaits button')].find(b => b.textContent === 'fast-walk')")
    page.js("footfall.advance(2)")
    assert page.js("footfall.walker.where().gait.name") == "fast-walk"
    assert page.js("document.getElementById('title').textContent") == "fast-walk"
    assert page.js("footfall.walker.time") > 3.9
    page.close()


@pytest.mark.slow
def test_a_finger_on_a_phone_drags_and_turns(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    page.send("Emulation.setDeviceMetricsOverride", width=390, height=780, deviceScaleFactor=1, mobile=True)
    page.send("Emulation.setTouchEmulationEnabled", enabled=True)
    page.send("Page.reload")
    page.wait("innerWidth === 390 && document.documentElement?.dataset.ready === 'yes'")
    page.js("(footfall.state.playing = false, footfall.advance(0.3))")
    assert page.js("document.body.classList.contains('folded')")
    fits = (
        "(r => r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight)"
        "(document.querySelector('footer').getBoundingClientRect())"
    )
    assert page.js(fits)
    x, y = page.js("footfall.view.project(footfall.walker.inWorld(0, footfall.walker.about.bodies[0].com))")

    def touch(kind: str, *points: tuple[float, float]) -> None:
        page.send("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": a, "y": b} for a, b in points])

    touch("touchStart", (x, y))
    touch("touchMove", (x - 60, y))
    page.js("footfall.advance(0.1)")
    assert page.js("footfall.walker.pulls.size") == 1
    assert page.js("[...footfall.walker.pulls.values()][0][0]") < -20
    touch("touchEnd")
    yaw = page.js("footfall.view.yaw")
    touch("touchStart", (40, 120))
    touch("touchMove", (140, 120))
    touch("touchEnd")
    assert page.js("footfall.view.yaw") != yaw
    page.close()


def test_the_controller_and_the_motion_can_be_taken_home(browser: Browser, walk_page: Path) -> None:
    page = opened(browser, walk_page)
    page.js("(footfall.walker.set('0.swing_hip.angle', 0.47), footfall.walker.set('knee.kp', 250), 0)")
    page.js("footfall.advance(1.5)")
    page.click_on("document.querySelector('[data-tab=share]')")
    page.click_on("document.getElementById('save-controller')")
    page.click_on("document.getElementById('save-motion')")
    files = [browser.downloads / name for name in ("walk.toml", "walk.csv")]
    until(lambda: all(f.is_file() and f.stat().st_size > 0 for f in files), what="both files")
    text = files[0].read_text(encoding="utf-8")
    saved, original = parse_controller(text), load_controller("walk")
    assert saved.states[0].targets["swing_hip"].angle == 0.47
    assert "# footfall run --set knee.kp=250" in text
    targets = saved.states[0].targets | {"swing_hip": original.states[0].targets["swing_hip"]}
    states = (replace(saved.states[0], targets=targets), *saved.states[1:])
    assert saved.changed(states=states) == original.changed(basin={})
    motion = load_motion(files[1])
    assert motion.seconds > 1.4
    positions, _ = motion.skeleton.forward(motion.root_position, motion.rotations)
    again = type(motion).from_qpos(_figure("planar-biped"), motion.times, motion.channels["qpos"])
    there, _ = again.skeleton.forward(again.root_position, again.rotations)
    np.testing.assert_allclose(positions, there, atol=1e-9)
    for f in files:
        f.unlink()
    page.close()


def _figure(name: str) -> Any:
    from footfall.figures import Figure

    return Figure.load(name)


EVIL = "</script><img src=x onerror=window.hit=1><script>window.hit=1</script>\u2028'\"`${window.hit=1}__DATA__"


def test_names_with_markup_stay_text(browser: Browser, tmp_path: Path) -> None:
    walk = load_controller("walk")
    named = tuple(replace(s, name=f"s{i}{EVIL}") for i, s in enumerate(walk.states))
    evil = walk.changed(name=EVIL, about=EVIL, states=named)
    text = live_page([evil, load_controller("run")], title=EVIL)
    assert EVIL not in text
    path = tmp_path / "evil.html"
    path.write_text(text, encoding="utf-8")
    page = opened(browser, path)
    page.js("footfall.advance(0.5)")
    assert page.js("document.getElementById('title').textContent") == EVIL
    assert page.js("document.getElementById('about').textContent") == EVIL
    assert page.js("document.querySelectorAll('img').length") == 0
    assert page.js("window.hit === undefined")
    page.js("document.getElementById('save-controller').onclick(), 0")
    page.js(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1';"
        " document.body.append(s); })()"
    )
    assert page.js("window.hit === undefined"), "the page's policy lets other scripts run"
    page.close()


@pytest.mark.parametrize(
    "fragment",
    [
        "gait=nothing&terrain=moon&gravity=abc&friction=-5&load=1e999&speed=1e308&view=__proto__",
        "walk/0.hold=NaN&walk/0.hold=1e400&walk/__proto__=1&walk/constructor=2&__proto__/x=3&toString/0.hold=1",
        "%E0%A4%A&gait=%3Cimg%20src=x%20onerror=window.hit=1%3E&=&&&walk/=5&/=1",
        "walk/0.hold=1e300&walk/swing_hip.angle=-1e300&walk/knee.kp=1e300&gravity=1e300",
        "javascript:window.hit=1",
    ],
)
def test_malformed_links_change_nothing_that_they_should_not(browser: Browser, walk_page: Path, fragment: str) -> None:
    page = opened(browser, walk_page, fragment)
    page.js("footfall.advance(0.5)")
    assert page.js("window.hit === undefined")
    assert page.js("footfall.walker.outcome") in ("walking", "fell", "diverged", "stopped")
    assert page.js("footfall.walker.gait.name") == "walk"
    assert page.js("Object.values(footfall.walker.settings).every(v => typeof v === 'string' || Number.isFinite(v))")
    assert page.js("footfall.walker.row.every(Number.isFinite)")
    assert page.js("({}).x === undefined && footfall.state.speed <= 8")
    page.close()


def test_controllers_of_different_figures_share_a_page(browser: Browser, tmp_path: Path) -> None:
    path = write_live_page([load_controller("walk"), load_controller("human-walk")], tmp_path / "two.html")
    page = opened(browser, path)
    page.click_on("[...document.querySelectorAll('#gaits button')].find(b => b.textContent === 'human-walk')")
    page.wait("footfall.walker.about.figure === 'human'")
    page.js("footfall.advance(1)")
    assert page.js("footfall.walker.outcome") == "walking"
    page.close()


def test_the_page_is_small(walk_page: Path) -> None:
    assert walk_page.stat().st_size < 300_000
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"]["optional-dependencies"]["live"]


def test_a_page_inside_another_one_keeps_its_gaits(browser: Browser, walk_page: Path) -> None:
    page = browser.open(f"file://{walk_page}?embedded#play=no")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    assert page.js("getComputedStyle(document.getElementById('panel')).display") == "none"
    page.js(CHANGE.format("document.getElementById('gait')", "'fast-walk'", "change"))
    page.js("footfall.advance(2)")
    assert page.js("footfall.walker.where().gait.name") == "fast-walk"
    page.close()


@pytest.mark.parametrize("name", ["walk", "human-walk"])
def test_the_player_draws_the_same_picture_of_the_same_pose(browser: Browser, tmp_path: Path, name: str) -> None:
    graph = load_controller(name)
    path = write_live_page([graph], tmp_path / "live.html")
    figure = _figure(graph.figure)
    page = browser.open(f"file://{path}?embedded#play=no")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    qpos = np.array(
        [page.js("(footfall.state.contacts = false, footfall.advance(0.4), [...footfall.walker.qpos])")] * 2
    )
    save(Motion.from_qpos(figure, np.array([0.0, 0.1]), qpos), tmp_path / "player.html")
    player = browser.open(f"file://{tmp_path / 'player.html'}#t=0")
    player.wait("document.documentElement?.dataset.ready === 'yes'")
    hide = "document.querySelectorAll('header, footer, #hint').forEach(e => { e.style.visibility = 'hidden'; })"
    # the player finds heading and height from its motion, the live page from its start; each has its own free space
    tall, heading, lift, reach = player.js(
        f"({hide}, (d => [d.tall, d.heading, footfall.view.lift, footfall.view.reach])"
        "(JSON.parse(document.getElementById('data').textContent)))"
    )
    page.js(
        f"((v, tall) => {{ {hide}; v.distance *= tall / v.tall; v.tall = tall; v.yaw += {heading}; v.aim = null;"
        f" v.lift = {lift}; v.reach = {reach}; footfall.advance(0); }})(footfall.view, {tall})"
    )
    for shown in (page, player):
        shown.wait("document.getElementById('view').dataset.painted === 'finely'", what="a fine picture")
    live, played = pixels(page), pixels(player)
    assert np.abs(live - played).mean() < 0.5
    page.close()
    player.close()
