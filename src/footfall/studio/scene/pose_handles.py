"""Handles on the limbs of a drawn pose: drag one, and its joint's target turns. Each is labelled with its joint.

Joints that carry one and the same point, such as the pitch and the roll of a hip, share a handle.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import rotate
from footfall.studio.core.geometry.kinematics import Kinematics, dragged_angle, dragged_angles

__all__ = ["PoseHandles"]

Array = NDArray[np.float64]

RADIUS = 0.035
COLOUR = (230, 159, 0)


class PoseHandles:
    """A ball at the far end of every limb, under the node ``/world``.

    Args:
        scene: viser's. kinematics: of the figure whose pose is drawn.
        origin: where ``/world`` stands now, [3]; dragged points come in the scene's own frame.
        turned: called with a joint's name, by how much it turned, and the number of the gesture.
    """

    def __init__(
        self,
        scene: Any,
        kinematics: Kinematics,
        origin: Callable[[], Array],
        turned: Callable[[str, float, int], None],
    ) -> None:
        self._kinematics, self._origin, self._turned = kinematics, origin, turned
        self._gesture = 0
        self._balls: dict[tuple[str, ...], tuple[int, Array, Any]] = {}
        self._labels: dict[tuple[str, ...], Any] = {}
        self._lines: dict[str, tuple[Array, Array, Array]] = {}
        for joints, body, point in _shared(kinematics.ends):
            node = f"/world/handles/{joints[0]}"
            ball = scene.add_icosphere(node, RADIUS, color=COLOUR, visible=False, cast_shadow=False)
            ball.on_drag("left")(self._dragger(joints))
            label = scene.add_label(
                f"{node}/label",
                "torso" if joints[0] in kinematics.torso_joints else _common(joints),
                position=(0.0, 0.0, 1.6 * RADIUS),
                anchor="bottom-center",
                font_screen_scale=0.8,
                visible=False,
            )
            self._balls[joints] = (body, point, ball)
            self._labels[joints] = label

    def _dragger(self, joints: tuple[str, ...]) -> Any:
        async def dragged(event: Any) -> None:
            if event.phase == "start":
                self._gesture += 1
            lines = {joint: self._lines[joint] for joint in joints if joint in self._lines}
            if not lines or event.phase != "update":
                return
            origin = self._origin()
            eye, to = np.asarray(event.client.camera.position) - origin, np.asarray(event.end_position) - origin
            axes, anchors = (np.array([line[k] for line in lines.values()]) for k in (0, 1))
            point = next(iter(lines.values()))[2]
            if len(lines) == 1:
                angles = np.array([dragged_angle(axes[0], anchors[0], point, to, eye)])
            else:
                angles = dragged_angles(axes, anchors, point, to, eye)
            for joint, angle in zip(lines, angles.tolist(), strict=True):
                if abs(angle) > 1e-4:
                    self._turned(joint, angle, self._gesture)

        return dragged

    def show(self, qpos: Array | None, joints: set[str] | None = None) -> None:
        """Stand at the limbs of a pose qpos [nq], on some joints only; None hides all."""
        if qpos is not None:
            self._kinematics.place(qpos)
        self._lines = {}
        for sharing, (body, point, ball) in self._balls.items():
            shown = [joint for joint in sharing if qpos is not None and (joints is None or joint in joints)]
            if ball.visible != bool(shown):
                ball.visible = self._labels[sharing].visible = bool(shown)
            if not shown:
                continue
            place, turn = self._kinematics.body_place(body)
            at = place + rotate(turn, point)
            for joint in shown:
                self._lines[joint] = (*self._kinematics.joint_axis(joint), at)
            ball.position = at

    @property
    def places(self) -> dict[str, Array]:
        """[3] where the handles stand that are shown, by joint."""
        return {joint: line[2] for joint, line in self._lines.items()}

    def remove(self) -> None:
        """Take them out of the scene."""
        for node in (*self._labels.values(), *(ball for _, _, ball in self._balls.values())):
            node.remove()


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
