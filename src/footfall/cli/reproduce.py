"""``footfall reproduce``: the papers' tables and claims, measured again."""

import json as json_text
import shutil
import textwrap
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.arguments import Folder
from footfall.cli.printing import print_files, print_json
from footfall.cli.progress import progress
from footfall.errors import FootfallError
from footfall.study.reproduce import PAPERS, Row, paper_module

__all__ = ["reproduce"]


def reproduce(
    paper: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PAPER")],
    json: bool = False,
    out: Folder = None,
    data: Folder = None,
) -> int:
    """Measure a paper's tables and claims again, and print which hold.

    Args:
        paper: simbicon-2d, improving-simbicon, limit-cycles, simbicon-3d, data-driven, pendulum, or all.
        json: print one JSON object on standard output, with every row's rule and notes.
        out: a folder for the rows (rows.json) and the paper's figures, drawn again.
        data: data-driven: the folder of the paper's clips, which do not come with footfall.
    """
    if data is not None:
        from footfall.study.reproduce.data_driven import set_data

        set_data(data)
    names = [n for n in PAPERS if _is_there(n)] if paper == "all" else [paper]
    answers = [_one(name, out / name if out is not None and paper == "all" else out, json) for name in names]
    if json:
        print_json(answers[0] if paper != "all" else {"paper": "all", "papers": answers})
    return 0


def _is_there(name: str) -> bool:
    try:
        paper_module(name)
    except FootfallError:
        return False
    return True


def _one(name: str, out: Path | None, json: bool) -> dict[str, Any]:
    module = paper_module(name)
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FootfallError(f"--out {out}: cannot make the folder: {error.strerror}") from error
    with progress(name, 1.0) as show:
        rows = module.rows(lambda done, what: show(done, what=f"{name}: {what}"))
    answer: dict[str, Any] = {"paper": name, "rows": [row.as_dict() for row in rows]}
    if not json:
        print_rows(name, rows, shutil.get_terminal_size((100, 24)).columns)
    if out is not None:
        from footfall.writing import write_whole

        write_whole(out / "rows.json", json_text.dumps(answer, indent=1).encode())
        if not json:
            print_files([out / "rows.json"])
        with progress(f"{name}: drawing its figures"):
            written = [out / "rows.json", *module.figures(out)]
        if not json:
            print_files(written[1:])
        answer["files"] = [str(path) for path in written]
    return answer


def print_rows(name: str, rows: list[Row], width: int) -> None:
    """One line for each row, then what does not hold and what was not measured, with the reasons."""
    parts = {
        "hold": [r for r in rows if r.holds is True],
        "do not hold": [r for r in rows if r.holds is False],
        "could not be judged": [r for r in rows if r.holds is None and r.measured is not None],
        "were not measured": [r for r in rows if r.holds is None and r.measured is None],
    }
    counts = ", ".join(f"{len(found)} {what}" for what, found in parts.items() if found or what == "hold")
    print(f"{name}: of {len(rows)} rows {counts}\n")
    print(_line("holds", "paper", "measured", "what", width))
    for row in rows:
        verdict = {True: "yes", False: "NO", None: "-"}[row.holds]
        print(_line(verdict, _text(row.paper, row.unit), _text(row.measured, row.unit), row.what, width))
    for what in list(parts)[1:]:
        if parts[what]:
            print(f"\n{len(parts[what])} {what}:")
        for row in parts[what]:
            print(textwrap.fill(f"{row.id}: {row.what}", width, initial_indent="- ", subsequent_indent="  "))
            if row.note:
                print(textwrap.fill(row.note, width, initial_indent="  ", subsequent_indent="  "))
    print("\nnotes on every row: --json, or rows.json with --out\n")


def _line(verdict: str, paper: str, measured: str, what: str, width: int) -> str:
    head = f"{verdict:<6}{_cut(paper, 15):<16}{_cut(measured, 15):<16}"
    return head + _cut(what, max(20, width - len(head) - 1))


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def _text(value: float | int | str | None, unit: str) -> str:
    if value is None:
        return "-"
    number = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{number} {unit}".strip() if not isinstance(value, str) else number
