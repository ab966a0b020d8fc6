"""Runs end with their clip, and what is judged is what was recorded until then."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.methods.tracking.controller import TrackingController, load_tracking
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.study.imitation.following import (
    FALLEN,
    Weights,
    follow,
    judge_worlds,
    judging_record,
    reached_end,
    tracking_simulation,
    up_to_the_end,
)
from footfall.study.imitation.gain_search import GainSearch, GainTrial, found_point, known_points, with_point


def test_a_world_that_came_to_the_end_counts_whatever_it_does_then(standing):
    seconds = 19 / 30.0
    simulation = tracking_simulation(standing, worlds=2)
    simulation.run(0.5 * seconds)
    assert not reached_end(simulation, standing.repertoire).any()
    simulation.run(seconds)
    assert reached_end(simulation, standing.repertoire).all()
    assert up_to_the_end(simulation, standing).all()


def test_a_loop_has_no_end():
    walk = load_tracking("tracked-walk")
    simulation = tracking_simulation(walk)
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
    simulation = tracking_simulation(
        TrackingController("stand", upright), worlds=2, record=judging_record(upright, 2), shaken=_thrown(biped)
    )
    simulation.run(2.9)
    judged = judge_worlds(simulation, upright, 2.9)
    assert judged.up.tolist() == [True, False]
    assert judged.cost[0] < 0.2 < FALLEN < judged.cost[1]
    assert judged.lived[0] == 1.0 > judged.lived[1]


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
    calm, _ = GainTrial(stand, plan).costs(points)
    pushed, up = GainTrial(stand, replace(plan, pushes=(400.0,))).costs(points)
    assert up[0] == 1
    assert pushed[0] > calm[0] + 0.1


def test_the_path_may_count_more_than_poses(standing, biped):
    """A stand that is thrown a step aside, but not over, costs more where the path counts."""
    shaken = np.zeros((1, biped.nv))
    shaken[0, 0] = 0.1
    simulation = tracking_simulation(standing, record=judging_record(standing.repertoire, 1), shaken=shaken)
    simulation.run(0.6)
    no_pose, no_place = Weights(pose=0.0), Weights(place=0.0)
    plain, without_pose, without_place = (
        judge_worlds(simulation, standing.repertoire, 0.6, weights).cost[0]
        for weights in (Weights(), no_pose, no_place)
    )
    assert without_pose < plain
    assert without_place < plain
