"""Motion clips: what is uploaded, what is refused, and how it plays."""

import io
import struct
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, save_motion
from footfall.simulation import Record, Simulation
from footfall.studio.core.clip import (
    LONGEST_NAME,
    Clip,
    CycleReport,
    SkeletonFile,
    profiles_drawing,
    read_clip,
    report_table,
    short_name,
    walked_lately,
)
from footfall.studio.core.frames import recent_motion
from footfall.studio.core.session import Session
from footfall.study.gait_lab.analysis import analyse

DATA = Path(__file__).parents[4].parent / "shared" / "data" / "mocap"

ASF = b""":version 1.10
:name tiny
:units
  mass 1.0
  length 0.45
  angle deg
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name lthigh
     direction 0 -1 0
     length 7.5
     axis 0 0 0 XYZ
    dof rx
  end
:hierarchy
  begin
    root lthigh
  end
"""
AMC = b":FULLY-SPECIFIED\n:DEGREES\n" + b"".join(
    b"%d\nroot 0 17 %d 0 0 0\nlthigh %d\n" % (k, k, 10 * k) for k in range(1, 6)
)


def c3d(frames: int = 8) -> bytes:
    """Two markers that go forward, as floats in Intel's order."""
    header = bytearray(512)
    header[0:2] = bytes([2, 0x50])
    struct.pack_into("<4H", header, 2, 2, 0, 1, frames)
    struct.pack_into("<f", header, 12, -1.0)
    struct.pack_into("<H", header, 16, 3)
    struct.pack_into("<f", header, 20, 100.0)
    parameters = bytearray(512)
    parameters[2:4] = bytes([1, 84])
    points = np.zeros((frames, 2, 4), "<f4")
    points[:, :, 0], points[:, 1, 2] = 10.0 * np.arange(frames)[:, None], 900.0
    return bytes(header + parameters) + points.tobytes()


@pytest.fixture(scope="module")
def walk() -> Motion:
    simulation = Simulation("walk", record=Record(rate=100))
    simulation.run(5.0)
    return simulation.trace().motion(0)


