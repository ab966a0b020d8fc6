"""Readers never crash: whatever the bytes, they give a motion or one FootfallError of one line."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.motion import Motion, load_motion, load_periodic, periodic_motion, save_motion, save_periodic
from tests.motion.test_amc_c3d import AMC, ASF, c3d_bytes
from tests.motion.test_markers import standing, trc_text
from tests.motion.test_more_formats import deepmimic_walk
from tests.motion.walks import walk

FUZZ = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SUFFIXES = (".bvh", ".csv", ".npz", ".glb", ".gltf", ".amc", ".c3d", ".trc", ".txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    short = walk(0.2)
    for suffix in (".bvh", ".csv", ".npz", ".glb", ".gltf"):
        save_motion(short, folder / f"good{suffix}")
    (folder / "good.trc").write_text(trc_text(*standing(frames=3)))
    save_motion(deepmimic_walk(5), folder / "good.txt")
    (folder / "good.asf").write_text(ASF)
    (folder / "good.amc").write_text(AMC)
    (folder / "good.c3d").write_bytes(c3d_bytes())
    return folder


def refusal(read, path):
    """What ``read`` says against a file, or the empty string; anything but a FootfallError passes through."""
    try:
        motion = read(path)
    except FootfallError as error:
        return str(error)
    assert not isinstance(motion, Motion) or np.isfinite(motion.positions()).all()
    return ""


def try_reading(path):
    said = refusal(load_motion, path)
    assert "\n" not in said
    assert not said or str(path.parent) in said


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(st.binary(max_size=400))
@FUZZ
def test_junk(folder, suffix, junk):
    path = folder / f"junk{suffix}"
    path.write_bytes(junk)
    try_reading(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(st.data())
@FUZZ
def test_changed_bytes_and_cut_files(folder, suffix, data):
    content = bytearray((folder / f"good{suffix}").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["byte", "cut", "drop", "double"])):
            case "byte":
                content[at] = data.draw(st.integers(0, 255))
            case "cut":
                del content[max(at, 1) :]
            case "drop":
                del content[at : at + data.draw(st.integers(1, 40))]
            case "double":
                content[at:at] = content[at : at + 60]
        content = content or bytearray(b"x")
    path = folder / f"good{suffix}x{suffix}"
    path.write_bytes(bytes(content))
    if suffix == ".amc":
        (folder / "goodx.asf").write_text(ASF)
    try_reading(path)


@pytest.mark.parametrize("suffix", [".bvh", ".csv", ".amc", ".trc", ".txt"])
@given(st.data())
@FUZZ
def test_changed_words(folder, suffix, data):
    lines = (folder / f"good{suffix}").read_text().split("\n")
    k = data.draw(st.integers(0, len(lines) - 1))
    words = lines[k].split(" ")
    words[data.draw(st.integers(0, len(words) - 1))] = data.draw(
        st.sampled_from(["", "nan", "inf", "-1e308", "{", "}", "ROOT", "9" * 30, "End", "CHANNELS 0", "\ufeff", "0"])
    )
    lines[k] = " ".join(words)
    path = folder / f"word{suffix}"
    path.write_text("\n".join(lines))
    try_reading(path)


@given(st.data())
@FUZZ
def test_changed_skeleton_of_an_amc(folder, data):
    lines = ASF.split("\n")
    k = data.draw(st.integers(0, len(lines) - 1))
    lines[k] = data.draw(
        st.sampled_from(["", "begin", "end", lines[k][::-1], "dof rx rx", "axis 0 0 nan XYZ", "root b a"])
    )
    (folder / "skeleton.asf").write_text("\n".join(lines))
    (folder / "skeleton.amc").write_text(AMC)
    try_reading(folder / "skeleton.amc")


def test_zip_bombs_are_not_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (9 << 20,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("times.npy", "w") as file:
        file.write(header.getvalue())
        for _ in range(72):
            file.write(bytes(1 << 20))
    with pytest.raises(FootfallError, match="would unpack to"):
        load_motion(path)


def test_a_header_that_promises_too_much_is_refused(tmp_path):
    path = tmp_path / "liar.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 3)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("times.npy", header.getvalue())
    with pytest.raises(FootfallError, match="does not hold"):
        load_motion(path)


@pytest.fixture(scope="module")
def cycle_text(tmp_path_factory):
    path = tmp_path_factory.mktemp("cycle") / "cycle.toml"
    return save_periodic(periodic_motion(walk(4.0, fps=30)), path).read_text()


@given(st.data())
@FUZZ
def test_periodic_files(folder, cycle_text, data):
    at = data.draw(st.integers(0, len(cycle_text) - 1))
    put = data.draw(st.sampled_from(["", "[", "nan", '"', "=", "-", "0"]))
    path = folder / "cycle.toml"
    path.write_text(cycle_text[:at] + put + cycle_text[at + 1 :])
    assert "\n" not in refusal(load_periodic, path)
