"""All clips of a folder as one character that is steered: a motion graph of them, made by trying it in worlds.

Whatever walks the graph, clips are read, retargeted and checked, and those that cannot be walked with are left out,
with the reason; transitions are tried from disturbed starts and kept where all of them stay up; the character is
steered at random, and transitions on which it falls are left out as well, round after round; at last it is steered at
random with seeds that nothing before has seen, and the report says how often it stayed up.

- :class:`TrackedWalker`: the tracking law. Known sets of gains walk the graph at random first, and the one that stays
  up longest is taken. Finished trials are kept in a folder, so that the same call continues.
- :class:`NetworkWalker`: a network that follows clips. Clips are joined with wider seams; it practises to be steered
  with the transitions that it passes, and is then tried again, harder.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import PlayedMinute, joined_graph, played_minutes
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.steered_network import CHOOSING, SteeredNetwork
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph, Transition
from footfall.methods.tracking.repertoire import PAPER_GROUND, Settings
from footfall.methods.tracking.steered_files import parse_steered, print_steered
from footfall.methods.tracking.step_choice import SteeredController
from footfall.progress import Show, part_of, silent
from footfall.simulation.device import device_of
from footfall.study.imitation.clips import read_clips
from footfall.study.imitation.followers import FIRM
from footfall.study.imitation.gain_search import BLANK, default_sets, split_set
from footfall.study.imitation.network_follower import (
    JudgedNetwork,
    Practised,
    check_practice,
    motion_of,
    practise_until,
    tracker_options,
)
from footfall.study.imitation.random_steering import (
    NOISE,
    WalkersJob,
    all_stops,
    pruned_graph,
    random_minutes,
    seconds_up,
    walked_steps,
)
from footfall.study.imitation.steering import Steered, steering_set
from footfall.study.imitation.transitions import (
    FIRST,
    STARTS,
    STRICT,
    candidates,
    clip_chains,
    passed,
    stop_candidates,
    stop_chain,
    transition_chain,
    trials,
)

CAREFUL = Choosing(seam=0.015, blends=False, plans=True)
"""How steps of many tracked clips are chosen. With the seams of a few alike clips (0.06) and blends of two steps most
fall."""
GROUND = {name: FIRM[name] for name in ("stiffness", "damping", "friction", "locking_speed")}
"""That of imitated clips, which is firm enough to stand on."""
FINALISTS = 3
"""Sets of gains that are tried again, for longer."""
MOST_WRITTEN = 2
"""Times that a file is written and read."""
COURSES = 2
"""Of practice, each on other walks, where it falls in the first."""
SECONDS = 60.0
"""Of a walk that is practised or judged."""
ROUNDS, WALKS, CLEAN = 4, 24, 2
"""Rounds of a network's random steering at most, walks of each, and rounds in a row without a fall, after which it
ends."""
SEEDS = 4_000_000
PRACTISED_AT, JUDGED_AT = 2_000_000, 3_000_000
"""Seeds of walks, far from those of a report."""

_Counts = dict[Transition, tuple[int, int]]
ClipRow = dict[str, Any]


@dataclass(frozen=True, eq=False)
class SteeredCharacter:
    """One character of many clips.

    Attributes:
        controller: it, with the report.
        clips: a row for each file: "clip", its "name", its "steps", and why it is "left_out", empty where it is not; of
            a tracked one also starts "up" of "tried", "steps_kept" and "steps_made".
        minutes: of a network's random steering.
        tried: starts that stayed up, of how many, by transition of a tracked one, before any was left out.
    """

    controller: Any
    clips: Sequence[Mapping[str, Any]]
    minutes: Sequence[Steered] = ()
    tried: _Counts = field(default_factory=dict)

    @property
    def report(self) -> Mapping[str, Any]:
        """Numbers, as the file has them."""
        report: Mapping[str, Any] = self.controller.report
        return report

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """(file, reason) of clips that are not in it."""
        return [(row["clip"], row["left_out"]) for row in self.clips if row["left_out"]]

    def between_clips(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Starts that stayed up, of how many, by the clips that transitions lead from and to."""
        steps = self.controller.graph.steps
        found: Counter[tuple[str, str]] = Counter()
        of: Counter[tuple[str, str]] = Counter()
        for (a, b), (up, tried) in self.tried.items():
            found[steps[a].clip, steps[b].clip] += up
            of[steps[a].clip, steps[b].clip] += tried
        return {pair: (found[pair], of[pair]) for pair in of}


