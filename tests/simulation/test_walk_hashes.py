"""Every built-in controller walks as it did, to the last bit, where nobody meant to change the arithmetic.

``python -m tools.walk_hashes`` prints the hashes anew after a change that was meant. Those of gaits that were changed
where there was no ARM machine are missing for it. It runs in a process of its own:
in one that has optimised kernels from other tests, a fallen body rounds as these do.
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

HASHES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "walk_hashes.json").read_text())
SHIPPED = (files("footfall.kernels") / "compiled" / archive_name()).is_file()
"""Whether optimised kernels come with footfall here, and may lie in the cache: then all are compiled anew."""


@pytest.mark.skipif(platform.machine() not in HASHES, reason=f"NO HASHES for {platform.machine()}")
@pytest.mark.parametrize("compiled_anew", [pytest.param(True, marks=pytest.mark.slow)] if SHIPPED else [False])
def test_built_in_controllers_walk_as_before(compiled_anew, tmp_path):
    environment = os.environ | ({"WARP_CACHE_PATH": str(tmp_path)} if compiled_anew else {})
    command = [sys.executable, "-m", "tools.walk_hashes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    hashes, found = HASHES[platform.machine()], json.loads(done.stdout)[platform.machine()]
    assert set(found) == set(HASHES["x86_64"]) == set(controller_names(guests=False))
    assert {name: found[name] for name in hashes} == hashes
