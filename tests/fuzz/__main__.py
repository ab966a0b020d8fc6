"""Fuzz every kind of file, from the repository's root:

    python -m tests.fuzz --count 100000 --seed 1 --kinds controller,motion

Files that fail are kept in a folder with what went wrong. The status is 1 where there are any.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from footfall.cli.printing import progress
from tests.fuzz.outcomes import REFUSED, SKIPPED, TAKEN
from tests.fuzz.subjects import KINDS
from tests.fuzz.workers import Case, Result, run_cases

GOOD = (TAKEN, REFUSED, SKIPPED)


def shares(kinds: list[str], count: int) -> dict[str, int]:
    """How many files of each kind."""
    total = sum(KINDS[kind][1] for kind in kinds)
    return {kind: round(count * KINDS[kind][1] / total) for kind in kinds}


def all_cases(wanted: dict[str, int], seed: int) -> Iterator[Case]:
    """Cases of one kind after the other."""
    for kind, count in wanted.items():
        for number in range(count):
            yield Case(kind, seed, number)


def keep(result: Result, folder: Path) -> None:
    """Write a file that failed, those beside it, and what went wrong."""
    case = result.case
    place = folder / f"{result.outcome}-{case.kind}-{case.seed}-{case.number}"
    place.mkdir(parents=True, exist_ok=True)
    for name, content in {**case.subject.beside, case.subject.name: case.content}.items():
        (place / name).write_bytes(content)
    (place / "what.txt").write_text(f"{case}\n{result.outcome}\n{result.text}\n")


def main(arguments: list[str] | None = None) -> int:
    """Run it; 1 where a file failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="files in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where files that fail are kept")
    given = parser.parse_args(arguments)
    wanted = shares(given.kinds.split(","), given.count)
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in wanted}
    causes: Counter[str] = Counter()
    with progress("fuzzing", sum(wanted.values())) as show:
        for done, result in enumerate(run_cases(all_cases(wanted, given.seed), given.processes), start=1):
            kind = result.case.kind
            counts[kind][result.outcome] += 1
            if result.outcome not in GOOD:
                cause = f"{result.outcome}: {result.text.strip().splitlines()[-1][:150]}"
                causes[cause] += 1
                if causes[cause] <= 3:
                    keep(result, given.out)
            failed = sum(causes.values())
            show(done, what=f"fuzzing {kind}" + (f", {failed} failed" if failed else ""))
    for kind, found in counts.items():
        print(f"{kind:12}" + "  ".join(f"{outcome} {n}" for outcome, n in sorted(found.items())))
    for cause, n in causes.most_common():
        print(f"{n:6} {cause}")
    if causes:
        print(f"files that failed are in {given.out}")
    return int(bool(causes))


if __name__ == "__main__":
    sys.exit(main())
