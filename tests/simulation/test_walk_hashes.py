"""Every built-in controller walks as it did, to the last bit, where nobody meant to change the arithmetic."""

import json
import platform
from pathlib import Path

import pytest

from footfall.control.registry import controller_names
from tools.walk_hashes import walk_hash

HASHES: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "walk_hashes.json").read_text())


@pytest.mark.skipif(platform.machine() not in HASHES, reason=f"no hashes for {platform.machine()}")
@pytest.mark.parametrize("controller", controller_names(guests=False))
def test_a_built_in_controller_walks_as_before(controller):
    """``python -m tools.walk_hashes`` prints them anew after a change that was meant."""
    assert walk_hash(controller) == HASHES[platform.machine()][controller]
