"""Transitions of a motion graph, tried in worlds with a policy that follows what is played on it.

A trial is a chain of steps: one that comes before the transition in its clip, the two that it joins, and those that
follow (:mod:`footfall.study.imitation.transition_trials`). It begins in the chain's first pose from disturbed starts. A
transition is kept where all of them are up at the chain's end and near what they follow. Those within a clip are tried
too. A policy that has practised is tried again, longer and from worse starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.cores import on_all_cores
from footfall.clusters.jobs import run_jobs
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_table import tables_of
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.motion_graph import FPS, TrackedGraph, Transition
from footfall.methods.tracking.played_chain import played_chain
from footfall.motion.quaternion import rotate
from footfall.study.imitation.clip_worlds import ClipWorlds
from footfall.study.imitation.following import TIPPED
from footfall.study.imitation.transition_trials import nearest_of_clips, transition_chain
from footfall.study.progress import Show

Array = NDArray[np.float64]
ASTRAY = 0.4
"""Metres that the pelvis may be from the chain's at its end."""
PER_CLIP = 3
"""Transitions from a step to each clip that are tried, those with the smallest seams."""
WORLDS = 192
"""That walk side by side."""
MANY = 4
"""As many of these are worth several processes, which play the chains."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Trial:
    """How hard a trial is: seconds of a chain, its disturbed starts, and the deviation of what is added to their
    velocities."""

    seconds: float
    starts: int
    noise: float


FIRST, STRICT = Trial(3.2, 2, 0.05), Trial(4.5, 8, 0.2)
"""For a policy that will practise, and for one that has."""


def passed(character: SteeredNetwork, trial: Trial = FIRST, *, progress: Show | None = None) -> SteeredNetwork:
    """The character with the transitions that its policy passes.

    Args:
        character: the policy and its clips; of transitions that were tried before, those that it passed are tried.
        trial: how hard it is. progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    policy, graph = character.policy, character.graph
    before = character.tried
    pairs = _candidates(graph) if before is None else [pair for pair, (up, _) in before.items() if up]
    tried: dict[Transition, tuple[int, int]] = {}
    worlds: ClipWorlds | None = None
    each, starts = max(1, WORLDS // trial.starts), trial.starts
    parts, done = [pairs[first : first + each] for first in range(0, len(pairs), each)], 0
    with on_all_cores(len(parts) >= MANY) as executor:
        for place, clips in run_jobs(partial(_clips, graph, policy.rate, trial.seconds), parts, executor):
            worlds = worlds or ClipWorlds(policy, [clips[k % len(clips)] for k in range(each)], starts)
            for pair, up in zip(parts[place], _up(worlds, clips, trial, each * place), strict=True):
                if up == starts or graph.following.get(pair[0]) == pair[1]:
                    tried[pair] = (int(up) if up == starts else 0, starts)
            done += len(clips)
            kept = sum(up > 0 for up, _ in tried.values())
            show(done / len(pairs), f"trying transitions: {kept} of {done} pass")
    stops = character.stops or {(a, b): (1, 1) for a in graph.halts for b in graph.starts_after(a)}
    return replace(character, tried={pair: tried[pair] for pair in pairs if pair in tried}, stops=stops)


def _candidates(graph: TrackedGraph) -> list[Transition]:
    """From each step to the nearest of each clip, and to the one that follows in its own."""
    return nearest_of_clips(graph, np.where(graph.near, graph.cost, np.inf), PER_CLIP)


def _clips(graph: TrackedGraph, rate: float, seconds: float, pairs: Sequence[Transition]) -> list[ClipFrames]:
    """What is followed in each trial, all of one length."""
    frames = round(seconds * FPS) + 1
    played = [played_chain(graph, _chain(graph, *pair, seconds), frames) for pair in pairs]
    return [ClipFrames(table.astype(np.float32), rate) for table in tables_of(np.stack(played), graph.figure, rate)]


def _chain(graph: TrackedGraph, a: int, b: int, seconds: float) -> list[int]:
    """The steps of a trial, for as long as it lasts."""
    chain = [number for number in transition_chain(graph, a, b) if isinstance(number, int)]
    while sum(graph.steps[number].seconds for number in chain) < seconds:
        row = graph.cost[chain[-1]]
        chain.append(graph.following.get(chain[-1], int(np.argmin(row))))
    return chain


def _up(worlds: ClipWorlds, clips: Sequence[ClipFrames], trial: Trial, seed: int) -> Array:
    """[clips] starts that come to the end."""
    each = len(worlds.of) // trial.starts
    given = [clips[k % len(clips)] for k in range(each)]
    shaken = np.random.default_rng(seed).normal(0.0, trial.noise, (len(worlds.of), worlds.figure.nv))
    outcome = worlds.walk(given, shaken)
    ends = np.array([clip.qpos[-1] for clip in given], dtype=float)[worlds.of]
    qpos = np.asarray(worlds.simulation.qpos)
    near = np.linalg.norm(qpos[:, :2] - ends[:, :2], axis=1) < ASTRAY
    upright = np.sum(rotate(qpos[:, 3:7], UP) * rotate(ends[:, 3:7], UP), axis=1) > TIPPED
    up = outcome.survived & near & upright
    return np.asarray(up.reshape(each, trial.starts).sum(axis=1)[: len(clips)])
