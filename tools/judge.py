"""Judge controllers again, as ``footfall adapt`` judges what it found: by disturbed starts and pushes.

36 starts of a minute at three steps of time, the numbers of the gait in the body's units
(:data:`~footfall.study.measures.body.NUMBERS`), and pushes from eight sides at ten phases of a stride.

    python -m tools.judge my-walk.toml --engine both --push-seconds 0.4
"""

import argparse
import json
import sys
from typing import Any

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.study.adaptation.wanted import own_gait
from footfall.study.measures.body import Units
from footfall.study.trials.final import push_rose, walking_trials


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.judge", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--engine", choices=["native", "mujoco", "both"], default="native")
    parser.add_argument("--push-seconds", type=float, default=0.4, help="0 for no pushes")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    engines = ("native", "mujoco") if given.engine == "both" else (given.engine,)
    for name in given.controllers:
        try:
            graph = load_graph(name)
            figure = Figure.load(graph.figure)
            found: dict[str, Any] = {"controller": graph.name, "figure": figure.name}
            found |= {
                engine: walking_trials(graph, figure, engine=engine, seed=given.seed).as_dict() for engine in engines
            }
            numbers = own_gait(graph, figure)
            found["numbers"] = {name: round(value, 5) for name, value in numbers.items()}
            if given.push_seconds > 0.0:
                step = numbers["step_time"] * Units.of(figure).time
                rose = push_rose(graph, figure, duration=given.push_seconds, step_time=step, seed=given.seed)
                found["push_limits_n"] = rose.limits if rose else None
        except FootfallError as error:
            sys.exit(f"footfall: {error}")
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
