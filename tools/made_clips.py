"""Lively walks that no policy was trained on, as .npz files:

python -m tools.made_clips human-28 40 --out FOLDER
"""

import argparse
from pathlib import Path

from footfall.figures import Figure
from footfall.learning.made_clips import lively_clips
from footfall.motion import save_motion


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
