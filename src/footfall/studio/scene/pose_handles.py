"""Handles on the limbs of a drawn pose: drag one, and its joint's target turns. Each is labelled with its joint."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import rotate
from footfall.studio.core.kinematics import Kinematics, dragged_angle

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
        self._balls: dict[str, tuple[int, Array, Any]] = {}
        self._labels: dict[str, Any] = {}
        self._lines: dict[str, tuple[Array, Array, Array]] = {}
        for joint, body, point in kinematics.ends:
            ball = scene.add_icosphere(
                f"/world/handles/{joint}", RADIUS, color=COLOUR, visible=False, cast_shadow=False
            )
            ball.on_drag("left")(self._dragger(joint))
            label = scene.add_label(
                f"/world/handles/{joint}/label",
                "torso" if joint in kinematics.torso_joints else joint.replace("_", " "),
                position=(0.0, 0.0, 1.6 * RADIUS),
                anchor="bottom-center",
                font_screen_scale=0.8,
                visible=False,
            )
            self._balls[joint] = (body, point, ball)
            self._labels[joint] = label

    def _dragger(self, joint: str) -> Any:
        async def dragged(event: Any) -> None:
            if event.phase == "start":
                self._gesture += 1
            if joint in self._lines and event.phase == "update":
                axis, anchor, point = self._lines[joint]
                origin = self._origin()
                eye = np.asarray(event.client.camera.position) - origin
                angle = dragged_angle(axis, anchor, point, np.asarray(event.end_position) - origin, eye)
                if abs(angle) > 1e-4:
                    self._turned(joint, angle, self._gesture)

        return dragged

    def show(self, qpos: Array | None, joints: set[str] | None = None) -> None:
        """Stand at the limbs of a pose qpos [nq], on some joints only; None hides all."""
        if qpos is not None:
            self._kinematics.place(qpos)
        for joint, (body, point, ball) in self._balls.items():
            on = qpos is not None and (joints is None or joint in joints)
            if ball.visible != on:
                ball.visible = on
                self._labels[joint].visible = on
            if not on:
                self._lines.pop(joint, None)
                continue
            place, turn = self._kinematics.body_place(body)
            at = place + rotate(turn, point)
            axis, anchor = self._kinematics.joint_axis(joint)
            self._lines[joint] = (axis, anchor, at)
            ball.position = at

    @property
    def places(self) -> dict[str, Array]:
        """[3] where the handles stand that are shown, by joint."""
        return {joint: line[2] for joint, line in self._lines.items()}

    def remove(self) -> None:
        """Take them out of the scene."""
        for node in (*self._labels.values(), *(ball for _, _, ball in self._balls.values())):
            node.remove()
