"""Walks of several bodies below each other, each from the side and from the front, as one picture.

python -m tools.robot_strips g1-walk.toml h1-walk.toml --out docs/images/robots.png
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np

from footfall.control.registry import load_walker
from footfall.figures import Figure
from footfall.simulation import Record, Simulation
from footfall.study.adaptation.report import save_views
from footfall.text_files import write_whole

SECONDS = 10.0


def main() -> None:
    """The command."""
    from PIL import Image

    parser = argparse.ArgumentParser(prog="tools.robot_strips", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.controllers:
            controller = load_walker(name)
            figure = Figure.load(controller.figure)
            simulation = Simulation(controller, figure=figure, record=Record(rate=100.0, worlds=1), dt=0.001)
            simulation.run(SECONDS)
            path = save_views(simulation.trace().motion(), Path(folder) / "views.png")
            rows.append(np.asarray(Image.open(path).convert("RGB")))
    width = min(row.shape[1] for row in rows)
    picture = Image.fromarray(np.concatenate([row[:, :width] for row in rows], axis=0))
    write_whole(given.out, lambda part: picture.quantize(128).save(part, format="PNG"))


if __name__ == "__main__":
    main()
