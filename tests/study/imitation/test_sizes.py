"""Walks from captured motion on bodies of other sizes: what scales, scales by the laws of similarity."""

import math

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.scaling import SizeFactors, scaled_figure, size_of
from footfall.methods.simbicon.captured_walk import FEEDBACK, GAINS, captured_walk
from footfall.motion import retarget
from footfall.motion.person_of_clip import figure_from_motion
from footfall.study.imitation.captured import clip_cycle
from tests.motion.walks import walk


@pytest.fixture(scope="module")
def clip():
    return walk(8.0)


def test_human_28_is_its_own_size():
    assert size_of(Figure.load("human-28")) == SizeFactors(1.0, 1.0)
    assert size_of(Figure.load("human")) == SizeFactors(1.0, 1.0)


def test_a_scaled_figure_has_its_size():
    child = scaled_figure(Figure.load("human-28"), height=0.9)
    assert size_of(child).length == pytest.approx(0.5)
    assert size_of(child).mass == pytest.approx(0.125)


def test_a_walk_on_a_child_is_the_grown_ups_in_small(clip):
    grown = Figure.load("human-28")
    child = scaled_figure(grown, height=0.9)
    one, two = (clip_cycle(clip, figure) for figure in (grown, child))
    root = math.sqrt(retarget(clip, child)[1].scale)
    same = retarget(clip, grown)[1].scale
    assert two.left == pytest.approx(root * one.left, rel=0.01)
    assert two.velocity[0] == pytest.approx(root * one.velocity[0] / same, rel=0.02)
    large, small = (captured_walk(cycle, figure, name="walk") for cycle, figure in ((one, grown), (two, child)))
    for role, gains in GAINS.items():
        assert large.servo.joints[role] == gains
        assert small.servo.joints[role].kp == pytest.approx(gains.kp * 0.5**4, rel=1e-3)
        assert small.servo.joints[role].kd == pytest.approx(gains.kd * 0.5**4.5, rel=1e-3)
        assert small.servo.joints[role].torque_limit is None
    for role, (c_d, c_v) in FEEDBACK.items():
        assert small.states[0].targets[role].c_d == pytest.approx(c_d / 0.5, rel=1e-3)
        assert small.states[0].targets[role].c_v == pytest.approx(c_v / math.sqrt(0.5), rel=1e-3)
    np.testing.assert_allclose(small.start.qpos[7:], large.start.qpos[7:], atol=0.02)


def test_a_body_made_from_the_clip_keeps_its_pace(clip):
    body = figure_from_motion(clip)
    cycle = clip_cycle(clip, body.figure)
    assert cycle.velocity[0] == pytest.approx(1.2, abs=0.05)
