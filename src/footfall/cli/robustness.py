"""``footfall robustness``: how hard controllers can be pushed and stressed."""

import time
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import (
    AS_USUAL,
    HERE,
    IDEAL,
    Controllers,
    Files,
    Jobs,
    MaybeInt,
    Pushed,
    Robot,
    Words,
    _Pushed,
    cluster_progress,
    given_options,
    loaded_figure,
    numbers_of,
)
from footfall.cli.printing import Answer, check_files, print_columns, progress, write_json
from footfall.errors import FootfallError
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.study.robustness.push_map import push_map, save_push_map
from footfall.study.robustness.report import RobustnessReport, robustness_reports, save_robustness_picture
from footfall.study.robustness.segments import segment_pushes
from footfall.study.sweeps.experiment import Experiment
from footfall.study.transitions import TransitionMatrix, transition_matrix

PERIODIC = ("walk", "in-place-walk", "fast-walk", "high-step-walk", "half-bent-walk", "bent-walk", "crouch-walk",
            "scissor-hop", "backwards-walk", "run", "fast-run", "skipping")  # fmt: skip
"""The periodic gaits of the planar biped."""


def robustness(
    controllers: Controllers,
    only: Annotated[Words, tyro.conf.arg(metavar="MARGIN")] = (),
    replicas: int = 5,
    phases: int = 20,
    step: float = 10.0,
    push_map: Annotated[MaybeInt, tyro.conf.arg(metavar="WORLDS")] = None,
    largest: float = 1000.0,
    duration: float = 0.1,
    rose: bool = False,
    segments: Annotated[MaybeInt, tyro.conf.arg(metavar="WORLDS")] = None,
    ladder: str = "150,300,450,600",
    engine: Literal["native", "mujoco"] = "native",
    seconds: float = 60.0,
    transitions: bool = False,
    pushed: Pushed = AS_USUAL,
    robot: Robot = IDEAL,
    seed: int = 0,
    jobs: Jobs = HERE,
    out: Files = (),
) -> Answer:
    """Test controllers with the same pushes, terrains, weak and late servos and changed bodies.

    Limits are strict: every smaller push or change is survived too, at every phase and from every perturbed start.

    Args:
        controllers: built-in names or files. Several are compared.
        only: names of margins (push_forward, ten_backward, step_down, torque_limit …). May be repeated. Default: all.
        replicas: number of perturbed starts.
        phases: number of phases of the stride at which pushes come.
        step: difference between push sizes in newtons.
        push_map: instead, push one controller in this many worlds, thousands to millions: with every size, at every
            phase of its stride.
        largest: for a push map: the largest push in newtons.
        duration: seconds of a push, of margins and a push map.
        rose: for a push map: push in all directions, not only forward and backward.
        segments: instead, punch 3D controllers on the segments of their bodies for 0.08 s, once and on every segment,
            in this many worlds for each force of --ladder. The same --seed gives the same worlds to the bit.
        ladder: for segments: the largest forces, in newtons.
        engine: for segments: native, or mujoco for MuJoCo's contacts.
        seconds: for segments: how long worlds walk.
        transitions: instead, try every direct switch between the controllers, by default all periodic gaits of the
            planar biped, at phases of the stride; where one fails, find a route over others.
        seed: random seed of the perturbed starts, and of the sensors' noise.
        out: a .json or .html file for the report, an .npz file for a push map, or a picture (.png .svg .pdf). May be
            repeated.
            After an interruption run the same command again: with a .json file it continues.
    """
    if transitions:
        if push_map is not None or only or jobs or out:
            raise FootfallError("robustness: --transitions takes controllers and --phases, and runs on this machine")
        return _transitions(controllers or PERIODIC, phases)
    if segments is not None:
        if not controllers or push_map is not None or only or jobs:
            raise FootfallError("robustness: --segments takes controllers, no --only and no --push-map, and runs here")
        rungs = numbers_of(ladder, "--ladder", "newtons separated by commas, as in 150,300,450,600")
        punches = {"worlds": segments, "ladder": rungs, "engine": engine, "seconds": seconds, "seed": seed}
        return _punch(controllers, pushed, punches | {"hardware": robot.hardware(seed)}, check_files(out, (".json",)))
    if wrong := given_options(robot):
        raise FootfallError(f"robustness: {wrong[0]} works with --segments")
    if not controllers:
        raise FootfallError("robustness: name one or more controllers")
    experiments = [Experiment(name, **pushed.options(), seed=seed) for name in controllers]
    if push_map is not None:
        if len(experiments) > 1 or only or jobs:
            raise FootfallError("robustness: --push-map takes one controller and no --only, and runs on this machine")
        pushes = {"largest": largest, "duration": duration, "rose": rose}
        return _map_pushes(experiments[0], push_map, pushes, check_files(out, (".npz", *PLOT_SUFFIXES)))
    files = check_files(out, (".json", ".html", *PLOT_SUFFIXES))
    began = time.perf_counter()
    kept = next((path.with_name(path.name + ".chunks") for path in files if path.suffix == ".json"), None)
    with progress("robustness", 1.0) as show, jobs.opened(show) as executor:
        reports = robustness_reports(
            experiments,
            only=only,
            replicas=replicas,
            phases=phases,
            step=step,
            duration=duration,
            progress=lambda done, what: cluster_progress(show, what, executor)(done, 1.0),
            executor=executor,
            keep=kept,
        )
    answer = {"wall_s": round(time.perf_counter() - began, 2), "reports": [r.as_dict() for r in reports]}
    for path in files:
        if path.suffix == ".json":
            write_json(path, answer)
        else:
            save_robustness_picture(reports, path)
    return Answer(answer, lambda: _print(reports), files)


