"""A folder of clips: a controller searched for each, or made of one policy, every clip a job of its own.

    footfall imitate clips --out controllers --workers 8

Writes a controller for each clip as it is found, and results.csv with a row for each. A clip that is refused is a row
with the reason.
"""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.control.registry import parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.methods.network.controller import NetworkController
from footfall.motion import Motion, load_motion
from footfall.study.imitation.captured import imitate_walk
from footfall.study.imitation.captured_search import CapturedSearch
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import Imitation, controller_name, imitate
from footfall.study.imitation.policy import check_policy, imitate_by_policy
from footfall.writing import write_whole

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
