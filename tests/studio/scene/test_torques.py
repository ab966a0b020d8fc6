"""Torques as colours: the body that the hardest working joint carries is the reddest."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.pictures.player import LEAST, TorqueColours
from footfall.studio.scene import Torques, Viewport
from footfall.studio.shared import Shared


@pytest.fixture(params=["planar-biped", "human-28"])
def figure(request: pytest.FixtureRequest) -> Figure:
    return Figure.load(request.param)


def torques_of(figure: Figure) -> Torques:
    return Torques(Viewport(Shared("test", "0")), figure, list(range(len(figure.bodies))), shown=True)


def test_a_joint_colours_what_it_carries(figure: Figure) -> None:
    for joint in (j for j in figure.joints if j.actuated):
        torque = np.zeros(figure.nv)
        torque[joint.dof] = -5.0 * LEAST
        heat = TorqueColours(figure).heat(torque)
        assert heat[joint.body] == 1.0
        assert heat.sum() == 1.0


def test_heat_lies_between_0_and_1_and_grows_with_the_torque(figure: Figure) -> None:
    torques, rng = TorqueColours(figure), np.random.default_rng(1)
    assert not torques.heat(np.zeros(figure.nv)).any()
    for _ in range(20):
        torque = rng.normal(scale=200.0, size=figure.nv)
        heat, more = torques.heat(torque), TorqueColours(figure).heat(torque)
        assert heat.min() >= 0
        assert heat.max() <= 1
        assert (heat <= more + 1e-12).all()  # beside a larger torque of late everything is paler


def test_it_is_sent_only_where_it_is_shown(figure: Figure) -> None:
    torques = torques_of(figure)
    torques.shown = False
    torques.show(np.ones(figure.nv))
    assert not torques.visible
    assert torques.data is None
    torques.shown = True
    torques.show(100.0 * np.ones(figure.nv))
    assert torques.visible
    assert len(torques.data) == len(figure.bodies)
    torques.show(None)
    assert not torques.visible
