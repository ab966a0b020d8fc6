"""glTF of other tools, BVH with several figures, SMPL, DeepMimic, USD and FBX."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.motion import Motion, load_motion, save_motion
from footfall.motion.formats.body_models import humanoid3d
from footfall.motion.formats.fbx import blender_program
from footfall.motion.quaternion import exp, from_axis_angle, log, multiply, normalised
from tests.motion.walks import MOCAP, needs_mocap, walk


def deepmimic_walk(frames=30):
    skeleton = humanoid3d()
    rng = np.random.default_rng(1)
    rotations = exp(rng.normal(scale=0.3, size=(frames, len(skeleton), 3)))
    for side in ("left", "right"):
        for joint, sign in (("knee", 1.0), ("elbow", -1.0)):
            angle = sign * rng.uniform(0.1, 1.5, frames)
            rotations[:, skeleton.index(f"{side}_{joint}")] = from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    root = np.stack([np.arange(frames) / 30, np.zeros(frames), np.full(frames, 0.85)], axis=-1)
    return Motion(skeleton, np.arange(frames) / 30, root, normalised(rotations))


def gltf_of(path, change):
    """The .gltf file at ``path`` with its document and its bytes changed."""
    document = json.loads(path.read_text())
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    document["scenes"][0].pop("extras", None)
    data = change(document, data)
    document["buffers"][0] = {
        "byteLength": len(data),
        "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(),
    }
    path.write_text(json.dumps(document))
    return load_motion(path)


@pytest.fixture
def plain(tmp_path):
    save_motion(walk(0.5), tmp_path / "m.gltf")
    return tmp_path / "m.gltf"


def far(motion, other, names=None):
    order = [motion.skeleton.index(name) for name in other.skeleton.names]
    return np.abs(motion.positions()[:, order] - other.positions()).max()


def test_gltf_text_comes_back(plain):
    assert far(load_motion(plain), walk(0.5)) < 1e-5
    assert far(gltf_of(plain, lambda document, data: data), walk(0.5)) < 1e-5


def test_a_buffer_in_a_file_beside_it(plain):
    document = json.loads(plain.read_text())
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    (plain.parent / "a b.bin").write_bytes(data)
    document["buffers"][0]["uri"] = "a%20b.bin"
    plain.write_text(json.dumps(document))
    assert far(load_motion(plain), walk(0.5)) < 1e-5
    for uri, word in (
        ("none.bin", "is missing"),
        ("../secret.bin", "is not in the same folder"),
        ("data:,!", "base64"),
    ):
        document["buffers"][0]["uri"] = uri
        plain.write_text(json.dumps(document))
        with pytest.raises(FootfallError, match=word):
            load_motion(plain)


def test_interleaved_numbers(plain):
    """byteStride, as glTF allows it: times and values of one animation in turn."""

    def weave(document, data):
        animation = document["animations"][0]
        for sampler in animation["samplers"]:
            accessor = document["accessors"][sampler["output"]]
            view = document["bufferViews"][accessor["bufferView"]]
            size = view["byteLength"] // accessor["count"]
            start = view["byteOffset"]
            rows = [data[start + k * size : start + (k + 1) * size] + b"\x7f" * 8 for k in range(accessor["count"])]
            view |= {"byteOffset": len(data), "byteLength": len(rows) * (size + 8), "byteStride": size + 8}
            data += b"".join(rows)
        return data

    assert far(gltf_of(plain, weave), walk(0.5)) < 1e-5


def test_sparse_numbers(plain):
    def thin(document, data):
        sampler = document["animations"][0]["samplers"][0]
        accessor = document["accessors"][sampler["output"]]
        new = np.array([[7.0, 8.0, 9.0]], "<f4").tobytes()
        at = np.array([2], "<u4").tobytes()
        views = document["bufferViews"]
        views += [{"buffer": 0, "byteOffset": len(data) + 12 * k, "byteLength": size} for k, size in ((0, 12), (1, 4))]
        accessor["sparse"] = {
            "count": 1,
            "indices": {"bufferView": len(views) - 1, "componentType": 5125},
            "values": {"bufferView": len(views) - 2},
        }
        return data + new + at

    motion = gltf_of(plain, thin)
    assert np.allclose(motion.root_position[2], [9, 7, 8])
    assert np.allclose(motion.root_position[3], walk(0.5).root_position[3], atol=1e-5)


def test_animations_are_listed_and_chosen_by_name(plain, capsys):
    def double(document, data):
        first = document["animations"][0]
        still = {"samplers": first["samplers"], "channels": first["channels"][:1], "name": "slide"}
        document["animations"] = [{**first, "name": "walk"}, still]
        return data

    motion = gltf_of(plain, double)
    assert motion.source["animations"] == ["walk", "slide"]
    assert "'walk' was read" in motion.source["notes"][0]
    slide = load_motion(plain, animation="slide")
    assert np.allclose(slide.rotations, slide.rotations[0])
    assert np.ptp(slide.root_position[:, 0]) > 0.5
    with pytest.raises(FootfallError, match="did you mean 'walk'"):
        load_motion(plain, animation="wlak")
    assert main(["motion", "info", str(plain), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["animations"] == ["walk", "slide"]


def test_moving_ancestors_and_nodes_between_joints_count(plain):
    """The travel sits on a node above the skin's joints, and a plain node stands between two joints."""

    def hang(document, data):
        nodes, skin = document["nodes"], document["skins"][0]
        top = len(nodes)
        nodes += [{"name": "carrier", "children": [0], "scale": [2, 2, 2]}, {"name": "between", "children": [9]}]
        parent = next(k for k, node in enumerate(nodes[:top]) if 9 in (node.get("children") or []))
        nodes[parent]["children"] = [top + 1 if c == 9 else c for c in nodes[parent]["children"]]
        document["scenes"][0]["nodes"] = [top]
        document["animations"][0]["channels"][0]["target"]["node"] = top
        nodes[0]["translation"] = [0, 0, 0]
        skin["joints"] = list(range(16))
        return data

    motion = gltf_of(plain, hang)
    assert motion.skeleton.names[0] == "carrier"
    assert "between" in motion.skeleton.names
    assert np.ptp(motion.position("Hips")[:, 0]) == pytest.approx(0.6, rel=1e-3)
    thigh = motion.position("LeftLeg") - motion.position("LeftUpLeg")
    assert np.allclose(np.linalg.norm(thigh, axis=-1), 0.86)


