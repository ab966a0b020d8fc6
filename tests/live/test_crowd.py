"""The crowd's page: its module walks as footfall's own crowd does, and its joints are where footfall puts them."""

import base64
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import footfall.live
from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.live.crowd import (
    CROWD,
    PEOPLE,
    SPEEDS,
    crowd_gaits,
    crowd_module,
    crowd_page,
    crowd_source,
    write_crowd_page,
)
from footfall.live.modules import shipped_index
from footfall.methods.pendulum import Crowd, record_walk, walk_motion
from footfall.methods.pendulum.crowd import CROWD_STATE
from footfall.methods.pendulum.walkers import WalkState
from tools.browser import Browser, find_chromium
from tools.live_modules import digest_of

from .node import HERE, find_node


def test_the_shipped_module_is_made_of_todays_source() -> None:
    digests = shipped_index()[CROWD]["digest"]
    assert digest_of(crowd_source().text) in digests.values(), "make live-modules compiles it again"


@pytest.mark.skipif(find_node() is None, reason="node is not installed")
def test_ten_seconds_in_webassembly_equal_the_native_crowd(tmp_path: Path) -> None:
    gaits = crowd_gaits()
    n, frames, dt = len(gaits), 300, 1 / 30
    fx, fy, turn = (np.linspace(-a, a, n) for a in (12.0, 8.0, 0.1))
    native = Crowd(gaits, precision="float64", threads=1)
    native.command(fx, fy, turn)
    wasm, tables = crowd_module()
    start = WalkState.start(gaits.stride, n, True)
    script = tmp_path / "walker.mjs"
    script.write_text((Path(footfall.live.__file__).parent / "runtime" / "walker.js").read_text(encoding="utf-8"))
    request = {
        "wasm": base64.b64encode(wasm).decode(),
        "tables": [{"name": t.name, "type": t.type, "shape": list(t.shape)} for t in tables],
        "strides": gaits.stride.table(n).view(np.float64).tolist(),
        "row": list(range(n)),
        "state": [start.rows()[name].tolist() for name in CROWD_STATE],
        "command": [v.tolist() for v in (fx, fy, turn)],
        "frames": frames,
        "dt": dt,
    }
    done = subprocess.run(
        [str(find_node()), str(HERE / "run_crowd.mjs"), str(script)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    walked = np.array(json.loads(done.stdout))
    for frame in range(frames):
        np.testing.assert_allclose(walked[frame], native.walk(1, dt).numpy()[0], atol=1e-9)


def test_a_page_for_nobody_and_a_crowd_with_other_controllers_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FootfallError, match="1 to 256 walkers"):
        crowd_page(0)
    assert main(["live", CROWD, "walk", "--out", str(tmp_path / "x.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x.html").exists()


@pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed")
def test_the_page_walks_and_its_joints_are_footfalls(tmp_path: Path) -> None:
    path = write_crowd_page(tmp_path / "crowd.html", walkers=6)
    assert path.stat().st_size < 300_000
    with Browser(240, 180) as browser:
        page = browser.open(f"file://{path}#play=no")
        page.wait("document.documentElement?.dataset.ready === 'yes'")
        before = page.js("[...footfall.tables.state]")
        page.js("footfall.advance(1.0)")
        joints = np.array(page.js("footfall.walking.map(w => w.map(j => j.at))"))
        rows = page.js("[...footfall.tables.row.subarray(0, 6)]")
        starts = np.array(before).reshape(len(CROWD_STATE), -1)[:, :6]
        for i, row in enumerate(rows):
            if i % 2:  # walkers take turns in the leg that they start with; this one is the recorded walk's
                continue
            walk = record_walk(crowd_gaits().take(row), 1.0, fps=30.0)
            motion = walk_motion(walk)
            there = motion.skeleton.forward(motion.root_position[-1:], motion.rotations[-1:])[0][0]
            shift = [starts[CROWD_STATE.index(name), i] for name in ("foot_x", "foot_y")]
            np.testing.assert_allclose(joints[i], there + np.array([*shift, 0.0]), atol=1e-6)
        page.js("(document.getElementById('pace').value = 0, document.getElementById('pace').oninput())")
        page.js("footfall.advance(1.5)")
        slow = page.js("[...footfall.tables.row.subarray(0, 6)]")
        assert [r % len(SPEEDS) for r in slow] == [0] * 6
        assert len({r // len(SPEEDS) for r in slow}) == min(6, len(PEOPLE))
        page.click_on("document.querySelector('[data-push=\"0,1\"]')")
        page.js("footfall.advance(0.2)")
        assert page.js("footfall.tables.command[256]") > 10
        assert page.errors == []
