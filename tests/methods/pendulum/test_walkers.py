"""Walkers over many steps: pushes, changes, turns, footsteps, and independence of the company they walk in."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.methods.pendulum import (
    Person,
    Walk,
    Walkers,
    gradual_change,
    human_walk,
    periodic_gait,
    record_walk,
    sample_gait,
)
from footfall.push import Push, parse_push


@pytest.fixture(scope="module")
def gait():
    return periodic_gait(Person.of())


def test_an_undisturbed_walk_is_its_nominal_gait(gait):
    walked, sampled = record_walk(gait, 3.0, fps=37), sample_gait(gait, np.arange(112) / 37)
    assert walked.state["error"].max() < 1e-9
    for name in ("sx", "px", "pvx", "sy", "py", "pvy", "foot_x", "foot_y", "d"):
        np.testing.assert_allclose(walked.state[name], sampled.state[name], atol=1e-9, err_msg=name)
    for name, values in walked.posture.items():
        np.testing.assert_allclose(values, sampled.posture[name], atol=1e-7, err_msg=name)


def test_walkers_do_not_know_each_other():
    body = Person.of([1.2, 1.7, 2.0], [35.0, 70.0, 90.0])
    walk = human_walk(body, [0.7, 1.0, 1.4])
    push = [Push((25, -10, 0), 0.8, 0.4)]
    together = record_walk(periodic_gait(body, walk), 3.0, pushes=push)
    for k in range(3):
        alone = record_walk(periodic_gait(body, walk).take(k), 3.0, pushes=push)
        for name in ("px", "pvy", "foot_x", "heading", "vx"):
            np.testing.assert_allclose(together.state[name][:, k], alone.state[name][:, 0], rtol=1e-9, atol=1e-9)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(degrees=st.floats(0.0, 360.0), start=st.floats(0.3, 1.5))
def test_pushes_are_recovered_from(gait, degrees, start):
    angle = np.radians(degrees)
    push = Push((40 * np.cos(angle), 40 * np.sin(angle), 0), start, 0.5)
    walk = record_walk(gait, 6.0, fps=30, pushes=[push])
    assert walk.recovered.all()
    assert walk.state["error"].max() > 0.05


def test_without_feedback_a_push_is_not_recovered_from(gait):
    walk = record_walk(Walkers(gait, feedback=False), 5.0, fps=30, pushes=[Push((10, 0, 0), 0.5, 0.3)])
    assert walk.fell.all()
    assert not walk.recovered.any()


def test_a_hard_push_fells(gait):
    assert record_walk(gait, 4.0, fps=30, pushes=[Push((150, 0, 0), 1.0, 0.6)]).fell.all()


def test_speed_frequency_and_double_support_change_while_walking():
    body, before = Person.of(), Walk()
    after = Walk(speed=1.4, frequency=2.0, double_support=0.08)
    walk = record_walk(periodic_gait(body, before), 9.0, fps=30, changes=gradual_change(body, before, after, 1.0))
    assert walk.recovered.all()
    times = [step.time for step in walk.footsteps[0]]
    assert np.diff(times)[:1] == pytest.approx(1 / 1.7)
    assert np.diff(times)[-1:] == pytest.approx(0.5)
    pelvis = walk.pelvis()[:, 0, 0]
    assert (pelvis[-1] - pelvis[-61]) / 2.0 == pytest.approx(1.4, abs=0.02)


def test_a_turn_goes_where_it_is_sent(gait):
    walk = record_walk(gait, 9.0, turns={0.5: np.radians(10), 6.0: 0.0})
    headings = np.array([step.heading for step in walk.footsteps[0]])
    turned = headings[-1]
    assert turned > np.radians(60)
    assert np.degrees(np.diff(headings)).max() == pytest.approx(10)
    end = walk.pelvis()[-60:, 0]
    way = np.arctan2(*(end[-1] - end[0])[::-1])
    assert way == pytest.approx(turned, abs=0.08)
    assert walk.recovered.all()


def test_turning_is_for_level_ground(gait):
    slope = Walkers(periodic_gait(Person.of(), Walk(slope=0.1)))
    with pytest.raises(FootfallError, match="level"):
        slope.turn_by(0.1)
    with pytest.raises(FootfallError, match="45 degrees"):
        Walkers(gait).turn_by(1.0)


def test_footsteps_alternate_and_lie_where_the_gait_says(gait):
    steps = record_walk(gait, 5.0).footsteps[0]
    assert {a.side != b.side for a, b in pairwise(steps)} == {True}
    assert [step.x for step in steps] == pytest.approx([(k + 1) / 1.7 for k in range(len(steps))])
    assert {round(step.y, 9) for step in steps} == {0.06, 0.0}


@pytest.mark.parametrize(
    ("text", "push"),
    [("50@2:0.6", Push(50, 2, 0.6)), ("-5,7@0:1", Push((-5, 7, 0), 0, 1)), ("1,2,0@3:4", Push((1, 2, 0), 3, 4))],
)
def test_pushes_are_read(text, push):
    assert parse_push(text) == push


@pytest.mark.parametrize("text", ["50", "50@2", "a@1:1", "1,2,3@1:1", "50@-1:1", "50@1:0", "nan@1:1", "1,2,0,0@1:1"])
def test_bad_pushes_are_refused(gait, text):
    with pytest.raises(FootfallError, match="push"):
        record_walk(gait, 1.0, fps=10, pushes=[parse_push(text)])


@pytest.mark.parametrize("bad", [{"seconds": 0.0}, {"seconds": float("nan")}, {"seconds": 1.0, "fps": 0.0}])
def test_bad_recordings_are_refused(gait, bad):
    with pytest.raises(FootfallError):
        record_walk(gait, **bad)
