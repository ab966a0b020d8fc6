"""Gait cycles of the walker as a gait laboratory draws them, and uploaded motion clips to compare it with."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import (
    Motion,
    ground_path,
    load_motion,
    placed,
    profile_correlation,
    resampled,
    retarget,
    trimmed,
    without_rest_frame,
)
from footfall.motion.formats.files import readable_suffixes
from footfall.motion.gait.angles import body_angles
from footfall.motion.gait.feet import ground_level
from footfall.motion.quaternion import slerp
from footfall.motion.skeleton.roles import leg_length
from footfall.studio.core.drawings import Line, curves, table
from footfall.studio.core.session import Session
from footfall.study.gait_lab.ground_forces import best_events
from footfall.study.measures.cycles import Cycle, find_cycles, over_cycle, settled
from footfall.study.measures.mean_cycles import MeanCycle
from footfall.study.measures.people import PANELS, Band, Norms
from footfall.study.measures.strides import Value
from footfall.study.measures.table import PARAMETERS, gait_parameters, measure_cycle

Array = NDArray[np.float64]

SHOWN = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "pelvis_obliquity")
CYCLE_ROWS = dict.fromkeys(("cadence", "step_length", "step_width", "stance", "double_support"), ".3g")
COMPARED = {
    "speed": ".2f", "step_length": ".2f", "step_time": ".2f", "step_width": ".2f", "stance": ".0f",
    "double_support": ".0f",
}  # fmt: skip
"""What is reported of one walk and what of two, and how numbers are written."""
USUAL_SPEED = 1.2
"""m/s, before a walk's own is known."""


@dataclass(frozen=True, eq=False)
class CycleReport:
    """Whole cycles.

    Attributes:
        cycles: in order of time.
        curves: angle -> [cycles, 101] degrees.
        parameters: as ``footfall analyse`` has them, without the first and the last cycle of many.
        bands: people's; empty without their tables.
        matches: angle -> per cent.
    """

    cycles: tuple[Cycle, ...]
    curves: Mapping[str, Array]
    parameters: Mapping[str, Mapping[str, Value]]
    bands: Mapping[str, Band]
    matches: Mapping[str, float]

    @classmethod
    def of(cls, motion: Motion, norms: Norms | None = None) -> "CycleReport | None":
        """Of a motion, by its contacts where it has them; None without legs or a whole cycle."""
        try:
            events, _ = best_events(motion)
            cycles, angles = find_cycles(events), body_angles(motion)
        except FootfallError:
            return None
        if not cycles:
            return None
        curves = {
            name: np.degrees([over_cycle(angles[f"{c.side}_{name}"], motion.times, c) for c in cycles])
            for name in SHOWN
            if all(f"{side}_{name}" in angles for side in ("left", "right"))
        }
        parameters = gait_parameters(motion, events, settled(cycles)[0])
        speed = parameters["speed"]["both"].mean
        bands = norms.at(speed).beside() if norms is not None and np.isfinite(speed) else {}
        mean = MeanCycle(
            {name: rows.mean(axis=0) for name, rows in curves.items()}, parameters["stance"]["both"].mean, 1.0
        )
        found = measure_cycle(mean, bands)
        matches = {name: found[f"match_{name}"] for name in SHOWN if name in bands}
        return cls(tuple(cycles), curves, parameters, {n: b for n, b in bands.items() if n in curves}, matches)


def walked_lately(session: Session, seconds: float, until: float | None) -> Motion | None:
    """The walker's last seconds before a time (now), with its contacts; None before it walked."""
    figure = session.world.figure
    if len(session.history) < 3 or not figure.legs:
        return None
    seen = session.history.last(seconds, until=until)
    if len(seen) < 3:
        return None
    return Motion.from_qpos(figure, seen.times.copy(), seen.qpos.copy(), channels={"contact": seen.contact.copy()})


def people_for(folder: str, motion: Motion) -> Norms | None:
    """People's tables in a folder, for a walker's leg; None for no folder."""
    return _tables(folder, round(leg_length(motion.skeleton), 3)) if folder else None


@lru_cache(maxsize=4)
def _tables(folder: str, leg: float) -> Norms:
    return Norms(Path(folder), USUAL_SPEED, leg)


def cycle_table(report: CycleReport) -> str:
    rows = _rows(CYCLE_ROWS, [(report, "left"), (report, "right")])
    return table(rows, "gait-cycles", ("", "left", "right", ""))


def _rows(shown: Mapping[str, str], columns: Sequence[tuple[CycleReport | None, str]]) -> list[tuple[str, ...]]:
    """Parameters by name and form, with a column for each report and side."""

    def cell(name: str, form: str, report: CycleReport | None, side: str) -> str:
        value = None if report is None else report.parameters[name][side]
        return format(value.mean, form) if value is not None and value.count else "—"

    return [
        (PARAMETERS[name].title, *(cell(name, form, *column) for column in columns), PARAMETERS[name].unit)
        for name, form in shown.items()
    ]


