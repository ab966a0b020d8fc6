"""The pose of the state being edited: where it stands, and the hands of pages that turn its joints.

A page knows the hinges of a limb as they are when it takes hold of it, finds the angles at which the limb comes to the
pointer, and sends these. So what arrives twice, late or in another order turns nothing further.
"""

import math
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.control.slots import TORSO
from footfall.methods.simbicon.editing import target_name, with_target
from footfall.studio.core.geometry import Kinematics, place_beside
from footfall.studio.messages import PoseTurned

if TYPE_CHECKING:
    from footfall.studio.core.session import Session

Array = NDArray[np.float64]

POSE_AHEAD = 0.9
"""Metres ahead of the walker at which the pose is drawn."""


class Turning(NamedTuple):
    """The angle that a state asks of a joint, and its bounds, radians."""

    angle: float
    least: float
    most: float


def joint_limits(figure: Any, joint: str) -> tuple[float, float]:
    """Radians between which a joint turns; one without limits has half a turn either way."""
    dof = figure.joint(joint).dof
    return max(float(figure.lower[dof]), -math.pi), min(float(figure.upper[dof]), math.pi)


class Posing:
    """Hands on the pose of a session's selected state.

    Args:
        session: whose.
    """

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._lock = threading.Lock()
        self._newest: dict[int, tuple[int, int]] = {}
        self._asked: dict[tuple[int, int], PoseTurned] = {}
        self._holding: set[int] = set()
        self._height = 0.0
        self._known: tuple[Any, dict[str, str]] = (None, {})

    @property
    def of(self) -> str:
        """Names the state whose pose is drawn: what was meant for another one is left alone."""
        session = self._session
        return f"{session.document.name}/{session.selected}/{len(session.states)}"

    def pose(self, kinematics: Kinematics, qpos: Array) -> Array:
        """[nq] the pose, ahead of a walker at qpos [nq].

        It stands on the ground; while somebody turns a joint, its root stays as high, so that the limb stays in hand.
        """
        session = self._session
        figure, world = session.world.figure, session.world
        base = np.array(figure.default_qpos, dtype=float)
        along = 1 if figure.root == "planar" else 2
        terrain = world.simulation.terrains[0]
        if figure.root != "fixed":
            base[:along] = place_beside(figure.root, qpos, (POSE_AHEAD, 0.0), terrain)[:along]
        pose = world.state_pose(session.controller.name, session.selected, base)
        if figure.root != "fixed":
            ground = float(terrain.height(pose[0], pose[1] if along == 2 else 0.0))
            if not self._holding:
                self._height = float(pose[along]) - kinematics.clearance(pose, terrain) - ground
            pose[along] = ground + self._height
        return pose

    def turnings(self, kinematics: Kinematics) -> dict[str, Turning]:
        """What the state asks of each joint that has a handle."""
        session = self._session
        state, figure = session.states[session.selected], session.world.figure
        undriven = session.world.undriven_joints(session.controller.name, session.selected)
        if self._known[0] is not state:
            roles = {
                joint: TORSO if joint in kinematics.torso_joints else target_name(state, figure, joint)
                for joint, _, _ in kinematics.ends
                if joint not in undriven
            }
            self._known = (state, roles)
        found = {}
        for joint, role in self._known[1].items():
            default = float(figure.default_qpos[figure.joint(joint).qpos])
            angle = state.targets[role].angle if role in state.targets else default
            least, most = joint_limits(figure, joint)
            found[joint] = Turning(angle, min(least, angle), max(most, angle))
        return found

    def turn(self, client: int, asked: PoseTurned) -> None:
        """A page turns joints to angles. What is older than what it asked last is left alone, and of what comes faster
        than edits are made the newest is left."""
        at, gesture = (asked.gesture, asked.n), (client, asked.gesture)
        with self._lock:
            if at <= self._newest.get(client, (-1, -1)):
                return
            self._newest[client] = at
            waits = gesture in self._asked
            self._asked[gesture] = asked
        if not waits:
            self._session.act(lambda: self._turn(client, asked.gesture))

    def _turn(self, client: int, gesture: int) -> None:
        session = self._session
        with self._lock:
            asked = self._asked.pop((client, gesture))
        (self._holding.add if asked.held else self._holding.discard)(client)
        if not session.posing or asked.of != self.of:
            return
        selected, (_, roles) = session.selected, self._known
        angles = {roles[j]: a for j, a in zip(asked.joints, asked.angles, strict=True) if j in roles}

        def turned(graph: Any) -> Any:
            for role, angle in angles.items():
                graph = with_target(graph, selected, role, angle=round(min(max(angle, -math.pi), math.pi), 4))
            return graph

        session.edit(turned, f"gesture {client} {gesture}", within=math.inf)

    def leave(self, client: int) -> None:
        """A page has gone."""
        with self._lock:
            self._newest.pop(client, None)
        self._holding.discard(client)
