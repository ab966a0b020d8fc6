import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.figures.side_names import counterparts
from tests.figures.dynamics_of import acceleration
from tests.figures.random_trees import random_state


@pytest.mark.parametrize("name", figure_names())
@pytest.mark.parametrize("edits", [(), ("thigh*1.2", "mass*0.8"), ("foot*1.1@z",)])
def test_a_mirrored_state_moves_in_the_mirrored_way(name, edits):
    figure = Figure.load(name)
    if edits and name == "robo-bird":
        edits = ("leg2*1.2",)
    figure = figure.with_body_parameters(figure.body_parameters(edits))
    for seed in range(5):
        qpos, qvel = random_state(figure, seed)
        torque = np.random.default_rng(seed).normal(0, 50, figure.nv)
        one = acceleration(figure.model, qpos, qvel, torque)
        other = acceleration(
            figure.model, figure.mirror_qpos(qpos), figure.mirror_qvel(qvel), figure.mirror_qvel(torque)
        )
        np.testing.assert_allclose(other, figure.mirror_qvel(one), rtol=1e-7, atol=1e-7 * np.abs(one).max())


@pytest.mark.parametrize("name", figure_names())
def test_mirroring_twice_is_nothing(name):
    figure = Figure.load(name)
    states = np.random.default_rng(0).normal(size=(3, 4, figure.nq))
    np.testing.assert_array_equal(figure.mirror_qpos(figure.mirror_qpos(states)), states)
    perm, sign = figure.mirror_dofs
    np.testing.assert_array_equal(perm[perm], np.arange(figure.nv))
    np.testing.assert_array_equal(sign * sign[perm], 1.0)
    np.testing.assert_allclose(figure.mirror_qpos(figure.default_qpos), figure.default_qpos)


def test_a_planar_figure_swaps_its_legs():
    figure = Figure.load("planar-biped")
    perm, sign = figure.mirror_dofs
    assert perm.tolist() == [0, 1, 2, 6, 7, 8, 3, 4, 5]
    assert sign.tolist() == [1.0] * 9


def test_a_lopsided_figure_has_no_mirror_image():
    figure = Figure.load("human")
    lopsided = figure.with_body_parameters(figure.body_parameters("left_shank*1.1"))
    assert len(lopsided.sides.bodies) == 5
    with pytest.raises(FootfallError, match="no mirror image of itself: bodies 'left_"):
        lopsided.mirror_qvel(np.zeros(25))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_knee", "right_knee"),
        ("knee_left", "knee_right"),
        ("LeftUpLeg", "RightUpLeg"),
        ("Knee.L", "Knee.R"),
        ("knee_l", "knee_r"),
        ("l_knee", "r_knee"),
        ("lknee", "rknee"),
        ("LHip", "RHip"),
    ],
)
def test_sides_go_by_name(left, right):
    pairs = counterparts([left, "pelvis", right, "lumbar", "root"])
    assert pairs[left] == (right, "left")
    assert pairs[right] == (left, "right")
    assert pairs["pelvis"] == ("pelvis", None)
    assert pairs["lumbar"] == ("lumbar", None)
    assert pairs["root"] == ("root", None)
