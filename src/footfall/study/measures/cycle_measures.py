"""Numbers by which gait people judge a walk, each defined once: searches, tables, pages and documents read them here.

They are read from the mean cycle of a walk, so a measure of one analysed walk and of a thousand candidates of a search
is the same number. Curves have the names, units and signs of :data:`PANELS`.

Roughness of a curve is what a stride's first ten harmonics leave of it, root mean square: people's moments have next to
nothing there (Winter's moments are filtered at 6 Hz, six harmonics of a stride of a second).

Acceleration of the head is that of its mean path over a cycle, of the first ten harmonics, root mean square.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.study.measures.people import (
    GRAVITY,
    PEAKS,
    PROFILE,
    Band,
    double_hump,
    match,
    profile_score,
    variable_score,
)

Array = NDArray[np.float64]

HARMONICS = 10
HUMP = 0.05
"""Body weights by which the second peak must rise above the dip to be a hump."""


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes:
        title, unit: as shown. definition: what it is.
        needs: "people" whose tables it is compared with, "forces" that acted, or "" for the motion alone.
    """

    title: str
    unit: str
    definition: str
    needs: str = ""


MATCHES: Mapping[str, str] = {
    f"match_{name}": name for name in PROFILE if name not in ("hip_rotation", "foot_progression")
}
"""Measure -> the angle whose match with people it is."""

WALK_MEASURES: Mapping[str, Measure] = {
    **{
        name: Measure(f"match of {angle.replace('_', ' ')}", "%", "how well it stays in people's band", "people")
        for name, angle in MATCHES.items()
    },
    "match": Measure("match of all angles", "%", "the mean of the angles' matches", "people"),
    "profile_score": Measure("Gait Profile Score", "°", "difference from people's mean angles", "people"),
    "stance": Measure("stance", "%", "from a foot's strike to its off, of the cycle"),
    "first_peak": Measure("first peak of the vertical force", "BW", "the most in the first half of stance", "forces"),
    "first_peak_at": Measure("first peak at", "%", "where it is in the cycle", "forces"),
    "dip": Measure("dip of the vertical force", "BW", "the lowest value between the two peaks", "forces"),
    "second_peak": Measure(
        "second peak of the vertical force", "BW", "the most in the second half of stance", "forces"
    ),
    "second_peak_at": Measure("second peak at", "%", "where it is in the cycle", "forces"),
    "second_hump": Measure("second hump", "BW", "the second peak above the dip; 0 where there is none", "forces"),
    "braking": Measure("braking force", "BW", "the strongest backward force in stance", "forces"),
    "propulsion": Measure("propulsive force", "BW", "the strongest forward force in stance", "forces"),
    "knee_loading": Measure("knee flexion under load", "°", "most knee flexion in the first half of stance"),
    "knee_swing": Measure("knee flexion in swing", "°", "most knee flexion after foot off"),
    "dorsiflexion": Measure("dorsiflexion in stance", "°", "most dorsiflexion in stance"),
    "plantarflexion": Measure("plantarflexion at push-off", "°", "most plantarflexion after foot off"),
    "hip_moment": Measure("hip extension moment", "N m/kg", "the strongest in stance", "forces"),
    "knee_moment": Measure("knee moment", "N m/kg", "the strongest in the cycle, to either side", "forces"),
    "ankle_moment": Measure("ankle plantarflexion moment", "N m/kg", "the strongest in stance", "forces"),
    "ankle_power": Measure("ankle power at push-off", "W/kg", "the most that the ankle gives in stance", "forces"),
    "knee_roughness": Measure("roughness of the knee moment", "N m/kg", "what ten harmonics leave of it", "forces"),
    "cost_of_transport": Measure("mechanical cost of transport", "", "positive work / (m g stride length)", "forces"),
    "head_acceleration": Measure("acceleration of the head", "m/s²", "root mean square over the mean cycle"),
}
"""Name -> measure, in the order of a report."""

