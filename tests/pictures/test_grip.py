"""A hand on a limb, as the studio and live pages have it: its hinges bring the limb to the pointer, and stay."""

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall.pictures
from footfall.figures import Figure
from footfall.motion.quaternion import rotate
from footfall.studio.core.geometry import Kinematics

NODE = shutil.which("node") or shutil.which("nodejs")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; `make browser` installs it")
SIDE, FRONT = np.array([0.0, -4.0, 0.3]), np.array([4.0, 0.0, 0.3])


class Limb:
    """Joints of a figure that carry one point."""

    def __init__(self, figure: str, *joints: str) -> None:
        self.figure = Figure.load(figure)
        self.kinematics = Kinematics(self.figure)
        self.joints = joints
        self.body, self.point = next((b, p) for name, b, p in self.kinematics.ends if name == joints[0])
        self.qpos = np.array(self.figure.default_qpos, dtype=float)

    def tip(self, turns: Any = 0.0) -> np.ndarray:
        """[3] where the point is when the joints have turned."""
        qpos = self.qpos.copy()
        for joint, turn in zip(self.joints, np.broadcast_to(turns, len(self.joints))):
            qpos[self.figure.joint(joint).qpos] += turn
        self.kinematics.place(qpos)
        place, wxyz = self.kinematics.body_pose(self.body)
        return np.asarray(place + rotate(wxyz, self.point))

    def ask(self, eye: np.ndarray, *moves: dict[str, Any]) -> list[list[float]]:
        """How far the joints have turned after each move of a hand, as seen from an eye that is so far away."""
        tip, hinges = self.tip(), []
        for joint in self.joints:
            axis, anchor = self.kinematics.joint_axis(joint)
            dof, now = self.figure.joint(joint).dof, float(self.qpos[self.figure.joint(joint).qpos])
            low, high = max(self.figure.lower[dof], -math.pi), min(self.figure.upper[dof], math.pi)
            bounds = {"angle": now, "low": min(low, now), "high": max(high, now)}
            hinges.append({"axis": axis.tolist(), "anchor": anchor.tolist(), **bounds})
        told = {"hinges": hinges, "place": tip.tolist(), "eye": (tip + eye).tolist(), "moves": moves}
        script = Path(__file__).with_name("grip.mjs")
        command = [str(NODE), str(script), str(Path(footfall.pictures.__file__).parent)]
        done = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        angles = json.loads(done.stdout)["turned"]
        return [[a - h["angle"] for a, h in zip(row, hinges)] for row in angles]


@pytest.mark.parametrize("turn", [-0.9, -0.3, 0.05, 0.4, 0.8])
def test_a_hinge_follows_the_hand(turn: float) -> None:
    limb = Limb("planar-biped", "right_hip")
    ((found,),) = limb.ask(SIDE, {"point": limb.tip(turn).tolist()})
    assert found == pytest.approx(turn, abs=0.03)


@pytest.mark.parametrize("turns", [(0.4, 0.3, 0.0), (-0.5, 0.2, 0.3), (0.3, -0.2, -0.4)])
def test_hinges_that_share_a_limb_bring_it_to_the_hand(turns: tuple[float, ...]) -> None:
    limb = Limb("human-28", "left_hip_pitch", "left_hip_roll", "left_hip_yaw")
    limb.joints = tuple(sorted(limb.joints, key=lambda name: limb.figure.joint(name).dof))
    eye, wanted = np.array([2.5, -3.0, 0.8]), limb.tip(turns)
    (found,) = limb.ask(eye, {"point": wanted.tolist()})
    sight = (wanted - limb.tip() - eye) / np.linalg.norm(wanted - limb.tip() - eye)
    off = limb.tip(found) - wanted
    assert np.linalg.norm(off - sight * (off @ sight)) < 0.02


def test_a_hand_that_comes_back_leaves_everything_as_it_was_and_a_still_one_turns_nothing_further() -> None:
    limb = Limb("human-28", "right_elbow")
    away, *still, back = limb.ask(SIDE, {"by": [20, -15]}, *[{"by": [20, -15]}] * 10, {"by": [0, 0]})
    assert abs(away[0]) > 0.1
    np.testing.assert_allclose(still, [away] * 10, atol=1e-6)
    np.testing.assert_allclose(back, [0.0], atol=1e-6)


@pytest.mark.parametrize("eye", [SIDE, FRONT, np.array([2.8, -2.8, 1.0])])
def test_a_short_way_of_the_hand_is_a_moderate_turn_of_an_elbow(eye: np.ndarray) -> None:
    limb = Limb("human-28", "right_elbow")
    ((found,),) = limb.ask(eye, {"by": [30, -20]})
    assert abs(found) < math.radians(75)


def test_a_joint_stays_within_its_limits() -> None:
    limb = Limb("human-28", "right_knee")
    rows = limb.ask(SIDE, *({"by": by} for by in ([400, -300], [-400, -300], [0, -500], [300, 300])))
    dof = limb.figure.joint("right_knee").dof
    least, most = limb.figure.lower[dof], limb.figure.upper[dof]
    start = limb.qpos[limb.figure.joint("right_knee").qpos]
    assert all(min(least, start) - 1e-9 <= start + turn <= max(most, start) + 1e-9 for (turn,) in rows)
