"""Clips that are joined into one character: seams as wide as it takes, and runs that are come to step by step."""

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.motion_graph import FPS, GraphClip
from footfall.motion.synthesis import footstep_plan
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.joined import joined
from footfall.study.imitation.policy import check_policy
from footfall.study.imitation.steered_policy import made_clips
from footfall.study.imitation.tracker import tracker_file


@pytest.fixture(scope="module")
def character():
    policy = check_policy(load_controller(str(tracker_file())))
    return SteeredNetwork("me", policy, tuple(made_clips(load_controller("steered-walk"), Figure.load(policy.figure))))


@pytest.fixture
def run(monkeypatch):
    """A run of 2.2 m/s without its first seconds, in which it gathers speed."""
    order = footstep_plan._Order(np.array([2.2, 0.0]), 0.0, "run")
    monkeypatch.setattr(footstep_plan, "_order", lambda random, style: order)
    figure = Figure.load("human-28")
    motion = random_walk(figure, 7.0, 9_500_005, FPS, lively=True)
    return GraphClip("run", hinge_chains(figure).ball_poses(motion.to_qpos(figure)[100:]))


def test_seams_are_as_wide_as_its_clips_need(character):
    one = joined(character)
    graph = one.controller.graph
    assert {graph.steps[k].clip for k in graph.core} == {step.clip for step in graph.steps}
    assert one.controller.choosing.near == 0.08
    assert one.controller.clips == character.clips
    assert not one.left_out


def test_a_run_is_come_to_step_by_step(character, run):
    both = SteeredNetwork("me", character.policy, (*character.clips, run))
    one = joined(both)
    slowed = [name for name, of in one.of.items() if of == "run"]
    assert len(slowed) > 3
    graph = one.controller.graph
    inside = {graph.steps[k].clip for k in graph.core}
    assert "run" in inside
    assert graph.jolts[graph.near].max() < one.controller.choosing.jolt


def test_what_cannot_be_joined_is_left_out(character, run, monkeypatch):
    monkeypatch.setattr("footfall.study.imitation.joined.MOST", 0)
    one = joined(SteeredNetwork("me", character.policy, (*character.clips, run)))
    assert one.left_out == ("run",)
    assert {clip.name for clip in one.controller.clips} == {clip.name for clip in character.clips}
