"""Walks that are played on motion graphs of made clips."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.learning.clips import QUICK, played_clips, whole_parts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def walks():
    return played_clips(Figure.load("human-28"), 50.0, 3, minutes=1)


def test_they_are_walks_without_jumps_of_joints(walks):
    figure = Figure.load("human-28")
    assert sum(walk.seconds for walk in walks) > 40.0
    way = 0.0
    for walk in walks:
        qpos = walk.to_qpos(figure)
        assert np.abs(np.diff(qpos[:, 7:], axis=0)).max() * 50.0 < QUICK
        assert qpos[:, 2].min() > 0.6
        way += np.linalg.norm(np.diff(qpos[:, :2], axis=0), axis=1).sum()
    assert 10.0 < way < 240.0


def test_the_same_number_gives_the_same_walks(walks):
    again = played_clips(Figure.load("human-28"), 50.0, 3, minutes=1)
    assert [walk.seconds for walk in again] == [walk.seconds for walk in walks]
    assert np.array_equal(again[0].root_position, walks[0].root_position)


def test_a_jump_of_a_joint_is_cut_out(walks):
    figure = Figure.load("human-28")
    whole = walks[0]
    qpos = whole.to_qpos(figure)
    jumped = qpos.copy()
    jumped[150:, 7] += 1.5
    parts = whole_parts(type(whole).from_qpos(figure, np.arange(len(qpos)) / 50.0, jumped), figure)
    assert parts[0].seconds == pytest.approx(150 / 50.0 - 0.1, abs=0.05)
