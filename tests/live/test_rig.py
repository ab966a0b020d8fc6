"""A skinned character of one's own that a module drives: its bones are where the module's bodies are; the exported page
in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.live.description import write_module
from footfall.motion import Motion, save_motion
from footfall.motion.formats.conventions import axes_from_up
from footfall.motion.formats.gltf_reader import read_gltf_document
from footfall.motion.formats.gltf_rig import _write
from tests.motion.test_bvh_in_other_programs import THREE, needs_three
from tests.motion.walks import MOCAP, needs_mocap, walk
from tools.browser import Browser, Page, find_chromium, served

from .node import HERE, run_script

LIMBS = {
    ("left_thigh", "left_shank"): (("LeftUpLeg", "LeftLeg"), 3.0),
    ("right_thigh", "right_shank"): (("RightUpLeg", "RightLeg"), 3.0),
    ("left_shank", "left_foot"): (("LeftLeg", "LeftFoot"), 3.0),
    ("right_shank", "right_foot"): (("RightLeg", "RightFoot"), 3.0),
    ("left_upper_arm", "left_lower_arm"): (("LeftArm", "LeftForeArm"), 8.0),
    ("right_lower_arm", "right_hand"): (("RightForeArm", "RightHand"), 8.0),
}
"""Limbs of human-28, the bones of a rig with Mixamo's names, and the degrees between them that are allowed."""


def driven(folder: Path, glb: Path, **more: Any) -> dict[str, Any]:
    """What three.js shows of a character that walk-3d drives."""
    write_module([load_controller("walk-3d")], folder, name="w", onto=glb)
    request = {"three": str(THREE), "folder": str(folder), "name": "w", "glb": glb.name, "steps": [0, 400, 300], **more}
    return run_script(HERE / "run_rig.mjs", [request])[0]


def check_limbs(moment: dict[str, Any], prefix: str) -> None:
    bones = {name: np.array(place) @ axes_from_up("y").T for name, place in moment["bones"].items()}
    figure = Figure.load("human-28")
    motion = Motion.from_qpos(figure, np.zeros(1), np.array([moment["qpos"]]))
    place = dict(zip(motion.skeleton.names, motion.positions()[0], strict=True))
    for (near, far), (names, allowed) in LIMBS.items():
        first, second = (f"{prefix}{name}" for name in names)
        if second not in bones:
            continue
        a, b = place[far] - place[near], bones[second] - bones[first]
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        assert np.rad2deg(np.arccos(min(cosine, 1.0))) < allowed, (near, moment["outcome"])


@needs_three
def test_bones_point_where_the_bodies_do_walking_and_fallen(tmp_path: Path) -> None:
    save_motion(walk(0.5), tmp_path / "person.glb")
    found = driven(tmp_path / "web", tmp_path / "person.glb", push=[0, 900, 0], steps=[0, 400, 3600])
    for moment in found["moments"]:
        check_limbs(moment, "")
        assert moment["body"] == 0
    assert found["moments"][-1]["outcome"] == "fell"
    last = found["moments"][-1]["bones"]["Hips"]
    np.testing.assert_allclose(found["blended"], last, atol=1e-6)  # it begins to get up from where it lies


@needs_three
@needs_mocap
def test_a_mixamo_character_under_its_small_armature_is_driven(tmp_path: Path) -> None:
    found = driven(tmp_path, MOCAP / "others" / "three.js" / "Xbot.glb")
    for moment in found["moments"]:
        check_limbs(moment, "mixamorig:")
        hips = np.array(moment["bones"]["mixamorig:Hips"]) @ axes_from_up("y").T
        np.testing.assert_allclose(hips[:2], found["scale"] * np.array(moment["qpos"][:2]), atol=0.05)
        lowest = min(place[1] for name, place in moment["bones"].items() if "Toe" in name)
        assert -0.03 < lowest < 0.06


@needs_three
@needs_mocap
def test_toes_and_clavicles_of_a_driven_character_turn_as_those_of_a_clip(tmp_path: Path) -> None:
    """The page's rules are those of ``motion import --onto``: toes bend as the heel rises, clavicles with the arms."""
    glb = MOCAP / "others" / "three.js" / "Xbot.glb"
    found = driven(tmp_path, glb, steps=[100] * 16)
    about = json.loads((tmp_path / "rig.json").read_text())
    names = [bone["name"] for bone in about["bones"]]
    assert {names[k] for k, bone in enumerate(about["bones"]) if "clavicle" in bone} == {
        "mixamorig:LeftShoulder",
        "mixamorig:RightShoulder",
    }
    bent = []
    for moment in found["moments"]:
        foot, ball, tip = (
            np.array(moment["bones"][f"mixamorig:Left{part}"]) for part in ("Foot", "ToeBase", "Toe_End")
        )
        slope = [np.arctan2(b[1] - a[1], np.linalg.norm((b - a)[[0, 2]])) for a, b in ((foot, ball), (ball, tip))]
        bent.append(np.rad2deg(slope[1] - slope[0]))
        assert tip[1] > -0.02
    assert np.ptp(bent) > 15.0


