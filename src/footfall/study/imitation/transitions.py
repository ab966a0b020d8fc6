"""Transitions of a motion graph, tried in worlds.

A trial walks a chain of steps from disturbed starts: some that come before the transition in its clip, the two that it
joins, and some that follow. A transition is kept where every start comes to the chain's end; of a network's character
also near what it follows, and those within a clip are tried too. Chains of many transitions run side by side.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.chunk_folder import Results
from footfall.clusters.jobs import on_all_cores, run_jobs
from footfall.control.rows import MemoryLayout
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames, tables_of
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import TrackedGraph, TrackedStep, Transition
from footfall.methods.tracking.played_steps import played_chain
from footfall.methods.tracking.repertoire import Fragment, Repertoire, TrackingGains
from footfall.methods.tracking.step_choice import SteeredController, stand_of
from footfall.motion.ball_poses import FPS, joint_positions
from footfall.motion.quaternion import rotate
from footfall.progress import Show, silent
from footfall.study.imitation.following import TIPPED
from footfall.study.imitation.random_steering import ClipWorlds, all_stops
from footfall.study.trials.bench import disturbed_worlds

Array = NDArray[np.float64]
BEFORE, AFTER = 1, 2
"""Steps before a transition and after it that a trial walks."""
STARTS, NOISE = 3, 0.05
"""Disturbed starts of a trial, and the standard deviation of what is added to their velocities."""
EACH = 48
"""Chains of one job."""
LATE = 1.3
"""How much longer than planned a chain may take."""
STAND = 150
"""Frames of a stand that is tried."""
NEAREST = 0.05
"""Metres that joints are apart at a seam at most for a transition to be tried."""
PER_CLIP = 2
"""Transitions from a step to each clip that are tried, those with the smallest seams."""
STOP_STARTS = 3
"""Steps that are tried after each stand."""

Link = int | Fragment
Chain = Sequence[Link]
"""Numbers of steps, and stands."""


def candidates(graph: TrackedGraph) -> list[Transition]:
    """Transitions to be tried: from each step to the steps of each clip that begin most nearly as it ends."""
    return nearest_of_clips(graph, (graph.cost > 0.0) & (graph.cost < NEAREST), PER_CLIP)


def nearest_of_clips(graph: TrackedGraph, near: NDArray[np.bool_], most: int) -> list[Transition]:
    """From each step to the nearest of each clip, so many at most, of those that are near [S, S]."""
    cost = np.where(near, graph.cost, np.inf)
    clips = np.array([step.clip for step in graph.steps])
    found: list[Transition] = []
    for a, row in enumerate(cost):
        for clip in dict.fromkeys(clips):
            own = np.where(clips == clip, row, np.inf)
            found += [(a, int(b)) for b in np.argsort(own, kind="stable")[:most] if np.isfinite(own[b])]
    return found


def stop_candidates(graph: TrackedGraph) -> list[Transition]:
    """Stands to be tried between a step that halts and the steps that start most nearly as it stands."""
    found: list[Transition] = []
    numbers = list(graph.stands)
    if not numbers:
        return found
    begins = [joint_positions(graph.steps[b].fragment.frames[:1], graph.skeleton)[0] for b in numbers]
    for a, stand in graph.halts.items():
        here = joint_positions(stand.frames[-1:], graph.skeleton)[0]
        far = np.linalg.norm(np.array(begins) - here, axis=-1).mean(axis=-1)
        found += [(a, numbers[k]) for k in np.argsort(far, kind="stable")[:STOP_STARTS]]
    return found


def clip_chains(graph: TrackedGraph) -> dict[str, list[list[Link]]]:
    """Each clip's steps in a row, in as many rows as it has pauses, with the stands that they begin from."""
    first = set(range(len(graph.steps))) - set(graph.following.values())
    rows: dict[str, list[list[Link]]] = {}
    for k in sorted(first):
        row: list[Link] = [stand_of(graph.stands[k])] if k in graph.stands else []
        at: int | None = k
        while at is not None:
            row.append(at)
            at = graph.following.get(at)
        rows.setdefault(graph.steps[k].clip, []).append(row)
    return rows


def transition_chain(graph: TrackedGraph, a: int, b: int, between: Fragment | None = None) -> list[Link]:
    """The steps before a transition, the two that it joins, and those after; with a stand between them where given."""
    before = {after: number for number, after in graph.following.items()}
    chain: list[Link] = [a]
    at: int | None = a
    for _ in range(BEFORE):
        at = before.get(at) if at is not None else None
        if at is not None:
            chain.insert(0, at)
    if between is not None:
        chain.append(between)
    last = b
    chain.append(last)
    for _ in range(AFTER):
        row = graph.cost[last]
        if last not in graph.following and not np.isfinite(row).any():
            break
        last = graph.following.get(last, int(np.argmin(row)))
        chain.append(last)
    return chain


def stop_chain(graph: TrackedGraph, a: int, b: int) -> list[Link]:
    """The same with a stand of some seconds."""
    stand = stand_of(graph.halts[a], first=True)
    frames = np.concatenate([stand.frames, np.repeat(stand.frames[-1:], STAND - len(stand.frames), axis=0)])
    return transition_chain(graph, a, b, replace(stand, frames=frames))


