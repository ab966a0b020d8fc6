"""Controllers on the files their bodies came from, stepped by MuJoCo without footfall: how many starts stay up.

    python -m tools.original_walks g1-walk.toml h1-walk.toml --out walks.json

Each controller is exported as C (``footfall export --runner``) and its script walks the original file: 36 starts of
60 s, 6 with noise of 1e-6 and 6 with 1e-3 at each of three steps of time.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from footfall.methods.simbicon.files import load_graph
from footfall.text_files import write_whole

STEPS = (0.0005, 0.001, 0.002)
NOISES = (1e-6, 1e-3)


def walks(controller: Path, body: str, folder: Path, seconds: float, starts: int, pool: ThreadPoolExecutor) -> dict:  # type: ignore[type-arg]
    """How many starts of a controller stay up, by step and noise."""
    name = re.sub(r"\W", "_", controller.stem)
    made = [
        sys.executable,
        "-m",
        "footfall",
        "export",
        str(controller),
        "--out",
        str(folder / f"{name}.c"),
        "--runner",
    ]
    subprocess.run(made, check=True, capture_output=True, text=True)
    script = folder / f"run_{name}.py"

    def walk(case: tuple[float, float]) -> dict[str, float]:
        dt, noise = case
        options = ["--seconds", seconds, "--dt", dt, "--noise", noise, "--starts", starts]
        done = subprocess.run([sys.executable, script, body, *map(str, options)], capture_output=True, text=True)
        found = re.search(r"(\d+) of (\d+) up", done.stdout)
        if found is None:
            raise RuntimeError(f"{controller}: {done.stderr.strip().splitlines()[-1:]}")
        return {"dt": dt, "noise": noise, "up": int(found[1]), "tried": int(found[2])}

    rows = list(pool.map(walk, [(dt, noise) for dt in STEPS for noise in NOISES]))
    up, tried = (sum(int(row[key]) for row in rows) for key in ("up", "tried"))
    print(f"{controller.stem}: {up} of {tried} starts up after {seconds:g} s in {Path(body).name}", flush=True)
    return {"controller": controller.stem, "up": up, "tried": tried, "rows": rows}


def main() -> None:
    """From the command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("controllers", nargs="+", type=Path)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--starts", type=int, default=6, help="with each noise, at each step")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--out", type=Path, help="a .json file")
    given = options.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.processes) as pool:
        for controller in given.controllers:
            body = load_graph(controller).figure
            found.append(walks(controller, body, Path(folder), given.seconds, given.starts, pool))
            if given.out:
                write_whole(given.out, json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    main()
