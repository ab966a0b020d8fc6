"""From a clip to a physically simulated character: retarget, annotate, cut, find gains, report
(Data-Driven Biped Control, sections 3 to 5, with gains searched where the authors tuned by hand).

A clip followed by a trained policy: retarget, give the policy the clip, report as for a searched controller.

Nothing is searched: a policy that was trained on many clips follows another one as it is.

How hard a controller that follows a clip may be pushed: the largest push below which every smaller one passes too.

As in Data-Driven Biped Control, section 5: forces of 0.4 s on the torso, every 4 s, at several phases of the step. A
force passes if the figure is up after all pushes, or was when its clip ended, at every phase and from every start.

The policy that follows clips and comes with footfall.

It was trained on motion that footfall made itself (:mod:`footfall.learning.clips`); docs/learning.md has the command.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_table import poses_at, table_of
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.clips import clip_repertoire, looped_frames
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Settings
from footfall.motion import Motion, load_motion, resampled
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import frames_of, sole_depth
from footfall.progress import Show
from footfall.push import Push
from footfall.simulation import Record
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.following import (
    ON_PATH,
    SAMPLES,
    Following,
    compared,
    follow,
    tipped,
    tracking_simulation,
    up_to_the_end,
)
from footfall.study.imitation.gain_search import (
    GainSearch,
    SearchedGains,
    StretchSearch,
    default_sets,
    search_gains,
    search_stretches,
    sized_set,
    split_set,
)

DIRECTIONS: Mapping[str, tuple[float, float, float]] = {
    "front": (-1.0, 0.0, 0.0),
    "rear": (1.0, 0.0, 0.0),
    "right": (0.0, 1.0, 0.0),
    "left": (0.0, -1.0, 0.0),
}
"""Where a push comes from -> the direction in which it acts, for a figure that goes along x."""


def push_limits(
    controller: TrackingController | NetworkController,
    *,
    first: float = 8.0,
    count: int = 10,
    every: float = 4.0,
    duration: float = 0.4,
    forces: NDArray[np.float64] | None = None,
    phases: int = 4,
    step: float = 0.65,
    noises: Sequence[float] = (0.0,),
    **options: Any,
) -> dict[str, float]:
    """Newtons from each direction.

    Args:
        controller: a walk that goes on long enough: tracking, or a policy with a clip.
        first: time of the first push. count: how many. every: seconds between them. duration: of each.
        forces: [F] rising, by default 20 to 200 N in steps of 20.
        phases: first pushes are tried at this many moments, spread over ``step`` seconds.
        noises: of the starts that are tried at each phase: disturbances of their velocities, rad/s and m/s.
        options: as :class:`Simulation` takes them.
    """
    grid = np.arange(20.0, 201.0, 20.0) if forces is None else forces
    directions = np.array(list(DIRECTIONS.values()))
    axes = np.arange(len(directions)), grid, np.arange(phases) * step / phases, np.asarray(noises)
    which, strength, late, noise = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    options.setdefault("figure", Figure.load(controller.figure))
    shaken = noise[:, None] * np.random.default_rng(1).normal(size=(len(noise), options["figure"].nv))
    vectors = strength[:, None] * directions[which]
    pushes = [Push(vectors, first + every * k + late, duration) for k in range(count)]
    run = tracking_simulation(controller, worlds=len(noise), shaken=shaken, pushes=pushes, last_states=1, **options)
    run.run(first + every * count + step)
    clip = controller.repertoire if isinstance(controller, TrackingController) else controller.clip_frames
    assert clip is not None
    passes = np.asarray(up_to_the_end(run, clip).reshape(len(directions), len(grid), -1).all(axis=2))
    limits = {}
    for k, name in enumerate(DIRECTIONS):
        passed = int(np.argmin(passes[k])) if not passes[k].all() else len(grid)
        limits[name] = float(grid[passed - 1]) if passed else 0.0
    return limits


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


ROOM = 1e-6
"""Of a frame, that rounding may take off a clip."""


def imitate_by_policy(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Imitation[NetworkController]:
    """Make a clip's controller.

    Args:
        clip: a motion or its file. policy: a tracker; its figure is the clip's.
        name: of the controller; by default from the file's name.
        loop: repeat the clip's best two steps for a minute.
        pushes: whether to look for push limits (of clips of 6 s or more).
        seed: of the disturbed starts.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    show(0.0, "reading the clip")
    motion = clip if isinstance(clip, Motion) else load_motion(clip)
    name = name or (controller_name(clip) if isinstance(clip, Path) else "clip")
    controller = with_clip(policy, motion, name, loop=loop)
    show(0.3, "measuring")
    return measured(controller, policy.name, pushes=pushes, seed=seed, progress=lambda d, w: show(0.3 + 0.7 * d, w))