class GraphWalker(ABC):
    """The follower that walks a motion graph of clips, and how it is made fit for it: the parts of
    :func:`one_character` in which a law with gains and a network that practises differ.

    Attributes:
        figure: a figure of ball joints, or the network's own.
        seed: of everything random.
        minutes: of random steering by which the character is judged.
        rounds: of random steering in which transitions are left out, at most.
        clean: rounds in a row without a fall, after which they end.
    """

    figure: str
    seed: int
    minutes: int
    rounds: int
    clean: int

    @abstractmethod
    def join(self, clips: Sequence[GraphClip], rows: list[ClipRow], name: str) -> tuple[Any, list[ClipRow]]:
        """A character of clips, and the row of each file."""

    @abstractmethod
    def prepare(self, character: Any, show: Show) -> Any:
        """The character as it walks the graph best: under the best known gains, or after practice."""

    @abstractmethod
    def tried(self, character: Any, rows: list[ClipRow], show: Show) -> tuple[TrackedGraph, list[ClipRow], _Counts]:
        """The graph with the transitions that pass trials from disturbed starts, the rows, and starts that stayed up of
        how many by transition, where these are counted."""

    @abstractmethod
    def on(self, character: Any, graph: TrackedGraph) -> Any:
        """The character on another graph of its clips."""

    @abstractmethod
    def walk(self, character: Any, number: int, show: Show) -> list[tuple[list[int], bool]]:
        """A round of random steering: for each walk the numbers of its steps, and whether it stayed up."""

    @abstractmethod
    def judged(self, character: Any, rows: list[ClipRow], tried: _Counts, show: Show) -> SteeredCharacter:
        """The character after random steering with seeds that nothing before has seen, with what its report says of
        that."""


def one_character(
    files: Sequence[Path], walker: GraphWalker, *, name: str = "character", progress: Show = silent
) -> SteeredCharacter:
    """Make one character of many clips.

    Args:
        files: motion files.
        walker: what follows the graph, and is made fit for it.
        name: of the controller.
        progress: called with the share done and a few words.
    """
    body = Figure.load(walker.figure)
    clips, rows = read_clips([("normal", file) for file in files], body, part_of(progress, 0.0, 0.1))
    character, rows = walker.join(clips, rows, name)
    character = walker.prepare(character, part_of(progress, 0.1, 0.4))
    graph, rows, tried = walker.tried(character, rows, part_of(progress, 0.5, 0.3))

    def walk(graph: TrackedGraph, number: int) -> list[tuple[list[int], bool]]:
        show = part_of(progress, 0.8 + 0.15 * number / walker.rounds, 0.15 / walker.rounds)
        return walker.walk(walker.on(character, graph), number, show)

    left = pruned_graph(graph, walk, rounds=walker.rounds, clean=walker.clean)
    made = walker.judged(walker.on(character, left.graph), rows, tried, part_of(progress, 0.95, 0.05))
    report = {
        "clips": sum(not row["left_out"] for row in made.clips),
        "steps": len(left.graph.steps),
        "left_out_by_random_steering": left.left_out,
        "minutes": walker.minutes,
        **made.report,
    }
    return replace(made, controller=replace(made.controller, report=report))


def _mean(values: Sequence[float], digits: int) -> float:
    known = [value for value in values if np.isfinite(value)]
    return round(float(np.mean(known)), digits) if known else 0.0


# -- by the tracking law -----------------------------------------------------------------------------------------------