def renamed(glb: Path, names: dict[str, str]) -> Path:
    """The character with other names of nodes."""
    document = read_gltf_document(glb)
    document.content["scenes"][0].pop("extras")
    for node in document.content["nodes"]:
        node["name"] = names.get(node["name"], node["name"])
    file = glb.with_name("renamed.glb")
    _write(document.content, document.buffers[0], file)
    return file


@needs_three
def test_bones_are_found_under_names_that_a_file_has_twice(tmp_path: Path) -> None:
    """A mesh with a bone's name, and bones of one name on both sides: three.js numbers them."""
    save_motion(walk(0.5), tmp_path / "person.glb")
    plain = driven(tmp_path / "plain", tmp_path / "person.glb")
    odd = {"body": "Hips", "LeftFoot": "foot [a.b]", "RightFoot": "foot [a.b]", "LeftLeg": "x", "RightLeg": "x"}
    found = driven(tmp_path / "odd", renamed(tmp_path / "person.glb", odd))
    for one, other in zip(plain["moments"], found["moments"], strict=True):
        assert np.allclose(one["bones"]["LeftToeBase"], other["bones"]["LeftToeBase"], atol=1e-3)
        assert np.allclose(one["bones"]["Hips"], other["bones"]["Hips"], atol=1e-3)
    siblings = renamed(tmp_path / "person.glb", {"LeftUpLeg": "x", "RightUpLeg": "x"})
    with pytest.raises(FootfallError, match="have the same name or none"):
        write_module([load_controller("walk-3d")], tmp_path / "web", onto=siblings)


@needs_three
def test_one_that_begins_far_away_is_there_at_once(tmp_path: Path) -> None:
    save_motion(walk(0.5), tmp_path / "person.glb")
    found = driven(tmp_path / "web", tmp_path / "person.glb", again={"position": [9.0, 2.0]})
    hips = np.array(found["blended"]) @ axes_from_up("y").T
    np.testing.assert_allclose(hips[:2], found["scale"] * np.array([9.0, 2.0]), atol=0.05)


def test_only_a_glb_is_driven(tmp_path: Path) -> None:
    save_motion(walk(0.5), tmp_path / "person.bvh")
    with pytest.raises(FootfallError, match=r"person\.bvh: a page drives a \.glb"):
        write_module([load_controller("walk-3d")], tmp_path / "web", onto=tmp_path / "person.bvh")
    assert not (tmp_path / "web").exists()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The sample of a character in Chromium, as the command writes it."""
    folder = tmp_path_factory.mktemp("web")
    save_motion(walk(0.5), folder / "person.glb")
    command = ["export", "walk-3d", "--out", str(folder / "walk.wasm"), "--onto", str(folder / "person.glb")]
    assert main(command) == 0
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "three").symlink_to(THREE)
    with served(folder) as address, Browser(320, 240) as browser:
        opened = browser.open(f"{address}/character.html")
        opened.wait("globalThis.walker?.time > 0.2")
        yield opened
        assert opened.errors == []


@pytest.mark.slow
@needs_three
@pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed")
def test_the_sample_walks_is_pulled_falls_and_gets_up(page: Page) -> None:
    seen = np.frombuffer(page.screenshot(), np.uint8)
    assert len(seen) > 2000
    torso = page.js(
        "(() => { const p = rig.fromWalker(walker.inWorld(1, [0, 0, 0.1])).project(camera);"
        " return [160 * (1 + p.x), 120 * (1 - p.y)]; })()"
    )
    page.mouse("mouseMoved", *torso, "none", 0)
    page.mouse("mousePressed", *torso)
    page.mouse("mouseMoved", torso[0] + 60, torso[1], wait=False)
    page.wait("walker.pulls.size === 1")
    page.mouse("mouseReleased", torso[0] + 60, torso[1], buttons=0)
    page.wait("walker.pulls.size === 0")
    page.js("walker.push([0, 900, 0], 0.5)")
    page.wait("walker.fell")
    place = page.wait("walker.time > walker.fallTime + 1 && walker.position")
    page.wait("walker.outcome === 'walking' && walker.time < 1.5")
    assert np.linalg.norm(np.array(page.js("walker.position")) - place) < 3.0
