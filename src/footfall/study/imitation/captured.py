"""From a clip of walking to a SIMBICON controller: retarget, find the cycle, search for gains, report (SIMBICON,
section 5, with gains found by search)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.captured_walk import captured_walk
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.motion import Motion, load_motion, resampled, retarget, trimmed
from footfall.motion.retargeting.retarget import at_own_pace
from footfall.motion.synthesis.periodic import WalkCycle, cycle_of
from footfall.progress import Show
from footfall.simulation import Record, Simulation
from footfall.study.imitation.captured_search import (
    CapturedSearch,
    FoundWalk,
    followed,
    search_walk,
    step_phases,
    velocities,
)
from footfall.study.imitation.following import Following
from footfall.study.imitation.imitate import controller_name
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait, push_limit

Array = NDArray[np.float64]

SECONDS = 60.0
STEPS, STARTS, NOISE = (0.0005, 0.001, 0.002), 3, 1e-3
"""Disturbed starts that no search has seen: so many at each step size."""
SIDES = {"rear": 0.0, "right": 90.0, "front": 180.0, "left": -90.0}
"""Where a push comes from -> its direction, degrees from forward to the left."""
MOVES = np.radians(2.0)


@dataclass(frozen=True, eq=False)
class CapturedWalk:
    """A clip's controller with its report.

    Attributes:
        controller: it. cycle: what it follows. search: what the search found.
        following: an undisturbed run. up, tried: how many unseen disturbed starts stayed up for 60 s.
        correlations: of each moving joint's angle with the clip's. velocity: mean along and to the left of the heading,
            m/s. push_limits: newtons by direction; empty if not asked for.
    """

    controller: PoseControlGraph
    cycle: WalkCycle
    search: FoundWalk
    following: Following
    up: int
    tried: int
    correlations: dict[str, float]
    velocity: tuple[float, float]
    push_limits: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        f, cycle = self.following, self.cycle
        legs = [v for name, v in self.correlations.items() if any(p in name for p in ("hip", "knee", "ankle"))]
        return {
            "controller": self.controller.name,
            "figure": self.controller.figure,
            "fell": f.fell,
            "seconds": round(f.time, 3),
            "asked_seconds": round(f.seconds, 3),
            "joint_error_deg": round(f.joint_error, 2),
            "correlation": round(f.correlation, 3),
            "leg_correlation": round(float(np.mean(legs)), 3) if legs else None,
            "pace": round(f.speed, 3),
            "velocity_mps": [round(x, 3) for x in self.velocity],
            "clip_velocity_mps": [round(x, 3) for x in cycle.velocity],
            "steps": f.footsteps,
            "step_seconds": [round(cycle.left, 3), round(cycle.right, 3)],
            "symmetric": cycle.symmetric,
            "steps_averaged": len(cycle.steps),
            "disturbed_up": self.up,
            "disturbed_tried": self.tried,
            "sets_of_gains_tried": self.search.tried,
            "push_limits": self.push_limits,
        }


def clip_cycle(
    clip: Path | Motion,
    figure: Figure,
    *,
    start: float | None = None,
    end: float | None = None,
    symmetric: bool | None = None,
) -> WalkCycle:
    """A clip's averaged cycle on a figure; ``start`` and ``end`` choose a part of it, seconds."""
    motion = clip if isinstance(clip, Motion) else load_motion(clip)
    if start is not None or end is not None:
        motion = trimmed(motion, start, end)
    try:
        return cycle_of(at_own_pace(*retarget(motion, figure)), figure, symmetric)
    except FootfallError as error:
        raise FootfallError(f"clip: {error}") from None


