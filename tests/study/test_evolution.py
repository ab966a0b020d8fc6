"""The driver of all searches by CMA-ES."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.study.search.evolution import Budget, Evolution, SearchBox, SearchLog, evolve


def bowl(points):
    return ((np.asarray(points) - 0.3) ** 2).sum(axis=1)


def searched(seed=3, most=40, noted=(), keep=None):
    """A search whose first generations may be noted already, and its own notes."""
    evolution = Evolution(0.2, population=8, seed=seed, boxed=True, keep=keep)
    evolution.begin(np.full(3, 0.8))
    notes = []

    def judge(points, generation):
        assert points.shape == (8, 3)
        assert ((points >= 0.0) & (points <= 1.0)).all()
        assert generation >= len(noted)
        return {"costs": bowl(points).tolist()}

    budget = Budget(generations=most)
    assert not evolve(evolution, judge, budget, noted=noted, after=lambda points, note: notes.append(note))
    return evolution, notes


def test_it_finds_the_bottom_and_is_the_same_for_the_same_seed():
    one, two, other = searched()[0], searched()[0], searched(seed=4)[0]
    assert one.least < 1e-3
    np.testing.assert_allclose(one.best, 0.3, atol=0.05)
    assert one.tried == 8 * 40
    np.testing.assert_array_equal(one.best, two.best)
    assert not np.array_equal(one.best, other.best)


def test_noted_costs_continue_a_search_where_it_was_interrupted():
    whole = searched(most=12)[0]
    first = searched(most=5)[1]
    np.testing.assert_array_equal(searched(most=12, noted=first)[0].best, whole.best)


def test_every_better_candidate_is_kept_and_the_best_of_all_starts_stays():
    kept = []
    evolution = searched(keep=kept.append)[0]
    costs = bowl(kept)
    assert (np.diff(costs) < 0).all()
    np.testing.assert_array_equal(kept[-1], evolution.best)
    least = evolution.least
    evolution.begin(np.full(3, 0.9))
    evolve(evolution, lambda points, _: {"costs": bowl(points)}, Budget(generations=1))
    assert evolution.starts == 2
    assert evolution.least == least
    assert evolution.mean.shape == (3,)
    assert evolution.sigma > 0
    assert not evolution.converged


def test_a_search_ends_by_number_or_when_told():
    evolution = Evolution(0.2, population=4, seed=1)
    evolution.begin(np.zeros(2))

    def judge(points, generation):
        raise AssertionError

    assert not evolve(evolution, judge, Budget(generations=0))
    assert not evolve(evolution, judge, Budget(), until=lambda: True)
    assert evolution.tried == 0


def test_what_stands_for_the_points_is_kept():
    evolution = Evolution(0.2, population=4, seed=1)
    evolution.begin(np.zeros(2))
    evolve(evolution, lambda points, _: {"costs": [3, 1, 2, 4], "candidates": "abcd"}, Budget(generations=1))
    assert evolution.best == "b"


def test_a_box_maps_to_the_unit_cube_and_back():
    box = SearchBox({"a": (-1.0, 3.0), "b": (10.0, 20.0)})
    np.testing.assert_array_equal(box.to_cube([1.0, 12.0]), [0.5, 0.2])
    np.testing.assert_array_equal(box.from_cube(np.array([[0.5, 0.2], [1.0 / 3.0, 0.0]])), [[1.0, 12.0], [0.3333, 10]])
    assert box.named(np.array([1.0, 12.0])) == {"a": 1.0, "b": 12.0}


def test_a_checkpoint_is_read_by_its_own_search_alone(tmp_path):
    path = tmp_path / "search.json"
    SearchLog(path, "mine").add({"costs": [1.0, 2.0]})
    assert SearchLog(path, "mine").generations == [{"costs": [1.0, 2.0]}]
    with pytest.raises(FootfallError, match="belongs to another search"):
        SearchLog(path, "other")
    path.write_text("{")
    with pytest.raises(FootfallError, match="delete it to begin again"):
        SearchLog(path, "mine")
    SearchLog(None, "mine").add({"costs": []})
