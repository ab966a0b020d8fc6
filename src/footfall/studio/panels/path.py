"""A path on the ground, point by point with the mouse; a spatial walker and the 3LP walker follow it."""

import numpy as np

from footfall.studio.core.geometry.ground_hit import ground_hit
from footfall.studio.core.steering.steering import TURNING
from footfall.studio.core.worlds.drive import REACH
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.scene.path_view import PathView
from footfall.studio.widgets.widget import Event
from footfall.studio.wire.asked import Click


class PathPanel:
    """Points to walk to.

    Attributes:
        mode: the check box that lets clicks add points.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        gui = context.gui
        self._view = PathView(context.scene)
        with gui.add_folder("Path"):
            self.mode = gui.add_checkbox("Click the ground to add points", False)
            self.mode.on_update(self._switched)
            self._buttons = gui.add_button_group("Points", ("Clear", "Remove the last"))
            self._buttons.on_update(self._pressed)
            self._note = gui.add_html("")
        context.session.events.on(Ticked, lambda _: self._tick())

    def _switched(self, event: Event) -> None:
        self._context.bar(clicks=bool(event.value))

    def clicked(self, click: Click) -> None:
        """Somebody clicked into the scene: in path mode that adds a point."""
        if not self.mode.value:
            return
        session = self._context.session

        def add() -> None:
            hit = ground_hit(session.world.simulation.terrains[0], np.array(click.start), np.array(click.along))
            if hit is not None:
                self._context.steering.add_point(float(hit[0]), float(hit[1]))

        session.act(add)

    def _pressed(self, event: Event) -> None:
        steering, last = self._context.steering, event.value != "Clear"
        self._context.session.act(lambda: steering.set_path(steering.points[:-1] if last else ()))

    def _tick(self) -> None:
        """Draw the path and show how far it is walked."""
        context, steering = self._context, self._context.steering
        points, reached = steering.points, steering.reached
        self._view.show(points, reached, context.session.world.simulation.terrains[0], REACH)
        if points:
            text = f"{reached} of {len(points)} points reached."
        elif steering.can_turn or context.companion.walker is not None:
            text = "No points yet."
        else:
            text = f"Points are for walkers that turn: {TURNING}."
        self._note.content = small(text, "path")
