"""Traces as xarray, outcomes as pandas: the same numbers under names."""

import numpy as np
import pytest
import xarray as xr

from footfall import Record, Simulation
from footfall.simulation.trace import FIELDS, FORCES


@pytest.fixture(scope="module")
def pushed():
    """Three walkers, one pushed over."""
    record = Record(rate=50.0, fields=(*FIELDS, *FORCES))
    simulation = Simulation("walk", worlds=3, set={"swing_hip.c_v": np.array([0.2, 0.25, -5.0])}, record=record)
    return simulation, simulation.run(1.5)


def test_a_dataset_holds_every_number_of_its_trace_under_a_name(pushed):
    trace = pushed[0].trace()
    data = trace.to_xarray()
    assert dict(data.sizes) == {
        "time": len(trace.times), "world": 3, "coordinate": 9, "velocity": 9, "point": trace.grf.shape[2], "axis": 3
    }  # fmt: skip
    for name in ("qpos", "qvel", "torque", "qacc", "moment", "contact", "grf", "state", "stance", "last"):
        np.testing.assert_array_equal(data[name], getattr(trace, name))
    for name, values in trace.signals.items():
        np.testing.assert_array_equal(data[name], values)
    knee = trace.figure.joint("left_knee")
    np.testing.assert_array_equal(data.qpos.sel(coordinate="left_knee"), trace.qpos[..., knee.qpos])
    np.testing.assert_array_equal(data.torque.sel(velocity="left_knee"), trace.torque[..., knee.dof])


def test_a_dataset_is_saved_and_read_back(pushed, tmp_path):
    data = pushed[0].trace().to_xarray()
    data.to_netcdf(tmp_path / "trace.nc", engine="h5netcdf")
    with xr.open_dataset(tmp_path / "trace.nc", engine="h5netcdf") as again:
        np.testing.assert_array_equal(again.qpos, data.qpos)
        assert again.attrs["controller"] == "walk"
        assert list(again.point.values) == list(data.point.values)


def test_what_was_not_recorded_is_not_there():
    simulation = Simulation("walk", record=Record(rate=20.0, fields=("qpos",)))
    simulation.run(0.2)
    assert set(simulation.trace().to_xarray()) == {"qpos", "last"}


def test_a_table_of_an_outcome_has_a_row_for_each_world(pushed):
    outcome = pushed[1]
    table = outcome.to_pandas()
    assert table.index.name == "world"
    assert len(table) == 3
    np.testing.assert_array_equal(table.survived, outcome.survived)
    np.testing.assert_array_equal(table.speed, outcome.speed)
    assert table[["fell", "diverged"]].dtypes.tolist() == [bool, bool]
    assert "qpos" not in table
