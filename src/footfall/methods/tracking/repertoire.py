"""Fragments of captured motion, their gains (Data-Driven Biped Control, figure 5) and what follows what: everything
that the tracking law reads.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.tracking.layout import GAINS, KINDS, FragmentField, GainField, SettingField, TrackingLayout

if TYPE_CHECKING:
    from footfall.figures import Figure


@dataclass(frozen=True)
class TrackingGains:
    """Feedback gains, and the lift of the swing foot.

    Attributes:
        c0: the stance hip's.
        c1_sag, c1_cor: the swing hip's on velocity, rad s/m.
        c2_sag_behind, c2_sag_ahead, c2_cor: on position, rad/m; figure 5 calls the first two c2_sag(+) and c2_sag(-),
            for a pelvis behind and ahead of the reference.
        c3_sag, c3_cor: the stance ankle's on velocity.
        c4: on position.
        c5, c6: the swing foot's height on height and its rate, s.
        lift: metres that the swing foot is lifted in mid-swing.
    """

    c0: float = 1.0
    c1_sag: float = 0.05
    c1_cor: float = 0.2
    c2_sag_behind: float = 0.2
    c2_sag_ahead: float = 0.05
    c2_cor: float = 0.2
    c3_sag: float = 0.1
    c3_cor: float = 0.1
    c4: float = 0.1
    c5: float = 0.5
    c6: float = 0.02
    lift: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise FootfallError(f"gains: {field.name} is {value}; it must be a number")

    def blended(self, other: "TrackingGains", share: float) -> "TrackingGains":
        """Gains between these and others, as motions are blended (section 5)."""
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return TrackingGains(**{name: (1 - share) * a + share * b for name, a, b in pairs})


Array = NDArray[np.float64]

PAPER_GROUND = Ground(stiffness=2000.0, damping=2.0 * 2000.0**0.5, friction=1.0, law="sampled", locking_speed=0.05)
"""The paper's damped springs at every sample of the feet."""

GROUND = {"friction", "stiffness", "damping", "locking_speed"}
"""Numbers of the ground that :meth:`Repertoire.changed` takes."""

SHORTEST_FRAME = 1e-4
"""Seconds; captured motion has 24 to 240 frames a second."""


