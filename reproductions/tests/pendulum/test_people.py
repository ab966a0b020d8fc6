"""3LP beside people: at least the paper's correlations of joint angles."""

from pathlib import Path

import numpy as np
import pytest

from footfall_reproductions.captured_data import data_folder
from footfall_reproductions.pendulum.measure import PAPER_CORRELATION
from footfall_reproductions.pendulum.people import JOINTS, captured_people, correlations, tabled_people

DATA = data_folder()


@pytest.mark.skipif(DATA is None, reason="NO DATA: ../shared/data (captured clips and gait tables) is not there")
@pytest.mark.parametrize("people", [tabled_people, captured_people])
def test_angles_are_as_close_as_the_papers(people):
    assert isinstance(DATA, Path)
    each = [correlations(person) for person in people(DATA)]
    for joint in JOINTS:
        assert np.mean([one[joint] for one in each]) >= PAPER_CORRELATION[joint]
