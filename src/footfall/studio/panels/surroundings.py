"""What it walks on and what it carries: terrain and friction, load and gravity."""

from collections.abc import Callable

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.session import Session
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.panels.context import Context, small
from footfall.studio.widgets.widget import Event

__all__ = ["BodyPanel", "TerrainPanel"]

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
        self._friction.on_update(_setter(self._session, "friction"))
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        self._friction.value = float(self._session.setting.friction)

    def _ground(self, _: Event) -> None:
        words = TERRAINS[self.terrain.value](float(self._height.value))
        self._session.act_newest("terrain", lambda: self._session.change_setting(terrain=words))


class BodyPanel:
    """The figure, its load, and gravity."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        self._figure = gui.add_html()
        load = gui.add_slider("Load (kg)", 0.0, 60.0, 1.0, 0.0, hint="On the torso, at its centre of mass")
        gravity = gui.add_slider("Gravity (m/s²)", 0.5, 20.0, 0.1, Setting().gravity)
        load.on_update(_setter(self._session, "load"))
        gravity.on_update(_setter(self._session, "gravity"))
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        figure = self._session.world.figure
        mass, joints = float(figure.body_parameters().mass.sum()), sum(j.actuated for j in figure.joints)
        self._figure.content = small(
            f"<b>{figure.name}</b>: {len(figure.bodies)} bodies, {joints} driven joints, {mass:.1f} kg", "figure"
        )


def _setter(session: Session, name: str) -> Callable[[Event], None]:
    def changed(event: Event) -> None:
        value = float(event.value)
        session.act_newest(name, lambda: session.change_setting(**{name: value}))

    return changed
