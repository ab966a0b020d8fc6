"""``footfall reproduce``: the papers' tables and claims, measured again."""

import json as json_text
import sys
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.errors import FootfallError
from footfall.study.reproduce import PAPERS, Row, paper_module

__all__ = ["reproduce"]


def reproduce(
    paper: tyro.conf.Positional[str],
    json: bool = False,
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
) -> int:
    """Measure a paper's tables and claims again.

    Args:
        paper: simbicon-2d, improving-simbicon, limit-cycles, simbicon-3d, data-driven, pendulum, or all.
        json: one JSON object on standard output and nothing else there.
        out: a folder for the rows (rows.json) and the paper's figures, drawn again.
    """
    names = [n for n in PAPERS if _is_there(n)] if paper == "all" else [paper]
    answers = [_one(name, out / name if out is not None and paper == "all" else out, json) for name in names]
    if json:
        print(json_text.dumps(answers[0] if paper != "all" else {"paper": "all", "papers": answers}))
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
    rows = _with_bar(name, module)
    answer = {"paper": name, "rows": [row.as_dict() for row in rows]}
    if out is not None:
        from footfall.writing import write_whole

        write_whole(out / "rows.json", json_text.dumps(answer, indent=1).encode())
        module.figures(out)
    if not json:
        _print_table(name, rows)
    return answer


def _with_bar(name: str, module: Any) -> list[Row]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(name, total=1.0)
        rows: list[Row] = module.rows(lambda done, what: bar.update(task, completed=done, description=what[:60]))
    return rows


def _print_table(name: str, rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{name}: {sum(r.holds is True for r in rows)} of {len(rows)} hold", title_justify="left")
    for column in ("what", "paper", "measured", "unit", "holds", "note"):
        table.add_column(column, overflow="fold", justify="right" if column in ("paper", "measured") else "left")
    words = {True: "[green]yes[/]", False: "[red]no[/]", None: "—"}
    for row in rows:
        table.add_row(row.what, _text(row.paper), _text(row.measured), row.unit, words[row.holds], row.note)
    Console().print(table)


def _text(value: float | int | str | None) -> str:
    return "—" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
