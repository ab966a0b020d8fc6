"""Starts for searches of captured walks: what a search finds for a clip, for ``captured-starts.toml``.

    python -m footfall.study.imitation.captured_starts DATA CLIP [CLIP ...] > captured-starts.toml

A search begins with the starts that are there already, so empty the file first to find them anew.
"""

import argparse
from pathlib import Path

from footfall.study.imitation.captured import imitate_walk

__all__ = ["main"]


def main() -> None:
    """Search for each clip's numbers and print those that all disturbed starts walk with."""
    parser = argparse.ArgumentParser(description="Starts for searches of captured walks.")
    parser.add_argument("data", type=Path, help="a folder of captured motion")
    parser.add_argument("clips", nargs="+", help="clips in that folder")
    given = parser.parse_args()
    for clip in given.clips:
        made = imitate_walk(given.data / clip, pushes=False)
        if made.up == made.tried:
            print(f'["{clip}"]', *(f'"{name}" = {x}' for name, x in made.search.point.items()), "", sep="\n")


if __name__ == "__main__":
    main()
