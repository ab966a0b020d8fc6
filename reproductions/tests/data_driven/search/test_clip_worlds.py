"""Candidates on many clips at once: what one costs does not depend on the others."""

import numpy as np
import pytest

from footfall.methods.tracking.controller import load_tracking
from footfall.study.imitation.gain_search import LAW_RANGES, default_sets
from footfall_reproductions.data_driven.search.clip_worlds import CandidateWorlds
from footfall_reproductions.data_driven.search.robust import Strategy, minimise, toml_of
from footfall_reproductions.data_driven.search.training_clips import held_out, unique_files


@pytest.fixture(scope="module")
def worlds(standing):
    return CandidateWorlds([load_tracking("tracked-walk"), standing], each=2, seconds=1.5, noise=1e-3)


def test_a_candidate_costs_the_same_alone_and_among_others(worlds):
    rows = np.array([worlds.row({**values, "ahead": 1.0}) for values in default_sets()[:3]])
    together, alone = worlds.run(rows), worlds.run(rows[1:2])
    np.testing.assert_array_equal(together.cost[1], alone.cost[0])
    assert together.cost.shape == (3, 2)
    assert together.lived.shape == (3, 2, 2)


def test_who_stands_pays_little(worlds):
    tried = worlds.run(worlds.row({**default_sets()[0], "ahead": 1.0})[None])
    assert (tried.lived[0, 1] == 1.0).all()
    assert tried.error[0, 1].max() < 0.1


def test_a_search_finds_the_bottom_of_a_bowl_and_its_file_is_read_again(tmp_path):
    goal = default_sets()[3]
    low, high = np.array(list(LAW_RANGES.values())).T
    width = high - low

    def cost(values):
        points = np.array([[v[name] for name in LAW_RANGES] for v in values])
        wanted = np.array([goal[name] for name in LAW_RANGES])
        return (((points - wanted) / width) ** 2).sum(axis=1)

    kept = []
    plan = Strategy(seconds=60.0, population=12, generations=15)
    best, least = minimise(cost, default_sets()[0], plan, lambda text: None, kept.append)
    assert least < 0.5 * cost([default_sets()[0]])[0]
    assert kept[-1] == [best]
    file = tmp_path / "found.toml"
    file.write_text(toml_of([best], "[[sets]]", "a comment"), encoding="utf-8")
    assert default_sets(file) == [best]


def test_which_clips_are_kept_out_depends_on_their_names_alone(tmp_path):
    files = [tmp_path / folder / f"clip{k}.bvh" for folder in ("a", "b") for k in range(30)]
    out = [held_out(file) for file in files]
    assert out[:30] == out[30:]
    assert 3 < sum(out[:30]) < 20
    assert len(unique_files(files)) == 30
