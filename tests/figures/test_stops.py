"""How far joints turn, by file or as in a person."""

import numpy as np
import pytest

from footfall.figures import Figure, figure_names
from footfall.figures.stops import gimbals, stop_ranges


@pytest.mark.parametrize("name", figure_names())
def test_ranges_hold_the_standing_pose_and_are_the_same_on_both_sides(name: str) -> None:
    figure = Figure.load(name)
    ranges = stop_ranges(figure)
    joints = [j for j in figure.joints if j.actuated and j.ndof == 1]
    perm, sign = figure.mirror_dofs
    for joint in joints:
        low, high = ranges[joint.dof]
        assert np.isfinite([low, high]).all()
        assert low <= figure.default_qpos[joint.qpos] <= high
        mirrored = np.sort(sign[joint.dof] * ranges[perm[joint.dof]])
        np.testing.assert_allclose(mirrored, ranges[joint.dof], atol=1e-12)


def test_a_range_in_the_file_wins_and_may_have_slack() -> None:
    human, planar = Figure.load("human-28"), Figure.load("planar-biped")
    assert tuple(stop_ranges(human)[human.joint("left_knee").dof]) == (-2.5, 0.0)
    np.testing.assert_allclose(stop_ranges(planar)[planar.joint("left_knee").dof], (-3.4, 0.38))


def test_joints_of_a_figure_without_legs_turn_freely_unless_the_file_says_otherwise() -> None:
    chain = Figure.load(
        "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1'/><body name='b'><joint name='knee'/>"
        "<geom size='0.1'/><body name='c'><joint name='elbow' range='-10 20' limited='true'/><geom size='0.1'/>"
        "</body></body></body></worldbody></mujoco>"
    )
    ranges = stop_ranges(chain)
    assert np.isinf(ranges[:7]).all()
    np.testing.assert_allclose(ranges[7], np.radians([-10, 20]))


def test_gimbals_are_found_where_the_middle_hinge_can_reach_a_quarter_turn() -> None:
    names = [tuple(j.name for j in triple) for triple in gimbals(Figure.load("human-28"))]
    assert ("left_hip_roll", "left_hip_pitch", "left_hip_yaw") in names
    assert ("right_shoulder_pitch", "right_shoulder_roll", "right_shoulder_yaw") in names
    assert not any("waist" in triple[0] or "neck" in triple[0] for triple in names)
