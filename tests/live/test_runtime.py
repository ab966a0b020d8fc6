"""The runtime for pages: placing, steering, getting up, what a walker says of itself; the package as npm has it."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.live.description import write_module
from tests.motion.test_bvh_in_other_programs import THREE

from .node import HERE, RUNTIME, find_node, run_script

needs_node = pytest.mark.skipif(find_node() is None, reason="node is not installed")
TSC = THREE.with_name("typescript") / "lib" / "tsc.js"
Call = tuple[Any, ...]


def asked(folder: Path, names: list[str], *walkers: list[Call]) -> list[list[Any]]:
    """What walkers of one module answer to their calls."""
    write_module([load_controller(name) for name in names], folder, name="w")
    requests = [{"folder": str(folder), "name": "w", "calls": calls} for calls in walkers]
    return run_script(HERE / "run_runtime.mjs", requests)


def turned(angle: float, xy: Any) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(xy) @ np.array([[c, s], [-s, c]])


@needs_node
def test_a_walk_that_is_moved_and_turned_goes_on_as_it_was(tmp_path: Path) -> None:
    """In space the law knows no directions: what it does elsewhere is the same, moved and turned."""
    state: list[Call] = [("qpos",), ("heading",), ("outcome",)]
    one, other = asked(
        tmp_path,
        ["walk-3d"],
        [("step", 700), ("position",), ("heading",), ("step", 1000), *state],
        [("step", 700), ("place", [3.0, -2.0], 1.0), ("step", 1000), *state],
    )
    at, faced, turn = np.array(one[1]), one[2], 1.0 - one[2]
    plain, moved = np.array(one[4]), np.array(other[3])
    assert faced != 0.0
    np.testing.assert_allclose(moved[:2], turned(turn, plain[:2] - at) + np.array([3.0, -2.0]), atol=1e-6)
    np.testing.assert_allclose(moved[7:], plain[7:], atol=1e-6)
    assert other[4] - one[5] == pytest.approx(turn, abs=1e-6)
    assert one[6] == other[5] == "walking"


@needs_node
def test_one_that_fell_gets_up_where_it_lies_or_where_it_is_told(tmp_path: Path) -> None:
    fall: list[Call] = [("push", [0, 900, 0], 0.5), ("step", 4000), ("fell",), ("position",), ("heading",)]
    there: Call = ("request", "walk-3d", {"position": [5.0, 1.0], "heading": -2.0})
    end: list[Call] = [("outcome",), ("time",), ("position",), ("heading",)]
    lies, told = asked(tmp_path, ["walk-3d"], [*fall, ("request", "walk-3d"), *end], [*fall, there, *end])
    assert lies[2] is True
    assert np.linalg.norm(lies[3]) > 1.0
    assert lies[6:8] == ["walking", 0]
    np.testing.assert_allclose(lies[8], lies[3], atol=1e-9)
    assert np.cos(lies[9] - lies[4]) == pytest.approx(1.0)
    assert told[6:8] == ["walking", 0]
    np.testing.assert_allclose(told[8], [5.0, 1.0], atol=1e-9)
    assert told[9] == pytest.approx(-2.0)


@needs_node
def test_in_the_plane_it_gets_up_where_it_fell_too(tmp_path: Path) -> None:
    calls: list[Call] = [("push", [900, 0, 0], 0.4), ("step", 4000), ("fell",), ("position",)]
    (told,) = asked(
        tmp_path, ["walk", "run"], [*calls, ("request", "run"), ("position",), ("step", 1000), ("outcome",)]
    )
    assert told[2] is True
    assert told[5] == pytest.approx(told[3])
    assert told[7] == "walking"


@needs_node
def test_it_is_steered_by_speed_and_heading(tmp_path: Path) -> None:
    before, after = asked(
        tmp_path,
        ["walk-3d"],
        [("step", 4000), ("heading",)],
        [("steer", {"heading": 0.3}), ("step", 4000), ("heading",), ("steer", {"altitude": 1.0})],
    )
    assert abs(before[1]) < 0.15
    assert after[2] == pytest.approx(0.3, abs=0.15)
    assert after[3] == "refused: this law has no 'altitude' to steer by"


@needs_node
def test_it_says_where_its_bodies_are_and_what_touches(tmp_path: Path) -> None:
    (told,) = asked(
        tmp_path, ["walk-3d"], [("step", 500), ("transforms",), ("contacts",), ("bodies",), ("place", [1, None], 0)]
    )
    bodies = np.array(told[3]).reshape(-1, 18)
    for row, body in zip(told[1], bodies, strict=True):
        assert row["position"] == body[:3].tolist()
        w, x, y, z = row["quaternion"]
        forward = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
        np.testing.assert_allclose(forward, body[[3, 6, 9]], atol=1e-9)
    assert {row["name"] for row in told[1]} >= {"pelvis", "left_foot"}
    touching = [row for row in told[2] if row["touches"]]
    assert touching
    assert all(abs(row["position"][2]) < 0.02 and row["foot"] in ("left", "right") for row in touching)
    assert told[4].startswith("refused: a place is a position of finite numbers")


@needs_node
def test_laws_and_figures_without_a_heading_refuse_one(tmp_path: Path) -> None:
    (plane,) = asked(tmp_path, ["walk"], [("place", [2.0, 0.0], 1.0), ("place", [2.0]), ("position",)])
    assert "walks in the plane" in plane[0]
    assert plane[2][0] == pytest.approx(2.0)
    (space,) = asked(tmp_path, ["human-walk"], [("place", [2.0, 1.0], 1.0), ("place", [2.0, 1.0]), ("position",)])
    assert "it takes no heading" in space[0]
    np.testing.assert_allclose(space[2], [2.0, 1.0], atol=1e-9)


@needs_node
def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    wrong: list[Call] = [
        ("push", [None, 0, 0], 0.3),
        ("push", [0, 900], 0.3),
        ("push", [0, 900, 0]),
        ("push", [0, 900, 0], -1),
        ("pull", 99, [0, 100, 0]),
        ("pull", "head", [0, 100, 0]),
        ("pull", 0, [0, None, 0]),
        ("step", -5),
        ("step", None),
        ("place",),
        ("place", [0, 0], "north"),
        ("steer", {"speed": 0.1, "altitude": 1.0}),
        ("change", {"load": 50, "friction": None}),
        ("request", "moonwalk"),
    ]
    told, plain = asked(tmp_path, ["walk"], [*wrong, ("step", 1000), ("qpos",)], [("step", 1000), ("qpos",)])
    assert [str(answer)[:9] for answer in told[: len(wrong)]] == ["refused: "] * len(wrong)
    assert told[len(wrong) + 1] == plain[1]


@needs_node
def test_a_module_and_a_description_belong_together(tmp_path: Path) -> None:
    asked(tmp_path, ["walk-3d"], [("time",)])
    about = json.loads((tmp_path / "w.json").read_text())
    write_module([load_controller("walk")], tmp_path, name="w")
    for text in (about, {"footfall": 2}, {}):
        (tmp_path / "w.json").write_text(json.dumps(text))
        request = {"folder": str(tmp_path), "name": "w", "calls": []}
        (refused,) = run_script(HERE / "run_runtime.mjs", [request])
        assert refused.startswith(("refused: this module is not", "refused: this is no description"))


TYPED = """
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { Walker, Rig, type RigDescription } from "footfall";
const walker = await Walker.open("walk.wasm"), gltf = await new GLTFLoader().loadAsync("character.glb");
const rig = new Rig(await (await fetch("rig.json")).json() as RigDescription, gltf.scene, { blend: 0.6 });
walker.step(16);
if (walker.fell && walker.time > walker.fallTime! + 3) walker.request("walk-3d", { position: [0, 0], heading: 0 });
walker.push([0, 500, 0], 0.3);
rig.update(walker);
const place: THREE.Vector3 = rig.fromWalker(walker.inWorld(0, [0, 0, 0]));
walker.pull(rig.bodyAt(walker, rig.toWalker(place)), null);
new THREE.PerspectiveCamera().lookAt(place);
const bare = new Rig(rig.about).blended(walker).rotations[0][3];
// @ts-expect-error
walker.push(bare);
// @ts-expect-error
new Rig(rig.about, 3);
// @ts-expect-error
rig.toWalker(3);
"""


@pytest.mark.slow
@pytest.mark.skipif(not TSC.is_file(), reason="NO TYPESCRIPT: it is missing (make browser)")
def test_the_types_fit_those_of_three_js(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    for package in ("three", "@types"):
        (tmp_path / "node_modules" / package).symlink_to(THREE.parent / package)
    (tmp_path / "node_modules" / "footfall").symlink_to(RUNTIME)
    (tmp_path / "page.ts").write_text(TYPED)
    options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom"]
    command = [str(find_node()), str(TSC), *options, "--module", "esnext", "--moduleResolution", "bundler", "page.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_package_has_what_npm_and_types_name() -> None:
    package = json.loads((RUNTIME / "package.json").read_text(encoding="utf-8"))
    assert package["type"] == "module"
    assert all((RUNTIME / file).is_file() for file in package["files"])
    types = (RUNTIME / "index.d.ts").read_text(encoding="utf-8")
    code = "".join((RUNTIME / file).read_text(encoding="utf-8") for file in ("walker.js", "rig.js"))
    for name in re.findall(
        r"^  (?:static |readonly )?(\w+)[(:]", types.partition("export class Walker")[2], re.MULTILINE
    ):
        assert re.search(rf"\b{name}\b", code), name
    root = Path(__file__).parents[2] / "runtime" / "web"
    assert root.resolve() == RUNTIME.resolve()
