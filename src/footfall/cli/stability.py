"""``footfall stability``: return map, Floquet multipliers, bifurcations and basin of attraction of a gait."""

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from footfall.cli.bar import bar
from footfall.errors import FootfallError
from footfall.study.stability.basin import basin as basin_of
from footfall.study.stability.basin import basin_section
from footfall.study.stability.bifurcation import bifurcation, multipliers_along
from footfall.study.stability.return_map import FixedPoint, ReturnMap
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import Grid, parse_assignment, parse_factor

__all__ = ["stability"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]


def stability(
    controller: tyro.conf.Positional[str],
    over: Annotated[str | None, tyro.conf.arg(metavar="NAME=LOW:HIGH:COUNT")] = None,
    branch: int = 0,
    basin: bool = False,
    directions: int = 200,
    set: Annotated[Words, tyro.conf.arg(metavar="NAME=VALUE")] = (),
    settle: float = 12.0,
    dt: float = 0.00005,
    figure: str | None = None,
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR")] = None,
    write: Path | None = None,
    json: bool = False,
) -> int:
    """Find a gait's fixed point on its return map, its Floquet multipliers and, if asked, bifurcations and its basin.

    Args:
        controller: a built-in name or a file.
        over: a bifurcation diagram over one factor, as in footfall sweep.
        branch: along --over, find the largest multiplier at so many values.
        basin: estimate the basin of attraction.
        directions: random directions, at each distance, for the basin.
        set: NAME=VALUE, held throughout; repeat for more.
        settle: seconds of walking before the gait is mapped.
        dt: step of the return map, seconds.
        figure: a built-in name or a file; by default the controller's own.
        out: a folder for the pictures.
        write: save the controller with what was found of its basin to this file (implies --basin).
        json: one JSON object on standard output and nothing else there.
    """
    experiment = Experiment(controller, figure=figure, set=dict(parse_assignment(s) for s in set), settle=settle)
    factor = None if over is None else parse_factor(over)
    if factor is not None and not isinstance(factor, Grid):
        raise FootfallError(f"--over {over}: a bifurcation diagram needs a grid, NAME=LOW:HIGH:COUNT")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    name = experiment.graph.name
    parts = 2 + (factor is not None) + (basin or write is not None)
    with bar(f"{name}: stability") as told:
        gait = ReturnMap(experiment, dt)
        point = gait.fixed_point()
        told(1, parts)
        decay, fitted = gait.decay(point)
        answer = _multipliers(name, gait, point, fitted)
        if out is not None:
            from footfall.study.stability.stability_picture import save_multipliers_picture

            save_multipliers_picture(name, point, decay, fitted, out / "multipliers.png")
        told(2, parts)
        if factor is not None:
            answer["bifurcation"] = _bifurcation(experiment, factor, branch, out)
            told(3, parts)
        if basin or write is not None:
            answer["basin"] = _basin(gait, point, directions, out, write)
    if json:
        print(json_text.dumps(answer))
    else:
        _print(answer)
    return 0


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


def _bifurcation(experiment: Experiment, factor: Grid, branch: int, out: Path | None) -> dict[str, Any]:
    diagram = bifurcation(experiment, factor.name, factor.values)
    stable = diagram.stable_range
    largest = None
    if branch > 0 and stable is not None:
        largest = multipliers_along(experiment, factor.name, np.linspace(*stable, branch))
    if out is not None:
        from footfall.study.stability.stability_picture import save_bifurcation_picture

        save_bifurcation_picture(experiment.graph.name, diagram, out / "bifurcation.png", largest)
    return {
        "name": factor.name,
        "values": list(factor.values),
        "period": diagram.period.tolist(),
        "stands_from": None if stable is None else stable[0],
        "stands_to": None if stable is None else stable[1],
        "largest_multipliers": None if largest is None else np.round(np.stack(largest, axis=-1), 5).tolist(),
    }


def _basin(gait: ReturnMap, point: FixedPoint, directions: int, out: Path | None, write: Path | None) -> dict[str, Any]:
    found = basin_of(gait, point, directions=directions)
    if out is not None:
        from footfall.study.stability.stability_picture import save_basin_picture

        pitch = next((n for n in gait.names if n.endswith("pitch")), gait.names[0])
        first = (pitch, np.linspace(-0.6, 0.6, 41))
        pairs = [(first, (f"{gait.names[len(gait.kept)]}", np.linspace(-1.5, 1.5, 41)))]
        pairs.append((first, (f"{pitch}.rate", np.linspace(-4.0, 4.0, 41))))
        sections = [(a, b, basin_section(gait, point, a, b)) for a, b in pairs]
        save_basin_picture(gait.experiment.graph.name, found, sections, out / "basin.png")
    told = found.as_dict()
    if write is not None:
        from footfall.control.files import save_controller

        save_controller(gait.experiment.graph.changed(basin=told), write)
    return told


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
            if b["stands_from"] is None
            else f"stands from {b['stands_from']:.4g} to {b['stands_to']:.4g}"
        )
        print(f"{b['name']}: {span}; more than one step to a period at {len(doubled)} values")
    if "basin" in answer:
        b = answer["basin"]
        print(
            f"basin: from no direction a fall up to {b['radius']}, half of them at {b['half_radius']} ({b['measure']})"
        )
