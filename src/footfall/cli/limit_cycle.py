"""``footfall limit-cycle``: balance a pose control graph by limit-cycle control and save what it did."""

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro

from footfall.errors import FootfallError

__all__ = ["limit_cycle"]


def limit_cycle(
    controller: tyro.conf.Positional[str] = "human-walk",
    /,
    *,
    steps: int = 60,
    forward: str = "up.forward",
    lateral: str = "up.lateral",
    target: tuple[float, float] = (0.28, 0.0),
    sampling: Literal["F-L", "L-F", "SP", "jacobian"] = "F-L",
    samples: tuple[float, float] = (5.0, 1.0),
    torso_servo: bool = False,
    hold: float | None = None,
    speed: float | None = None,
    gait: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
    point: tyro.conf.UseAppendAction[tuple[str, ...]] = (),
    turn_limit: float = 8.0,
    reach: float = 2.0,
    reuse: Literal["none", "last", "table"] = "none",
    dt: float = 0.001,
    integrator: str = "implicit",
    out: tyro.conf.UseAppendAction[tuple[Path, ...]] = (),
    plots: Path | None = None,
    json: bool = False,
) -> None:
    """Balance a walk step by step: sample simulations model each step, the model tells how to correct it (Laszlo 1996).

    Args:
        controller: a base graph: human-walk, human-12-walk, bird-run, or a file.
        steps: how many steps to take.
        forward: forward regulation variable: up, pelvis-up, swing-com or stance-com, then .forward.
        lateral: lateral regulation variable, likewise with .lateral.
        target: Q_d of both.
        sampling: forward-then-lateral, lateral-then-forward, superposition or the full Jacobian.
        samples: degrees of hip pitch and hip roll at which steps are sampled.
        torso_servo: hold the torso against the world (the regulation variable up then becomes pelvis-up).
        hold: seconds of the timed states, instead of the graph's own.
        speed: metres a step that speed control steers to.
        gait: a perturbation that comes and goes, NAME@STEP:SCALING,STEP:SCALING,…; may be given several times.
        point: a point X,Y to walk to; give several for a path.
        turn_limit: the tightest turn towards a point, degrees of hip yaw.
        reach: metres at which a point counts as reached.
        reuse: keep system models: each walker's last, or a table of them over states.
        dt: step, seconds.
        integrator: implicit, explicit, semi-implicit or rk4.
        out: files for the motion (.npz .csv .bvh .glb .png .gif .mp4 .html) or for the aperiodic graph (.toml).
        plots: a picture (.png or .svg) of regulation variables, scalings, step lengths and the way walked.
        json: answer with one JSON object on standard output.
    """
    from footfall.control.files import load_controller, save_controller
    from footfall.control.limit_cycle import SpeedControl, detect_cycle, hip_control
    from footfall.pictures import save
    from footfall.simulation.limit_cycle import BalancedWalk, LastModel, ModelReuse, ModelTable
    from footfall.study.reproduce.limit_cycle_plots import plot_walk, save_figure

    graph = load_controller(controller)
    if torso_servo:
        graph = graph.changed(law="torso-servo")
        forward, lateral = (f"pelvis-{name}" if name.startswith("up.") else name for name in (forward, lateral))
    if hold is not None:
        from dataclasses import replace

        states = tuple(replace(s, hold=hold) if s.hold > 0 else s for s in graph.states)
        graph = graph.changed(states=states)
    control = hip_control(sampling, forward=forward, lateral=lateral, targets=target, samples=samples)
    models: dict[str, ModelReuse | None] = {"none": None, "last": LastModel(), "table": ModelTable()}
    path = _path(point, reach, turn_limit)
    walk = BalancedWalk(
        graph,
        control,
        gaits=[_gait(text) for text in gait],
        speed=() if speed is None else (SpeedControl(forward, speed), SpeedControl(lateral, 0.0, 0.5, 0.05, "lateral")),
        path=path,
        reuse=models[reuse],
        dt=dt,
        integrator=integrator,
    )
    record = _walked(walk, steps)
    cycle = detect_cycle(record.values[:, 0], fell=bool(record.fell[0])) if steps >= 4 else None
    for file in out:
        if file.suffix == ".toml":
            save_controller(record.aperiodic(), file)
        else:
            save(record.motion(), file)
    if plots is not None:
        save_figure(plot_walk(record), plots)
    taken = int(record.footsteps[0])
    answer: dict[str, Any] = {
        "controller": graph.name,
        "figure": walk.figure.name,
        "steps": taken,
        "of": steps,
        "fell": bool(record.fell[0]),
        "kind": cycle.kind if cycle else None,
        "period": cycle.period if cycle else None,
        "seconds": round(record.seconds(), 6),
        "speed_mps": round(float(np.nanmean(record.speeds[-10:, 0])), 6) if taken else None,
        "sample_simulations": int(record.samples.sum()),
        "points_reached": int(record.reached[0]) if path is not None else None,
    }
    if json:
        print(jsonlib.dumps(answer))
        return
    ending = "fell" if answer["fell"] else f"a {answer['kind']} of period {answer['period']}" if cycle else "stands"
    print(f"{graph.name}: {taken} of {steps} steps, {ending}; {answer['sample_simulations']} sample simulations")


def _walked(walk: Any, steps: int) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("walking", total=steps)
        return walk.walk(steps, lambda n: bar.update(task, completed=n))


def _gait(text: str) -> Any:
    """NAME@STEP:SCALING,… as a gait change."""
    from footfall.control.limit_cycle import GaitChange, load_perturbation

    name, _, keys = text.partition("@")
    pairs = []
    for key in keys.split(",") if keys else ["0:1"]:
        step, _, scaling = key.partition(":")
        pairs.append((_number(step, text), _number(scaling or "1", text)))
    return GaitChange(load_perturbation(name), pairs)


def _number(word: str, text: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise FootfallError(f"gait '{text}': '{word}' is not a number; write NAME@STEP:SCALING,STEP:SCALING")
    return value


def _path(points: Sequence[str], reach: float, limit: float) -> Any:
    from footfall.control.limit_cycle import PathFollowing, load_perturbation

    if not points:
        return None
    places = []
    for text in points:
        words = text.split(",")
        try:
            places.append([float(word) for word in words])
        except ValueError:
            places.append([])
        if len(places[-1]) != 2 or not np.all(np.isfinite(places[-1])):
            raise FootfallError(f"point '{text}': write X,Y in metres")
    right, left = load_perturbation("turn-right"), load_perturbation("turn-left")
    return PathFollowing(right, left, np.array(places), reach=reach, limit=limit)
