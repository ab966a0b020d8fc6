"""Offsets on the accelerations that a law asks for."""

import numpy as np
import pytest

from footfall.control.registry import law_of, load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.law import OffsetLaw
from footfall.simulation import Simulation


def _worlds(law, controller, figure, worlds=1):
    integration, start = controller.integration, controller.start
    return Simulation(
        law=law,
        figure=figure,
        worlds=worlds,
        ground=controller.ground,
        qpos=start.qpos,
        qvel=start.qvel,
        dt=integration.dt,
        integrator=integration.integrator,
    )


@pytest.mark.slow
def test_offsets_are_added_to_what_the_law_asks_for():
    """Without offsets it is the law itself; an offset changes a joint's acceleration by just so much, at once."""
    controller = load_controller("tracked-walk")
    figure = Figure.load(controller.figure)
    plain = law_of(controller, figure)
    law = OffsetLaw(plain, figure)
    alone, worlds = _worlds(plain, controller, figure), _worlds(law, controller, figure, 2)
    rows = np.tile(law.parameters, (2, 1))
    dof = figure.joints[-1].dof
    rows[1, law.offset(dof)] = 7.0
    worlds.set_parameters(rows)
    alone.step(1)
    worlds.step(1)
    accelerations = worlds.snapshot()["qacc"]
    np.testing.assert_allclose(
        accelerations[1, 6:] - accelerations[0, 6:], 7.0 * (np.arange(6, figure.nv) == dof), atol=1e-9
    )
    alone.step(400)
    worlds.step(400)
    np.testing.assert_allclose(worlds.qpos[0], alone.qpos[0], rtol=0, atol=1e-9)


def test_a_law_of_torques_has_no_accelerations_to_add_to():
    figure = Figure.load("planar-biped")
    with pytest.raises(FootfallError, match="torques"):
        OffsetLaw(law_of(load_controller("walk"), figure), figure)
