"""Controllers on the files their bodies came from, stepped by MuJoCo without footfall: how many starts stay up.

    python -m tools.original_walks g1-walk.toml h1-walk.toml --out walks.json

Each controller is exported as C and its script walks the original file: 36 starts of 60 s, 6 with
noise of 1e-6 and 6 with 1e-3 at each of three steps of time.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from footfall.embedded.original_trials import original_trials
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.study.trials.final import EACH, SECONDS, STEPS
from footfall.text_files import write_whole


def main() -> None:
    """From the command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("controllers", nargs="+", type=Path)
    options.add_argument("--seconds", type=float, default=SECONDS)
    options.add_argument("--starts", type=int, default=EACH, help="with each noise, at each step")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--out", type=Path, help="a .json file")
    given = options.parse_args()
    found: list[dict[str, Any]] = []
    for controller in given.controllers:
        graph = load_graph(controller)
        how: dict[str, Any] = {"seconds": given.seconds, "each": given.starts, "processes": given.processes}
        trials = original_trials(graph, Figure.load(graph.figure), steps=STEPS, **how)
        words = f"{trials.up} of {trials.tried} starts up after {given.seconds:g} s in {Path(graph.figure).name}"
        print(f"{controller.stem}: {words}", flush=True)
        found.append({"controller": controller.stem} | trials.as_dict())
        if given.out:
            write_whole(given.out, json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    main()
