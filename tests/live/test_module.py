"""Modules: what is shipped, what is exported, what a program finds in it."""

import json
from pathlib import Path

import numpy as np
import pytest

from footfall.control import controller_names, load_controller
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.live import modules
from footfall.live.character import Character, characters_of
from footfall.live.crowd import CROWD
from footfall.live.description import write_module
from footfall.live.modules import key_of, module_of, shipped_index
from footfall.simulation import Simulation
from footfall.terrain import parse_terrain
from tools.live_modules import digest_of, processor, shipped_characters

from .node import find_node, run_modules

needs_node = pytest.mark.skipif(find_node() is None, reason="node is not installed")


@pytest.fixture(scope="module")
def shipped() -> dict[str, Character]:
    return shipped_characters()


@pytest.mark.slow
def test_every_built_in_controller_has_a_shipped_module() -> None:
    keys = {key_of(characters_of([load_controller(name)])[0]) for name in controller_names("live", guests=False)}
    assert keys == set(shipped_index()) - {CROWD}


@pytest.mark.parametrize("key", sorted(set(shipped_index()) - {CROWD}))
@pytest.mark.slow
def test_shipped_modules_are_made_of_todays_source(key: str, shipped: dict[str, Character]) -> None:
    character = shipped[key]
    source = character.source()
    stale = "python -m tools.live_modules compiles the shipped modules again"
    digests = shipped_index()[key]["digest"]
    if processor() not in digests:
        pytest.skip(f"NO DIGEST: no source of this module was made on {processor()}; {stale}")
    assert digests[processor()] == digest_of(source.text), stale
    assert module_of(character).tables == source.tables, stale


def test_the_planar_module_is_small() -> None:
    (walk,) = characters_of([load_controller("walk")])
    assert len(module_of(walk).wasm) < 50_000  # half of it is the fallen body


def test_without_a_compiler_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(modules, "has_compiler", lambda: False)
    write_module([load_controller("walk")], tmp_path / "shipped")
    own = Figure.load("planar-biped")
    heavy = own.with_body_parameters(own.body_parameters("torso*1.5"))
    with pytest.raises(FootfallError, match=r"pip install 'footfall\[live\]'"):
        write_module([load_controller("walk")], tmp_path / "own", figure=heavy)
    assert not (tmp_path / "own").exists()


def test_the_description_names_parameters_joints_and_memory(tmp_path: Path) -> None:
    write_module([load_controller("walk"), load_controller("run")], tmp_path)
    about = json.loads((tmp_path / "walk.json").read_text())
    assert about["footfall"] == 1
    assert [g["name"] for g in about["gaits"]] == ["walk", "run"]
    assert about["memory"][0] == "state"
    assert {j["name"] for j in about["joints"]} >= {"left_hip", "right_knee"}
    held = about["gaits"][0]["parameters"]["0.hold"]
    assert held["value"] == 0.3
    assert all(about["parameters"][i] == 0.3 for i, _ in held["cells"])


def test_the_head_of_the_example_sits_on_a_neck(tmp_path: Path) -> None:
    write_module([load_controller("walk-3d")], tmp_path)
    about = json.loads((tmp_path / "walk-3d.json").read_text())
    head = [body["name"] for body in about["bodies"]].index("head")
    figure = Figure.load("human-28")
    joint = np.array(figure.model.body("head").pos)
    torso = next(part for part in about["shape"] if about["bodies"][part["body"]]["name"] == "torso")
    top = max(torso["from"][2], torso["to"][2]) + max(torso["radii"])
    low = min(joint[2] + min(p["from"][2], p["to"][2]) - max(p["radii"]) for p in about["shape"] if p["body"] == head)
    assert low < top


@needs_node
def test_settings_and_parameters_act_as_in_the_native_run(tmp_path: Path) -> None:
    name, slope = "walk", parse_terrain("slope:3")
    write_module([load_controller(name)], tmp_path, terrains={"slope:3": slope})
    settings = {"friction": 0.5, "load": 7.0, "terrain": "slope:3"}
    request = {"folder": str(tmp_path), "name": name, "gait": name, "steps": 4000, "every": 10, "settings": settings}
    (answer,) = run_modules([request | {"set": {"0.swing_hip.angle": 0.45}}])
    figure = Figure.load("planar-biped")
    native = Simulation(
        name,
        terrain=slope,
        ground=Ground(friction=0.5),
        body=figure.body_parameters().with_load(figure.torso, 7.0),
        set={"0.swing_hip.angle": 0.45},
    )
    native.run(4.0)
    np.testing.assert_allclose(answer["last"], native.qpos[0], rtol=0, atol=1e-9)


@needs_node
def test_bodies_are_where_mujoco_puts_them(tmp_path: Path) -> None:
    import mujoco

    for name in ("walk", "human-walk"):
        write_module([load_controller(name)], tmp_path)
        request = {"folder": str(tmp_path), "name": name, "gait": name, "steps": 700, "every": 10}
        (answer,) = run_modules([request])
        figure = Figure.load(load_controller(name).figure)
        data = mujoco.MjData(figure.model)
        data.qpos[:] = answer["last"]
        mujoco.mj_kinematics(figure.model, data)
        bodies = np.array(answer["bodies"]).reshape(-1, 18)
        np.testing.assert_allclose(bodies[:, :3], data.xpos[1:], atol=1e-9)
        np.testing.assert_allclose(bodies[:, 3:12], data.xmat[1:], atol=1e-9)


@needs_node
def test_a_requested_gait_comes_when_a_state_ends(tmp_path: Path) -> None:
    write_module([load_controller("walk"), load_controller("fast-walk")], tmp_path)
    request = {"folder": str(tmp_path), "name": "walk", "gait": "walk", "steps": 5000, "every": 10}
    stayed, changed = run_modules([request, request | {"request": {"gait": "fast-walk", "at": 2000}}])
    assert (stayed["gait"], changed["gait"]) == ("walk", "fast-walk")
    assert changed["outcome"] == "walking"
    assert changed["last"][0] > stayed["last"][0] + 0.5


def test_controllers_that_cannot_share_a_module_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FootfallError, match="export them one by one"):
        write_module([load_controller("walk"), load_controller("human-walk")], tmp_path / "x")
    assert not (tmp_path / "x").exists()
