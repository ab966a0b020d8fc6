"""From a clip to a physically simulated character: retarget, annotate, cut, find gains, report
(Data-Driven Biped Control, sections 3 to 5, with gains searched where the authors tuned by hand)."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from footfall.figures import Figure
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.capture import frames_of, sole_depth
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Settings
from footfall.motion import Motion, load_motion
from footfall.study.imitation.clip_check import check_clip
from footfall.study.imitation.following import Following, follow, tracking_simulation, up_to_the_end
from footfall.study.imitation.gain_search import (
    GainSearch,
    SearchedGains,
    default_sets,
    search_gains,
    sized_set,
    split_set,
)
from footfall.study.imitation.judging import ON_PATH
from footfall.study.imitation.pushes import push_limits
from footfall.study.imitation.stretch_search import StretchSearch, search_stretches

FPS = 30.0
LOOP_SECONDS = 60.0
"""For which a loop is followed."""
DEMO = {"friction": 2.0, "ankle_settling": 0.2}
"""Ground and ankle of the authors' turning and interactive demonstrations."""
FIRM = {
    "stiffness": 5000.0,
    "damping": 2.0 * 5000.0**0.5,
    "friction": 1.5,
    "locking_speed": 0.02,
    "implicit_friction": True,
    "ankle_settling": 0.2,
    "late_landing": 0.8,
}
"""The ground of imitated clips, firmer and less gripping than that of the authors' demonstrations (2000, 2): feet sink
in less, and the legs, whose joints give way to nothing, fight each other less while both feet are down. Friction is
implicit and locks below 0.02 m/s instead of 0.05: feet slide less, and hips work against none that changes its sign."""
CALM = {"friction": 1.0}
"""The same where torques are limited: the legs fight each other less still."""
LONGEST_TRIAL = 90.0
"""Seconds of a clip that the search tries."""
LONG = 15.0
"""Seconds above which the search for one set of gains is short: three starts, few generations, no restarts."""
LONG_GENERATIONS = 14
STURDY = (60.0, 120.0)
"""Newtons that sturdy characters are tried with."""
SAME_SOLE = 1e-6
"""Metres that are no difference."""
PATIENCE = 3.0
"""How much more simulation a search with pushes may take: every set is tried in three times as many worlds."""
LOOP_TRIAL = 12.0
"""Seconds for which sets are tried on a loop that none carries for a minute."""
UNSEEN = 7
"""Disturbed starts that no search has seen, by which the report says how often it stays up."""
UNSEEN_NOISE = 0.03
"""Standard deviation of their velocities, rad/s and m/s."""
KEPT = ("fell", "seconds", "joint_error_deg", "correlation", "pace", "way", "off_path", "heading_error_deg",
        "mpjpe_root_mm", "mpjpe_global_mm", "hip_torque_per_kg", "disturbed_up", "disturbed_tried",
        "push_limits")  # fmt: skip
"""What of a report stands in the controller's file."""

Show = Callable[[float, str], None]
Follower = TypeVar("Follower", TrackingController, NetworkController)


@dataclass(frozen=True, eq=False)
class Imitation(Generic[Follower]):
    """A clip's controller with its report.

    Attributes:
        controller: it. search: what the search found; None for a policy, which needs none. following: the undisturbed
            run.
        up, tried: how many unseen disturbed starts stayed up.
        push_limits: newtons by direction; empty where they were not asked for or the clip is too short to be pushed.
    """

    controller: Follower
    search: SearchedGains | None
    following: Following
    up: int
    tried: int
    push_limits: dict[str, float]

    @property
    def failed(self) -> str:
        """Why this is no character to use, in words; empty where it is one."""
        f = self.following
        if f.fell and f.time >= f.seconds:
            return "it tips over at the clip's end"
        if f.fell:
            return f"it falls after {f.time:.1f} s of {f.seconds:.1f}"
        return f"none of {self.tried} disturbed starts stays up" if self.up == 0 else ""

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
            **_course_numbers(f),
            "disturbed_up": self.up,
            "disturbed_tried": self.tried,
            "sets_of_gains_tried": 0 if self.search is None else self.search.tried,
            "push_limits": self.push_limits,
        }


