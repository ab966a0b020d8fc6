"""Paths of optical markers as points, with the force platforms beside them.

Short gaps are filled, long ones end the recording; frames around a jump are a gap. Known sets of labels: Plug-in Gait
(``LASI``), OpenSim's examples (``L.ASIS``, ``L.Knee.Lat``), and sets of gait laboratories (``LLFC`` and ``LMFC`` for
the condyles of the femur, ``LLMAL`` and ``LMMAL`` for the malleoli). Joint centres that a file brings along (``LHJC``,
``LKJC``, ``LAJC``) count too.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.gait.contact import LOADED, spans_of
from footfall.motion.quaternion import Array


@dataclass(frozen=True, eq=False)
class Plate:
    """What a force platform measured.

    Attributes:
        force: [S, 3] newtons of the ground on the foot, in the file's axes.
        moment: [S, 3] newton metres about ``centre``.
        corners: [4, 3] of its surface, metres.
    """

    force: Array
    moment: Array
    corners: Array

    @property
    def centre(self) -> Array:
        """[3] the middle of its surface, metres."""
        return np.asarray(self.corners.mean(axis=0))


@dataclass(frozen=True)
class GaitEvent:
    """A foot strike or foot off that a file has: seconds after its first frame."""

    time: float
    side: str
    kind: str


@dataclass(frozen=True, eq=False)
class Markers:
    """Paths of markers.

    Attributes:
        names: M labels.
        times: [T] seconds.
        positions: [T, M, 3] metres, in the file's axes; not a number where a marker was not seen.
        unit: the file's own unit.
        up: the file's upward axis where it says so, else empty.
        sizes: measures of the person in metres that the file gives, by Plug-in Gait's names (``LKneeWidth`` …).
        notes: what a reader should know.
        plates: force platforms, sampled ``plate_rate`` times a second from the first frame on.
        events: foot strikes and foot offs that the file has.
        mass: of the person, kilograms; 0 where the file does not say.
        body: footfall's description of the body that wore them (``c3d_writer``); empty without one.
        analogue: label -> samples [T] at the frames.
    """

    names: tuple[str, ...]
    times: Array
    positions: Array
    unit: str = "m"
    up: str = ""
    sizes: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plates: tuple[Plate, ...] = ()
    plate_rate: float = 0.0
    events: tuple[GaitEvent, ...] = ()
    mass: float = 0.0
    body: bytes = b""
    analogue: Mapping[str, Array] = field(default_factory=dict)

    def middle(self) -> Array:
        """[T, 3] the middle of the markers that are seen, interpolated over frames without any."""
        seen = np.asarray(np.isfinite(self.positions).all(axis=-1))
        total = np.where(seen[..., None], self.positions, 0.0).sum(axis=1)
        counts = seen.sum(axis=1)
        filled = np.flatnonzero(counts)
        if not len(filled):
            raise FootfallError("no marker was seen in any frame")
        frames = np.arange(len(self.times))
        return np.stack([np.interp(frames, filled, total[filled, k] / counts[filled]) for k in range(3)], axis=-1)


_SHORTEST = 0.05


def events_within(rows: Sequence[Sequence[Any]], times: Array, begin: float = 0.0) -> list[list[Any]]:
    """Rows of events (seconds, side, kind) on the clock of a motion's ``times`` [T], whose zero is at ``begin``; those
    outside its frames by more than half a frame are left out."""
    first, last = float(times[0]), float(times[-1])
    slack = 0.5 * (last - first) / max(len(times) - 1, 1)
    moved = [[float(row[0]) - begin, *row[1:]] for row in rows]
    return [
        [min(max(round(row[0], 6), first), last), *row[1:]] for row in moved if first - slack <= row[0] <= last + slack
    ]


def plate_channels(
    markers: Markers, axes: Array, first: int, last: int
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Channels of a motion of the frames ``first`` to ``last`` - 1, and what else is known.

    Channels: ``plate_force`` [T, K, 3] newtons on the foot and ``plate_moment`` [T, K, 3] about the world's origin, as
    the mean over one frame around the frame's time. Known: ``plate_contacts``, rows of platform, beginning and end in
    seconds; ``plate_corners``, four points on the ground for each platform; ``events``, rows of seconds, side and kind,
    those within the frames; ``mass``.

    Args:
        markers: as read.
        axes: [3, 3] from the file's axes to the world's.
    """
    begin = float(markers.times[first])
    known: dict[str, Any] = {}
    if markers.mass > 0:
        known["mass"] = markers.mass
    if markers.events:
        rows = [(e.time, e.side, e.kind) for e in markers.events]
        known["events"] = events_within(rows, markers.times[first:last] - begin, begin)
    if not markers.plates:
        return {}, known
    per_frame = (
        max(round(markers.plate_rate * (markers.times[1] - markers.times[0])), 1) if len(markers.times) > 1 else 1
    )
    forces, moments, contacts = [], [], []
    for number, plate in enumerate(markers.plates):
        force = plate.force @ axes.T
        about = plate.moment @ axes.T + np.cross(axes @ plate.centre, force)
        contacts += [
            [number, a / markers.plate_rate - begin, b / markers.plate_rate - begin]
            for a, b in spans_of(force[:, 2] > LOADED)
            if b - a >= _SHORTEST * markers.plate_rate
        ]
        forces.append(_at_frames(force, per_frame, len(markers.times))[first:last])
        moments.append(_at_frames(about, per_frame, len(markers.times))[first:last])
    known["plate_contacts"] = contacts
    known["plate_corners"] = [np.round(plate.corners @ axes.T, 6)[:, :2].tolist() for plate in markers.plates]
    return {"plate_force": np.stack(forces, axis=1), "plate_moment": np.stack(moments, axis=1)}, known


