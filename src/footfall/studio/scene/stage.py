"""The whole scene: the walker, its ghost, the saved one beside it, the ground and the marks.

All places are the world's. The camera is each page's own; it follows the node ``focus``.
"""

import math
from collections.abc import Callable

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
from footfall.studio.scene.marks import Marks, rgb
from footfall.studio.scene.nodes import Scene
from footfall.studio.scene.pose_handles import PoseHandles
from footfall.studio.scene.torques import Torques
from footfall.studio.scene.walker_view import WalkerView
from footfall.studio.wire.asked import Drag
from footfall.terrain import Terrain

Array = NDArray[np.float64]

GHOST, OUTLINE, SAVED = rgb(237, 168, 41), rgb(86, 180, 233), rgb(150, 158, 168)
BESIDE = 0.9
"""Metres to the left at which the saved controller's walker is drawn."""
CLIP, ASIDE = rgb(126, 84, 176), 1.2
"""The clip that a walker follows, and how far to its left it is drawn, metres; behind the saved controller's walker
twice as far."""
TALL = 1.7


class Stage:
    """The scene of one studio."""

    def __init__(self, scene: Scene, *, shadows: bool = True) -> None:
        self._scene = scene
        self._focus = scene.add("focus", "focus", planar=True, tall=TALL, heading=0.0, figure="", shadows=shadows)
        self.ground = GroundView(scene)
        self.marks = Marks(scene)
        self.with_clip = True
        self.with_torques = False
        self._views: list[WalkerView | PoseHandles | Torques] = []

    def show_figure(
        self,
        figure: Figure,
        dragged: Callable[[int, str, Drag], None],
        turned: Callable[[str, float, int], None],
    ) -> None:
        """Put a figure on the stage.

        Args:
            figure: the figure.
            dragged: called with a page's number, a body's name and where it is dragged.
            turned: called when the ghost's handles are dragged (see :class:`PoseHandles`).
        """
        for view in self._views:
            view.remove()
        skeleton = skeleton_of(figure)
        self.kinematics = Kinematics(figure)
        self._other = Kinematics(figure)
        self._capsules = body_capsules(skeleton)
        self.walker = WalkerView(self._scene, "walker", skeleton)
        self.walker.on_drag(dragged)
        self.outline, self.ghost, self.saved, self.clip = (
            WalkerView(self._scene, name, skeleton, colour=colour, alpha=alpha, visible=False, same_as="walker")
            for name, colour, alpha in (
                ("outline", OUTLINE, 0.3),
                ("ghost", GHOST, 0.5),
                ("saved", SAVED, 0.6),
                ("followed", CLIP, 0.6),
            )
        )
        self.handles = PoseHandles(self._scene, Kinematics(figure), turned)
        self.torques = Torques(self._scene, figure, self.walker.bodies)
        self._views = [self.outline, self.ghost, self.saved, self.clip, self.handles, self.walker, self.torques]
        self._torso = next(i for i, b in enumerate(figure.bodies) if b.name == figure.torso)
        placed = self.kinematics.place(np.asarray(figure.default_qpos, dtype=float))
        tall = float(placed.position[:, 2].max() - placed.points[:, 2].min()) + 0.3 if len(placed.points) else TALL
        heading = facing(np.asarray(figure.default_qpos, dtype=float)) if figure.root == "free" else 0.0
        planar = figure.root == "planar"
        self._focus.set(figure=figure.name, planar=planar, tall=round(tall, 3), heading=round(heading, 4))

    def draw(self, frame: Frame, terrain: Terrain, ground: Ground, tracks: Tracks) -> None:
        """Draw a frame."""
        placed = self.kinematics.place(frame.qpos, frame.qvel)
        root = placed.position[0]
        self._focus.put([*root, float(terrain.height(root[0], root[1])), frame.time])
        lift = np.array([0.0, 0.0, self._sunken(placed, terrain) if frame.fallen else 0.0])
        self.walker.move(placed.position + lift, placed.wxyz)
        self.torques.shown = self.with_torques
        self.torques.show(None if frame.fallen else frame.torque)
        self.marks.centre(placed.com + lift, float(terrain.height(placed.com[0], placed.com[1])))
        points, forces = placed.points, np.zeros_like(placed.points)
        if not frame.fallen and len(frame.anchors) == len(placed.points):
            points, forces = self.kinematics.ground_forces(placed, frame.anchors, frame.contact, terrain, ground)
        self.marks.forces(points, forces)
        self.marks.push(placed.position[self._torso] + [0.0, 0.0, 0.25], frame.push)
        self.marks.tracks(tracks, frame.time)
        posing = frame.handles is not None
        self._draw_pose(self.outline, None if posing else frame.ghost)
        self._draw_pose(self.ghost, frame.ghost if posing else None)
        self._draw_pose(self.saved, frame.saved, np.array([0.0, BESIDE, 0.0]))
        self._draw_clip(frame, terrain)
        self.handles.show(frame.ghost if posing else None, frame.handles)

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

    def _draw_pose(self, view: WalkerView, qpos: Array | None, shift: Array | float = 0.0) -> None:
        view.visible = qpos is not None
        if qpos is not None:
            placed = self._other.place(qpos)
            view.move(placed.position + shift, placed.wxyz)
