"""Seeing the ground: on level ground sight changes nothing, on steps it carries the walk across."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import Sight
from footfall.simulation import Simulation

ROUNDING = 1e-9
"""How far two kernels' motions may lie apart after seconds: they round differently."""


def test_sight_changes_nothing_on_level_ground() -> None:
    sighted = load_controller("ground-sight-walk")
    blind = replace(sighted, sight=None)
    ends = [Simulation(graph).run(3.0).qpos for graph in (sighted, blind)]
    np.testing.assert_allclose(*ends, atol=ROUNDING)


def test_a_controller_with_sight_saves_back() -> None:
    controller = replace(load_controller("walk"), sight=Sight(margin=0.02))
    assert parse_controller(print_controller(controller)) == controller


def test_a_negative_look_ahead_is_refused() -> None:
    with pytest.raises(FootfallError, match="sight ahead is -1"):
        replace(load_controller("walk"), sight=Sight(ahead=-1.0))
