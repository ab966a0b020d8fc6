"""The player drawn by a real browser: looked at through its pixels."""

import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

from footfall.pictures import save
from tests.motion.walks import walk
from tests.pictures.test_pictures import biped

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None, reason="NO BROWSER: chromium is not installed, so the HTML player was not drawn or checked"
    ),
]


def photograph(page, picture, folder, fragment):
    command = [
        str(BROWSER), "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--window-size=900,560",
        "--virtual-time-budget=1500",
        f"--user-data-dir={folder / 'profile'}", f"--screenshot={picture}", f"file://{page}#{fragment}",
    ]  # fmt: skip
    subprocess.run(command, capture_output=True, timeout=90, check=False)
    return np.asarray(Image.open(picture).convert("RGB")).astype(int)


def share(pixels, colour, within):
    return float((np.abs(pixels[60:430] - colour).max(axis=-1) < within).mean())


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_the_player_draws_both_legs_and_the_trunk(tmp_path, kind):
    motion = biped() if kind == "planar" else walk(3.0)
    page = save(motion, tmp_path / "p.html")
    pixels = photograph(page, tmp_path / "p.png", tmp_path, "t=1.2")
    blue = (pixels[..., 2] - pixels[..., 0] > 60) & (pixels[..., 1] > 30)
    orange = (pixels[..., 0] - pixels[..., 2] > 60) & (pixels[..., 0] > 80)
    dark = pixels.max(axis=-1) < 110
    for part in (blue, orange, dark):
        assert part[60:430].mean() > 0.002
    assert share(pixels, (235, 240, 245), 30) > 0.3


def test_another_motion_walks_beside_it(tmp_path):
    alone = photograph(save(walk(3.0), tmp_path / "a.html"), tmp_path / "a.png", tmp_path, "t=1.2")
    pair = photograph(save(walk(3.0), tmp_path / "b.html", beside=biped()), tmp_path / "b.png", tmp_path, "t=1.2")
    violet = [((p[..., 2] > p[..., 1] + 25) & (p[..., 0] > p[..., 1] + 8))[60:430].mean() for p in (alone, pair)]
    assert violet[0] < 0.002 < violet[1]
