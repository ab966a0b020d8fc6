import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.errors import FootfallError
from footfall.motion import load_motion, save_motion
from footfall.motion.quaternion import conjugate, log, multiply
from tests.motion.walks import MOCAP, clip, motions, needs_mocap, walk


def largest_turn(a, b):
    return np.linalg.norm(log(multiply(conjugate(a.rotations), b.rotations)), axis=-1).max()


@given(motions())
@settings(max_examples=30, deadline=None)
def test_bvh_keeps_every_pose(tmp_path_factory, motion):
    path = tmp_path_factory.mktemp("b") / "m.bvh"
    save_motion(motion, path, unit="m")
    again = load_motion(path, unit="m", up="y")
    assert sorted(again.skeleton.names) == sorted(motion.skeleton.names)
    order = [again.skeleton.index(name) for name in motion.skeleton.names]
    assert np.abs(again.positions()[:, order] - motion.positions()).max() < 1e-6
    turns = log(multiply(conjugate(motion.rotations), again.rotations[:, order]))
    assert np.linalg.norm(turns, axis=-1).max() < 1e-6
    assert again.end_positions().shape == motion.end_positions().shape


@given(motions())
@settings(max_examples=30, deadline=None)
def test_glb_keeps_every_pose(tmp_path_factory, motion):
    path = tmp_path_factory.mktemp("g") / "m.glb"
    rich = motion.with_channels(qvel=np.random.default_rng(0).normal(size=(len(motion), 3)))
    save_motion(rich, path)
    again = load_motion(path)
    assert again.skeleton == rich.skeleton
    assert np.array_equal(again.times, rich.times)
    assert np.array_equal(again.channels["qvel"], rich.channels["qvel"])
    assert np.abs(again.positions() - motion.positions()).max() < 1e-5
    assert largest_turn(again, rich) < 1e-6


@pytest.mark.parametrize("unit", ["m", "cm", "mm", "inch", "cmu"])
@pytest.mark.parametrize("up", ["y", "z"])
def test_units_and_upward_axis_are_found(tmp_path, unit, up):
    save_motion(walk(1.0), tmp_path / "m.bvh", unit=unit, up=up)
    again = load_motion(tmp_path / "m.bvh")
    assert again.source["unit"] == unit
    assert again.source["bvh"]["up"] == up
    order = [again.skeleton.index(name) for name in walk(1.0).skeleton.names]
    assert np.abs(again.positions()[:, order] - walk(1.0).positions()).max() < 1e-5


def test_channel_orders_of_the_file_are_kept(tmp_path):
    text = """HIERARCHY
ROOT Hips
{
  OFFSET 0 1 0
  CHANNELS 6 Yrotation Zposition Xrotation Xposition Zrotation Yposition
  JOINT Knee
  {
    OFFSET 0 -0.4 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -0.4 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.1
10 3 20 1 30 2 45
-10 3.5 25 1.5 35 2.5 90
"""
    (tmp_path / "a.bvh").write_text(text)
    motion = load_motion(tmp_path / "a.bvh", unit="m")
    assert np.allclose(motion.root_position, [[3, 1, 2], [3.5, 1.5, 2.5]])
    save_motion(motion, tmp_path / "b.bvh")
    assert "CHANNELS 6 Yrotation Zposition Xrotation Xposition Zrotation Yposition" in (tmp_path / "b.bvh").read_text()
    numbers = np.array([line.split() for line in (tmp_path / "b.bvh").read_text().splitlines()[-2:]], dtype=float)
    assert np.allclose(numbers, [[10, 3, 20, 1, 30, 2, 45], [-10, 3.5, 25, 1.5, 35, 2.5, 90]], atol=1e-6)


