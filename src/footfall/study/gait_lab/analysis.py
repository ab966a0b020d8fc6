"""The analysis of a walk: all that was found, as one value.

People's bands of pelvic tilt and hip flexion belong to a pelvis whose axes run through the markers at its front and
back, which lean forward by some 12 degrees when people stand. A figure's pelvis, or a clip's, has no such markers: its
zero is its standing pose. Beside such a walk the people's mean tilt is taken off both bands.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.skeleton.roles import find_roles
from footfall.study.gait_lab.closure import Closure
from footfall.study.gait_lab.cycles import Cycle, over_cycle
from footfall.study.gait_lab.events import EventDifference, GaitEvents
from footfall.study.gait_lab.matching import PROFILE, match, profile_score, variable_score
from footfall.study.gait_lab.norms import Band, Norms
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import PARAMETERS, Value, symmetry_index
from footfall.study.gait_lab.peaks import double_hump, read_peaks
from footfall.study.gait_lab.walk_measures import MeanCycle, walk_measures

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from footfall.motion.motion import Motion

Array = NDArray[np.float64]
Plain = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """A walk as gait people see it.

    Attributes:
        name: of the walk. motion: that was analysed.
        mass: kilograms, 0 where unknown. leg: metres of the leg.
        events: of the feet. differences: how sources of events differ.
        cycles: that count. left_out: whether first and last cycles were left out.
        parameters, measures: name -> side ("left", "right", "both") -> value.
        curves: name -> side -> [cycles, 101], in the units of ``panels.PANELS``.
        signals: ``left_knee_flexion`` [T] …, what the curves are cut from.
        pressure: side -> [cycles, 101, 2] path of the centre of pressure from the ankle, metres along the foot and to
            its outer side; not a number in swing.
        closures: for each single support of a captured walk over platforms, the side of the foot that stands and what
            motion, masses and forces leave unexplained.
        kinetics: where moments and powers are from, in words; empty without any.
        norms: people's tables; None where none were asked for or they do not fit.
        markers: whether the pelvis's axes are those of markers.
        notes: what a reader should know.
    """

    name: str
    motion: "Motion"
    mass: float
    leg: float
    events: GaitEvents
    differences: tuple[EventDifference, ...]
    cycles: tuple[Cycle, ...]
    left_out: bool
    parameters: Mapping[str, Mapping[str, Value]]
    measures: Mapping[str, Mapping[str, Value]]
    curves: Mapping[str, Mapping[str, Array]]
    signals: Mapping[str, Array] = field(default_factory=dict)
    pressure: Mapping[str, Array] = field(default_factory=dict)
    closures: tuple[tuple[str, Closure], ...] = ()
    kinetics: str = ""
    norms: Norms | None = None
    markers: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sides = {side: sum(c.side == side for c in self.cycles) for side in ("left", "right")}
        return (
            f"<Analysis {self.name}: {sides['left']} left and {sides['right']} right cycles, "
            f"{self.parameters['speed']['both'].mean:.2f} m/s>"
        )

    def _repr_html_(self) -> str:
        """Tables and plots, for notebooks."""
        from footfall.study.gait_lab.page import notebook_html

        return notebook_html(self)

    @property
    def speed(self) -> float:
        """Mean walking speed, m/s."""
        return self.parameters["speed"]["both"].mean

    @cached_property
    def foot_off(self) -> dict[str, float]:
        """Side -> mean foot off, per cent of the cycle."""
        return {side: self.parameters["stance"][side].mean for side in ("left", "right")}

    @cached_property
    def means(self) -> dict[str, dict[str, Array]]:
        """Name -> side ("left", "right", "both") -> mean curve [101]."""
        found: dict[str, dict[str, Array]] = {}
        for name, sides in self.curves.items():
            own = {side: rows.mean(axis=0) for side, rows in sides.items() if len(rows)}
            if own:
                every = np.concatenate([rows for rows in sides.values() if len(rows)])
                found[name] = own | {"both": every.mean(axis=0)}
        return found

    @cached_property
    def bands(self) -> dict[str, Band]:
        """Name -> people's band, as this walk is compared with it."""
        return {} if self.norms is None else self.norms.beside(self.markers)

    @cached_property
    def matches(self) -> dict[str, dict[str, float]]:
        """Name -> side -> match with people, per cent."""
        return {
            name: {side: match(curve, self.bands[name]) for side, curve in sides.items()}
            for name, sides in self.means.items()
            if name in self.bands
        }

    @cached_property
    def mean_cycle(self) -> MeanCycle:
        """The mean of all cycles, left and right."""
        numbers = [self.parameters["stance"], self.parameters["stride_time"], self.parameters["stride_length"]]
        off, duration, stride = (values["both"].mean for values in numbers)
        work = self.measures["positive_work"]["both"].mean if "positive_work" in self.measures else float("nan")
        curves = {name: sides["both"] for name, sides in self.means.items()}
        roles = find_roles(self.motion.skeleton)
        head = np.zeros((0, 3))
        if "head" in roles:
            path = self.motion.positions()[:, roles["head"]]
            rows = [over_cycle(path, self.motion.times, c) for c in self.cycles if c.side == self.cycles[0].side]
            head = np.mean([row - row[0] for row in rows], axis=0)
        return MeanCycle(curves, off, duration, stride, work, head)

    @cached_property
    def walk_measures(self) -> dict[str, float]:
        """Measure -> number, by :data:`footfall.study.gait_lab.walk_measures.WALK_MEASURES`, as far as known."""
        found = walk_measures(self.mean_cycle, self.bands)
        return {name: value for name, value in found.items() if np.isfinite(value)}

    @cached_property
    def variable_scores(self) -> dict[str, dict[str, float]]:
        """Name -> side -> Gait Variable Score, degrees."""
        return {
            name: {side: variable_score(curve, self.bands[name]) for side, curve in sides.items() if side != "both"}
            for name, sides in self.means.items()
            if name in self.bands and name in PROFILE
        }

    @cached_property
    def profile(self) -> dict[str, float]:
        """Gait Profile Score, degrees: "left", "right", "overall"."""
        return profile_score(self.variable_scores)

    @cached_property
    def peaks(self) -> dict[str, dict[str, float]]:
        """Schwartz's numbers: name -> side -> number."""
        sides = {name: {s: c for s, c in own.items() if s != "both"} for name, own in self.means.items()}
        return read_peaks(sides, self.foot_off)

    @cached_property
    def humps(self) -> dict[str, tuple[tuple[int, float], tuple[int, float], tuple[int, float]]]:
        """Side -> first peak, second peak and dip of the vertical force: per cent of the cycle and body weights."""
        return {
            side: double_hump(curve, int(np.clip(round(self.foot_off[side]), 2, 98)))
            for side, curve in self.means.get("grf_vertical", {}).items()
            if side != "both" and np.isfinite(self.foot_off[side])
        }

    def two_humps(self, side: str) -> bool:
        """Whether the vertical force of a side has a second hump: a peak in the second half of its stance, not where
        the halves meet, that is 0.05 body weights above the dip."""
        _, second, dip = self.humps[side]
        return second[1] - dip[1] > 0.05 and second[0] > 0.55 * self.foot_off[side]

    def symmetry(self, name: str) -> float:
        """Robinson's symmetry index of a parameter, per cent."""
        own = self.parameters[name]
        return symmetry_index(own["left"].mean, own["right"].mean)

    def to_dict(self) -> Plain:
        """Everything as plain numbers and texts, for JSON."""
        from footfall.study.gait_lab.tables import plain_analysis

        return plain_analysis(self)

    def to_xarray(self) -> "xr.Dataset":
        """Curves over side and per cent of the cycle, parameters over side, with units and definitions."""
        import xarray as xr

        sides = ["left", "right"]
        data: dict[str, Any] = {}
        for name, own in self.curves.items():
            none = np.full((0, 101), np.nan)
            rows = [own.get(side, none) for side in sides]
            panel = PANELS[name]
            for word, of in (("", np.mean), ("_sd", np.std)):
                values = [of(r, axis=0) if len(r) else np.full(101, np.nan) for r in rows]
                described = {"units": panel.unit, "long_name": panel.title, "positive": panel.up}
                data[f"{name}{word}"] = (("side", "percent"), np.array(values), described)
        for name, found in self.parameters.items():
            about = {"units": PARAMETERS[name].unit, "definition": PARAMETERS[name].definition}
            data[name] = ("side", [found[side].mean for side in sides], about)
            data[f"{name}_sd"] = ("side", [found[side].deviation for side in sides], about)
        coordinates = {"side": sides, "percent": np.arange(101)}
        return xr.Dataset(data, coordinates, {"name": self.name, "mass_kg": self.mass, "leg_m": self.leg})

    def to_pandas(self) -> "pd.DataFrame":
        """Parameters as a table: a row for each parameter and side, with mean, sd, n, unit and definition."""
        import pandas as pd

        rows = [
            {"parameter": name, "side": side, "mean": v.mean, "sd": v.deviation, "n": v.count}
            | {"unit": PARAMETERS[name].unit, "definition": PARAMETERS[name].definition}
            for name, sides in self.parameters.items()
            for side, v in sides.items()
        ]
        return pd.DataFrame(rows).set_index(["parameter", "side"])

    def save(self, path: str | Path) -> Path:
        """Write the analysis: .html, .png, .svg, .pdf, .csv, .xlsx, .json, .nc (xarray), or a motion file for other
        programs (.c3d, .mot, .sto, .trc)."""
        from footfall.study.gait_lab.saving import save_analyses

        return save_analyses([self], path)
