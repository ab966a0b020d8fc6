"""Closed form, periodic gaits, the regulator and time projection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_are

from footfall.errors import FootfallError
from footfall.methods.pendulum import LEAST_HIP_TORQUE, Person, Walk, human_walk, periodic_gait
from footfall.methods.pendulum.closed_form import Hips, Plane, StepState, advance
from footfall.methods.pendulum.regulator import discrete_riccati
from footfall.methods.pendulum.time_projection import project

ZERO4 = (0.0, 0.0, 0.0, 0.0)
walks = st.builds(
    lambda speed, frequency, double, slope, tilt: Walk(
        speed=speed, frequency=frequency, double_support=double, slope=slope, tilt=tilt
    ),
    st.floats(-0.8, 1.2),
    st.floats(1.4, 2.6),  # no step is longer than the leg
    st.floats(0.0, 0.4),
    st.floats(-0.1, 0.1),
    st.floats(-0.2, 0.3),
)


def _before(c):
    return c.ankle + c.ankle_ramp


def _nominal_state(c, t):
    x, y = c.walked(1.0, t)
    return *x, *y


def _advanced(c, d, start, time, torques, fx, fy, state):
    begin = StepState(start, d, _before(c), Plane(*state[:4]), Plane(*state[4:]), Hips(*torques))
    x, y = advance(c, begin, time, fx, fy)
    return *x, *y


@settings(max_examples=30, deadline=None, derandomize=True)
@given(walk=walks, split=st.floats(0.0, 1.0), d=st.sampled_from([-1.0, 1.0]), seed=st.integers(0, 1000))
def test_time_may_be_split_anywhere(walk, split, d, seed):
    c = periodic_gait(Person.of(), walk).stride
    random = np.random.default_rng(seed)
    state, inputs = random.normal(0, 0.3, 8), random.normal(0, 20, 6)
    state[[2, 6]] = 0.0
    middle = split * c.duration
    whole = _advanced(c, d, 0.0, c.duration, inputs[:4], *inputs[4:], state)
    part = _advanced(c, d, 0.0, middle, inputs[:4], *inputs[4:], state)
    joined = _advanced(c, d, middle, c.duration - middle, inputs[:4], *inputs[4:], part)
    np.testing.assert_allclose(np.ravel(joined), np.ravel(whole), atol=1e-10)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(walk=walks, height=st.floats(1.0, 2.3))
def test_steps_repeat_mirrored(walk, height):
    walk = walk.replace(speed=0.7 * walk.speed * np.sqrt(height / 1.7))
    try:
        c = periodic_gait(Person.of(height, 70.0), walk).stride
    except FootfallError:
        return
    sx, px, svx, pvx, sy, py, svy, pvy = _nominal_state(c, c.duration)
    misses = [sx + c.start_sx, px - sx - c.start_px, svx, pvx - c.start_vx]
    misses += [sy - c.start_sy, sy - py - c.start_py, svy, pvy + c.start_vy]
    assert np.abs(misses).max() < 1e-10


def test_kinematics_do_not_depend_on_mass_and_scale_with_height():
    light, heavy = periodic_gait(Person.of(1.7, 40.0)), periodic_gait(Person.of(1.7, 120.0))
    assert light.stride.start_px == pytest.approx(heavy.stride.start_px)
    assert light.stride.hip_x * 3 == pytest.approx(heavy.stride.hip_x)
    scale = 1.3
    tall = Walk(speed=np.sqrt(scale), frequency=1.7 / np.sqrt(scale))
    assert periodic_gait(Person.of(1.7 * scale), tall).stride.start_px == pytest.approx(scale * light.stride.start_px)


def test_least_hip_torque_has_none_laterally():
    c = periodic_gait(Person.of(), Walk(step_width=LEAST_HIP_TORQUE)).stride
    assert abs(float(c.hip_y[0])) < 1e-10
    assert abs(float(c.hip_ramp_y[0])) < 1e-10


def test_riccati_is_solved():
    gait = periodic_gait(Person.of([1.5, 1.9], 70.0), Walk(speed=[0.5, 1.2]))
    A, B = gait.step_map.state, gait.step_map.input
    Q, R = np.tile(np.eye(3), (2, 1, 1)), np.full((2, 1, 1), 1e-6)
    P = discrete_riccati(A, B, Q, R)
    for k in range(2):
        np.testing.assert_allclose(P[k], solve_discrete_are(A[k], B[k], Q[k], R[k]), rtol=1e-7)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(walk=walks)
def test_the_regulator_stabilises(walk):
    gait = periodic_gait(Person.of(), walk)
    assert np.abs(np.linalg.eigvals(gait.regulator.closed_loop[0])).max() < 0.5


def _projected(c, t, state, d=1.0):
    return project(c, StepState(t, d, _before(c), Plane(*state[:4]), Plane(*state[4:])))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1000), double=st.floats(0.0, 0.3), part=st.floats(0.0, 0.8), d=st.sampled_from([-1.0, 1.0]))
def test_projection_lands_the_foot_at_rest_and_stays_constant(seed, double, part, d):
    c = periodic_gait(Person.of(), Walk(double_support=double)).stride
    error = np.random.default_rng(seed).normal(0, 0.02, 8)
    if part * c.duration[0] < c.double_time[0]:
        error[[2, 6]] = 0.0
    t = part * c.duration
    mirror = np.array([1, 1, 1, 1, d, d, d, d])
    state = [n * s + e for n, s, e in zip(_nominal_state(c, t), mirror, error, strict=True)]
    torques = _projected(c, t, state, d)
    end = _advanced(c, d, t, c.duration - t, torques, 0.0, 0.0, state)
    assert abs(float(end[2][0])) < 1e-8
    assert abs(float(end[6][0])) < 1e-8
    later = t + 0.5 * (0.9 * c.duration - t)
    moved = _advanced(c, d, t, later - t, torques, 0.0, 0.0, state)
    np.testing.assert_allclose(np.ravel(_projected(c, later, moved, d)), np.ravel(torques), rtol=1e-5, atol=1e-5)


def test_projection_at_the_start_is_the_regulator():
    gait = periodic_gait(Person.of())
    c, gain = gait.stride, gait.regulator.gain[0]
    swing, pelvis, velocity = 0.01, -0.02, 0.07
    state = list(_nominal_state(c, 0.0))
    state[0], state[1], state[3] = state[0] + swing, state[1] + pelvis, state[3] + velocity
    v, _, _, _ = _projected(c, 0.0, state)
    assert float(v[0]) == pytest.approx(-gain @ [pelvis - swing, pelvis, velocity], rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"speed": 3.0}, "step length .* allows"),
        ({"frequency": 0.4}, "frequency .* between"),
        ({"slope": 0.6}, "slope .* between"),
        ({"tilt": 1.4}, "tilt .* between"),
        ({"double_support": 0.7}, "double_support .* between"),
        ({"drag": 400.0}, "drag .* between"),
        ({"step_width": "narrow"}, "least-hip-torque"),
        ({"cop_start": 0.0}, "go together"),
        ({"speed": float("inf")}, "finite"),
    ],
)
def test_walks_beyond_reach_are_refused(changes, words):
    with pytest.raises(FootfallError, match=words):
        periodic_gait(Person.of(), Walk(**changes))


def test_people_choose_their_rhythm():
    body = Person.of()
    slow, fast = human_walk(body, 0.6), human_walk(body, 1.6)
    assert fast.frequency > slow.frequency
    assert fast.double_support < slow.double_support
    assert human_walk(body, 1.0, frequency=1.5).frequency == 1.5