def imitate_walk(
    clip: Path | Motion,
    *,
    figure: str = "human-28",
    name: str = "",
    start: float | None = None,
    end: float | None = None,
    symmetric: bool | None = None,
    change: Callable[[WalkCycle, Figure], WalkCycle] | None = None,
    pushes: bool = True,
    search: CapturedSearch | None = None,
    starts: Sequence[Mapping[str, float]] = (),
    progress: Show | None = None,
) -> CapturedWalk:
    """Make a walking clip's controller.

    Args:
        clip: a motion or its file: walking forwards, backwards, sideways or in place.
        figure: a 3D figure with hinges.
        name: of the controller; by default from the file's name.
        start, end: the part of the clip to use, seconds.
        symmetric: whether both legs do the same; None to decide by the clip.
        change: what to make of the clip's cycle before it is imitated (:func:`edited`).
        pushes: whether to look for push limits.
        search: how to look for gains. starts: what to begin with, besides what was found for other clips.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    name = name or (controller_name(clip) if isinstance(clip, Path) else "clip")
    body = Figure.load(figure)
    show(0.0, "reading the clip")
    cycle = clip_cycle(clip, body, start=start, end=end, symmetric=symmetric)
    cycle = cycle if change is None else change(cycle, body)
    about = (
        f"Walks like {len(cycle.steps)} steps of {name}, captured motion. Made by `footfall imitate --law simbicon`."
    )
    graph = captured_walk(cycle, body, name=name, about=about).changed(figure=figure)
    found = search_walk(graph, cycle, body, search, lambda done, _: show(0.05 + 0.7 * done, "searching"), starts)
    show(0.75, "measuring")
    counts = []
    for controller in found.controllers:
        counts.append(starts_up(controller))
        if counts[-1][0] == counts[-1][1]:
            break
    controller, (up, tried) = max(zip(found.controllers, counts, strict=False), key=lambda pair: pair[1][0])
    following, correlations, velocity = follow_cycle(controller, cycle, SECONDS)
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        show(0.9, "pushing")
        limits = walk_push_limits(controller)
    made = CapturedWalk(controller, cycle, found, following, up, tried, correlations, velocity, limits)
    report = {k: v for k, v in made.as_dict().items() if k in ("correlation", "joint_error_deg", "push_limits")}
    report |= {"disturbed_starts": f"{up} of {tried} walk {SECONDS:g} s"}
    return replace(made, controller=controller.changed(basin=report))


def follow_cycle(
    controller: PoseControlGraph, cycle: WalkCycle, seconds: float, dt: float = 0.001
) -> tuple[Following, dict[str, float], tuple[float, float]]:
    """One undisturbed run against the clip: how it went, each moving joint's correlation, and its mean velocity."""
    simulation = Simulation(controller, dt=dt, record=Record(rate=50.0, worlds=1))
    outcome = simulation.run(seconds)
    trace = simulation.trace()
    n = int(trace.last[0])
    figure, own = simulation.figure, trace.qpos[:n, 0]
    shown = own.copy()
    columns = [figure.joint(joint).qpos for joint in cycle.joints]
    shown[:, columns] = followed(cycle, step_phases(trace.stance[:n])[:, 0])
    later = trace.times[:n] >= min(2.0, 0.5 * trace.times[n - 1])
    mine, theirs = own[later][:, columns], shown[later][:, columns]
    correlations = {
        joint: float(np.corrcoef(mine[:, k], theirs[:, k])[0, 1])
        for k, joint in enumerate(cycle.joints)
        if theirs[:, k].std() > MOVES and mine[:, k].std() > 1e-6
    }
    velocity = velocities(own[later][:, None], trace.times[1])
    speed = float(np.hypot(*velocity)[0])
    up = bool(outcome.survived[0])
    following = Following(
        not up,
        seconds if up else float(outcome.end_time[0]),
        seconds,
        float(np.degrees(np.abs(mine - theirs)).mean()),
        float(np.mean(list(correlations.values()))) if correlations else float("nan"),
        speed / max(float(np.hypot(*cycle.velocity)), 0.05),
        int(outcome.footsteps[0]),
        resampled(Motion.from_qpos(figure, trace.times[:n], own), 30.0),
        resampled(Motion.from_qpos(figure, trace.times[:n], shown), 30.0),
    )
    return following, correlations, (float(velocity[0][0]), float(velocity[1][0]))


def starts_up(controller: PoseControlGraph, seconds: float = SECONDS, starts: int = STARTS) -> tuple[int, int]:
    """How many disturbed starts, at each step size, walk for a time; and how many there were."""
    values = {
        "start.noise": np.full(starts * len(STEPS), NOISE),
        "replica": np.tile(1.0 + np.arange(starts), len(STEPS)),
        "dt": np.repeat(STEPS, starts),
    }
    up = Experiment(controller, seconds=seconds).run(values)["survived"]
    return int(np.sum(up)), len(up)


def walk_push_limits(controller: PoseControlGraph, *, phases: int = 4, step: float = 20.0) -> dict[str, float]:
    """Newtons from each side, for 0.4 s at the chest: the largest such that every smaller one passes too."""
    gait = SettledGait(Experiment(controller, dt=0.002, push_place="com", recovery=6.0), 2, noise=NOISE)
    if not gait.upright:
        return dict.fromkeys(SIDES, 0.0)
    return {
        side: push_limit(gait, angle=angle, phases=phases, duration=0.4, step=step, largest=400.0).limit
        for side, angle in SIDES.items()
    }
