"""Data-Driven Biped Control (Lee, Kim, Lee 2010): its clips tracked, its ablation and variations measured again.

The clips are the authors' own and do not come with footfall: see :func:`footfall.study.imitation.figure_5.clip_folder`.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.tracking.controller import TrackingController
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.study.imitation.figure_5 import (
    clip_folder,
    fitted_to,
    found_controller,
    paper_controller,
    push_controller,
)
from footfall.study.imitation.following import DT, follow, tracking_simulation
from footfall.study.imitation.paper_gains import PAPER_CLIPS
from footfall.study.imitation.pushes import push_figure, push_limits
from footfall.study.reproduce.part import Part, measure_parts
from footfall.study.reproduce.row import Row

if TYPE_CHECKING:
    from footfall.study.reproduce import Progress

__all__ = ["figures", "parts", "rows", "set_data"]

SECONDS = 60.0
NOISES = (0.0, 1e-6, 1e-3, 1e-3, 1e-3)
"""Disturbances of the starts' velocities, rad/s and m/s, for each step size."""
STEPS = (0.5 * DT, DT, 2.0 * DT)
SAME = "figure, ground, steps, order of corrections and synchronisation as in the authors' code"

FOUND = "gains, kt, clearance and feed-forward found by search; the target is the next frame, as the paper's text says"

_data: dict[str, Path | None] = {"folder": None}


def set_data(folder: Path | None) -> None:
    """Where the clips are, in place of the usual places."""
    _data["folder"] = folder


@dataclass(frozen=True)
class _Trial:
    """k of n starts and step sizes that stayed up, with the least time and the median footsteps."""

    passed: int
    tried: int
    least: float
    footsteps: float


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    try:
        folder = clip_folder(_data["folder"])
    except FootfallError as error:
        what = "the clips of figure 5 with the paper's gains"
        row = Row("clips", what, None, None, "", None, str(error), source="section 5, figure 5")
        return (Part("clips", what, ("clips",), lambda: [row]),)
    return (
        *(
            Part(name, name, (f"{name}-paper", f"{name}-found"), partial(_clip_rows, name, folder))
            for name in PAPER_CLIPS
        ),
        Part("ablation", "ablation", ("ablation-*",), partial(_ablation_rows, folder)),
        Part("variations", "variations", ("variation-*",), partial(_variation_rows, folder)),
        Part("pushes", "pushes", ("push-*",), partial(_push_rows, folder)),
    )


def rows(progress: "Progress | None" = None) -> list[Row]:
    """Every claim that is measured here, judged by the rule that its row states."""
    return measure_parts(parts(), progress)


def figures(out_dir: Path) -> list[Path]:
    """Clip and simulation of figure 6's motions, poses beside each other; none without the clips."""
    from footfall.study.imitation.film import draw_poses

    try:
        folder = clip_folder(_data["folder"])
    except FootfallError:
        return []
    files = []
    for name in ("walk-normal", "walk-brisk", "walk-march", "walk-backward", "u-turn", "spin"):
        controller = found_controller(name, folder)
        files.append(draw_poses(follow(controller, min(_seconds(controller), 8.0)), out_dir / f"figure-6-{name}.png"))
    return files


def _seconds(controller: TrackingController) -> float:
    """The whole clip, or a minute of a walk that goes round."""
    fragments = controller.repertoire.fragments
    return SECONDS if fragments[-1].successor >= 0 else sum(len(f.frames) - 1 for f in fragments) / 30.0


def _trial(controller: TrackingController, seconds: float) -> _Trial:
    passed, least, steps = 0, seconds, []
    for dt in STEPS:
        noise = np.array(NOISES)[:, None]
        shaken = np.random.default_rng(11).normal(0.0, 1.0, (len(NOISES), 42)) * noise
        outcome = tracking_simulation(controller, worlds=len(NOISES), shaken=shaken, dt=dt, last_states=1).run(seconds)
        passed += int(outcome.survived.sum())
        least = min(least, float(np.where(outcome.survived, seconds, outcome.end_time).min()))
        steps += list(outcome.footsteps)
    return _Trial(passed, len(NOISES) * len(STEPS), least, float(np.median(steps)))


def _clip_rows(name: str, folder: Path) -> list[Row]:
    clip = PAPER_CLIPS[name]
    paper = paper_controller(name, folder)
    seconds = _seconds(paper)
    span = "its best two steps repeated for 60 s" if clip.walks else f"followed once, {seconds:.1f} s"
    rule = "every start (undisturbed, 1e-6, 1e-3) at every step size (1/1800, 1/900, 1/450 s) stays up"
    made = []
    kinds = [("paper", paper), ("found", found_controller(name, folder))]
    for kind, controller in kinds:
        trial = _trial(controller, seconds)
        close = follow(controller, seconds)
        gains = "the paper's gains" if kind == "paper" else "gains found by search"
        departures = "" if kind == "paper" else FOUND
        made.append(
            Row(
                f"{name}-{kind}",
                f"{clip.name}, {span}, with {gains}: starts that stay up; holds when all do",
                f"{trial.tried} of {trial.tried}",
                f"{trial.passed} of {trial.tried}",
                "starts",
                trial.passed == trial.tried,
                f"shortest {trial.least:.1f} s, {trial.footsteps:.0f} steps; undisturbed: joint error "
                f"{close.joint_error:.1f} degrees, correlation {close.correlation:.2f}, "
                f"{close.speed:.2f} of the clip's speed",
                source="section 5 and figure 5",
                claim=f"The controller reproduces {clip.name} with the gains of figure 5.",
                rule=rule,
                departures=departures,
                passed=trial.passed,
                tried=trial.tried,
            )
        )
    return made


