"""Feet that stand firmly, and feet that slide."""

from dataclasses import replace

import pytest

from footfall.dynamics.ground import Ground
from footfall.methods.limit_cycle import THESIS_GROUND, BalancedWalk, hip_control
from footfall.simulation import Record, Simulation
from footfall_reproductions.foot_slip import foot_slip


def test_the_walk_neither_sinks_nor_slides():
    """What visitors of the studio see first: less than 1.5 cm into the ground and less than 4 cm over it, a stance."""
    simulation = Simulation("walk-3d", record=Record(rate=100.0))
    simulation.run(9.0)
    slip = foot_slip(simulation.trace(), Ground())
    assert slip.depth < 0.015
    assert slip.slide < 0.04
    assert slip.lift < 0.04


@pytest.mark.slow
@pytest.mark.usefixtures("long_module")
def test_feet_that_walk_stand_firmly_and_feet_that_are_shifted_slide():
    walk = BalancedWalk("human-12-walk", hip_control("SP"), walkers=2, targets=[[0.25, 0.0], [0.3, 0.0]], dt=0.002)
    trace = walk.walk(4).trace(0, rate=200.0)
    firm = foot_slip(trace, THESIS_GROUND)
    assert firm.slide <= firm.scuff < 0.02 < firm.lift < 0.1
    assert 0.003 < firm.depth < 0.035
    shifted = trace.qpos.copy()
    shifted[:, 0, 0] += 0.3 * trace.times
    slid = foot_slip(replace(trace, qpos=shifted), THESIS_GROUND)
    assert slid.slide > 0.05
    assert slid.depth == pytest.approx(firm.depth, abs=1e-12)
