"""``footfall sweep``: a controller over a grid or sample of anything."""

import shlex
import sys
import time
from typing import Annotated, Any

import tyro

from footfall.cli.arguments import (
    AS_USUAL,
    HERE,
    Controller,
    Files,
    Integrator,
    Jobs,
    MaybeFloat,
    MaybeInt,
    Pushed,
    Settings,
    Words,
    cluster_progress,
)
from footfall.cli.printing import Answer, check_files, progress
from footfall.errors import FootfallError
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.study.sweeps.experiment import OUTCOMES, Experiment
from footfall.study.sweeps.factors import Design, parse_assignment, parse_factor
from footfall.study.sweeps.sweep import Sweep, save_sweep_picture


def sweep(
    controller: Controller,
    over: Annotated[Words, tyro.conf.arg(metavar="NAME=LOW:HIGH:COUNT")] = (),
    set_: Settings = (),
    samples: int = 1,
    seed: int = 0,
    seconds: MaybeFloat = None,
    settle: float = 6.0,
    recovery: float = 6.0,
    terrain: str = "flat",
    pushed: Pushed = AS_USUAL,
    integrator: Integrator = "implicit",
    chunk: MaybeInt = None,
    jobs: Jobs = HERE,
    out: Files = (),
    show: str = "survived",
) -> Answer:
    """Run a controller over a grid or a sample of its numbers, pushes, terrain, body and start.

    Names are the controller's parameters (swing_hip.c_v, 0.hold, kp, torque_limit, speed …), push.force, push.start or
    push.phase, push.duration, push.angle, push.elevation, push.count, push.every, terrain.rise (any number of
    --terrain), body.thigh, body.mass, body.thigh.mass, body.load, ground.friction, sensor_delay, actuator_delay,
    control_rate, noise.joint_angle, motor_speed, motor_torque, start.left_knee, start.left_knee.rate, start.noise,
    replica, dt.

    Args:
        controller: a built-in name or a file.
        over: what varies: NAME=LOW:HIGH:COUNT, NAME=a,b,c, NAME~uniform(low,high) or ~normal(mean,sd). May be repeated.
        set_: NAME=VALUE, held in all worlds. May be repeated.
        samples: how many times random factors (~) are drawn.
        seed: random seed of the draws, and of start.noise.
        seconds: how long each world runs. Default: 20, or --recovery after the last push.
        settle: seconds of walking before a push.phase.
        recovery: seconds after the last push.
        terrain: as in footfall run.
        integrator: implicit, explicit, semi-implicit or rk4.
        chunk: worlds in each chunk; a chunk is one job.
        out: a NetCDF file (.nc) for the results, or a picture (.png .svg .pdf) of --show over the first one or two
            factors. May be repeated. After an interruption run the same command again: with a .nc file it continues.
        show: which outcome the picture shows.
    """
    if show not in OUTCOMES:
        raise FootfallError(f"--show {show}: choose one of: {', '.join(OUTCOMES)}")
    files = check_files(out, (".nc", *PLOT_SUFFIXES))
    results = [path for path in files if path.suffix == ".nc"]
    if len(results) > 1:
        raise FootfallError("--out: name one .nc file for the results")
    experiment = Experiment(
        controller,
        terrain=terrain,
        set=dict(parse_assignment(s) for s in set_),
        seconds=seconds,
        settle=settle,
        recovery=recovery,
        seed=seed,
        integrator=integrator,
        **pushed.options(),
    )
    design = Design.of([parse_factor(text) for text in over], samples, seed)
    study = Sweep(experiment, design, chunk, shlex.join(["footfall", *sys.argv[1:]]))
    began = time.perf_counter()
    what = f"{experiment.name}: worlds"
    with progress(what, design.worlds) as bar, jobs.opened(bar) as executor:
        report = cluster_progress(bar, what, executor, "worlds")
        data = study.run(results[0] if results else None, executor=executor, progress=report)
    wall = time.perf_counter() - began
    for path in files:
        if path.suffix != ".nc":
            save_sweep_picture(data, path, show)
    answer: dict[str, Any] = {
        "controller": experiment.name,
        "worlds": design.worlds,
        "survived": int(data.survived.sum()),
        "wall_s": round(wall, 3),
        "dims": dict(zip(design.dims, design.shape)),
    }
    axes = " × ".join(f"{name} ({count})" for name, count in answer["dims"].items()) or "one world"
    words = f"{experiment.name}: {axes}: {answer['survived']} of {design.worlds} worlds stayed up, {wall:.1f} s"
    return Answer(answer, lambda: print(words), files)
