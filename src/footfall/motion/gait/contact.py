"""When the feet stand: contacts, and the half cycles between landings (Data-Driven Biped Control; its authors' rules).

A foot is in contact in a frame when its ankle is low and slow. Walking is then cut where a foot lands: a segment
begins with the landing of one foot and ends with the landing of the other.

Steps as a person counts them: landings in turn, both feet at once being one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.gait.feet import clearance, smoothed, sole_positions, soles
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, norm
from footfall.motion.skeleton.roles import side_of

LOADED, LOADED_SHARE = 20.0, 0.03
"""Newtons above which a foot stands (Zeni et al. 2008; clinics use 10 to 20), and that share of the weight of a body
that is lighter than people."""
_SHORTEST = 0.10
_SHORTEST_RECORDED = 0.06
_SHORTEST_AT_END = 0.05
_ROUNDING = 1e-5
"""Seconds by which files round: a stretch of just the shortest time is real, whatever its file's last digit."""
SegmentKind = Literal["left_swing", "right_swing", "stand", "flight"]
CONTACT_KINDS: dict[tuple[bool, bool], SegmentKind] = {
    (True, True): "stand",
    (True, False): "right_swing",
    (False, True): "left_swing",
    (False, False): "flight",
}
"""Contact of the left and the right foot -> what the feet do."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Which foot stands when.

    Attributes:
        left, right: [T] true where the foot is in contact.
        times: [T] seconds.
    """

    left: np.ndarray
    right: np.ndarray
    times: Array

    def foot(self, side: str) -> np.ndarray:
        """[T] contact of one foot."""
        return self.left if side == "left" else self.right

    def landings(self, side: str) -> np.ndarray:
        """Frames in which a foot touches down, without a contact that the motion begins with."""
        return np.flatnonzero(np.diff(self.foot(side).astype(int)) == 1) + 1

    def lifts(self, side: str) -> np.ndarray:
        """Frames in which a foot has left the ground."""
        return np.flatnonzero(np.diff(self.foot(side).astype(int)) == -1) + 1

    def spans(self, side: str) -> list[tuple[int, int]]:
        """(first, last + 1) frames of each contact of a foot."""
        return spans_of(self.foot(side))


