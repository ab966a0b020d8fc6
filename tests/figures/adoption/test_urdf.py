"""A robot's URDF: its first link keeps its mass, limits of torques are read."""

from pathlib import Path

import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure

FILE = Path(__file__).with_name("small_robot.urdf")


def test_a_urdf_becomes_a_figure():
    figure = Figure.load(FILE)
    assert figure.root == "free"
    assert figure.model.body_mass.sum() == pytest.approx(8.0)
    assert {name: joint.name for name, joint in figure.adoption.joints.items()} == {
        "left_hip_pitch": "a1", "left_knee": "a2", "left_ankle_pitch": "a3",
        "right_hip_pitch": "b1", "right_knee": "b2", "right_ankle_pitch": "b3",
    }  # fmt: skip
    signs = [figure.adoption.joints[name].sign for name in ("left_hip_pitch", "right_hip_pitch", "left_ankle_pitch")]
    assert signs == [-1.0, 1.0, 1.0]
    assert (figure.joint("left_knee").lower, figure.joint("left_knee").upper) == pytest.approx((-2.0, 0.0))
    assert figure.joint("left_ankle_pitch").torque_limit == 12.0
    assert figure.default_qpos[2] == pytest.approx(0.54)


def test_a_link_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(FILE.read_text(encoding="utf-8").replace('parent link="L1"', 'parent link="L9"'), encoding="utf-8")
    with pytest.raises(FootfallError, match="joint 'a2' names link 'L9', which is not there"):
        Figure.load(path)
