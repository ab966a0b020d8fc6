"""Falls and divergence: told apart, told when, and never drawn as a walk."""

import numpy as np
import pytest

from footfall.simulation import Push, Record, Simulation


def test_numbers_that_run_away_are_a_divergence_with_finite_last_states():
    simulation = Simulation("walk", integrator="explicit", dt=0.005, set={"kp": 3000.0}, record=Record(200.0))
    outcome = simulation.run(5.0)
    assert outcome.diverged.all()
    assert not outcome.fell.any()
    assert not outcome.survived.any()
    assert 0.0 <= outcome.end_time[0] < 5.0
    for states in (outcome.qpos, outcome.qvel, outcome.last_qpos, outcome.last_qvel):
        assert np.isfinite(states).all()
    trace = simulation.trace()
    assert trace.motion().times[-1] <= outcome.end_time[0]
    assert trace.last[0] < len(trace.times)


def test_the_last_states_lead_up_to_the_end():
    simulation = Simulation("walk", pushes=[Push(-2000.0, 1.0, 0.1)], record=Record(200.0), last_states=6)
    outcome = simulation.run(4.0)
    assert outcome.fell.all()
    trace = simulation.trace()
    lived = int(trace.last[0])
    np.testing.assert_array_equal(outcome.last_qpos[0], trace.qpos[lived - 6 : lived, 0])
    np.testing.assert_array_equal(outcome.last_qvel[0], trace.qvel[lived - 6 : lived, 0])


def test_a_fall_is_the_same_whether_or_not_it_is_followed():
    push = [Push(-2000.0, 1.0, 0.1)]
    left, followed = (Simulation("walk", pushes=push, ragdoll_after_fall=limp).run(4.0) for limp in (False, True))
    for name in ("fell", "end_time", "time", "footsteps"):
        np.testing.assert_array_equal(getattr(left, name), getattr(followed, name), err_msg=name)
    for name in ("distance", "speed", "torque_squared", "power", "peak_torque"):
        np.testing.assert_allclose(getattr(left, name), getattr(followed, name), rtol=1e-6, err_msg=name)
    assert followed.qpos[0, 1] < left.qpos[0, 1]


def test_a_followed_fall_ends_on_the_ground():
    simulation = Simulation("walk", pushes=[Push(-2000.0, 1.0, 0.1)], ragdoll_after_fall=True, record=Record(100.0))
    outcome = simulation.run(6.0)
    motion = simulation.trace().motion()
    assert motion.times[-1] == pytest.approx(5.99)
    assert outcome.qpos[0, 1] < 0.35
    assert np.abs(outcome.qvel).max() < 5.0
    torque = motion.channel("torque")[motion.times > outcome.end_time[0] + 0.011]
    np.testing.assert_array_equal(torque, 0.0)
