"""Every built-in controller walks as it did, to the last bit, where nobody meant to change the arithmetic.

``python -m tools.walk_hashes`` prints the hashes anew after a change that was meant.
"""

import json
import os
import platform
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from footfall.control.registry import controller_names
from footfall.kernels.shipped import archive_name
from tools.walk_hashes import walk_hash

HASHES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "walk_hashes.json").read_text())
SHIPPED = (files("footfall.kernels") / "compiled" / archive_name()).is_file()
"""Whether kernels come compiled for machines such as this one: they are optimised, and round otherwise."""
KNOWN = pytest.mark.skipif(platform.machine() not in HASHES, reason=f"NO HASHES for {platform.machine()}")


@KNOWN
@pytest.mark.skipif(SHIPPED, reason="kernels come compiled here: the slow test below compiles its own")
@pytest.mark.parametrize("controller", controller_names(guests=False))
def test_a_built_in_controller_walks_as_before(controller):
    assert walk_hash(controller) == HASHES[platform.machine()][controller]


@KNOWN
@pytest.mark.slow
@pytest.mark.skipif(not SHIPPED, reason="no kernels come compiled here: the quick test above suffices")
def test_built_in_controllers_walk_as_before_by_kernels_of_their_own(tmp_path):
    environment = os.environ | {"WARP_CACHE_PATH": str(tmp_path)}
    command = [sys.executable, "-m", "tools.walk_hashes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    assert json.loads(done.stdout) == {platform.machine(): HASHES[platform.machine()]}
