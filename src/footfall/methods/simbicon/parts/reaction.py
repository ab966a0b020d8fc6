"""Reaction: stiffer servos for some time after an impact, which the torso's error tells (SIMBICON, section 6)."""

from typing import Any

import warp as wp

__all__ = ["LONG_AGO", "raised_gain", "time_since_impact"]

LONG_AGO = 1e6
"""Seconds since an impact that never was."""


@wp.func
def raised_gain(since: Any, delay: Any, duration: Any, gain: Any):
    """By how much gains are multiplied, ``since`` seconds after the last impact."""
    late = delay + duration
    return wp.where(since >= delay and since < late, gain, type(gain)(1.0))


@wp.func
def time_since_impact(since: Any, error: Any, threshold: Any, delay: Any, duration: Any, dt: Any):
    """Seconds since the last impact, one step on; an error above the threshold is one, once the last is over."""
    later = since + dt
    struck = wp.abs(error) > threshold and later >= delay + duration
    return wp.where(struck, type(later)(0.0), later)
