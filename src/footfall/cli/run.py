"""``footfall run``: simulate a controller and say what came of it."""

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import tyro

from footfall.cli.live import LIVE_SUFFIX
from footfall.cli.printing import check_files, print_json, progress
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.motion import Motion
    from footfall.simulation import Outcome, Push, Simulation
    from footfall.simulation.script import Request

__all__ = ["run"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]
MOST_STEPS = 2**31 - 2
MOST_WORLDS = 1 << 24
SECONDS_AFTER_FALL = 2.0


def run(
    controller: tyro.conf.Positional[str] = "",
    script: str | None = None,
    figure: str | None = None,
    seconds: float = 20.0,
    dt: float = 0.001,
    integrator: Literal["implicit", "explicit", "semi-implicit", "rk4"] = "implicit",
    engine: Literal["native", "mujoco"] = "native",
    device: str = "cpu",
    precision: Literal["float32", "float64"] | None = None,
    worlds: int = 1,
    threads: int | None = None,
    terrain: str = "flat",
    push: Words = (),
    set_: Annotated[Words, tyro.conf.arg(name="set")] = (),
    body: Words = (),
    friction: float | None = None,
    sensor_delay: float = 0.0,
    actuator_delay: float = 0.0,
    out: Words = (),
    rate: float = 100.0,
    per_world: bool = False,
    json: bool = False,
) -> int:
    """Simulate a controller and say what came of it; pictures and motion files with --out.

    Args:
        controller: a built-in controller (footfall list) or a .toml file.
        script: instead, controllers one after the other, each with its seconds, as in "walk 5, skipping 8, walk 4",
            or a .txt or .script file of that.
        figure: a built-in figure, an .xml (MJCF) or a .bones file; by default the controller's own.
        seconds: how long.
        dt: time step, seconds.
        integrator: implicit takes stiff servos and ground springs one step ahead; explicit as in the papers.
        engine: native (footfall's own dynamics) or mujoco.
        device: cpu, cuda or cuda:N.
        precision: by default float64 on a CPU, float32 on a GPU.
        worlds: how many, side by side. Random terrain differs between them.
        threads: CPU threads; by default one a core. Results do not depend on it.
        terrain: NAME[:ARGS] (footfall list) or a file, as in slope:6 or steps:0.1.
        push: FORCE@START:DURATION[@BODY], newtons forward or X,Y,Z, as in 600@5:0.1. May be repeated.
        set_: PATH=VALUE, a controller's parameter, as in swing_hip.c_v=0.3; LOW..HIGH spreads over the worlds. May be
            repeated.
        body: thigh*1.1, torso+10kg, head=6kg or mass*1.2. May be repeated.
        friction: of the ground, by default 0.65.
        sensor_delay: how late balance sees, seconds.
        actuator_delay: how late torques act, seconds.
        out: a file: .png .svg (poses), .gif .mp4 .html (moving), .live.html (a page that simulates), .npz .csv .bvh
            .glb (motion). May be repeated.
        rate: samples a second in those files.
        per_world: with --json, lists over the worlds as well.
        json: one JSON object on standard output.
    """
    from footfall.motion.formats.files import MOTION_WRITERS
    from footfall.pictures.files import PICTURE_SUFFIXES, save

    pages = [path for path in check_files(out, (*PICTURE_SUFFIXES, *MOTION_WRITERS)) if path.name.endswith(LIVE_SUFFIX)]
    files = [path for path in check_files(out, (*PICTURE_SUFFIXES, *MOTION_WRITERS)) if path not in pages]
    requests = _requests(controller, script)
    if requests:
        seconds = sum(r.seconds for r in requests)
    _check_times(seconds, dt, rate)
    if not 1 <= worlds <= MOST_WORLDS:
        raise FootfallError(f"worlds is {worlds}; it must be from 1 to {MOST_WORLDS}")
    changes = dict(_change(text, worlds) for text in set_)
    simulation = _simulation(
        requests or controller, figure, terrain, push, body, changes, friction, dt=dt, integrator=integrator,
        engine=engine, device=device, precision=precision, worlds=worlds, threads=threads, rate=rate, drawn=bool(files),
        sensor_delay=sensor_delay, actuator_delay=actuator_delay,
    )  # fmt: skip
    with progress(f"{simulation.description()['controller']}, {seconds:g} s", seconds) as show:
        answers = _answers(simulation, requests, show) if requests else []
        outcome = simulation.outcome() if requests else simulation.run(seconds, show)
    motion = _motion(simulation, outcome) if files else None
    written = [str(save(motion, path)) for path in files if motion is not None]
    written += [str(_live_page(simulation, path, terrain, friction, changes)) for path in pages]
    answer = _answer(simulation, outcome, seconds) | ({"script": answers} if requests else {})
    if json:
        print_json(answer | (_lists(outcome) if per_world else {}) | {"files": written})
    else:
        for told in answers:
            fate = "running" if told["entered"] else "not entered" if told["stands"] else "fallen"
            print(f"{told['time']:6.1f} s  {told['controller']:<20} {fate} when its time was over")
        _tell(answer, outcome, written)
    return 0


