"""Known sets of gains for ``footfall imitate``: found for single clips, and chosen by how many other clips they carry.

    python -m footfall_reproductions.data_driven.search.known_sets CLIP … --out FILE [--generations 20] [--keep 6]

Every clip (its first seconds) gets a search of its own. Each set that is found is then tried on all clips, beside the
sets that were known before; those are kept that lower the sum over clips of the least cost most, one after another.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import TrackingController
from footfall.motion import load_motion, trimmed
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.study.imitation.followers import FIRM
from footfall.study.imitation.gain_search import RANGES, GainSearch, found_point, gain_judge, known_points, search_gains

Array = NDArray[np.float64]


def training_controller(file: Path, first: float, last: float) -> TrackingController:
    """A part of a clip, to be followed once."""
    figure, motion = Figure.load("mocap-biped"), load_motion(file)
    motion = trimmed(motion, first, last) if motion.seconds > last else motion
    return TrackingController(
        file.stem, clip_repertoire(frames_of(motion, figure, lifted=True), figure).changed(**FIRM)
    )


def chosen_sets(costs: Array, keep: int) -> list[int]:
    """Which of C candidates to keep, given their costs on clips [C, K]: one after another, each the one that lowers the
    sum over clips of the least cost most."""
    chosen: list[int] = []
    least = np.full(costs.shape[1], np.inf)
    while len(chosen) < min(keep, len(costs)):
        sums = np.minimum(costs, least).sum(axis=1)
        sums[chosen] = np.inf
        best = int(np.argmin(sums))
        chosen.append(best)
        least = np.minimum(least, costs[best])
    return chosen


def main() -> None:
    """Search, try and print the sets that are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--keep", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=7.0)
    asked = parser.parse_args()
    controllers, points = [], []
    for file in asked.clips:
        try:
            controllers.append(training_controller(file, 0.0, asked.seconds))
        except FootfallError as error:
            print(f"{file.name}: {error}")
    plans = [
        GainSearch(
            seconds=sum(len(f.frames) - 1 for f in c.repertoire.fragments) / 30.0,
            generations=asked.generations,
            starts=3,
            restarts=2,
            seed=7,
        )
        for c in controllers
    ]
    for controller, plan in zip(controllers, plans, strict=True):
        found = search_gains(controller, plan)
        points.append(found_point(found.controller))
        print(f"{controller.name}: cost {found.cost:.3f}, {found.up} of {found.starts} up", flush=True)
    every = np.concatenate([points, known_points(controllers[0])[::2]])
    costs = np.array([gain_judge(c, plan)(every, 0).costs for c, plan in zip(controllers, plans, strict=True)]).T
    kept = chosen_sets(costs, asked.keep)
    for k in kept:
        name = controllers[k].name if k < len(controllers) else f"known {k - len(controllers)}"
        print(f"{name}: {np.round(costs[k], 2)}", flush=True)
    sets = [dict(zip(RANGES, (round(float(x), 4) for x in every[k]), strict=True)) for k in kept]
    asked.out.write_text(json.dumps(sets, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
