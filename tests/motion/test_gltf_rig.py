"""A motion in the file of a character: what three.js shows of it is what footfall computed, and the rest is kept."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion import load_motion, retarget_to_rig, save_motion
from footfall.motion.editing import in_place
from footfall.motion.formats.conventions import axes_from_up
from footfall.motion.formats.gltf_reader import read_gltf_document
from footfall.motion.formats.gltf_rig import _write
from tests.cli.commands import refused, said
from tests.live.node import find_node
from tests.motion.test_bvh_in_other_programs import THREE, needs_three
from tests.motion.test_zero_poses import lively_walk
from tests.motion.walks import MOCAP, needs_mocap, walk

RIGS = ["three.js/Xbot.glb", "glTF-Sample-Assets/CesiumMan.glb", "glTF-Sample-Assets/RiggedFigure.glb"]
TIMES = (0.0, 0.4, 0.9)


def in_three(path, name, times):
    """What three.js shows of an animation, in footfall's axes."""
    command = [find_node(), str(Path(__file__).parent / "glb_in_three.mjs"), str(THREE), str(path), name]
    run = subprocess.run([*command, *map(repr, times)], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    found, axes = json.loads(run.stdout), axes_from_up("y").T
    skin = [np.array(points) @ axes for points in found["skin"]]
    return found | {"joints": {k: np.array(v) @ axes for k, v in found["joints"].items()}, "skin": skin}


def written(rig, path, **options):
    """A walk on a rig, and the file with it."""
    motion, _ = retarget_to_rig(lively_walk(1.0), load_motion(rig))
    save_motion(motion, path, rig=rig, clip_name="turn", **options)
    return motion


@needs_three
@needs_mocap
@pytest.mark.parametrize("name", RIGS)
def test_three_js_shows_the_motion_on_the_character(tmp_path, name):
    rig = MOCAP / "others" / name
    motion = written(rig, tmp_path / "out.glb")
    found = in_three(tmp_path / "out.glb", "turn", TIMES)
    frames = [int(np.argmin(np.abs(motion.times - time))) for time in TIMES]
    places = np.stack([found["joints"][joint] for joint in motion.skeleton.names], axis=1)
    assert np.abs(places - motion.positions()[frames]).max() < 2e-5
    for points, joints in zip(found["skin"], motion.positions()[frames], strict=True):
        far = np.linalg.norm(points[:, None] - joints[None], axis=-1).min(axis=1)
        assert far.max() < 0.4  # the skin is where its bones are
        assert np.ptp(points[:, 2]) == pytest.approx(np.ptp(joints[:, 2]), rel=0.35)


@needs_mocap
@pytest.mark.parametrize("name", RIGS)
def test_the_rest_of_the_file_is_kept(tmp_path, name):
    rig = MOCAP / "others" / name
    written(rig, tmp_path / "out.glb")
    old, new = read_gltf_document(rig), read_gltf_document(tmp_path / "out.glb")
    for key in ("meshes", "skins", "materials", "textures", "images", "samplers", "scenes"):
        assert old.content.get(key) == new.content.get(key), key
    size = len(old.content["accessors"])
    assert all(np.array_equal(old.accessor(k), new.accessor(k)) for k in range(size))
    for before, after in zip(old.content["nodes"], new.content["nodes"], strict=True):
        assert before.get("children") == after.get("children")
        assert "matrix" in before or before == after
    assert new.content["animations"][:-1] == old.content["animations"]


def test_a_character_without_animation_or_with_files_beside_it(tmp_path):
    """A T-pose as modellers export it: .gltf with its numbers and a picture in files of their own, no animation."""
    save_motion(walk(0.5), tmp_path / "plain.glb")
    document = read_gltf_document(tmp_path / "plain.glb")
    content = document.content | {"images": [{"uri": "skin.png"}], "animations": []}
    content["scenes"][0].pop("extras")
    content["buffers"] = [{"byteLength": len(document.buffers[0]), "uri": "numbers.bin"}]
    content["nodes"].append({"name": "Armature", "children": [0], "scale": [0.01] * 3, "rotation": [0, 0.6, 0, 0.8]})
    content["scenes"][0]["nodes"][0] = len(content["nodes"]) - 1
    for node in content["nodes"][: len(walk(0.5).skeleton)]:
        node["translation"] = [100.0 * x for x in node["translation"]]
    (tmp_path / "rig.gltf").write_text(json.dumps(content))
    (tmp_path / "numbers.bin").write_bytes(document.buffers[0])
    (tmp_path / "skin.png").write_bytes(b"\x89PNG")
    assert "no animation" in load_motion(tmp_path / "rig.gltf").source["notes"][0]
    motion = written(tmp_path / "rig.gltf", tmp_path / "out.glb", offset=0.5)
    again = load_motion(tmp_path / "out.glb", animation="turn")
    assert np.abs(again.positions() - motion.positions()).max() < 1e-5
    assert again.times[0] == pytest.approx(0.5)
    new = read_gltf_document(tmp_path / "out.glb")
    assert new.view(new.content["images"][0]["bufferView"]) == b"\x89PNG"
    written(tmp_path / "out.glb", tmp_path / "twice.gltf")
    clips = read_gltf_document(tmp_path / "twice.gltf").content["animations"]
    assert [clip["name"] for clip in clips] == ["turn"]


def test_a_character_whose_face_alone_is_animated(tmp_path):
    save_motion(walk(0.5), tmp_path / "rig.glb")
    document = read_gltf_document(tmp_path / "rig.glb")
    content = document.content
    body = content["animations"].pop()
    content["scenes"][0].pop("extras")
    face = {"sampler": 0, "target": {"node": len(content["nodes"]) - 1, "path": "weights"}}
    content["animations"] = [{"name": "face", "channels": [face], "samplers": body["samplers"][:1]}]
    _write(content, document.buffers[0], tmp_path / "face.glb")
    rig = load_motion(tmp_path / "face.glb")
    assert len(rig) == 1
    assert "no animation of joints" in rig.source["notes"][0]
    with pytest.raises(FootfallError, match="its animation moves no joint"):
        load_motion(tmp_path / "face.glb", animation="face")
    motion = written(tmp_path / "face.glb", tmp_path / "out.glb")
    again = load_motion(tmp_path / "out.glb")  # the first that moves joints
    assert again.source["animation"] == "turn"
    assert again.source["animations"] == ["face", "turn"]
    assert np.abs(again.positions() - motion.positions()).max() < 1e-5


def test_a_motion_of_another_skeleton_is_refused(tmp_path):
    save_motion(walk(0.5), tmp_path / "rig.glb")
    other = load_motion(tmp_path / "rig.glb")
    names = tuple(f"{name}2" for name in other.skeleton.names)
    other = replace(other, skeleton=replace(other.skeleton, names=names))
    with pytest.raises(FootfallError, match=r"another skeleton; bring it there first \(--onto rig\.glb\)"):
        save_motion(other, tmp_path / "out.glb", rig=tmp_path / "rig.glb")
    assert not (tmp_path / "out.glb").exists()


def test_in_place_only_sways():
    motion = walk(4.0, speed=1.2)
    still = in_place(motion)
    assert np.ptp(still.root_position[:, :2], axis=0).max() < 0.02
    assert np.array_equal(still.root_position[:, 2], motion.root_position[:, 2])
    assert np.array_equal(still.rotations, motion.rotations)


def test_the_command_names_the_clip(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    save_motion(lively_walk(1.0), "turn.npz")
    save_motion(walk(0.5), "character.glb")
    words = ("motion", "import", "turn.npz", "--onto", "character.glb", "--fps", "30", "--in-place")
    said(capsys, *words, "--clip-name", "turn", "--offset", "1", "--out", "out.glb")
    again = load_motion("out.glb", animation="turn")
    assert again.fps == pytest.approx(30.0)
    assert again.times[0] == pytest.approx(1.0)
    assert np.ptp(again.root_position[:, :2], axis=0).max() < 0.05
    assert "--clip-name works only with .glb and .gltf" in refused(
        capsys, *words, "--clip-name", "turn", "--out", "out.bvh"
    )
    assert "begins at 0 s or later" in refused(capsys, *words, "--offset=-1", "--out", "b.glb")
