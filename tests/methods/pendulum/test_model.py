"""The body's constants and 3LP's equations of motion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.methods.pendulum import Person, ThreeLinearPendulums
from footfall.methods.pendulum.model import GRAVITY

from .newton_euler import Instant, accelerations

small = st.floats(-0.5, 0.5)


def _instant(values, d, slope, tilt):
    swing, pelvis, stance, hip, ankle, force = np.array(values).reshape(6, 2)
    return Instant(swing, pelvis, stance, 40 * hip, 100 * ankle, 50 * force, d, slope, tilt)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    values=st.lists(small, min_size=12, max_size=12),
    d=st.sampled_from([-1.0, 1.0]),
    slope=st.floats(-0.3, 0.3),
    tilt=st.floats(-0.4, 0.9),
    height=st.floats(1.0, 2.2),
)
def test_single_support_is_newton_euler(values, d, slope, tilt, height):
    body, now = Person.of(height, 65.0), _instant(values, d, slope, tilt)
    foot, pelvis = accelerations(body, now)
    model = ThreeLinearPendulums.of(body, slope, tilt)
    for axis, sign in ((0, 1.0), (1, -1.0)):
        s, p = now.swing[axis] - now.stance[axis], now.pelvis[axis] - now.stance[axis]
        hip, ankle = sign * now.hip[1 - axis], sign * now.ankle[1 - axis]
        bias = model.bias_x if axis == 0 else tuple(d * b for b in model.bias_y)
        for k, expected in enumerate((foot[axis], pelvis[axis])):
            got = model.single[k][0] * s + model.single[k][1] * p + model.hip[k] * hip + model.ankle[k] * ankle
            got = got + model.force[k] * now.force[axis] + bias[k]
            assert got == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    values=st.lists(small, min_size=12, max_size=12),
    share=st.floats(0.0, 1.0),
    slope=st.floats(-0.3, 0.3),
    tilt=st.floats(-0.4, 0.9),
)
def test_double_support_is_newton_euler(values, share, slope, tilt):
    body, now = Person.of(1.8, 80.0), _instant(values, 1.0, slope, tilt)
    foot, pelvis = accelerations(body, now, share)
    np.testing.assert_allclose(foot, 0.0, atol=1e-9)
    model = ThreeLinearPendulums.of(body, slope, tilt)
    for axis, sign in ((0, 1.0), (1, -1.0)):
        s, p = now.swing[axis] - now.stance[axis], now.pelvis[axis] - now.stance[axis]
        got = model.double_pelvis * p + (model.double_foot + share * model.double_foot_slope) * s
        got = got + model.double_ankle * sign * now.ankle[1 - axis] + model.double_force * now.force[axis]
        got = got + (model.double_bias if axis == 0 else 0.0)
        assert got == pytest.approx(pelvis[axis], abs=1e-9)


def test_light_legs_make_a_linear_inverted_pendulum():
    body = Person.of(1.6, 60.0)
    misses = []
    for share in (1e-2, 1e-4, 1e-6):
        light = body.replace(m2=share * body.m2, inertia=share * body.inertia)
        rate = ThreeLinearPendulums.of(light).modes()[0]
        misses.append(abs(float(rate**2 - GRAVITY / (body.h1 + body.h3))))
    assert misses[2] < 1e-5 < misses[0]
    assert misses[0] > misses[1] > misses[2]


def test_drag_is_a_force_on_the_pelvis():
    body = Person.of()
    pulled, free = ThreeLinearPendulums.of(body, drag=30.0), ThreeLinearPendulums.of(body)
    for k in (0, 1):
        assert pulled.bias_x[k] - free.bias_x[k] == pytest.approx(30.0 * free.force[k])
    assert pulled.double_bias - free.double_bias == pytest.approx(30.0 * free.double_force)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(height=st.floats(0.5, 3.0), mass=st.floats(5.0, 300.0))
def test_bodies_scale(height, mass):
    body, unit = Person.of(height, mass), Person.of(1.0, 1.0)
    assert body.h2 == pytest.approx(height * unit.h2)
    assert body.m2 == pytest.approx(mass * unit.m2)
    assert body.inertia == pytest.approx(mass * height**2 * unit.inertia)
    assert body.m1 + 2 * body.m2 == pytest.approx(0.999 * mass, rel=2e-3)


@pytest.mark.parametrize(
    ("height", "mass", "word"), [(0.1, 70, "height"), (1.7, -1, "mass"), (float("nan"), 70, "height")]
)
def test_bodies_out_of_range_are_refused(height, mass, word):
    with pytest.raises(FootfallError, match=word):
        Person.of(height, mass)


def test_a_bad_walker_is_named():
    with pytest.raises(FootfallError, match="walker 2"):
        Person.of([1.7, 1.8, 9.0], 70)
