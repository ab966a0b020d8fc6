"""Handles on the limbs of a drawn pose: drag one, and its joint's target turns. Each is labelled with its joint.

Joints that carry one and the same point, such as the pitch and the roll of a hip, share a handle.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import rotate
from footfall.studio.core.geometry.kinematics import Kinematics, dragged_angle, dragged_angles
from footfall.studio.scene.marks import rgb
from footfall.studio.scene.nodes import Scene
from footfall.studio.wire.asked import Drag

Array = NDArray[np.float64]

RADIUS = 0.035
COLOUR = rgb(230, 159, 0)


class PoseHandles:
    """A ball at the far end of every limb.

    Args:
        scene: where they stand. kinematics: of the figure whose pose is drawn.
        turned: called with a joint's name, by how much it turned, and the number of the gesture.
    """

    def __init__(self, scene: Scene, kinematics: Kinematics, turned: Callable[[str, float, int], None]) -> None:
        self._kinematics, self._turned = kinematics, turned
        self._gesture = 0
        self._ends = _shared(kinematics.ends)
        self._lines: dict[str, tuple[Array, Array, Array]] = {}
        names = ["torso" if joints[0] in kinematics.torso_joints else _common(joints) for joints, _, _ in self._ends]
        self._node = scene.add("handles", "handles", names=names, radius=RADIUS, colour=COLOUR, drag=True)
        self._node.dragged = self._dragged

    def _dragged(self, _: int, drag: Drag) -> None:
        if drag.phase == "start":
            self._gesture += 1
        joints = self._ends[drag.part][0] if drag.part < len(self._ends) else ()
        lines = {joint: self._lines[joint] for joint in joints if joint in self._lines}
        if not lines or drag.phase != "move":
            return
        eye, to = np.array(drag.eye), np.array(drag.to)
        axes, anchors = (np.array([line[k] for line in lines.values()]) for k in (0, 1))
        point = next(iter(lines.values()))[2]
        if len(lines) == 1:
            angles = np.array([dragged_angle(axes[0], anchors[0], point, to, eye)])
        else:
            angles = dragged_angles(axes, anchors, point, to, eye)
        for joint, angle in zip(lines, angles.tolist(), strict=True):
            if abs(angle) > 1e-4:
                self._turned(joint, angle, self._gesture)

    def show(self, qpos: Array | None, joints: set[str] | None = None) -> None:
        """Stand at the limbs of a pose qpos [nq], on some joints only; None hides all."""
        self._node.visible = qpos is not None
        lines: dict[str, tuple[Array, Array, Array]] = {}
        if qpos is not None:
            self._kinematics.place(qpos)
            data = np.zeros((len(self._ends), 4))
            for i, (sharing, body, point) in enumerate(self._ends):
                place, turn = self._kinematics.body_place(body)
                at = place + rotate(turn, point)
                shown = [joint for joint in sharing if joints is None or joint in joints]
                data[i] = *at, bool(shown)
                lines |= {joint: (*self._kinematics.joint_axis(joint), at) for joint in shown}
            self._node.put(data)
        self._lines = lines

    @property
    def places(self) -> dict[str, Array]:
        """[3] where the handles stand that are shown, by joint."""
        return {joint: line[2] for joint, line in self._lines.items()}

    def remove(self) -> None:
        """Take them out of the scene."""
        self._node.remove()


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
