import html
import json
import re

import numpy as np
import pytest
from PIL import Image

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import GroundProfile, Motion
from footfall.pictures import plot_angles, save, save_picture, strip
from footfall.pictures.scene import scene_of
from tests.motion.walks import walk


def biped() -> Motion:
    figure = Figure.load("planar-biped")
    times = np.arange(0, 3, 0.01)
    qpos = np.tile(figure.default_qpos, (len(times), 1))
    qpos[:, 0] = 1.3 * times
    qpos[:, 3] += 0.4 * np.sin(6 * times)
    qpos[:, 6] -= 0.4 * np.sin(6 * times)
    push = np.zeros((len(times), 3))
    push[100:140, 0] = 250.0
    return Motion.from_qpos(
        figure,
        times,
        qpos,
        channels={
            "state": (times // 0.4).astype(int) % 4,
            "push": push,
            "torque": np.sin(times[:, None] + np.arange(9)),
            "contact": np.random.default_rng(0).integers(0, 2, size=(len(times), len(figure.points))),
        },
        ground=GroundProfile.outline(np.array([-5.0, 1.0, 1.01, 9.0]), np.array([0.0, 0.0, -0.1, 0.2])),
    )


@pytest.mark.parametrize("motion", [biped(), walk(3.0)], ids=["planar", "spatial"])
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".html"])
def test_pictures_of_every_kind_appear_whole(tmp_path, motion, suffix):
    path = save(motion, tmp_path / f"walk{suffix}")
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".html": b"<!doct"}[suffix]
    assert path.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [f"walk{suffix}"]


def test_the_strip_shows_both_legs_and_the_ground(tmp_path):
    save_picture(walk(3.0), tmp_path / "s.png")
    pixels = np.asarray(Image.open(tmp_path / "s.png").convert("RGB")).reshape(-1, 3).astype(int)
    for colour in ((0, 114, 178), (213, 94, 0), (70, 80, 92)):
        assert (np.abs(pixels - colour).sum(axis=1) < 12).mean() > 0.002


def test_a_motion_in_place_is_spread_over_time():
    figure = strip(walk(6.0, speed=0.02))
    assert figure.axes[0].get_xlabel() == "time [s]"
    assert len(figure.axes) == 3
    widths = [round(float(np.ptp(ax.get_xlim())), 6) for ax in figure.axes]
    assert len(set(widths)) == 1
    shown = [label.get_text() for ax in figure.axes for label in ax.get_xticklabels()]
    assert shown == [f"{t:.1f}" for t in np.arange(31) * 0.2]
    assert strip(walk(3.0)).axes[0].get_xlabel() == "distance [m]"
    assert strip(biped()).axes[0].get_xlabel() == "x [m]"


def test_pictures_do_not_change_from_run_to_run(tmp_path):
    for k in range(2):
        save_picture(walk(1.0), tmp_path / f"{k}.png")
        save_picture(walk(1.0), tmp_path / f"{k}.html", title="same")
    assert (tmp_path / "0.png").read_bytes() == (tmp_path / "1.png").read_bytes()
    assert (tmp_path / "0.html").read_bytes() == (tmp_path / "1.html").read_bytes()


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_animations_have_the_frames_of_their_clock(tmp_path, suffix):
    import imageio.v3 as imageio

    path = save(biped(), tmp_path / f"a{suffix}", fps=20, size=(161, 90))
    frames = list(imageio.imiter(path))
    assert abs(len(frames) - 60) <= 1
    assert frames[0].shape[:2] == (90, 160)
    assert np.abs(frames[0].astype(int) - frames[20].astype(int)).max() > 100


def test_states_lie_behind_the_plots():
    figure = plot_angles(biped())
    assert len(figure.axes) == 4
    assert len(figure.axes[0].patches) >= 7


def test_the_player_needs_no_network_and_carries_the_motion(tmp_path):
    motion = biped()
    text = save(motion, tmp_path / "p.html", title="</script><b>&").read_text()
    outside = re.sub(r"xmlns(:\w+)?=\"[^\"]*\"", "", text)
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", outside)
    assert "</script><b>" not in text
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert data["planar"] is True
    assert len(data["body"]["solids"]) == len(scene_of(motion).solids)
    assert all(
        html.unescape(re.search(rf"<{tag}>(.*?)</{tag}>", text)[1]) == "</script><b>&" for tag in ("title", "h1")
    )
    import base64

    times = np.frombuffer(base64.b64decode(data["times"]), "<f4")
    joints = np.frombuffer(base64.b64decode(data["joints"]), "<f4").reshape(len(times), -1, 7)
    vertices = np.frombuffer(base64.b64decode(data["body"]["vertices"]), "<i2").reshape(-1, 3)
    assert joints.shape[1] == 1 + max(joint for _, _, joint, _ in data["body"]["solids"])
    assert len(vertices) == sum(rings * around for rings, around, _, _ in data["body"]["solids"])
    assert len(times) <= 60 * motion.seconds + 2


def test_errors_leave_no_file(tmp_path):
    with pytest.raises(FootfallError, match=r"choose one of: \.png, \.svg, \.pdf, \.gif, \.mp4, \.html"):
        save(walk(1.0), tmp_path / "walk.jpg")
    with pytest.raises(FootfallError, match="unknown kind of picture 'stripe': did you mean 'strip'"):
        save_picture(walk(1.0), tmp_path / "walk.png", kind="stripe")
    with pytest.raises(FootfallError, match="fps 1 to 240"):
        save_picture(walk(1.0), tmp_path / "walk.gif", fps=1e6)
    with pytest.raises(FootfallError, match="unknown channel 'torque'"):
        save_picture(walk(1.0), tmp_path / "walk.png", kind="torques")
    assert not list(tmp_path.iterdir())


def test_importing_pictures_loads_nothing_heavy():
    import subprocess
    import sys

    heavy = ("matplotlib", "mujoco", "warp", "PIL", "scipy")
    code = f"import sys, footfall.pictures, footfall.motion; print([m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
