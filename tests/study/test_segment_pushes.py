"""Pushes on every segment of a body."""

import pytest

from footfall.errors import FootfallError
from tools.segment_pushes import segment_push_test


@pytest.mark.slow
def test_nobody_falls_without_force_and_all_segments_are_pushed():
    calm = segment_push_test("walk-3d", worlds=20, most=0.0, seconds=8.0)
    assert calm.upright == calm.worlds == sum(n for _, n in calm.segments.values())
    hard = segment_push_test("walk-3d", worlds=20, most=20000.0, seconds=8.0)
    assert hard.upright < 20
    assert segment_push_test("walk-3d", worlds=7, most=20000.0, seconds=8.0).segments.keys() == hard.segments.keys()


def test_a_planar_figure_is_refused():
    with pytest.raises(FootfallError, match="3D figures"):
        segment_push_test("walk", worlds=1)
