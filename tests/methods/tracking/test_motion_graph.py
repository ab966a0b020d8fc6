"""The motion graph: which steps follow which, blends and bends. Its steps are those of the built-in tracked walk."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.tracking.controller import load_tracking
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph, bent_step, blended_step
from footfall.methods.tracking.repertoire import TrackingGains
from footfall.methods.tracking.step_choice import StepChoice
from footfall.motion.ball_poses import facing_of


@pytest.fixture(scope="module")
def walk():
    """[T, nq] a walk that begins at rest."""
    fragments = load_tracking("tracked-walk").repertoire.fragments
    frames = [fragments[0].frames]
    for fragment in fragments[1:]:
        part = fragment.frames.copy()
        part[:, :2] += frames[-1][-1, :2] - part[0, :2]
        frames.append(part[1:])
    first = np.tile(fragments[0].frames[0], (20, 1))
    return np.concatenate([first, *frames])


@pytest.fixture(scope="module")
def graph(walk, biped):
    return TrackedGraph([GraphClip("walk", walk), GraphClip("calm", walk, "calm", TrackingGains(c1_cor=0.6))], biped)


def test_feet_alternate_and_a_clip_follows_itself_at_no_cost(graph):
    kinds = [step.fragment.kind for step in graph.steps]
    for a, row in enumerate(graph.cost):
        for b, cost in enumerate(row):
            assert np.isinf(cost) == (kinds[a] == kinds[b])
    assert (graph.cost == 0.0).any(axis=1).sum() >= len(graph.steps) - 4
    assert graph.styles() == ["normal", "calm"]


def test_a_blend_is_one_step_the_other_or_between(graph, biped):
    one, two = (next(s for s in graph.steps if s.style == style) for style in ("normal", "calm"))
    np.testing.assert_allclose(blended_step(one, two, 0.0, biped).fragment.frames, one.fragment.frames, atol=1e-9)
    np.testing.assert_allclose(blended_step(one, two, 1.0, biped).fragment.frames, two.fragment.frames, atol=1e-9)
    middle = blended_step(one, two, 0.25, biped)
    assert middle.gains.c1_cor == pytest.approx(0.75 * one.gains.c1_cor + 0.25 * two.gains.c1_cor)
    other = next(s for s in graph.steps if s.fragment.kind != one.fragment.kind)
    with pytest.raises(FootfallError, match="cannot be blended"):
        blended_step(one, other, 0.5, biped)


def test_a_bent_step_turns_by_the_angle_and_keeps_its_joints_and_length(graph, biped):
    step = graph.steps[0]
    bent = bent_step(step, 0.2, biped)
    assert bent.turn == pytest.approx(step.turn + 0.2, abs=0.02)
    np.testing.assert_allclose(bent.fragment.frames[:, 7:], step.fragment.frames[:, 7:], atol=1e-12)
    assert bent.speed == pytest.approx(step.speed, rel=1e-6)
    assert facing_of(bent.fragment.frames)[0] == pytest.approx(0.0, abs=1e-9)


def test_a_graph_needs_a_stand_or_two_steps_in_a_row(walk, biped):
    with pytest.raises(FootfallError, match="two steps in a row"):
        TrackedGraph([GraphClip("walk", walk[40:60])], biped)


def test_without_a_stand_steps_are_chosen_in_mid_walk(walk, biped):
    graph = TrackedGraph([GraphClip("walk", walk[35:])], biped)
    assert not graph.stands
    choice = StepChoice(graph)
    first, second = (slot.number for slot in choice.slots.all[:2])
    assert graph.following[first] == second
    kinds = [fragment.kind for fragment in choice.repertoire().fragments]
    assert {kinds[0], kinds[1]} == {"left_swing", "right_swing"}
    assert choice.decide()