_PEAKS = {
    "braking": ("Peak Braking Force [BW]", -1.0),
    "propulsion": ("Peak Propuls Force [BW]", 1.0),
    "knee_swing": ("Max Knee Flex (swing) [deg]", 1.0),
    "dorsiflexion": ("Max Dorsiflex (stance) [deg]", 1.0),
    "plantarflexion": ("Max Plantarfelx (swing) [deg]", -1.0),
    "hip_moment": ("Max Hip Ext Mom (stance) [N-m/kg]", 1.0),
    "ankle_moment": ("Max Plantarflex Mom [N-m/kg]", 1.0),
    "ankle_power": ("Max Ankle Power Gen (stance) [W/kg]", 1.0),
}
"""Measure -> the number of Schwartz's that it is, with its sign here."""


@dataclass(frozen=True, eq=False)
class MeanCycle:
    """The mean cycle of a walk.

    Attributes:
        curves: panel -> [101] mean curve of all cycles.
        off: foot off, per cent of the cycle. duration: of a stride, seconds. stride: its length, metres.
        work: positive work of the joints a stride, J/kg.
        head: [101, 3] path of the head over the cycle, metres; empty where there is none.
    """

    curves: Mapping[str, Array]
    off: float
    duration: float
    stride: float = float("nan")
    work: float = float("nan")
    head: Array = field(default_factory=lambda: np.zeros((0, 3)))


def walk_measures(cycle: MeanCycle, bands: Mapping[str, Band] | None = None) -> dict[str, float]:
    """Measures by name, those of likeness with people's bands; not a number where the walk has no such curve."""
    found = dict.fromkeys(WALK_MEASURES, float("nan"))
    curves = cycle.curves
    if not np.isfinite(cycle.off):
        return found
    off = int(np.clip(round(cycle.off), 2, 98))
    found["stance"] = float(cycle.off)
    for name, (key, sign) in _PEAKS.items():
        curve, reading = PEAKS[key]
        if curve in curves:
            found[name] = sign * reading(curves[curve], off)
    if "grf_vertical" in curves:
        first, second, dip = double_hump(curves["grf_vertical"], off)
        rises = second[1] - dip[1] if second[0] > 0.55 * off else 0.0
        found |= {"first_peak": first[1], "first_peak_at": first[0], "second_peak": second[1], "dip": dip[1]}
        found |= {"second_peak_at": second[0], "second_hump": rises if rises > HUMP else 0.0}
    if "knee_flexion" in curves:
        found["knee_loading"] = float(curves["knee_flexion"][: off // 2 + 1].max())
    if "knee_extension_moment" in curves:
        moment = curves["knee_extension_moment"]
        found |= {"knee_moment": float(np.abs(moment).max()), "knee_roughness": roughness(moment)}
    if cycle.stride > 0.1:
        found["cost_of_transport"] = cycle.work / (GRAVITY * cycle.stride)
    if len(cycle.head):
        acceleration = periodic_acceleration(cycle.head, cycle.duration)
        found["head_acceleration"] = float(np.sqrt((acceleration**2).sum(axis=-1).mean()))
    return found | (_likeness(curves, bands) if bands else {})


def _likeness(curves: Mapping[str, Array], bands: Mapping[str, Band]) -> dict[str, float]:
    found = {name: match(curves[c], bands[c]) for name, c in MATCHES.items() if c in bands and c in curves}
    if not found:
        return found
    scores = {}
    for name in found:
        score = variable_score(curves[MATCHES[name]], bands[MATCHES[name]])
        scores[MATCHES[name]] = {"left": score, "right": score}
    return found | {"match": float(np.mean(list(found.values()))), "profile_score": profile_score(scores)["overall"]}


def roughness(curve: Array) -> float:
    """What the first ten harmonics of the stride leave of a curve [101], root mean square, in its unit."""
    waves = np.fft.rfft(curve[:-1])
    waves[: HARMONICS + 1] = 0.0
    return float(np.sqrt((np.fft.irfft(waves, len(curve) - 1) ** 2).mean()))


def periodic_acceleration(path: Array, duration: float) -> Array:
    """[100, 3] accelerations along a path [101, 3] over a stride, of its first ten harmonics."""
    steps = len(path) - 1
    periodic = path[:-1] - np.outer(np.arange(steps) / steps, path[-1] - path[0])
    waves = np.fft.rfft(periodic, axis=0)
    number = np.arange(len(waves))[:, None]
    waves = np.where(number <= HARMONICS, -((2.0 * np.pi * number / duration) ** 2) * waves, 0.0)
    return np.asarray(np.fft.irfft(waves, steps, axis=0))
