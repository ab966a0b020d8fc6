"""From a clip to a physically simulated character: retarget, annotate, cut, find gains, report
(Data-Driven Biped Control, sections 3 to 5, with gains searched where the authors tuned by hand)."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.figures import Figure
from footfall.methods.tracking.capture import frames_of
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion import Motion, load_motion
from footfall.study.imitation.clip_check import check_clip
from footfall.study.imitation.following import Following, follow, tracking_simulation
from footfall.study.imitation.gain_search import (
    GainSearch,
    SearchedGains,
    default_sets,
    search_gains,
    split_set,
)
from footfall.study.imitation.pushes import push_limits
from footfall.study.imitation.stretch_search import StretchSearch, search_stretches

__all__ = ["Imitation", "clip_distance", "controller_name", "imitate"]

FPS = 30.0
LOOP_SECONDS = 60.0
DEMO = {"friction": 2.0, "ankle_settling": 0.2}
"""Ground and ankle of the authors' turning and interactive demonstrations."""
LONGEST_TRIAL = 90.0
"""Seconds of a clip that the search tries."""
LONG = 15.0
"""Seconds above which the search for one set of gains is short: two starts, few generations, no restarts."""
LONG_GENERATIONS = 6
UNSEEN = 7
"""Disturbed starts that no search has seen, by which the report says how often it stays up."""

Show = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class Imitation:
    """A clip's controller with its report.

    Attributes:
        controller: it. search: what the search found. following: the undisturbed run.
        up, tried: how many unseen disturbed starts stayed up.
        push_limits: newtons by direction; empty where they were not asked for or the clip is too short to be pushed.
    """

    controller: TrackingController
    search: SearchedGains
    following: Following
    up: int
    tried: int
    push_limits: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        f = self.following
        return {
            "controller": self.controller.name,
            "figure": self.controller.figure,
            "fell": f.fell,
            "seconds": round(f.time, 3),
            "asked_seconds": round(f.seconds, 3),
            "joint_error_deg": round(f.joint_error, 2),
            "correlation": _rounded(f.correlation),
            "pace": _rounded(f.speed),
            "steps": f.footsteps,
            "disturbed_up": self.up,
            "disturbed_tried": self.tried,
            "sets_of_gains_tried": self.search.tried,
            "push_limits": self.push_limits,
        }


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def controller_name(path: Path) -> str:
    """A controller's name from a file's."""
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "clip"


def imitate(
    clip: Path | Motion,
    *,
    figure: str = "mocap-biped",
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    search: GainSearch | None = None,
    progress: Show | None = None,
) -> Imitation:
    """Make a clip's controller.

    Args:
        clip: a motion or its file.
        figure: a figure of ball joints.
        name: of the controller; by default from the file's name.
        loop: repeat the clip's best two steps for ever, instead of following it once.
        pushes: whether to look for push limits (of loops, or of clips of 6 s or more).
        search: how to look for gains.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    motion = clip if isinstance(clip, Motion) else load_motion(clip)
    name = name or (controller_name(clip) if isinstance(clip, Path) else "clip")
    body = Figure.load(figure)
    show(0.0, "reading the clip")
    frames = frames_of(motion, body)
    check_clip(frames, body)
    repertoire = clip_repertoire(frames, body, loop=loop).changed(**DEMO)
    about = f"Tracks {'two steps of ' if loop else ''}{name}, {len(frames) / FPS:.1f} s of captured motion."
    controller = TrackingController(name, repertoire, figure, about)
    seconds = LOOP_SECONDS if loop else sum(len(f.frames) - 1 for f in repertoire.fragments) / FPS
    plan = search or GainSearch()
    tried = min(seconds, LONGEST_TRIAL)
    plan = replace(plan, seconds=tried)
    if tried > LONG:
        generations = min(plan.generations, LONG_GENERATIONS)
        plan = replace(plan, starts=min(plan.starts, 2), restarts=1, generations=generations)
    show(0.05, "trying known gains")
    found = search_gains(controller, clip_distance(repertoire, tried), plan, lambda d, w: show(0.05 + 0.4 * d, w))
    if not loop and found.up < found.starts and plan.generations > 0:
        known = [split_set(values)[0] for values in default_sets()]
        stretches = StretchSearch(tried, noise=plan.noise, seed=plan.seed)
        changed, more = search_stretches(found.controller, known, stretches, lambda d, w: show(0.45 + 0.35 * d, w))
        found = replace(found, controller=changed, tried=found.tried + more)
    controller = found.controller
    show(0.8, "measuring")
    following = follow(controller, seconds)
    unseen = tracking_simulation(controller, worlds=UNSEEN + 1, noise=0.03, seed=plan.seed + 100, last_states=1)
    up = int(unseen.run(seconds).survived[1:].sum())
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        show(0.9, "pushing")
        limits = _limits(controller, seconds, loop=loop)
    made = Imitation(controller, found, following, up, UNSEEN, limits)
    kept = (
        "fell",
        "seconds",
        "joint_error_deg",
        "correlation",
        "pace",
        "disturbed_up",
        "disturbed_tried",
        "push_limits",
    )
    report = {key: value for key, value in made.as_dict().items() if key in kept}
    return replace(made, controller=replace(controller, report=report))


def clip_distance(repertoire: Repertoire, seconds: float) -> float:
    """How far the clip goes within a time, straight from start to end; a loop goes on as it does."""
    place, last = np.zeros(2), round(seconds * FPS)
    k, frame = repertoire.start, 0
    heading = 0.0
    while frame < last and k >= 0:
        fragment = repertoire.fragments[k]
        length = min(len(fragment.frames) - 1, last - frame)
        step = fragment.frames[length, :2] - fragment.frames[0, :2]
        c, s = np.cos(heading), np.sin(heading)
        place = place + np.array([c * step[0] - s * step[1], s * step[0] + c * step[1]])
        heading += fragment.turn
        frame += length
        k = fragment.successor
    return float(np.linalg.norm(place))


def _limits(controller: TrackingController, seconds: float, *, loop: bool) -> dict[str, float]:
    if loop:
        return push_limits(controller, first=6.0, count=4)
    if seconds < 6.0:
        return {}
    return push_limits(controller, first=0.4 * seconds, count=1, every=0.4 * seconds)