@needs_mocap
def test_every_animation_of_a_shop_character_is_read():
    path = MOCAP / "others" / "three.js" / "Xbot.glb"
    frames = {name: len(load_motion(path, animation=name)) for name in load_motion(path).source["animations"]}
    assert len(frames) == 7
    assert frames["walk"] == 30
    fox = MOCAP / "others" / "glTF-Sample-Assets" / "Fox.glb"
    assert load_motion(fox).source["animations"] == ["Survey", "Walk", "Run"]


@pytest.fixture
def two_roots(tmp_path):
    """A BVH with a prop before the person."""
    save_motion(walk(0.5), tmp_path / "one.bvh", unit="m")
    lines = (tmp_path / "one.bvh").read_text().splitlines()
    start = lines.index("MOTION")
    prop = ["ROOT Ball", "{", "OFFSET 0 0 0", "CHANNELS 3 Xposition Yposition Zposition"]
    prop += ["End Site", "{", "OFFSET 0 0.1 0", "}", "}"]
    rows = [f"{k} 0 0 {line}" for k, line in enumerate(lines[start + 3 :])]
    path = tmp_path / "two.bvh"
    path.write_text("\n".join(["HIERARCHY", *prop, *lines[1 : start + 3], *rows]) + "\n")
    return path


def test_of_several_figures_the_one_with_legs_is_read(two_roots):
    motion = load_motion(two_roots)
    assert far(motion, walk(0.5)) < 1e-5
    assert "dropped other figures and props of the file: 'Ball'" in motion.source["notes"]
    ball = load_motion(two_roots, root="Ball", unit="m", up="y")
    assert np.allclose(np.diff(ball.root_position[:, 1]), 1.0)
    with pytest.raises(FootfallError, match="did you mean 'Ball'"):
        load_motion(two_roots, root="Bal")