def cycle_drawing(report: CycleReport, colours: tuple[str, str], chosen: int | None = None) -> str:
    """Every cycle's angles, left and right, over people's bands; a ``chosen`` cycle is drawn strongly."""
    shown = []
    for name, rows in report.curves.items():
        lines = []
        for number, (cycle, row) in enumerate(zip(report.cycles, rows, strict=True)):
            width, opacity = (1.6, 1.0) if chosen is None or number == chosen else (0.6, 0.4)
            right = cycle.side == "right"
            lines.append(Line(row, colours[right], width, opacity, dashed=right))
        band = report.bands.get(name)
        edges = None if band is None else (band.mean - band.deviation, band.mean + band.deviation)
        match = f", match {report.matches[name]:.0f} %" if name in report.matches else ""
        shown.append((f"{PANELS[name].title}{match}", lines, edges))
    return curves(shown, "0 to 100 % of the gait cycle", "gait-curves")


LARGEST_CLIP = 64 << 20
"""Bytes: pages may send no more."""
MOST_FRAMES, MOST_JOINTS = 200_000, 500
LONGEST_NAME = 60
BEGINNINGS = {".npz": ((0, b"PK"),), ".glb": ((0, b"glTF"),), ".c3d": ((1, b"\x50"),)}
"""What files begin with, and where."""
TEXTS, HEAD = (".bvh", ".amc", ".asf", ".csv"), 1 << 20
"""Files of text, and the bytes of their beginning that are looked at: the skeleton of a BVH ends within."""
MOST_RETARGETED, RETARGETED_RATE = 60.0, 60.0
"""Seconds of a clip that are put onto a figure, and frames a second."""


@dataclass(frozen=True, eq=False)
class SkeletonFile:
    """An uploaded .asf: the skeleton of the .amc files that come after it."""

    name: str
    content: bytes


class Clip:
    """A clip that goes round and round, standing on level ground and facing forward where it begins.

    Args:
        name: of its file.
        motion: what it holds.

    Attributes:
        motion: without a rest pose in front, times from 0.
        report: its gait; None where it has no whole cycle.
        markers: [T, M, 3] where it holds markers instead of a skeleton, else None.
    """

    def __init__(self, name: str, motion: Motion) -> None:
        self.name = name
        self.markers: Array | None = None
        if "markers" in motion.channels and len(motion.skeleton) == 1:
            markers = np.asarray(motion.channels["markers"], dtype=float)
            self.markers = markers - [*motion.root_position[0, :2], np.nanpercentile(markers[..., 2], 0.5)]
            level = 0.0
            self.motion = motion
            self._path = motion.root_position[:, :2] - motion.root_position[0, :2]
        else:
            self.motion = placed(without_rest_frame(motion))
            level = _level(self.motion)
            self._path = _path(self.motion)
        self._clock = self.motion.times - self.motion.times[0]
        self._position = self.motion.positions() - [0.0, 0.0, level]
        self._wxyz = self.motion.orientations()
        self.report = CycleReport.of(self.motion)

    @property
    def seconds(self) -> float:
        return float(self._clock[-1]) + self.motion.frame_time

    def frame(self, time: float) -> tuple[int, float]:
        """The frame at or before a time of any size, and the share of the way to the next one."""
        within = time % self.seconds
        i = int(np.searchsorted(self._clock, within, side="right")) - 1
        if i + 1 >= len(self._clock):
            return i, 0.0
        return i, float((within - self._clock[i]) / (self._clock[i + 1] - self._clock[i]))

    def _between(self, values: Array, time: float) -> Array:
        """Values [T, ...] at a time, linearly between frames."""
        i, share = self.frame(time)
        return values[i] if share == 0.0 else np.asarray(values[i] + share * (values[i + 1] - values[i]))

    def travelled(self, time: float) -> Array:
        """[2] where on the ground it is at a time, each round going on from where the one before ended."""
        rounds = np.floor(time / self.seconds)
        return np.asarray(self._between(self._path, time) + rounds * (self._path[-1] - self._path[0]))

    def pose(self, time: float) -> tuple[Array, Array]:
        """Positions [J, 3] (of markers: [M, 3]) and orientations [J, 4] at a time, over the origin of the ground."""
        shift = np.array([*self._between(self._path, time), 0.0])
        if self.markers is not None:
            seen = self._between(self.markers, time)
            return seen[np.isfinite(seen).all(axis=-1)] - shift, np.zeros((0, 4))
        i, share = self.frame(time)
        turns = self._wxyz[i]
        if share > 0.0:
            turns = slerp(turns, self._wxyz[i + 1], np.full(len(turns), share))
        return self._between(self._position, time) - shift, turns

    def onto(self, figure: Figure) -> "Clip":
        if self.markers is not None:
            raise FootfallError(f"'{self.name}' holds markers, no skeleton: they cannot be put onto a figure")
        source = trimmed(self.motion, end=min(self.motion.seconds, MOST_RETARGETED))
        if source.fps > 1.05 * RETARGETED_RATE:
            source = resampled(source, RETARGETED_RATE)
        motion, _ = retarget(source, figure)
        return Clip(self.name, motion)


