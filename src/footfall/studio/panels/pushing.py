"""Push it: how hard, for how long, and which way."""

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.panels.context import Context
from footfall.studio.widgets.widget import Event

WAYS = {"back": (-1, 0), "forward": (1, 0), "up": (0, 1), "down": (0, -1), "left": (0, 1), "right": (0, -1)}
"""Forward, and up on a planar figure or else to the left."""


class PushPanel:
    """Pushes at the torso."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        gui = context.gui
        self._planar = gui.add_button_group("Push", ("back", "forward", "up", "down"), hint="Keys J, L, I, K")
        self._spatial = gui.add_button_group("Push", ("back", "forward", "left", "right"), hint="Keys J, L, I, K")
        for group in (self._planar, self._spatial):
            group.on_update(self._pushed)
        self.force = gui.add_slider("Force (N)", 0, 1000, 10, self._steering.force)
        self._duration = gui.add_slider("Duration (s)", 0.02, 1.0, 0.02, self._steering.duration)
        for slider in (self.force, self._duration):
            slider.on_update(self._set_push)
        gui.add_note("Or drag a part of the walker: a spring pulls it to where you point.")
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another figure: pushes in its plane, or all round."""
        planar = self._session.planar
        self._planar.visible, self._spatial.visible = planar, not planar

    def _set_push(self, _: Event) -> None:
        self._steering.force, self._steering.duration = float(self.force.value), float(self._duration.value)

    def _pushed(self, event: Event) -> None:
        x, y = WAYS[event.value]
        self._session.act(lambda: self._steering.push(x, y))
