"""A world does not depend on its neighbours, on threads, or on how its time is cut up."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.simulation import Record, Simulation

RESULTS = ("qpos", "qvel", "distance", "speed", "torque_squared", "acceleration_squared", "power", "peak_torque")


def _same(one, other, world=0):
    for name in RESULTS:
        np.testing.assert_array_equal(getattr(one, name)[0], getattr(other, name)[world], err_msg=name)


@pytest.fixture(scope="module")
def alone():
    return Simulation("walk", threads=1).run(3.0)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_one_world_and_a_thousand_are_bit_identical(alone, threads):
    many = Simulation("walk", worlds=1000, threads=threads).run(3.0)
    for world in (0, 1, 499, 999):
        _same(alone, many, world)
    assert np.all(many.qpos == many.qpos[0])


def test_a_world_with_parameters_of_its_own_is_that_world_alone(alone):
    gains = np.array([0.2, 0.25, 0.3, 0.15, 0.2])
    many = Simulation("walk", worlds=5, set={"swing_hip.c_v": gains}).run(3.0)
    for world, gain in enumerate(gains):
        one = Simulation("walk", set={"swing_hip.c_v": float(gain)}).run(3.0)
        _same(one, many, world)
    assert np.any(many.qpos[0] != many.qpos[1])


def test_time_cut_into_chunks_is_one_run(alone):
    simulation = Simulation("walk")
    for steps in (1, 2, 997, 1000, 500, 500):
        simulation.step(steps)
    _same(alone, simulation.outcome())
    seen = []
    _same(alone, Simulation("walk").run(3.0, seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(3.0)


def test_a_trace_cut_into_chunks_is_one_trace():
    whole, parts = (Simulation("walk", record=Record(rate=100.0)) for _ in range(2))
    whole.run(1.0)
    for steps in (3, 8, 489, 500):
        parts.step(steps)
    one, other = whole.trace(), parts.trace()
    for name in ("times", "qpos", "qvel", "torque", "state", "contact", "stance", "last"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert {"d", "v", "torso_torque"} <= set(one.signals)
    for name, values in one.signals.items():
        np.testing.assert_array_equal(values, other.signals[name], err_msg=name)
    np.testing.assert_allclose(one.times, np.arange(100) * 0.01)


def test_a_snapshot_goes_on_exactly(alone):
    simulation = Simulation("walk")
    simulation.run(1.0)
    kept = simulation.snapshot()
    simulation.run(2.0)
    _same(alone, simulation.outcome())
    simulation.restore(kept)
    simulation.run(2.0)
    _same(alone, simulation.outcome())
    many = Simulation("walk", worlds=7)
    many.restore(kept)
    many.run(2.0)
    for world in (0, 6):
        _same(alone, many.outcome(), world)


def test_reset_begins_anew(alone):
    simulation = Simulation("walk")
    simulation.run(0.7)
    simulation.reset()
    assert simulation.time == 0.0
    _same(alone, simulation.run(3.0))


def test_parameters_change_on_the_way():
    simulation = Simulation("walk")
    simulation.run(2.0)
    simulation.set({"speed": 0.3})
    changed = simulation.run(2.0)
    assert changed.survived.all()
    assert np.any(changed.qpos != Simulation("walk").run(4.0).qpos)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"worlds": 0}, "worlds is 0"),
        ({"dt": -0.001}, "dt is -0.001"),
        ({"dt": 1.0}, "dt is 1.0"),
        ({"dt": float("nan")}, "dt is nan"),
        ({"integrator": "euler"}, "integrator is 'euler'"),
        ({"device": "gpu"}, "device is 'gpu'"),
        ({"precision": "half"}, "precision is 'half'"),
        ({"threads": 0}, "threads is 0"),
        ({"qpos": [0.0] * 3}, "qpos has shape"),
        ({"qvel": [float("nan")] * 9}, "qvel is not finite"),
        ({"set": {"swing_hip.c_w": 1.0}}, "swing_hip.c_w"),
        ({"set": {"kp": float("nan")}}, "kp"),
        ({"set": {"kp": [1.0, 2.0]}, "worlds": 3}, "kp"),
        ({"terrain": "steep"}, "unknown terrain"),
        ({"figure": "human"}, "human"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(wrong, message):
    with pytest.raises(FootfallError, match=message) as told:
        Simulation("walk", **wrong)
    assert "\n" not in str(told.value)
