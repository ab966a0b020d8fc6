"""Where things are drawn."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.dynamics import Ground
from footfall.figures import Figure, figure_names
from footfall.methods.simbicon.table import GraphTable
from footfall.methods.simbicon.target_pose import target_qpos
from footfall.motion import Motion
from footfall.studio.core.geometry import Kinematics
from footfall.terrain import parse_terrain


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