def _walk(folder: Path) -> TrackingController:
    return found_controller("walk-normal", folder)


def _ablation_rows(folder: Path) -> list[Row]:
    claims = {
        "synchronise": ("synchronisation", 3, 6, True),
        "stance_hip": ("the feedback on the stance hip", 2, 4, True),
        "swing_hip": ("the feedback on the swing hip", 6, 10, True),
        "stance_ankle": ("the feedback on the stance ankle", None, None, False),
        "swing_height": ("the feedback on the swing foot's height", None, None, False),
    }
    made = []
    for part, (what, low, high, falls) in claims.items():
        steps, fell, tried = [], 0, 0
        for name in (n for n, clip in PAPER_CLIPS.items() if clip.walks):
            controller = found_controller(name, folder)
            outcome = tracking_simulation(controller.changed(**{part: False}), worlds=4, noise=1e-3, last_states=1).run(
                30.0
            )
            fell, tried = fell + int((~outcome.survived).sum()), tried + 4
            steps += [int(n) for n, up in zip(outcome.footsteps, outcome.survived, strict=True) if not up]
        middle = float(np.median(steps)) if steps else None
        rule = (
            f"all fall, after {low} to {high} steps in the median (counted from the first footstep)"
            if falls
            else "some walks stay up for 30 s"
        )
        within = middle is not None and low is not None and high is not None and low <= middle <= high
        holds = (fell == tried and within) if falls else fell < tried
        made.append(
            Row(
                f"ablation-{part.replace('_', '-')}",
                f"{what} off, eight walks from four starts each: {rule}",
                f"falls after {low} to {high} steps" if falls else "some gaits do not fall",
                f"{fell} of {tried} fall, median {'-' if middle is None else f'{middle:.0f}'} steps",
                "",
                holds,
                f"steps until the fall: {min(steps, default=0)} to {max(steps, default=0)}",
                source="section 5, effects of individual components",
                claim=f"Disabling {what} leads to a fall within a few steps."
                if falls
                else f"Some gaits do without {what}.",
                rule=rule,
                departures=FOUND,
                passed=fell if falls else tried - fell,
                tried=tried,
            )
        )
    return made


def _variation_rows(folder: Path) -> list[Row]:
    walk = _walk(folder)
    figure = Figure.load(walk.figure)
    bodies = {
        "15 kg more on one thigh": ["left_thigh+15kg"],
        "legs 50 % longer": ["thigh*1.5", "shin*1.5"],
        "legs 50 % shorter": ["thigh*0.5", "shin*0.5"],
        "one leg 3 % shorter": ["left_thigh*0.97", "left_shin*0.97"],
    }
    cases: list[tuple[str, dict[str, Any]]] = []
    for what, edits in bodies.items():
        try:
            cases.append((what, {"figure": figure.with_body_parameters(figure.body_parameters(edits))}))
        except FootfallError as error:
            cases.append((what, {"error": str(error)}))
    cases += [("6 degrees uphill", {"terrain": "slope:6,4"}), ("4 degrees downhill", {"terrain": "slope:-4,4"})]
    mu = walk.repertoire.ground.friction
    cases += [
        (f"friction {n} %", {"ground": replace(walk.repertoire.ground, friction=mu * n / 100)}) for n in (60, 1200)
    ]
    made = []
    for what, options in cases:
        label = f"variation-{what.replace(' %', '').replace(' ', '-').lower()}"
        common: dict[str, Any] = {
            "source": "section 5 and figure 7",
            "claim": f"The walk is stable with {what}, with the same reference and gains.",
            "rule": "all of eight starts (noise 1e-3) stay up for 30 s",
            "departures": FOUND,
        }
        title = f"{what}: starts of eight that stay up for 30 s; holds when all do"
        row = Row(label, title, 8, None, "starts", None, str(options.get("error", "")), **common)
        if "error" not in options:
            fitted = fitted_to(walk, options["figure"]) if "figure" in options else walk
            outcome = tracking_simulation(fitted, worlds=8, noise=1e-3, last_states=1, **options).run(30.0)
            up = int(outcome.survived.sum())
            note = f"median {np.median(outcome.footsteps):.0f} steps"
            row = replace(row, measured=up, holds=up == 8, note=note, passed=up, tried=8)
        made.append(row)
    return made


def _push_rows(folder: Path) -> list[Row]:
    wanted = {"front": 160.0, "rear": 130.0, "right": 80.0, "left": 105.0}
    figure = push_figure()
    made = []
    for kind in ("paper", "found"):
        controller = push_controller(folder, found=kind == "found")
        forces = np.array([20.0, 40.0, 60.0, 80.0, 105.0, 130.0, 160.0, 180.0])
        limits = push_limits(controller, forces=forces, figure=figure)
        gains = "the paper's gains" if kind == "paper" else "gains found by search"
        made += [
            Row(
                f"push-{where}-{kind}",
                f"largest push from the {where}, 0.4 s every 4 s for 40 s, below which every smaller one passes at "
                f"four phases, with {gains}; holds when at least the paper's",
                newtons,
                limits[where],
                "N",
                limits[where] >= newtons,
                "forces of 20, 40, 60, 80, 105, 130, 160 and 180 N are tried",
                source="section 5, robustness to pushes",
                claim=f"Walk Forward Normal withstands pushes of up to {newtons:g} N from the {where}.",
                rule="every smaller push that is tried passes too, at four phases; the authors tried one phase",
                departures="SIMBICON's masses on this figure's own shapes" + ("" if kind == "paper" else "; " + gains),
            )
            for where, newtons in wanted.items()
        ]
    return made
