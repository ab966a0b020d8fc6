"""Characters of clips on uneven ground.

    python -m footfall_reproductions.data_driven.uneven_clips WALK.toml … [--starts 20]

Every controller that ``footfall imitate`` made by a network walks its clip once over random steps, each start on a
ground of its own (treads of 0.4 to 1.2 m, from half a metre ahead: give clips that go forwards). A line for each: how
many are up at the clip's end.
"""

import argparse
from collections.abc import Sequence

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.methods.network.controller import NetworkController
from footfall.simulation import Simulation
from footfall.terrain import TerrainRandomSteps

RISES = (0.0, 0.02, 0.04, 0.06, 0.08)
"""Metres of a step, at most."""
TREAD, START = 0.8, 0.5


def uneven(controller: NetworkController, rise: float, starts: int) -> int:
    """How many of some grounds, of as many seeds, a controller is up on when its clip ends."""
    clip = controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' follows no clip")
    grounds = [TerrainRandomSteps(rise, TREAD, seed=10_000 + k, start=START) for k in range(starts)]
    worlds = Simulation(controller, terrain=grounds, worlds=starts)
    return int(worlds.run(clip.seconds).survived.sum())


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each controller, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--starts", type=int, default=20)
    asked = parser.parse_args(words)
    print(f"{'rise, cm':40} " + " ".join(f"{100 * rise:5.0f}" for rise in RISES))
    sums = [0] * len(RISES)
    for file in asked.controllers:
        controller = load_controller(file)
        found = [uneven(controller, rise, asked.starts) for rise in RISES]
        sums = [a + b for a, b in zip(sums, found, strict=True)]
        print(f"{controller.name[:40]:40} " + " ".join(f"{up:5}" for up in found), flush=True)
    print(f"{f'of {asked.starts * len(asked.controllers)}':40} " + " ".join(f"{up:5}" for up in sums))


if __name__ == "__main__":
    main()