def _print(reports: list[RobustnessReport]) -> None:
    print(f"robustness on {reports[0].figure}, pushed at its {reports[0].push_body}'s {reports[0].push_place}")
    rows = [["margin", "unit", *(report.controller for report in reports), "what"]]
    for name in reports[0].names:
        margins = [report.margin(name) for report in reports]
        notes = {m.note for m in margins if m.note}
        what = margins[0].what + (f" ({'; '.join(sorted(notes))})" if notes else "")
        rows.append([name, margins[0].unit, *(m.text() for m in margins), what])
    print_columns(rows)


def _transitions(names: tuple[str, ...], phases: int) -> Answer:
    """Try every direct switch."""
    with progress(f"{len(names) * (len(names) - 1)} transitions", 1.0) as show:
        matrix = transition_matrix(names, phases=phases, dt=0.001, progress=show)
    return Answer(matrix.as_dict(), lambda: _print_transitions(matrix, phases))


def _print_transitions(matrix: TransitionMatrix, phases: int) -> None:
    print(f"share of {phases} phases at which the direct switch succeeds, from row to column:")
    rows = [["", *(str(i + 1) for i in range(len(matrix.names)))]]
    for i, name in enumerate(matrix.names):
        rows.append([f"{i + 1} {name}", *("·" if j == i else f"{x:.2f}" for j, x in enumerate(matrix.share[i]))])
    print_columns(rows)
    for (a, b), way in matrix.routes().items():
        direct = matrix.share[matrix.names.index(a), matrix.names.index(b)]
        print(f"  {a} to {b}: {direct:.2f} directly, {matrix.chance(way):.2f} by {' > '.join(way)}")


def _punch(controllers: tuple[str, ...], pushed: _Pushed, punches: dict[str, Any], files: list[Path]) -> Answer:
    """Punch segments."""
    body = loaded_figure(pushed.figure)
    how: dict[str, Any] = {"dt": pushed.dt, "device": pushed.device}
    how |= {"precision": pushed.precision} if pushed.precision else {}
    how |= {"figure": body} if body is not None else {}
    found = []
    for name in controllers:
        with progress(f"punches for {name}", punches["seconds"]) as show:
            found.append(segment_pushes(name, **punches, **how, progress=show))
    answer = {"punches": [test.as_dict() for test in found]}
    for path in files:
        write_json(path, answer)

    def say() -> None:
        for test in found:
            where = (
                f"{test.controller} on {test.figure}, {test.engine}, steps of {1000 * test.dt:g} ms, seed {test.seed}"
            )
            print(f"{where}: up after {test.seconds:g} s, punched for {test.duration:g} s")
            rows = [[f"{most:.0f} N", *(f"{k} of {test.worlds}" for k in up)] for most, *up in test.rungs]
            print_columns([["at most", "once", "on every segment"], *rows])

    return Answer(answer, say, files)


def _map_pushes(experiment: Experiment, worlds: int, pushes: dict[str, Any], files: list[Path]) -> Answer:
    """Push a gait in many worlds."""
    with progress("worlds", worlds) as show:
        found = push_map(experiment, worlds, **pushes, progress=show)
    for path in files:
        found.save(path) if path.suffix == ".npz" else save_push_map(found, path)
    survived = int(found.survived.sum())
    answer = {"controller": found.controller, "worlds": worlds, "survived": survived}
    answer |= {"wall_s": round(found.seconds, 2), "device": found.device, "precision": found.precision}
    words = f"{found.controller}: {survived} of {worlds} worlds survive, {found.seconds:.1f} s on {found.device}"
    return Answer(answer, lambda: print(words), files)
