"""``footfall what-if``: a walk before and after a change of its body."""

import math
from pathlib import Path
from typing import Annotated

import tyro

from footfall.cli.arguments import Controller, Files, Folder, MaybeFloat, Words
from footfall.cli.printing import Answer, check_files, print_columns, progress
from footfall.pictures import save
from footfall.study.gait_lab.analysis import Analysis
from footfall.study.gait_lab.tables import save_analyses
from footfall.study.measures.table import CYCLE_MEASURES, PARAMETERS
from footfall.study.what_if import CHANGES, WhatIf, parse_change
from footfall.study.what_if import what_if as study

FILMS = (".mp4", ".gif", ".glb", ".bvh", ".npz")

Joints = Annotated[Words, tyro.conf.arg(metavar="JOINT:NUMBER")]
Sides = Annotated[Words, tyro.conf.arg(metavar="SIDE:NUMBER")]


def what_if(
    controller: Controller,
    weak: Joints = (),
    stiff: Joints = (),
    shorter: Sides = (),
    prosthesis: Annotated[Words, tyro.conf.arg(metavar="SIDE")] = (),
    load: Sides = (),
    speed: MaybeFloat = None,
    seconds: float = 120.0,
    population: int = 16,
    seed: int = 1,
    norms: Folder = None,
    device: str = "cpu",
    out: Files = (),
) -> Answer:
    """Change a walker's body, let its walk adapt by search, and analyse it before and after.

    Three walks are compared: the walk on its own body, the same walk on the changed body, and the adapted walk. Each is
    also tried from 20 disturbed starts that the search has not used. If the search finds nothing better than the
    unadapted walk, the command says so, and the unadapted walk is the result.

    Args:
        controller: a 3D walk (walk-3d, gait-lab-walk, …) or a .toml file.
        weak: a joint that keeps only a share of its strength, as in left_ankle:0.5. May be repeated, like all changes.
        stiff: a joint that bends by no more than some degrees, as in left_knee:10.
        shorter: a leg shorter by some metres, as in left:0.03.
        prosthesis: the side of a prosthetic foot, an ankle that is a spring.
        load: kilograms carried beside one hip, as in left:10.
        speed: the wanted speed afterwards, m/s. Default: as fast as before.
        seconds: how long to search.
        population: candidates per generation.
        seed: random seed of the search and of the starts.
        norms: a folder with people's tables.
        device: where to search: cpu or cuda.
        out: .html (a page with all walks), .xlsx, .pdf, .json; .toml (the adapted controller, its body beside it);
            .mp4, .gif, .glb, .bvh, .npz (the adapted walk), .png, .svg (its poses). May be repeated.
    """
    files = check_files(out, (".html", ".xlsx", ".pdf", ".json", ".toml", ".png", ".svg", *FILMS))
    given = {"weak": weak, "stiff": stiff, "shorter": shorter, "prosthesis": prosthesis, "load": load}
    changes = [parse_change(option, text) for option in CHANGES for text in given[option]]
    with progress(f"{controller}: adapting", 1.0) as show:
        found = study(
            controller,
            changes,
            speed=speed,
            seconds=seconds,
            norms=norms,
            population=population,
            seed=seed,
            device=device,
            progress=lambda share, words: show(share, 1.0, words),
        )
    written: list[Path] = []
    for path in files:
        if path.suffix == ".toml":
            written += found.save_controller(path)
        elif path.suffix in FILMS:
            written.append(save(found.after.motion, path))
        elif path.suffix in (".png", ".svg"):
            written.append(save(found.after.motion, path, title=found.after.name))
        else:
            written.append(save_analyses(found.analyses, path, found.told))
    return Answer(_plain(found), lambda: _print(found), written)


ROWS = ("speed", "cadence", "step_length", "step_time", "stance", "double_support", "step_width")


def _columns(found: WhatIf) -> list[tuple[str, Analysis | None]]:
    columns = [("before", found.before), ("not adapted", found.unadapted)]
    return columns if found.refused else [*columns, ("adapted", found.after)]


def _print(found: WhatIf) -> None:
    print(f"{found.name}: {', '.join(found.changes)} ({found.generations} generations)")
    columns = _columns(found)
    rows = [["left / right", *(title for title, _ in columns)]]
    for name in ROWS:
        parameter = PARAMETERS[name]
        cells = ["–" if a is None else _pair(a, name) for _, a in columns]
        rows.append([parameter.heading, *cells])
    for name in ("first_peak", "second_peak", "cost_of_transport", "head_acceleration", "match", "profile_score"):
        if name in found.before.walk_measures:
            measure = CYCLE_MEASURES[name]
            values = [None if a is None else a.walk_measures.get(name) for _, a in columns]
            cells = ["–" if value is None else f"{value:.2f}" for value in values]
            rows.append([measure.heading, *cells])
    print_columns(rows)
    for (title, _), key in zip(columns, ("before", "unadapted", "after"), strict=False):
        print(f"  {title}: {found.trials[key]}")
    if found.verdict:
        print(f"  {found.verdict}")


def _pair(analysis: Analysis, name: str) -> str:
    means = [analysis.parameters[name][side].mean for side in ("left", "right")]
    return " / ".join(f"{mean:.3g}" if math.isfinite(mean) else "–" for mean in means)


def _plain(found: WhatIf) -> dict[str, object]:
    walks = {
        key: None
        if a is None
        else {
            "parameters": {n: {s: v.mean for s, v in sides.items()} for n, sides in a.parameters.items()},
            "measures": a.walk_measures,
        }
        for key, a in (("before", found.before), ("unadapted", found.unadapted), ("after", found.after))
    }
    return {
        "controller": found.name,
        "changes": list(found.changes),
        "generations": found.generations,
        "wanted_speed_mps": found.pace,
        "adapted": not found.refused,
        "verdict": found.verdict,
        "trials": {key: {"up": t.up, "tried": t.tried} for key, t in found.trials.items()},
        "walks": walks,
    }
