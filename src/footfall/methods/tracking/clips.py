"""From a captured motion to fragments: poses of the figure, contacts, half cycles, a loop (Data-Driven Biped Control,
section 3; its authors' rules).

A foot is in contact in a frame when its ankle is low and slow. The motion is cut where contact changes; short double
support goes to the swing that follows it and short flight to the swing before, so that a swing runs from one foot's
landing to the other's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.ground_fit import soles_of
from footfall.methods.tracking.poses import legs_of
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.motion.quaternion import conjugate, exp, from_axis_angle, log, multiply, rotate

__all__ = [
    "ContactRule",
    "Cycle",
    "ankles",
    "best_cycle",
    "clip_repertoire",
    "facing_of",
    "fragments_of",
    "turned_frames",
]

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
SHORTEST = 15
"""Frames; shorter double support or flight is no fragment of its own."""


LEAST = 5
"""Frames that a clip's last fragment needs."""
BRIEFEST = 4
"""Frames that a swing needs; a shorter one is a foot that trembles."""


@dataclass(frozen=True)
class ContactRule:
    """When a foot is on the ground.

    Attributes:
        height, speed: its ankle is lower (metres) and slower (m/s). That is the authors' rule: the foot is flat.
        touch: a fragment begins in the frame in which the landing foot's lowest point comes as near to the ground
            (metres), some frames earlier, as a simulated foot lands by its first touch; None for the authors' rule.
    """

    height: float = 0.1
    speed: float = 0.4
    touch: float | None = None


@dataclass(frozen=True)
class Cycle:
    """A loop: the first and last frame, which show nearly the same pose."""

    first: int
    last: int


def ankles(frames: Array, figure: Figure) -> Array:
    """[T, 2, 3] world places of the left and the right ankle in poses [T, nq]."""
    places = []
    for leg in legs_of(figure):
        turn = frames[:, 3:7]
        at = frames[:, :3] + rotate(turn, leg.hip_at)
        for address, offset in ((leg.hip, leg.knee_at), (leg.knee, leg.ankle_at)):
            turn = multiply(turn, frames[:, address : address + 4])
            at = at + rotate(turn, offset)
        places.append(at)
    return np.stack(places, axis=1)


def facing_of(frames: Array) -> Array:
    """[T] heading of the pelvis, radians, continuous over time."""
    forward = rotate(frames[:, 3:7], np.array([1.0, 0.0, 0.0]))
    return np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))


def turned_frames(frames: Array, angle: float, about: Sequence[float] = (0.0, 0.0)) -> Array:
    """Poses turned about a vertical axis."""
    turn = from_axis_angle(UP, np.array(angle))
    centre = np.array([*about, 0.0])
    result = frames.copy()
    result[:, :3] = rotate(turn, frames[:, :3] - centre) + centre
    result[:, 3:7] = multiply(np.broadcast_to(turn, (len(frames), 4)), frames[:, 3:7])
    return result


def contact_kinds(frames: Array, figure: Figure, fps: float, rule: ContactRule) -> list[str]:
    """[T] kind of every frame."""
    feet = ankles(frames, figure)
    speed = np.linalg.norm(np.gradient(feet, 1.0 / fps, axis=0), axis=-1)
    touch = (feet[..., 2] < rule.height) & (speed < rule.speed)
    names = {(True, True): "stand", (True, False): "right_swing", (False, True): "left_swing"}
    kinds = [names.get((bool(a), bool(b)), "flight") for a, b in touch]
    for short in ("stand", "flight"):
        for a, b in _runs(kinds):
            if kinds[a] != short or b - a - 1 >= SHORTEST:
                continue
            before = kinds[a - 1] if a > 0 else None
            after = kinds[b] if b < len(kinds) else None
            given = (after or before) if short == "stand" else (before or after)
            kinds[a:b] = [given or short] * (b - a)
    for a, b in _runs(kinds):
        if a > 0 and b - a < BRIEFEST and b < len(kinds):
            kinds[a:b] = [kinds[a - 1]] * (b - a)
    return kinds


def _runs(kinds: Sequence[str]) -> list[tuple[int, int]]:
    cuts = [0, *(k for k in range(1, len(kinds)) if kinds[k] != kinds[k - 1]), len(kinds)]
    return list(pairwise(cuts))


def touched(cuts: Sequence[tuple[str, int, int]], low: Array, touch: float) -> list[tuple[str, int, int]]:
    """Fragments that begin when the foot before them touches, at most a third of its swing earlier.

    They overlap: a swing still goes on to where its foot is flat, so that a foot that lands late has motion to follow.
    """
    result = list(cuts)
    for k in range(1, len(cuts)):
        kind, a, b = cuts[k - 1]
        if kind not in ("left_swing", "right_swing"):
            continue
        near = low[:, 0 if kind == "left_swing" else 1] <= touch
        begin, earliest = b, b - (b - a) // 3
        while begin > earliest and near[begin - 1]:
            begin -= 1
        result[k] = (cuts[k][0], begin, cuts[k][2])
    return result


def fragments_of(
    frames: Array,
    figure: Figure,
    fps: float = 30.0,
    rule: ContactRule = ContactRule(),  # noqa: B008
) -> list[tuple[str, int, int]]:
    """(kind, first, last) of each fragment; the last frame is the next fragment's first."""
    kinds = contact_kinds(frames, figure, fps, rule)
    end = len(kinds) - 1
    cut = [(kinds[a], a, min(b, end)) for a, b in _runs(kinds)]
    cut = [(kind, a, b) for kind, a, b in cut if b > a]
    while len(cut) > 1 and cut[-1][2] - cut[-1][1] < LEAST:  # a step that the clip breaks off
        cut.pop()
    return cut


