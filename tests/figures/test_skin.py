"""The balls that a fallen figure lies on."""

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure, figure_names
from tools.pulling import lowest_points


def skin_lowest(figure: Figure, qpos: np.ndarray) -> float:
    data = mujoco.MjData(figure.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(figure.model, data)
    places = [data.xpos[b.body + 1] + data.xmat[b.body + 1].reshape(3, 3) @ b.position for b in figure.skin]
    return min(place[2] - ball.radius for place, ball in zip(places, figure.skin, strict=True))


@pytest.mark.parametrize("name", figure_names())
def test_in_any_pose_the_lowest_ball_is_the_lowest_place_of_the_body(name: str) -> None:
    figure = Figure.load(name)
    rng = np.random.default_rng(3)
    for _ in range(40):
        qpos = figure.default_qpos + 0.5 * rng.normal(size=figure.nq)
        if figure.root == "planar":
            qpos[2] = rng.uniform(-np.pi, np.pi)
        mujoco.mj_normalizeQuat(figure.model, qpos)
        assert skin_lowest(figure, qpos) == pytest.approx(lowest_points(figure, qpos[None])[0], abs=0.0055)


def test_balls_that_the_joints_neighbour_covers_are_left_out() -> None:
    figure = Figure.load("human-28")
    knees = [b for b in figure.skin if figure.bodies[b.body].name in ("left_thigh", "left_shank")]
    assert len(figure.skin) < 48
    assert len(knees) == 2  # the knee once, and the ankle; the hip is in the pelvis
