"""What it walks on: terrain and friction."""

from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.panels.context import Context

TERRAINS: dict[str, Callable[[float], str]] = {
    "flat": lambda _: "flat",
    "slope up": lambda x: f"slope:{30 * x:g}",
    "slope down": lambda x: f"slope:{-30 * x:g}",
    "steps up": lambda x: f"steps:{x:g},1.2,20",
    "steps down": lambda x: f"steps:{-x:g},1.2,20",
    "stairs": lambda x: f"stairs:{x:g},0.6,8",
    "random steps": lambda x: f"random-steps:{x:g},0.8",
    "SIMBICON's downward": lambda _: "downward",
    "SIMBICON's upward": lambda _: "upward",
}


class TerrainPanel:
    """The ground."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        self.terrain = gui.add_dropdown(
            "Terrain", tuple(TERRAINS), "flat", hint="It begins ahead of the walker, along its heading"
        )
        self._height = gui.add_slider(
            "Rise (m)", 0.01, 0.3, 0.01, 0.02, hint="Of each step; a slope's angle is 30 degrees a metre of this"
        )
        self._friction = gui.add_slider("Friction μ", 0.0, 2.0, 0.05, 0.65)
        context.when(self.terrain, self._ground, "terrain")
        context.when(self._height, self._ground, "terrain")
        context.when(self._friction, lambda mu: self._session.change_setting(friction=mu), "friction")
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        self._friction.value = float(self._session.setting.friction)
        self._show_height()

    def _show_height(self) -> None:
        """Terrains of their own heights leave the slider no choice."""
        words = TERRAINS[self.terrain.value]
        self._height.disabled = words(0.1) == words(0.2)

    def _ground(self, _: Any) -> None:
        self._show_height()
        self._session.change_setting(terrain=TERRAINS[self.terrain.value](float(self._height.value)))
