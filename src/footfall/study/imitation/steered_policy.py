"""A policy that follows clips, steered: a walk is played on a motion graph without physics
(:mod:`footfall.methods.tracking.played_steps`), and the policy follows it as it would follow a clip.

Nothing is searched and no transition is tried: where the played walk goes, the policy keeps the balance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import PlayedMinute, played_minutes
from footfall.methods.network.clip_table import poses_at
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.steered_network import as_clips, tethered
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.methods.tracking.step_choice import STOP, SteeredController
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS, facing_of
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.quaternion import wrap_angle
from footfall.progress import Show, part_of
from footfall.simulation import Record
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.following import tracking_simulation
from footfall.study.imitation.steering import SETTLED

Array = NDArray[np.float64]
HALTING, STANDING = 8.0, 1.0
"""Seconds that a walk may take to come to its last stand, and that it stands then."""


@dataclass(frozen=True, eq=False)
class SteeredPolicy:
    """The outcome of a walk that was asked for.

    Attributes:
        controller: the policy with the walk. fell: whether it fell. seconds: that it stayed up. steps: taken.
        motion: the simulated one, 30 frames a second.
        heading_error: degrees between asked and simulated heading, mean over the last part of each order to walk.
        speed_error: metres a second between asked and simulated speed, mean over the same.
        off_walk: metres between the simulated pelvis and the played one, mean.
        distance: metres walked.
    """

    controller: NetworkController
    fell: bool
    seconds: float
    steps: int
    motion: Motion
    heading_error: float
    speed_error: float
    off_walk: float
    distance: float


@dataclass(frozen=True, eq=False)
class PolicyMinute:
    """A random minute. fell, seconds, heading_error, speed_error, off_walk, distance: as :class:`SteeredPolicy` has
    them; seed: of its orders; fastest: the highest speed over a second, m/s; clips: whose steps it made; path: [T, 2]
    where the pelvis was, 30 times a second."""

    seed: int
    fell: bool
    seconds: float
    heading_error: float
    speed_error: float
    off_walk: float
    distance: float
    fastest: float
    clips: tuple[str, ...]
    path: Array


def read_clips(
    clips: Sequence[tuple[str, Path]], figure: Figure, progress: Show | None = None
) -> tuple[list[GraphClip], list[tuple[str, str]]]:
    """Clips on a figure, from (style, motion file); and (file, reason) of those that cannot be followed."""
    made: list[GraphClip] = []
    left_out: list[tuple[str, str]] = []
    for k, (style, file) in enumerate(clips):
        if progress is not None:
            progress(k / len(clips), f"reading {file.name}")
        try:
            frames = frames_of(load_motion(file), figure, lifted=True)
            check_clip(frames, figure)
            TrackedGraph([GraphClip(file.stem, frames, style)], figure)
        except FootfallError as error:
            left_out.append((str(file), str(error)))
            continue
        alike = sum(clip.name == file.stem or clip.name.startswith(f"{file.stem}--") for clip in made)
        made.append(GraphClip(f"{file.stem}--{alike + 1}" if alike else file.stem, frames, style))
    if not made:
        raise FootfallError("steer: none of the clips can be walked with; the first one: " + left_out[0][1])
    return made, left_out


def retargeted_clips(steered: SteeredController, figure: Figure) -> list[GraphClip]:
    """The clips of another figure's motion graph, retargeted."""
    body, made = Figure.load(steered.figure), []
    for clip in steered.graph.clips:
        motion = Motion.from_qpos(body, np.arange(len(clip.frames)) / FPS, clip.frames)
        made.append(GraphClip(clip.name, frames_of(motion, figure, lifted=True), clip.style))
    return made


def halted(walk: PlayedSteps) -> PlayedSteps:
    """The walk, which has come to a stand where its clips can stand."""
    if walk.graph.halts:
        walk.direct(speed=0.0)
        until = walk.time + HALTING
        while not walk.slots.holds and walk.time < until:
            walk.advance()
        until = walk.time + STANDING
        while walk.slots.holds and walk.time < until:
            walk.advance()
    return walk


def with_walk(policy: NetworkController, walk: PlayedSteps | PlayedMinute, name: str = "steered") -> NetworkController:
    """A policy with a played walk to follow."""
    about = f"Walks {walk.time:.1f} s as it was steered, in steps of captured motion, by the policy {policy.name}."
    clip = walk.clip if isinstance(walk, PlayedMinute) else as_clips([walk], policy.rate)[0]
    return replace(tethered(policy), name=name, about=about, clip_frames=clip)


