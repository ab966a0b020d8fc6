"""What steered characters withstand, as lines of JSON.

    python -m footfall_reproductions.data_driven.steered_measures grounds me.toml --minutes 20 --jobs 8
    python -m footfall_reproductions.data_driven.steered_measures clips DIR … --jobs 8

``grounds`` steers a character at random on flat, sloping and bumpy ground and says how many minutes it stays up;
``clips`` makes a motion graph of every single clip under the folders, as ``footfall steer CLIP`` does, sends it
straight ahead for ten seconds from disturbed starts, and says how many stay up, or why the clip cannot be used.
"""

import argparse
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.motion.retargeting.benchmark import clips_in
from footfall.study.imitation.random_steering import rehearse
from footfall.study.imitation.steering import SteeredWorlds, clip_graph, steered_controller
from footfall.terrain.terrain import Terrain, TerrainFlat, TerrainHeightField, TerrainSlope

EACH = 5
"""Minutes of one job."""
CELL, WIDE = 0.4, 120.0
"""Metres between nodes of bumpy ground, and its width."""
CALM = 1.0
"""Metres around the start that are flat."""
STARTS, SECONDS, NOISE = 5, 10.0, 0.03
GROUNDS: dict[str, Callable[[int], Terrain]] = {
    "flat": lambda seed: TerrainFlat(),
    "slope 2 degrees": lambda seed: TerrainSlope(2.0, start=-100.0),
    "slope 4 degrees": lambda seed: TerrainSlope(4.0, start=-100.0),
    "bumps 2 cm": lambda seed: bumps(0.02, seed),
    "bumps 3 cm": lambda seed: bumps(0.03, seed),
    "bumps 5 cm": lambda seed: bumps(0.05, seed),
}
"""Walked on in all directions."""


def bumps(height: float, seed: int) -> TerrainHeightField:
    """Ground of random heights from 0 to ``height`` metres, straight between nodes; flat around the origin."""
    count = round(WIDE / CELL) + 1
    heights = np.random.default_rng(seed).uniform(0.0, height, (count, count))
    along = np.abs(np.arange(count) * CELL - 0.5 * WIDE)
    heights[np.ix_(along <= CALM, along <= CALM)] = 0.0
    return TerrainHeightField(heights, (WIDE, WIDE), (-0.5 * WIDE, -0.5 * WIDE), f"bumps of {height:g} m")


def ground_row(file: str, name: str, seed: int) -> dict[str, Any]:
    """A few minutes on one ground."""
    controller: Any = load_controller(file)
    terrain = GROUNDS[name](seed)
    lower = float(terrain.height(np.zeros(1), np.zeros(1))[0])
    options: dict[str, Any] = {} if name == "flat" else {"terrain": terrain}
    found = rehearse(controller, EACH, 60.0, seed=seed, lifted=lower, **options)
    return {
        "ground": name,
        "seed": seed,
        "up": int(found.up.sum()),
        "of": EACH,
        "off_deg": round(found.heading_error, 1),
    }


def clip_row(file: Path) -> dict[str, Any]:
    """One clip, straight ahead."""
    row: dict[str, Any] = {"clip": str(file), "stands": False, "up": 0, "of": STARTS, "refused": ""}
    try:
        graph: TrackedGraph = clip_graph([("normal", file)])
        worlds = SteeredWorlds(steered_controller(graph), STARTS, noise=NOISE)
    except FootfallError as error:
        return row | {"refused": str(error)}
    while worlds.simulation.time < SECONDS and worlds.up.any():
        worlds.advance()
    return row | {"stands": bool(graph.stands), "up": int(worlds.up.sum())}


def _rows(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(asked.jobs, mp_context=context) as pool:
        if asked.what == "clips":
            yield from pool.map(clip_row, [file for folder in asked.files for file in clips_in(Path(folder))])
            return
        for file in asked.files:
            pairs = [(name, 700 + k) for name in GROUNDS for k in range(asked.minutes // EACH)]
            names, seeds = ([pair[k] for pair in pairs] for k in range(2))
            yield from pool.map(partial(ground_row, file), names, seeds)


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m footfall_reproductions.data_driven.steered_measures", description=__doc__
    )
    parser.add_argument("what", choices=("grounds", "clips"))
    parser.add_argument("files", nargs="+")
    parser.add_argument("--minutes", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(words)
    try:
        for row in _rows(asked):
            print(json.dumps(row), flush=True)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
