"""The curves that gait people look at over the cycle: names, titles, units, and what up and down mean."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Panel:
    """A curve over the gait cycle.

    Attributes:
        title, unit: as shown. group: "angles", "moments", "powers" or "forces".
        up, down: what positive and negative values are.
        from_level: whether its zero is that of the pelvis, which only markers define (see ``analysis``).
    """

    title: str
    unit: str
    group: str
    up: str
    down: str
    from_level: bool = False


GROUPS: Mapping[str, str] = {
    "angles": "Joint angles",
    "forces": "Ground reaction force",
    "moments": "Joint moments (internal)",
    "powers": "Joint powers",
}

PANELS: Mapping[str, Panel] = {
    "pelvis_tilt": Panel("pelvic tilt", "°", "angles", "anterior", "posterior", from_level=True),
    "pelvis_obliquity": Panel("pelvic obliquity", "°", "angles", "up", "down"),
    "pelvis_rotation": Panel("pelvic rotation", "°", "angles", "forward", "back"),
    "trunk_tilt": Panel("trunk tilt", "°", "angles", "forward", "back"),
    "hip_flexion": Panel("hip flexion", "°", "angles", "flexion", "extension", from_level=True),
    "hip_adduction": Panel("hip adduction", "°", "angles", "adduction", "abduction"),
    "hip_rotation": Panel("hip rotation", "°", "angles", "internal", "external"),
    "knee_flexion": Panel("knee flexion", "°", "angles", "flexion", "extension"),
    "ankle_dorsiflexion": Panel("ankle dorsiflexion", "°", "angles", "dorsiflexion", "plantarflexion"),
    "foot_progression": Panel("foot progression", "°", "angles", "toes in", "toes out"),
    "grf_vertical": Panel("vertical force", "BW", "forces", "up", "down"),
    "grf_ahead": Panel("fore-aft force", "BW", "forces", "propulsion", "braking"),
    "grf_aside": Panel("sideways force", "BW", "forces", "towards the other foot", "outwards"),
    "hip_extension_moment": Panel("hip extension moment", "N m/kg", "moments", "extension", "flexion"),
    "hip_abduction_moment": Panel("hip abduction moment", "N m/kg", "moments", "abduction", "adduction"),
    "knee_extension_moment": Panel("knee extension moment", "N m/kg", "moments", "extension", "flexion"),
    "ankle_plantarflexion_moment": Panel(
        "ankle plantarflexion moment", "N m/kg", "moments", "plantarflexion", "dorsiflexion"
    ),
    "hip_power": Panel("hip power", "W/kg", "powers", "generates", "absorbs"),
    "knee_power": Panel("knee power", "W/kg", "powers", "generates", "absorbs"),
    "ankle_power": Panel("ankle power", "W/kg", "powers", "generates", "absorbs"),
}
"""Name -> panel, in the order of a report."""
