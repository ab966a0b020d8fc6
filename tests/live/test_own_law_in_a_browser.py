"""A law of one's own as a module and as a live page: it computes what the native run computes, and the page has its
numbers in place of states."""

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

from footfall.control import Law, LawController, LawKind, Types, load_controller, registry
from footfall.live.description import write_module
from footfall.live.page import write_live_page
from footfall.simulation import Simulation
from tools.browser import Browser, find_chromium

from .in_wasmtime import last_qpos

pytestmark = [pytest.mark.slow, pytest.mark.extra("ziglang")]
EXAMPLE = Path(__file__).parents[2] / "examples/footfall-own-law/footfall_own_law"


class Bending(Law):
    """A law that reads its library: how strongly each knee bends."""

    key = "bending"
    numbers = {"rate": 3.0, "size": 1.0}  # noqa: RUF012
    memory = np.zeros(1)
    library = np.array([[0.0, 0.0, 0.0], [4.0, 7.0, -30.0]])

    def build(self, types: Types) -> wp.Function:
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real
        rate, size = self.column("rate"), self.column("size")

        @wp.func
        def bend(
            sense: wp.ref[Sense], memory: wp.ref[Memory], numbers: wp.array2d[real], row: int, command: wp.ref[Command]
        ):
            memory[0] += sense.dt
            strength = numbers[row, size] * sense.library[1, 2] * wp.sin(numbers[row, rate] * memory[0])
            for k in range(2):
                command.torque[int(sense.library[1, k])] = strength

        return bend


BENDING = LawKind("bending", Bending)


@pytest.fixture(scope="module", autouse=True)
def laws() -> Iterator[None]:
    """The laws by name, as if their packages were installed."""
    spec = spec_from_file_location("footfall_own_law", EXAMPLE / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "footfall_own_law", module)
        spec.loader.exec_module(module)
        patch.setattr(module, "KIND", LawKind("own-walk", module.OwnWalk), raising=False)
        patch.setitem(registry.BUILT_IN, "own-walk", "footfall_own_law:KIND")
        patch.setitem(registry.BUILT_IN, "bending", f"{__name__}:BENDING")
        yield
        registry._kind.cache_clear()
        registry._library.cache_clear()


def own_stroll() -> Any:
    return load_controller(EXAMPLE / "controllers" / "own-stroll.toml")


@pytest.mark.parametrize("which", ["own-stroll", "bending"])
def test_its_module_computes_what_the_native_run_computes(which: str, tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    bending = LawController("bending", "planar-biped", "bending", {"size": 0.7})
    controller = own_stroll() if which == "own-stroll" else bending
    write_module([controller], tmp_path)
    request = {"folder": str(tmp_path), "name": which, "steps": 3000, "every": 20, "pushes": []}
    native = Simulation(controller, threads=1, ragdoll_after_fall=True)
    native.run(3.0)
    np.testing.assert_allclose(last_qpos(request), native.qpos[0], rtol=0, atol=1e-9)


@pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed")
def test_the_page_has_its_numbers_and_no_states(tmp_path: Path) -> None:
    path = write_live_page([own_stroll(), load_controller("walk")], tmp_path / "own.html")
    with Browser(800, 520) as browser:
        page = browser.open(f"file://{path}#play=no")
        page.wait("document.documentElement?.dataset.ready === 'yes'")
        text = "document.getElementById('{}').textContent"
        page.js("footfall.advance(3)")
        assert page.js("footfall.walker.outcome") == "walking"
        assert "state" not in page.js(text.format("facts"))
        assert page.js("[...document.querySelectorAll('#parameters summary')].map(e => e.textContent)") == [
            "parameters"
        ]
        labels = "[...document.querySelectorAll('#parameters .row > span')]"
        names = page.js(f"{labels}.map(e => e.firstChild.textContent)")
        assert names == ["hold", "lift", "reach", "c_v", "c_d", "kp", "kd"]
        page.click_on("document.querySelector('[data-tab=plots]')")
        page.js("footfall.advance(0.5)")
        assert page.js(text.format("caption-signals")) == "signals: d, v"
        assert page.js(text.format("caption-angle")) == "angle, °"
        page.js("footfall.walker.change({ terrain: 'slope:3' }), footfall.walker.push([600, 0, 0], 0.4), 0")
        page.js("footfall.advance(4)")
        assert page.js("footfall.walker.outcome") == "fell"
        page.js("(footfall.walker.change({ terrain: 'flat' }), footfall.walker.set('c_d', 2), footfall.reset(), 0)")
        page.js("footfall.advance(2)")
        assert page.js("footfall.walker.outcome") == "walking"
        assert "own-stroll%2Fc_d=2" in page.js("footfall.link()")
        page.js("footfall.choose('walk')")
        page.wait("footfall.walker.gait.name === 'walk'")
        page.js("footfall.advance(0.1)")
        assert "state 0" in page.js(text.format("facts"))
        assert page.js(text.format("caption-signals")) == "balance: d (m), v (m/s)"
        assert page.errors == []
