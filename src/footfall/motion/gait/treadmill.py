"""Walking on the spot with feet that slide back: on a treadmill, or a walk whose travel was taken out."""

import numpy as np

from footfall.motion.gait.feet import clearance, soles
from footfall.motion.gait.heading import facing, smoothed, speeds
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, dot, norm

_LEAST = 0.25
"""m/s below which a belt is none: feet that step on the spot are slower."""
_WINDOW = 0.6
"""Seconds over which the belt's velocity is the median of the standing foot's; about one step."""
_STILL = 0.5
"""The body's speed over that of the belt at most."""
_SHARE = 0.3
"""Share of the time that it walks at least. Set, as the next, after looking at which clips were taken for walks on the
spot."""
_STEADY = 0.9
"""The length of the mean velocity over the mean speed at least: a belt runs one way, feet of jumping jacks two."""


def belt_velocity(motion: Motion) -> Array:
    """[T, 2] m/s at which the ground moves under a walk on the spot; zero for any other motion.

    Of two feet the lower one stands. Where the body stays and the lower foot moves all the same, that is the belt. A
    walk whose travel was taken out has a belt that starts and stops with it.
    """
    from scipy.ndimage import median_filter

    feet = soles(motion.skeleton)
    none = np.zeros((len(motion), 2))
    if len(feet) < 2 or len(motion) < 8:
        return none
    ankles = [motion.positions()[:, sole.ankle] for sole in feet.values()]
    paths = [np.gradient(smoothed(ankle[:, :2], motion.frame_time, 0.08), motion.times, axis=0) for ankle in ankles]
    lower = np.argmin([clearance(motion, ankle) for ankle in ankles], axis=0)
    moves = np.where(lower[:, None] == 0, paths[0], paths[1])
    belt = median_filter(moves, size=(max(round(_WINDOW / motion.frame_time), 1), 1), mode="nearest")
    pace = norm(belt)
    if pace.max() <= _LEAST:
        return none
    walks = pace > 0.5 * pace.max()
    still = float(np.median(speeds(motion)[walks])) < _STILL * float(np.median(pace[walks]))
    ahead = facing(motion)
    along = np.stack([dot(belt, ahead), belt[:, 1] * ahead[:, 0] - belt[:, 0] * ahead[:, 1]], axis=-1)[walks]
    steady = np.linalg.norm(along.mean(axis=0)) > _STEADY * pace[walks].mean()
    long = walks.mean() > _SHARE
    return np.asarray(belt) if np.median(pace[walks]) > _LEAST and still and steady and long else none


def carried_path(motion: Motion) -> Array:
    """[T, 2] how far a belt has carried its surface since the first frame, metres; zero without a belt."""
    belt = belt_velocity(motion)
    if not belt.any():
        return np.zeros((len(motion), 2))
    steps = 0.5 * (belt[1:] + belt[:-1]) * np.diff(motion.times)[:, None]
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
