"""The whole scene: the walker, its ghost, the saved one beside it, the ground and the marks.

The camera stands still and the world moves under it, so that following a walker leaves everyone's view in their own
hands. Everything that moves along hangs on the node ``/world``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.studio.core.kinematics import Kinematics
from footfall.studio.scene.ground_view import GroundView
from footfall.studio.scene.marks import Marks
from footfall.studio.scene.pose_handles import PoseHandles
from footfall.studio.scene.walker_view import WalkerView
from footfall.terrain import Terrain

__all__ = ["Frame", "Stage"]

Array = NDArray[np.float64]

GHOST, SAVED = (86, 180, 233), (150, 158, 168)
BESIDE = 0.9
"""Metres to the left at which the saved controller's walker is drawn."""


@dataclass(frozen=True, eq=False)
class Frame:
    """What is drawn.

    Attributes:
        time: seconds. qpos: [nq]. qvel: [nv]. push: [3] newtons.
        anchors: [P, 3] where points stick to the ground; None where unknown, as when one looks back.
        contact: [P] whether ground points touch. right: whether the right leg is in stance.
        ghost: [nq] a pose asked for; None for no ghost. handles: whether it can be dragged.
        saved: [nq] the saved controller's walker; None for none.
    """

    time: float
    qpos: Array
    qvel: Array
    push: Array
    right: bool
    anchors: Array | None = None
    ghost: Array | None = None
    handles: set[str] | None = None
    saved: Array | None = None


class Stage:
    """The scene of one studio."""

    def __init__(self, scene: Any, *, shadows: bool = True) -> None:
        self._scene = scene
        scene.set_up_direction("+z")
        scene.configure_default_lights(cast_shadow=shadows)
        scene.configure_environment_map(hdri=None)
        scene.add_light_hemisphere("/light", sky_color=(255, 255, 255), ground_color=(205, 205, 200), intensity=2.2)
        scene.world_axes.visible = False
        self._world = scene.add_frame("/world", show_axes=False)
        self.ground = GroundView(scene)
        self.marks = Marks(scene)
        self.follow = True
        self.origin: Array = np.zeros(3)
        self._views: list[Any] = []
        self._right: bool | None = None

    def show_figure(
        self,
        figure: Figure,
        dragged: Callable[[str, Any], None],
        turned: Callable[[str, float, int], None],
    ) -> None:
        """Put a figure on the stage.

        Args:
            figure: the figure.
            dragged: called with a body's name and viser's event when the walker is dragged.
            turned: called when the ghost's handles are dragged (see :class:`PoseHandles`).
        """
        for view in self._views:
            view.remove()
        skeleton = skeleton_of(figure)
        self.kinematics = Kinematics(figure)
        self._other = Kinematics(figure)
        self.walker = WalkerView(self._scene, "/world/walker", skeleton)
        self.walker.on_drag(dragged)
        self.ghost = WalkerView(self._scene, "/world/ghost", skeleton, colour=GHOST, opacity=0.32, visible=False)
        self.saved = WalkerView(self._scene, "/world/saved", skeleton, colour=SAVED, opacity=0.6, visible=False)
        self.handles = PoseHandles(self._scene, Kinematics(figure), lambda: self.origin, turned)
        self._views = [self.walker, self.ghost, self.saved, self.handles]
        self._right = None
        self.marks.clear()

    def draw(self, frame: Frame, terrain: Terrain, ground: Ground) -> None:
        """Draw a frame."""
        placed = self.kinematics.place(frame.qpos, frame.qvel)
        root = placed.position[0]
        height = float(terrain.height(root[0], root[1]))
        if self.follow:
            near = np.array([root[0], root[1], height])
            blend = np.array([1.0, 1.0, 0.06 if abs(height + self.origin[2]) < 2.0 else 1.0])
            self.origin = self.origin + blend * (-near - self.origin)
            self._world.position = self.origin
        self.walker.move(placed.position, placed.wxyz)
        self.marks.centre(placed.com, float(terrain.height(placed.com[0], placed.com[1])))
        forces = np.zeros_like(placed.points)
        if frame.anchors is not None and len(frame.anchors) == len(placed.points):
            forces = self.kinematics.ground_forces(placed, frame.anchors, terrain, ground)
        self.marks.forces(placed.points, forces)
        torso = next(i for i, b in enumerate(self.kinematics.figure.bodies) if b.name == self.kinematics.figure.torso)
        self.marks.push(placed.position[torso] + [0.0, 0.0, 0.25], frame.push)
        self.marks.trail(root)
        if self._right is not None and frame.right != self._right:
            self._footprint(placed.points, frame.right, terrain)
        self._right = frame.right
        self._draw_pose(self.ghost, frame.ghost)
        self._draw_pose(self.saved, frame.saved, np.array([0.0, BESIDE, 0.0]))
        self.handles.show(frame.ghost if frame.handles is not None else None, frame.handles)

    def clearance(self, qpos: Array, terrain: Terrain) -> float:
        """How high the lowest ground point of a pose is over the ground."""
        placed = self._other.place(qpos)
        points = np.array([p for p, point in zip(placed.points, self._other.figure.points) if point.ground])
        if len(points) == 0:
            return 0.0
        return float(np.min(points[:, 2] - terrain.height(points[:, 0], points[:, 1])))

    def _draw_pose(self, view: WalkerView, qpos: Array | None, shift: Array | float = 0.0) -> None:
        view.visible = qpos is not None
        if qpos is not None:
            placed = self._other.place(qpos)
            view.move(placed.position + shift, placed.wxyz)

    def _footprint(self, points: Array, right: bool, terrain: Terrain) -> None:
        figure = self.kinematics.figure
        if not figure.legs:
            return
        leg = figure.legs["right" if right else "left"]
        names = [p.name for p in figure.points]
        heel, toe = (np.mean([points[names.index(n)] for n in ends], axis=0) for ends in (leg.heel, leg.toe))
        for end in (heel, toe):
            end[2] = float(terrain.height(end[0], end[1]))
        self.marks.footprint(heel, toe, right)
