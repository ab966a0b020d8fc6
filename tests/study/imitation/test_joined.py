"""Clips that are joined into one character: seams as wide as it takes, and runs that are come to step by step."""

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.learning.clips import joined_graph
from footfall.methods.network.steered_network import CHOOSING
from footfall.methods.tracking.motion_graph import GraphClip
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.synthesis import footstep_plan
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.clips import retargeted_clips

HUMAN = Figure.load("human-28")


@pytest.fixture(scope="module")
def clips():
    return retargeted_clips(load_controller("steered-walk"), HUMAN)


@pytest.fixture
def run(monkeypatch):
    """A run of 2.2 m/s without its first seconds, in which it gathers speed."""
    order = footstep_plan._Order(np.array([2.2, 0.0]), 0.0, "run")
    monkeypatch.setattr(footstep_plan, "_order", lambda random, style: order)
    motion = random_walk(HUMAN, 7.0, 9_500_005, FPS, lively=True)
    return GraphClip("run", hinge_chains(HUMAN).ball_poses(motion.to_qpos(HUMAN)[100:]))


def test_seams_are_as_wide_as_its_clips_need(clips):
    one = joined_graph(clips, HUMAN, CHOOSING)
    graph = one.graph
    assert {graph.steps[k].clip for k in graph.core} == {step.clip for step in graph.steps}
    assert graph.choosing.near == 0.08
    assert [clip.name for clip in graph.clips] == [clip.name for clip in clips]
    assert not one.left_out


def test_a_run_is_come_to_step_by_step(clips, run):
    one = joined_graph([*clips, run], HUMAN, CHOOSING)
    slowed = [name for name, of in one.of.items() if of == "run"]
    assert len(slowed) > 3
    graph = one.graph
    inside = {graph.steps[k].clip for k in graph.core}
    assert "run" in inside
    assert graph.jolts[graph.near].max() < graph.choosing.jolt


def test_what_cannot_be_joined_is_left_out(clips, run, monkeypatch):
    monkeypatch.setattr("footfall.learning.clips.MOST", 0)
    one = joined_graph([*clips, run], HUMAN, CHOOSING)
    assert one.left_out == ("run",)
    assert {clip.name for clip in one.graph.clips} == {clip.name for clip in clips}
