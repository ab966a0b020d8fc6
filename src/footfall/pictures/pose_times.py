"""Which moments of a motion a strip of poses shows: evenly spaced, and never always at the same phase of the gait."""

import numpy as np

from footfall.motion.gait.heading import facing
from footfall.motion.motion import Motion
from footfall.motion.skeleton.roles import find_roles

_EIGHTHS = (1, 3, 5, 7, 9, 11, 13, 15)
"""Spacings in eighths of a stride. Odd, so that eight poses in a row show eight different phases."""
_SHORTEST, _LONGEST = 0.25, 4.0


def stride_seconds(motion: Motion) -> float | None:
    """How long a stride (two steps) takes: the period of the left ankle's lead over the right; None without one."""
    roles = find_roles(motion.skeleton)
    if not {"left_ankle", "right_ankle"} <= roles.keys() or motion.seconds < 2.0 * _SHORTEST:
        return None
    places = motion.positions()
    apart = places[:, roles["left_ankle"], :2] - places[:, roles["right_ankle"], :2]
    lead = np.einsum("tk,tk->t", apart, facing(motion))
    clock = np.arange(motion.times[0], motion.times[-1], 0.01)
    lead = np.interp(clock, motion.times, lead)
    lead -= lead.mean()
    if float(np.std(lead)) < 0.02:
        return None
    n = len(lead)
    power = np.abs(np.fft.rfft(lead, 2 * n)) ** 2
    alike = np.fft.irfft(power)[:n] / np.arange(n, 0, -1)
    alike /= alike[0]
    lags = np.arange(n) * 0.01
    fit = (lags >= _SHORTEST) & (lags <= min(_LONGEST, 0.7 * lags[-1]))
    inner = np.flatnonzero(fit[1:-1] & (alike[1:-1] >= alike[:-2]) & (alike[1:-1] > alike[2:])) + 1
    strong = inner[alike[inner] > 0.5]
    if not len(strong):
        return None
    best = float(alike[strong].max())
    return float(lags[next(k for k in strong if alike[k] > 0.85 * best)])


def pose_frames(motion: Motion, spacing: float) -> np.ndarray:
    """Indices of frames about ``spacing`` seconds apart, at odd eighths of the stride where there is one."""
    stride = stride_seconds(motion)
    if stride is not None:
        spacing = min((k * stride / 8.0 for k in _EIGHTHS), key=lambda s: abs(np.log(s / spacing)))
    ticks = np.arange(motion.times[0], motion.times[-1] + 1e-9, spacing)
    return np.unique(np.clip(np.searchsorted(motion.times, ticks - 1e-9), 0, len(motion) - 1))