def _course_numbers(f: Following) -> dict[str, Any]:
    """What is measured against the clip's path and asked of the body, as JSON has it."""
    course, physique = f.course, f.physique
    assert course is not None
    assert physique is not None
    return {
        "way": _rounded(course.way),
        "duration": _rounded(course.duration),
        "off_path": _rounded(course.off_path),
        "heading_error_deg": _rounded(course.heading_error),
        "root_error_m": _rounded(course.root_error),
        "mpjpe_root_mm": _rounded(course.mpjpe_root),
        "mpjpe_global_mm": _rounded(course.mpjpe_global),
        "within_half_a_metre": course.success,
        "slide_cm": _rounded(100.0 * physique.slide),
        "sink_mm": _rounded(1000.0 * physique.sink),
        "vibration": _rounded(physique.vibration),
        "hip_torque_per_kg": _rounded(physique.hip_torque),
        "clearance_cm": _rounded(100.0 * physique.clearance),
        "clip_clearance_cm": _rounded(100.0 * physique.clip_clearance),
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
    sturdy: bool = False,
    stay_on_path: bool = False,
    torque_limit: float = 0.0,
    search: GainSearch | None = None,
    progress: Show | None = None,
) -> Imitation[TrackingController]:
    """Make a clip's controller.

    Args:
        clip: a motion or its file.
        figure: a figure of ball joints, or one of hinges, as robots are.
        name: of the controller; by default from the file's name.
        loop: repeat the clip's best two steps for ever, instead of following it once.
        pushes: whether to look for push limits (of loops, or of clips of 6 s or more).
        sturdy: judge candidates by pushes as well: harder to push over, and further from the clip.
        stay_on_path: judge candidates by the clip's path and heading more than by its poses.
        torque_limit: what a joint can give, N m for each kg of the body; 0 for whatever is asked.
        search: how to look for gains.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    motion = clip if isinstance(clip, Motion) else load_motion(clip)
    name = name or (controller_name(clip) if isinstance(clip, Path) else "clip")
    body = Figure.load(figure)
    show(0.0, "reading the clip")
    frames = frames_of(motion, body, lifted=True)
    check_clip(frames, body)
    repertoire = clip_repertoire(frames, body, loop=loop).changed(**FIRM, **sole_setting(body))
    if torque_limit:
        repertoire = repertoire.changed(**CALM, torque_limit=torque_limit)
    about = f"Tracks {'two steps of ' if loop else ''}{name}, {len(frames) / FPS:.1f} s of captured motion."
    controller = TrackingController(name, repertoire, figure, about)
    seconds = LOOP_SECONDS if loop else sum(len(f.frames) - 1 for f in repertoire.fragments) / FPS
    plan = search or GainSearch()
    tried = min(seconds, LONGEST_TRIAL)
    plan = replace(plan, seconds=tried)
    if sturdy:
        plan = replace(
            plan, pushes=STURDY, simulated=PATIENCE * plan.simulated, refined=PATIENCE * plan.refined, enough=0.0
        )
    if stay_on_path:
        plan = replace(plan, weights=ON_PATH, enough=0.0)
    shorter = replace(plan, seconds=min(tried, LOOP_TRIAL))
    if tried > LONG:
        generations = min(plan.generations, LONG_GENERATIONS)
        plan = replace(
            plan, starts=min(plan.starts, 3), refined=1.5 * plan.refined, restarts=1, generations=generations
        )
    show(0.05, "trying known gains")
    found = search_gains(controller, plan, lambda d, w: show(0.05 + 0.4 * d, w))
    if loop and found.up < found.starts and plan.generations > 0:
        second = search_gains(controller, shorter, lambda d, w: show(0.45 + 0.35 * d, w))
        tried_both = found.tried + second.tried
        found = max(found, second, key=lambda one: follow(one.controller, seconds).time)
        found = replace(found, tried=tried_both)
    if not loop and found.up < found.starts and plan.generations > 0:
        known = [split_set(sized_set(values, body))[0] for values in default_sets()]
        stretches = StretchSearch(tried, noise=plan.noise, seed=plan.seed)
        changed, more = search_stretches(found.controller, known, stretches, lambda d, w: show(0.45 + 0.35 * d, w))
        found = replace(found, controller=changed, tried=found.tried + more)
    controller = found.controller
    show(0.8, "measuring")
    following = follow(controller, seconds)
    unseen = tracking_simulation(controller, worlds=UNSEEN + 1, noise=UNSEEN_NOISE, seed=plan.seed + 100, last_states=1)
    unseen.run(seconds)
    up = int(up_to_the_end(unseen, controller.repertoire)[1:].sum())
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        show(0.9, "pushing")
        limits = limits_of(controller, seconds, loop=loop)
    made = Imitation(controller, found, following, up, UNSEEN, limits)
    return replace(made, controller=replace(controller, report=reported(made)))


def reported(made: Imitation[Any]) -> dict[str, Any]:
    """What of its report stands in the controller's file."""
    return {key: value for key, value in made.as_dict().items() if key in KEPT}


def sole_setting(body: Figure) -> dict[str, Any]:
    """The setting of another body than the paper's."""
    depth = sole_depth(body)
    return {} if abs(depth - Settings().sole) < SAME_SOLE else {"sole": depth}


def limits_of(
    controller: TrackingController | NetworkController, seconds: float, *, loop: bool = False, **options: Any
) -> dict[str, float]:
    """Newtons by direction, in a clip of so many seconds; none for one that is too short to be pushed."""
    if loop:
        return push_limits(controller, first=6.0, count=4, **options)
    if seconds < 6.0:
        return {}
    return push_limits(controller, first=0.4 * seconds, count=1, every=0.4 * seconds, **options)
