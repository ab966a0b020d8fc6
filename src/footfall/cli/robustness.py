"""``footfall robustness``: how hard controllers may be pushed and stressed."""

import json as json_text
import time
from pathlib import Path
from typing import Annotated

import tyro

from footfall.cli.bar import bar
from footfall.errors import FootfallError
from footfall.study.robustness.report import RobustnessReport
from footfall.study.robustness.report import robustness as measure
from footfall.study.sweeps.experiment import Experiment
from footfall.writing import write_whole

__all__ = ["robustness"]


def robustness(
    controllers: tyro.conf.Positional[tuple[str, ...]],
    only: Annotated[tyro.conf.UseAppendAction[tuple[str, ...]], tyro.conf.arg(metavar="MARGIN")] = (),
    replicas: int = 5,
    phases: int = 20,
    step: float = 10.0,
    push_place: str = "top",
    figure: str | None = None,
    dt: float = 0.001,
    device: str = "cpu",
    seed: int = 0,
    out: Path | None = None,
    picture: Path | None = None,
    json: bool = False,
) -> int:
    """Put controllers through one battery of pushes, terrains, weak and late servos and changed bodies.

    Limits are strict: everything smaller passed too, at every phase and from every perturbed start.

    Args:
        controllers: built-in names or files; several are compared.
        only: names of margins (push_forward, ten_backward, step_down, torque_limit …), repeat for more; default all.
        replicas: perturbed starts.
        phases: of the stride at which pushes come.
        step: newtons between push sizes.
        push_place: top or com, of the torso.
        figure: a built-in name or a file, for all controllers; by default their own.
        dt: step, seconds.
        device: cpu or cuda.
        seed: of the perturbed starts.
        out: a JSON file for the report.
        picture: a PNG, SVG or PDF.
        json: one JSON object on standard output and nothing else there.
    """
    if not controllers:
        raise FootfallError("robustness: name one or more controllers")
    reports, began = [], time.perf_counter()
    with bar("robustness") as told:
        for k, name in enumerate(controllers):
            experiment = Experiment(name, figure=figure, push_place=push_place, dt=dt, device=device, seed=seed)

            def tell(done: float, what: str, k: int = k) -> None:
                told(round(k + done, 2), len(controllers))

            reports.append(measure(experiment, only=only, replicas=replicas, phases=phases, step=step, progress=tell))
    answer = {"wall_s": round(time.perf_counter() - began, 2), "reports": [r.as_dict() for r in reports]}
    if out is not None:
        write_whole(out, (json_text.dumps(answer, indent=1) + "\n").encode())
    if picture is not None:
        from footfall.study.robustness.report_picture import save_robustness_picture

        save_robustness_picture(reports, picture)
    if json:
        print(json_text.dumps(answer))
    else:
        _print(reports)
    return 0


def _print(reports: list[RobustnessReport]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"robustness on {reports[0].figure}, pushed at the torso's {reports[0].push_place}")
    table.add_column("margin")
    table.add_column("unit")
    for report in reports:
        table.add_column(report.controller, justify="right")
    table.add_column("what", overflow="fold")
    for name in reports[0].names:
        margins = [r.margin(name) for r in reports]
        notes = {m.note for m in margins if m.note}
        what = margins[0].what + (f" ({'; '.join(sorted(notes))})" if notes else "")
        table.add_row(name, margins[0].unit, *(m.text() for m in margins), what)
    Console().print(table)
