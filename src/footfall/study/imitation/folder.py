"""A folder of clips: a controller searched for each, or made of one policy, every clip a job of its own.

    footfall imitate clips --out controllers --workers 8

Writes a controller for each clip as it is found, and results.csv with a row for each. A clip that is refused is a row
with the reason.

Many clips, one character: a motion graph of all clips of a folder that is steered, made by trying it in worlds.

- clips are read, retargeted and checked; those that cannot be tracked are left out, with the reason;
- known sets of gains walk the graph at random, and the one that stays up longest is taken;
- every clip is walked from disturbed starts, for the report;
- transitions between clips, and stops, are tried from disturbed starts and kept where all of them stay up;
- the character is steered at random; transitions on which it falls are left out as well, round after round
  (:mod:`.steering_rounds`), so that of a clip that falls only the safe steps stay;
- at last it is steered at random with seeds that nothing before has seen, and the report says how often it stayed up.

Finished trials are kept in a folder, so that the same call continues.
"""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.control.registry import parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph, Transition
from footfall.methods.tracking.repertoire import PAPER_GROUND, Settings
from footfall.methods.tracking.steered_files import parse_steered, print_steered
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion import Motion, load_motion
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.progress import Show
from footfall.study.imitation.captured import imitate_walk
from footfall.study.imitation.captured_search import CapturedSearch
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.gain_search import BLANK, GainSearch, default_sets, split_set
from footfall.study.imitation.imitate import FIRM, Imitation, check_policy, controller_name, imitate, imitate_by_policy
from footfall.study.imitation.steering import steering_set
from footfall.study.imitation.transitions import (
    STARTS,
    Blame,
    ChainTrial,
    Walkers,
    candidates,
    clip_chains,
    stop_candidates,
    stop_chain,
    transition_chain,
    trials,
    walked_steps,
)
from footfall.text_files import write_whole

COLUMNS = ("clip", "controller", "figure", "fell", "seconds", "asked_seconds", "steps", "disturbed_up",
           "disturbed_tried", "joint_error_deg", "correlation", "pace", "way", "off_path", "mpjpe_root_mm",
           "mpjpe_global_mm", "slide_cm", "hip_torque_per_kg", "sets_of_gains_tried", "refused")  # fmt: skip


Follow = Callable[..., Imitation[Any]]
"""(motion, policy, practice=, aim=, loop=, seed=, name=, pushes=): a clip followed by a policy."""


@dataclass(frozen=True)
class ImitationPlan:
    """How all clips are imitated; arguments of ``footfall imitate``. Where there is a policy, its law stands for how
    it is used, and nothing reads it but the key of finished work."""

    law: str = "tracking"
    figure: str | None = None
    loop: bool = False
    generations: int | None = None
    pushes: bool = True
    seed: int = 1
    sturdy: bool = False
    stay_on_path: bool = False
    torque_limit: float = 0.0
    policy: str = ""
    """The text of a tracker's file; empty where controllers are searched for."""
    practice: int | None = 0
    """Decisions that a tracker may practise a clip; None for the usual number."""
    aim: str = "course"
    """What it practises for."""


