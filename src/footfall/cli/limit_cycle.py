"""``footfall limit-cycle``: balance a pose control graph by limit-cycle control, or run an animation script of Laszlo's
thesis."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from numpy.typing import NDArray

from footfall.cli.arguments import Controller, Files, Integrator, MaybeFloat, MaybeText, Words, numbers_of
from footfall.cli.printing import Answer, check_files, progress, save_motion_files
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.methods.limit_cycle import (
    BalancedWalk,
    GaitChange,
    LastModel,
    ModelTable,
    PathFollowing,
    SpeedControl,
    WalkRecord,
    detect_cycle,
    hip_control,
    load_perturbation,
    run_script,
)
from footfall.methods.limit_cycle.plots import plot_walk
from footfall.methods.limit_cycle.script import script_names
from footfall.methods.simbicon.files import load_graph
from footfall.motion.formats.files import writable_suffixes
from footfall.pictures.files import PICTURE_SUFFIXES
from footfall.pictures.page import PLOT_SUFFIXES, save_figure


def limit_cycle(
    controller: Controller = "human-walk",
    footsteps: int = 60,
    forward: str = "up.forward",
    lateral: str = "up.lateral",
    target: tuple[float, float] = (0.28, 0.0),
    sampling: Literal["F-L", "L-F", "SP", "jacobian"] = "F-L",
    sample_angles: tuple[float, float] = (5.0, 1.0),
    torso_servo: bool = False,
    hold: MaybeFloat = None,
    step_length: MaybeFloat = None,
    gait: Words = (),
    point: Words = (),
    turn_limit: float = 8.0,
    reach: float = 2.0,
    reuse: Literal["none", "last", "table"] = "none",
    dt: MaybeFloat = None,
    integrator: Integrator | None = None,
    out: Annotated[Files, tyro.conf.arg(metavar="FILE or FOLDER")] = (),
    kind: Literal["strip", "regulation"] = "strip",
    motion: MaybeText = None,
) -> Answer:
    """Balance a walk step by step: sample simulations model each step, and the model corrects it (Laszlo 1996).

    An animation script of the thesis (with its .bones) says what is balanced. Each trial writes the file that the
    script names, with a table of footsteps, and beside it a .toml file with the graph that replays the walk.

    Args:
        controller: a base graph: human-walk, human-12-walk, bird-run, or a file. Or an animation script: a .script file
            or human-walk-trials; with a script only the options --out, --dt, --integrator and --motion count.
        footsteps: how many footsteps to take.
        forward: forward regulation variable: up, pelvis-up, swing-com or stance-com, then .forward.
        lateral: lateral regulation variable, likewise with .lateral.
        target: target Q_d of both variables.
        sampling: forward-then-lateral, lateral-then-forward, superposition or the full Jacobian.
        sample_angles: degrees of hip pitch and hip roll at which steps are sampled.
        torso_servo: hold the torso against the world (the regulation variable up then becomes pelvis-up).
        hold: seconds of the timed states, instead of the graph's own.
        step_length: target of the speed control, metres per footstep.
        gait: a perturbation whose scaling changes during the walk, NAME@FOOTSTEP:SCALING,FOOTSTEP:SCALING,… May be
            repeated.
        point: a point X,Y to walk to. Repeat for a path.
        turn_limit: the tightest turn towards a point, degrees of hip yaw.
        reach: distance in metres at which a point counts as reached.
        reuse: keep system models: each walker's last, or a table of them over states.
        dt: time step in seconds. Default: 0.001, or a script's own.
        integrator: implicit, explicit, semi-implicit or rk4. Default: implicit, which allows steps of 0.001; rk4 for
            a script, as in the thesis.
        out: motion (.npz .csv .bvh .glb), picture (.png .svg .pdf), film (.gif .mp4 .html), or the graph that replays
            the walk (.toml). May be repeated. For a script: a folder.
        kind: what pictures show: a strip of poses, or regulation variables, scalings, step lengths and the path.
        motion: for a script: also write each trial's motion, by suffix: .npz, .csv, .bvh or .glb.
    """
    if Path(controller).suffix == ".script" or controller in script_names():
        if len(out) > 1:
            raise FootfallError("limit-cycle: a script's files are written to one folder; give one --out")
        return _script(controller, Path(out[0] if out else "."), dt, integrator or "rk4", motion)
    if motion is not None:
        raise FootfallError("limit-cycle: --motion works only with a script; --out walk.npz writes a walk's motion")
    files = check_files(out, (".toml", *PICTURE_SUFFIXES, *writable_suffixes()))
    graph = load_graph(controller)
    if torso_servo:
        graph = graph.changed(law="torso-servo")
        forward, lateral = (f"pelvis-{name}" if name.startswith("up.") else name for name in (forward, lateral))
    if hold is not None:
        graph = graph.changed(states=tuple(replace(s, hold=hold) if s.hold > 0 else s for s in graph.states))
    sideways = SpeedControl(lateral, 0.0, 0.5, 0.05, "lateral")
    speed = () if step_length is None else (SpeedControl(forward, step_length), sideways)
    walk = BalancedWalk(
        graph,
        hip_control(sampling, forward=forward, lateral=lateral, targets=target, samples=sample_angles),
        gaits=[_gait(text) for text in gait],
        speed=speed,
        path=_path(point, reach, turn_limit),
        reuse={"none": None, "last": LastModel(), "table": ModelTable()}[reuse],
        dt=0.001 if dt is None else dt,
        integrator=integrator or "implicit",
    )
    with progress(f"{graph.name}, {footsteps} footsteps", footsteps) as show:
        record = walk.walk(footsteps, show)
    answer = _answer(walk, record, footsteps)
    cycle = f"a {answer['kind']} of period {answer['period']}" if answer["kind"] else "upright"
    ending = "fell" if answer["fell"] else cycle
    taken, simulated = answer["footsteps"], answer["sample_simulations"]
    words = f"{graph.name}: {taken} of {footsteps} footsteps, {ending}; {simulated} sample simulations"
    return Answer(answer, lambda: print(words), _write(record, files, kind))


def _answer(walk: BalancedWalk, record: WalkRecord, footsteps: int) -> dict[str, Any]:
    cycle = detect_cycle(record.values[:, 0], fell=bool(record.fell[0])) if footsteps >= 4 else None
    taken = int(record.footsteps[0])
    return {
        "controller": walk.graph.name,
        "figure": walk.figure.name,
        "footsteps": taken,
        "of": footsteps,
        "fell": bool(record.fell[0]),
        "kind": cycle.kind if cycle else None,
        "period": cycle.period if cycle else None,
        "seconds": record.seconds(),
        "speed_mps": _mean(record.speeds[-10:, 0]) if taken else None,
        "sample_simulations": int(record.samples.sum()),
        "points_reached": int(record.reached[0]) if walk.path is not None else None,
    }


def _write(record: WalkRecord, files: Sequence[Path], kind: str) -> list[str]:
    for path in files:
        if path.suffix == ".toml":
            save_controller(record.aperiodic(), path)
        elif path.suffix in PLOT_SUFFIXES and kind == "regulation":
            save_figure(plot_walk(record), path)
        else:
            save_motion_files(record.motion(), [path])
    return [str(path) for path in files]


def _mean(values: NDArray[np.float64]) -> float | None:
    """The mean of those that are finite, if any."""
    finite = values[np.isfinite(values)]
    return round(float(finite.mean()), 6) if len(finite) else None


def _gait(text: str) -> Any:
    """NAME@FOOTSTEP:SCALING,… as a gait change."""
    name, _, keys = text.partition("@")
    pairs = []
    for key in keys.split(",") if keys else ["0:1"]:
        step, _, scaling = key.partition(":")
        form = f"NAME@FOOTSTEP:SCALING,FOOTSTEP:SCALING in gait '{text}'"
        footstep, scale = numbers_of(f"{step},{scaling or 1}", "footstep and scaling", form, 2)
        pairs.append((footstep, scale))
    return GaitChange(load_perturbation(name), pairs)


def _path(points: Sequence[str], reach: float, limit: float) -> Any:
    if not points:
        return None
    places = [numbers_of(text, "point", "X,Y in metres", 2) for text in points]
    right, left = load_perturbation("turn-right"), load_perturbation("turn-left")
    return PathFollowing(right, left, np.array(places), reach=reach, limit=limit)


def _script(source: str, out: Path, dt: float | None, integrator: str, motion: str | None) -> Answer:
    """Balance every trial of an animation script and write its files."""
    if motion is not None and motion not in writable_suffixes():
        raise FootfallError(f"motion is '{motion}'; choose one of: {', '.join(writable_suffixes())}")
    with progress("balancing") as show:
        trials = run_script(
            source,
            out,
            dt=dt,
            integrator=integrator,
            motion=motion,
            progress=lambda name, n: show(n, what=f"{name} and others: footstep {n}"),
        )
    rows: list[dict[str, Any]] = [
        {
            "file": str(t.files[0]),
            "targets": list(t.trial.targets),
            "footsteps": t.footsteps,
            "of": t.trial.steps,
            "kind": t.cycle.kind,
            "period": t.cycle.period,
            "files": [str(f) for f in t.files],
        }
        for t in trials
    ]
    words = [f"{row['file']}: {row['footsteps']} of {row['of']} footsteps, {row['kind']}" for row in rows]
    files = [name for row in rows for name in row["files"]]
    return Answer({"script": source, "trials": rows}, lambda: print(*words, sep="\n"), files)
