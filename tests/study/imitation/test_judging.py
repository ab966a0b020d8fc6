"""Runs end with their clip, and what is judged is what was recorded until then."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.methods.tracking.controller import TrackingController, load_tracking
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.study.imitation.following import (
    FALLEN,
    Weights,
    clip_costs,
    follow,
    followed_up,
    judging_record,
    reached_end,
)
from footfall.study.imitation.gain_search import GainSearch, found_point, gain_judge, known_points, with_point
from footfall.study.trials.bench import disturbed_worlds


def test_a_world_that_came_to_the_end_counts_whatever_it_does_then(standing):
    seconds = 19 / 30.0
    simulation = disturbed_worlds(standing, worlds=2)
    simulation.run(0.5 * seconds)
    assert not reached_end(simulation, standing.repertoire).any()
    simulation.run(seconds)
    assert reached_end(simulation, standing.repertoire).all()
    up, lasted = followed_up(standing, 1.5 * seconds, worlds=2)
    assert up.all()
    assert (lasted == 1.5 * seconds).all()


def test_a_loop_has_no_end():
    walk = load_tracking("tracked-walk")
    simulation = disturbed_worlds(walk)
    simulation.run(2.0)
    assert not reached_end(simulation, walk.repertoire).any()


def test_following_ends_with_the_clip_and_stands_on_the_spot(standing):
    found = follow(standing, 3.0)
    assert not found.fell
    assert found.time == pytest.approx(19 / 30.0, abs=0.05)
    assert len(found.motion) == len(found.reference)
    assert found.course is not None
    assert found.course.mpjpe_global < 30.0
    assert found.course.heading_error < 1.0
    assert found.physique is not None
    assert found.physique.hip_torque < 5.0


def test_what_falls_costs_more_than_whatever_stays_up(standing, biped):
    """A stand without ankles' feedback, leaning far out over its toes, falls; the balanced one does not."""
    frames = standing.repertoire.fragments[0].frames.copy()
    long = np.tile(frames[:1], (90, 1))
    upright = Repertoire((Fragment("stand", long, 2.0 / 45.0),))
    simulation = disturbed_worlds(
        TrackingController("stand", upright), record=judging_record(upright), shaken=_thrown(biped)
    )
    outcome = simulation.run(2.9)
    assert outcome.survived.tolist() == [True, False]
    lived = np.where(outcome.survived, 1.0, outcome.end_time / 2.9)
    costs = clip_costs(simulation.figure, upright, simulation.trace(), outcome.survived, lived)
    assert costs[0] < 0.2 < FALLEN < costs[1]


def _thrown(biped):
    shaken = np.zeros((2, biped.nv))
    shaken[1, 0] = 4.0
    return shaken


def test_a_candidate_is_the_controller_it_came_from():
    walk = load_tracking("tracked-walk")
    point = known_points(walk)[0]
    again = found_point(with_point(walk, point))
    np.testing.assert_allclose(again, point)


def test_pushes_make_a_candidate_cost_more(standing):
    long = np.tile(standing.repertoire.fragments[0].frames[:1], (60, 1))
    stand = TrackingController("stand", Repertoire((Fragment("stand", long, 2.0 / 45.0),)))
    points = known_points(stand)[:1]
    plan = GainSearch(seconds=1.9, starts=1)
    calm = gain_judge(stand, plan)(points, 0)
    pushed = gain_judge(stand, replace(plan, pushes=(400.0,)))(points, 0, 1.0)
    assert pushed.tallies["up"][0] == 1
    assert pushed.costs[0] > calm.costs[0] + 0.1


def test_the_path_may_count_more_than_poses(standing, biped):
    """A stand that is thrown a step aside, but not over, costs more where the path counts."""
    shaken = np.zeros((1, biped.nv))
    shaken[0, 0] = 0.1
    simulation = disturbed_worlds(standing, record=judging_record(standing.repertoire), shaken=shaken)
    up, ran = simulation.run(0.6).survived, (standing.repertoire, simulation.trace())
    no_pose, no_place = Weights(pose=0.0), Weights(place=0.0)
    plain, without_pose, without_place = (
        clip_costs(biped, *ran, up, np.ones(1), weights)[0] for weights in (Weights(), no_pose, no_place)
    )
    assert without_pose < plain
    assert without_place < plain