@dataclass(frozen=True, eq=False)
class _ClipJob:
    """One clip, read already: workers need not see its file."""

    clip: str
    name: str
    motion: Motion | None
    refused: str
    plan: ImitationPlan
    follow: Follow

    def run(self) -> Results:
        """The report and the controller's file, as bytes."""
        row: dict[str, Any] = {"clip": self.clip, "refused": self.refused}
        text = ""
        if self.motion is not None:
            try:
                made = self._imitated(self.motion)
                row, text = row | made.as_dict(), print_controller(made.controller)
            except FootfallError as error:
                row["refused"] = str(error)
        return {
            name: np.frombuffer(part.encode(), np.uint8) for name, part in (("row", json.dumps(row)), ("toml", text))
        }

    def _imitated(self, motion: Motion) -> Any:
        plan = self.plan
        options: dict[str, Any] = {"name": self.name, "pushes": plan.pushes}
        if plan.policy:
            policy = check_policy(parse_controller(plan.policy, "policy"))
            options |= {"practice": plan.practice, "aim": plan.aim, "loop": plan.loop, "seed": plan.seed}
            return self.follow(motion, policy, **options)
        options |= {} if plan.figure is None else {"figure": plan.figure}
        if plan.law == "simbicon":
            walk = CapturedSearch(seed=plan.seed)
            walk = walk if plan.generations is None else replace(walk, generations=plan.generations)
            return imitate_walk(motion, search=walk, **options)
        gains = GainSearch(seed=plan.seed)
        gains = gains if plan.generations is None else replace(gains, generations=plan.generations)
        options |= {"sturdy": plan.sturdy, "stay_on_path": plan.stay_on_path, "torque_limit": plan.torque_limit}
        return imitate(motion, loop=plan.loop, search=gains, **options)


