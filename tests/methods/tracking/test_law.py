"""The tracking law: standing, symmetries, and that worlds do not see each other."""

import numpy as np
import pytest

from footfall.methods.tracking.controller import TrackingController, load_tracking
from footfall.methods.tracking.law import TrackingLaw
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.motion.ball_poses import turned_frames
from footfall.motion.quaternion import from_axis_angle, multiply, rotate
from footfall.push import Push
from footfall.simulation import Record
from footfall.study.trials.bench import disturbed_worlds

UP = np.array([0.0, 0.0, 1.0])


@pytest.mark.slow
def test_it_stands_on_the_soft_ground(standing):
    outcome = disturbed_worlds(standing, worlds=4, noise=1e-2).run(5.0)
    assert outcome.survived.all()
    sunk = np.array(standing.start.qpos)[2] - outcome.qpos[:, 2]
    assert (sunk > 0.0).all()
    assert (sunk < 0.03).all()


@pytest.mark.slow
def test_a_long_stand_is_balanced_from_its_beginning(biped):
    """Feedback that comes over a share of the fragment comes too late where that lasts for seconds."""
    for frames in (20, 90, 200):
        stand = Fragment("stand", np.tile(biped.default_qpos, (frames, 1)), 2.0 / 45.0)
        simulation = disturbed_worlds(TrackingController("stand", Repertoire((stand,))), worlds=3, noise=1e-2)
        assert simulation.run(4.0).survived.all(), frames


def test_turning_clip_and_push_together_turns_the_motion(standing, biped):
    angle = 0.7
    frames = standing.repertoire.fragments[0].frames
    turned = TrackingController("turned", Repertoire((Fragment("stand", turned_frames(frames, angle), 2.0 / 45.0),)))
    force = np.array([40.0, 15.0, 0.0])
    spin = from_axis_angle(UP, np.array(angle))
    ends = []
    for controller, pushed in ((standing, force), (turned, rotate(spin, force))):
        simulation = disturbed_worlds(controller, pushes=[Push(pushed, 0.1, 0.2)])
        ends.append(simulation.run(0.5).qpos[0])
    np.testing.assert_allclose(ends[1][:3], rotate(spin, ends[0][:3]), atol=1e-7)
    same = np.abs(np.sum(ends[1][3:7] * multiply(spin, ends[0][3:7])))
    assert abs(same - 1.0) < 1e-9
    np.testing.assert_allclose(ends[1][7:], ends[0][7:], atol=1e-7)


def test_worlds_with_other_gains_do_not_see_each_other(standing):
    push = Push(60.0, 0.05, 0.2)
    alone = disturbed_worlds(standing, pushes=[push])
    many = disturbed_worlds(standing, worlds=3, pushes=[push])
    many.set({"c3_sag": [0.3, 0.1, 0.0], "kt": [10.0, 20.0, 30.0]})
    assert np.array_equal(many.run(0.4).qpos[1], alone.run(0.4).qpos[0])
    assert not np.array_equal(many.outcome().qpos[0], many.outcome().qpos[1])


def test_joints_get_the_accelerations_that_the_law_asks_for(standing):
    simulation = disturbed_worlds(standing, pushes=[Push(60.0, 0.0, 0.2)])
    simulation.step(45)
    places = simulation.law.layout.memory()
    memory, state = simulation.memory[0], simulation.snapshot()
    asked = memory[places["acceleration"] : places["acceleration"] + 36]
    assert np.abs(asked).max() > 0.0
    np.testing.assert_allclose(state["qacc"][0][6:], asked, atol=1e-12)


def test_a_target_one_frame_ahead_follows_a_swinging_arm_more_closely(standing, biped):
    frames = np.tile(standing.repertoire.fragments[0].frames[0], (90, 1))
    at = biped.joint("left_elbow").qpos
    swing = 0.5 * np.sin(2.0 * np.pi * np.arange(90) / 30.0)
    frames[:, at : at + 4] = from_axis_angle(UP, swing)
    clip = TrackingController("swing", Repertoire((Fragment("stand", frames, 2.0 / 45.0),)))
    errors = []
    for options in ({}, {"ahead": True, "feedforward": 2.0}):
        simulation = disturbed_worlds(clip.changed(**options))
        off = []
        for frame in range(1, 80):
            simulation.step(30)
            own = simulation.qpos[0, at : at + 4]
            off.append(2.0 * np.arccos(min(1.0, abs(float(own @ frames[frame, at : at + 4])))))
        errors.append(np.mean(off[30:]))
    assert errors[1] < 0.3 * errors[0]


def test_the_clips_own_acceleration_takes_away_the_lag(standing, biped):
    """An arm that swings in the clip is followed with less error the more of its acceleration is fed forward."""
    frames = np.tile(standing.repertoire.fragments[0].frames[0], (60, 1))
    at = biped.joint("left_elbow").qpos
    frames[:, at : at + 4] = from_axis_angle(UP, 0.5 * np.sin(2.0 * np.pi * np.arange(60) / 20.0))
    stand = Fragment("stand", frames, 2.0 / 45.0, successor=1)
    clip = TrackingController("swing", Repertoire((stand, Fragment("stand", frames[:2], 2.0 / 45.0))))
    errors = []
    for weight in (0.0, 0.5, 1.0):
        simulation = disturbed_worlds(clip.changed(ahead=True, feedforward=0.0, clip_feedforward=weight, kt=40.0))
        off = []
        for frame in range(1, 55):
            simulation.step(30)
            own = simulation.qpos[0, at : at + 4]
            off.append(2.0 * np.arccos(min(1.0, abs(float(own @ frames[frame, at : at + 4])))))
        errors.append(np.mean(off[20:]))
    assert errors[1] < 0.7 * errors[0]
    assert errors[2] < 0.4 * errors[0]


def test_laws_with_more_sets_of_gains_share_a_kernel(standing, biped):
    one = standing.repertoire
    two = Repertoire(one.fragments, one.gains * 2, one.settings, one.ground)
    assert TrackingLaw(one, biped).kernel_key == TrackingLaw(two, biped).kernel_key
    assert TrackingLaw(one, biped).key != TrackingLaw(two, biped).key


def test_steps_and_samples_do_not_depend_on_the_pieces_that_it_runs_in():
    walk = load_tracking("tracked-walk")
    whole, pieces = (disturbed_worlds(walk, record=Record(rate=100.0, worlds=1)) for _ in range(2))
    whole.step(1800)
    for steps in (7, 13, 30, 50) * 18:
        pieces.step(steps)
    assert whole.outcome().footsteps[0] == pieces.outcome().footsteps[0] > 2
    one, two = whole.trace(), pieces.trace()
    for name in ("qpos", "state", "stance", "contact"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    for name, values in one.signals.items():
        np.testing.assert_array_equal(values, two.signals[name], err_msg=name)
