"""How well a folder of clips comes over onto a figure: the fidelity of every clip, and what was refused."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from footfall.clusters.jobs import run_jobs
from footfall.errors import FootfallError
from footfall.motion.editing import placed, without_rest_frame
from footfall.motion.formats.files import load_motion, readable_suffixes
from footfall.motion.motion import Motion
from footfall.motion.retargeting.retarget import RetargetReport, retarget

_MINUTE = 7200
"""Frames of a minute at 120 frames a second."""
_MOST_ALIKE = 500
"""Frames by which clips must differ in length for their processor time to tell that of a longer one."""
KINDS = ("trunk", "head", "thigh", "shank", "foot_yaw", "upper_arm", "forearm")


@dataclass(frozen=True)
class ClipResult:
    """One clip of a benchmark.

    Attributes:
        clip: path below the folder.
        frames: how many it has.
        report: what retargeting said, or None where the clip was refused.
        refused: the words of the refusal, else empty.
        cpu_seconds: processor time of reading and retargeting it.
    """

    clip: str
    frames: int
    report: RetargetReport | None
    refused: str
    cpu_seconds: float

    @property
    def outcome(self) -> str:
        """``good``, ``bad`` or ``refused``."""
        if self.report is None:
            return "refused"
        return "bad" if self.report.fidelity.faults() else "good"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        row: dict[str, Any] = {"clip": self.clip, "outcome": self.outcome, "frames": self.frames}
        row["cpu_seconds"] = self.cpu_seconds
        if self.report is None:
            return row | {"refused": self.refused}
        return row | self.report.as_dict()


def clips_in(folder: str | Path) -> list[Path]:
    """Every motion file below a folder (or the file itself), sorted; an .asf belongs to its .amc."""
    folder = Path(folder)
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise FootfallError(f"{folder}: there is no such folder")
    files = (p for p in folder.rglob("*") if p.is_file() and p.suffix.lower() in readable_suffixes())
    found = sorted(p for p in files if _is_motion(p))
    if not found:
        raise FootfallError(f"{folder}: no motion files there; footfall reads {', '.join(readable_suffixes())}")
    return found


def _is_motion(path: Path) -> bool:
    """Whether a file may be a clip: a text file is one if it holds a JSON object (DeepMimic), not notes."""
    if path.suffix.lower() != ".txt":
        return True
    with path.open("rb") as file:
        return file.read(64).lstrip().startswith(b"{")


def benchmark(
    folder: str | Path,
    figure: Any,
    *,
    joints: Mapping[str, str] | None = None,
    watch: Callable[[int, int], None] | None = None,
    show: Callable[[str, Motion, Motion, RetargetReport], None] | None = None,
    executor: Executor | None = None,
) -> list[ClipResult]:
    """Retarget every clip of a folder onto a figure and measure it; bad files are rows too.

    Args:
        folder: where the clips are, sub-folders included.
        figure: what they come onto.
        joints: target joint or role -> source joint, for all clips.
        watch: called with how many clips are done, and of how many.
        show: called with a clip's name, its source (begun at the origin, facing x), the result and the report.
        executor: retargets the clips, each a job that reads its file; None retargets them here.
    """
    clips = clips_in(folder)
    home = Path(folder) if Path(folder).is_dir() else Path(folder).parent
    jobs = [
        _ClipJob(path if executor is None else path.resolve(), str(path.relative_to(home)), figure, joints, bool(show))
        for path in clips
    ]
    rows: dict[int, ClipResult] = {}
    if watch is not None:
        watch(0, len(clips))
    for place, (row, motions) in run_jobs(_ClipJob.run, jobs, executor):
        rows[place] = row
        if show is not None and motions is not None and row.report is not None:
            show(row.clip, *motions, row.report)
        if watch is not None:
            watch(len(rows), len(clips))
    return [rows[place] for place in range(len(clips))]


@dataclass(frozen=True, eq=False)
class _ClipJob:
    """A clip to retarget. shown: whether its source and result are wanted."""

    path: Path
    name: str
    figure: Any
    joints: Mapping[str, str] | None
    shown: bool

    def run(self) -> tuple[ClipResult, tuple[Motion, Motion] | None]:
        """The clip's row, with source and result."""
        import scipy.linalg
        import scipy.ndimage  # noqa: F401  (loaded before the clock runs)

        frames, begun = 0, process_time()
        try:
            motion = load_motion(self.path)
            frames = len(motion)
            result, report = retarget(motion, self.figure, joints=self.joints)
        except FootfallError as error:
            return ClipResult(self.name, frames, None, str(error), process_time() - begun), None
        row = ClipResult(self.name, frames, report, "", process_time() - begun)
        return row, (placed(without_rest_frame(motion)), result) if self.shown else None


def summary_of(rows: Sequence[ClipResult]) -> dict[str, Any]:
    """Counts; for each kind of limb the median over clips of the median angle, and the worst angle of all; processor
    time."""
    reports = [row.report for row in rows if row.report is not None]
    limbs: dict[str, Any] = {}
    for kind in KINDS:
        found = [d for d in (report.fidelity.worst(kind) for report in reports) if d is not None]
        if found:
            limbs[kind] = {
                "median": float(np.median([d.median for d in found])),
                "worst_median": max(d.median for d in found),
                "worst": max(d.worst for d in found),
            }
    bends = {}
    for kind in ("knee", "elbow"):
        least = [value for value in (report.fidelity.least_bend(kind) for report in reports) if value is not None]
        if least:
            bends[kind] = {"median": float(np.median(least)), "least": min(least)}
    outcomes = [row.outcome for row in rows]
    return {"clips": len(rows), **{name: outcomes.count(name) for name in ("good", "bad", "refused")}} | {
        "limbs_deg": limbs,
        "bend_correlation": bends,
        "cpu_seconds": _cpu_seconds(rows),
    }


def _cpu_seconds(rows: Sequence[ClipResult]) -> dict[str, float] | None:
    """Processor time to read and retarget a clip: of any length (``clip``) and of a minute at 120 frames a second
    (``minute``), by the line a + b · frames that fits all clips best; None where they are too few or too alike."""
    frames = np.array([row.frames for row in rows if row.report is not None], dtype=float)
    seconds = np.array([row.cpu_seconds for row in rows if row.report is not None])
    if len(frames) < 3 or np.ptp(frames) < _MOST_ALIKE:
        return None
    slope, start = np.polyfit(frames, seconds, 1)
    return {"clip": float(start), "minute": float(start + slope * _MINUTE)}