def _level(motion: Motion) -> float:
    """Where the ground is that a motion stands on."""
    try:
        return float(ground_level(motion))
    except FootfallError:
        return float(np.percentile(motion.points()[..., 2], 0.5))


def _path(motion: Motion) -> Array:
    try:
        return ground_path(motion)
    except FootfallError:
        return np.asarray(motion.root_position[:, :2])


def short_name(filename: str) -> str:
    """A file's name without its folders, at most 60 characters, its ending among them."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    suffix = Path(name).suffix[:12]
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1 - len(suffix)]}…{suffix}"


def _begins_as(suffix: str, content: bytes) -> bool:
    """Whether a file's first bytes are those of its kind, so that a large one of another kind is not read at all."""
    if suffix in BEGINNINGS:
        return any(content[at : at + len(mark)] == mark for at, mark in BEGINNINGS[suffix])
    head = content[:HEAD].upper()
    if suffix == ".bvh" and not (b"HIERARCHY" in head[:4096] and b"MOTION" in head):
        return False
    return suffix not in TEXTS or b"\0" not in head


def read_clip(filename: str, content: bytes, skeleton: SkeletonFile | None = None) -> Clip | SkeletonFile:
    """A clip from the bytes of an uploaded file, or the skeleton that an .asf holds for the .amc that comes next.

    The file lies in a temporary folder while it is read and nowhere else; of its name only the ending counts.
    """
    name = short_name(filename)
    suffix = Path(name).suffix.lower()
    where = f"'{name}'"
    if suffix not in (*readable_suffixes(), ".asf"):
        raise FootfallError(
            f"{where}: not a motion file; choose one of: {', '.join(readable_suffixes())} (.asf before .amc)"
        )
    if not content:
        raise FootfallError(f"{where}: it is empty")
    if not _begins_as(suffix, content):
        raise FootfallError(f"{where}: this is not a {suffix} file: it does not begin like one")
    if suffix == ".asf":
        return SkeletonFile(name, content)
    if suffix == ".amc" and skeleton is None:
        raise FootfallError(f"{where}: an .amc needs its skeleton; upload its .asf first")
    with tempfile.TemporaryDirectory(prefix="footfall-clip-") as folder:
        path = Path(folder) / f"clip{suffix}"
        path.write_bytes(content)
        beside = Path(folder) / "clip.asf"
        if suffix == ".amc" and skeleton is not None:
            beside.write_bytes(skeleton.content)
        try:
            motion = load_motion(path)
            if len(motion) < 2 or not motion.seconds > 0:
                raise FootfallError(f"{where}: a single frame is not a motion")
            if len(motion) > MOST_FRAMES or len(motion.skeleton) > MOST_JOINTS:
                raise FootfallError(
                    f"{where}: {len(motion)} frames of {len(motion.skeleton)} joints; the studio plays at most "
                    f"{MOST_FRAMES} frames of {MOST_JOINTS} joints"
                )
            return Clip(name, motion)
        except FootfallError as error:
            message = str(error).replace(str(path), where)
            if skeleton is not None:
                message = message.replace(str(beside), f"'{skeleton.name}'")
            raise FootfallError(message) from None
        except (ValueError, ArithmeticError, LookupError, MemoryError, RecursionError, np.linalg.LinAlgError) as error:
            raise FootfallError(f"{where}: cannot be read as '{suffix}' ({type(error).__name__})") from error


def report_table(
    clip: CycleReport | None, walker: CycleReport | None, colours: tuple[str, str], names: tuple[str, str]
) -> str:
    """Both gaits as an HTML table: the clip's column first."""
    rows = _rows(COMPARED, [(clip, "both"), (walker, "both")])
    rows.append(("flight", *("—" if one is None else f"{_flight(one):.0f}" for one in (clip, walker)), "%"))
    head = ("", *(name if len(name) <= 14 else f"{name[:13]}…" for name in names), "")
    return table(rows, "gaits", head, ("", *colours, ""))


def _flight(report: CycleReport) -> float:
    """Per cent of the cycles with both feet off the ground."""
    spans = [(c.other_strike - c.off + c.end - c.other_off) / c.duration if c.runs else 0.0 for c in report.cycles]
    return 100.0 * float(np.nanmean(spans))


def profiles_drawing(clip: CycleReport | None, walker: CycleReport | None, colours: tuple[str, str]) -> str:
    """Mean leg angles over the gait cycle, from landing to landing, of both gaits; empty where the clip has none."""
    if clip is None:
        return ""
    there = [dict(one.curves) for one in (clip, walker) if one is not None]
    alike = profile_correlation(there[0], there[-1]) if walker is not None else {}
    rows = []
    for name in clip.curves:
        lines = [Line(one[name].mean(axis=0), colour) for one, colour in zip(there, colours) if name in one]
        r = f", r = {alike[name]:.2f}" if name in alike else ""
        rows.append((f"{PANELS[name].title}{r}", lines, None))
    return curves(rows, "from landing to landing", "profiles")