def _requests(controller: str, script: str | None) -> "tuple[Request, ...]":
    if script is None:
        if not controller:
            raise FootfallError("run: name a controller (footfall list), or give --script")
        return ()
    if controller:
        raise FootfallError(f"run: '{controller}' is given beside --script; name it in the script alone")
    from footfall.simulation.script import parse_script

    return parse_script(script)


def _answers(simulation: "Simulation", requests: "tuple[Request, ...]", show: Any) -> list[dict[str, Any]]:
    from footfall.simulation.script import perform

    return [
        {"controller": a.controller, "time": a.time, "entered": bool(a.entered[0]), "stands": bool(a.stands[0])}
        for a in perform(simulation, requests, show)
    ]


def _check_times(seconds: float, dt: float, rate: float) -> None:
    from footfall.simulation.simulation import LARGEST_DT

    if not (math.isfinite(seconds) and seconds > 0):
        raise FootfallError(f"seconds is {seconds}; it must be above 0")
    if not (math.isfinite(dt) and 0 < dt <= LARGEST_DT):
        raise FootfallError(f"dt is {dt}; it must be above 0 and at most {LARGEST_DT} seconds")
    if seconds < dt:
        raise FootfallError(f"seconds is {seconds}, less than one step of {dt}")
    if seconds / dt > MOST_STEPS:
        raise FootfallError(f"seconds is {seconds}: {seconds / dt:.3g} steps of {dt} are more than {MOST_STEPS}")
    if not (math.isfinite(rate) and rate > 0):
        raise FootfallError(f"rate is {rate}; it must be above 0 samples a second")


def _change(text: str, worlds: int) -> tuple[str, Any]:
    """A parameter's path and its value, or its values [worlds] spread from LOW to HIGH."""
    path, sign, value = text.partition("=")
    low, dots, high = value.partition("..")
    try:
        numbers = [float(low), float(high)] if dots else [float(value)]
    except ValueError:
        numbers = []
    if not sign or not path or not numbers:
        raise FootfallError(f"--set '{text}': write PATH=VALUE, as in swing_hip.c_v=0.3, or PATH=LOW..HIGH")
    return path, np.linspace(numbers[0], numbers[-1], worlds) if dots else numbers[0]


def _simulation(
    controller: "str | tuple[Request, ...]",
    figure: str | None,
    terrain: str,
    push: tuple[str, ...],
    body: tuple[str, ...],
    changes: dict[str, Any],
    friction: float | None,
    *,
    rate: float,
    drawn: bool,
    worlds: int,
    engine: str,
    **options: Any,
) -> "Simulation":
    from footfall.control.files import load_controller
    from footfall.dynamics import Ground
    from footfall.figures import Figure
    from footfall.simulation import MujocoSimulation, Record, Simulation, parse_push
    from footfall.terrain import parse_terrain

    graph = load_controller(controller) if isinstance(controller, str) else controller[0].controller
    walker = Figure.load(figure if figure is not None else graph.figure)
    ways = [parse_terrain(terrain, seed) for seed in range(worlds if terrain.startswith("random") else 1)]
    kind = {"native": Simulation, "mujoco": MujocoSimulation}[engine]
    law = None
    if not isinstance(controller, str):
        from footfall.simulation.script import scripted_law

        law = scripted_law(controller, walker)
    return kind(
        graph,
        figure=walker,
        law=law,
        worlds=worlds,
        terrain=ways,
        pushes=[parse_push(text) for text in push],
        changes=changes,
        body=walker.body_parameters(body) if body else None,
        ground=Ground() if friction is None else Ground(friction=friction),
        record=Record(rate=rate, worlds=1) if drawn else None,
        limp_after_fall=drawn,
        **options,
    )


