"""The authors' applet as footfall runs it again: a row of tables 1 and 2."""

import pytest

from footfall_reproductions.improving_simbicon.measure import EFFORT, applet_run


def test_a_row_of_tables_one_and_two() -> None:
    outcome = applet_run("walk", "flat", "")
    torque, acceleration = EFFORT["walk"]["flat"]["pd"]
    assert outcome.torque_squared[0] == pytest.approx(torque, rel=0.01)
    assert outcome.acceleration_squared[0] == pytest.approx(acceleration, rel=0.01)
