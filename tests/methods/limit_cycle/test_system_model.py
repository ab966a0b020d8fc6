"""Discrete system models: exact where the system is linear."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.methods.limit_cycle import SystemModel

NUMBERS = st.floats(-2, 2)


def sampled(jacobian, q_nom, samples):
    """Lines through two samples of Q = Q_nom + J K in each dimension about K = 0."""
    lines = []
    for j, sample in enumerate(samples):
        k = sample * np.eye(len(samples))[j]
        lines.append(
            SystemModel.line(j, np.zeros((1, 2)), sample, (q_nom - jacobian @ k)[None], (q_nom + jacobian @ k)[None])
        )
    return lines


@settings(max_examples=50)
@given(st.lists(NUMBERS, min_size=4, max_size=4), NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_the_full_jacobian_reaches_any_target_of_a_linear_system(entries, a, b, c, d):
    jacobian = np.array(entries).reshape(2, 2) + np.diag([5.0, 5.0])
    q_nom, target = np.array([a, b]), np.array([[c, d]])
    model = SystemModel.superposed(sampled(jacobian, q_nom, (5.0, 1.0)), full=True)
    assert np.allclose(model.jacobian[0], jacobian)
    k = model.scalings(target)
    assert np.allclose(q_nom + jacobian @ k[0], target, atol=1e-9)
    assert np.allclose(model.predicted(k), target)


@settings(max_examples=50)
@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_superposition_is_exact_without_cross_terms_and_ignores_them_otherwise(a, b, c, d):
    q_nom, target = np.array([a, b]), np.array([[c, d]])
    diagonal = np.diag([0.5, 2.0])
    crossed = diagonal + np.array([[0.0, 0.3], [0.2, 0.0]])
    models = [SystemModel.superposed(sampled(j, q_nom, (5.0, 1.0)), full=False) for j in (diagonal, crossed)]
    assert np.allclose(q_nom + diagonal @ models[0].scalings(target)[0], target)
    assert np.allclose(models[0].scalings(target), models[1].scalings(target))


def test_a_dimension_that_answers_to_nothing_stays_where_it_is():
    flat = SystemModel(np.array([[1.0, 2.0]]), np.zeros((1, 2)), np.zeros((1, 2, 2)))
    assert np.array_equal(flat.scalings(np.ones((1, 2))), [[1.0, 2.0]])
