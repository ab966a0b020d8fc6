"""What there is to say about a motion, as plain numbers."""

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing.cutting import has_rest_frame, without_rest_frame
from footfall.motion.gait.animals import animal_warning
from footfall.motion.gait.heading import net_turn, path_length, peak_speed
from footfall.motion.gait.measures import gait_measures, rms_jerk
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import leg_length
from footfall.motion.skeleton.legs import has_legs
from footfall.motion.skeleton.mass_centre import centre_of_mass

Value = str | float | int | bool | None | list[str]


def summary(motion: Motion) -> dict[str, Value]:
    """Frames, speed, turn and steps of a motion. A rest pose in frame 0 is counted in ``frames`` and skipped
    elsewhere."""
    moving = without_rest_frame(motion)
    path = path_length(moving)
    rows: dict[str, Value] = {
        "file": str(motion.source.get("file", "")),
        "figure": motion.figure,
        "frames": len(motion),
        "fps": round(motion.fps, 4),
        "seconds": round(moving.seconds, 4),
        "rest_frame": has_rest_frame(motion),
        "unit": str(motion.source.get("unit", "m")),
        "unit_from": str(motion.source.get("unit_from", "")),
        "up": str(motion.source.get("up", "")),
        "up_from": str(motion.source.get("up_from", "")),
        "leg_length_m": round(leg_length(motion.skeleton), 4) if has_legs(motion.skeleton) else None,
        "path_m": round(path, 4),
        "mean_speed_mps": round(path / moving.seconds, 4) if moving.seconds > 0 else 0.0,
        "peak_speed_mps": round(peak_speed(moving), 4),
        "net_turn_deg": round(float(np.rad2deg(net_turn(moving))), 2),
    }
    rows |= _steps(moving)
    height = centre_of_mass(moving)[:, 2]
    rows |= {
        "com_height_m": round(float(height.mean()), 4),
        "com_excursion_m": round(float(np.ptp(height)), 4),
        "rms_jerk": round(rms_jerk(moving), 2),
        "joint_count": len(motion.skeleton),
        "joints": list(motion.skeleton.names),
        "channels": sorted(motion.channels),
    }
    warning = animal_warning(motion)
    rows["warnings"] = [warning] if warning else []
    if motion.source.get("animations"):
        rows["animations"] = [str(name) for name in motion.source["animations"]]
    if motion.source.get("notes"):
        rows["notes"] = [str(note) for note in motion.source["notes"]]
    return rows


def _steps(motion: Motion) -> dict[str, Value]:
    try:
        gait = gait_measures(motion)
    except FootfallError:
        return {"steps": None, "jumps": None, "steps_per_second": None}
    return {
        "steps": gait.steps,
        "jumps": gait.jumps,
        "steps_per_second": _rounded(gait.steps_per_second),
        "step_time_s": _rounded(gait.step_time),
        "step_length_m": _rounded(gait.step_length),
        "step_width_m": _rounded(gait.step_width),
        "stance_share": _rounded(gait.stance),
        "double_support_share": _rounded(gait.double_support),
        "flight_share": _rounded(gait.flight),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
