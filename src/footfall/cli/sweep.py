"""``footfall sweep``: a controller over a grid or sample of anything."""

import json as json_text
import shlex
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.bar import bar
from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import OUTCOMES, Experiment
from footfall.study.sweeps.factors import Design, parse_assignment, parse_factor
from footfall.study.sweeps.sweep import Sweep

__all__ = ["sweep"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]


def sweep(
    controller: tyro.conf.Positional[str],
    over: Annotated[Words, tyro.conf.arg(metavar="NAME=LOW:HIGH:COUNT")] = (),
    set: Annotated[Words, tyro.conf.arg(metavar="NAME=VALUE")] = (),
    samples: int = 1,
    seed: int = 0,
    seconds: float | None = None,
    settle: float = 6.0,
    recovery: float = 6.0,
    figure: str | None = None,
    terrain: str = "flat",
    push_place: str = "top",
    dt: float = 0.001,
    integrator: str = "implicit",
    device: str = "cpu",
    precision: str | None = None,
    chunk: int | None = None,
    processes: int = 0,
    out: Path | None = None,
    picture: Path | None = None,
    show: str = "survived",
    json: bool = False,
) -> int:
    """Run a controller over a grid or sample of anything, in as many worlds as that takes.

    Names are the controller's parameters (swing_hip.c_v, 0.hold, kp, torque_limit, speed …), push.force, push.start or
    push.phase, push.duration, push.angle, push.elevation, push.count, push.every, terrain.rise (any number of
    --terrain), body.thigh, body.mass, body.thigh.mass, body.load, ground.friction, sensor_delay, actuator_delay,
    start.left_knee, start.left_knee.rate, start.noise, replica, dt.

    Args:
        controller: a built-in name or a file.
        over: what varies, repeat for more: NAME=LOW:HIGH:COUNT, NAME=a,b,c, NAME~uniform(low,high) or ~normal(mean,sd).
        set: NAME=VALUE, held in all worlds; repeat for more.
        samples: how often what is random (~) is drawn.
        seed: of the draws, and of start.noise.
        seconds: how long each world runs; by default 20, or --recovery beyond the last push.
        settle: seconds of walking before a push.phase.
        recovery: seconds after the last push.
        figure: a built-in name or a file; by default the controller's own.
        terrain: as in footfall run.
        push_place: top or com, of the torso.
        dt: step, seconds.
        integrator: implicit, explicit, semi-implicit or rk4.
        device: cpu or cuda.
        precision: float64 or float32.
        chunk: worlds a chunk.
        processes: run chunks in so many processes (0: here, with one thread a core).
        out: a NetCDF file; run the same command again to go on after an interruption.
        picture: a PNG or SVG of --show over the first one or two factors.
        show: which outcome the picture shows.
        json: one JSON object on standard output and nothing else there.
    """
    if show not in OUTCOMES:
        raise FootfallError(f"--show {show}: choose one of: {', '.join(OUTCOMES)}")
    if figure is not None and figure.endswith((".xml", ".bones")):
        from footfall.figures import Figure

        figure = Figure.load(figure).xml
    experiment = Experiment(
        controller,
        figure=figure,
        terrain=terrain,
        set=dict(parse_assignment(s) for s in set),
        seconds=seconds,
        settle=settle,
        recovery=recovery,
        push_place=push_place,
        seed=seed,
        dt=dt,
        integrator=integrator,
        device=device,
        precision=precision,
        threads=1 if processes else None,
    )
    design = Design.of([parse_factor(text) for text in over], samples, seed)
    study = Sweep(experiment, design, chunk, shlex.join(["footfall", *sys.argv[1:]]))
    began = time.perf_counter()
    with bar(f"{experiment.graph.name}: worlds") as told:
        data = _run(study, out, processes, told)
    wall = time.perf_counter() - began
    if picture is not None:
        from footfall.study.sweeps.sweep_picture import save_sweep_picture

        save_sweep_picture(data, picture, show)
    answer: dict[str, Any] = {
        "controller": experiment.graph.name,
        "worlds": design.worlds,
        "survived": int(data.survived.sum()),
        "wall_s": round(wall, 3),
        "dims": dict(zip(design.dims, design.shape)),
        "out": str(out) if out is not None else None,
        "picture": str(picture) if picture is not None else None,
    }
    if json:
        print(json_text.dumps(answer))
    else:
        axes = " × ".join(f"{name} ({count})" for name, count in answer["dims"].items()) or "one world"
        print(f"{answer['controller']}: {axes}: {answer['survived']} of {design.worlds} worlds stood, {wall:.1f} s")
        for path in (out, picture):
            if path is not None:
                print(f"wrote {path}")
    return 0


def _run(study: Sweep, out: Path | None, processes: int, told: Any) -> Any:
    if processes < 0:
        raise FootfallError(f"--processes is {processes}; it must be at least 0")
    if processes == 0:
        return study.run(out, progress=told)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as executor:
        return study.run(out, executor=executor, progress=told)
