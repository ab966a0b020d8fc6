"""What a gait measures, of a clip or of the walker, side by side."""

import html
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import (
    Contacts,
    Motion,
    gait_contacts,
    gait_measures,
    joint_profiles,
    path_length,
    profile_correlation,
)
from footfall.studio.core.markup import Line, curves

__all__ = ["GaitReport", "profiles_drawing", "recorded_contacts", "report_table"]

Array = NDArray[np.float64]

ROWS = (
    ("speed", "speed", "m/s", 2),
    ("step_length", "step length", "m", 2),
    ("step_time", "step time", "s", 2),
    ("step_width", "step width", "m", 2),
    ("stance", "stance", "% of stride", 0),
    ("double_support", "double support", "% of time", 0),
    ("flight", "flight", "% of time", 0),
)
SHARES = ("stance", "double_support", "flight")


@dataclass(frozen=True, eq=False)
class GaitReport:
    """A gait in numbers.

    Attributes:
        measures: by the names of ``ROWS``; None where there are too few steps.
        profiles: leg angles over the gait cycle, [cycles, 101] in radians, for hip, knee and ankle as far as found.
    """

    measures: dict[str, float | None]
    profiles: dict[str, Array]

    @classmethod
    def of(cls, motion: Motion, contacts: Contacts | None = None) -> "GaitReport":
        """Of any motion; a skeleton without legs, or one that does not walk, gives what there is. Contacts that were
        recorded are taken as they are; others are found in the motion."""
        measures: dict[str, float | None] = dict.fromkeys((name for name, *_ in ROWS))
        profiles: dict[str, Array] = {}
        try:
            if motion.seconds > 0:
                measures["speed"] = path_length(motion) / motion.seconds
            contacts = contacts or gait_contacts(motion)
            measures |= {k: v for k, v in vars(gait_measures(motion, contacts)).items() if k in measures}
            profiles = joint_profiles(motion, contacts)
        except FootfallError:
            pass
        return cls(measures, profiles)


def recorded_contacts(figure: Figure, contact: NDArray[np.bool_], times: Array) -> Contacts | None:
    """Which foot was on the ground, from the contact flags [T, P] of a figure's points; None where there are none."""
    if contact.shape[1] != len(figure.points):
        return None
    left, right = (
        np.asarray(contact[:, [p.foot == side for p in figure.points]].any(axis=1)) for side in ("left", "right")
    )
    return Contacts(left, right, np.array(times)) if left.any() and right.any() else None


def report_table(clip: GaitReport, walker: GaitReport | None, colours: tuple[str, str], names: tuple[str, str]) -> str:
    """Both gaits as an HTML table: the clip's column first."""
    heads = "".join(
        f"<td style='color:{c};font-weight:600'>{html.escape(_short(n))}</td>" for c, n in zip(colours, names)
    )
    rows = "".join(
        f"<tr style='white-space:nowrap'><td>{label}</td><td>{_number(clip, name, digits)}</td>"
        f"<td>{_number(walker, name, digits)}</td><td style='color:var(--ff-soft)'>{unit}</td></tr>"
        for name, label, unit, digits in ROWS
    )
    return (
        "<table data-testid='gaits' style='font-size:12px;width:100%;padding:2px 10px'>"
        f"<tr><td></td>{heads}<td></td></tr>{rows}</table>"
    )


def _short(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"


def _number(report: GaitReport | None, name: str, digits: int) -> str:
    value = None if report is None else report.measures[name]
    if value is None:
        return "—"
    return f"{100.0 * value if name in SHARES else value:.{digits}f}"


def profiles_drawing(clip: GaitReport, walker: GaitReport | None, colours: tuple[str, str]) -> str:
    """Mean leg angles over the gait cycle, from landing to landing, of both gaits; empty where the clip has none."""
    if not clip.profiles:
        return ""
    alike = profile_correlation(clip.profiles, walker.profiles) if walker is not None else {}
    rows = []
    for joint, strides in clip.profiles.items():
        both = [strides, *([walker.profiles[joint]] if walker is not None and joint in walker.profiles else [])]
        lines = [Line(np.degrees(one.mean(axis=0)), colour) for one, colour in zip(both, colours)]
        r = f", r = {alike[joint]:.2f}" if joint in alike else ""
        rows.append((f"{joint}{r}", lines, None))
    return curves(rows, "from landing to landing", "profiles")
