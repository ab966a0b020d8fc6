"""Loops: the two steps of a captured walk that repeat best, joined end to start."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.figures import Figure
from footfall.motion.editing.transitions import transition
from footfall.motion.gait.contact import Segment
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply
from footfall.motion.synthesis.ball_poses import facing_of, joint_places, turned_frames


@dataclass(frozen=True)
class Loop:
    """The first and last frame, which show nearly the same pose."""

    first: int
    last: int


def best_loop(frames: Array, figure: Figure, cuts: Sequence[Segment], near: int = 10) -> Loop | None:
    """The loop of two steps that ends most nearly as it began; None without two swings in a row.

    It begins at a landing and ends within ``near`` frames of the same foot's next landing, where the pose is most like
    the first one. Poses are compared by where joints are, seen from the pelvis and its heading; steps that are slower
    than the rest of the clip (its start and stop) count as farther apart.
    """
    best, least = None, np.inf
    places = joint_places(frames, figure)
    speed = np.linalg.norm(np.gradient(frames[:, :2], axis=0), axis=-1)
    for one, two in pairwise(cuts):
        if {one.kind, two.kind} != {"left_swing", "right_swing"}:
            continue
        a, b = one.start, two.end
        ends = np.arange(max(a + 5, b - near), min(len(frames), b + near + 1))
        far = np.linalg.norm(places[ends] - places[a], axis=-1).sum(axis=-1)
        end = int(ends[np.argmin(far)])
        pace = float(speed[a : end + 1].mean() / max(speed.max(), 1e-9))
        total = float(far.min()) + 4.0 * max(0.0, 0.7 - pace)
        if total < least:
            best, least = Loop(a, end), total
    return best


def repeated(frames: Array, loop: Loop, times: int, over: int = 10, *, turning: bool = False) -> tuple[Array, float]:
    """Frames up to the loop, then the loop a number of times; and its turn.

    The last ``over`` frames of a loop lead back to the pose of its first. A loop that goes round a bend keeps its
    turn; another one comes back to its heading.
    """
    turn = float(np.diff(facing_of(frames)[[loop.first, loop.last]])[0]) if turning else 0.0
    one = frames[loop.first : loop.last + 1].copy()
    goal = turned_frames(one[:1], turn)[0]
    end = one[-1].copy()
    over = min(over, len(one) - 1)
    for k in range(1, over + 1):
        at = len(one) - 1 - over + k
        weight = float(transition(np.array(k / over)))
        one[at, 2] += weight * (goal[2] - end[2])
        now, to, was = (x[3:].reshape(-1, 4) for x in (one[at], goal, end))
        one[at, 3:] = multiply(now, exp(weight * log(multiply(conjugate(was), to)))).ravel()
    result = frames[: loop.first + 1]
    for k in range(times):
        part = turned_frames(one, k * turn)
        part[:, :2] += result[-1, :2] - part[0, :2]
        result = np.concatenate([result, part[1:]])
    return result, turn
