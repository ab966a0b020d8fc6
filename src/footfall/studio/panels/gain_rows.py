"""The part of the editor that edits a tracking controller: its gains (Data-Driven Biped Control, figure 5) and how it
tracks."""

from collections.abc import Callable
from typing import Any

from footfall.studio.core.editing import tracking_value, with_tracking_value
from footfall.studio.panels.context import Context

__all__ = ["GainRows"]

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
                    folder = self._gui.add_folder(title)
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