class _Stages:
    """Jobs of one stage after another, each kept in a folder of its own."""

    def __init__(self, folder: Path, key: str, executor: Executor | None) -> None:
        self.folder, self.key, self.executor, self.number = folder, key, executor, 0

    def run(self, jobs: Sequence[Any], what: str, show: Show) -> list[Results]:
        digest = hashlib.sha256(f"{self.key} {self.number} {len(jobs)}".encode()).hexdigest()[:32]
        kept = ChunkFolder(self.folder / f"{self.number:02d}", digest, "repertoire")
        finished = 0
        for places in run_kept(type(jobs[0]).run, jobs, self.executor, kept) if jobs else ():
            finished += len(places)
            show(finished / len(jobs), f"{what}: {finished} of {len(jobs)} jobs")
        self.number += 1
        return list(kept.all(len(jobs))) if jobs else []

    def delete(self) -> None:
        for number in range(self.number):
            path = self.folder / f"{number:02d}"
            if path.exists():
                ChunkFolder(path, "").delete()
        self.folder.rmdir()


@dataclass(eq=False)
class TrackedWalker(GraphWalker):
    """The tracking law.

    Attributes:
        folder: for finished trials, which is deleted at the end; the same call continues from it.
        walkers: worlds of a job that is steered at random.
        seconds: for how long; sets of gains are tried for a third of that first.
        executor: runs the trials; None runs them here.
    """

    folder: Path
    figure: str = "mocap-biped"
    seed: int = 1
    rounds: int = 8
    minutes: int = 20
    walkers: int = 8
    seconds: float = 60.0
    executor: Executor | None = None
    clean: int = 1

    def join(
        self, clips: Sequence[GraphClip], rows: list[ClipRow], name: str
    ) -> tuple[SteeredController, list[ClipRow]]:
        """The graph of clips, as its file has it: numbers of steps hold for what is read from that. A file's numbers
        are rounded, and quaternions made units when they are read, so it is written until it no longer changes."""
        self._stages = _Stages(self.folder, self._key(clips), self.executor)
        graph = TrackedGraph(clips, Figure.load(self.figure), choosing=CAREFUL)
        settings = split_set(steering_set())[1]
        ground = replace(PAPER_GROUND, **GROUND)
        made = replace(SteeredController.of(graph, settings, ground, name), figure=self.figure)
        text, before = print_steered(made), ""
        for _ in range(MOST_WRITTEN):
            made = parse_steered(text)
            before, text = text, print_steered(made)
            if text == before:
                break
        return made, rows

    def prepare(self, character: SteeredController, show: Show) -> SteeredController:
        """Under the known set of gains with which characters that walk at random, without a stop, stay up longest."""
        sets = [split_set(BLANK | known) for known in (steering_set(), *default_sets())]
        walks = character.graph.keeping(None, {})
        under = [_on(character, walks.with_gains(gains), replace(own, implicit_friction=True)) for gains, own in sets]
        jobs = [WalkersJob(one, self.walkers, self.seconds / 3.0, self.seed) for one in under]
        first = self._stages.run(jobs, "sets of gains", part_of(show, 0.0, 0.75))
        lived = np.array([float(r["seconds"].mean()) for r in first])
        longest = np.argsort(-lived, kind="stable")  # of sets that live alike the best known one comes first
        under = [under[k] for k in longest[:FINALISTS]]
        jobs = [WalkersJob(one, 2 * self.walkers, self.seconds, self.seed + 200) for one in under]
        last = self._stages.run(jobs, "best sets of gains", part_of(show, 0.75, 0.25))
        best = under[int(np.argmax([float(r["seconds"].mean()) for r in last]))]
        return _on(best, best.graph.keeping(None, None))

    def tried(
        self, character: SteeredController, rows: list[ClipRow], show: Show
    ) -> tuple[TrackedGraph, list[ClipRow], _Counts]:
        """Clips from their begin to their end, transitions and stops."""
        rows = self._tracked(character, rows, part_of(show, 0.0, 0.2))
        graph = character.graph
        pairs, stops = candidates(graph), stop_candidates(graph)
        chains = [transition_chain(graph, a, b) for a, b in pairs] + [stop_chain(graph, a, b) for a, b in stops]
        results = self._stages.run(trials(character, chains, self.seed), "transitions", part_of(show, 0.2, 0.8))
        counts = [(int(up), STARTS) for result in results for up in result["up"]]
        tried = dict(zip(pairs, counts, strict=False)), dict(zip(stops, counts[len(pairs) :], strict=True))
        kept, stood = ({pair: n for pair, n in own.items() if n[0] == n[1]} for own in tried)
        self._counts = {
            "transitions_tried": len(pairs),
            "transitions_kept": len(kept),
            "stops_tried": len(stops),
            "stops_kept": len(stood),
        }
        return graph.keeping(kept, stood), rows, tried[0]

    def on(self, character: SteeredController, graph: TrackedGraph) -> SteeredController:
        """With the same settings."""
        return _on(character, graph)

    def walk(self, character: SteeredController, number: int, show: Show) -> list[tuple[list[int], bool]]:
        """In jobs of a few worlds."""
        jobs = self._walkers(character, 3 * self.walkers, self.seed + 10 * (number + 1))
        found = self._stages.run(jobs, f"random steering, round {number + 1}", show)
        return [(steps, bool(up)) for one in found for steps, up in zip(walked_steps(one), one["up"], strict=True)]

    def judged(self, character: SteeredController, rows: list[ClipRow], tried: _Counts, show: Show) -> SteeredCharacter:
        """Side by side in worlds."""
        graph = character.graph
        last = self._stages.run(self._walkers(character, self.minutes, self.seed + 500), "random minutes", show)
        rows = _used(rows, graph, last)
        report = {
            "clips_left_out": sum(bool(row["left_out"]) for row in rows),
            "clips_used": sum(row["steps_made"] > 0 for row in rows),
            "steps_kept": len(graph.core),
            "parts": len(graph.parts),
            **self._counts,
            "minutes_up": int(sum(r["up"].sum() for r in last)),
            "heading_error_deg": _mean([float(r["off"][0]) for r in last], 1),
        }
        self._stages.delete()
        return SteeredCharacter(replace(character, report=report), rows, tried=tried)

    def _key(self, clips: Sequence[GraphClip]) -> str:
        """By which finished trials are known again."""
        plan = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("folder", "executor", "clean")}
        digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode())
        for clip in clips:
            digest.update(clip.name.encode() + b"\0" + clip.frames.tobytes())
        return digest.hexdigest()

    def _tracked(self, character: SteeredController, rows: list[ClipRow], show: Show) -> list[ClipRow]:
        """The rows with how many starts walk each clip to its end."""
        chains = clip_chains(character.graph)
        names = [name for name, own in chains.items() for _ in own]
        jobs = trials(character, [chain for own in chains.values() for chain in own], self.seed)
        up = np.concatenate([r["up"] for r in self._stages.run(jobs, "clips", show)])
        made = []
        for row in rows:
            own = [int(up[k]) for k, name in enumerate(names) if name == row["name"]]
            walked = not row["left_out"] and bool(own)
            numbers = {"up": min(own), "tried": STARTS} if walked else {"up": 0, "tried": 0}
            made.append(row | numbers | {"left_out": "" if walked else row["left_out"] or "it has no step"})
        return made

    def _walkers(self, controller: SteeredController, count: int, seed: int) -> list[WalkersJob]:
        """Jobs of a few worlds that are steered at random."""
        counts = [min(self.walkers, count - k) for k in range(0, count, self.walkers)]
        return [WalkersJob(controller, worlds, self.seconds, seed + k) for k, worlds in enumerate(counts)]


