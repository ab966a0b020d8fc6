"""The guide for web games, followed to the letter: its commands run, its page opens in a real browser."""

import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall.cli.main import main
from tests.motion.test_bvh_in_other_programs import THREE, needs_three
from tools.browser import Browser, find_chromium, served

GUIDE = Path(__file__).parents[2] / "docs" / "web-game.md"


def blocks(language: str) -> list[str]:
    """The code blocks of the guide in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.slow
@needs_three
@pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed")
def test_the_guide_for_web_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks("sh")).splitlines():
        assert main(shlex.split(line.partition("  #")[0])[1:]) == 0
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
        opened.wait("globalThis.walker?.time > 0.5", 120)
        assert opened.js("walker.outcome") == "walking"
        assert opened.js("walker.heading") == pytest.approx(0.5, abs=0.2)
        seen = np.asarray(Image.open(io.BytesIO(opened.screenshot())).convert("L")).astype(float)
        assert seen[20:300, 20:620].std() > 1.0
        opened.js("onclick()")
        opened.wait("walker.pushes.length", 10)
        assert opened.errors == []
