"""Data-Driven Biped Control (Lee, Kim, Lee 2010): its clips tracked, its ablation and variations measured again.

The clips are the authors' own and do not come with footfall: see :func:`.figure_5.clip_folder`.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError
from footfall.methods.tracking.controller import TrackingController
from footfall.study.imitation.following import follow
from footfall.study.trials.bench import disturbed_worlds
from footfall_reproductions.data_driven.clips import clip_parts
from footfall_reproductions.data_driven.conditions import FOUND, PARTS, ablation_rows, push_rows, variation_rows
from footfall_reproductions.data_driven.figure_5 import clip_folder, found_controller, paper_controller
from footfall_reproductions.data_driven.paper_gains import PAPER_CLIPS
from footfall_reproductions.data_driven.scenes import BOXES, box_rows, steering_rows
from footfall_reproductions.data_driven.variations import VARIATIONS
from footfall_reproductions.part import Part, measure_parts
from footfall_reproductions.row import Row

if TYPE_CHECKING:
    from footfall_reproductions import Progress

DT = 1.0 / 900.0
"""The paper's step, seconds."""
SECONDS = 60.0
NOISES = (0.0, 1e-6, 1e-3, 1e-3, 1e-3)
"""Disturbances of the starts' velocities, rad/s and m/s, for each step size."""
STEPS = (0.5 * DT, DT, 2.0 * DT)
SAME = "figure, ground, steps, order of corrections and synchronisation as in the authors' code"

FITTED = "the clip's feet are fitted to flat ground; the authors' preprocessing turns them flat in a way of its own"
AHEAD = "the target is the clip's next frame, as the paper's text says; in the authors' code it is the frame itself"
SMOOTH = {"implicit_friction": True, "ahead": 1.0, "clearance": 0.03}
SMOOTHLY = (
    "friction of the feet is taken implicitly, where the authors' steps are explicit; the target is the clip's next "
    "frame, as the paper's text says; the swing foot is held 3 cm clear of the ground, where the authors' code has 1 cm"
)
CHOSEN = (
    "added after all other readings had been measured, and chosen from 32 combinations of these settings, of feet "
    "fitted to flat ground and of the whole acceleration in equation 1, each tried from three starts; same rule"
)
LOOPED = "added after the authors' loops had been read off their files; the rule is the same"
READING = "added for clips that fall with the clip and the target as the authors' code has them; the rule is the same"

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
    """Rows that are measured together. A folder that was given must have the clips; without any, one row says so."""
    try:
        folder = clip_folder(_data["folder"])
    except FootfallError as error:
        if _data["folder"] is not None:
            raise
        what = "the clips of figure 5 with the paper's gains"
        row = Row("clips", what, None, None, "", None, str(error), source="section 5, figure 5")
        return (Part("clips", what, ("*",), lambda: [row]),)
    return (
        *(
            Part(
                name,
                name,
                tuple(f"{name}-{kind}" for kind in ("paper", "paper-fitted", "paper-ahead", "found")),
                partial(_clip_rows, name, folder),
            )
            for name in PAPER_CLIPS
        ),
        *(
            Part(
                f"{name}-loop", f"{name}, the authors' loop", (f"{name}-paper-loop",), partial(_loop_rows, name, folder)
            )
            for name, clip in PAPER_CLIPS.items()
            if clip.loop
        ),
        *(
            Part(f"{name}-smooth", f"{name}, smoothly", (f"{name}-paper-smooth",), partial(_smooth_rows, name, folder))
            for name in PAPER_CLIPS
        ),
        *(
            Part(
                own := f"ablation-{part.replace('_', '-')}",
                f"{what} off",
                (own, f"{own}-paper"),
                partial(ablation_rows, part, folder),
            )
            for part, (what, _) in PARTS.items()
        ),
        *(
            Part(
                own := f"variation-{one.name}",
                f"the walk with {one.what}",
                (own,),
                partial(variation_rows, one, folder),
            )
            for one in VARIATIONS
        ),
        *(
            Part(f"pushes-{kind}", f"pushes, {kind} gains", (f"push-*-{kind}",), partial(push_rows, kind, folder))
            for kind in ("paper", "found")
        ),
        Part("steering", "steering", ("steering-minute",), partial(steering_rows, folder)),
        *(Part(own, BOXES[own][0], (own,), partial(box_rows, own, folder)) for own in BOXES),
        *clip_parts(folder),
    )