def best_cycle(frames: Array, figure: Figure, cuts: Sequence[tuple[str, int, int]], near: int = 10) -> Cycle | None:
    """The cycle of two steps that ends most nearly as it began; None without two swings in a row.

    It begins at a landing and ends within ``near`` frames of the same foot's next landing, where the pose is most like
    the first one. Poses are compared by where joints are, seen from the pelvis and its heading; steps that are slower
    than the rest of the clip (its start and stop) count as farther apart.
    """
    best, least = None, np.inf
    places = joint_places(frames, figure)
    speed = np.linalg.norm(np.gradient(frames[:, :2], axis=0), axis=-1)
    for (kind, a, _), (other, _, b) in pairwise(cuts):
        if {kind, other} != {"left_swing", "right_swing"}:
            continue
        ends = np.arange(max(a + 5, b - near), min(len(frames), b + near + 1))
        far = np.linalg.norm(places[ends] - places[a], axis=-1).sum(axis=-1)
        end = int(ends[np.argmin(far)])
        pace = float(speed[a : end + 1].mean() / max(speed.max(), 1e-9))
        total = float(far.min()) + 4.0 * max(0.0, 0.7 - pace)
        if total < least:
            best, least = Cycle(a, end), total
    return best


def joint_places(frames: Array, figure: Figure) -> Array:
    """[T, bodies, 3] origins of the bodies, seen from the pelvis and its heading."""
    turns = {0: from_axis_angle(UP, -facing_of(frames))}
    turns[0] = multiply(turns[0], frames[:, 3:7])
    places = {0: np.zeros((len(frames), 3))}
    for body in figure.bodies[1:]:
        joint = figure.joint(body.joints[0])
        places[body.index] = places[body.parent] + rotate(turns[body.parent], body.position)
        turns[body.index] = multiply(turns[body.parent], frames[:, joint.qpos : joint.qpos + 4])
    return np.stack([places[k] for k in sorted(places)], axis=1)


def repeated(frames: Array, cycle: Cycle, times: int, over: int = 10, *, turning: bool = False) -> tuple[Array, float]:
    """Frames up to the cycle, then the cycle a number of times; and its turn.

    The last ``over`` frames of a cycle lead back to the pose of its first. A cycle that goes round a bend keeps its
    turn; another one comes back to its heading.
    """
    turn = float(np.diff(facing_of(frames)[[cycle.first, cycle.last]])[0]) if turning else 0.0
    one = frames[cycle.first : cycle.last + 1].copy()
    goal = turned_frames(one[:1], turn)[0]
    end = one[-1].copy()
    over = min(over, len(one) - 1)
    for k in range(1, over + 1):
        at = len(one) - 1 - over + k
        share = k / over
        weight = share * share * (3.0 - 2.0 * share)
        one[at, 2] += weight * (goal[2] - end[2])
        now, to, was = (x[3:].reshape(-1, 4) for x in (one[at], goal, end))
        one[at, 3:] = multiply(now, exp(weight * log(multiply(conjugate(was), to)))).ravel()
    result = frames[: cycle.first + 1]
    for k in range(times):
        part = turned_frames(one, k * turn)
        part[:, :2] += result[-1, :2] - part[0, :2]
        result = np.concatenate([result, part[1:]])
    return result, turn


def clip_repertoire(
    frames: Array,
    figure: Figure,
    *,
    gains: Gains = Gains(),  # noqa: B008
    loop: bool = False,
    turning: bool | None = None,
    over: int = 10,
    rule: ContactRule = ContactRule(),  # noqa: B008
) -> Repertoire:
    """A clip as a repertoire: its fragments one after another, the last one for ever or the best cycle round and round.

    Args:
        frames: [T, nq] poses at 30 frames a second.
        figure: what they are poses of.
        gains: for all fragments.
        loop: whether to repeat the best cycle.
        turning: whether the loop keeps its turn; by default where it turns by more than 20 degrees.
        over: frames at the loop's end that lead back to its start.
        rule: when a foot is in contact.
    """
    cuts = fragments_of(frames, figure, rule=rule)
    turn, back = 0.0, -1
    if loop:
        cycle = best_cycle(frames, figure, cuts)
        if cycle is None:
            raise FootfallError(
                "tracking: the clip has no two steps in a row to repeat; follow it once, without a loop"
            )
        if turning is None:
            turning = bool(abs(np.diff(facing_of(frames)[[cycle.first, cycle.last]])[0]) > np.radians(20.0))
        frames, turn = repeated(frames, cycle, 3, over, turning=turning)
        cuts = fragments_of(frames, figure, rule=rule)
        back = next(
            k
            for k, (one, two) in enumerate(pairwise(cuts))
            if one[1] >= cycle.first and {one[0], two[0]} == {"left_swing", "right_swing"}
        )
        cuts = cuts[: back + 2]
    if rule.touch is not None:
        cuts = touched(cuts, soles_of(frames, figure).height, rule.touch)
    feet = ankles(frames, figure)[..., 2]
    fragments = [
        Fragment(kind, frames[a : b + 1], float(feet[a + 1 : b + 1].min()), successor=k + 1)
        for k, (kind, a, b) in enumerate(cuts)
    ]
    fragments[-1] = replace(fragments[-1], successor=back, turn=turn)
    return Repertoire(tuple(fragments), (gains,))
