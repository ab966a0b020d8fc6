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

from footfall.control.registry import controller_names, load_controller
from footfall.kernels.shipped import archive_name

HASHES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "walk_hashes.json").read_text())
SHIPPED = (files("footfall.kernels") / "compiled" / archive_name()).is_file()
"""Whether optimised kernels come with footfall here, and may lie in the cache: then all are compiled anew."""


PLANAR = {name for name in HASHES["x86_64"] if load_controller(name).figure == "planar-biped"}
SPATIAL = set(HASHES["x86_64"]) - PLANAR


def test_every_controller_has_a_hash():
    assert {*PLANAR, *SPATIAL} == set(controller_names(guests=False))


@pytest.mark.skipif(platform.machine() not in HASHES, reason=f"NO HASHES for {platform.machine()}")
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(PLANAR, marks=pytest.mark.slow if SHIPPED else (), id="planar"),
        pytest.param(SPATIAL, marks=pytest.mark.slow, id="spatial"),
    ],
)
def test_built_in_controllers_walk_as_before(names, tmp_path):
    environment = os.environ | ({"WARP_CACHE_PATH": str(tmp_path)} if SHIPPED else {})
    command = [sys.executable, "-m", "tools.walk_hashes", *sorted(names)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    hashes, found = HASHES[platform.machine()], json.loads(done.stdout)[platform.machine()]
    assert set(found) == names
    known = names & set(hashes)
    assert {name: found[name] for name in known} == {name: hashes[name] for name in known}
