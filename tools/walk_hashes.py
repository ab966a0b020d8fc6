"""Every built-in controller's state after three seconds, as a hash.

    python -m tools.walk_hashes            prints this machine's hashes, for tests/simulation/walk_hashes.json
    python -m tools.walk_hashes walk run   those of some controllers

A change that should not touch the arithmetic leaves every one as it is. Hashes are of quick kernels (those of tests),
one set for each processor architecture.
"""

import hashlib
import json
import os
import platform
import sys
from unittest.mock import patch

from footfall.control.registry import controller_names
from footfall.kernels import building
from footfall.simulation import Simulation

SECONDS = 3.0


def walk_hash(controller: str) -> str:
    """The first 16 digits of the hash of a controller's positions and velocities after three seconds."""
    simulation = Simulation(controller, ragdoll_after_fall=True)
    simulation.run(SECONDS)
    return hashlib.sha256(simulation.qpos.tobytes() + simulation.qvel.tobytes()).hexdigest()[:16]


def main() -> None:
    """Print the hashes of this machine as JSON."""
    os.environ[building.QUICK] = "yes"
    with patch.object(
        building, "put_in_place", return_value=False
    ):  # shipped kernels are optimised: they round otherwise
        hashes = {name: walk_hash(name) for name in sys.argv[1:] or controller_names(guests=False)}
    print(json.dumps({platform.machine(): hashes}, indent=2))


if __name__ == "__main__":
    main()
