"""A push rose that grows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.study.trials.pushing import grow_rose


@given(st.lists(st.integers(0, 13), min_size=1, max_size=9), st.integers(1, 6))
def test_a_limit_is_found_whatever_the_stride_where_harder_pushes_are_worse(limits: list[int], stride: int) -> None:
    """And with fewer pushes than all of them."""
    tried: list[int] = []

    def trial(way: np.ndarray, size: np.ndarray) -> np.ndarray:
        tried.append(len(way))
        return size < np.array(limits)[way]

    parts: list[float] = []
    rose = grow_rose(trial, len(limits), 13, lambda part, _: parts.append(part), stride)
    assert rose.passed.tolist() == limits
    assert rose.open.tolist() == [limit == 13 for limit in limits]
    assert sum(tried) <= 13 * len(limits)
    assert parts == sorted(parts)
    assert parts[-1] == 1.0


def test_a_push_that_fails_below_one_that_passes_is_the_limit_if_it_is_tried() -> None:
    rose = grow_rose(lambda way, size: ~np.isin(size, [1, 3]), 1, 6, stride=4)
    assert rose.passed.tolist() == [1]