def _on(controller: SteeredController, graph: TrackedGraph, settings: Settings | None = None) -> SteeredController:
    """The controller on another graph."""
    own = controller.repertoire
    about = f"Steps of {len(graph.clips)} clips: {', '.join(clip.name for clip in graph.clips)}."
    made = SteeredController.of(graph, settings or own.settings, own.ground, controller.name, about)
    return replace(made, figure=controller.figure)


def _used(rows: list[dict[str, Any]], graph: TrackedGraph, walks: Sequence[Results]) -> list[dict[str, Any]]:
    """The rows with the steps of each clip that can be gone to, and how many were made; a clip without any is out."""
    can = Counter(graph.steps[k].clip for k in graph.core)
    made = Counter(graph.steps[k].clip for found in walks for walk in walked_steps(found) for k in walk if k >= 0)
    result = []
    for row in rows:
        name = row["name"]
        why = row["left_out"] or ("" if can[name] else "no transitions to it and back were kept")
        result.append(row | {"steps_kept": can[name], "steps_made": made[name], "left_out": why})
    return result


# -- by a network ------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class NetworkWalker(GraphWalker):
    """A network that follows clips.

    Attributes:
        policy: a tracker.
        practice: decisions of a course, at most (:func:`practise_walks`).
        device: where it practises, "cpu" or "cuda".
    """

    policy: NetworkController
    practice: int | None = None
    minutes: int = 20
    seed: int = 1
    device: str = "cpu"
    rounds: int = ROUNDS
    clean: int = CLEAN

    def __post_init__(self) -> None:
        check_device(self.device)
        self.figure = self.policy.figure

    def join(self, clips: Sequence[GraphClip], rows: list[ClipRow], name: str) -> tuple[SteeredNetwork, list[ClipRow]]:
        """With wider seams than the tracking law."""
        about = f"Walks where it is sent with steps of {len(clips)} clips, by the policy {self.policy.name}."
        first = joined_graph(clips, Figure.load(self.figure), CHOOSING)
        self._first, apart = first, {"left_out": "its steps cannot be joined to those of the other clips"}
        character = SteeredNetwork(name, self.policy, tuple(first.graph.clips), about, first.graph.choosing)
        return character, [row | apart if row["name"] in first.left_out else row for row in rows]

    def prepare(self, character: SteeredNetwork, show: Show) -> SteeredNetwork:
        """After courses of practice, with the transitions that it passes; a course in which it comes to stay up in all
        judged minutes is the last."""
        character = passed(character, FIRST, progress=part_of(show, 0.0, 0.2))
        self._decisions = 0
        for course in range(COURSES):
            part = part_of(show, 0.2 + 0.8 * course / COURSES, 0.8 / COURSES)
            made = practise_walks(
                character, decisions=self.practice, seed=self.seed + course, device=self.device, progress=part
            )
            character, self._decisions = made.controller, self._decisions + made.decisions
            if made.best.holds or self.practice == 0:
                break
        return character

    def tried(
        self, character: SteeredNetwork, rows: list[ClipRow], show: Show
    ) -> tuple[TrackedGraph, list[ClipRow], _Counts]:
        """Harder than before it practised; every transition and stop that may be made is listed, so that each can be
        left out."""
        graph = passed(character, STRICT, progress=show).graph
        near = {(a, b): (1, 1) for a, row in enumerate(graph.near.tolist()) for b, near in enumerate(row) if near}
        return graph.keeping(near, all_stops(graph)), rows, {}

    def on(self, character: SteeredNetwork, graph: TrackedGraph) -> SteeredNetwork:
        """By what was tried."""
        return replace(character, tried=graph.tried, stops=graph.stops)

    def walk(self, character: SteeredNetwork, number: int, show: Show) -> list[tuple[list[int], bool]]:
        """Played minutes, followed side by side."""
        first, policy = SEEDS + 10_000 * self.seed + WALKS * number, character.policy
        seeds = range(first, first + WALKS)
        walks = played_minutes(character.graph, SECONDS, seeds, policy.rate, progress=part_of(show, 0.0, 0.6))
        lasted = seconds_up(policy, [one.clip for one in walks], NOISE, seeds)
        up = np.isinf(lasted)
        show(1.0, f"steering at random: up in {up.sum()} of {WALKS} minutes")
        pairs = zip(walks, lasted.tolist(), up.tolist(), strict=True)
        return [(one.walked_by(min(seconds, SECONDS)), stays) for one, seconds, stays in pairs]

    def judged(self, character: SteeredNetwork, rows: list[ClipRow], tried: _Counts, show: Show) -> SteeredCharacter:
        """One minute after another, with its motion."""
        walked = random_minutes(character.policy, character.graph, self.minutes, seed=self.seed, progress=show)
        report = {
            "widest_seam_m": character.choosing.near,
            "minutes_up": sum(not minute.fell for minute in walked),
            "heading_error_deg": _mean([minute.heading_error for minute in walked], 3),
            "speed_error_mps": _mean([minute.speed_error for minute in walked], 3),
            "fastest_mps": round(max(minute.fastest for minute in walked), 3),
            "clips_used": len({self._first.of[clip] for minute in walked for clip in minute.clips}),
            "practised_decisions": self._decisions,
        }
        return SteeredCharacter(replace(character, report=report), rows, tuple(walked), tried)


