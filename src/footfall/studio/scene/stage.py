"""The whole scene: the walker, its ghost, the saved one beside it, the ground and the marks.

The camera stands still and the world moves under it, so that following a walker leaves everyone's view in their own
hands. Everything that moves along hangs on the node ``/world``; lines and arrows of the walker hang on ``/world/near``,
which is under it: a slow browser draws them later than the bodies, and they stay with the walker all the same.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.geometry.kinematics import Kinematics, Placed
from footfall.studio.core.history.tracks import Tracks
from footfall.studio.core.session.frames import Frame
from footfall.studio.scene.ground_view import GroundView
from footfall.studio.scene.marks import Marks
from footfall.studio.scene.outline_view import OutlineView
from footfall.studio.scene.pose_handles import PoseHandles
from footfall.studio.scene.walker_view import WalkerView
from footfall.terrain import Terrain

__all__ = ["Stage"]

Array = NDArray[np.float64]

GHOST, OUTLINE, SAVED = (86, 180, 233), (0, 200, 255), (150, 158, 168)
BESIDE = 0.9
"""Metres to the left at which the saved controller's walker is drawn."""
CLIP, ASIDE = (126, 84, 176), 1.2
"""The clip that a walker follows, and how far to its left it is drawn, metres; behind the saved controller's walker
twice as far."""
GLIDE, LONGEST_GLIDE, MOST_GLIDE = 0.27, 1.0, 2.0
"""Seconds in which the floor comes closer to the ground's height by a factor of e, seconds and metres beyond which it
is put there at once."""
SKY, EARTH = (255, 255, 255), (205, 205, 200)


class Stage:
    """The scene of one studio."""

    def __init__(self, scene: Any, *, shadows: bool = True) -> None:
        self._scene = scene
        scene.set_up_direction("+z")
        scene.configure_default_lights(cast_shadow=shadows)
        scene.configure_environment_map(hdri=None)
        scene.add_light_hemisphere("/light", sky_color=SKY, ground_color=EARTH, intensity=2.2)
        scene.world_axes.visible = False
        self._world = scene.add_frame("/world", show_axes=False)
        self._near = scene.add_frame("/world/near", show_axes=False)
        self.ground = GroundView(scene)
        self.marks = Marks(scene)
        self.follow = self.with_clip = True
        self.origin: Array = np.zeros(3)
        self._drawn: float | None = None
        self._views: list[Any] = []

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
        self._capsules = body_capsules(skeleton)
        self.walker = WalkerView(self._scene, "/world/walker", skeleton)
        self.walker.on_drag(dragged)
        self.outline = OutlineView(self._scene, "/world/near/outline", skeleton, OUTLINE)
        self.ghost = WalkerView(self._scene, "/world/ghost", skeleton, colour=GHOST, opacity=0.5, visible=False)
        self.saved = WalkerView(self._scene, "/world/saved", skeleton, colour=SAVED, opacity=0.6, visible=False)
        self.clip = WalkerView(self._scene, "/world/followed", skeleton, colour=CLIP, opacity=0.6, visible=False)
        self.handles = PoseHandles(self._scene, Kinematics(figure), lambda: self.origin, turned)
        self._views = [self.walker, self.outline, self.ghost, self.saved, self.clip, self.handles]
        self._torso = next(i for i, b in enumerate(figure.bodies) if b.name == figure.torso)

    def draw(self, frame: Frame, terrain: Terrain, ground: Ground, tracks: Tracks) -> None:
        """Draw a frame."""
        placed = self.kinematics.place(frame.qpos, frame.qvel)
        root = placed.position[0]
        height = float(terrain.height(root[0], root[1]))
        if self.follow:
            near = np.array([root[0], root[1], height])
            blend = np.array([1.0, 1.0, self._glide(frame.time, height)])
            self.origin = self.origin + blend * (-near - self.origin)
            self._world.position = self.origin
        self._drawn = frame.time
        beside = np.array([root[0], root[1], 0.0])
        self._near.position = beside
        lift = np.array([0.0, 0.0, self._sunken(placed, terrain) if frame.fallen else 0.0])
        self.walker.move(placed.position + lift, placed.wxyz)
        self.ground.follow(root, terrain)
        self.marks.centre(placed.com + lift, float(terrain.height(placed.com[0], placed.com[1])))
        points, forces = placed.points, np.zeros_like(placed.points)
        if not frame.fallen and len(frame.anchors) == len(placed.points):
            points, forces = self.kinematics.ground_forces(placed, frame.anchors, frame.contact, terrain, ground)
        self.marks.forces(points - beside, forces)
        self.marks.push(placed.position[self._torso] + [0.0, 0.0, 0.25] - beside, frame.push)
        self.marks.tracks(tracks, frame.time)
        posing = frame.handles is not None
        self._draw_pose(self.outline, None if posing else frame.ghost, -beside)
        self._draw_pose(self.ghost, frame.ghost if posing else None)
        self._draw_pose(self.saved, frame.saved, np.array([0.0, BESIDE, 0.0]))
        self._draw_clip(frame, terrain)
        self.handles.show(frame.ghost if posing else None, frame.handles)

    def _glide(self, time: float, height: float) -> float:
        """How much of the way to the ground's height the floor is moved: a little while the walk goes on, all of it
        where time jumped or stands still."""
        passed = -1.0 if self._drawn is None else time - self._drawn
        if not 0.0 < passed < LONGEST_GLIDE or abs(height + self.origin[2]) > MOST_GLIDE:
            return 1.0
        return 1.0 - math.exp(-passed / GLIDE)

    def _draw_clip(self, frame: Frame, terrain: Terrain) -> None:
        """The clip that is followed, to the left of the walker, on the ground there."""
        if frame.reference is None or not self.with_clip:
            self.clip.visible = False
            return
        heading, far = facing(frame.qpos), ASIDE if frame.saved is None else 2.0 * ASIDE
        x, y = frame.qpos[0] - far * math.sin(heading), frame.qpos[1] + far * math.cos(heading)
        shift = np.array([x - frame.qpos[0], y - frame.qpos[1], float(terrain.height(x, y))])
        self._draw_pose(self.clip, frame.reference, shift)

    def _sunken(self, placed: Placed, terrain: Terrain) -> float:
        """How deep the skin of a lying body would be under the ground, metres."""
        joints = [c.joint for c in self._capsules]
        at, turn = placed.position[joints], placed.wxyz[joints]
        deepest = 0.0
        for end in ("start", "end"):
            points = at + rotate(turn, np.array([getattr(c, end) for c in self._capsules]))
            radii = np.array([getattr(c, f"radius_{end}") for c in self._capsules])
            gaps = points[:, 2] - radii - terrain.height(points[:, 0], points[:, 1])
            deepest = max(deepest, -float(gaps.min()))
        return deepest

    def _draw_pose(self, view: Any, qpos: Array | None, shift: Array | float = 0.0) -> None:
        view.visible = qpos is not None
        if qpos is not None:
            placed = self._other.place(qpos)
            view.move(placed.position + shift, placed.wxyz)
