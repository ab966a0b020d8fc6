"""What it walks on: terrain and friction."""

from collections.abc import Callable

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.session import Session
from footfall.studio.panels.context import Context
from footfall.studio.widgets.widget import Event

__all__ = ["TerrainPanel", "setter"]

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
        self.terrain.on_update(self._ground)
        self._height.on_update(self._ground)
        self._friction.on_update(setter(self._session, "friction"))
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        self._friction.value = float(self._session.setting.friction)

    def _ground(self, _: Event) -> None:
        words = TERRAINS[self.terrain.value](float(self._height.value))
        self._session.act_newest("terrain", lambda: self._session.change_setting(terrain=words))


def setter(session: Session, name: str) -> Callable[[Event], None]:
    """What a slider of a number of the setting does."""

    def changed(event: Event) -> None:
        value = float(event.value)
        session.act_newest(name, lambda: session.change_setting(**{name: value}))

    return changed