def as_file(motion: Motion, suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        save_motion(motion, path)
        return path.read_bytes()


def read(name: str, content: bytes, skeleton: SkeletonFile | None = None) -> Clip:
    clip = read_clip(name, content, skeleton)
    assert isinstance(clip, Clip)
    return clip


def measured(clip: Clip, name: str) -> float:
    assert clip.report is not None
    return clip.report.parameters[name]["both"].mean


@pytest.mark.parametrize("suffix", [".bvh", ".npz", ".csv", ".glb"])
def test_what_footfall_wrote_plays_as_it_walked(walk: Motion, suffix: str) -> None:
    clip = read(f"My Walk{suffix.upper()}", as_file(walk, suffix))
    assert clip.seconds == pytest.approx(5.0, abs=0.02)
    height = clip.pose(2.0)[0][:, 2]
    assert -0.02 < height.min() < 0.1
    assert measured(clip, "speed") == pytest.approx(0.97, abs=0.1)
    assert measured(clip, "step_length") == pytest.approx(0.35, abs=0.03)
    assert {"hip_flexion", "knee_flexion", "ankle_dorsiflexion"} <= set(clip.report.curves)
    assert "speed" in report_table(clip.report, None, ("#000", "#111"), ("<b>", "walk"))
    assert "&lt;b&gt;" in report_table(clip.report, None, ("#000", "#111"), ("<b>", "walk"))
    assert "r = 1.00" in profiles_drawing(clip.report, clip.report, ("#000", "#111"))


@given(st.floats(0.01, 4.9), st.integers(-20, 20), st.integers(-3, 3))
def test_it_goes_round_and_travels_on(time: float, first: int, rounds: int) -> None:
    clip = marching()
    time += first * clip.seconds
    for one, two in zip(clip.pose(time), clip.pose(time + rounds * clip.seconds), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-6)
    way = clip.travelled(time + rounds * clip.seconds) - clip.travelled(time)
    np.testing.assert_allclose(way, [5.0 * rounds, 0.0], atol=1e-9)
    position, wxyz = clip.pose(time)
    np.testing.assert_allclose(np.linalg.norm(wxyz, axis=-1), 1.0, atol=1e-9)
    assert np.abs(position).max() < 2.5


@cache
def marching() -> Clip:
    """A figure that slides along at 1 m/s for 5 s, turning its hips."""
    figure = Figure.load("planar-biped")
    times = np.linspace(0.0, 5.0, 101)
    qpos = np.tile(figure.default_qpos, (len(times), 1))
    qpos[:, 0], qpos[:, 3], qpos[:, 6] = times, np.sin(times), -np.sin(times)
    return Clip("march", Motion.from_qpos(figure, times, qpos))


def test_it_goes_onto_another_figure(walk: Motion) -> None:
    human = Clip("walk", walk).onto(Figure.load("human"))
    assert human.motion.figure == "human"
    assert human.pose(1.0)[0][:, 2].max() > 1.4
    markers = read("x.c3d", c3d())
    with pytest.raises(FootfallError, match="markers"):
        markers.onto(Figure.load("human"))


def test_markers_and_acclaim_pairs() -> None:
    clip = read("x.c3d", c3d())
    position, wxyz = clip.pose(0.03)
    assert position.shape == (2, 3)
    assert len(wxyz) == 0
    np.testing.assert_allclose(clip.travelled(0.03), [0.03, 0.0], atol=1e-6)
    skeleton = read_clip("tiny.asf", ASF)
    assert isinstance(skeleton, SkeletonFile)
    with pytest.raises(FootfallError, match=r"upload its \.asf first"):
        read_clip("tiny.amc", AMC)
    clip = read("tiny.amc", AMC, skeleton)
    assert len(clip.motion) == 5
    with pytest.raises(FootfallError, match="not a bone of the skeleton"):
        read_clip("tiny.amc", AMC, SkeletonFile("tiny.asf", b"rubbish"))


def nan_npz(walk: Motion) -> bytes:
    with np.load(io.BytesIO(as_file(walk, ".npz"))) as arrays:
        parts = dict(arrays)
    parts["root_position"][3, 0] = np.nan
    out = io.BytesIO()
    np.savez(out, **parts)
    return out.getvalue()


BAD = {
    "rubbish.bvh": lambda w: bytes(range(256)) * 40,
    "rubbish.glb": lambda w: b"glTF" + bytes(range(256)) * 4,
    "rubbish.npz": lambda w: b"PK\x03\x04" + bytes(300),
    "rubbish.csv": lambda w: b"\xff\xfe\x00a,b\n1,2\n",
    "rubbish.c3d": lambda w: bytes([2, 0x50]) + bytes(range(256)) * 8,
    "cut.bvh": lambda w: as_file(w, ".bvh")[:-2000],
    "cut.npz": lambda w: as_file(w, ".npz")[:-2000],
    "cut.csv": lambda w: as_file(w, ".csv")[:-40],
    "cut.glb": lambda w: as_file(w, ".glb")[:-2000],
    "cut.c3d": lambda w: c3d()[:-20],
    "other.csv": lambda w: as_file(w, ".bvh"),
    "other.bvh": lambda w: as_file(w, ".npz"),
    "frames.bvh": lambda w: as_file(w, ".bvh").replace(b"Frames: 500", b"Frames: 999999999999"),
    "many.c3d": lambda w: c3d()[:8] + b"\xff\xff" + c3d()[10:],
    "nan.bvh": lambda w: b" nan ".join(as_file(w, ".bvh").rsplit(b" ", 1)),
    "nan.npz": nan_npz,
    "empty.bvh": lambda w: b"",
    "program.py": lambda w: b"import os",
    "no-suffix": lambda w: b"x",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_told_in_one_line_and_leave_nothing(
    walk: Motion, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = BAD[name](walk)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(FootfallError) as caught:
        read_clip(f"../../<i>/{name}", content)
    told = str(caught.value)
    assert "\n" not in told
    assert f"'{name}'" in told
    assert str(tmp_path) not in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not DATA.is_dir(), reason=f"NO REAL CLIPS: {DATA} is absent")
@pytest.mark.parametrize(
    ("file", "speed"),
    [("cmu/16_21.bvh", 1.69), ("snu/wd2_WalkForwardNormal00.bvh", None), ("snu/wd2_u-turn.bvh", None)],
)
def test_real_clips_stand_on_the_ground_and_face_forward(file: str, speed: float | None) -> None:
    clip = read(file, (DATA / file).read_bytes())
    heights = np.array([clip.pose(t)[0][:, 2].min() for t in np.linspace(0.0, clip.seconds, 50)])
    assert -0.1 < heights.min() <= np.median(heights) < 0.15
    assert clip.travelled(0.9 * clip.seconds)[0] > 0.0 or "turn" in file
    assert measured(clip, "step_time") > 0.0
    if speed is not None:
        assert measured(clip, "speed") == pytest.approx(speed, abs=0.1)


def test_a_long_name_keeps_its_ending() -> None:
    assert short_name("folder/walk.bvh") == "walk.bvh"
    short = short_name(f"{'x' * 200}.bvh")
    assert len(short) == LONGEST_NAME
    assert short.endswith("….bvh")
    with pytest.raises(FootfallError, match="does not begin like one"):
        read_clip(f"{'x' * 200}.bvh", b"junk")


@pytest.mark.parametrize(
    ("suffix", "begin"),
    [*((suffix, b"\0") for suffix in (".bvh", ".npz", ".glb", ".c3d", ".amc", ".csv")), (".bvh", b"HIERARCHY\n")],
)
def test_a_large_file_of_another_kind_is_refused_before_it_is_read(suffix: str, begin: bytes) -> None:
    import tracemalloc

    content = begin + bytes(range(1, 256)) * 40_000
    tracemalloc.start()
    try:
        with pytest.raises(FootfallError, match="does not begin like one"):
            read_clip(f"junk{suffix}", content, SkeletonFile("a.asf", ASF))
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("suffix", [".npz", ".bvh"])
def test_a_clip_measures_what_the_gait_laboratory_measures(walk: Motion, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"walk{suffix}"
    save_motion(walk, path)
    clip, analysis = read(path.name, path.read_bytes()), analyse(path)
    for name in ("speed", "step_length", "step_time", "step_width", "stance", "double_support"):
        assert measured(clip, name) == pytest.approx(analysis.parameters[name]["both"].mean, rel=1e-6, abs=1e-6), name


@pytest.mark.parametrize("name", ["walk", "tracked-walk"])
def test_the_walkers_own_contacts_are_measured(name: str) -> None:
    session = Session(name)
    for _ in range(300):
        session.step()
    motion = walked_lately(session, 4.0, None)
    assert motion is not None
    report, analysis = CycleReport.of(motion), analyse(recent_motion(session, 4.0))
    assert report is not None
    assert analysis.events.source == "contacts"
    seen, points = session.history.last(4.0), [p for p in session.world.figure.points if p.ground]
    left, right = (seen.contact[:, [p.foot == side for p in points]].any(axis=1) for side in ("left", "right"))
    both = report.parameters["double_support"]["both"].mean
    assert both == pytest.approx(100.0 * float((left & right).mean()), abs=4.0)
    assert both == pytest.approx(analysis.parameters["double_support"]["both"].mean, abs=1e-6)
    assert report.parameters["step_width"]["both"].mean == pytest.approx(
        analysis.parameters["step_width"]["both"].mean, abs=1e-6
    )
