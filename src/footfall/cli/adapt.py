"""``footfall adapt``: carry a controller to another body, or controllers to the bodies of a list."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import HERE, Controller, Folder, Jobs, MaybeFloat, MaybeInt, MaybeText, Words, refuse
from footfall.cli.printing import Answer, check_files, progress
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.study.adaptation.adapting import Adapted
from footfall.study.adaptation.adapting import adapt as carry
from footfall.study.adaptation.many import adapt_many, load_tasks
from footfall.study.adaptation.report import Watcher, write_report
from footfall.study.adaptation.wanted import parse_want

SECONDS = 300.0
ENGINES: tuple[str, ...] = ("native", "mujoco", "original")


def adapt(
    controller: Controller,
    out: Annotated[Path, tyro.conf.arg(metavar="FILE or FOLDER")],
    figure: Annotated[str | None, tyro.conf.arg(metavar="FIGURE")] = None,
    speed: MaybeFloat = None,
    sturdy: Annotated[str | None, tyro.conf.arg(metavar="PUSH")] = None,
    effort: float = 1.0,
    slope: MaybeFloat = None,
    want: Annotated[Words, tyro.conf.arg(metavar="MEASURE=LOW,HIGH,WEIGHT")] = (),
    norms: Folder = None,
    seconds: MaybeFloat = None,
    generations: MaybeInt = None,
    population: MaybeInt = None,
    sigma: MaybeFloat = None,
    seed: int = 1,
    device: str = "cpu",
    engine: Literal["native", "mujoco", "original", "both", "all"] | None = None,
    name: MaybeText = None,
    report: Folder = None,
    film: bool = True,
    jobs: Jobs = HERE,
) -> Answer:
    """Carry a SIMBICON controller to another body: scaled, then searched until it walks there. Or many, from a list.

    The search asks for more and more: first to stay up and step, then for pace, posture and little effort, then for
    pushes from all sides and slopes. Its state is saved in the report's folder: the same command continues an
    interrupted search (Ctrl-C writes the best result so far). At the end the result is judged: 36 disturbed starts of
    60 s, at three time steps.

    Without --figure, a list of bodies gets controllers: one search for each body, and one row for each in results.csv
    and results.md.

    Args:
        controller: a built-in controller, a sketch (plain-walk-sketch, run-sketch, …) or a .toml file. Without
            --figure, a .toml file that lists bodies: [[bodies]] with figure, controller, name, speed, sturdy, effort,
            seconds and seed.
        out: a .toml file for the controller; or a .zip file or a folder (a name without a suffix) for a pack, with the
            controller, the same as C, and a golden run that footfall check replays; for a list of bodies, a folder.
        figure: a built-in figure, or the file of a body (.xml for MJCF, .urdf, .bones).
        speed: wanted speed, m/s. Default: the controller's own, scaled by the body's size.
        sturdy: pushes to withstand: newtons for 0.4 s (150), or body weights (0.3w); forward/sideways/backward where
            they differ (150/100/120). The search ends when the walk withstands them. Default: as hard as the time
            allows.
        effort: weight of the effort in the search; 0 to ignore it.
        slope: degrees of the slopes, up and down, on which the walk is tested besides pushes. Default: 3.
        want: a measure of the gait laboratory and its wanted range, as in match_knee_flexion=90,100,1 or
            second_peak=1.0,1.2,60. May be repeated.
        norms: a folder with people's tables, for measures that compare with them.
        seconds: how long to search, at most. Default: 300.
        generations: how many generations to search, at most, instead of a time: the same seed then gives the same
            result.
        population: candidates per generation. Default: 16 on a CPU, 320 on a GPU.
        sigma: size of the first steps of the search. Default: 0.3 where the scaled controller walks, else 0.5.
        seed: random seed of the search.
        device: where to simulate: cpu or cuda.
        engine: what judges the result: native, mujoco (with its own contacts), original (the exported C, stepped by
            MuJoCo in the body's own file), both of the first two, or all. Default: all; both for a list, which takes
            the first two alone.
        name: name of the new controller. Default: the output's name.
        report: a folder for pictures, the film and the state of the search. Default: beside the output.
        film: whether the report has a film.
    """
    judges = {"both": ENGINES[:2], "all": ENGINES} | {name: (name,) for name in ENGINES}
    asked_of = judges[engine or ("both" if figure is None else "all")]
    engines = tuple(name for name in asked_of if name != "original")
    if figure is None:
        if "original" in asked_of:
            raise FootfallError(f"adapt: --engine {engine} works only with one body; name it with --figure")
        refuse(
            "works only with one body; name it with --figure, or write it in the list", speed=speed, sturdy=sturdy,
            slope=slope, want=want, norms=norms, sigma=sigma, name=name, report=report,
        )  # fmt: skip
        asked: dict[str, Any] = {"generations": generations, "population": population, "device": device, "film": film}
        asked |= {"seconds": SECONDS if seconds is None else seconds}
        return _adapt_list(Path(controller), out, asked if engine is None else asked | {"engines": engines}, jobs)
    packed = out.suffix in ("", ".zip")
    file = _check_pack(out, figure) if packed else check_files([out], (".toml", ".zip"))[0]
    folder = report or file.with_name(file.stem if file.suffix else f"{file.name}-report")
    if folder.exists() and not folder.is_dir():
        raise FootfallError(f"{folder}: that is a file; name a folder for the report")
    most = SECONDS if seconds is None and generations is None else seconds
    watcher = Watcher(folder)
    with (
        progress(f"{controller} to {Path(figure).stem}", 1.0) as show,
        jobs.opened(show) as executor,
    ):

        def watch(row: Mapping[str, Any], judged: Any) -> None:
            spent = row["seconds"] / most if most else row["generation"] / (generations or 1)
            show(min(spent, 1.0), 1.0, _told(row))
            watcher(row, judged)

        adapted = carry(
            controller,
            figure,
            speed=speed,
            sturdy=sturdy,
            effort=effort,
            slope=slope,
            want=dict(map(parse_want, want)),
            norms=norms,
            seconds=most,
            generations=generations,
            population=population,
            sigma=sigma,
            seed=seed,
            device=device,
            engines=engines,
            name=name or file.stem,
            checkpoint=folder / "search.json",
            watch=watch,
            progress=lambda share, what: show(share, 1.0, what),
            executor=executor,
        )
        save_controller(adapted.controller, folder / f"{file.stem}.toml" if packed else file)
        if "original" in asked_of and not adapted.interrupted:
            show(1.0, 1.0, "walks in its own file, by the exported C")
            adapted = _in_its_file(adapted)
        written = _packed(adapted, file) if packed else [str(file)]
    written += map(str, write_report(adapted, folder, film=film and not adapted.interrupted))
    answer = adapted.as_dict()
    return Answer(answer, lambda: _print_summary(answer), written)


def _check_pack(out: Path, figure: str) -> Path:
    """Refuse, before the search, a pack that could not be written after it."""
    from footfall.embedded.original_trials import check_can_be_judged
    from footfall.embedded.pack import check_pack_name
    from footfall.figures import Figure

    check_can_be_judged(Figure.load(figure))
    return check_pack_name(out)


def _packed(adapted: Adapted, out: Path) -> list[str]:
    """Write the pack."""
    from footfall.embedded.pack import write_pack

    return write_pack(adapted.controller, adapted.fitted.figure, out, [trials.as_dict() for trials in adapted.trials])


def _in_its_file(adapted: Adapted) -> Adapted:
    """With the last judge's trials, or a note why there are none."""
    from footfall.embedded.original_trials import original_trials

    try:
        judged = original_trials(adapted.controller, adapted.fitted.figure)
    except FootfallError as error:
        fitted = replace(adapted.fitted, notes=(*adapted.fitted.notes, f"not judged in its own file: {error}"))
        return replace(adapted, fitted=fitted)
    except KeyboardInterrupt:
        return replace(adapted, interrupted=True)
    return replace(adapted, trials=(*adapted.trials, judged))


def _told(row: Mapping[str, Any]) -> str:
    """The best walker so far, in a few words."""
    pushed = f", {row['push']:.0f} N" if row["push"] else ""
    return f"{row['stage']}: {row['up']:.1f} s up, {row['speed']:.2f} m/s{pushed}, cost {row['cost']:.0f}"


def _paced(answer: Mapping[str, Any]) -> str:
    time = answer["step_time_s"]
    return f", {time:.2f} s per footstep" if time == time else ""


def _print_summary(answer: Mapping[str, Any]) -> None:
    scaled = answer["scaled"]
    ratios = answer["length_ratio"], answer["mass_ratio"]
    print(f"{answer['controller']}: hips {ratios[0]:.2f} times as high, {ratios[1]:.2f} times the mass")
    for note in answer["notes"]:
        print(f"  {note}")
    print(
        f"  scaled alone: {scaled['footsteps']} steps, up for {scaled['seconds_up']:.1f} s of {scaled['of_seconds']:g}"
    )
    print(
        f"  after {answer['generations']} generations ({answer['search_seconds']:.0f} s): "
        f"{answer['speed_mps']:.2f} m/s of {answer['wanted_speed_mps']:.2f} asked for{_paced(answer)}"
    )
    for trials in answer["trials"]:
        print(f"  {trials['up']} of {trials['tried']} disturbed starts stay up for 60 s ({trials['engine']})")
    falls = [trials["engine"] for trials in answer["trials"] if trials["up"] < trials["tried"]]
    if falls:
        print(f"  not good yet: it falls by {' and '.join(falls)}; a longer --seconds continues the search")
    if answer["push_limits_n"]:
        limits = ", ".join(f"{n:.0f} N {way}" for way, n in answer["push_limits_n"].items() if " " not in way)
        print(f"  withstands pushes of {answer['push_seconds']:.2f} s at ten phases up to {limits}")
    if answer["interrupted"]:
        print("  interrupted: this is the best so far; the same command continues the search")


def _adapt_list(bodies: Path, out: Path, asked: dict[str, Any], jobs: Jobs) -> Answer:
    """Carry controllers to the bodies of a list."""
    tasks = load_tasks(bodies)
    with progress("bodies") as show, jobs.opened(show) as executor:
        rows = adapt_many(tasks, out, executor=executor, **asked)

    def say() -> None:
        for row in rows:
            starts = ", ".join(f"{row[name]} starts up ({name})" for name in ("native", "mujoco") if row[name])
            print(f"{row['name']}: {row['note'] or starts}")

    return Answer({"bodies": rows}, say, [out / "results.md", out / "results.csv"])
