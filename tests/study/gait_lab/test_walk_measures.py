"""Measures of gait laboratories: closed forms, and one number for an analysed walk and for a search's candidate."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion.quaternion import multiply
from footfall.simulation import Record, Simulation
from footfall.study.adaptation.wanted import parse_want
from footfall.study.gait_lab.analysis import analyse
from footfall.study.gaits.find import find_gait
from footfall.study.gaits.goal import Goal
from footfall.study.measures.mean_cycles import (
    MATCHES,
    MeanCycle,
    mean_cycles,
    periodic_acceleration,
    roughness,
    variable_scores,
)
from footfall.study.measures.people import Band, profile_score, variable_score
from footfall.study.measures.strides import cost_of_transport
from footfall.study.measures.table import (
    BALANCE_MEASURES,
    CYCLE_MEASURES,
    MEASURES,
    OF_FOLLOWING,
    OF_OUTCOME,
    PARAMETERS,
    RUN_MEASURES,
    WALK_MEASURES,
    measure_cycle,
)
from tools.measures_page import PAGE, measures_page

PERCENT = np.linspace(0.0, 1.0, 101)


@pytest.mark.parametrize(("harmonic", "left"), [(1, 0.0), (10, 0.0), (11, 1.0), (20, 1.0)])
def test_roughness_is_what_ten_harmonics_leave(harmonic, left):
    curve = 3.0 + 0.7 * np.sin(2 * np.pi * harmonic * PERCENT)
    assert roughness(curve) == pytest.approx(left * 0.7 / np.sqrt(2), abs=1e-12)


def test_acceleration_of_a_path_is_that_of_its_waves():
    """A head that travels at constant speed and bobs twice a stride; a constant velocity has no acceleration."""
    duration, height = 1.1, 0.02
    path = np.stack([1.3 * duration * PERCENT, 0.0 * PERCENT, height * np.cos(4 * np.pi * PERCENT)], axis=-1)
    found = periodic_acceleration(path, duration)
    expected = -height * (4 * np.pi / duration) ** 2 * np.cos(4 * np.pi * PERCENT[:-1])
    np.testing.assert_allclose(found[:, 2], expected, atol=1e-9)
    np.testing.assert_allclose(found[:, :2], 0.0, atol=1e-9)
    rms = measure_cycle(MeanCycle({}, 60.0, duration, head=path))["head_acceleration"]
    assert rms == pytest.approx(height * (4 * np.pi / duration) ** 2 / np.sqrt(2))


def test_two_humps_are_read_where_they_are():
    """1 BW + 0.15 BW cos over a stance of 60 %: peaks at both ends of the middle, a dip half-way."""
    stance = np.arange(101) <= 60
    force = np.where(stance, 1.0 - 0.15 * np.cos(4 * np.pi * np.arange(101) / 60), 0.0)
    found = measure_cycle(MeanCycle({"grf_vertical": force}, 60.0, 1.0))
    assert (found["first_peak_at"], found["second_peak_at"]) == (15, 45)
    assert found["first_peak"] == pytest.approx(1.15)
    assert found["second_hump"] == pytest.approx(0.3)
    falling = np.where(stance, 1.2 - 0.01 * np.arange(101), 0.0)
    assert measure_cycle(MeanCycle({"grf_vertical": falling}, 60.0, 1.0))["second_hump"] == 0.0


def test_people_match_themselves():
    rng = np.random.default_rng(1)
    bands = {angle: Band(20 * rng.standard_normal(101), np.full(101, 4.0)) for angle in MATCHES.values()}
    own = measure_cycle(MeanCycle({angle: band.mean for angle, band in bands.items()}, 60.0, 1.0), bands)
    assert own["match"] == 100.0
    assert own["profile_score"] == 0.0
    off = measure_cycle(MeanCycle({angle: band.mean + 8.0 for angle, band in bands.items()}, 60.0, 1.0), bands)
    assert off["match"] == pytest.approx(50.0)
    assert off["profile_score"] == pytest.approx(8.0)


def test_work_over_weight_and_way_is_the_cost_of_transport():
    cost = cost_of_transport(0.2 * 9.81 * 1.4, 1.4)
    assert cost == pytest.approx(0.2)
    assert measure_cycle(MeanCycle({}, 60.0, 1.0, cost))["cost_of_transport"] == cost
    assert np.isnan(cost_of_transport(1.0, 0.01))


def test_a_report_has_one_cost_of_transport(trace):
    analysed, searched = analyse(trace), measure_cycle(mean_cycles(trace, [0])[0])
    cost = analysed.walk_measures["cost_of_transport"]
    assert cost == analysed.measures["cost_of_transport"]["both"].mean
    assert cost == pytest.approx(searched["cost_of_transport"], rel=0.01)


def test_every_measure_says_what_it_is():
    for measure in MEASURES.values():
        assert measure.title
        assert measure.definition
        assert measure.needs in ("", "people", "forces", "clip")


@pytest.fixture(scope="module")
def trace():
    record = Record(rate=200.0, worlds=2, fields=("qpos", "events", "grf"))
    simulation = Simulation("walk-3d", worlds=2, record=record)
    simulation.run(7.0)
    return simulation.trace()


def test_a_search_and_an_analysis_measure_the_same(trace):
    analysed = analyse(trace).walk_measures
    searched = measure_cycle(mean_cycles(trace, [0])[0])
    assert len(analysed) >= 18
    for name, value in analysed.items():
        assert searched[name] == pytest.approx(value, rel=2e-3, abs=2e-3), name


def test_the_profile_score_is_one_number(trace):
    """Of a report and of a search's candidate, from each side's own curves."""
    analysed, searched = analyse(trace), mean_cycles(trace, [0])[0]
    rng = np.random.default_rng(2)
    bands = {angle: Band(20 * rng.standard_normal(101), np.full(101, 4.0)) for angle in MATCHES.values()}
    scores = variable_scores(analysed.mean_cycle, bands)
    assert {angle: set(sides) for angle, sides in scores.items()} == {angle: {"left", "right"} for angle in bands}
    for angle, sides in scores.items():
        for side, score in sides.items():
            assert score == variable_score(analysed.means[angle][side], bands[angle])
    overall = profile_score(scores)["overall"]
    assert measure_cycle(analysed.mean_cycle, bands)["profile_score"] == overall
    assert measure_cycle(searched, bands)["profile_score"] == pytest.approx(overall, rel=2e-3)


def test_heading_does_not_matter(trace):
    turn = 2.0
    c, s = np.cos(turn), np.sin(turn)
    qpos, grf = trace.qpos.copy(), trace.mean_grf.copy()
    for turned, values in ((qpos, trace.qpos), (grf, trace.mean_grf)):
        turned[..., 0], turned[..., 1] = (
            c * values[..., 0] - s * values[..., 1],
            s * values[..., 0] + c * values[..., 1],
        )
    qpos[..., 3:7] = multiply(np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]), trace.qpos[..., 3:7])
    before = measure_cycle(mean_cycles(trace, [1])[1])
    after = measure_cycle(mean_cycles(replace(trace, qpos=qpos, mean_grf=grf), [1])[1])
    for name in set(CYCLE_MEASURES) - set(MATCHES) - {"match", "profile_score"}:
        assert after[name] == pytest.approx(before[name], abs=1e-7), name


def test_likeness_needs_people():
    goal = Goal("mine", "walk-3d", want={"match_knee_flexion": (90.0, 100.0, 1.0)})
    with pytest.raises(FootfallError, match="match_knee_flexion, which compare with people"):
        find_gait(goal, seconds=1.0)


@pytest.mark.parametrize("text", ["match_nose=1,2,3", "first_peak=1", "first_peak=2,1,3", "first_peak=a,b,c"])
def test_a_wrong_wish_is_refused(text):
    with pytest.raises(FootfallError, match=r"measure|want"):
        parse_want(text)


def test_the_page_is_printed_from_the_table():
    assert PAGE.read_text(encoding="utf-8") == measures_page(), "python -m tools.measures_page"


def test_every_measure_can_be_measured():
    kinds = [BALANCE_MEASURES, CYCLE_MEASURES, OF_FOLLOWING, OF_OUTCOME, PARAMETERS, RUN_MEASURES, WALK_MEASURES]
    assert set().union(*kinds) == set(MEASURES)
