"""The numbers of a tracking controller that people change: its gains (Data-Driven Biped Control, figure 5) and how it
tracks."""

from footfall.control.kind import Number
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.layout import GAINS

ROWS: dict[str, dict[str, tuple[str, float, str]]] = {
    "Stance hip": {
        "c0": ("c0", 1.5, "How far the stance hip turns the pelvis to where the clip has it; 1 is all the way"),
    },
    "Swing hip": {
        "c1_sag": ("c1 forward", 1.0, "rad for each m/s that the pelvis is faster than the clip's"),
        "c1_cor": ("c1 sideways", 1.0, "The same to the side"),
        "c2_sag_behind": (
            "c2 behind",
            3.0,
            "rad for each metre that the pelvis is behind the clip's, over the stance foot",
        ),
        "c2_sag_ahead": ("c2 ahead", 3.0, "The same where it is ahead"),
        "c2_cor": ("c2 sideways", 1.0, "The same to the side"),
    },
    "Stance ankle": {
        "c3_sag": ("c3 forward", 1.0, "rad for each m/s that the pelvis is faster than the clip's"),
        "c3_cor": ("c3 sideways", 1.0, "The same to the side"),
        "c4": ("c4", 1.0, "rad for each metre that the pelvis is off, over the stance foot"),
        "ankle_settling": ("Settling", 1.0, "Share of a step over which this feedback comes"),
    },
    "Swing foot": {
        "c5": ("c5", 1.0, "How much of an error of the swing foot's height is corrected"),
        "c6": ("c6 (s)", 0.1, "The same for its vertical speed"),
        "lift": ("Lift (m)", 0.15, "The swing foot is lifted by so much in mid-swing"),
        "clearance": ("Clearance (m)", 0.1, "The swing foot is taken to be so much lower, so it comes down later"),
        "earliest_landing": ("Landing from", 1.0, "Share of a step before which no landing of the foot counts"),
    },
    "Tracking": {
        "kt": ("kt (1/s²)", 200.0, "Stiffness of the joints towards the clip; their damping is 2 √kt"),
        "feedforward": (
            "Feed-forward",
            2.0,
            "Weight of the target's own acceleration: 1 as the authors have it, 2 for all",
        ),
        "clip_feedforward": ("Clip's", 2.0, "Weight of the clip's acceleration, before any correction for balance"),
    },
}
"""Label, largest usual value and meaning of every number, by group. The least is 0."""


def _value(controller: TrackingController, name: str) -> float:
    """A gain or setting; of gains those of the first set."""
    repertoire = controller.repertoire
    return float(getattr(repertoire.gains[0] if name in GAINS else repertoire.settings, name) or 0.0)


def tracking_numbers(controller: TrackingController) -> tuple[Number, ...]:
    """All of them."""
    return tuple(
        Number(name, _value(controller, name), 0.0, most, label, group, about)
        for group, rows in ROWS.items()
        for name, (label, most, about) in rows.items()
    )


def with_tracking_number(controller: TrackingController, name: str, value: float) -> TrackingController:
    """The controller with another gain (in every set) or setting; itself where it has that value."""
    return controller if _value(controller, name) == value else controller.changed(**{name: value})
