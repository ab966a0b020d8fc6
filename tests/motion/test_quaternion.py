import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from footfall.motion.quaternion import (
    between,
    conjugate,
    continuous,
    exp,
    from_axis_angle,
    from_euler,
    from_matrix,
    log,
    multiply,
    normalised,
    rotate,
    slerp,
    to_euler,
    to_matrix,
    twist_angle,
)
from footfall.motion.skeleton.hinges import hinge_angles

seeds = st.integers(0, 2**32 - 1)


def some(seed, count=20):
    return normalised(np.random.default_rng(seed).normal(size=(count, 4)))


@given(seeds)
def test_rotation_is_a_homomorphism_onto_matrices(seed):
    a, b = some(seed), some(seed + 1)
    v = np.random.default_rng(seed).normal(size=(20, 3))
    assert np.allclose(rotate(multiply(a, b), v), rotate(a, rotate(b, v)))
    assert np.allclose(to_matrix(a) @ to_matrix(b), to_matrix(multiply(a, b)))
    assert np.allclose(to_matrix(a), Rotation.from_quat(a[:, [1, 2, 3, 0]]).as_matrix())


@given(seeds)
def test_exp_and_log_are_inverse_and_log_is_short(seed):
    q = some(seed)
    assert np.linalg.norm(log(q), axis=-1).max() <= np.pi + 1e-9
    assert np.allclose(np.abs(np.sum(exp(log(q)) * q, axis=-1)), 1.0)
    tiny = 1e-9 * log(q)
    assert np.allclose(log(exp(tiny)), tiny, atol=1e-18)


@given(seeds)
def test_matrix_round_trip(seed):
    q = some(seed)
    assert np.allclose(np.abs(np.sum(from_matrix(to_matrix(q)) * q, axis=-1)), 1.0)


@given(seeds)
def test_euler_round_trip_in_every_order(seed):
    q = some(seed)
    for order in map("".join, itertools.permutations("xyz")):
        assert np.allclose(np.abs(np.sum(from_euler(order, to_euler(order, q)) * q, axis=-1)), 1.0)
        assert np.allclose(
            np.abs(np.sum(from_euler(order, to_euler(order, q))[:, [1, 2, 3, 0]]
            * Rotation.from_euler(order.upper(), to_euler(order, q)).as_quat(), axis=-1)), 1.0
        )  # fmt: skip


def test_euler_survives_gimbal_lock():
    for order in map("".join, itertools.permutations("xyz")):
        for middle in (np.pi / 2, -np.pi / 2):
            q = from_euler(order, np.array([0.4, middle, -0.9]))
            assert np.isclose(abs(np.sum(from_euler(order, to_euler(order, q)) * q)), 1.0)


@given(seeds)
def test_between_takes_one_direction_to_the_other(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 10, 3))
    turned = rotate(between(a, b), a)
    assert np.allclose(np.cross(turned, b), 0, atol=1e-9)
    assert (np.sum(turned * b, axis=-1) > 0).all()
    assert np.allclose(rotate(between(a, -a), a), -a)


@given(seeds, st.floats(0, 1))
def test_slerp_keeps_its_ends_and_a_constant_speed(seed, weight):
    a, b = some(seed), some(seed + 1)
    share = np.full(len(a), weight)
    angle = np.linalg.norm(log(multiply(conjugate(a), b)), axis=-1)
    part = np.linalg.norm(log(multiply(conjugate(a), slerp(a, b, share))), axis=-1)
    assert np.allclose(part, weight * angle, atol=1e-7)


@given(seeds)
def test_twist_of_a_turn_about_the_axis_is_its_angle(seed):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = rng.uniform(-3.1, 3.1, size=10)
    assert np.allclose(twist_angle(from_axis_angle(axis, angle), axis), angle)


@given(seeds)
def test_continuous_changes_no_rotation_and_has_no_jumps(seed):
    q = some(seed)
    smooth = continuous(q)
    assert np.allclose(np.abs(np.sum(smooth * q, axis=-1)), 1.0)
    assert (np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0).all()


@given(seeds)
def test_hinges_are_found_from_their_product(seed):
    rng = np.random.default_rng(seed)
    for count in (1, 2, 3):
        axes = np.eye(3)[rng.permutation(3)[:count]] * rng.choice([-1.0, 1.0], size=(count, 1))
        angles = rng.uniform(-1.2, 1.2, size=(6, count))
        q = np.tile([1.0, 0, 0, 0], (6, 1))
        for k in range(count):
            q = multiply(q, from_axis_angle(axes[k], angles[:, k]))
        found = hinge_angles(axes, q, smooth=False)
        again = np.tile([1.0, 0, 0, 0], (6, 1))
        for k in range(count):
            again = multiply(again, from_axis_angle(axes[k], found[:, k]))
        assert np.linalg.norm(log(multiply(conjugate(q), again)), axis=-1).max() < 1e-6