def _live_page(
    simulation: "Simulation", path: Path, terrain: str, friction: float | None, changes: dict[str, Any]
) -> Path:
    """The page that simulates what was run, with its changed parameters, terrain and friction."""
    from footfall.live.page import TERRAINS, write_live_page

    if simulation.controller is None:
        raise FootfallError(f"{path}: only a controller becomes a live page, not a script")
    return write_live_page(
        [simulation.controller],
        path,
        figure=simulation.figure,
        terrains=tuple(dict.fromkeys((terrain, *TERRAINS))),
        dt=simulation.dt,
        settings={} if friction is None else {"friction": friction},
        changes={name: float(np.atleast_1d(value)[0]) for name, value in changes.items()},
    )


def _motion(simulation: "Simulation", outcome: "Outcome") -> "Motion":
    """The first world's motion, to two seconds after its fall, with its pushes, so that pictures show them."""
    trace = simulation.trace()
    if outcome.fell[0]:
        seen = np.searchsorted(trace.times, outcome.end_time[0] + SECONDS_AFTER_FALL)
        trace = replace(trace, last=np.minimum(trace.last, max(1, int(seen))))
    motion = trace.motion(0)
    if not simulation.pushes:
        return motion
    pushed = {"push_joint": simulation.pushes[0].body or simulation.figure.torso}
    motion = replace(motion, source={**motion.source, **pushed})
    return motion.with_channels(push=_pushes_over(motion.times, simulation.pushes))


def _pushes_over(times: Any, pushes: "tuple[Push, ...]") -> Any:
    """[T, 3] the first world's forces over time, summed."""
    total = np.zeros((len(times), 3))
    for push in pushes:
        (window, *_), (force, *_) = push.rows(1)
        total[(times >= window[0] - 1e-9) & (times < window[1] - 1e-9)] += force
    return total


def _answer(simulation: "Simulation", outcome: "Outcome", seconds: float) -> dict[str, Any]:
    simulated = float(simulation.snapshot()["step_count"].sum()) * simulation.dt
    told = simulation.description() | {"seconds": seconds} | outcome.summary(0)
    told["real_time_factor"] = round(simulated / simulation.wall_seconds, 1)
    if outcome.diverged[0]:
        told["diverged_time"] = float(outcome.end_time[0])
        told["last_qpos"], told["last_qvel"] = outcome.last_qpos[0], outcome.last_qvel[0]
    if len(outcome.fell) > 1:
        told["worlds_fell"], told["worlds_diverged"] = int(outcome.fell.sum()), int(outcome.diverged.sum())
        told["worlds_survived"] = int(outcome.survived.sum())
    return told


def _lists(outcome: "Outcome") -> dict[str, Any]:
    rows = [outcome.summary(world) for world in range(len(outcome.fell))]
    return {"per_world": {key: [row[key] for row in rows] for key in rows[0]}}


def _tell(answer: dict[str, Any], outcome: "Outcome", written: list[str]) -> None:
    many = len(outcome.fell)
    print(
        f"{answer['controller']} on {answer['figure']}, {answer['terrain']}: {answer['seconds']:g} s at "
        f"{1000 * answer['dt']:g} ms ({answer['integrator']}, {answer['engine']} engine on {answer['device']})"
    )
    if many > 1:
        ended = [f"{int(n)} {word}" for n, word in ((outcome.fell.sum(), "fell"), (outcome.diverged.sum(), "diverged"))]
        print(f"  {int(outcome.survived.sum())} of {many} worlds stayed up, {', '.join(ended)}; the first:")
    print(f"  {_fate(answer)}")
    print(f"  {answer['real_time_factor']:,.0f} times real time")
    if written:
        print(f"  wrote {', '.join(written)}")


def _fate(answer: dict[str, Any]) -> str:
    fate = "stayed up"
    if answer["diverged"]:
        place = ", ".join(f"{x:.3g}" for x in answer["last_qpos"][-1])
        fate = f"diverged at {answer['diverged_time']:.3f} s (last good qpos: {place}); a smaller --dt may help"
    elif answer["fell"]:
        fate = f"fell at {answer['fall_time']:.2f} s"
    steps = answer["steps"]
    parts = [fate, f"{steps} step{'' if steps == 1 else 's'}", f"{answer['distance_m']:.2f} m"]
    parts += [f"{answer['speed_mps']:.2f} m/s"] if answer["speed_mps"] is not None else []
    parts += [f"{answer['step_time_s']:.3f} s a step"] if answer["step_time_s"] is not None else []
    return " · ".join(parts)
