"""Where things are drawn, and what a dragged handle means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import load_controller
from footfall.dynamics import Ground
from footfall.figures import Figure, figure_names
from footfall.methods.simbicon.table import GraphTable
from footfall.methods.simbicon.target_pose import target_qpos
from footfall.motion import Motion
from footfall.studio.core.geometry import Kinematics, dragged_angle, dragged_angles
from footfall.terrain import parse_terrain

angles = st.floats(-1.5, 1.5)
small_angles = st.floats(-0.5, 0.5)


@pytest.mark.parametrize("name", figure_names())
def test_bodies_stand_where_a_motion_puts_them(name: str) -> None:
    figure = Figure.load(name)
    rng = np.random.default_rng(3)
    qpos = figure.default_qpos + 0.0
    for joint in figure.joints:
        if joint.ndof == 1:
            qpos[joint.qpos] += 0.3 * rng.standard_normal()
    placed = Kinematics(figure).place(qpos)
    motion = Motion.from_qpos(figure, np.zeros(1), qpos[None])
    np.testing.assert_allclose(placed.position, motion.positions()[0], atol=1e-12)
    np.testing.assert_allclose(placed.points, motion.end_positions()[0], atol=1e-12)
    assert np.all(np.abs(np.sum(placed.wxyz * motion.orientations()[0], axis=1)) > 1 - 1e-12)


@given(st.lists(angles, min_size=9, max_size=9), angles, st.integers(0, 5))
def test_dragging_a_handle_to_where_a_turned_joint_carries_it_turns_the_joint(
    pose: list[float], turn: float, which: int
) -> None:
    figure = Figure.load("planar-biped")
    kinematics = Kinematics(figure)
    joint, body, reach = kinematics.ends[which % len(kinematics.ends)]

    def tip(qpos: np.ndarray) -> np.ndarray:
        from footfall.motion.quaternion import rotate

        kinematics.place(qpos)
        place, wxyz = kinematics.body_pose(body)
        return place + rotate(wxyz, reach)

    qpos = np.array(pose)
    turned = qpos.copy()
    turned[figure.joint(joint).qpos] += turn
    there, here = tip(turned), tip(qpos)
    axis, anchor = kinematics.joint_axis(joint)
    assert dragged_angle(axis, anchor, here, there) == pytest.approx(turn, abs=1e-9)
    eye = there + np.array([0.3, -4.0, 0.5])
    beyond = eye + 1.3 * (there - eye)
    assert dragged_angle(axis, anchor, here, beyond, eye) == pytest.approx(turn, abs=1e-6)


@given(st.tuples(small_angles, small_angles), st.integers(0, 5))
def test_dragging_a_shared_handle_turns_the_joints_that_carry_it_there(turns: tuple[float, float], which: int) -> None:
    figure = Figure.load("human-28")
    kinematics = Kinematics(figure)
    joints = (("left_hip_pitch", "left_hip_roll"), ("right_hip_pitch", "right_hip_roll"))[which % 2]
    body, reach = next((b, p) for name, b, p in kinematics.ends if name == joints[0])
    assert any(name == joints[1] and np.allclose(p, reach) for name, _, p in kinematics.ends)

    def tip(qpos: np.ndarray) -> np.ndarray:
        from footfall.motion.quaternion import rotate

        kinematics.place(qpos)
        place, wxyz = kinematics.body_pose(body)
        return place + rotate(wxyz, reach)

    qpos = np.array(figure.default_qpos, dtype=float)
    eye = qpos[:3] + np.array([3.0, -3.0, 1.0])
    goal = qpos.copy()
    for joint, turn in zip(joints, turns):
        goal[figure.joint(joint).qpos] += turn
    there = tip(goal)
    for _ in range(60):
        here = tip(qpos)
        axes, anchors = (np.array(part) for part in zip(*(kinematics.joint_axis(joint) for joint in joints)))
        for joint, angle in zip(joints, dragged_angles(axes, anchors, here, eye + 1.2 * (there - eye), eye)):
            qpos[figure.joint(joint).qpos] += angle
    sight = (there - eye) / np.linalg.norm(there - eye)
    off = tip(qpos) - eye
    assert np.linalg.norm(off - sight * (off @ sight)) < 2e-3


def test_a_standing_figure_is_carried_by_the_ground() -> None:
    figure = Figure.load("planar-biped")
    kinematics = Kinematics(figure)
    qpos = figure.default_qpos.copy()
    qpos[1] -= 0.002
    placed = kinematics.place(qpos, np.zeros(figure.nv))
    anchors, down = placed.points * [1.0, 1.0, 0.0], np.ones(len(placed.points), dtype=bool)
    _, forces = kinematics.ground_forces(placed, anchors, down, parse_terrain("flat"), Ground())
    touching = forces[:, 2] > 0
    assert touching.sum() == 4
    np.testing.assert_allclose(forces[touching, 2], 100_000 * 0.002, rtol=1e-6)
    ahead = anchors + np.array([0.1, 0.0, 0.0])
    _, sideways = kinematics.ground_forces(placed, ahead, down, parse_terrain("flat"), Ground())
    np.testing.assert_allclose(sideways[touching, 0], 0.65 * sideways[touching, 2])


def test_the_ghost_has_the_targets_angles() -> None:
    graph, figure = load_controller("walk"), Figure.load("planar-biped")
    table = GraphTable(graph, figure)
    qpos = np.array(graph.start.qpos)  # type: ignore[union-attr]
    ghost = target_qpos(table, 0, qpos, {"d": 0.1, "v": 0.5})
    hip, knee = figure.joint("right_hip").qpos, figure.joint("right_knee").qpos
    assert ghost[2] == 0.0
    assert ghost[hip] == pytest.approx(0.4 + 0.2 * 0.5)
    assert ghost[knee] == pytest.approx(-1.1)
    np.testing.assert_array_equal(ghost[:2], qpos[:2])
    stance = figure.joint("left_hip").qpos
    assert ghost[stance] + ghost[2] == pytest.approx(qpos[stance] + qpos[2])
