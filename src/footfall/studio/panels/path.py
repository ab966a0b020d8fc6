"""A path on the ground, point by point with the mouse; the balanced walker and the 3LP walker follow it."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.limit_cycle import PathFollowing, load_perturbation
from footfall.studio.core.driving import REACH, TURNS, fitting
from footfall.studio.panels.pendulum import ASIDE
from footfall.studio.pointing import ground_hit
from footfall.studio.scene.path_view import PathView

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["PathPanel"]

Array = NDArray[np.float64]

MOST_POINTS = 50
PENDULUM_TURN, PENDULUM_RADIUS = 20.0, 2.0
"""Degrees by which the 3LP walker turns with a step at most, and the radius of that circle, metres."""


class PathPanel:
    """Points to walk to.

    Attributes:
        points: [P] of (x, y), metres. mode: the check box that lets clicks add points.
    """

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self.points: tuple[tuple[float, float], ...] = ()
        self._view = PathView(studio.server.scene)
        self._pendulum_reached = 0
        self._turns = (load_perturbation(TURNS[0]), load_perturbation(TURNS[1]))
        with gui.add_folder("Path"):
            self.mode = gui.add_checkbox("Click the ground to add points", False)
            self.mode.on_update(self._switched)
            self._buttons = gui.add_button_group("Points", ("Clear", "Take the last back"))
            self._buttons.on_click(self._pressed)
            self._told = gui.add_html("")

    # -- points ----------------------------------------------------------------------------------------------------

    def _switched(self, event: Any) -> None:
        scene = self._studio.server.scene
        if event.target.value:
            scene.on_click()(self._clicked)
        else:
            scene.remove_click_callback(self._clicked)

    def _clicked(self, event: Any) -> None:
        origin, direction = np.array(event.ray_origin), np.array(event.ray_direction)

        def add() -> None:
            studio = self._studio
            hit = ground_hit(studio.world.simulation.terrains[0], origin - studio.stage.origin, direction)
            if hit is not None:
                self.add(float(hit[0]), float(hit[1]))

        self._studio.act(add)

    def add(self, x: float, y: float) -> None:
        """One more point."""
        if len(self.points) >= MOST_POINTS:
            self._studio.say("No more points", f"{MOST_POINTS} are enough for a path; clear it first")
            return
        self._put((*self.points, (round(x, 2), round(y, 2))))

    def clear(self) -> None:
        """Forget the path."""
        if self.points:
            self._put(())

    def _pressed(self, event: Any) -> None:
        last = event.target.value != "Clear"
        self._studio.act(lambda: self._put(self.points[:-1] if last else ()))

    def _put(self, points: tuple[tuple[float, float], ...]) -> None:
        self._pendulum_reached = min(self._pendulum_reached, len(points))
        if not points and self._studio.layout.pendulum.walker is not None:
            self._studio.layout.pendulum.walker.turn_by(0.0)
        self.points = points
        self._give()

    def _give(self) -> None:
        world = self._studio.balanced
        if world is not None and world.drive.points != self.points:
            self._studio.drive(points=self.points)

    def rebuild(self) -> None:
        """Another world: it gets the path."""
        self._give()

    # -- going there -----------------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Turn the 3LP walker towards its next point."""
        walker = self._studio.layout.pendulum.walker
        if walker is None or self._pendulum_reached >= len(self.points):
            return
        points = np.array(self.points)
        follow = PathFollowing(*self._turns, points, REACH, PENDULUM_TURN, radius=PENDULUM_RADIUS)
        heading, before = walker.walkers.state.heading[:1], np.array([self._pendulum_reached])
        turn, reached = follow.scaling((walker.place() + ASIDE)[None], heading, before)
        self._pendulum_reached = int(reached[0])
        walker.turn_by(-math.radians(float(turn[0])))

    def _steerable(self) -> bool:
        world = self._studio.balanced
        return world is not None and set(TURNS) <= set(fitting(world.table, TURNS))

    def reached(self) -> int:
        """How many points were reached, by the balanced walker where it can turn."""
        world = self._studio.balanced
        return world.course.reached if world is not None and self._steerable() else self._pendulum_reached

    def tick(self) -> None:
        """Draw the path and tell how far it is walked."""
        reached = self.reached() if self.points else 0
        self._view.show(self.points, reached, self._studio.world.simulation.terrains[0], REACH)
        if self.points:
            text = f"{reached} of {len(self.points)} points reached."
        elif self._steerable() or self._studio.layout.pendulum.walker is not None:
            text = "No points yet."
        else:
            text = "Points are for walkers that turn: human-walk, or the 3LP walker (right)."
        content = f"<div data-testid='path' style='padding:2px 10px;color:#6b7682;font-size:12px'>{text}</div>"
        if self._told.content != content:
            self._told.content = content