def _at_frames(signal: Array, each: int, frames: int) -> Array:
    """[T, 3] means of the samples [S, 3] around every ``each``-th one."""
    half = each // 2
    padded = np.concatenate([np.repeat(signal[:1], half, axis=0), signal, np.repeat(signal[-1:], half + 1, axis=0)])
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(padded, axis=0)])
    starts = np.minimum(each * np.arange(frames), len(padded) - 2 * half - 1)
    return np.asarray((sums[starts + 2 * half + 1] - sums[starts]) / (2 * half + 1))


LONGEST_GAP = 0.25
"""Seconds over which a marker's path is interpolated."""
JUMP, FASTEST = 0.008, 400.0
"""Metres by which a marker leaves its course within a frame, and at least m/s², where it has jumped: more than a heel
has that strikes the ground."""
AROUND = 0.04
"""Seconds before and after a jump in which its marker is not believed: a wrong one drifts away before it is lost."""


def find_jumps(path: Array, times: Array) -> Array:
    """[N] frames at which a path [T, 3] jumps: a marker that was taken for another, or a reflection."""
    if len(path) < 3:
        return np.zeros(0, dtype=int)
    step = float(np.median(np.diff(times)))
    course = np.linalg.norm(np.diff(path, 2, axis=0), axis=-1)
    return np.asarray(np.flatnonzero(np.nan_to_num(course) > max(JUMP, FASTEST * step**2)) + 1)


def without_jumps(path: Array, times: Array) -> Array:
    """A path [T, 3] that is not a number around its jumps."""
    jumps = find_jumps(path, times)
    if not len(jumps):
        return path
    near = np.abs(times[:, None] - times[jumps]).min(axis=1) <= AROUND
    return np.asarray(np.where(near[:, None], np.nan, path))


