"""Seeing the ground carries the walk across steps on which it falls otherwise."""

import pytest

from footfall_reproductions.improving_simbicon.terrain import climbed, crossed


@pytest.mark.slow
def test_the_sighted_walk_crosses_where_the_walk_falls() -> None:
    assert crossed("ground-sight-walk", 0.15, worlds=4).sum() >= 3
    assert crossed("walk", 0.15, worlds=4).sum() == 0
    assert climbed("ground-sight-walk", 0.20).all()


@pytest.mark.slow
def test_feet_placed_off_edges_carry_over_higher_steps() -> None:
    sure, sighted = (crossed(name, 0.20, worlds=6).sum() for name in ("sure-footed-walk", "ground-sight-walk"))
    assert sure > sighted
