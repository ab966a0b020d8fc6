"""``footfall stability``: return map, Floquet multipliers, bifurcations and basin of attraction of a gait."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from footfall.cli.arguments import Controller, Files, MaybeText, Settings
from footfall.cli.printing import Answer, check_files, progress
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.study.stability import (
    FixedPoint,
    ReturnMap,
    basin_section,
    bifurcation,
    multipliers_along,
    save_basin_picture,
    save_bifurcation_picture,
    save_multipliers_picture,
)
from footfall.study.stability import basin as basin_of
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import Grid, parse_assignment, parse_factor
from footfall.text_files import make_folder


def stability(
    controller: Controller,
    over: Annotated[str | None, tyro.conf.arg(metavar="NAME=LOW:HIGH:COUNT")] = None,
    branch: int = 0,
    basin: bool = False,
    directions: int = 200,
    set_: Settings = (),
    settle: float = 12.0,
    dt: float = 0.00005,
    figure: MaybeText = None,
    out: Annotated[Files, tyro.conf.arg(metavar="FOLDER or FILE")] = (),
) -> Answer:
    """Find a gait's fixed point on its return map, its Floquet multipliers and, if asked, bifurcations and its basin.

    Args:
        controller: a built-in name or a file.
        over: a bifurcation diagram over one factor, as in footfall sweep.
        branch: along --over, find the largest multiplier at this many values.
        basin: estimate the basin of attraction.
        directions: number of random directions, at each distance, for the basin.
        set_: NAME=VALUE, held throughout. May be repeated.
        settle: seconds of walking before the gait is mapped.
        dt: time step of the return map in seconds.
        figure: a built-in name or a file. Default: the controller's own.
        out: a folder for the pictures, or a .toml file for the controller with what was measured of its basin (implies
            --basin). May be repeated.
    """
    experiment = Experiment(controller, figure=figure, set=dict(parse_assignment(s) for s in set_), settle=settle)
    factor = None if over is None else parse_factor(over)
    if factor is not None and not isinstance(factor, Grid):
        raise FootfallError(f"--over {over}: a bifurcation diagram needs a grid, NAME=LOW:HIGH:COUNT")
    controllers = check_files([path for path in out if Path(path).suffix == ".toml"], (".toml",))
    folders = [make_folder(Path(path)) for path in out if Path(path).suffix != ".toml"]
    name = experiment.name
    parts = 2 + (factor is not None) + (basin or bool(controllers))
    written: list[Path] = []
    with progress(f"{name}: stability", parts) as show:
        gait = ReturnMap(experiment, dt)
        point = gait.fixed_point()
        show(1)
        decay, fitted = gait.decay(point)
        answer = _multipliers(name, gait, point, fitted)
        for folder in folders:
            written.append(save_multipliers_picture(name, point, decay, fitted, folder / "multipliers.png"))
        show(2)
        if factor is not None:
            answer["bifurcation"] = _bifurcation(experiment, factor, branch, folders, written)
            show(3)
        if basin or controllers:
            answer["basin"] = _basin(gait, point, directions, folders, controllers, written)
    return Answer(answer, lambda: _print(answer), written)


def _multipliers(name: str, gait: ReturnMap, point: FixedPoint, fitted: complex) -> dict[str, Any]:
    return {
        "controller": name,
        "per": point.per,
        "period_s": round(point.period, 6),
        "residual": point.residual,
        "stable": point.stable,
        "multipliers": [[round(float(m.real), 5), round(float(m.imag), 5)] for m in point.multipliers],
        "largest": round(float(np.abs(point.multipliers[0])), 5),
        "largest_by_simulated_decay": round(abs(fitted), 5),
    }


def _bifurcation(
    experiment: Experiment, factor: Grid, branch: int, folders: list[Path], written: list[Path]
) -> dict[str, Any]:
    diagram = bifurcation(experiment, factor.name, factor.values)
    stable = diagram.stable_range
    largest = None
    if branch > 0 and stable is not None:
        largest = multipliers_along(experiment, factor.name, np.linspace(*stable, branch))
    for folder in folders:
        path = folder / "bifurcation.png"
        written.append(save_bifurcation_picture(experiment.name, diagram, path, largest))
    return {
        "name": factor.name,
        "values": list(factor.values),
        "period": diagram.period.tolist(),
        "stable_from": None if stable is None else stable[0],
        "stable_to": None if stable is None else stable[1],
        "largest_multipliers": None if largest is None else np.round(np.stack(largest, axis=-1), 5).tolist(),
    }


def _basin(
    gait: ReturnMap,
    point: FixedPoint,
    directions: int,
    folders: list[Path],
    controllers: list[Path],
    written: list[Path],
) -> dict[str, Any]:
    found = basin_of(gait, point, directions=directions)
    if folders:
        pitch = next((n for n in gait.names if n.endswith("pitch")), gait.names[0])
        first = (pitch, np.linspace(-0.6, 0.6, 41))
        pairs = [(first, (f"{gait.names[len(gait.kept)]}", np.linspace(-1.5, 1.5, 41)))]
        pairs.append((first, (f"{pitch}.rate", np.linspace(-4.0, 4.0, 41))))
        sections = [(a, b, basin_section(gait, point, a, b)) for a, b in pairs]
        for folder in folders:
            written.append(save_basin_picture(gait.experiment.name, found, sections, folder / "basin.png"))
    for path in controllers:
        save_controller(gait.experiment.graph.changed(basin=found.as_dict()), path)
        written.append(path)
    return found.as_dict()


def _print(answer: dict[str, Any]) -> None:
    word = "stable" if answer["stable"] else "UNSTABLE"
    print(f"{answer['controller']}: {word}, one {answer['per']} takes {answer['period_s']:.4f} s")
    shown = [complex(*m) for m in answer["multipliers"][:6]]
    print("multipliers: " + ", ".join(f"{m.real:.3f}{f'{m.imag:+.3f}i' if m.imag else ''}" for m in shown) + " …")
    print(
        f"largest {answer['largest']:.3f} by differences, {answer['largest_by_simulated_decay']:.3f} by simulated decay"
    )
    if "bifurcation" in answer:
        b = answer["bifurcation"]
        doubled = [v for v, p in zip(b["values"], b["period"]) if p > 1 or p == 0]
        span = (
            "falls everywhere"
            if b["stable_from"] is None
            else f"walks from {b['stable_from']:.4g} to {b['stable_to']:.4g}"
        )
        print(f"{b['name']}: {span}; more than one step to a period at {len(doubled)} values")
    if "basin" in answer:
        b = answer["basin"]
        print(
            f"basin: no fall from any direction up to {b['radius']}, from half of them at {b['half_radius']}"
            f" ({b['measure']})"
        )
