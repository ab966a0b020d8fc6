"""Paths of optical markers as points."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from footfall.errors import FootfallError
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
