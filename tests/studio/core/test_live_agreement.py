"""A studio and a live page compute the same walk.

The studio runs the native kernel of its law, a page the WebAssembly module. Both are made of the same generated
function, compiled twice, so that last bits may differ.
"""

from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.live.description import write_module
from footfall.studio.core.session import Session
from tests.live.node import find_node, run_modules

pytestmark = pytest.mark.skipif(find_node() is None, reason="node is not installed")

SECONDS, PUSH, AT, LASTS = 6.0, 120.0, 2.0, 0.1


@pytest.mark.parametrize("name", ["walk", pytest.param("walk-3d", marks=pytest.mark.slow)])
def test_a_pushed_walk_of_the_studio_is_that_of_a_page(tmp_path: Path, name: str) -> None:
    session = Session(name)
    rng, dt = np.random.default_rng(3), session.world.dt
    while session.world.time < AT - 0.5 * dt:  # turns of the loop are as long as they happen to be
        session._advance(min(float(rng.uniform(0.004, 0.06)), AT - session.world.time))
    assert session.world.time == pytest.approx(AT)
    session.world.push((PUSH, 0.0, 0.0), LASTS)
    while session.world.time < SECONDS - 0.5 * dt:
        session._advance(min(float(rng.uniform(0.004, 0.06)), SECONDS - session.world.time))
    write_module([load_controller(name)], tmp_path)
    pushes = [{"place": 0, "force": [PUSH, 0, 0], "start": session.world.dt * round(AT / dt), "seconds": LASTS}]
    steps = round(SECONDS / dt)
    (page,) = run_modules(
        [{"folder": str(tmp_path), "name": name, "gait": name, "steps": steps, "every": 10, "pushes": pushes}]
    )
    assert page["outcome"] == "walking"
    np.testing.assert_allclose(page["last"], session.world.state["qpos"][0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(page["qvel"], session.world.state["qvel"][0], rtol=0, atol=1e-7)