def fill_gaps(path: Array, times: Array, longest: float = LONGEST_GAP) -> Array:
    """A path [T, 3] with its gaps (not a number) of up to ``longest`` seconds filled: by a cubic where there are enough
    frames around them, at the ends by nothing."""
    seen = np.isfinite(path).all(axis=-1)
    if seen.all() or not seen.any():
        return path
    from scipy.interpolate import PchipInterpolator

    filled = path.copy()
    known = np.flatnonzero(seen)
    if len(known) > 1:
        between = PchipInterpolator(times[known], path[known], axis=0)
        missing = np.flatnonzero(~seen)
        after = np.searchsorted(known, missing)
        inside = (after > 0) & (after < len(known))
        before, behind = known[np.clip(after - 1, 0, None)], known[np.clip(after, None, len(known) - 1)]
        short = inside & (times[behind] - times[before] <= longest)
        filled[missing[short]] = between(times[missing[short]])
    return filled


def longest_run(paths: Mapping[str, Array]) -> tuple[int, int]:
    """First frame and last + 1 of the longest stretch in which all paths [T, 3] are known."""
    known = np.all([np.isfinite(path).all(axis=-1) for path in paths.values()], axis=0)
    return max(spans_of(known), key=lambda span: span[1] - span[0], default=(0, 0))


_SIDED: Mapping[str, tuple[str, ...]] = {
    "ASI": ("ASI", "ASIS"),
    "PSI": ("PSI", "PSIS"),
    "THI": ("THI", "THIGH", "THIGHUPPER"),
    "KNE": ("KNE", "KNEE", "KNEELAT", "KNEELATERAL", "LFC", "LKNE", "LEK"),
    "KNM": ("KNM", "KNEEMED", "KNEEMEDIAL", "MFC", "MKNE", "MEK"),
    "TIB": ("TIB", "SHANK", "SHANKUPPER"),
    "ANK": ("ANK", "ANKLE", "ANKLELAT", "ANKLELATERAL", "LMAL", "LANK"),
    "ANM": ("ANM", "MED", "ANKLEMED", "ANKLEMEDIAL", "MMAL", "MANK"),
    "HEE": ("HEE", "HEEL", "CAL", "CALC"),
    "TOE": ("TOE", "TOETIP", "MT2", "TOEMID", "MT1"),
    "SHO": ("SHO", "SHOULDER", "ACROMIUM", "ACROMION", "ACR"),
    "ELB": ("ELB", "ELBOW", "ELBOWLAT", "LEL"),
    "WRA": ("WRA", "WRIST", "WRISTLAT", "WRI"),
    "WRB": ("WRB", "WRISTMED"),
    "FIN": ("FIN", "FINGER", "HAND"),
    "FHD": ("FHD",),
    "BHD": ("BHD",),
    "HJC": ("HJC",),
    "KJC": ("KJC",),
    "AJC": ("AJC",),
}
_CENTRE: Mapping[str, tuple[str, ...]] = {
    "SACR": ("SACR", "SACRUM", "VSACRAL", "SACRAL"),
    "C7": ("C7",),
    "T10": ("T10",),
    "CLAV": ("CLAV", "CLAVICLE", "SJN"),
    "STRN": ("STRN", "STERNUM"),
    "HEAD": ("TOPHEAD", "HEAD", "TOPOFHEAD"),
}


def find_labels(names: Sequence[str]) -> dict[str, int]:
    """Index of the marker at each place, by Plug-in Gait's labels: ``LASI``, ``RKNE``, ``C7``, and ``LKNM``, ``LANM``,
    ``LHJC`` … beside them. A subject's name before a colon is skipped."""
    plain: dict[str, int] = {}
    for k, name in enumerate(names):
        plain.setdefault(re.sub(r"[^A-Z0-9]", "", name.rsplit(":", 1)[-1].upper()), k)
    found: dict[str, int] = {}
    for label, words in _SIDED.items():
        for side in "LR":
            long = "LEFT" if side == "L" else "RIGHT"
            tries = [f"{start}{word}" for word in words for start in (side, long)]
            tries += [f"{word}{side}" for word in words if len(word) > 3]
            hit = next((plain[word] for word in tries if word in plain), None)
            if hit is not None:
                found[f"{side}{label}"] = hit
    for label, words in _CENTRE.items():
        hit = next((plain[word] for word in words if word in plain), None)
        if hit is not None:
            found[label] = hit
    return found
