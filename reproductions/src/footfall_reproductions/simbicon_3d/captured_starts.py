"""Starts for searches of captured walks: what a search finds for clips or styles, for ``captured-starts.toml``.

    python -m footfall_reproductions.simbicon_3d.captured_starts DATA NAME [NAME ...] >> captured-starts.toml

A name is a clip of the folder or a style. A style that is far from walking is approached by degrees: with
``--degrees 0.4 0.7 1`` its legs first move 0.4 times as far as they should (or its pose changes as little), and each
search begins with what the last one found. Searches begin with the starts that are there already, so empty the file
first to find all of them again.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from footfall.motion import load_motion
from footfall.study.imitation.captured import CapturedSearch, WalkFollower
from footfall.study.imitation.followers import Imitation, controller_name
from footfall_reproductions.simbicon_3d.captured_styles import STYLES, imitate_style


def by_degrees(name: str, folder: Path, degrees: Sequence[float], search: CapturedSearch) -> list[Imitation]:
    """A clip's or style's walk for each degree, every one begun with the one before."""
    made: list[Imitation] = []
    for degree in degrees:
        starts: list[Mapping[str, float]] = [made[-1].search.point] if made else []
        options: dict[str, Any] = {"search": search, "starts": starts}
        if name in STYLES:
            made.append(imitate_style(name, folder, degree=degree, pushes=False, **options))
        else:
            clip = folder / name
            made.append(WalkFollower(**options).imitate(load_motion(clip), controller_name(clip), pushes=False))
    return made


def main() -> None:
    """Search for each name's numbers and print those that all disturbed starts walk with."""
    usual = CapturedSearch()
    parser = argparse.ArgumentParser(description="Starts for searches of captured walks.")
    parser.add_argument("data", type=Path, help="a folder of captured motion")
    parser.add_argument("names", nargs="+", help="clips in that folder, or styles")
    parser.add_argument("--degrees", nargs="+", type=float, default=[1.0], help="of a style, in turn")
    parser.add_argument("--travel", type=float, default=usual.travel, help="cost of another velocity than the clip's")
    parser.add_argument("--population", type=int, default=usual.population)
    parser.add_argument("--hopeless", type=int, default=usual.hopeless, help="generations to go on if nothing walks")
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--device", default=usual.device, choices=("cpu", "cuda"))
    given = parser.parse_args()
    search = CapturedSearch(
        travel=given.travel,
        population=given.population,
        hopeless=given.hopeless,
        seed=given.seed,
        device=given.device,
        tries=1,
    )
    for name in given.names:
        for degree, made in zip(given.degrees, by_degrees(name, given.data, given.degrees, search), strict=True):
            report = made.as_dict()
            shown = {key: report[key] for key in ("disturbed_up", "velocity_mps", "clip_velocity_mps", "correlation")}
            print(f"# {name}, degree {degree:g}: {shown}")
        if made.up == made.tried:
            forward, left = made.cycle["clip_velocity_mps"]
            print(f'["{name}"]', f'"forward" = {forward:.2f}', f'"left" = {left:.2f}', sep="\n")
            print(*(f'"{number}" = {x}' for number, x in made.search.point.items()), "", sep="\n")


if __name__ == "__main__":
    main()
