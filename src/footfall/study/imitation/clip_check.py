"""Whether a clip can be tracked at all: what the law cannot do is said in words."""

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import soles_of
from footfall.motion.quaternion import rotate
from footfall.motion.synthesis.ball_poses import ankles
from footfall.motion.synthesis.foot_cuts import ContactRule, cut_frames

__all__ = ["check_clip"]

Array = NDArray[np.float64]
LOWEST_PELVIS = 0.6
LARGEST_LEAN = 60.0
LONGEST_FLIGHT = 0.25
OFF_GROUND, MOST_FLIGHT = 0.02, 0.06
"""Metres above which both soles fly, and the share of frames in which they may."""
FPS = 30.0


def check_clip(frames: Array, figure: Figure, rule: ContactRule = ContactRule()) -> None:  # noqa: B008
    """Refuse a clip that lies, tumbles or flies.

    Args:
        frames: [T, nq] poses at 30 a second.
        figure: what they are poses of.
        rule: when a foot is in contact.
    """
    if len(frames) < 20:
        raise FootfallError(f"clip: it has {len(frames) / FPS:.1f} s at 30 frames a second; give at least 0.7 s")
    standing = float(figure.default_qpos[2])
    low = frames[:, 2] < LOWEST_PELVIS * standing
    if low.any():
        k = int(np.argmax(low))
        raise FootfallError(
            f"clip: the pelvis is {frames[k, 2]:.2f} m above the ground at {k / FPS:.1f} s, "
            f"{frames[k, 2] / standing:.0%} of standing height; "
            "falls, crawling, sitting and acrobatics cannot be tracked"
        )
    lean = np.degrees(np.arccos(np.clip(rotate(frames[:, 3:7], np.array([0.0, 0.0, 1.0]))[:, 2], -1, 1)))
    if (lean > LARGEST_LEAN).any():
        k = int(np.argmax(lean > LARGEST_LEAN))
        raise FootfallError(
            f"clip: the pelvis leans {lean[k]:.0f} degrees at {k / FPS:.1f} s; falls and acrobatics cannot be tracked"
        )
    share = float((soles_of(frames, figure).height.min(axis=1) > OFF_GROUND).mean())
    if share > MOST_FLIGHT:
        raise FootfallError(
            f"clip: both feet are off the ground in {share:.0%} of its frames; "
            "runs, jumps and acrobatics cannot be tracked"
        )
    for cut in cut_frames(frames, figure, rule=rule):
        first, last = cut.start, cut.end
        if cut.kind == "flight" and (last - first) / FPS > LONGEST_FLIGHT:
            height = float(ankles(frames[first : last + 1], figure)[..., 2].min())
            raise FootfallError(
                f"clip: both feet are off the ground (or sliding) from {first / FPS:.1f} to {last / FPS:.1f} s, at "
                f"least {height:.2f} m at the ankles; runs, jumps and acrobatics cannot be tracked"
            )
