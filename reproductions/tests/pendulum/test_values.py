"""The closed form meets every check value."""

from footfall_reproductions.pendulum.values import check_values, measured_values


def test_every_check_value_is_met():
    measured = measured_values()
    missed = {v.id: (v.value, measured[v.id]) for v in check_values() if not v.met(measured[v.id])}
    assert not missed
