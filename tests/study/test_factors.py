"""The grammar of factors, and designs that enumerate their worlds."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.study.sweeps.factors import Design, Draw, Grid, parse_assignment, parse_factor

numbers = st.floats(-1e6, 1e6).map(lambda x: round(x, 6))


@given(numbers, numbers, st.integers(2, 50))
def test_grid_includes_both_ends(low: float, high: float, count: int) -> None:
    grid = parse_factor(f"kp={low}:{high}:{count}")
    assert isinstance(grid, Grid)
    assert len(grid.values) == count
    assert grid.values[0] == pytest.approx(low)
    assert grid.values[-1] == pytest.approx(high)


@given(st.lists(numbers, min_size=1, max_size=6, unique=True))
def test_list_keeps_its_values(values: list[float]) -> None:
    grid = parse_factor("push.force=" + ",".join(repr(v) for v in values))
    assert grid == Grid("push.force", tuple(values))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "NAME=LOW:HIGH:COUNT"),
        ("kp", "NAME=LOW:HIGH:COUNT"),
        ("kp=", "NAME=LOW:HIGH:COUNT"),
        ("kp=1:2", "NAME=LOW:HIGH:COUNT"),
        ("kp=1:2:0", "at least 1"),
        ("kp=1:2:2.5", "whole number"),
        ("kp=a,b", "not a number"),
        ("kp=1,nan", "not finite"),
        ("kp=1,1", "twice"),
        ("kp~uniforn(0,1)", "did you mean 'uniform'"),
        ("kp~uniform(1,0)", "low ≤ high"),
        ("kp~normal(0,-1)", "at least 0"),
        ("kp~loguniform(0,1)", "0 < low"),
    ],
)
def test_bad_factors_say_what_would_be_right(text: str, word: str) -> None:
    with pytest.raises(FootfallError, match=r".+") as caught:
        parse_factor(text)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_setting() -> None:
    assert parse_assignment("push.start=5") == ("push.start", 5.0)
    with pytest.raises(FootfallError, match="NAME=VALUE"):
        parse_assignment("push.start")


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(1, 5), st.data())
def test_design_enumerates_the_product_in_any_stretches(sizes: list[int], samples: int, data: st.DataObject) -> None:
    grids = [Grid(f"g{i}", tuple(float(10 * i + k) for k in range(n))) for i, n in enumerate(sizes)]
    design = Design.of([*grids, Draw("r", "uniform", 0.0, 1.0)], samples, seed=3)
    whole = design.values(0, design.worlds)
    drawn = design.drawn()["r"]
    wanted = list(itertools.product(*(g.values for g in grids), drawn))
    assert np.array_equal(np.stack([*(whole[g.name] for g in grids), whole["r"]], axis=-1), np.array(wanted))
    cut = data.draw(st.integers(0, design.worlds))
    for name in whole:
        parts = np.concatenate([design.values(0, cut)[name], design.values(cut, design.worlds)[name]])
        assert np.array_equal(parts, whole[name])


def test_draws_depend_on_seed_and_name_alone() -> None:
    a, b = Draw("a", "normal", 1.0, 2.0), Draw("b", "loguniform", 1.0, 10.0)
    both, one = Design.of([a, b], 20, 7), Design.of([b], 20, 7)
    assert np.array_equal(both.drawn()["b"], one.drawn()["b"])
    assert not np.array_equal(one.drawn()["b"], Design.of([b], 20, 8).drawn()["b"])
    assert np.all((one.drawn()["b"] >= 1.0) & (one.drawn()["b"] <= 10.0))


def test_designs_refuse_nonsense() -> None:
    with pytest.raises(FootfallError, match="twice"):
        Design.of([Grid("a", (1.0,)), Draw("a", "uniform", 0.0, 1.0)])
    with pytest.raises(FootfallError, match="nothing is drawn"):
        Design.of([Grid("a", (1.0,))], samples=3)
    with pytest.raises(FootfallError, match="worlds"):
        Design.of([Grid(n, tuple(map(float, range(2000)))) for n in "abcd"])
