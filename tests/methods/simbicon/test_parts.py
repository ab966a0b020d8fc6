"""The parts that laws are made of, each on random inputs against a few lines of numpy."""

import numpy as np
import pytest
import warp as wp

from footfall.control.parts import (
    beyond_stop,
    corrected_target,
    limited,
    limited_stiffness,
    predicted_error,
    predicted_rate,
    raised_target,
    root_pitch,
    root_roll,
    root_yaw,
    servo_stiffness,
    servo_torque,
    wrap_angle,
)
from footfall.methods.simbicon.parts.reaction import raised_gain, time_since_impact
from footfall.methods.simbicon.parts.torso_and_hips import stance_hip_torque
from footfall.motion.quaternion import from_euler, multiply, rotate

N = 200


@wp.kernel(module="unique", enable_backward=False)
def all_parts(x: wp.array2d[wp.float64], y: wp.array2d[wp.float64]):
    i = wp.tid()
    a, b, c, d, e, f = x[i, 0], x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5]
    y[i, 0] = servo_torque(a, b, c, d, e)
    y[i, 1] = servo_stiffness(a, b, e)
    y[i, 2] = predicted_error(c, d, e)
    y[i, 3] = predicted_rate(d, f, e)
    y[i, 4] = beyond_stop(a, wp.min(b, c), wp.max(b, c))
    y[i, 5] = limited(a, wp.abs(b))
    y[i, 6] = limited_stiffness(c, a, wp.abs(b))
    y[i, 7] = corrected_target(a, b, c, d, e)
    y[i, 8] = raised_target(a, b, c)
    y[i, 9] = wrap_angle(wp.float64(10.0) * a)
    y[i, 10] = stance_hip_torque(a, b)
    y[i, 11] = raised_gain(a, b, wp.abs(c), d)
    y[i, 12] = time_since_impact(a, b, wp.abs(c), wp.abs(d), wp.abs(e), wp.float64(0.001))
    torso = wp.vec3d(a, b, c)
    swing = wp.vec3d(d, e, f)
    stance = stance_hip_torque(torso, swing)
    y[i, 13] = wp.length(torso + stance + swing)


@pytest.fixture(scope="module")
def columns():
    x = np.random.default_rng(1).normal(size=(N, 6)) * 2.0
    y = wp.zeros((N, 14), dtype=wp.float64, device="cpu")
    wp.launch(all_parts, N, inputs=[wp.array(x, dtype=wp.float64, device="cpu"), y], device="cpu")
    return x.T, y.numpy().T


def test_a_servo_is_pd_of_the_state_ahead(columns):
    (kp, kd, error, rate, ahead, _), y = columns
    np.testing.assert_allclose(y[0], kp * (error - ahead * rate) - kd * rate, atol=1e-12)
    np.testing.assert_allclose(y[1], ahead * kd + ahead**2 * kp, atol=1e-12)


def test_the_implicit_servo_is_the_servo_at_the_end_of_the_step():
    """One joint of inertia 1: τ from torque and stiffness equals PD of the state that it leads to."""
    kp, kd, error, rate, h = 300.0, 30.0, 0.2, -1.5, 0.01
    acceleration = servo_torque(kp, kd, error, rate, h) / (1.0 + servo_stiffness(kp, kd, h))
    later = rate + h * acceleration
    assert acceleration == pytest.approx(kp * (error - h * later) - kd * later)


def test_stable_pd_by_the_previous_acceleration(columns):
    (_, _, error, rate, dt, acceleration), y = columns
    np.testing.assert_allclose(y[2], error - dt * rate, atol=1e-12)
    np.testing.assert_allclose(y[3], rate + dt * acceleration, atol=1e-12)


def test_stops_push_back_to_the_nearer_end(columns):
    (angle, b, c, *_), y = columns
    inside = np.clip(angle, np.minimum(b, c), np.maximum(b, c))
    np.testing.assert_allclose(y[4], inside - angle, atol=1e-12)


def test_limits_clip_the_torque_and_take_its_stiffness(columns):
    (torque, limit, stiffness, *_), y = columns
    np.testing.assert_array_equal(y[5], np.clip(torque, -abs(limit), abs(limit)))
    np.testing.assert_array_equal(y[6], np.where(abs(torque) > abs(limit), 0.0, stiffness))


def test_feedback_is_linear_in_d_v_and_h(columns):
    (angle, c_d, d, c_v, v, _), y = columns
    np.testing.assert_allclose(y[7], angle + c_d * d + c_v * v, atol=1e-12)
    np.testing.assert_allclose(y[8], angle + c_d * d, atol=1e-12)


def test_a_wrapped_angle_is_the_same_within_half_a_turn(columns):
    (a, *_), y = columns
    np.testing.assert_allclose(np.exp(1j * y[9]), np.exp(10j * a), atol=1e-12)
    assert np.abs(y[9]).max() <= np.pi + 1e-12


def test_the_torso_gets_its_own_torque(columns):
    """The stance-hip identity: torso torque equals minus the sum of the hips', as numbers and as vectors."""
    (torso, swing, *_), y = columns
    np.testing.assert_allclose(-(y[10] + swing), torso, atol=1e-12)
    np.testing.assert_allclose(y[13], 0.0, atol=1e-12)


def test_gains_rise_between_delay_and_its_end(columns):
    (since, delay, duration, gain, *_), y = columns
    rises = (since >= delay) & (since < delay + abs(duration))
    np.testing.assert_array_equal(y[11], np.where(rises, gain, 1.0))


def test_an_impact_counts_once_the_last_is_over(columns):
    (since, error, threshold, delay, duration, _), y = columns
    struck = (abs(error) > abs(threshold)) & (since + 0.001 >= abs(delay) + abs(duration))
    np.testing.assert_allclose(y[12], np.where(struck, 0.0, since + 0.001), atol=1e-15)


def test_the_roots_angles_are_its_turns():
    rng = np.random.default_rng(2)
    for yaw, pitch, roll in rng.uniform([-3, -1, -1], [3, 1, 1], size=(50, 3)):
        q = [float(x) for x in from_euler("zyx", np.array([yaw, pitch, 0.0]))]
        assert root_yaw(*q) == pytest.approx(yaw)
        assert root_pitch(*q) == pytest.approx(-pitch)
        q = [float(x) for x in from_euler("zyx", np.array([yaw, 0.0, roll]))]
        assert root_roll(*q) == pytest.approx(roll)
        q = np.asarray(from_euler("zyx", np.array([yaw, pitch, roll])))
        turned = multiply(from_euler("z", np.array([0.7])), q)
        leans = [(root_pitch(*map(float, p)), root_roll(*map(float, p))) for p in (q, turned)]
        assert leans[0] == pytest.approx(leans[1])
        up = rotate(q * [1, -1, -1, -1], np.array([0.0, 0.0, 1.0]))
        assert leans[0] == pytest.approx((np.arctan2(up[0], up[2]), np.arctan2(up[1], up[2])))
