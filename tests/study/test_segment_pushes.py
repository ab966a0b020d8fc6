"""Pushes on every segment of a body, on a ladder of forces."""

import json

import pytest

from footfall.errors import FootfallError
from footfall.study.robustness.segments import segment_pushes
from tests.cli.commands import refused, said


@pytest.mark.slow
def test_nobody_falls_without_force_and_all_segments_are_pushed(capsys):
    words = ["robustness", "walk-3d", "--segments", "10", "--ladder", "0,20000", "--seconds", "8", "--seed", "1"]
    (found,) = json.loads(said(capsys, *words, "--json"))["punches"]
    calm, hard = found["rungs"]
    assert calm == {"most_n": 0.0, "once": 10, "every": 10}
    assert hard["once"] < 10
    assert hard["every"] < 10
    assert sum(n for _, n in found["segments"].values()) == 20
    again = segment_pushes("walk-3d", worlds=10, ladder=(0.0, 20000.0), seconds=8.0, dt=0.001, threads=1)
    assert again.digest == found["digest"]
    other = segment_pushes("walk-3d", worlds=10, ladder=(20000.0,), seconds=8.0, dt=0.001)
    assert other.rungs == again.rungs[1:]
    assert other.digest != again.digest
    assert "20000 N" in said(capsys, *words)


def test_what_cannot_be_is_one_line(capsys):
    with pytest.raises(FootfallError, match="3D figures"):
        segment_pushes("walk", worlds=1)
    for words, error in (
        (("--segments", "0"), "worlds is 0"),
        (("--segments", "2", "--ladder", "1,x"), "--ladder '1,x': write newtons"),
        (("--segments", "2", "--ladder=-5"), "newtons from 0 up"),
        (("--segments", "2", "--seconds", "4"), "seconds is 4"),
        (("--segments", "2", "--only", "push_forward"), "no --only"),
    ):
        assert error in refused(capsys, "robustness", "walk-3d", *words)
