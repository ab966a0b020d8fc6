"""``footfall imitate`` over a folder of clips, as a table.

    python -m footfall_reproductions.data_driven.sweep DIR [--seconds 300] [--pushes] [NAME …]

Every motion file under the folder is imitated, or refused in words. The last line says what share of those that were
not refused stays up for the whole clip.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from footfall.errors import FootfallError
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import imitate

__all__ = ["SweepRow", "sweep", "sweep_table"]

SUFFIXES = (".bvh", ".amc", ".c3d", ".glb")


@dataclass(frozen=True)
class SweepRow:
    """A clip's line: how it ended, or why it was refused."""

    clip: str
    seconds: float = 0.0
    up: float = 0.0
    disturbed: str = ""
    joint_error: float = 0.0
    pace: float = 0.0
    took: float = 0.0
    refused: str = ""

    @property
    def stays_up(self) -> bool:
        """Whether it was up at the end of the clip."""
        return not self.refused and self.up >= self.seconds - 1e-6


def sweep(files: Sequence[Path], *, pushes: bool = False, search: GainSearch | None = None) -> Iterator[SweepRow]:
    """Imitate clips one after another."""
    for file in files:
        began = time.perf_counter()
        try:
            made = imitate(file, pushes=pushes, search=search)
        except FootfallError as error:
            yield SweepRow(file.stem, refused=str(error), took=time.perf_counter() - began)
            continue
        f = made.following
        disturbed = f"{made.up} of {made.tried}"
        yield SweepRow(file.stem, f.seconds, f.time, disturbed, f.joint_error, f.speed, time.perf_counter() - began)


def sweep_table(rows: Sequence[SweepRow]) -> str:
    """The last line: what share stays up."""
    tracked = [row for row in rows if not row.refused]
    up = sum(row.stays_up for row in tracked)
    if not tracked:
        return f"no clip could be tracked; {len(rows)} refused"
    longest = max(row.took for row in tracked)
    error = sum(row.joint_error for row in tracked) / len(tracked)
    return (
        f"{up} of {len(tracked)} clips stay up ({up / len(tracked):.0%}), {len(rows) - len(tracked)} refused; "
        f"joints {error:.1f} degrees off on average; the longest took {longest:.0f} s"
    )


def main() -> None:
    """Run the sweep and print the table, line by line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pushes", action="store_true")
    parser.add_argument("--generations", type=int, default=GainSearch().generations)
    asked = parser.parse_args()
    files = sorted(f for f in asked.folder.rglob("*") if f.suffix.lower() in SUFFIXES)
    files = [f for f in files if not asked.names or any(name in f.stem for name in asked.names)]
    print(f"{'clip':40} {'asked s':>8} {'up s':>7} {'starts':>8} {'error':>6} {'pace':>5} {'took s':>7}")
    rows = []
    for row in sweep(files, pushes=asked.pushes, search=GainSearch(generations=asked.generations)):
        rows.append(row)
        if row.refused:
            print(f"{row.clip[:40]:40} {row.refused}", flush=True)
        else:
            print(
                f"{row.clip[:40]:40} {row.seconds:8.1f} {row.up:7.1f} {row.disturbed:>8} {row.joint_error:6.1f} "
                f"{row.pace:5.2f} {row.took:7.1f}{'' if row.stays_up else '   fell'}",
                flush=True,
            )
    print(sweep_table(rows))


if __name__ == "__main__":
    main()
