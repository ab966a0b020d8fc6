"""How often a character whose law takes a speed stays up when it is pushed from eight sides at ten phases:

python -m tools.steered_pushes human --speed 1.2 --seconds 0.4 --forces 50 100 150 200 250
"""

import argparse
import math

import numpy as np

from footfall.push import Push
from footfall.simulation import Simulation

SIDES, PHASES = 8, 10
PUSHED, STRIDE, AFTER = 3.0, 1.06, 5.0
"""Seconds at which the first pushes begin, over which others do, and for which it is watched."""


def main() -> None:
    """Print a line for each force."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("controller")
    parser.add_argument("--speed", type=float, default=1.2)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--forces", type=float, nargs="+", required=True)
    asked = parser.parse_args()
    turns = 2.0 * math.pi * np.arange(SIDES) / SIDES
    grid = np.array([(f, a, p) for f in asked.forces for a in turns for p in range(PHASES)])
    force = grid[:, :1] * np.column_stack([np.cos(grid[:, 1]), np.sin(grid[:, 1]), np.zeros(len(grid))])
    push = Push(force, PUSHED + STRIDE * grid[:, 2] / PHASES, np.full(len(grid), asked.seconds))
    simulation = Simulation(asked.controller, worlds=len(grid), efforts=False, pushes=[push])
    simulation.set({"speed": asked.speed})
    simulation.step(round((PUSHED + AFTER) / simulation.dt))
    up = np.asarray(simulation.outcome().survived).reshape(len(asked.forces), SIDES, PHASES)
    for force_n, of in zip(asked.forces, up.sum(axis=2), strict=True):
        sides = " ".join(map(str, of))
        print(f"{force_n:g} N: {of.sum()} of {SIDES * PHASES} up; by side, from behind on to the left: {sides}")


if __name__ == "__main__":
    main()
