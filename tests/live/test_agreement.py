"""A module computes what the native run computes."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control import controller_names, load_controller
from footfall.live.description import write_module
from footfall.methods.network.controller import NetworkController
from footfall.push import Push
from footfall.simulation import Record, Simulation
from tests.methods.network.test_controller import corrected, served

from .in_wasmtime import last_qpos
from .node import find_node, run_modules

pytestmark = pytest.mark.skipif(find_node() is None, reason="node is not installed")

SECONDS, RATE = 10.0, 50.0
PUSHES = ((60.0, 2.0, 0.1), (-60.0, 4.5, 0.1))
"""Forward newtons at the figure's usual place, start and duration."""


def _request(folder: Path, name: str, **more: object) -> dict[str, object]:
    """Ten seconds, a sample each fiftieth of one, at the step of a built-in controller."""
    made_with = load_controller(name).integration if name in controller_names("live", guests=False) else None
    dt = made_with.dt if made_with else 0.001
    pushes = [{"place": 0, "force": [f, 0, 0], "start": s, "seconds": d} for f, s, d in PUSHES]
    return {"folder": str(folder), "name": name, "gait": name, "pushes": pushes} | {
        "steps": round(SECONDS / dt),
        "every": round(1.0 / (RATE * dt)),
        **more,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the modules of built-in controllers are written."""
    return tmp_path_factory.mktemp("modules")


@pytest.fixture(scope="module")
def answer_of(folder: Path) -> Callable[[str], Any]:
    """What the module of a built-in controller answers in node, by the controller's name."""

    @cache
    def answer(name: str) -> Any:
        write_module([load_controller(name)], folder)
        return run_modules([_request(folder, name)])[0]

    return answer


PLANAR = {name for name in controller_names("live", guests=False) if load_controller(name).figure == "planar-biped"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in PLANAR else pytest.mark.slow)
        for name in controller_names("live", guests=False)
    ],
)
def test_ten_seconds_with_pushes_equal_the_native_run(name: str, answer_of: Callable[[str], Any]) -> None:
    answer, graph = answer_of(name), load_controller(name)
    pushes = [Push(f, s, d) for f, s, d in PUSHES]
    native = Simulation(graph, pushes=pushes, record=Record(rate=RATE, worlds=1), ragdoll_after_fall=True, threads=1)
    native.run(SECONDS)
    qpos = native.trace().qpos[:, 0]
    module = np.array(answer["qpos"])
    assert answer["imports"] == []
    assert module.shape == qpos.shape
    np.testing.assert_allclose(module, qpos, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("made", [corrected(), served()], ids=["corrections", "servos"])
def test_a_network_in_a_module_equals_the_native_run(tmp_path: Path, made: NetworkController) -> None:
    """Random networks of both kinds, two seconds, one push; those that fall go on as ragdolls."""
    write_module([made], tmp_path)
    (answer,) = run_modules([_request(tmp_path, made.name, steps=2_000)])
    pushes = [Push(f, s, d) for f, s, d in PUSHES]
    native = Simulation(made, pushes=pushes, record=Record(rate=RATE, worlds=1), ragdoll_after_fall=True, threads=1)
    native.run(2.0)
    np.testing.assert_allclose(np.array(answer["qpos"]), native.trace().qpos[:, 0], rtol=0, atol=1e-9)


@pytest.mark.slow
def test_every_module_gives_the_same_bits_in_wasmtime_and_in_node(
    folder: Path, answer_of: Callable[[str], Any]
) -> None:
    pytest.importorskip("wasmtime")
    answers = {name: answer_of(name) for name in controller_names("live", guests=False)}
    modules = {(folder / f"{name}.wasm").read_bytes(): name for name in answers}
    for name in modules.values():
        assert last_qpos(_request(folder, name)) == answers[name]["last"], name