def smpl_arrays(frames=20, joints=52, up="z"):
    """A person who turns left by 0.5 rad a second, walks along, and bends the left knee by one radian."""
    poses = np.zeros((frames, 3 * joints))
    clock = np.arange(frames) / 60
    rise = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(0.5 * np.pi if up == "z" else 0.0))
    spin = from_axis_angle(np.array([0.0, 0.0, 1.0] if up == "z" else [0.0, 1.0, 0.0]), 0.5 * clock)
    poses[:, :3] = log(multiply(spin, rise))
    poses[:, 12] = 1.0
    trans = np.stack([clock, 0 * clock, 0.95 + 0 * clock], axis=-1)
    return {
        "poses": poses,
        "trans": trans if up == "z" else trans[:, [1, 2, 0]],
        "mocap_framerate": np.array(60.0),
        "betas": np.zeros(16),
        "gender": np.array("neutral"),
    }


@pytest.mark.parametrize("up", ["z", "y"])
def test_smpl_stands_upright_turns_and_bends(tmp_path, up):
    np.savez(tmp_path / "m.npz", **smpl_arrays(up=up), labels=np.array([{"a": 1}], dtype=object))
    motion = load_motion(tmp_path / "m.npz")
    assert motion.source["up"] == up
    assert motion.fps == pytest.approx(60)
    assert len(motion.skeleton) == 22
    assert any("30 joints of fingers" in note for note in motion.source["notes"])
    assert (motion.position("head")[:, 2] - motion.position("left_foot")[:, 2]).min() > 1.0
    shank = motion.position("left_ankle")[0] - motion.position("left_knee")[0]
    other = motion.position("right_ankle")[0] - motion.position("right_knee")[0]
    across = motion.position("left_hip")[0] - motion.position("right_hip")[0]
    forward = np.cross(across, [0, 0, 1.0]) / np.linalg.norm(across)
    assert shank @ forward < -0.3
    assert abs(other @ forward) < 0.1
    from footfall.motion import net_turn

    assert net_turn(motion) == pytest.approx(0.5 * motion.seconds, rel=0.02)


def test_smpl_in_parts_and_broken(tmp_path):
    arrays = smpl_arrays()
    parts = {"root_orient": arrays["poses"][:, :3], "pose_body": arrays["poses"][:, 3:66], "trans": arrays["trans"]}
    np.savez(tmp_path / "whole.npz", **arrays)
    np.savez(tmp_path / "parts.npz", **parts)
    split = load_motion(tmp_path / "parts.npz")
    assert np.allclose(split.rotations, load_motion(tmp_path / "whole.npz").rotations)
    assert any("30 frames a second" in note for note in split.source["notes"])
    for change, word in (
        ({"poses": arrays["poses"][:, :40]}, "numbers a pose"),
        ({"poses": arrays["poses"][:5]}, "do not fit"),
        ({"poses": arrays["poses"] * np.nan}, "not finite"),
        ({"poses": np.array(["a"])}, "do not fit"),
    ):
        np.savez(tmp_path / "bad.npz", **(arrays | change))
        with pytest.raises(FootfallError, match=word):
            load_motion(tmp_path / "bad.npz")


def test_smpl_retargets_onto_the_human(tmp_path):
    from footfall.figures import Figure
    from footfall.motion import retarget

    np.savez(tmp_path / "m.npz", **smpl_arrays())
    motion, report = retarget(load_motion(tmp_path / "m.npz"), Figure.load("human"))
    assert {"left_thigh", "right_shank", "left_foot"} <= set(report.as_dict()["matched"])
    assert motion.figure == "human"


def test_deepmimic_comes_back(tmp_path):
    motion = deepmimic_walk()
    save_motion(motion, tmp_path / "m.txt", loop=True)
    again = load_motion(tmp_path / "m.txt")
    assert json.loads((tmp_path / "m.txt").read_text())["Loop"] == "wrap"
    assert len(json.loads((tmp_path / "m.txt").read_text())["Frames"][0]) == 44
    assert np.abs(again.positions() - motion.positions()).max() < 1e-6
    assert np.allclose(again.times, motion.times)
    save_motion(again, tmp_path / "again.txt")
    first, second = (json.loads((tmp_path / name).read_text()) for name in ("m.txt", "again.txt"))
    assert second["Loop"] == "wrap"
    assert np.allclose(first["Frames"], second["Frames"], atol=1e-7)