def steer_policy(
    policy: NetworkController,
    walk: PlayedSteps | PlayedMinute,
    name: str = "steered",
    *,
    noise: float = 0.0,
    seed: int = 1,
) -> SteeredPolicy:
    """Let a policy follow a played walk, from a start whose velocities are disturbed by ``noise``."""
    controller = with_walk(policy, walk, name)
    clip = controller.clip_frames
    assert clip is not None
    figure = Figure.load(controller.figure)
    shaken = np.random.default_rng(seed).normal(0.0, 1.0, (1, figure.nv)) * noise
    simulation = tracking_simulation(
        controller, dt=None, figure=figure, shaken=shaken, record=Record(rate=policy.rate, worlds=1), last_states=1
    )
    outcome, trace = simulation.run(clip.seconds), simulation.trace()
    fell = not bool(outcome.survived[0])
    lived = max(int(trace.last[0]), 2)
    poses, times = trace.qpos[:lived, 0].astype(float), trace.times[:lived]
    at = np.arange(min(int(times[-1] * FPS) + 1, len(walk.frames))) / FPS
    went = poses_at(poses, times, figure, at)
    heading, speed = obeyed(went, walk.orders)
    return SteeredPolicy(
        controller,
        fell,
        float(outcome.end_time[0]) if fell else clip.seconds,
        int(outcome.footsteps[0]),
        Motion.from_qpos(figure, np.arange(len(went)) / FPS, went),
        heading,
        speed,
        float(np.linalg.norm(went[:, :2] - walk.frames[: len(went), :2], axis=1).mean()),
        float(_way(went).sum()),
    )


def obeyed(shown: Array, orders: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean errors of heading, degrees, and of speed, m/s, over the last part of each order to walk.

    Args:
        shown: [T, nq] poses, 30 a second. orders: wanted direction and speed, frame by frame, at least T.
    """
    wanted, facing, way = np.array(orders[: len(shown)]), facing_of(shown), _way(shown) * FPS
    begins = np.concatenate([[0], np.flatnonzero(np.abs(np.diff(wanted, axis=0)).max(axis=1) > 0.0) + 1, [len(shown)]])
    headings: list[Array] = []
    speeds: list[Array] = []
    for a, b in pairwise(begins):
        last = slice(a + int(SETTLED * (b - a)), b - 1)
        if wanted[a, 1] >= STOP and len(way[last]):
            headings.append(np.abs(wrap_angle(facing[last] - wanted[a, 0])))
            speeds.append(np.full(len(way[last]), abs(way[last].mean() - wanted[a, 1])))
    if not headings:
        return float("nan"), float("nan")
    return float(np.degrees(np.concatenate(headings).mean())), float(np.concatenate(speeds).mean())


def _way(shown: Array) -> Array:
    return np.asarray(np.linalg.norm(np.diff(shown[:, :2], axis=0), axis=1))


def random_minutes(
    policy: NetworkController,
    graph: TrackedGraph,
    minutes: int = 20,
    *,
    seconds: float = 60.0,
    noise: float = 0.03,
    seed: int = 1,
    progress: Show | None = None,
) -> list[PolicyMinute]:
    """Walks under random orders, each followed by the policy from a disturbed start.

    Args:
        policy: what follows. graph: what is walked on.
        minutes: how many walks, of ``seconds`` each. noise: of the starts' velocities. seed: of orders and noise.
        progress: called with the share done and a few words.
    """
    found: list[PolicyMinute] = []
    show = progress or (lambda done, what: None)
    seeds = range(1000 * seed, 1000 * seed + minutes)
    playing = played_minutes(graph, seconds, seeds, policy.rate, progress=part_of(show, 0.0, 0.5))
    for k, (own, walk) in enumerate(zip(seeds, playing, strict=True)):
        made = steer_policy(policy, walk, noise=noise, seed=own)
        shown = made.motion.root_position[:, :2]
        second = min(int(FPS), len(shown) - 1)
        fastest = float(np.linalg.norm(shown[second:] - shown[:-second], axis=1).max() * FPS / second)
        clips = tuple(dict.fromkeys(graph.steps[n].clip for n in walk.walked if n >= 0))
        found.append(
            PolicyMinute(
                own, made.fell, made.seconds, made.heading_error, made.speed_error, made.off_walk, made.distance,
                fastest, clips, shown,
            )
        )  # fmt: skip
        up = sum(not minute.fell for minute in found)
        show(0.5 + 0.5 * (k + 1) / minutes, f"random minutes: {up} of {k + 1} up")
    return found