def measured(
    controller: NetworkController,
    policy: str,
    *,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Imitation[NetworkController]:
    """What a policy makes of its clip.

    Args:
        controller: the policy with its clip. policy: the name of the one that it began as.
        pushes: whether to look for push limits (of clips of 6 s or more). seed: of the disturbed starts.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    assert controller.clip_frames is not None
    seconds = controller.clip_frames.seconds
    following = follow_clip(controller)
    unseen = tracking_simulation(
        controller, worlds=UNSEEN + 1, noise=UNSEEN_NOISE, seed=seed + 100, dt=None, last_states=1
    )
    unseen.run(seconds)
    up = int(up_to_the_end(unseen, controller.clip_frames)[1:].sum())
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        show(0.5, "pushing")
        limits = limits_of(controller, seconds, dt=None)
    made = Imitation(controller, None, following, up, UNSEEN, limits)
    return replace(made, controller=replace(controller, report={"policy": policy, **reported(made)}))


def check_policy(controller: Controller) -> NetworkController:
    """The controller, which must be a policy that follows clips."""
    if not isinstance(controller, NetworkController) or not controller.follows:
        raise FootfallError(
            f"policy: controller '{controller.name}' follows no clips; give one that was trained to, "
            "as `footfall train` writes it"
        )
    return controller


def with_clip(policy: NetworkController, motion: Motion, name: str, *, loop: bool = False) -> NetworkController:
    """A policy with a clip to follow, retargeted onto its figure; a motion of that figure is taken as it is. In a
    ``loop`` its best two steps are repeated for a minute."""
    figure = Figure.load(policy.figure)
    if motion.figure == figure.name and not loop:
        qpos = resampled(motion, policy.rate).to_qpos(figure)
    else:
        frames = frames_of(motion, figure, lifted=True)
        check_clip(frames, figure)
        frames = looped_frames(frames, figure, LOOP_SECONDS) if loop else frames
        qpos = table_of(frames, figure, policy.rate)
    shown = ClipFrames(qpos.astype(np.float32), policy.rate)
    what = f"two steps of {name}, again and again," if loop else f"{name}, {shown.seconds:.1f} s of motion,"
    about = f"Follows {what} by the policy {policy.name}."
    return replace(policy, name=name, about=about, clip_frames=shown, start=None)


def follow_clip(controller: NetworkController) -> Following:
    """Simulate one world and compare it with its clip, frame by frame at equal times, 30 a second."""
    clip = controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' has no clip to be compared with")
    simulation = tracking_simulation(controller, dt=None, record=Record(rate=SAMPLES * FPS, worlds=1))
    outcome, figure = simulation.run(clip.seconds), simulation.figure
    trace, survived = simulation.trace(), bool(outcome.survived[0])
    up = survived and not bool(tipped(simulation.qpos, clip)[0])
    lived = max(int(trace.last[0]), 2)
    times, poses = trace.times[:lived], trace.qpos[:lived, 0]
    if survived:
        times, poses = np.append(times, simulation.time), np.concatenate([poses, simulation.qpos])
    at = np.minimum(np.arange(int(times[-1] * FPS + ROOM) + 1) / FPS, times[-1])
    shown = poses_at(poses, times, figure, at)
    wanted = poses_at(clip.qpos.astype(float), np.arange(len(clip)) / clip.rate, figure, np.minimum(at, clip.seconds))
    chains = hinge_chains(figure)
    frames = wanted if chains is None else chains.ball_poses(wanted)
    phase = (frames, np.arange(len(at)).astype(float))
    time, steps = clip.seconds if survived else float(outcome.end_time[0]), int(outcome.footsteps[0])
    ended = (up, time, clip.seconds)
    return compared(figure, shown, phase, frames, trace.torque[:lived, 0], rate=FPS, ended=ended, steps=steps)


def tracker_file() -> Path:
    """Its controller's file."""
    return Path(__file__).with_name("clip-tracker.toml")
