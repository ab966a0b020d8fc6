"""Whether a clip can be tracked at all: what the law cannot do is said in words."""

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import soles_of
from footfall.motion.quaternion import rotate
from footfall.motion.synthesis.flight_cuts import flying
from footfall.motion.synthesis.hinge_chains import skeleton_of_balls

Array = NDArray[np.float64]
LOWEST_PELVIS = 0.6
LARGEST_LEAN = 60.0
SPIKE = 4
"""Frames that anything has to last to count: captures have spikes of up to three."""
OFF_GROUND, LONGEST_FLIGHT, LONGEST_HANG = 0.03, 0.8, 0.4
"""Metres above which both soles are in the air, seconds for which they may be at a time (nobody jumps higher than
0.8 m), and seconds for which they may be while the body does not fall."""
MOST_FLIGHT = 0.6
"""Share of a clip's frames in which both soles may be off the ground."""
FPS = 30.0


def check_clip(frames: Array, figure: Figure) -> None:
    """Refuse a clip that lies, tumbles or hangs in the air; runs, hops and jumps are tried.

    Args:
        frames: [T, nq] poses at 30 a second.
        figure: what they are poses of.
    """
    if len(frames) < 20:
        raise FootfallError(f"clip: it has {len(frames) / FPS:.1f} s at 30 frames a second; give at least 0.7 s")
    figure = skeleton_of_balls(figure)
    standing = float(figure.default_qpos[2])
    k = _lasting(frames[:, 2] < LOWEST_PELVIS * standing, SPIKE)
    if k is not None:
        raise FootfallError(
            f"clip: the pelvis is {frames[k, 2]:.2f} m above the ground at {k / FPS:.1f} s, "
            f"{frames[k, 2] / standing:.0%} of standing height; "
            "falls, crawling, sitting and acrobatics cannot be tracked"
        )
    lean = np.degrees(np.arccos(np.clip(rotate(frames[:, 3:7], np.array([0.0, 0.0, 1.0]))[:, 2], -1, 1)))
    k = _lasting(lean > LARGEST_LEAN, SPIKE)
    if k is not None:
        raise FootfallError(
            f"clip: the pelvis leans {lean[k]:.0f} degrees at {k / FPS:.1f} s; falls and acrobatics cannot be tracked"
        )
    soles = soles_of(frames, figure).height
    flies = soles.min(axis=1) > OFF_GROUND
    k = _lasting(flies & ~flying(frames, figure, soles), round(LONGEST_HANG * FPS) + 1)
    if k is not None:
        raise FootfallError(
            f"clip: both feet are off the ground for more than {LONGEST_HANG} s from {k / FPS:.1f} s on while the body "
            "does not fall; nothing but the ground can be stood on"
        )
    k = _lasting(flies, round(LONGEST_FLIGHT * FPS) + 1)
    if k is not None:
        raise FootfallError(
            f"clip: both feet are off the ground for more than {LONGEST_FLIGHT} s from {k / FPS:.1f} s on; "
            "no jump lasts as long"
        )
    if flies.mean() > MOST_FLIGHT:
        raise FootfallError(
            f"clip: both feet are off the ground in {flies.mean():.0%} of its frames; nothing but the ground can be "
            "stood on"
        )


def _lasting(flags: NDArray[np.bool_], least: int) -> int | None:
    """The first frame of a stretch of at least so many; None without one."""
    run = 0
    for k, flag in enumerate(flags):
        run = run + 1 if flag else 0
        if run >= least:
            return k - least + 1
    return None
