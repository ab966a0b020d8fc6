"""A captured clip as a repertoire of the tracking law: its fragments one after another, or its best two steps round and
round (Data-Driven Biped Control, section 3)."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.repertoire import Fragment, Repertoire, TrackingGains
from footfall.motion.ball_poses import FPS, ankles, facing_of, skeleton_of_balls
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.gait.contact import Segment
from footfall.motion.quaternion import Array
from footfall.motion.synthesis.cuts import (
    ClipLoop,
    best_loop,
    cut_frames,
    flight_cuts,
    repeated,
)

NO_LOOP = "the clip has no two steps in a row that can be repeated; follow it once, without a loop"
BEND = np.radians(20.0)
"""Turn of two steps above which a loop keeps it."""


def clip_repertoire(
    frames: Array,
    figure: Figure,
    *,
    gains: TrackingGains = TrackingGains(),  # noqa: B008
    loop: bool | ClipLoop = False,
) -> Repertoire:
    """A clip as a repertoire: its fragments one after another, the last one for ever or the best loop round and round.

    Args:
        frames: [T, nq] poses at 30 frames a second.
        figure: what they are poses of, itself or by its skeleton of ball joints.
        gains: for all fragments.
        loop: whether to repeat the best loop, or the loop that is repeated.
    """
    figure = skeleton_of_balls(figure)
    cuts = _cuts(frames, figure)
    turn, back = 0.0, -1
    if loop:
        best = loop if isinstance(loop, ClipLoop) else _best_loop(frames, figure, cuts)
        frames, turn = repeated(frames, best, 3, turning=_turns(frames, best))
        cuts = _cuts(frames, figure)
        swings = {"left_swing", "right_swing"}
        found = (k for k, pair in enumerate(pairwise(cuts)) if {cut.kind for cut in pair} == swings)
        back = next((k for k in found if cuts[k].start >= best.first), -1)
        if back < 0:
            raise FootfallError(NO_LOOP)
        cuts = cuts[: back + 2]
    feet = ankles(frames, figure)[..., 2]
    fragments = [
        Fragment(
            cut.kind,
            frames[cut.start : cut.end + 1],
            float(feet[cut.start + 1 : cut.end + 1].min()),
            successor=k + 1,
            take_off=cut.take_off,
        )
        for k, cut in enumerate(cuts)
    ]
    fragments[-1] = replace(fragments[-1], successor=back, turn=turn)
    return Repertoire(tuple(fragments), (gains,))


def looped_frames(frames: Array, figure: Figure, seconds: float) -> Array:
    """[T, nq] a clip up to its best two steps, and those again and again, for so many seconds or a little more.

    Args:
        frames: [T, nq] poses at 30 frames a second.
        figure: what they are poses of, itself or by its skeleton of ball joints.
        seconds: how long.
    """
    figure = skeleton_of_balls(figure)
    best = _best_loop(frames, figure, _cuts(frames, figure))
    times = max(1, int(np.ceil((seconds * FPS - best.first) / (best.last - best.first))))
    return repeated(frames, best, times, turning=_turns(frames, best))[0]


def _best_loop(frames: Array, figure: Figure, cuts: list[Segment]) -> ClipLoop:
    best = best_loop(frames, figure, cuts)
    if best is None:
        raise FootfallError(NO_LOOP)
    return best


def _turns(frames: Array, loop: ClipLoop) -> bool:
    """Whether a loop goes round a bend, which it then keeps."""
    return bool(abs(np.diff(facing_of(frames)[[loop.first, loop.last]])[0]) > BEND)


def _cuts(frames: Array, figure: Figure) -> list[Segment]:
    """Fragments by flights where the clip has any, else by the authors' rule."""
    flights = flight_cuts(frames, figure, soles_of(frames, figure).height)
    return cut_frames(frames, figure) if flights is None else flights