@dataclass(frozen=True)
class Settings:
    """How the law tracks; see :class:`footfall.methods.tracking.layout.SettingField`. kv is 2 sqrt(kt) unless given.

    implicit_friction is no number of the law: steps are then implicit in the friction of the feet
    (:mod:`footfall.dynamics.sampled_ground`), which the paper's are not.
    """

    frame_time: float = 1.0 / 30.0
    kt: float = 20.0
    kv: float | None = None
    feedforward: float = 1.0
    clip_feedforward: float = 0.0
    ahead: bool = False
    sole: float = 2.0 / 45.0
    clearance: float = 0.01
    earliest_landing: float = 0.7
    settling: float = 0.2
    ankle_settling: float = 1.0
    ankle_from: float = 5.0
    synchronise: bool = True
    stabilise: bool = True
    stance_hip: bool = True
    swing_hip: bool = True
    swing_height: bool = True
    lower_body: bool = True
    stance_ankle: bool = True
    course: float = 0.0
    course_speed: float = 0.3
    torque_limit: float = 0.0
    placement: float = 0.0
    late_landing: float = 0.0
    implicit_friction: bool = False

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if value is None and part.name == "kv":
                continue
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise FootfallError(f"tracking settings: {part.name} is {value!r}; it must be a number")
        for name in ("kt", "course", "course_speed", "torque_limit", "placement", "late_landing"):
            if getattr(self, name) < 0:
                raise FootfallError(f"tracking settings: {name} is {getattr(self, name)}; it must be at least 0")
        if not self.frame_time >= SHORTEST_FRAME:
            raise FootfallError(
                f"tracking settings: frame_time is {self.frame_time}; it must be at least {SHORTEST_FRAME} seconds"
            )

    def row(self) -> list[float]:
        """The numbers of a row of parameters."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "implicit_friction"}
        values["kv"] = 2.0 * self.kt**0.5 if self.kv is None else self.kv
        return SettingField.numbers(**values)


@dataclass(frozen=True, eq=False)
class Fragment:
    """Half a cycle, or a stretch of standing or flight.

    Attributes:
        kind: one of KINDS.
        frames: [n + 1, nq] poses, from one change of contact to the next, both included.
        ground: the lowest height of the ankles in it, metres.
        gains: number of its set of gains.
        successor: the fragment that follows, -1 for none.
        turn: of heading when it begins, radians.
        take_off: frames after which the stance foot of a swing is off the ground too, as in a run; -1 for never.
    """

    kind: str
    frames: Array
    ground: float
    gains: int = 0
    successor: int = -1
    turn: float = 0.0
    take_off: int = -1


@dataclass(frozen=True, eq=False)
class Repertoire:
    """Fragments with gains and settings, a value that the tracking law is built from."""

    fragments: tuple[Fragment, ...]
    gains: tuple[TrackingGains, ...] = (TrackingGains(),)
    settings: Settings = Settings()
    ground: Ground = PAPER_GROUND
    start: int = 0

    def __post_init__(self) -> None:
        if not self.fragments:
            raise FootfallError("tracking: there is no fragment of motion to follow")
        if not self.gains:
            raise FootfallError("tracking: there is no set of gains; give at least one")
        _check_number("start", self.start, 0, len(self.fragments) - 1)
        for k, fragment in enumerate(self.fragments):
            if fragment.kind not in KINDS:
                raise FootfallError(f"tracking: fragment {k} is a '{fragment.kind}'; choose one of: {', '.join(KINDS)}")
            if len(fragment.frames) < 2:
                raise FootfallError(f"tracking: fragment {k} has {len(fragment.frames)} frames; it needs at least 2")
            if fragment.frames.shape[1:] != self.fragments[0].frames.shape[1:]:
                raise FootfallError(
                    f"tracking: frames of fragment {k} have {fragment.frames.shape[1]} numbers; "
                    f"those of fragment 0 have {self.fragments[0].frames.shape[1]}"
                )
            _check_number(f"fragment {k}: successor", fragment.successor, -1, len(self.fragments) - 1)
            _check_number(f"fragment {k}: gains", fragment.gains, 0, len(self.gains) - 1)
            _check_number(f"fragment {k}: take_off", fragment.take_off, -1, len(fragment.frames) - 1)
            for name in ("ground", "turn"):
                value = getattr(fragment, name)
                if not isinstance(value, int | float) or not math.isfinite(value):
                    raise FootfallError(f"tracking: fragment {k}: {name} is {value!r}; it must be a number")

    def layout(self, figure: "Figure") -> TrackingLayout:
        """Where numbers stand, for a figure."""
        from footfall.motion.ball_poses import hinge_chains

        chains = hinge_chains(figure)
        skeleton = figure if chains is None else chains.skeleton
        joints = sum(j.kind == "ball" for j in skeleton.joints)
        width = self.fragments[0].frames.shape[1]
        if width != skeleton.nq:
            raise FootfallError(f"tracking: poses have {width} numbers; figure '{skeleton.name}' has {skeleton.nq}")
        return TrackingLayout(joints, len(self.gains), 0 if chains is None else figure.nv - 6)

    def library(self) -> Array:
        """[rows, nq] a row for each fragment's head, then all frames."""
        width = max(self.fragments[0].frames.shape[1], len(FragmentField))
        heads, frames = np.zeros((len(self.fragments), width)), []
        first, leaps = len(self.fragments), self._leaps()
        for k, fragment in enumerate(self.fragments):
            length = len(fragment.frames) - 1
            heads[k, : len(FragmentField)] = FragmentField.numbers(
                first=first,
                length=length,
                kind=KINDS.index(fragment.kind),
                ground=fragment.ground,
                gains=fragment.gains,
                successor=fragment.successor,
                turn=fragment.turn,
                take_off=fragment.take_off if fragment.take_off >= 0 else length,
                leaps=float(k in leaps),
            )
            frames.append(fragment.frames)
            first += length + 1
        return np.concatenate([heads, *frames])

    def _leaps(self) -> set[int]:
        """Which fragments are flights, or stands before or after one."""
        flights = {k for k, fragment in enumerate(self.fragments) if fragment.kind == "flight"}
        found = set(flights)
        for k, fragment in enumerate(self.fragments):
            if fragment.successor in flights and fragment.kind == "stand":
                found.add(k)
            if k in flights and fragment.successor >= 0 and self.fragments[fragment.successor].kind == "stand":
                found.add(fragment.successor)
        return found

    def parameters(self) -> Array:
        """One row, as :class:`Layout` describes it."""
        row = self.settings.row()
        for gains in self.gains:
            row += GainField.numbers(**vars(gains))
        return np.array(row)

    def changed(self, **values: Any) -> "Repertoire":
        """With other settings, gains (one set for all) or ground."""
        names = {f.name for f in fields(Settings)}
        settings = replace(self.settings, **{k: v for k, v in values.items() if k in names})
        gained = {k: v for k, v in values.items() if k in GAINS}
        gains = tuple(replace(g, **gained) for g in self.gains)
        unknown = set(values) - names - set(GAINS) - GROUND
        if unknown:
            raise FootfallError(f"tracking: unknown setting '{min(unknown)}'")
        ground = replace(self.ground, **{k: v for k, v in values.items() if k in GROUND})
        return replace(self, settings=settings, gains=gains, ground=ground)


def _check_number(what: str, value: Any, first: int, last: int) -> None:
    """Refuse a number of a fragment or a set of gains that is not there."""
    if not isinstance(value, int | np.integer) or not first <= value <= last:
        raise FootfallError(f"tracking: {what} is {value!r}, which is not there; choose from {first} to {last}")
