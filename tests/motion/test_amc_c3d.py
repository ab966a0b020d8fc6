import struct

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion import load_motion, read_markers

ASF = """# AST/ASF file
:version 1.10
:name VICON
:units
  mass 1.0
  length 1.0
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lfemur
    direction 0 -1 0
    length 0.44
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
  end
  begin
    id 2
    name ltibia
    direction 0 -1 0
    length 0.42
    axis 0 0 20 XYZ
    dof rx
  end
  begin
    id 3
    name lfoot
    direction 0 0 1
    length 0.2
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root lfemur
    lfemur ltibia
    ltibia lfoot
  end
"""
AMC = """#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 0 1 0 0 0 0
lfemur -30 0 0
ltibia 60
2
root 0 1 0.1 0 90 0
lfemur 0 0 0
ltibia 0
"""


def c3d_bytes(points=3, frames=4, order=84, real=True):
    """A small C3D file, written from the format's description."""
    mark = ">" if order == 86 else "<"

    def number(value):
        raw = struct.pack(f"{mark}f", value)
        if order == 85:
            raw = struct.pack("<f", value * 4)
            raw = raw[2:] + raw[:2]
        return raw

    header = bytearray(512)
    header[0:2] = bytes([2, 0x50])
    struct.pack_into(f"{mark}4H", header, 2, points, 0, 1, frames)
    header[12:16] = number(-1.0 if real else 0.5)
    struct.pack_into(f"{mark}H", header, 16, 3)
    header[20:24] = number(100.0)
    labels = b"".join(f"M{k}".ljust(4).encode() for k in range(points))

    def record(number_, name, body):
        return struct.pack("bb", len(name), number_) + name + struct.pack(f"{mark}H", 2 + len(body)) + body

    parameters = bytes([1, 0x50, 1, order]) + record(-1, b"POINT", b"\0")
    parameters += record(1, b"LABELS", struct.pack("bBBB", -1, 2, 4, points) + labels + b"\0")
    parameters += record(1, b"UNITS", struct.pack("bBB", -1, 1, 2) + b"cm" + b"\0")
    data = b""
    for f in range(frames):
        for p in range(points):
            values = [10.0 * f, p, 100.0, -1.0 if (f, p) == (1, 2) else 0.0]
            data += b"".join(number(v) for v in values) if real else struct.pack(f"{mark}4h", *(int(v) for v in values))
    return bytes(header) + parameters.ljust(512, b"\0") + data


def test_amc_bones_turn_in_their_own_axes(tmp_path):
    (tmp_path / "07.asf").write_text(ASF)
    (tmp_path / "07_01.amc").write_text(AMC)
    motion = load_motion(tmp_path / "07_01.amc")
    assert motion.skeleton.names == ("root", "lfemur", "ltibia", "lfoot")
    assert motion.source["unit"] == "m"
    assert motion.fps == pytest.approx(120)
    hip, knee, ankle = (motion.position(name) for name in ("lfemur", "ltibia", "lfoot"))
    assert np.allclose(hip[0], [0, 0, 1])
    # the axis lies in the frontal plane, 20 degrees from x: bending by -30 degrees swings the knee forward
    turn = np.deg2rad(-30)
    a = np.array([np.cos(np.deg2rad(20)), np.sin(np.deg2rad(20)), 0])
    down = np.array([0, -0.44, 0])
    bent = down * np.cos(turn) + np.cross(a, down) * np.sin(turn) + a * (a @ down) * (1 - np.cos(turn))
    assert np.allclose(knee[0] - hip[0], bent[[2, 0, 1]])
    assert np.isclose(np.linalg.norm(ankle[0] - knee[0]), 0.42)
    assert np.allclose(ankle[1], [0.1, 0, 0.14])
    assert np.allclose(motion.end_positions()[1, 0], [0.1, 0.2, 0.14])


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("ltibia 60", "ltibia 60 1", "line 7: expected 1 numbers"),
        ("ltibia 60", "knee 60", "line 7: 'knee' is not a bone"),
        ("ltibia 60\n", "", "names 2 bones, it needs 3"),
        ("\nltibia 0\n", "\n", "cut off"),
    ],
)
def test_a_broken_amc_names_the_line(tmp_path, old, new, word):
    (tmp_path / "07.asf").write_text(ASF)
    (tmp_path / "07.amc").write_text(AMC.replace(old, new))
    with pytest.raises(FootfallError, match=word):
        load_motion(tmp_path / "07.amc")


def test_an_amc_without_its_skeleton_says_so(tmp_path):
    (tmp_path / "07.amc").write_text(AMC)
    with pytest.raises(FootfallError, match=r"no '07\.asf' beside it"):
        load_motion(tmp_path / "07.amc")


@pytest.mark.parametrize("order", [84, 85, 86])
@pytest.mark.parametrize("real", [True, False])
def test_c3d_markers_in_every_byte_order(tmp_path, order, real):
    (tmp_path / "m.c3d").write_bytes(c3d_bytes(order=order, real=real))
    markers = read_markers(tmp_path / "m.c3d")
    assert markers.names == ("M0", "M1", "M2")
    assert np.allclose(markers.times, [0, 0.01, 0.02, 0.03])
    scale = 0.01 * (1.0 if real else 0.5)
    assert np.isnan(markers.positions[1, 2]).all()
    assert np.allclose(markers.positions[2, 1], np.array([20, 1, 100]) * scale)
    motion = load_motion(tmp_path / "m.c3d")
    assert np.allclose(motion.root_position[3], np.array([30, 1, 100]) * scale)


def test_a_cut_c3d_says_where_it_ends(tmp_path):
    (tmp_path / "m.c3d").write_bytes(c3d_bytes()[:-60])
    with pytest.raises(FootfallError, match="4 frames are announced, but the data ends after 2"):
        load_motion(tmp_path / "m.c3d")


def test_force_platforms_that_make_no_sense_are_left_out_and_the_rest_is_read(tmp_path):
    """A platform's channels lie beyond the file's: markers are read all the same."""
    from footfall.motion.formats.c3d import C3DParameters, plate_signals

    numbers = {
        ("FORCE_PLATFORM", "USED"): np.array(1.0),
        ("FORCE_PLATFORM", "TYPE"): np.array([2.0]),
        ("FORCE_PLATFORM", "CORNERS"): np.array([[[1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0]]], dtype=float),
        ("FORCE_PLATFORM", "ORIGIN"): np.zeros((1, 3)),
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(20, 26).reshape(1, 6).astype(float),
    }
    assert plate_signals(np.ones((10, 6)), C3DParameters({}, numbers), 1.0, 100.0) == ()
    numbers["FORCE_PLATFORM", "CHANNEL"] = np.arange(1, 7).reshape(1, 6).astype(float)
    table = np.tile([10.0, 20.0, -800.0, 0.0, 0.0, 0.0], (10, 1))
    (plate,) = plate_signals(table, C3DParameters({}, numbers), 1.0, 100.0)
    assert plate.force[0] == pytest.approx([10.0, -20.0, 800.0])  # its y points to the right, its z down
    assert plate.centre == pytest.approx([0.5, 0.5, 0.0])