@dataclass(frozen=True, eq=False)
class ChainTrial:
    """Chains to be walked side by side: a job.

    Attributes:
        figure: of the walkers.
        repertoire: the fragments of all chains.
        first: the first one of each.
        seconds: for how long, at most.
        seed: of the disturbances.
    """

    figure: str
    repertoire: Repertoire
    first: tuple[int, ...]
    seconds: float
    seed: int = 1

    def run(self) -> Results:
        """How many starts of each chain came to its end ("up", of "tried"), and when the first one fell, seconds."""
        figure, each = Figure.load(self.figure), STARTS
        controller = TrackingController("trial", self.repertoire, self.figure)
        starts = [replace(controller, repertoire=replace(self.repertoire, start=at)).start for at in self.first]
        noise = np.random.default_rng(self.seed).normal(0.0, NOISE, (each, figure.nv))
        simulation = disturbed_worlds(controller, shaken=noise, starts=starts, figure=figure, last_states=1)
        places = simulation.law.layout.memory()  # type: ignore[attr-defined]
        snapshot = simulation.snapshot()
        snapshot["memory"][:, places["fragment"]] = np.repeat(self.first, each)
        simulation.restore(snapshot)
        outcome = simulation.run(self.seconds)
        up = (outcome.survived | self._ended(simulation.memory, places)).reshape(-1, each)
        fell = np.where(up, np.inf, np.nan_to_num(outcome.end_time, nan=np.inf).reshape(-1, each))
        return {"up": up.sum(axis=1), "fell": fell.min(axis=1)}

    def _ended(self, memory: Array, places: MemoryLayout) -> NDArray[np.bool_]:
        """[N] which worlds came to the last frame of their chains; what they do after it does not count."""
        fragments = self.repertoire.fragments
        at = memory[:, places["fragment"]].astype(int)
        lengths = np.array([len(fragment.frames) - 1 for fragment in fragments])
        last = np.array([fragment.successor < 0 for fragment in fragments])
        return np.asarray(last[at] & (memory[:, places["index"]] >= lengths[at]))


def trials(controller: SteeredController, chains: Sequence[Chain], seed: int = 1) -> list[ChainTrial]:
    """Jobs that walk chains, EACH at a time."""
    return [_trial(controller, chains[k : k + EACH], seed) for k in range(0, len(chains), EACH)]


def _trial(controller: SteeredController, chains: Sequence[Chain], seed: int) -> ChainTrial:
    sets = list(dict.fromkeys(controller.edited(clip.gains) for clip in controller.graph.clips))
    fragments: list[Fragment] = []
    first: list[int] = []
    longest = 0.0
    for chain in chains:
        first.append(len(fragments))
        parts = list(_fragments(controller, chain, sets))
        parts = [replace(part, successor=len(fragments) + k + 1) for k, part in enumerate(parts)]
        fragments += [*parts[:-1], replace(parts[-1], successor=-1)]
        longest = max(longest, sum(len(part.frames) - 1 for part in parts) / FPS)
    own = controller.repertoire
    repertoire = Repertoire(tuple(fragments), tuple(sets), own.settings, own.ground)
    return ChainTrial(controller.figure, repertoire, tuple(first), LATE * longest, seed)


def _fragments(controller: SteeredController, chain: Chain, sets: list[TrackingGains]) -> Iterator[Fragment]:
    """A chain's fragments, each with the turn of heading when the next one begins, and its set of gains."""
    steps: list[TrackedStep | None] = [
        controller.graph.steps[link] if isinstance(link, int) else None for link in chain
    ]
    for k, (link, step) in enumerate(zip(chain, steps, strict=True)):
        if step is not None:
            number = sets.index(controller.edited(step.gains))
            yield replace(step.fragment, turn=step.turn, gains=number)
        elif isinstance(link, Fragment):
            near = next((s for s in (*steps[k + 1 :], *steps[:k]) if s is not None), None)
            yield replace(link, gains=0 if near is None else sets.index(controller.edited(near.gains)))


ASTRAY = 0.4
"""Metres that the pelvis may be from the chain's at its end."""
MOST_PER_CLIP = 3
"""Transitions from a step to each clip that are tried, those with the smallest seams."""
WORLDS = 192
"""That walk side by side."""
MANY = 4
"""As many of these are worth several processes, which play the chains."""
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class TransitionTrial:
    """How hard a trial is: seconds of a chain, its disturbed starts, and the deviation of what is added to their
    velocities."""

    seconds: float
    starts: int
    noise: float


FIRST, STRICT = TransitionTrial(3.2, 2, 0.05), TransitionTrial(4.5, 8, 0.2)
"""For a policy that will practise, and for one that has."""


def passed(character: SteeredNetwork, trial: TransitionTrial = FIRST, *, progress: Show = silent) -> SteeredNetwork:
    """The character with the transitions that its policy passes.

    Args:
        character: the policy and its clips; of transitions that were tried before, those that it passed are tried.
        trial: how hard it is.
        progress: called with the share done and a few words.
    """
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
            progress(done / len(pairs), f"trying transitions: {kept} of {done} pass")
    stops = character.stops or all_stops(graph)
    return replace(character, tried={pair: tried[pair] for pair in pairs if pair in tried}, stops=stops)


def _candidates(graph: TrackedGraph) -> list[Transition]:
    """From each step to the nearest of each clip, and to the one that follows in its own."""
    return nearest_of_clips(graph, graph.near, MOST_PER_CLIP)


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


def _up(worlds: ClipWorlds, clips: Sequence[ClipFrames], trial: TransitionTrial, seed: int) -> Array:
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
