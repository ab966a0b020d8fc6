"""A walk for other programs: C3D with angles, moments, powers, forces and events; OpenSim's coordinates and forces."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.motion.formats.c3d_writer import Computed, write_c3d
from footfall.motion.formats.opensim import OPENSIM_AXES, write_opensim, write_storage
from footfall.motion.formats.trc_writer import write_trc
from footfall.motion.gait.body_angles import body_angles
from footfall.study.gait_lab.ground_forces import foot_forces
from footfall.study.gait_lab.panels import PANELS

if TYPE_CHECKING:
    from footfall.study.gait_lab.analysis import Analysis

Array = NDArray[np.float64]

ANGLES = {
    "PelvisAngles": ("pelvis_tilt", "pelvis_obliquity", "pelvis_rotation"),
    "HipAngles": ("hip_flexion", "hip_adduction", "hip_rotation"),
    "KneeAngles": ("knee_flexion", "", ""),
    "AnkleAngles": ("ankle_dorsiflexion", "", ""),
    "FootProgressAngles": ("", "", "foot_progression"),
}
"""Vicon's label without its side -> the angles that are its three numbers."""
MOMENTS = {
    "HipMoment": ("hip_extension_moment", "hip_abduction_moment"),
    "KneeMoment": ("knee_extension_moment",),
    "AnkleMoment": ("ankle_plantarflexion_moment",),
}
POWERS = {"HipPower": "hip_power", "KneePower": "knee_power", "AnklePower": "ankle_power"}


def export_walk(analysis: "Analysis", path: Path) -> None:
    """Write a walk as .c3d, .mot (coordinates), .sto (ground forces and joint moments; coordinates where it has none)
    or .trc."""
    motion, suffix = analysis.motion, path.suffix.lower()
    if suffix == ".trc":
        write_trc(motion, path)
    elif suffix == ".mot":
        write_opensim(motion, path)
    elif suffix == ".sto":
        columns = _loads(analysis)
        if columns:
            write_storage(path, "ground reaction forces and joint moments", motion.times, columns)
        else:
            write_opensim(motion, path)
    else:
        write_c3d(motion, path, computed=_computed(analysis), events=analysis.events.rows())


def _computed(analysis: "Analysis") -> dict[str, Computed]:
    motion = analysis.motion
    angles = {name: np.degrees(values) for name, values in body_angles(motion).items()}
    none = np.zeros(len(motion))
    found: dict[str, Computed] = {}
    for side, letter in (("left", "L"), ("right", "R")):
        for label, names in ANGLES.items():
            if any(f"{side}_{name}" in angles for name in names):
                rows = [angles.get(f"{side}_{name}", none) for name in names]
                found[f"{letter}{label}"] = Computed("ANGLES", np.stack(rows, axis=-1))
        for label, moments in MOMENTS.items():
            rows = [1000.0 * s for name in moments if (s := analysis.signals.get(f"{side}_{name}")) is not None]
            if rows:
                found[f"{letter}{label}"] = Computed("MOMENTS", np.stack([*rows, none, none][:3], axis=-1))
        for label, name in POWERS.items():
            if f"{side}_{name}" in analysis.signals:
                rows = [none, none, analysis.signals[f"{side}_{name}"]]
                found[f"{letter}{label}"] = Computed("POWERS", np.stack(rows, axis=-1))
    return found


def _loads(analysis: "Analysis") -> dict[str, Array]:
    """Ground forces in OpenSim's names and axes, the right foot first, and joint moments in N m."""
    motion = analysis.motion
    forces = foot_forces(motion, analysis.events)
    columns: dict[str, Array] = {}
    for number, side in enumerate((s for s in ("right", "left") if s in forces), start=1):
        foot = forces[side]
        force, centre = foot.force @ OPENSIM_AXES.T, np.nan_to_num(foot.centre) @ OPENSIM_AXES.T
        for k, axis in enumerate("xyz"):
            columns[f"ground_force_{number}_v{axis}"] = force[:, k]
        for k, axis in enumerate("xyz"):
            columns[f"ground_force_{number}_p{axis}"] = centre[:, k]
        for k, axis in enumerate("xyz"):
            columns[f"ground_torque_{number}_{axis}"] = foot.twist if k == 1 else np.zeros(len(motion))
    for name in PANELS:
        for side, letter in (("right", "r"), ("left", "l")):
            if PANELS[name].group == "moments" and f"{side}_{name}" in analysis.signals:
                columns[f"{name}_{letter}"] = np.nan_to_num(analysis.signals[f"{side}_{name}"]) * analysis.mass
    return columns