def spans_of(flags: np.ndarray) -> list[tuple[int, int]]:
    """(first, last + 1) frames of each stretch in which flags [T] are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


@dataclass(frozen=True)
class Segment:
    """Frames ``start`` to ``end`` (the next segment's start): a swing of one leg, standing or flight.

    Attributes:
        kind, start, end: what the feet do, and when.
        take_off: frames after which the stance foot of a swing is off the ground too; -1 for never.
    """

    kind: SegmentKind
    start: int
    end: int
    take_off: int = -1


def annotate_contacts(
    motion: Motion,
    *,
    height: float = 0.1,
    speed: float = 0.4,
    toes: bool = False,
    recorded: bool = True,
    belt: Array | None = None,
) -> Contacts:
    """Contact of both feet over time.

    Where the motion recorded the ground's forces or contacts (simulated motion), those count. Otherwise a foot is in
    contact when its ankle is less than ``height`` above its sole's ground and slower than ``speed``. Contacts and gaps
    shorter than 0.1 s are dropped.

    Args:
        motion: what to annotate.
        height: metres that the ankle may be above the ground, with a flat foot's ankle at 0.05.
        speed: metres a second.
        toes: count a foot that stands on its toes too (the paper's rule does not).
        recorded: use the recorded channel ``contact`` where there is one.
        belt: [T, 2] metres a second of the ground itself, on a treadmill (``treadmill.belt_velocity``).
    """
    feet = soles(motion.skeleton)
    both: dict[str, np.ndarray] = {}
    for side, sole in feet.items():
        found = _recorded(motion, side) if recorded else None
        if found is None:
            ankle = motion.positions()[:, sole.ankle]
            above = clearance(motion, ankle)
            slow = point_speed(ankle, motion.times, belt) < speed
            found = (above < _flat_height(motion, above) + height - 0.05) & slow
            if toes:
                found |= _toes_stand(motion, sole_positions(motion, sole)[:, sole.toe], speed, belt)
            both[side] = _cleaned(found, motion.times, _SHORTEST)
        else:
            both[side] = steady_contact(found, motion.times)
    none = np.zeros(len(motion), dtype=bool)
    return Contacts(both.get("left", none), both.get("right", none), motion.times)


def _toes_stand(motion: Motion, toes: Array, speed: float, belt: Array | None) -> np.ndarray:
    lowest = clearance(motion, toes).min(axis=1)
    slow = np.min([point_speed(toes[:, p], motion.times, belt) for p in range(toes.shape[1])], axis=0) < speed
    return np.asarray((lowest < _flat_height(motion, lowest) + 0.04) & slow)


def _flat_height(motion: Motion, above: Array) -> Array:
    """[T] the height that a point has when its foot is flat: its low values over the second before and after.

    The floor of a capture volume is often not quite level; a foot that is held up for longer is not taken for standing.
    """
    from scipy.ndimage import percentile_filter

    window = max(int(2.0 / motion.frame_time + 1e-3) | 1, 3)
    near = percentile_filter(above, 5.0, size=window, mode="nearest")
    return np.asarray(np.minimum(near, np.percentile(above, 5.0) + 0.08))


def _recorded(motion: Motion, side: str) -> np.ndarray | None:
    loads = recorded_loads(motion)
    if side in loads:
        return np.asarray(loads[side] > least_load(motion_weight(motion)))
    contact = motion.channels.get("contact")
    labels = motion.labels.get("contact", ())
    if contact is None or contact.ndim != 2 or len(labels) != contact.shape[1]:
        return None
    feet = soles(motion.skeleton)[side]
    own = [
        k
        for k, label in enumerate(labels)
        if side_of(label) == side and any(e.name == label and e.joint in feet.joints for e in motion.skeleton.ends)
    ]
    return np.asarray((contact[:, own] > 0).any(axis=1)) if own else None


def recorded_loads(motion: Motion, channel: str = "grf") -> dict[str, Array]:
    """Side -> vertical force [T] of the ground on its foot, newtons, that a simulation recorded; empty without."""
    grf, ends = motion.channels.get(channel), [end for end in motion.skeleton.ends if end.contact]
    if grf is None or grf.ndim != 3 or grf.shape[1] != len(ends):
        return {}
    own = {
        s: [k for k, end in enumerate(ends) if end.joint in sole.joints] for s, sole in soles(motion.skeleton).items()
    }
    return {side: np.nan_to_num(grf[:, columns, 2]).sum(axis=1) for side, columns in own.items()}


def motion_weight(motion: Motion) -> float:
    """Newtons on Earth, where the body's masses are known; else infinity."""
    return 9.81 * float(motion.skeleton.mass.sum()) if motion.skeleton.mass is not None else float("inf")


def point_speed(points: Array, times: Array, belt: Array | None = None) -> Array:
    """[T] metres a second of a point [T, 3] against the ground, which moves by ``belt`` [T, 2], its path smoothed over
    0.08 s (noise of fast cameras is not movement); zero in a motion of one frame."""
    if len(times) < 2:
        return np.zeros(len(times))
    frame_time = float(times[-1] - times[0]) / (len(times) - 1)
    velocity = np.gradient(smoothed(points, frame_time, 0.08), times, axis=0)
    if belt is not None:
        velocity[:, :2] -= belt
    return norm(velocity)


def steady_contact(found: np.ndarray, times: Array) -> np.ndarray:
    """Recorded contact [T] of a foot without contacts and gaps under 0.06 s."""
    return _cleaned(found, times, _SHORTEST_RECORDED)


def least_load(weight: float) -> float:
    """Newtons of vertical force above which a foot of a body stands."""
    return min(LOADED, LOADED_SHARE * weight)


def load_changes(vertical: Array, times: Array, least: float, *, means: bool) -> tuple[Array, Array]:
    """Times at which a foot comes to stand, and at which it no longer does, by the vertical force [T] on it.

    Args:
        vertical: newtons.
        times: [T] seconds.
        least: newtons above which it stands; stretches and gaps under 0.06 s do not count.
        means: whether forces are means from each sample to the next. A change then lies within a mean's time, as far as
            that mean is less than the one beside it.
    """
    change = np.diff(steady_contact(vertical > least, times).astype(int))
    strikes, offs = np.flatnonzero(change == 1) + 1, np.flatnonzero(change == -1) + 1
    if not means:
        return times[strikes], times[offs]
    step = times[1] - times[0]
    begun = vertical[strikes] / np.maximum(vertical[np.minimum(strikes + 1, len(vertical) - 1)], least)
    left = vertical[offs] / np.maximum(vertical[offs - 1], least)
    return times[strikes] + step * (1.0 - np.clip(begun, 0.0, 1.0)), times[offs] + step * np.clip(left, 0.0, 1.0)


def _cleaned(found: np.ndarray, times: Array, shortest: float) -> np.ndarray:
    """Contacts without gaps and stretches that are too short to be real, or to be recognised at the ends."""
    found = found.copy()
    cuts = [0, *(np.flatnonzero(np.diff(found.astype(int))) + 1), len(found)]
    if len(cuts) > 2 and times[cuts[1]] - times[0] < _SHORTEST_AT_END - _ROUNDING:
        found[: cuts[1]] = found[cuts[1]]
    if len(cuts) > 2 and times[-1] - times[cuts[-2]] < _SHORTEST_AT_END - _ROUNDING:
        found[cuts[-2] :] = found[cuts[-2] - 1]
    for value in (True, False):
        cuts = [0, *(np.flatnonzero(np.diff(found.astype(int))) + 1), len(found)]
        for a, b in pairwise(cuts):
            inner = a > 0 and b < len(found)
            if found[a] != value and inner and times[b] - times[a] < shortest - _ROUNDING:
                found[a:b] = value
    return found


@dataclass(frozen=True)
class CutRule:
    """Which stretches between changes of contact are no segments of their own.

    Attributes:
        shortest: seconds; shorter double support is given to the swing that follows it, shorter flight to the swing
            before, so that a swing runs from landing to landing.
        inside: whether a stretch lasts from its first frame to its last, and not to the first of the next one.
        ends: whether stretches with which a motion begins or ends are given away too, to their only neighbour.
        stands_first: whether all stands are given away before any flight is, and not each stretch in its turn.
        briefest: frames that a swing needs; a shorter one is a foot that trembles, and belongs to what was before.
    """

    shortest: float = 0.5
    inside: bool = False
    ends: bool = False
    stands_first: bool = False
    briefest: int = 0


def segments(contacts: Contacts, rule: CutRule = CutRule()) -> list[Segment]:  # noqa: B008
    """Half cycles, standing and flight: the motion is cut where contact changes, and short stretches are given away."""
    if len(contacts.times) < 2:
        raise FootfallError("segments: a motion of one frame has none")
    kinds = [CONTACT_KINDS[bool(a), bool(b)] for a, b in zip(contacts.left, contacts.right, strict=True)]
    times = contacts.times
    for shorts in (("stand",), ("flight",)) if rule.stands_first else (("stand", "flight"),):
        for a, b in runs_of(kinds):
            kind, seconds = kinds[a], times[b - 1 if rule.inside else min(b, len(times) - 1)] - times[a]
            if kind not in shorts or seconds >= rule.shortest:
                continue
            before, after = kinds[a - 1] if a > 0 else None, kinds[b] if b < len(kinds) else None
            if not rule.ends and (before is None or (kind == "stand" and after is None)):
                continue
            given = (after or before) if kind == "stand" else (before or after)
            kinds[a:b] = [given or kind] * (b - a)
    for a, b in runs_of(kinds):
        if a > 0 and b - a < rule.briefest and b < len(kinds):
            kinds[a:b] = [kinds[a - 1]] * (b - a)
    return [Segment(kinds[a], a, b) for a, b in runs_of(kinds)]


def runs_of(kinds: Sequence[SegmentKind]) -> list[tuple[int, int]]:
    """(first, last + 1) frames of each stretch of one kind."""
    cuts = [0, *(k for k in range(1, len(kinds)) if kinds[k] != kinds[k - 1]), len(kinds)]
    return list(pairwise(cuts))


_TOGETHER = 0.12
_LONGEST_PAUSE = 2.5


@dataclass(frozen=True)
class Landing:
    """A landing.

    Attributes:
        frame: when it happens.
        time: the same in seconds.
        side: "left", "right", or "both" for a jump that lands on both feet.
    """

    frame: int
    time: float
    side: str


def support_shares(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the time with both feet down, and with none, of contacts [T, ...]: a double support and a flight."""
    return (left & right).mean(axis=0), (~left & ~right).mean(axis=0)


def find_steps(contacts: Contacts) -> list[Landing]:
    """Landings in order. Two feet that land within 0.12 s, after a flight of both, are one step: a jump."""
    landed = sorted((int(frame), side) for side in ("left", "right") for frame in contacts.landings(side))
    steps: list[Landing] = []
    skip = False
    for k, (frame, side) in enumerate(landed):
        if skip:
            skip = False
            continue
        behind, other = landed[k + 1] if k + 1 < len(landed) else (frame, side)
        flew = not (contacts.left[frame - 1] or contacts.right[frame - 1])
        skip = flew and other != side and bool(contacts.times[behind] - contacts.times[frame] <= _TOGETHER)
        steps.append(Landing(frame, float(contacts.times[frame]), "both" if skip else side))
    return steps


def step_rate(steps: list[Landing]) -> float | None:
    """Steps a second while stepping: the steps of all bouts over the time that they take; None for fewer than three.

    A bout ends where the next step takes longer than 1.75 times the median, or where the same foot lands again (the
    other was missed, or stood), unless most steps are hops on one foot.
    """
    if len(steps) < 3:
        return None
    gaps = [(b.time - a.time, a.side == b.side != "both") for a, b in pairwise(steps)]
    hops = sum(same for _, same in gaps) > len(gaps) / 2
    fair = [gap for gap, same in gaps if (hops or not same) and gap < _LONGEST_PAUSE]
    if len(fair) < 2:
        return None
    usual = float(np.median(fair))
    kept = [gap for gap in fair if gap <= 1.75 * usual]
    return len(kept) / float(np.sum(kept)) if sum(kept) > 0 else None
