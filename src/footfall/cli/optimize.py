"""``footfall optimize``: search a controller's parameters for a goal, carry it to another body or ground, or search for
a gait in space."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.arguments import (
    HERE,
    Controller,
    Files,
    Folder,
    Jobs,
    MaybeFloat,
    MaybeInt,
    MaybeText,
    Settings,
    Words,
    cluster_progress,
    numbers_of,
    refuse,
)
from footfall.cli.printing import Answer, check_files, print_columns, print_text, progress
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.methods.simbicon.files import load_graph
from footfall.motion.formats.files import load_motion
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.study.gaits.find import find_gait
from footfall.study.gaits.goal import load_goal
from footfall.study.search.cma_search import (
    Found,
    Range,
    bound_words,
    broken_bounds,
    change_rows,
    goal_words,
    judged,
    prepared_search,
    save_search_picture,
)
from footfall.study.search.continuation import continuation, reshaped_figure
from footfall.study.search.objective import Bound, Objective, parse_bound, parse_term
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import parse_assignment
from footfall.text_files import write_whole


def optimize(
    controller: Controller = "",
    goal: Annotated[str | None, tyro.conf.arg(metavar="GOAL")] = None,
    minimize: Annotated[Words, tyro.conf.arg(metavar="MEASURE[*WEIGHT]")] = (),
    maximize: Annotated[Words, tyro.conf.arg(metavar="MEASURE[*WEIGHT]")] = (),
    keep: Annotated[Words, tyro.conf.arg(metavar="BOUND")] = (),
    vary: Annotated[Words, tyro.conf.arg(metavar="NAME=LOW:HIGH")] = (),
    toward: Annotated[Words, tyro.conf.arg(metavar="NAME=VALUE")] = (),
    set_: Settings = (),
    terrain: str = "flat",
    figure: MaybeText = None,
    clip: Path | None = None,
    population: MaybeInt = None,
    generations: int = 60,
    seconds: MaybeFloat = None,
    starts: int = 1,
    sigma: MaybeFloat = None,
    seed: int = 1,
    dt: MaybeFloat = None,
    push_scale: MaybeFloat = None,
    norms: Folder = None,
    any_speed: bool = False,
    any_gait: bool = False,
    name: MaybeText = None,
    out: Files = (),
    checkpoint: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    device: str = "cpu",
    jobs: Jobs = HERE,
) -> Answer:
    """Search a controller's parameters by CMA-ES, with the population as worlds.

    Measures: survival, speed, step_length, step_time, step_rate, flight, torque, power, transport, peak_torque,
    smoothness, torso_sway, push_forward, push_backward, clip_difference. The controller may fall at first: the search
    then looks for a gait. Speed (within 10 %) and kind of gait (steps or stands, walks or runs) stay unchanged, unless
    a measure or a bound names them.

    With --goal, footfall searches for a 3D gait: first natural, then as sturdy as possible. Candidates walk undisturbed
    and are pushed from all sides; the pushes grow while half of the candidates survive most of them. Ctrl-C
    ends the search and writes the best result so far.

    Args:
        controller: a built-in name or a file. With --goal, the controller to start from; by default the goal's.
        goal: search for a gait with this goal: a built-in one (walk-3d, run-3d, climb-3d, …) or a .toml file.
        minimize: a measure to make small. Each counts relative to the controller's own. May be repeated.
        maximize: a measure to make large. May be repeated.
        keep: a bound: 'speed=1.0±0.05', 'push_forward>=430', 'peak_torque<=200'. May be repeated.
        vary: a parameter and its range. May be repeated. Default: every angle, gain and hold of the graph.
        toward: move the controller to these conditions by small steps: body.thigh=1.3, terrain.degrees=8.
        set_: a condition held throughout. May be repeated.
        terrain: as in footfall run.
        figure: a built-in name or a file. Default: the controller's own.
        clip: a motion file with this figure's coordinates, for the measure clip_difference.
        population: candidates per generation. Default: 16; 160 with --goal.
        generations: how many generations, at most, from each start.
        seconds: how long to search for a goal. Default: 300.
        starts: how often to start the search; all starts but the first are random.
        sigma: size of the first steps, as a share of the ranges. Default: 0.05; 0.5 with --goal.
        seed: random seed of the search.
        dt: time step of the goal's simulations in seconds. Default: 0.002.
        push_scale: size of the goal's first pushes, as a multiple of those that SIMBICON's human survived. Default: the
            goal's own.
        norms: a folder with people's tables, for goals that ask for likeness to people.
        any_speed: let the speed change. With --toward it may change anyway.
        any_gait: let a walk become a run or stand still.
        name: name of the new controller. Default: the output's name.
        out: a .toml file for the controller, or a picture (.png .svg .pdf) of the search's history. May be repeated.
        checkpoint: a file in which every generation is saved; run the same command again to continue from it. With
            --goal it holds the best numbers found so far and is written every ten generations.
        device: where to simulate: cpu or cuda.
    """
    if goal is not None:
        refuse(
            "does not work with --goal, whose file sets it", minimize=minimize, maximize=maximize, keep=keep, vary=vary,
            toward=toward, set=set_, figure=figure, clip=clip, any_speed=any_speed, any_gait=any_gait, name=name,
        )  # fmt: skip
        asked: dict[str, Any] = {"seconds": seconds, "population": population, "sigma": sigma, "seed": seed, "dt": dt}
        asked |= {"scale": push_scale, "norms": norms, "checkpoint": checkpoint, "device": device}
        return _find_gait(goal, controller, asked, check_files(out, (".toml",)), jobs)
    refuse("works only with --goal", seconds=seconds, dt=dt, push_scale=push_scale, norms=norms)
    if not controller:
        raise FootfallError("optimize: name a controller, or a gait to search for with --goal")
    files = check_files(out, (".toml", *PLOT_SUFFIXES))
    controllers = [path for path in files if path.suffix == ".toml"]
    if len(controllers) > 1:
        raise FootfallError("--out: name one .toml file for the controller")
    held = _held(set_)
    experiment = Experiment(controller, figure=figure, terrain=terrain, set=held, recovery=4.0, device=device)
    first = experiment.graph
    terms = [*(parse_term(t, 1.0) for t in minimize), *(parse_term(t, -1.0) for t in maximize)]
    objective = Objective(tuple(terms), tuple(parse_bound(b) for b in keep))
    motion = None
    if clip is not None:
        motion = load_motion(clip)
    ranges = tuple(_range(text) for text in vary)
    began = time.perf_counter()
    search, base, kept = prepared_search(
        experiment,
        objective,
        ranges,
        clip=motion,
        any_speed=any_speed or bool(toward),
        any_gait=any_gait,
        population=16 if population is None else population,
        generations=generations,
        starts=starts,
        sigma=0.05 if sigma is None else sigma,
        seed=seed,
    )
    stages: list[dict[str, Any]] = []
    figure_file, place = None, experiment
    what = f"{experiment.name}: search"
    with progress(what) as show, jobs.opened(show) as executor:
        report = cluster_progress(show, what, executor)
        if toward:
            target = dict(parse_assignment(t) for t in toward)
            way = continuation(search, target, progress=lambda share, _: report(share, 1.0), executor=executor)
            found, stages, place = way.found, [vars(s) for s in way.stages], way.experiment
        else:
            found = search.run(checkpoint, lambda done, total, _: report(done, total), base=base, executor=executor)
    named = name or (controllers[0].stem if controllers else f"{first.name}-optimized")
    found, tried = judged(found, search, place, controller, named)
    if controllers and toward:
        found, figure_file = _with_figure(found, place, controllers[0])
    written = _write(found, files) + ([figure_file] if figure_file is not None else [])
    answer = {
        "controller": found.controller.name,
        "from": first.name,
        "figure": str(figure_file) if figure_file is not None else found.controller.figure,
        "holds": found.holds,
        "broken": broken_bounds(search.objective, found.measures),
        "kept": [bound_words(bound) for bound in search.objective.bounds],
        "cost": found.cost,
        "measures": found.measures,
        "base": found.base,
        "set": found.set,
        "disturbed_starts": {"up": tried[0], "tried": tried[1]},
        "stages": stages,
        "wall_s": round(time.perf_counter() - began, 2),
    }
    return Answer(answer, lambda: _print(found, answer, kept, objective), written)


def _held(texts: tuple[str, ...]) -> dict[str, float]:
    """Conditions of ``--set``."""
    held = dict(parse_assignment(text) for text in texts)
    for setting in held:
        if setting.startswith("push."):
            raise FootfallError(
                f"--set {setting}: a search pushes by itself, at phases of the settled gait; ask for it with "
                "--maximize push_forward or --keep 'push_backward>=400'"
            )
    return held


def _write(found: Found, files: list[Path]) -> list[Path]:
    written = []
    for path in files:
        if path.suffix == ".toml":
            save_controller(found.controller, path)
        elif found.history:
            save_search_picture(found, path)
        else:
            continue
        written.append(path)
    return written


def _range(text: str) -> Range:
    name, _, rest = text.partition("=")
    return Range(name.strip(), *numbers_of(rest.replace(":", ","), f"--vary {name}", "NAME=LOW:HIGH", 2))


def _with_figure(found: Found, experiment: Experiment, out: Path) -> tuple[Found, Path | None]:
    """The controller with the reshaped figure, saved beside it, as its figure."""
    if not any(n.startswith("body.") for n in experiment.set):
        return found, None

    path = out.with_suffix(".xml")
    write_whole(path, reshaped_figure(experiment).xml.encode())
    return replace(found, controller=found.controller.changed(figure=str(path))), path


def _print(found: Found, answer: dict[str, Any], usual: tuple[Bound, ...], asked: Objective) -> None:
    for stage in answer["stages"]:
        print(f"{stage['share']:.0%}: {stage['set']}, {stage['searched']} generations")
    print(f"{found.controller.name}, from {answer['from']}:")
    print_columns(change_rows(found))
    print(f"  stays up for 20 s from {answer['disturbed_starts']['up']} of {answer['disturbed_starts']['tried']} "
          "disturbed starts")  # fmt: skip
    if usual:
        words = ", ".join(bound_words(bound) for bound in usual)
        print_text(f"kept without being asked: {words} (--any-speed, --any-gait let them change)")
    if found.measures["survival"] < 1.0:
        print("it still falls: try more --generations, several --starts, a larger --sigma, or other ranges (--vary)")
    elif answer["broken"]:
        print_text(f"does NOT keep: {'; '.join(answer['broken'])}", indent="")
    else:
        print("keeps every bound")
        if found.base["survival"] < 1.0 and asked.terms:
            print_text(
                "the controller that it began with falls, so only a gait was searched for (--keep 'speed>=0.8' asks "
                f"for a speed); run the same command on the result for {goal_words(asked)}", indent=""
            )  # fmt: skip


def _find_gait(goal: str, base: str, asked: dict[str, Any], files: list[Path], jobs: Jobs) -> Answer:
    """Search for a gait in space."""
    wanted, given = load_goal(goal), {name: value for name, value in asked.items() if value is not None}
    seconds = given.setdefault("seconds", 300.0)
    what = f"{wanted.name}: search"
    with progress(what) as show, jobs.opened(show) as executor:
        report = cluster_progress(show, what, executor)
        found = find_gait(
            wanted,
            base=load_graph(base) if base else None,
            progress=lambda spent, _: report(min(spent, seconds), seconds),
            executor=executor,
            **given,
        )
    for path in files:
        save_controller(found.controller, path)
    measures = found.measures
    answer = {"controller": found.controller.name, "generations": len(found.history), "push_scale": found.scale}
    answer |= {"interrupted": found.interrupted, "measures": measures, "set": found.set}

    def say() -> None:
        print(
            f"{found.controller.name}: {measures['speed']:.2f} m/s, {measures['step_time']:.2f} s per footstep, "
            f"{100 * measures['double_support_share']:.0f} % double support, {measures['step_width']:.2f} m wide"
        )
        print(f"  survives {100 * measures['pushes_survived']:.0f} % of pushes at {found.scale:.2f} times the paper's")
        if found.interrupted:
            print(f"  interrupted: this is the best after {len(found.history)} generations")

    return Answer(answer, say, files)
