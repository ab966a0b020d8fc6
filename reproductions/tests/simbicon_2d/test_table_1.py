"""The periodic gaits of table 1 walk, in the step times of the authors' applet."""

import pytest

from footfall.simulation import Simulation
from footfall_reproductions.simbicon_2d.measure import GAITS


def test_every_gait_walks() -> None:
    for name in GAITS:
        outcome = Simulation(name).run(30.0)
        assert outcome.survived[0], name
        assert outcome.footsteps[0] >= 30, name
        known = GAITS[name][1]
        if known is not None:
            assert outcome.step_time[0] == pytest.approx(known, rel=0.06), name
