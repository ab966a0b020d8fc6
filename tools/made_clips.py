"""Lively walks that no policy was trained on, as .npz files:

python -m tools.made_clips human-28 40 --out FOLDER
"""

import argparse
from pathlib import Path

from footfall.figures import Figure
from footfall.learning.clips import whole_parts
from footfall.motion import Motion, save_motion
from footfall.motion.synthesis.random_walks import random_walk

UNSEEN = 9_000_000
"""Seeds from here on are not trained on."""


def lively_clips(figure: Figure, rate: float, count: int, *, seconds: float = 8.0) -> dict[int, Motion]:
    """So many lively walks that no policy was trained on, by their seeds: of each the first part without a jump of its
    joints."""
    found: dict[int, Motion] = {}
    seed = UNSEEN
    while len(found) < count:
        seed += 1
        parts = whole_parts(random_walk(figure, seconds, seed, rate, lively=True), figure)
        if parts:
            found[seed] = parts[0]
    return found


def main() -> None:
    """Write lively walks that no policy was trained on to a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure")
    parser.add_argument("count", type=int)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for seed, motion in lively_clips(Figure.load(asked.figure), 50.0, asked.count).items():
        print(save_motion(motion, asked.out / f"made-{seed}.npz"))


if __name__ == "__main__":
    main()
