"""The whole scene: the walker, its ghost with handles, the saved one beside it, the ground and the marks.

All positions are in world coordinates. The camera is each page's own; it follows the node ``focus``.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import body_capsules, capsule_ends
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.studio.core.frames import Moment
from footfall.studio.core.geometry import Kinematics, Placed, heading_of, place_beside
from footfall.studio.core.history import Tracks
from footfall.studio.core.posing import Turning
from footfall.studio.messages import Drag
from footfall.studio.scene import GroundView, Marks, Torques, Viewport, WalkerView, rgb
from footfall.terrain import Terrain

Array = NDArray[np.float64]

RADIUS = 0.035
COLOUR = rgb(230, 159, 0)


class PoseHandles:
    """A ball at the far end of every limb, and for pages the hinges that carry it.

    Args:
        scene: where they stand.
        kinematics: of the figure whose pose is drawn.

    Attributes:
        places: [3] where the handles stand that are shown, by joint.
    """

    def __init__(self, scene: Viewport, kinematics: Kinematics) -> None:
        self._kinematics = kinematics
        self._ends = _shared(kinematics.ends)
        self.places: dict[str, Array] = {}
        names = ["torso" if joints[0] in kinematics.torso_joints else _common(joints) for joints, _, _ in self._ends]
        joints = [list(sharing) for sharing, _, _ in self._ends]
        self._node = scene.add("handles", "handles", names=names, joints=joints, of="", radius=RADIUS, colour=COLOUR)

    def show(self, qpos: Array | None, turnings: Mapping[str, Turning] | None = None, of: str = "") -> None:
        """Stand at the limbs of a pose qpos [nq] of the state ``of``, on some joints only; None hides all."""
        self._node.visible = qpos is not None
        self.places = {}
        if qpos is None:
            return
        self._node.set(of=of)
        self._kinematics.place(qpos)
        balls, hinges = np.zeros((len(self._ends), 4)), list[Array]()
        for i, (sharing, body, point) in enumerate(self._ends):
            place, turn = self._kinematics.body_pose(body)
            at = place + rotate(turn, point)
            shown = dict.fromkeys(sharing, NO_HINGE)
            for joint in sharing:
                asked = (turnings or {}).get(joint)
                if asked is not None:
                    axis, anchor = self._kinematics.joint_axis(joint)
                    shown[joint], self.places[joint] = np.array([*axis, *anchor, *asked]), at
            balls[i] = *at, any(joint in self.places for joint in sharing)
            hinges += shown.values()
        self._node.put(np.concatenate([balls.ravel(), *hinges]))

    def remove(self) -> None:
        self._node.remove()


NO_HINGE = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0])
"""A row of axis, anchor, angle and bounds, of a joint that cannot be dragged."""


def _shared(ends: list[tuple[str, int, Array]]) -> list[tuple[tuple[str, ...], int, Array]]:
    """Handles with all joints that carry their point."""
    found: dict[tuple[int, bytes], tuple[tuple[str, ...], int, Array]] = {}
    for joint, body, point in ends:
        key = (body, np.round(point, 4).tobytes())
        found[key] = ((*(found[key][0] if key in found else ()), joint), body, point)
    return list(found.values())


def _common(joints: tuple[str, ...]) -> str:
    """The words with which all joints' names begin."""
    words = [joint.split("_") for joint in joints]
    shared = [each[0] for each in zip(*words) if len(set(each)) == 1]
    return " ".join(shared or words[0])


GHOST, OUTLINE, SAVED = rgb(237, 168, 41), rgb(86, 180, 233), rgb(150, 158, 168)
BESIDE = 0.9
"""Metres to the left at which the saved controller's walker is drawn."""
CLIP, ASIDE = rgb(126, 84, 176), 1.2
"""The clip that a walker follows, and how far to its left it is drawn, metres; behind the saved controller's walker
twice as far."""
TALL = 1.7


class Stage:
    """The scene of one studio."""

    def __init__(self, scene: Viewport, *, shadows: bool = True) -> None:
        self._scene = scene
        self._focus = scene.add("focus", "focus", planar=True, tall=TALL, heading=0.0, figure="", shadows=shadows)
        self.ground = GroundView(scene)
        self.marks = Marks(scene)
        self.with_clip = True
        self.with_torques = False
        self._views: list[WalkerView | PoseHandles | Torques] = []

    def show_figure(self, figure: Figure, dragged: Callable[[int, str, Drag], None]) -> None:
        """Put a figure on the stage.

        Args:
            figure: the figure.
            dragged: called with a page's number, a body's name and where it is dragged.
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
        self.handles = PoseHandles(self._scene, Kinematics(figure))
        self.torques = Torques(self._scene, figure, self.walker.bodies)
        self._views = [self.outline, self.ghost, self.saved, self.clip, self.handles, self.walker, self.torques]
        self._torso = figure.body(figure.torso).index
        placed = self.kinematics.place(np.asarray(figure.default_qpos, dtype=float))
        tall = float(placed.position[:, 2].max() - placed.points[:, 2].min()) + 0.3 if len(placed.points) else TALL
        heading = heading_of(np.asarray(figure.default_qpos, dtype=float)) if figure.root == "free" else 0.0
        planar = figure.root == "planar"
        self._focus.set(figure=figure.name, planar=planar, tall=round(tall, 3), heading=round(heading, 4))

    def draw(self, frame: Moment, terrain: Terrain, ground: Ground, tracks: Tracks, of: str = "") -> None:
        """Draw a moment; ``of`` names the state whose pose has handles."""
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
        self.handles.show(frame.ghost if posing else None, frame.handles, of)

    def _draw_clip(self, frame: Moment, terrain: Terrain) -> None:
        """The clip that is followed, to the left of the walker, on the ground there."""
        if frame.reference is None or not self.with_clip:
            self.clip.visible = False
            return
        far = ASIDE if frame.saved is None else 2.0 * ASIDE
        there = place_beside(self.kinematics.figure.root, frame.qpos, (0.0, far), terrain)
        self._draw_pose(self.clip, frame.reference, there - [*frame.qpos[:2], 0.0])

    def _sunken(self, placed: Placed, terrain: Terrain) -> float:
        """How deep the skin of a lying body would be under the ground, metres."""
        ends = capsule_ends(self._capsules, placed.position, placed.wxyz)
        radii = np.array([(c.radius_start, c.radius_end) for c in self._capsules])
        return max(0.0, -float((ends[..., 2] - radii - terrain.height(ends[..., 0], ends[..., 1])).min()))

    def _draw_pose(self, view: WalkerView, qpos: Array | None, shift: Array | float = 0.0) -> None:
        view.visible = qpos is not None
        if qpos is not None:
            placed = self._other.place(qpos)
            view.move(placed.position + shift, placed.wxyz)
