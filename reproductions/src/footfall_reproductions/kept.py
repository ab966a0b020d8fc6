"""The rows of all papers as last measured, one file an architecture: ``reproductions/rows/x86_64.json``.

    python -m footfall_reproductions.kept REPORT                    keep what a report measured, part by part
    python -m footfall_reproductions.kept --differences [REPORT]    compare a report, or all architectures, with it
    python -m footfall_reproductions.kept --stale                   name the parts that are older than the code

A part has its date, its machine, the digests of what measured it (:mod:`footfall_reproductions.sources`) and its rows.
Parts that a report does not have stay as they are, with their own dates.
"""

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.text_files import write_whole
from footfall_reproductions import PAPERS, paper_module
from footfall_reproductions.claims import explained
from footfall_reproductions.part import parts_of
from footfall_reproductions.row import Row
from footfall_reproductions.sources import changed

FOLDER = Path(__file__).resolve().parents[2] / "rows"
"""Where the files are, in a checkout."""
MAIN = "x86_64"
"""The architecture whose rows the documentation shows."""
PASSING = ".passing"
"""How parts end that were measured with limbs that pass."""
Part = dict[str, Any]
Papers = dict[str, dict[str, Part]]

_COMPARED = ("measured", "passed", "tried", "state", "note")
_NAMES = {field.name for field in fields(Row)}