def imitate_folder(
    clips: Sequence[Path],
    out: Path,
    plan: ImitationPlan,
    *,
    follow: Follow | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Imitate clips.

    Args:
        clips: motion files. out: a folder for the controllers and results.csv; finished clips are kept in its folder
            ``chunks`` until all are, and the same call continues from them.
        plan: how. follow: how a policy does it, where the plan has one; by default as it is, without practice.
        executor: makes the controllers; None makes them here, one after the other.
        progress: called with how many clips are done, and of how many.

    Returns:
        a row for each clip: the report of :class:`~footfall.study.imitation.imitate.Imitation`, or "refused".
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FootfallError(f"--out {out}: cannot make the folder: {error.strerror}") from error
    jobs = [_job(clip, name, plan, follow or _as_it_is) for clip, name in zip(clips, _names(clips), strict=True)]
    folder = ChunkFolder(out / "chunks", _key(clips, plan), "set of clips")
    rows: dict[int, dict[str, Any]] = {}
    for places in run_kept(_ClipJob.run, jobs, executor, folder):
        for place in places:
            found = folder.load(place)
            rows[place] = json.loads(found["row"].tobytes())
            if len(found["toml"]):
                write_whole(out / f"{jobs[place].name}.toml", found["toml"].tobytes())
        _write_table([rows[place] for place in sorted(rows)], out)
        if progress is not None:
            progress(len(rows), len(jobs))
    folder.delete()
    return [rows[place] for place in range(len(jobs))]


def _as_it_is(
    motion: Motion, policy: NetworkController, *, practice: int | None, aim: str, **options: Any
) -> Imitation[Any]:
    if practice != 0 or aim != "course":
        raise FootfallError("practice: give a function that practises, follow=")
    return imitate_by_policy(motion, policy, **options)


def _job(clip: Path, name: str, plan: ImitationPlan, follow: Follow) -> _ClipJob:
    try:
        return _ClipJob(str(clip), name, load_motion(clip), "", plan, follow)
    except FootfallError as error:
        return _ClipJob(str(clip), name, None, str(error), plan, follow)


def _names(clips: Sequence[Path]) -> list[str]:
    """Names of the controllers: from the files', with a number where two are alike."""
    found: list[str] = []
    for clip in clips:
        name = controller_name(clip)
        alike = sum(1 for other in found if other == name or other.startswith(f"{name}--"))
        found.append(f"{name}--{alike + 1}" if alike else name)
    return found


def _key(clips: Sequence[Path], plan: ImitationPlan) -> str:
    digest = hashlib.sha256(json.dumps(vars(plan), sort_keys=True).encode())
    for clip in clips:
        digest.update(str(clip).encode() + b"\0" + hashlib.sha256(clip.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _write_table(rows: Sequence[dict[str, Any]], out: Path) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(out / "results.csv", text.getvalue().encode())


CAREFUL = Choosing(seam=0.015, blends=False, plans=True)
"""How steps of many clips are chosen. With the seams of a few alike clips (0.06) and blends of two steps most fall."""
GROUND = {name: FIRM[name] for name in ("stiffness", "damping", "friction", "locking_speed")}
"""That of imitated clips, which is firm enough to stand on."""
FINALISTS = 3
"""Sets of gains that are tried again, for longer."""
MOST_WRITTEN = 2
"""Times that a file is written and read."""

_Counts = dict[Transition, tuple[int, int]]


@dataclass(frozen=True)
class ManyClipsPlan:
    """How a character is made.

    Attributes:
        figure: a figure of ball joints. seed: of all trials.
        rounds: of random steering in which transitions are left out, at most.
        minutes: of random steering by which it is judged.
        walkers, seconds: worlds of a job that is steered at random, and for how long; sets of gains are tried for a
            third of that first.
    """

    figure: str = "mocap-biped"
    seed: int = 1
    rounds: int = 8
    minutes: int = 20
    walkers: int = 8
    seconds: float = 60.0


@dataclass(frozen=True, eq=False)
class ManyClips:
    """A character of many clips, with its report.

    Attributes:
        controller: it. clips: a row for each clip: "clip", "steps", "up" of "tried" starts, "left_out" with the reason
            or empty.
        report: numbers, as the file has them.
        tried, stops: starts that stayed up, of how many, by transition and by stop, before any was left out.
    """

    controller: SteeredController
    clips: list[dict[str, Any]]
    report: dict[str, Any]
    tried: _Counts
    stops: _Counts

    def between_clips(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Starts that stayed up, of how many, by the clips that transitions lead from and to."""
        steps = self.controller.graph.steps
        found: Counter[tuple[str, str]] = Counter()
        of: Counter[tuple[str, str]] = Counter()
        for (a, b), (up, tried) in self.tried.items():
            found[steps[a].clip, steps[b].clip] += up
            of[steps[a].clip, steps[b].clip] += tried
        return {pair: (found[pair], of[pair]) for pair in of}


class _Stages:
    """Jobs of one stage after another, each kept in a folder of its own."""

    def __init__(self, folder: Path, key: str, executor: Executor | None, show: Show, first: float) -> None:
        self.folder, self.key, self.executor, self.show = folder, key, executor, show
        self.done, self.number = first, 0

    def run(self, jobs: Sequence[Any], what: str, share: float) -> list[Results]:
        digest = hashlib.sha256(f"{self.key} {self.number} {len(jobs)}".encode()).hexdigest()[:32]
        kept = ChunkFolder(self.folder / f"{self.number:02d}", digest, "repertoire")
        finished = 0
        for places in run_kept(type(jobs[0]).run, jobs, self.executor, kept) if jobs else ():
            finished += len(places)
            self.show(self.done + share * finished / len(jobs), f"{what}: {finished} of {len(jobs)} jobs")
        self.done += share
        self.number += 1
        return list(kept.all(len(jobs))) if jobs else []

    def delete(self) -> None:
        for number in range(self.number):
            path = self.folder / f"{number:02d}"
            if path.exists():
                ChunkFolder(path, "").delete()
        self.folder.rmdir()


def many_clips(
    files: Sequence[Path],
    folder: Path,
    plan: ManyClipsPlan = ManyClipsPlan(),  # noqa: B008
    *,
    name: str = "repertoire",
    executor: Executor | None = None,
    progress: Show | None = None,
) -> ManyClips:
    """Make one character of many clips.

    Args:
        files: motion files. folder: for finished trials, which is deleted at the end; the same call continues from it.
        plan: how. name: of the controller. executor: runs the trials; None runs them here.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    clips, rows = _read(files, plan.figure, show)
    stages = _Stages(folder, _trials_key(files, plan), executor, show, 0.1)
    controller = _best_set(_controller(clips, plan.figure, name), plan, stages)
    rows = _tracked(controller, rows, plan, stages)
    tried, stops = _tried(controller, plan, stages)
    kept, stood = ({pair: n for pair, n in own.items() if n[0] == n[1]} for own in (tried, stops))
    controller = _on(controller, controller.graph.keeping(kept, stood))
    controller, left_out = _rehearsed(controller, plan, stages)
    last = stages.run(_walkers(controller, plan.minutes, plan, plan.seed + 500), "random minutes", 0.1)
    up = int(sum(r["up"].sum() for r in last))
    rows = _used(rows, controller.graph, last)
    report = {
        "clips": sum(not row["left_out"] for row in rows),
        "clips_left_out": sum(bool(row["left_out"]) for row in rows),
        "clips_used": sum(row["steps_made"] > 0 for row in rows),
        "steps": len(controller.graph.steps),
        "steps_kept": len(controller.graph.core),
        "parts": len(controller.graph.parts),
        "transitions_tried": len(tried),
        "transitions_kept": len(kept),
        "stops_tried": len(stops),
        "stops_kept": len(stood),
        "left_out_by_random_steering": left_out,
        "minutes_up": up,
        "minutes": plan.minutes,
        "heading_error_deg": round(float(np.nanmean([r["off"] for r in last])), 1),
    }
    stages.delete()
    return ManyClips(replace(controller, report=report), rows, report, tried, stops)


def _tried(controller: SteeredController, plan: ManyClipsPlan, stages: _Stages) -> tuple[_Counts, _Counts]:
    """How many disturbed starts of how many stayed up, by transition and by stop."""
    graph = controller.graph
    pairs, stops = candidates(graph), stop_candidates(graph)
    chains = [transition_chain(graph, a, b) for a, b in pairs] + [stop_chain(graph, a, b) for a, b in stops]
    results = stages.run(trials(controller, chains, plan.seed), "transitions", 0.35)
    counts = [(int(up), STARTS) for result in results for up in result["up"]]
    return dict(zip(pairs, counts, strict=False)), dict(zip(stops, counts[len(pairs) :], strict=True))


def _read(files: Sequence[Path], figure: str, show: Show) -> tuple[list[GraphClip], list[dict[str, Any]]]:
    """Clips that can be tracked, and a row for each file."""
    body = Figure.load(figure)
    clips: list[GraphClip] = []
    rows: list[dict[str, Any]] = []
    for k, file in enumerate(files):
        show(0.1 * k / len(files), f"reading {file.name}")
        row: dict[str, Any] = {"clip": str(file), "name": "", "steps": 0, "up": 0, "tried": 0, "left_out": ""}
        try:
            frames = frames_of(load_motion(file), body, lifted=True)
            check_clip(frames, body)
            alike = sum(clip.name == file.stem or clip.name.startswith(f"{file.stem}--") for clip in clips)
            clip = GraphClip(f"{file.stem}--{alike + 1}" if alike else file.stem, frames)
            row |= {"name": clip.name, "steps": len(TrackedGraph([clip], body).steps)}
            clips.append(clip)
        except FootfallError as error:
            row["left_out"] = str(error)
        rows.append(row)
    if not clips:
        raise FootfallError("imitate: none of the clips can be tracked; the first one: " + rows[0]["left_out"])
    return clips, rows


def _trials_key(files: Sequence[Path], plan: ManyClipsPlan) -> str:
    digest = hashlib.sha256(json.dumps(vars(plan), sort_keys=True).encode())
    for file in files:
        digest.update(str(file).encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _controller(clips: Sequence[GraphClip], figure: str, name: str) -> SteeredController:
    """The graph of clips, as its file has it: numbers of steps hold for what is read from that. A file's numbers are
    rounded, and quaternions made units when they are read, so it is written until it no longer changes."""
    graph = TrackedGraph(clips, Figure.load(figure), choosing=CAREFUL)
    settings = split_set(steering_set())[1]
    ground = replace(PAPER_GROUND, **GROUND)
    made = replace(SteeredController.of(graph, settings, ground, name), figure=figure)
    text, before = print_steered(made), ""
    for _ in range(MOST_WRITTEN):
        made = parse_steered(text)
        before, text = text, print_steered(made)
        if text == before:
            break
    return made


def _on(controller: SteeredController, graph: TrackedGraph, settings: Settings | None = None) -> SteeredController:
    """The controller on another graph."""
    own = controller.repertoire
    about = f"Steps of {len(graph.clips)} clips: {', '.join(clip.name for clip in graph.clips)}."
    made = SteeredController.of(graph, settings or own.settings, own.ground, controller.name, about)
    return replace(made, figure=controller.figure)


def _best_set(controller: SteeredController, plan: ManyClipsPlan, stages: _Stages) -> SteeredController:
    """The controller under the known set of gains with which characters that walk at random, without
    a stop, stay up longest."""
    sets = [split_set(BLANK | known) for known in (steering_set(), *default_sets())]
    walks = controller.graph.keeping(None, {})
    under = [_on(controller, walks.with_gains(gains), replace(own, implicit_friction=True)) for gains, own in sets]
    jobs = [Walkers(one, plan.walkers, plan.seconds / 3.0, plan.seed) for one in under]
    first = [float(r["seconds"].mean()) for r in stages.run(jobs, "sets of gains", 0.15)]
    longest = np.argsort(-np.array(first), kind="stable")  # of sets that live alike the best known one comes first
    under = [under[k] for k in longest[:FINALISTS]]
    jobs = [Walkers(one, 2 * plan.walkers, plan.seconds, plan.seed + 200) for one in under]
    lived = [float(r["seconds"].mean()) for r in stages.run(jobs, "best sets of gains", 0.05)]
    best = under[int(np.argmax(lived))]
    return _on(best, best.graph.keeping(None, None))


def _tracked(
    controller: SteeredController, rows: list[dict[str, Any]], plan: ManyClipsPlan, stages: _Stages
) -> list[dict[str, Any]]:
    """The rows with how many starts walk each clip to its end."""
    chains = clip_chains(controller.graph)
    names = [name for name, own in chains.items() for _ in own]
    jobs: list[ChainTrial] = trials(controller, [chain for own in chains.values() for chain in own], plan.seed)
    up = np.concatenate([r["up"] for r in stages.run(jobs, "clips", 0.1)])
    made = []
    for row in rows:
        own = [int(up[k]) for k, name in enumerate(names) if name == row["name"]]
        if row["left_out"] or not own:
            made.append(row | {"left_out": row["left_out"] or "it has no step"})
        else:
            made.append(row | {"up": min(own), "tried": STARTS})
    return made


def _walkers(controller: SteeredController, count: int, plan: ManyClipsPlan, seed: int) -> list[Walkers]:
    """Jobs of a few worlds that are steered at random."""
    counts = [min(plan.walkers, count - k) for k in range(0, count, plan.walkers)]
    return [Walkers(controller, worlds, plan.seconds, seed + k) for k, worlds in enumerate(counts)]


def _rehearsed(controller: SteeredController, plan: ManyClipsPlan, stages: _Stages) -> tuple[SteeredController, int]:
    """The controller without transitions on which it fell in random steering, and how many these were."""
    blame = Blame()
    for k in range(plan.rounds):
        results = stages.run(
            _walkers(controller, 3 * plan.walkers, plan, plan.seed + 10 * (k + 1)),
            f"random steering, round {k + 1}",
            0.2 / plan.rounds,
        )
        for found in results:
            for up, steps in zip(found["up"], walked_steps(found), strict=True):
                blame.count(steps, up=bool(up))
        if all(found["up"].all() for found in results):
            break
        controller = _on(controller, blame.without(controller.graph))
    return controller, len(blame.left_out())


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
