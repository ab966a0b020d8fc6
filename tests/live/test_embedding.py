"""A module in a Python program that has neither Warp nor footfall: the example of the documentation, run as it is."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.live.description import write_module
from footfall.simulation import Simulation

DOCUMENT = Path(__file__).parents[2] / "docs" / "live.md"


def test_the_example_in_the_documentation_walks_without_warp(tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    write_module([load_controller("walk")], tmp_path / "walker")
    found = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found is not None
    guard = "import sys\nfor name in ('warp', 'footfall', 'mujoco'): sys.modules[name] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", guard + found[1]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    qpos = [float(x) for x in done.stdout.split()]
    native = Simulation("walk")
    native.run(10.0)
    np.testing.assert_allclose(qpos, native.qpos[0], atol=1e-9)


def test_the_example_page_is_twenty_lines() -> None:
    page = (Path(__file__).parents[2] / "src/footfall/live/example.html").read_text(encoding="utf-8")
    script = page.partition('<script type="module">')[2].partition("</script>")[0].strip().splitlines()
    assert len(script) <= 20