BROKEN = {
    "channel count": ("CHANNELS 3 Zrotation", "CHANNELS 4 Zrotation", "counts 4, but names 3"),
    "channel name": ("CHANNELS 3 Zrotation", "CHANNELS 3 Qrotation", "unknown channel 'Qrotation'"),
    "frames": ("Frames: 7", "Frames: 9", "announced, but 7 lines"),
    "brace": ("{", "(", "expected '{'"),
    "no time": ("Frame Time:", "Frames Time:", "expected 'Frame Time"),
    "offset": ("OFFSET 0.00000000", "OFFSET", "has 2 numbers, it needs 3"),
    "junk": ("HIERARCHY", "Kaydara FBX", "begins with HIERARCHY"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_bvh_names_the_line(tmp_path, kind):
    path = tmp_path / "m.bvh"
    save_motion(walk(0.1), path)
    old, new, word = BROKEN[kind]
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(FootfallError) as told:
        load_motion(path)
    assert word in str(told.value)
    assert f"{path}, line " in str(told.value)
    assert "\n" not in str(told.value)


def test_numbers_that_are_none_and_cut_files_are_refused(tmp_path):
    path = tmp_path / "m.bvh"
    save_motion(walk(0.1), path)
    lines = path.read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for word, said in (("nan", "not a finite"), ("1e300", "not a finite"), ("abc", "not a number")):
        bad = lines.copy()
        bad[first + 2] = bad[first + 2].replace(bad[first + 2].split()[4], word, 1)
        path.write_text("\n".join(bad))
        with pytest.raises(FootfallError, match=said) as told:
            load_motion(path)
        assert f"line {first + 3}" in str(told.value)
    path.write_text("\n".join(lines[: first + 3]))
    with pytest.raises(FootfallError, match="cut off"):
        load_motion(path)
    path.write_text("\n".join([*lines[: first + 1], lines[first + 1].rsplit(" ", 3)[0], *lines[first + 2 :]]))
    with pytest.raises(FootfallError, match="it needs 51"):
        load_motion(path)


def test_the_glb_is_valid_gltf(tmp_path):
    save_motion(walk(1.0), tmp_path / "m.glb")
    content = (tmp_path / "m.glb").read_bytes()
    size = struct.unpack_from("<I", content, 12)[0]
    document = json.loads(content[20 : 20 + size])
    blob = content[28 + size :]
    assert document["asset"]["version"] == "2.0"
    assert len(document["skins"][0]["joints"]) == 16
    assert document["nodes"][document["scenes"][0]["nodes"][1]]["skin"] == 0
    widths = {5126: 4, 5125: 4, 5123: 2, 5121: 1}
    counts = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= len(blob)
        assert accessor["count"] * widths[accessor["componentType"]] * counts[accessor["type"]] == view["byteLength"]
    for primitive in document["meshes"][0]["primitives"]:
        position = document["accessors"][primitive["attributes"]["POSITION"]]
        assert len(position["min"]) == 3
        assert max(position["max"]) < 3.0


def test_the_glb_body_is_closed_and_faces_outward(tmp_path):
    from footfall.motion.formats.gltf_writer import body_mesh
    from footfall.motion.skeleton.body_shape import body_solids

    skeleton = walk().skeleton
    for solid in body_solids(skeleton):
        mesh = body_mesh(skeleton, [solid], np.zeros(3))
        a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
        volume = np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6
        assert volume > 0


@needs_mocap
@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
@pytest.mark.parametrize(
    "name", ["cmu/16_47", "snu/walk_left_45degree", "snu/wd2_WalkSoldier00", "snu-paper/wd2_u-turn_1"]
)
def test_captured_clips_survive_the_round_trip(tmp_path, name, suffix):
    motion = load_motion(clip(name))
    save_motion(motion, tmp_path / f"m{suffix}")
    again = load_motion(tmp_path / f"m{suffix}")
    assert again.skeleton.names == motion.skeleton.names
    assert np.abs(again.positions() - motion.positions()).max() < 1e-6
    assert np.abs(again.end_positions() - motion.end_positions()).max() < 1e-6
    assert largest_turn(again, motion) < 1e-6
    assert abs(again.fps - motion.fps) < 1e-6 * motion.fps


@needs_mocap
def test_every_clip_loads_in_the_unit_that_its_folder_has():
    units = {"cmu": {"cmu"}, "snu": {"cm", "inch"}, "snu-paper": {"m", "cm"}}
    for path in sorted(MOCAP.glob("*/*.bvh")):
        motion = load_motion(path)
        assert motion.source["unit"] in units[path.parent.name], path
        assert motion.source["bvh"]["up"] == "y"