def rows(progress: "Progress | None" = None) -> list[Row]:
    """Every claim that is measured here, judged by the rule that its row states."""
    return measure_parts(parts(), progress)


def figures(out_dir: Path) -> list[Path]:
    """Clip and simulation of figure 6's motions, poses beside each other; none without the clips."""
    from footfall.study.imitation.pictures import draw_poses

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
        outcome = disturbed_worlds(controller, shaken=shaken, dt=dt, last_states=1).run(seconds)
        passed += int(outcome.survived.sum())
        least = min(least, float(np.where(outcome.survived, seconds, outcome.end_time).min()))
        steps += list(outcome.footsteps)
    return _Trial(passed, len(NOISES) * len(STEPS), least, float(np.median(steps)))


def _clip_rows(name: str, folder: Path) -> list[Row]:
    """A clip with the paper's gains, with other readings where those fall, and with gains found by search."""
    paper = paper_controller(name, folder)
    row = partial(_clip_row, name, _seconds(paper))
    made = [row("paper", paper, "the paper's gains")]
    if not made[0].holds:
        fitted = paper_controller(name, folder, fitted=True)
        made.append(row("paper-fitted", fitted, "the paper's gains, feet on flat ground", FITTED))
        ahead = paper.changed(ahead=1.0)
        made.append(row("paper-ahead", ahead, "the paper's gains, the next frame as target", AHEAD))
    return [*made, row("found", found_controller(name, folder), "gains found by search", FOUND)]


def _smooth_rows(name: str, folder: Path) -> list[Row]:
    """A clip with the paper's gains, where friction does not chatter and the swing foot does not scuff."""
    controller = paper_controller(name, folder).changed(**SMOOTH)
    gains = "the paper's gains, friction taken implicitly, the swing foot 3 cm clear"
    return [replace(_clip_row(name, _seconds(controller), "paper-smooth", controller, gains, SMOOTHLY), changed=CHOSEN)]


def _loop_rows(name: str, folder: Path) -> list[Row]:
    """A clip with the paper's gains and the two steps that the authors repeat."""
    controller = paper_controller(name, folder, looped=True)
    gains = "the paper's gains, the steps that the authors repeat"
    return [replace(_clip_row(name, SECONDS, "paper-loop", controller, gains), changed=LOOPED)]


def _clip_row(
    name: str, seconds: float, kind: str, controller: TrackingController, gains: str, departures: str = ""
) -> Row:
    """The starts and step sizes from which a controller stays up on a clip for some seconds."""
    clip = PAPER_CLIPS[name]
    span = "its best two steps repeated for 60 s" if clip.walks else f"followed once, {seconds:.1f} s"
    reading = kind.startswith("paper-")
    trial, close = _trial(controller, seconds), follow(controller, seconds)
    ours = "ours: another reading of figure 5" if reading else "ours: gains found by search"
    return Row(
        f"{name}-{kind}",
        f"{clip.name}, {span}, with {gains}: starts that stay up; holds when all do",
        f"{trial.tried} of {trial.tried}",
        f"{trial.passed} of {trial.tried}",
        "starts",
        trial.passed == trial.tried,
        f"shortest {trial.least:.1f} s, {trial.footsteps:.0f} steps; undisturbed: joint error "
        f"{close.joint_error:.1f} degrees, correlation {close.correlation:.2f}, "
        f"{close.speed:.2f} of the clip's speed",
        source="section 5 and figure 5" if kind == "paper" else ours,
        claim=f"The controller reproduces {clip.name} with {gains}.",
        rule="every start (undisturbed, 1e-6, 1e-3) at every step size (1/1800, 1/900, 1/450 s) stays up",
        departures=departures,
        passed=trial.passed,
        tried=trial.tried,
        changed=READING if reading else "",
    )
