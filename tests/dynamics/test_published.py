"""Accelerations of SIMBICON's planar biped as its authors' own equations give them."""

import numpy as np
import pytest

from footfall.dynamics import CompiledFigure
from footfall.figures import Figure
from tests.dynamics.evaluation import Evaluation
from tests.figures.test_figure import DRIVEN, FALLING, PUBLISHED, START

TORQUE = [0.0, 0.0, 0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]


@pytest.fixture(scope="module")
def biped():
    figure = Figure.load("planar-biped")
    places = [(0, (0.1, 0.0, 0.2)), (6, (0.0, 0.0, -0.1))]
    return figure, Evaluation(CompiledFigure(figure, push_places=places))


@pytest.mark.parametrize(
    ("torque", "published", "precision"),
    [([0.0] * 9, FALLING, 1e-5), (TORQUE, DRIVEN, 1e-3)],
    ids=["falling", "driven"],
)
def test_it_accelerates_as_published(biped, torque, published, precision):
    figure, evaluation = biped
    order = [figure.joint(name).dof for name in PUBLISHED]
    qpos, qvel, force = np.zeros((1, 9)), np.zeros((1, 9)), np.zeros((1, 9))
    qpos[0, order], qvel[0, order], force[0, order] = START[0::2], START[1::2], torque
    found = evaluation.answers(qpos, qvel, force)["qacc"][0, order]
    np.testing.assert_allclose(found, published, rtol=4e-6, atol=precision)
