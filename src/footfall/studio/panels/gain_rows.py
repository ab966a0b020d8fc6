"""The part of the editor that edits a tracking controller: its gains (Data-Driven Biped Control, figure 5) and how it
tracks."""

from collections.abc import Callable
from typing import Any

from footfall.studio.core.editing import tracking_value, with_tracking_value
from footfall.studio.panels.context import Context

__all__ = ["GainRows"]

ROWS: dict[str, dict[str, tuple[str, float, str]]] = {
    "Balance": {
        "c0": ("Stance hip c0", 1.5, "How much the stance hip holds the pelvis as the clip has it; 1 is all"),
        "c1_sag": ("Swing hip, speed c1, forward", 1.0, "rad per m/s that the pelvis is faster than the clip's"),
        "c1_cor": ("Swing hip, speed c1, sideways", 1.0, "The same to the side"),
        "c2_sag_behind": (
            "Swing hip, place c2, behind",
            3.0,
            "rad per metre that the pelvis is behind the clip's, seen from the stance foot",
        ),
        "c2_sag_ahead": ("Swing hip, place c2, ahead", 3.0, "The same where it is ahead"),
        "c2_cor": ("Swing hip, place c2, sideways", 1.0, "The same to the side"),
        "c3_sag": ("Stance ankle, speed c3, forward", 1.0, "rad per m/s that the pelvis is faster than the clip's"),
        "c3_cor": ("Stance ankle, speed c3, sideways", 1.0, "The same to the side"),
        "c4": ("Stance ankle, place c4", 1.0, "rad per metre that the pelvis is off, seen from the stance foot"),
    },
    "Swing foot": {
        "c5": ("Height c5", 1.0, "How much of an error of the swing foot's height is corrected"),
        "c6": ("Rate of height c6 (s)", 0.1, "The same for its vertical speed"),
        "lift": ("Lift (m)", 0.15, "The swing foot is lifted by so much in mid-swing"),
        "clearance": ("Clearance (m)", 0.1, "The swing foot is taken to be so much lower: it comes down later"),
    },
    "Tracking": {
        "kt": ("Stiffness kt (1/s²)", 200.0, "Of the joints' accelerations towards the clip; damping is 2 √kt"),
        "feedforward": ("Feed-forward", 2.0, "Weight of the target's own acceleration: 1 for the authors', 2 for all"),
        "clip_feedforward": ("Feed-forward of the clip", 2.0, "Weight of the clip's acceleration before corrections"),
        "earliest_landing": ("Earliest landing", 1.0, "Share of a step before which no landing of the foot counts"),
        "ankle_settling": ("Ankle settling", 1.0, "Share of a step over which the ankle's feedback comes"),
    },
}
"""Label, upper end of the slider and hint of every number, by folder. Lower ends are 0."""


class GainRows:
    """Sliders for the numbers of a tracking controller.

    Attributes:
        sliders: by the number's name.
    """

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._gui = context.gui
        self._rows = context.gui.add_folder(None)
        self.sliders: dict[str, Any] = {}
        self._folders: list[Any] = []

    def clear(self) -> None:
        """Remove the sliders."""
        for folder in self._folders:
            folder.remove()
        self._folders, self.sliders = [], {}

    def rebuild(self) -> None:
        """Another controller: sliders where there are none, with its numbers."""
        if not self._folders:
            for title, rows in ROWS.items():
                with self._rows:
                    folder = self._gui.add_folder(title, expand_by_default=title != "Tracking")
                self._folders.append(folder)
                with folder:
                    for name, (label, most, hint) in rows.items():
                        slider = self._gui.add_slider(label, 0.0, most, most / 500.0, 0.0, hint=hint)
                        slider.on_update(self._changer(name))
                        self.sliders[name] = slider
        self.refresh()

    def refresh(self) -> None:
        """Its numbers changed."""
        for name, slider in self.sliders.items():
            value = tracking_value(self._session.controller, name)
            if value > slider.max:
                slider.max = value
            if abs(slider.value - value) > 1e-9:
                slider.value = max(value, slider.min)

    def _changer(self, name: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is not None:
                session, value = self._session, round(float(event.target.value), 5)
                session.act(lambda: session.edit(lambda c: with_tracking_value(c, name, value), name))

        return changed
