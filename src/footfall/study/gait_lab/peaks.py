"""The numbers that Schwartz et al. (2008) read from the curves: angles at events, peaks of moments, powers and forces.

Each is read from the mean curve of a side, at whole per cents of the cycle. ``off`` is the mean foot off.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Reading = Callable[[Array, int], float]


def _at_contact(curve: Array, off: int) -> float:
    return float(curve[0])


def _at_off(curve: Array, off: int) -> float:
    return float(curve[off])


def _stance(pick: Callable[[Array], float]) -> Reading:
    return lambda curve, off: float(pick(curve[: off + 1]))


def _swing(pick: Callable[[Array], float]) -> Reading:
    return lambda curve, off: float(pick(curve[off:]))


def _part(low: float, high: float, pick: Callable[[Array], float]) -> Reading:
    """Between two shares of the stance."""
    return lambda curve, off: float(pick(curve[int(low * off) : max(int(high * off), int(low * off) + 1) + 1]))


PEAKS: Mapping[str, tuple[str, Reading]] = {
    "Pelvic Tilt Range-of-Motion [deg]": ("pelvis_tilt", lambda c, _: float(np.ptp(c))),
    "Pelvic Rotation Range-of-Motion [deg]": ("pelvis_rotation", lambda c, _: float(np.ptp(c))),
    "Pelvic Obliquity Maximum in Stance [deg]": ("pelvis_obliquity", _stance(np.max)),
    "Hip Flexion at Foot Contact [deg]": ("hip_flexion", _at_contact),
    "Hip Flexion Minimum [deg]": ("hip_flexion", lambda c, _: float(c.min())),
    "Knee Flex at Foot Cont [deg]": ("knee_flexion", _at_contact),
    "Max Knee Ext [deg]": ("knee_flexion", _stance(np.min)),
    "Max Knee Flex (swing) [deg]": ("knee_flexion", _swing(np.max)),
    "Dorsiflex at Foot Cont [deg]": ("ankle_dorsiflexion", _at_contact),
    "Max Dorsiflex (stance) [deg]": ("ankle_dorsiflexion", _stance(np.max)),
    "Dorsiflex at Foot Off [deg]": ("ankle_dorsiflexion", _at_off),
    "Max Plantarfelx (swing) [deg]": ("ankle_dorsiflexion", _swing(np.min)),
    "Max Hip Ext Mom (stance) [N-m/kg]": ("hip_extension_moment", _stance(np.max)),
    "Max Hip Flex Mom (stance) [N-m/kg]": ("hip_extension_moment", _stance(np.min)),
    "Hip Add Mom Peak (1st half stance) [N-m/kg]": ("hip_abduction_moment", _part(0.0, 0.5, np.max)),
    "Hip Add Mom Peak (2nd half stance) [N-m/kg]": ("hip_abduction_moment", _part(0.5, 1.0, np.max)),
    "Max Hip Ext Mom (swing) [N-m/kg]": ("hip_extension_moment", _swing(np.max)),
    "Max Knee Ext Mom (stance) [N-m/kg]": ("knee_extension_moment", _stance(np.max)),
    "Max Knee Flex Mom (stance) [N-m/kg]": ("knee_extension_moment", _stance(np.min)),
    "Max Knee Flex Mom (swing) [N-m/kg]": ("knee_extension_moment", _swing(np.min)),
    "Max Plantarflex Mom [N-m/kg]": ("ankle_plantarflexion_moment", _stance(np.max)),
    "Max Hip Power Gen (early stance) [W/kg]": ("hip_power", _part(0.0, 0.5, np.max)),
    "Max Hip Power Abs (mid stance) [W/kg]": ("hip_power", _part(0.3, 1.0, np.min)),
    "Max Hip Power Gen (late stance/early swing) [W/kg]": (
        "hip_power",
        lambda c, off: float(c[int(0.75 * off) :].max()),
    ),
    "Max Knee Power Abs (late stance) [W/kg]": ("knee_power", _part(0.6, 1.0, np.min)),
    "Max Ankle Power Gen (stance) [W/kg]": ("ankle_power", _stance(np.max)),
    "Peak Braking Force [BW]": ("grf_ahead", _stance(np.min)),
    "Peak Propuls Force [BW]": ("grf_ahead", _stance(np.max)),
    "First Vertical Peak Force [BW]": ("grf_vertical", _part(0.0, 0.5, np.max)),
    "Second Vertical Peak Force [BW]": ("grf_vertical", _part(0.5, 1.0, np.max)),
    "Mid Stance Force Min [BW]": ("grf_vertical", lambda c, off: double_hump(c, off)[2][1]),
}
"""Schwartz's name (with their spelling) -> the curve, and how it is read."""


def double_hump(curve: Array, off: int) -> tuple[tuple[int, float], tuple[int, float], tuple[int, float]]:
    """The vertical force's first peak, second peak and the dip between them, each as per cent of the cycle and body
    weights. The peaks are the highest values in either half of the stance."""
    half = max(off // 2, 1)
    first = int(np.argmax(curve[: half + 1]))
    second = half + int(np.argmax(curve[half : off + 1]))
    dip = first + int(np.argmin(curve[first : second + 1]))
    return (first, float(curve[first])), (second, float(curve[second])), (dip, float(curve[dip]))


def read_peaks(curves: Mapping[str, Mapping[str, Array]], offs: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Name -> side -> number, from mean curves [101] by name and side, and foot offs in per cent by side."""
    found: dict[str, dict[str, float]] = {}
    for name, (curve, reading) in PEAKS.items():
        for side, values in curves.get(curve, {}).items():
            off = offs.get(side, float("nan"))
            if np.isfinite(off) and np.isfinite(values).all():
                found.setdefault(name, {})[side] = reading(values, int(np.clip(round(off), 2, 98)))
    return found
