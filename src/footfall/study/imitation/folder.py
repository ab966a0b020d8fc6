"""A folder of clips: a controller for each, every clip a job of its own.

    footfall imitate clips --out controllers --workers 8

Writes a controller for each clip as it is found, and results.csv with a row for each. A clip that is refused is a row
with the reason.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.control.registry import print_controller
from footfall.errors import FootfallError
from footfall.escaping import csv_table
from footfall.motion import Motion, load_motion
from footfall.study.imitation.clips import numbered
from footfall.study.imitation.followers import Follower, controller_name
from footfall.text_files import make_folder, write_whole

COLUMNS = ("clip", "controller", "figure", "verdict", "fell", "seconds", "asked_seconds", "steps", "disturbed_up",
           "disturbed_tried", "joint_error_deg", "correlation", "pace", "distance_ratio", "off_path", "mpjpe_root_mm",
           "mpjpe_global_mm", "stance_slide_cm", "hip_torque_per_kg", "sets_of_gains_tried", "refused")  # fmt: skip


@dataclass(frozen=True, eq=False)
class _ClipJob:
    """One clip, read already: workers need not see its file."""

    clip: str
    name: str
    motion: Motion | None
    refused: str
    follower: Follower
    options: dict[str, Any]

    def run(self) -> Results:
        """The report and the controller's file, as bytes."""
        row: dict[str, Any] = {"clip": self.clip, "refused": self.refused}
        text = ""
        if self.motion is not None:
            try:
                made = self.follower.imitate(self.motion, self.name, **self.options)
                row, text = row | made.as_dict(), print_controller(made.controller)
            except FootfallError as error:
                row["refused"] = str(error)
        return {
            name: np.frombuffer(part.encode(), np.uint8) for name, part in (("row", json.dumps(row)), ("toml", text))
        }


def imitate_folder(
    clips: Sequence[Path],
    out: Path,
    follower: Follower,
    *,
    loop: bool = False,
    pushes: bool = True,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """Imitate clips.

    Args:
        clips: motion files.
        out: a folder for the controllers and results.csv; finished clips are kept in its folder ``chunks`` until all
            are, and the same call continues from them.
        follower: what follows them.
        loop: repeat each clip's best two steps.
        pushes: whether to look for push limits.
        executor: makes the controllers; None makes them here, one after the other.
        progress: called with how many clips are done, and of how many.

    Returns:
        a row for each clip: the report of :class:`~footfall.study.imitation.followers.Imitation`, or "refused".
    """
    make_folder(out)
    jobs: list[_ClipJob] = []
    for clip in clips:
        name = numbered(controller_name(clip), [job.name for job in jobs])
        motion, refused = _read(clip)
        jobs.append(_ClipJob(str(clip), name, motion, refused, follower, {"loop": loop, "pushes": pushes}))
    folder = ChunkFolder(out / "chunks", _key(clips, f"{follower.key} {loop} {pushes}"), "set of clips")
    rows: dict[int, dict[str, Any]] = {}
    for places in run_kept(_ClipJob.run, jobs, executor, folder):
        for place in places:
            found = folder.load(place)
            rows[place] = json.loads(found["row"].tobytes())
            if len(found["toml"]):
                write_whole(out / f"{jobs[place].name}.toml", found["toml"].tobytes())
        write_whole(out / "results.csv", csv_table(COLUMNS, (rows[place] for place in sorted(rows))))
        if progress is not None:
            progress(len(rows), len(jobs))
    folder.delete()
    return [rows[place] for place in range(len(jobs))]


def _read(clip: Path) -> tuple[Motion | None, str]:
    """The motion of a file, or why it has none."""
    try:
        return load_motion(clip), ""
    except FootfallError as error:
        return None, str(error)


def _key(clips: Sequence[Path], plan: str) -> str:
    digest = hashlib.sha256(plan.encode())
    for clip in clips:
        digest.update(str(clip).encode() + b"\0" + hashlib.sha256(clip.read_bytes()).digest())
    return digest.hexdigest()[:32]
