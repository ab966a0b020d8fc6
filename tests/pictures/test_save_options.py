"""The options of ``save``: a part of the motion, its speed, the size of a film, PDF."""

import numpy as np
import pytest
from PIL import Image

from footfall import Record, Simulation, save
from footfall.errors import FootfallError


@pytest.fixture(scope="module")
def motion():
    simulation = Simulation("walk", record=Record(rate=100.0))
    simulation.run(2.0)
    return simulation.trace().motion()


def test_a_film_of_a_part_in_a_size(motion, tmp_path):
    calls = []
    path = save(
        motion, tmp_path / "part.gif", start=0.5, end=1.0, size=(160, 90), fps=20, progress=lambda *a: calls.append(a)
    )
    with Image.open(path) as film:
        assert film.size == (160, 90)
        assert film.n_frames == pytest.approx(10, abs=1)
    assert len(calls) == calls[-1][1]


def test_slow_motion_has_more_frames(motion, tmp_path):
    paths = [
        save(motion, tmp_path / f"{speed}.gif", end=0.4, size=(96, 54), fps=20, speed=speed) for speed in (1.0, 0.25)
    ]
    counts = []
    for path in paths:
        with Image.open(path) as film:
            counts.append(film.n_frames)
    assert counts[1] / counts[0] == pytest.approx(4.0, rel=0.2)


def test_pdf_and_parts_of_motion_files(motion, tmp_path):
    assert save(motion, tmp_path / "walk.pdf").read_bytes().startswith(b"%PDF")
    with np.load(save(motion, tmp_path / "walk.npz", start=0.5, end=1.0)) as archive:
        assert len(archive["times"]) == 51


def test_what_cannot_be_is_refused(motion, tmp_path):
    with pytest.raises(FootfallError, match="speed 0"):
        save(motion, tmp_path / "walk.gif", speed=0.0)
    with pytest.raises(FootfallError, match="choose one of"):
        save(motion, tmp_path / "walk.doc")
    assert list(tmp_path.iterdir()) == []