@dataclass(frozen=True)
class _Course:
    """How a character practises to be steered.

    Attributes:
        walks: played walks of a minute that it practises.
        judged: others by which it is judged.
        every: iterations between judgements.
        usual: decisions, at most.
    """

    walks: int
    judged: int
    every: int
    usual: int


ON_CPU, ON_GPU = _Course(48, 20, 50, 4_000_000), _Course(240, 40, 100, 300_000_000)


def practise_walks(
    controller: SteeredNetwork,
    *,
    decisions: int | None = None,
    seed: int = 1,
    device: str = "cpu",
    progress: Show = silent,
) -> Practised:
    """Let a character's policy practise random walks on its clips.

    Args:
        controller: the tracker and the clips.
        decisions: how many, at most, in all worlds together; None for 4 million on a CPU, 300 million on a GPU. It ends
            where it stays up in all judged minutes; 0 for none.
        seed: of everything random.
        device: "cpu", or "cuda" to practise on a GPU (with torch).
        progress: called with the share done and a few words.
    """
    check_practice(decisions)
    check_device(device)
    course = ON_CPU if device == "cpu" else ON_GPU
    graph, policy, most = controller.graph, controller.policy, course.usual if decisions is None else decisions
    seeds = [
        *(JUDGED_AT + 1000 * seed + k for k in range(course.judged)),
        *(PRACTISED_AT + 1000 * seed + k for k in range(course.walks)),
    ]
    walks = played_minutes(graph, SECONDS, seeds, policy.rate, progress=part_of(progress, 0.0, 0.1))
    judged, practised = walks[: course.judged], walks[course.judged :]
    best, done = _judged_walks(policy, policy.network, judged), 0
    if most > 0 and not best.holds:
        options = tracker_options(policy, [motion_of(walk.clip, graph.figure) for walk in practised])
        options = replace(options, device=device, lanes=1 if device != "cpu" else options.lanes)
        best, done = practise_until(
            best,
            options,
            lambda network: _judged_walks(policy, network, judged),
            seed=seed,
            limit=lambda _: most,
            every=course.every,
            show=lambda share, one: progress(
                0.1 + 0.9 * share, f"practising walks: up in {one.up} of {course.judged} minutes"
            ),
        )
    made = replace(controller, policy=replace(policy, network=best.network))
    return Practised(made, done, best)


def check_device(device: str) -> None:
    """Refuse a device that is not there, or on which nothing can be practised."""
    device_of(device)
    if device != "cpu" and find_spec("torch") is None:
        raise FootfallError(f"device '{device}': practice there needs torch; pip install 'footfall[gym,learn]'")


def _judged_walks(policy: NetworkController, network: Network, walks: Sequence[PlayedMinute]) -> JudgedNetwork:
    """By how many walks a policy stays up in, and for what share of their time."""
    own = replace(policy, network=network, start=None)
    lasted = seconds_up(own, [walk.clip for walk in walks], NOISE, range(len(walks)))
    up, share = int(np.isinf(lasted).sum()), float(np.minimum(lasted, SECONDS).mean() / SECONDS)
    return JudgedNetwork(network, -(up + share), up == len(walks), up=up)