def architecture() -> str:
    """Of this machine, as its file is called."""
    return {"aarch64": "arm64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())


def kept_papers(name: str = MAIN) -> Papers:
    """Parts by paper and name: date, machine, sources, seconds and rows."""
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return {}
    file = json.loads(path.read_text(encoding="utf-8"))
    for parts in file["papers"].values():
        for part in parts.values():
            part["machine"], part["sources"] = file["machines"][part["machine"]], file["sources"][part["sources"]]
    papers: Papers = file["papers"]
    return papers


def kept_rows(name: str = MAIN) -> dict[str, list[Row]]:
    """Rows by paper, with what the claims say of them today."""
    return {paper: _rows(paper, parts) for paper, parts in kept_papers(name).items()}


def _rows(paper: str, parts: Mapping[str, Part]) -> list[Row]:
    """Rows of the parts of a paper; those measured with limbs that pass beside those of solid limbs."""
    every = [(name, row) for name, part in parts.items() for row in _of(paper, name, part)]
    other = {row.id: row for name, row in every if name.endswith(PASSING)}
    return [replace(row, passing=other.get(row.id)) for name, row in every if not name.endswith(PASSING)]


def _of(paper: str, name: str, part: Part) -> list[Row]:
    rows = [Row(**{k: v for k, v in row.items() if k in _NAMES and k != "passing"}) for row in part["rows"]]
    limbs: dict[str, Any] = {"limbs": "passing"} if name.endswith(PASSING) else {}
    return explained(PAPERS[paper], [replace(row, seconds=part["seconds"], **limbs) for row in rows])


def measured_words(paper: str, parts: Mapping[str, Part]) -> str:
    """When and on which machines parts were measured, how much of a core's time that took, and whether some are missing
    that are no searches."""
    dates = sorted({part["date"] for part in parts.values()})
    machines = sorted({_machine_words(part["machine"]) for part in parts.values()})
    seconds = sum(part["cpu_seconds"] for part in parts.values())
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    known = [part.name for part in parts_of(paper_module(paper)) if not part.searches]
    done = sum(name in parts for name in known)
    lacking = "" if done in (0, len(known)) else f", {done} of {len(known)} parts"  # 0: no clips here, parts unknown
    spent = f"{seconds:.0f} s" if seconds < 100.0 else f"{seconds / 60.0:.0f} min"
    return f"{when}, {', '.join(machines)}, {spent} of one core{lacking}"


def _machine_words(machine: Mapping[str, str]) -> str:
    return f"{machine['processor']}, {machine['system'].partition(' ')[2]}"


def report_papers(report: Path) -> Papers:
    """The parts that a report's folder has, as :func:`kept_papers`."""
    found: Papers = {}
    for paper in PAPERS:
        for name in (n for part in parts_of(paper_module(paper)) for n in (part.name, part.name + PASSING)):
            file = report / "parts" / paper / f"{name}.json"
            if file.is_file():
                part = json.loads(file.read_text(encoding="utf-8"))
                rows = [_row_of(paper, row) for row in _of(paper, name, part)]
                kept = {key: part[key] for key in ("date", "machine", "sources", "seconds", "cpu_seconds")}
                found.setdefault(paper, {})[name] = {**kept, "rows": rows}
    if not found:
        raise FootfallError(f"{report}: no parts of a report are here; footfall reproduce all --out {report} makes one")
    return found


def _row_of(paper: str, row: Row) -> dict[str, Any]:
    """A row as the file has it: what is empty is left out."""
    told = row.as_dict() | {"command": f"footfall reproduce {paper} --row {row.id}"}
    left_out = {"seconds", "passing", "rate", "interval", "near_bound"}
    return {k: v for k, v in told.items() if k not in left_out and v is not None and v != "" and v is not False} | {
        "holds": row.holds,
        "measured": row.measured,
        "paper": row.paper,
        "unit": row.unit,
    }


def keep(report: Path) -> Path:
    """Put the parts of a report into the file of this architecture."""
    name = architecture()
    papers, found = kept_papers(name), report_papers(report)
    for paper, parts in found.items():
        known = [part.name for part in parts_of(paper_module(paper))]
        merged = papers.get(paper, {}) | parts
        papers[paper] = {n: merged[n] for k in known for n in (k, k + PASSING) if n in merged}
    path = FOLDER / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    write_whole(path, _text(name, {paper: papers[paper] for paper in PAPERS if paper in papers}).encode())
    return path


def _text(name: str, papers: Papers) -> str:
    """The file: a line for each row, so that changes can be read."""
    machines: list[Any] = []
    digests: list[Any] = []
    blocks = []
    for paper, parts in papers.items():
        lines = []
        for part, content in parts.items():
            for known, key in ((machines, "machine"), (digests, "sources")):
                if content[key] not in known:
                    known.append(content[key])
            head = {
                "date": content["date"],
                "machine": machines.index(content["machine"]),
                "sources": digests.index(content["sources"]),
                "seconds": content["seconds"],
                "cpu_seconds": content["cpu_seconds"],
            }
            rows = ",\n".join(f"  {_line(row)}" for row in content["rows"])
            lines.append(f' {_line(part)}: {_line(head)[:-1]}, "rows": [\n{rows}\n ]}}')
        blocks.append(f"{_line(paper)}: {{\n" + ",\n".join(lines) + "\n}")
    tables = [f'"{key}": [\n' + ",\n".join(map(_line, table)) + "\n]" for key, table in
              (("machines", machines), ("sources", digests))]  # fmt: skip
    papers_text = '"papers": {\n' + ",\n".join(blocks) + "\n}"
    return "{\n" + ",\n".join([f'"architecture": {_line(name)}', *tables, papers_text]) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def differences(one: Papers, other: Papers) -> list[str]:
    """Rows of parts that both have and that say something else, as text; rows that are times are left out."""
    found = []
    for paper, parts in one.items():
        for name, part in parts.items():
            if name not in other.get(paper, {}):
                continue
            rows = {row["id"]: row for row in other[paper][name]["rows"]}
            passing = " (limbs pass)" if name.endswith(PASSING) else ""
            for row in part["rows"]:
                match = rows.pop(row["id"], None)
                if match is None or row.get("timed"):
                    continue
                words = [f"{k} {row.get(k)} / {match.get(k)}" for k in _COMPARED if row.get(k) != match.get(k)]
                if words:
                    found.append(f"{paper}/{row['id']}{passing}: {'; '.join(words)}")
    return found


def stale(papers: Papers) -> Iterator[tuple[str, str, str, list[str]]]:
    """Each part with its date and what of its sources has changed since; paper, part, date, names."""
    for paper, parts in papers.items():
        for name, part in parts.items():
            yield paper, name, part["date"], changed(part["sources"])


def _print_differences(report: Path | None) -> None:
    main = kept_papers()
    if report is not None:
        others = {str(report): report_papers(report)}
    else:
        others = {f.stem: kept_papers(f.stem) for f in sorted(FOLDER.glob("*.json")) if f.stem != MAIN}
    if not others:
        print(f"only rows of {MAIN} are kept; on another machine: footfall reproduce all --passing --out report, then")
        print("python -m footfall_reproductions.kept report")
    for name, papers in others.items():
        lines = differences(main, papers)
        both = sum(len(p["rows"]) for k, parts in papers.items() for n, p in parts.items() if n in main.get(k, {}))
        print(f"{MAIN} / {name}: {len(lines)} of {both} rows differ")
        _print(lines)


def _print_stale() -> None:
    found: dict[tuple[str, str, str], list[str]] = {}
    for paper, part, date, names in stale(kept_papers()):
        found.setdefault((paper, date, ", ".join(names)), []).append(part)
    for (paper, date, words), parts in found.items():
        what = f"older than the code in {words}" if words else "as the code is"
        print(f"{paper}, {date}, {len(parts)} parts ({parts[0]} …): {what}")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"  {line}")


def main(arguments: list[str]) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m footfall_reproductions.kept", description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, nargs="?", help="folder that footfall reproduce --out wrote")
    parser.add_argument("--differences", action="store_true", help="compare, write nothing")
    parser.add_argument("--stale", action="store_true", help="name the parts that are older than the code")
    given = parser.parse_args(arguments)
    if given.stale:
        _print_stale()
    elif given.differences:
        _print_differences(given.report)
    elif given.report is None:
        parser.error("give a report's folder, --differences or --stale")
    else:
        print(f"wrote {keep(given.report)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except FootfallError as problem:
        sys.exit(f"kept: {problem}")
