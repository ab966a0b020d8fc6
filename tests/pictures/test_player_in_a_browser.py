"""The player drawn by a real browser: looked at through its pixels."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from footfall.pictures import save
from tests.motion.walks import walk
from tests.pictures.test_pictures import biped
from tools.browser import Browser, find_chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None,
        reason="NO BROWSER: chromium is not installed, so the HTML player was not drawn or checked",
    ),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(900, 560) as opened:
        yield opened


def photograph(browser: Browser, path: Path) -> np.ndarray:
    """The player at 1.2 s of its motion, as it is once drawn finely."""
    page = browser.open(f"file://{path}#t=1.2")
    page.wait("document.documentElement?.dataset.ready === 'yes'")
    page.wait("document.getElementById('view').dataset.painted === 'finely'", what="a fine picture")
    pixels = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
    page.close()
    return pixels


def share(pixels, colour, within):
    return float((np.abs(pixels[60:430] - colour).max(axis=-1) < within).mean())


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_the_player_draws_both_legs_and_the_trunk(browser, tmp_path, kind):
    motion = biped() if kind == "planar" else walk(3.0)
    pixels = photograph(browser, save(motion, tmp_path / "p.html"))
    blue = (pixels[..., 2] - pixels[..., 0] > 60) & (pixels[..., 1] > 30)
    orange = (pixels[..., 0] - pixels[..., 2] > 60) & (pixels[..., 0] > 80)
    dark = pixels.max(axis=-1) < 110
    for part in (blue, orange, dark):
        assert part[60:430].mean() > 0.002
    assert share(pixels, (235, 240, 245), 30) > 0.3


def test_another_motion_walks_beside_it(browser, tmp_path):
    alone = photograph(browser, save(walk(3.0), tmp_path / "a.html"))
    pair = photograph(browser, save(walk(3.0), tmp_path / "b.html", beside=biped()))
    violet = [((p[..., 2] > p[..., 1] + 25) & (p[..., 0] > p[..., 1] + 8))[60:430].mean() for p in (alone, pair)]
    assert violet[0] < 0.002 < violet[1]
