"""``footfall run``: simulate a controller and report the outcome."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import tyro

from footfall.cli.arguments import (
    IDEAL,
    Camera,
    Controller,
    Files,
    Integrator,
    MaybeFloat,
    MaybeInt,
    MaybeText,
    Precision,
    Robot,
    Settings,
    Words,
    rerun_files,
    show_in_rerun,
)
from footfall.cli.live import LIVE_SUFFIX
from footfall.cli.printing import Answer, Show, check_files, progress, save_motion_files
from footfall.control.registry import kind_of, load_walker
from footfall.dynamics.contact import Ground
from footfall.errors import MOST_CANDIDATES, FootfallError, check_whole
from footfall.motion import Motion
from footfall.motion.formats.files import writable_suffixes
from footfall.pictures.files import PICTURE_SUFFIXES, RERUN_SUFFIX
from footfall.push import Push, parse_push
from footfall.simulation import MujocoSimulation, Outcome, Record, Simulation
from footfall.simulation.inputs import check_dt, check_steps, figure_of
from footfall.simulation.trace import FIELDS, FORCES, describe_divergence
from footfall.study.sweeps.factors import Grid, parse_factor
from footfall.terrain import parse_terrain

if TYPE_CHECKING:
    from footfall.methods.simbicon.sequence import Request

STILL, SECONDS_AT_REST = 0.3, 1.0
"""A fallen body lies still when nothing of it is faster, m/s and rad/s; it is shown for so long after that."""


def run(
    controller: Controller = "",
    sequence: MaybeText = None,
    figure: MaybeText = None,
    seconds: float = 20.0,
    dt: MaybeFloat = None,
    integrator: Integrator | None = None,
    engine: Literal["native", "mujoco"] = "native",
    device: str = "cpu",
    precision: Precision = None,
    worlds: MaybeInt = None,
    threads: MaybeInt = None,
    terrain: str = "flat",
    push: Words = (),
    set_: Settings = (),
    body: Words = (),
    friction: MaybeFloat = None,
    solid: bool = True,
    surface: bool = False,
    robot: Robot = IDEAL,
    seed: int = 0,
    out: Files = (),
    rerun: Annotated[tuple[str, ...] | None, tyro.conf.arg(metavar="[FILE.rrd]")] = None,
    fps: float = 100.0,
    camera: Camera = None,
    per_world: bool = False,
    bench: bool = False,
    repeats: int = 5,
) -> Answer:
    """Simulate a controller and report the outcome. Write pictures, films and motion files with --out.

    Args:
        controller: a built-in controller (footfall show) or a .toml file.
        sequence: instead of one controller, several one after the other, each with its seconds, as in "walk 5, skipping
            8, walk 4", or a .sequence or .txt file of that.
        figure: a built-in figure, an .xml (MJCF) or a .bones file. Default: the controller's own.
        seconds: how long to simulate.
        dt: time step in seconds. Default 0.001, or what the controller's file says.
        integrator: implicit (default) is stable with stiff servos and ground springs; explicit as in the papers.
        engine: native (footfall's own dynamics) or mujoco.
        device: where to simulate: cpu, cuda or cuda:N.
        precision: number format. Default: float64 on a CPU, float32 on a GPU.
        worlds: how many worlds to simulate side by side. Random terrain differs between them.
        threads: CPU threads. Default: one per core. Results do not depend on it.
        terrain: a terrain, NAME[:ARGS] (footfall show) or a file, as in slope:6 or steps:0.1.
        push: a push, FORCE@START:DURATION[@BODY]: newtons forward or X,Y,Z, as in 600@5:0.1 or 0,90,0@3:0.4@left_thigh.
            It acts on the top of the torso, or on BODY's centre of mass. May be repeated.
        set_: a controller parameter, as in swing_hip.c_v=0.3. NAME=LOW:HIGH:COUNT or NAME=a,b,c runs a world for each
            value. May be repeated.
        body: a change of the body: thigh*1.1 (length), torso+10kg, head=6kg or mass*1.2. May be repeated.
        friction: friction of the ground. Default 0.65, or what the controller's file says.
        solid: limbs of figures in space touch each other (footfall show FIGURE lists which); with --no-solid they pass.
        surface: the whole body touches the ground while the controller acts, not only the soles; kneeling is then not a
            fall.
        seed: random seed of the sensors' noise.
        out: a file: .png .svg .pdf (poses), .gif .mp4 .html (film), .live.html (a page that simulates), .npz .csv .bvh
            .glb (motion). May be repeated.
        rerun: log to the rerun viewer: pose, contacts, forces and joints on one timeline. With FILE.rrd, write that
            instead of opening the viewer.
        fps: frames per second in those files.
        camera: camera of a film. Default: the side of a planar figure, three-quarter of any other. A strip of poses is
            drawn from the front with "front", else from the side.
        per_world: with --json, add lists over the worlds. They are there in any case where --set gives worlds values of
            their own.
        bench: instead, measure how fast footfall is on this machine, as ratios to MuJoCo within one run; of the other
            options, only --device and --json count.
        repeats: with --bench: how often each duration is measured; the shortest counts.
    """
    if bench:
        from footfall.simulation.bench import measure_speed, print_measures

        measures = measure_speed(device, repeats)
        return Answer({"device": device, "measures": list(map(asdict, measures))}, lambda: print_measures(measures))

    given = check_files((*out, *rerun_files(rerun)), (*PICTURE_SUFFIXES, *writable_suffixes()))
    logged = rerun is not None or any(path.suffix.lower() == RERUN_SUFFIX for path in given)
    pages = [path for path in given if path.name.endswith(LIVE_SUFFIX)]
    files = [path for path in given if path not in pages]
    requests = _requests(controller, sequence)
    if requests:
        seconds = sum(r.seconds for r in requests)
    _check_times(seconds, dt, fps)
    _check_pushes(push, seconds)
    parameters, count = _parameters(set_, worlds)
    simulation = _simulation(
        requests or controller, figure, terrain, push, body, parameters, friction, dt=dt, integrator=integrator,
        engine=engine, device=device, precision=precision, worlds=count, threads=threads, fps=fps,
        drawn=bool(files) or logged, forces=logged, solid=None if solid else False, surface=surface,
        hardware=robot.hardware(seed),
    )  # fmt: skip
    with progress(f"{simulation.description()['controller']}, {seconds:g} s", seconds) as show:
        answers = _answers(simulation, requests, show) if requests else []
        outcome = simulation.outcome() if requests else simulation.run(seconds, show)
    motion = _motion(simulation, outcome) if files or logged else None
    written = save_motion_files(motion, files, camera) if motion is not None else []
    if rerun == () and motion is not None:
        show_in_rerun(motion)
    written += [str(_live_page(simulation, path, terrain, friction, parameters)) for path in pages]
    answer = _answer(simulation, outcome, seconds) | ({"sequence": answers} if requests else {})
    if count > 1:
        answer["world"] = 0
        answer["set"] = {name: values for name, values in parameters.items() if np.ndim(values)}
    if motion is not None:
        answer["motion_s"] = round(float(motion.times[-1]), 3)
    lists = _lists(outcome) if per_world or answer.get("set") else {}
    return Answer(answer | lists, lambda: _print_answer(simulation, outcome, answer, seconds), written)


def _print_answer(simulation: Simulation, outcome: Outcome, answer: dict[str, Any], seconds: float) -> None:
    """The outcome as text, each part of a sequence first."""
    for part in answer.get("sequence", ()):
        ending = "running" if part["entered"] else "not entered" if part["upright"] else "fallen"
        print(f"{part['time']:6.1f} s  {part['controller']:<20} {ending} at the end of its time")
    _print_summary(answer, outcome)
    ended = answer.get("clip_s", seconds)
    if ended < min(seconds, answer["end_time"] or seconds) - 0.1:
        rests = getattr(getattr(simulation.controller, "clip_frames", None), "rest", 0)
        then = "it slows down and stands" if rests else "it holds the clip's last pose"
        print(f"  its clip ended at {ended:.1f} s; after that {then}")
    if answer.get("motion_s", seconds) < seconds - 0.1:
        ran_away = int(simulation.snapshot()["step_count"][0]) < simulation.step_number
        why = "its numbers run away there" if ran_away else "the body lies still by then"
        print(f"  the motion in the files ends at {answer['motion_s']:.1f} s: {why}")


def _requests(controller: str, sequence: str | None) -> "tuple[Request, ...]":
    if sequence is None:
        if not controller:
            raise FootfallError("run: name a controller (see footfall show), or give --sequence")
        return ()
    if controller:
        raise FootfallError(f"run: '{controller}' was given as well as --sequence; give one of them")
    from footfall.methods.simbicon.sequence import parse_sequence

    return parse_sequence(sequence)


def _answers(simulation: Simulation, requests: "tuple[Request, ...]", show: Show) -> list[dict[str, Any]]:
    from footfall.methods.simbicon.sequence import perform

    return [
        {"controller": a.controller, "time": a.time, "entered": bool(a.entered[0]), "upright": bool(a.upright[0])}
        for a in perform(simulation, requests, show)
    ]


def _check_times(seconds: float, given: float | None, fps: float) -> None:
    dt = 0.001 if given is None else given
    if not (math.isfinite(seconds) and seconds > 0):
        raise FootfallError(f"seconds is {seconds}; it must be a finite number above 0")
    check_dt(dt)
    if seconds < dt:
        raise FootfallError(f"seconds is {seconds}, less than one step of {dt}")
    check_steps(round(seconds / dt), 0, dt)
    if not (math.isfinite(fps) and fps > 0):
        raise FootfallError(f"fps is {fps}; it must be above 0 frames per second")


def _check_pushes(texts: tuple[str, ...], seconds: float) -> None:
    """Refuse a push that begins when all is over."""
    for text in texts:
        start = float(np.max(parse_push(text).start))
        if start >= seconds:
            raise FootfallError(
                f"push '{text}': it begins at {start:g} s, but the run ends at {seconds:g} s (--seconds)"
            )


def _parameters(texts: tuple[str, ...], worlds: int | None) -> tuple[dict[str, Any], int]:
    """Parameters by name, each a number or an array over the worlds, and the number of worlds."""
    found: dict[str, Any] = {}
    for text in texts:
        try:
            factor = parse_factor(text)
        except FootfallError:
            factor = None
        if not isinstance(factor, Grid):
            raise FootfallError(
                f"--set '{text}': write NAME=VALUE, as in swing_hip.c_v=0.3, or NAME=LOW:HIGH:COUNT or NAME=a,b,c"
            )
        found[factor.name] = np.array(factor.values) if len(factor.values) > 1 else factor.values[0]
    counts = {name: len(values) for name, values in found.items() if np.ndim(values)}
    count = worlds if worlds is not None else max(counts.values(), default=1)
    check_whole("worlds", count, 1, MOST_CANDIDATES)
    for name, given in counts.items():
        if given != count:
            raise FootfallError(f"--set {name} has {given} values for {count} worlds; give {count}")
    return found, count


def _simulation(
    controller: "str | tuple[Request, ...]",
    figure: str | None,
    terrain: str,
    push: tuple[str, ...],
    body: tuple[str, ...],
    parameters: dict[str, Any],
    friction: float | None,
    *,
    fps: float,
    drawn: bool,
    forces: bool,
    worlds: int,
    engine: str,
    **options: Any,
) -> Simulation:
    graph = load_walker(controller) if isinstance(controller, str) else controller[0].controller
    walker = figure_of(figure, graph)
    ways = [parse_terrain(terrain, seed) for seed in range(worlds if terrain.startswith("random") else 1)]
    kind = {"native": Simulation, "mujoco": MujocoSimulation}[engine]
    law = None
    if not isinstance(controller, str):
        from footfall.methods.simbicon.sequence import sequence_law

        law = sequence_law(controller, walker)
    ground = graph.ground or Ground()
    return kind(
        graph,
        figure=walker,
        law=law,
        worlds=worlds,
        terrain=ways,
        pushes=[parse_push(text) for text in push],
        set=parameters,
        body=walker.body_parameters(body) if body else None,
        ground=ground if friction is None else replace(ground, friction=friction),
        record=Record(fps, (*FIELDS, *(FORCES if forces else ())), worlds=1) if drawn else None,
        ragdoll_after_fall=drawn,
        **options,
    )


def _live_page(
    simulation: Simulation, path: Path, terrain: str, friction: float | None, changes: dict[str, Any]
) -> Path:
    """The page that simulates what was run, with its changed parameters, terrain and friction."""
    from footfall.live.page import TERRAINS, write_live_page

    controller = simulation.controller
    if controller is None or not kind_of(controller).abilities(controller).live:
        law = "" if controller is None else f"; law '{controller.law}' does not run there"
        raise FootfallError(f"{path}: only a controller that runs in a browser becomes a live page{law}")
    return write_live_page(
        [controller],
        path,
        figure=simulation.figure,
        terrains=tuple(dict.fromkeys((terrain, *TERRAINS))),
        dt=simulation.dt,
        settings={} if friction is None else {"friction": friction},
        changes={name: float(np.atleast_1d(value)[0]) for name, value in changes.items()},
    )


def _motion(simulation: Simulation, outcome: Outcome) -> Motion:
    """The first world's motion, after a fall until it lies still, with the pushes at the first one's place, so that
    pictures show them, and with what was asked and what came out."""
    trace = simulation.trace()
    if outcome.fell[0]:
        fell = int(np.searchsorted(trace.times, outcome.end_time[0]))
        moving = np.flatnonzero(np.abs(trace.qvel[fell:, 0]).max(axis=1) > STILL)
        at_rest = trace.times[fell + (moving[-1] if len(moving) else 0)] if fell < len(trace.times) else np.inf
        seen = np.searchsorted(trace.times, at_rest + SECONDS_AT_REST)
        trace = replace(trace, last=np.minimum(trace.last, max(1, int(seen))))
    motion = trace.motion(0)
    speed = float(outcome.speed[0])
    ended = next((w for w, of in (("diverged", outcome.diverged), ("fell", outcome.fell)) if of[0]), None)
    ended = None if ended is None else f"{ended} at {outcome.end_time[0]:.2f} s"
    walked = [motion.seconds, float(outcome.distance[0]), speed if np.isfinite(speed) else None, ended]
    asked = "{controller} on {figure}, {terrain}".format(**simulation.description()) + f", {simulation.time:g} s"
    for push in simulation.pushes:
        force = ", ".join(f"{x:g}" for x in np.ravel(push.force))
        asked += f"; {force} N at {float(np.max(push.start)):g} s for {float(np.max(push.duration)):g} s"
    motion = replace(motion, source={**motion.source, "walked": walked, "asked": asked})
    if not simulation.pushes:
        return motion
    body, place = simulation.pushes[0].place_on(simulation.figure)
    joint = next((j for j in simulation.figure.joints if j.body == body and j.kind in ("hinge", "ball")), None)
    on_joint = np.asarray(place) - (0.0 if joint is None else joint.anchor)
    pushed = {"push_joint": simulation.figure.bodies[body].name, "push_place": [float(x) for x in on_joint]}
    motion = replace(motion, source={**motion.source, **pushed})
    here = [push for push in simulation.pushes if push.place_on(simulation.figure) == (body, place)]
    return motion.with_channels(push=_pushes_over(motion.times, here))


def _pushes_over(times: Any, pushes: list[Push]) -> Any:
    """[T, 3] the first world's forces over time, summed."""
    total = np.zeros((len(times), 3))
    for push in pushes:
        (window, *_), (force, *_) = push.rows(1)
        total[(times >= window[0] - 1e-9) & (times < window[1] - 1e-9)] += force
    return total


def _answer(simulation: Simulation, outcome: Outcome, seconds: float) -> dict[str, Any]:
    simulated = float(simulation.snapshot()["step_count"].sum()) * simulation.dt
    answer = simulation.description() | {"seconds": seconds} | outcome.summary(0)
    answer |= {"steps": answer["footsteps"], "fall_time": answer["end_time"] if answer["fell"] else None}
    answer["real_time_factor"] = round(simulated / simulation.wall_seconds, 1)
    controller = simulation.controller
    followed = None if controller is None else kind_of(controller).clip_seconds(controller)
    if followed is not None:
        answer["clip_s"] = round(followed, 3)
    if outcome.diverged[0]:
        state = simulation.snapshot()
        answer["runaway"] = describe_divergence(simulation.figure, state["qvel"][0], state["qacc"][0], simulation.dt)
        answer["last_qpos"], answer["last_qvel"] = outcome.last_qpos[0], outcome.last_qvel[0]
    if len(outcome.fell) > 1:
        answer["worlds_fell"], answer["worlds_diverged"] = int(outcome.fell.sum()), int(outcome.diverged.sum())
        answer["worlds_survived"] = int(outcome.survived.sum())
    return answer


def _lists(outcome: Outcome) -> dict[str, Any]:
    rows = [outcome.summary(world) for world in range(len(outcome.fell))]
    return {"per_world": {key: [row[key] for row in rows] for key in rows[0]}}


def _print_summary(answer: dict[str, Any], outcome: Outcome) -> None:
    many = len(outcome.fell)
    print(
        f"{answer['controller']} on {answer['figure']}, {answer['terrain']}: {answer['seconds']:g} s at "
        f"{1000 * answer['dt']:g} ms ({answer['integrator']}, {answer['engine']} engine on {answer['device']})"
    )
    if many > 1:
        ended = [f"{int(n)} {word}" for n, word in ((outcome.fell.sum(), "fell"), (outcome.diverged.sum(), "diverged"))]
        print(f"  {int(outcome.survived.sum())} of {many} worlds stayed up, {', '.join(ended)}; the first:")
    print(f"  {_ending(answer)}")
    print(f"  {answer['real_time_factor']:,.0f} times real time")


def _ending(answer: dict[str, Any]) -> str:
    ending = "stayed up"
    if answer["diverged"]:
        ending = f"diverged at {answer['end_time']:.3f} s: {answer['runaway']}"
    elif answer["fell"]:
        ending = f"fell at {answer['end_time']:.2f} s"
    count = answer["footsteps"]
    parts = [ending, f"{count} footstep{'' if count == 1 else 's'}", f"{answer['distance_m']:.2f} m"]
    parts += [f"{answer['speed_mps']:.2f} m/s"] if answer["speed_mps"] is not None else []
    parts += [f"{answer['step_time_s']:.3f} s per footstep"] if answer["step_time_s"] is not None else []
    return " · ".join(parts)
