"""Disturb it: pushes, the ground it walks on, load, gravity and friction."""

from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.panels.context import Context

__all__ = ["PushPanel"]

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
WAYS = {"back": (-1, 0), "forward": (1, 0), "up": (0, 1), "down": (0, -1), "left": (0, 1), "right": (0, -1)}
"""Forward, and up on a planar figure or else to the left."""


class PushPanel:
    """Forces and surroundings."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        gui = context.gui
        with gui.add_folder("Push"):
            gui.add_markdown("Drag the walker with the mouse, press a key (J, L, I, K), or:")
            self.force = gui.add_slider("Force (N)", 0, 1000, 10, 300)
            self._duration = gui.add_slider("Duration (s)", 0.02, 1.0, 0.02, 0.1)
            for slider in (self.force, self._duration):
                slider.on_update(self._set_push)
            self._planar = gui.add_button_group("Push", ("back", "forward", "up", "down"))
            self._spatial = gui.add_button_group("Push", ("back", "forward", "left", "right"), visible=False)
            for group in (self._planar, self._spatial):
                group.on_click(self._pushed)
        with gui.add_folder("Ground"):
            self.terrain = gui.add_dropdown(
                "Terrain",
                tuple(TERRAINS),
                initial_value="flat",
                hint="It begins ahead of the walker, along its heading",
            )
            self._height = gui.add_slider(
                "Rise (m)", 0.01, 0.3, 0.01, 0.02, hint="Of each step; a slope's angle is 30 degrees a metre of this"
            )
            self._friction = gui.add_slider("Friction μ", 0.0, 2.0, 0.05, 0.65)
        with gui.add_folder("Body and gravity"):
            self._load = gui.add_slider("Load (kg)", 0.0, 60.0, 1.0, 0.0, hint="On the torso, at its centre of mass")
            self._gravity = gui.add_slider("Gravity (m/s²)", 0.5, 20.0, 0.1, Setting().gravity)
        self.terrain.on_update(self._ground)
        self._height.on_update(self._ground)
        for slider, name in ((self._friction, "friction"), (self._load, "load"), (self._gravity, "gravity")):
            slider.on_update(self._setter(name))
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another figure: pushes in its plane, or all round."""
        planar = self._session.planar
        self._planar.visible, self._spatial.visible = planar, not planar
        self._friction.value = float(self._session.setting.friction)

    def _set_push(self, _: Any) -> None:
        self._steering.force, self._steering.duration = float(self.force.value), float(self._duration.value)

    def _pushed(self, event: Any) -> None:
        x, y = WAYS[event.target.value]
        self._session.act(lambda: self._steering.push(x, y))

    def _ground(self, event: Any) -> None:
        if event.client is None:
            return
        words = TERRAINS[self.terrain.value](float(self._height.value))
        self._session.act(lambda: self._session.change_setting(terrain=words))

    def _setter(self, name: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is not None:
                value = float(event.target.value)
                self._session.act(lambda: self._session.change_setting(**{name: value}))

        return changed
