"""``footfall robustness``: how hard controllers can be pushed and stressed."""

import json as json_text
import time
from typing import Annotated, Literal

import tyro

from footfall.cli.arguments import Controller, Controllers, Files, MaybeText, Words
from footfall.cli.clusters import Cluster, Slurm, Workers, cluster_progress, opened
from footfall.cli.printing import check_files, print_files, print_json, progress
from footfall.errors import FootfallError
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.study.robustness.report import RobustnessReport, robustness_reports
from footfall.study.sweeps.experiment import Experiment
from footfall.text_files import write_whole


def robustness(
    controllers: Controllers,
    only: Annotated[Words, tyro.conf.arg(metavar="MARGIN")] = (),
    replicas: int = 5,
    phases: int = 20,
    step: float = 10.0,
    push_body: str = "",
    push_place: str = "top",
    figure: MaybeText = None,
    dt: float = 0.001,
    device: str = "cpu",
    seed: int = 0,
    cluster: Cluster = None,
    workers: Workers = None,
    slurm: Slurm = None,
    out: Files = (),
    json: bool = False,
) -> int:
    """Test controllers with the same pushes, terrains, weak and late servos and changed bodies.

    Limits are strict: everything smaller passed too, at every phase and from every perturbed start.

    Args:
        controllers: built-in names or files. Several are compared.
        only: names of margins (push_forward, ten_backward, step_down, torque_limit …). May be repeated. Default: all.
        replicas: number of perturbed starts.
        phases: number of phases of the stride at which pushes come.
        step: newtons between push sizes.
        push_body: the body that is pushed, by its name or its joint's. Default: the torso.
        push_place: top (of the torso) or com.
        figure: a built-in name or a file, for all controllers. Default: their own.
        dt: time step in seconds.
        device: cpu or cuda.
        seed: of the perturbed starts.
        cluster: measure on the workers of a Dask scheduler, tcp://HOST:PORT.
        workers: measure in so many processes of this machine. Default: in this one, with one thread per core.
        slurm: measure on Slurm: partition=NAME,workers=8,time=MINUTES and other options of sbatch.
        out: a .json file for the report, or a picture (.png .svg .pdf). May be repeated. After an interruption run the
            same command again: with a .json file it continues.
        json: print one JSON object on standard output.
    """
    if not controllers:
        raise FootfallError("robustness: name one or more controllers")
    files = check_files(out, (".json", *PLOT_SUFFIXES))
    began = time.perf_counter()
    experiments = [
        Experiment(name, figure=figure, push_body=push_body, push_place=push_place, dt=dt, device=device, seed=seed)
        for name in controllers
    ]
    kept = next((path.with_name(path.name + ".chunks") for path in files if path.suffix == ".json"), None)
    with progress("robustness", 1.0) as show, opened(cluster, workers, slurm, show) as executor:
        reports = robustness_reports(
            experiments,
            only=only,
            replicas=replicas,
            phases=phases,
            step=step,
            progress=lambda done, what: cluster_progress(show, what, executor)(done, 1.0),
            executor=executor,
            keep=kept,
        )
    answer = {"wall_s": round(time.perf_counter() - began, 2), "reports": [r.as_dict() for r in reports]}
    for path in files:
        if path.suffix == ".json":
            write_whole(path, (json_text.dumps(answer, indent=1) + "\n").encode())
        else:
            from footfall.study.robustness.report import save_robustness_picture

            save_robustness_picture(reports, path)
    if json:
        print_json(answer | {"files": files})
    else:
        _print(reports)
        print_files(files)
    return 0


def _print(reports: list[RobustnessReport]) -> None:
    from rich.console import Console
    from rich.table import Table

    pushed = f"pushed at its {reports[0].push_body}'s {reports[0].push_place}"
    table = Table(title=f"robustness on {reports[0].figure}, {pushed}")
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


def map_pushes(
    controller: Controller,
    worlds: int = 10_000,
    largest: float = 1000.0,
    duration: float = 0.1,
    rose: bool = False,
    push_place: Literal["top", "com"] = "top",
    dt: float = 0.001,
    device: str = "cpu",
    precision: Literal["float32", "float64"] | None = None,
    out: Files = (),
    json: bool = False,
) -> int:
    """Push a gait in thousands to millions of worlds, with every size, at every phase of its stride.

    Args:
        controller: a built-in name or a file.
        worlds: number of pushes, each in a world of its own.
        largest: the largest push in newtons.
        duration: of a push, in seconds.
        rose: push in all directions, not only forward and backward.
        push_place: top (of the torso) or com.
        dt: time step in seconds.
        device: cpu or cuda.
        precision: of the simulations. Default: float64 on a CPU, float32 on a GPU.
        out: an .npz file, or a picture (.png .svg .pdf). May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.study.robustness.push_map import push_map, save_push_map

    files = check_files(out, (".npz", *PLOT_SUFFIXES))
    experiment = Experiment(controller, device=device, precision=precision, dt=dt, push_place=push_place)
    with progress("worlds", worlds) as show:
        found = push_map(experiment, worlds, largest=largest, rose=rose, duration=duration, progress=show)
    for path in files:
        found.save(path) if path.suffix == ".npz" else save_push_map(found, path)
    answer = {
        "controller": found.controller,
        "worlds": worlds,
        "survived": int(found.survived.sum()),
        "wall_s": round(found.seconds, 2),
        "device": found.device,
        "precision": found.precision,
        "files": files,
    }
    if json:
        print_json(answer)
        return 0
    print(f"{found.controller}: {answer['survived']} of {worlds} worlds survive, {found.seconds:.1f} s on {device}")
    print_files(files)
    return 0
