"""The guides for web games and for one's own character, followed to the letter: their commands run, their pages open in
a real browser."""

import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall.cli.main import main
from footfall.motion import load_motion, save_motion
from footfall.motion.gait.feet import lowest_points
from tests.motion.test_bvh_in_other_programs import THREE, needs_three
from tools.browser import Browser, find_chromium, served

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "web-game.md"
BABYLON = THREE.parent / "babylonjs"
needs_browser = pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed")


def blocks(language: str, guide: Path = GUIDE) -> list[str]:
    """The code blocks of a guide in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", guide.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def follow(guide: Path) -> None:
    """Run a guide's commands."""
    for line in "".join(blocks("sh", guide)).splitlines():
        assert main(shlex.split(line.partition("  #")[0])[1:]) == 0, line


@pytest.mark.slow
def test_the_guide_for_ones_own_character(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow(DOCS / "rigs.md")
    character, out = load_motion("character.glb"), load_motion("out.glb", animation="walk-3d")
    assert out.skeleton.names == character.skeleton.names == load_motion("out.bvh").skeleton.names
    assert np.linalg.norm(out.root_position[-1] - out.root_position[0]) > 2.0
    assert lowest_points(out).max() < 0.01  # a foot is on the ground all the time
    save_motion(load_motion("turn.glb"), "walk.npz")
    save_motion(character, "clip.bvh")
    (code,) = blocks("python", DOCS / "rigs.md")
    exec(code, {})
    assert load_motion("turn-on-me.bvh").skeleton.names == character.skeleton.names


@pytest.mark.slow
@needs_browser
@pytest.mark.skipif(
    not (BABYLON.is_dir() and BABYLON.with_name("babylonjs-loaders").is_dir()),
    reason=f"NO BABYLON.JS: {BABYLON} is missing",
)
def test_the_page_for_babylon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow(GUIDE)
    web = tmp_path / "web"
    (web / "node_modules").mkdir()
    for package in ("babylonjs", "babylonjs-loaders"):
        (web / "node_modules" / package).symlink_to(BABYLON.with_name(package))
    (page,) = blocks("html babylon")
    (web / "babylon.html").write_text(page, encoding="utf-8")
    with served(web) as address, Browser(660, 340) as browser:
        opened = browser.open(f"{address}/babylon.html")
        opened.wait("globalThis.walker?.time > 1.0")
        assert opened.js("walker.outcome") == "walking"
        place = "nodes.map(node => { const p = node.getAbsolutePosition(); return [p.x, p.y, p.z]; })"
        seen = np.array(opened.js(place))
        assert np.ptp(seen[:, 1]) > 1.2  # it stands upright
        assert -0.05 < seen[:, 1].min() < 0.1
        assert np.hypot(*seen[0, [0, 2]]) > 0.3
        picture = np.asarray(Image.open(io.BytesIO(opened.screenshot())).convert("L")).astype(float)
        assert picture[20:300, 20:620].std() > 1.0
        assert opened.errors == []


@pytest.mark.slow
@needs_three
@needs_browser
def test_the_guide_for_web_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    follow(GUIDE)
    web = tmp_path / "web"
    table = re.findall(r"^\| (`[\w.]+`(?:, `[\w.]+`)*) \| ", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for row in table[:5] for name in re.findall(r"`([\w.]+)`", row)}
    assert named | {"character.glb"} == {path.name for path in web.iterdir()}
    (web / "node_modules").mkdir()
    (web / "node_modules" / "three").symlink_to(THREE)
    (page,) = blocks("html")
    (web / "mine.html").write_text(page, encoding="utf-8")
    with served(web) as address, Browser(660, 340) as browser:
        opened = browser.open(f"{address}/mine.html")
        opened.wait("globalThis.walker?.time > 0.5")
        assert opened.js("walker.outcome") == "walking"
        assert opened.js("walker.heading") == pytest.approx(0.5, abs=0.2)
        seen = np.asarray(Image.open(io.BytesIO(opened.screenshot())).convert("L")).astype(float)
        assert seen[20:300, 20:620].std() > 1.0
        opened.js("onclick()")
        opened.wait("walker.pushes.length")
        assert opened.errors == []
