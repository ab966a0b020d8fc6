"""Match, scores and people's tables."""

import numpy as np
import pytest

from footfall import FootfallError
from footfall.study.gait_lab.analysis import analyse
from footfall.study.measures.people import (
    SCHWARTZ_SPEEDS,
    Band,
    Norms,
    double_hump,
    match,
    profile_score,
    variable_score,
)
from tests.study.gait_lab.walks import motion, norms

BAND = Band(np.sin(np.linspace(0, 2 * np.pi, 101)), np.full(101, 0.5))


def test_match_is_whole_inside_the_band_and_nothing_a_band_beyond():
    assert match(BAND.mean, BAND) == 100.0
    assert match(BAND.mean + 0.5, BAND) == pytest.approx(100.0)
    assert match(BAND.mean + 1.0, BAND) == pytest.approx(50.0)
    assert match(BAND.mean - 1.5, BAND) == pytest.approx(0.0)
    assert match(BAND.mean + 9.0, BAND) == 0.0


def test_scores():
    assert variable_score(BAND.mean + 3.0, BAND) == pytest.approx(3.0)
    scores = {"pelvis_tilt": {"left": 3.0, "right": 30.0}, "knee_flexion": {"left": 4.0, "right": 5.0}}
    found = profile_score(scores)
    assert found["left"] == pytest.approx(np.sqrt(12.5))
    assert found["overall"] == pytest.approx(np.sqrt((9.0 + 16.0 + 25.0) / 3))


def test_the_double_hump():
    percent = np.arange(101)
    curve = np.where(percent < 62, 0.8 + 0.3 * np.exp(-(((percent - 14) / 6) ** 2)), 0.0)
    curve = np.where(percent < 62, curve + 0.25 * np.exp(-(((percent - 48) / 6) ** 2)), 0.0)
    first, second, dip = double_hump(curve, 62)
    assert first[0] == 14
    assert second[0] == 48
    assert 20 < dip[0] < 42
    assert (first[1], second[1]) == (pytest.approx(1.1, abs=0.01), pytest.approx(1.05, abs=0.01))


def test_bands_are_the_groups_at_their_speeds_and_between_them_in_between():
    folder, leg = norms(), 0.9
    at = {g: Norms(folder, v * np.sqrt(9.81 * leg), leg) for g, v in SCHWARTZ_SPEEDS.items()}
    assert list(at["free"].shares) == ["free"]
    halfway = Norms(folder, 0.5 * (SCHWARTZ_SPEEDS["slow"] + SCHWARTZ_SPEEDS["free"]) * np.sqrt(9.81 * leg), leg)
    knees = [n.bands["knee_flexion"].mean for n in (at["slow"], halfway, at["free"])]
    np.testing.assert_allclose(knees[1], 0.5 * (knees[0] + knees[2]), atol=1e-9)
    assert "beyond" in Norms(folder, 4.0, leg).label
    assert at["free"].peaks["First Vertical Peak Force [BW]"].mean == pytest.approx(1.135, abs=0.01)


def test_people_match_themselves():
    people = Norms(norms(), 1.2, 0.9)
    for band in people.bands.values():
        assert match(band.mean, band) == 100.0


@pytest.mark.slow
def test_a_figures_pelvis_is_compared_from_level():
    found = analyse(motion(), norms=norms())
    assert found.norms is not None
    tilt = found.norms.bands["pelvis_tilt"].mean.mean()
    assert tilt > 5.0
    np.testing.assert_allclose(found.bands["hip_flexion"].mean, found.norms.bands["hip_flexion"].mean - tilt)
    assert set(found.matches) == {
        "pelvis_tilt",
        "pelvis_obliquity",
        "pelvis_rotation",
        "hip_flexion",
        "hip_adduction",
        "knee_flexion",
        "ankle_dorsiflexion",
    }
    assert 50.0 < found.matches["knee_flexion"]["both"] < 100.0


def test_a_folder_without_tables(tmp_path):
    with pytest.raises(FootfallError, match="has none of"):
        Norms(tmp_path, 1.0, 0.9)
    (tmp_path / "schwartz2008_joint_angles.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FootfallError, match="line 2"):
        _ = Norms(tmp_path, 1.0, 0.9).bands