def test_deepmimic_signs_and_axes(tmp_path):
    """x forward, y up, z right; knees bend with negative angles, elbows with positive ones."""
    turn = [1.0, 0.0, 0.0, 0.0]
    frame = [0.1, 1.0, 0.9, 0.2, *turn, *turn, *turn, *turn, -1.0, *turn, *turn, 1.0, *turn, 0.0, *turn, *turn, 0.0]
    (tmp_path / "m.txt").write_text(json.dumps({"Loop": "none", "Frames": [frame, frame]}))
    motion = load_motion(tmp_path / "m.txt")
    assert np.allclose(motion.root_position[0], [1.0, -0.2, 0.9])
    at = {name: motion.position(name)[0] - motion.root_position[0] for name in motion.skeleton.names}
    assert at["right_hip"][1] < 0 < at["left_hip"][1]
    assert at["right_ankle"][0] < -0.3
    assert abs(at["left_ankle"][0]) < 1e-9
    hand = motion.end_positions()[0, 5] - motion.position("right_elbow")[0]
    assert hand[0] > 0.2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{}", "'Frames'"),
        ("[1]", "'Frames'"),
        ('{"Frames": [[1, 2]]}', "frame 0: 2 numbers"),
        ('{"Frames": [["a"]]}', "1 numbers"),
        ("Frames", "'Frames'"),
    ],
)
def test_a_broken_deepmimic_file_is_refused(tmp_path, text, word):
    (tmp_path / "m.txt").write_text(text)
    with pytest.raises(FootfallError, match=word):
        load_motion(tmp_path / "m.txt")


@pytest.mark.extra("pxr")
@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usdz"])
def test_usd_has_every_pose(tmp_path, suffix):
    from pxr import Usd, UsdGeom, UsdSkel

    motion = walk(0.5)
    save_motion(motion, tmp_path / f"m{suffix}")
    stage = Usd.Stage.Open(str(tmp_path / f"m{suffix}"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/motion/skeleton"))
    cache = UsdSkel.Cache()
    query = cache.GetSkelQuery(skeleton)
    for frame in (0, 7, len(motion) - 1):
        frames = query.ComputeJointSkelTransforms(Usd.TimeCode(frame))
        places = np.array([matrix.ExtractTranslation() for matrix in frames])
        assert np.abs(places - motion.positions()[frame]).max() < 1e-6
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert len(meshes) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"m{suffix}"]


def test_usd_without_its_package_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pxr", None)
    with pytest.raises(FootfallError, match=r"footfall\[usd\]"):
        save_motion(walk(0.1), tmp_path / "m.usda")
    assert not list(tmp_path.iterdir())


def test_fbx_without_blender_says_so_in_words(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_BLENDER", str(tmp_path / "no-blender"))
    (tmp_path / "m.fbx").write_bytes(b"Kaydara FBX Binary")
    with pytest.raises(FootfallError, match="through Blender, which was not found"):
        load_motion(tmp_path / "m.fbx")
    with pytest.raises(FootfallError, match=r"or use \.glb"):
        save_motion(walk(0.1), tmp_path / "out.fbx")
    assert [p.name for p in tmp_path.iterdir()] == ["m.fbx"]


@pytest.mark.skipif(blender_program() is None, reason="NO BLENDER: FBX was not converted")
def test_fbx_goes_through_blender_and_back(tmp_path):
    motion = walk(0.5, fps=30)
    save_motion(motion, tmp_path / "m.fbx")
    again = load_motion(tmp_path / "m.fbx")
    assert again.fps == pytest.approx(30)
    assert far(again, motion) < 1e-4
    (tmp_path / "bad.fbx").write_bytes(b"Kaydara FBX Binary  \0")
    with pytest.raises(FootfallError, match=r"bad\.fbx: Blender could not convert it"):
        load_motion(tmp_path / "bad.fbx")


def test_renamed_and_shared_names_are_told(tmp_path):
    motion = walk(0.1)
    names = tuple("Arm" if name == "LeftArm" else name for name in motion.skeleton.names)
    save_motion(replace(motion, skeleton=replace(motion.skeleton, names=names)), tmp_path / "m.bvh")
    text = (tmp_path / "m.bvh").read_text().replace("RightArm", "Arm")
    (tmp_path / "m.bvh").write_text(text)
    again = load_motion(tmp_path / "m.bvh")
    assert "Arm_2" in again.skeleton.names
    assert "joint 'Arm_2' was renamed: another bears its name" in again.source["notes"]
