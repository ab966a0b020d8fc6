import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.motion import (
    Motion,
    Pose,
    derivatives,
    displaced,
    facing,
    joined,
    looped,
    mirrored,
    net_turn,
    placed,
    resampled,
    transition,
    transition_back,
    trimmed,
    without_rest_frame,
)
from footfall.motion.editing import rest_frames
from footfall.motion.quaternion import conjugate, from_axis_angle, log, multiply, slerp
from tests.motion.walks import motions, turned_about_z, walk


@given(motions())
def test_difference_and_sum_of_poses_undo_each_other(motion):
    first, last = Pose.of(motion, 0), Pose.of(motion, -1)
    again = first @ (last / first)
    assert np.allclose(again.root, last.root)
    assert np.abs(log(multiply(conjugate(again.rotations), last.rotations))).max() < 1e-7


@given(motions(), st.floats(0, 1), st.floats(0, 1))
def test_powers_of_displacements_add(motion, a, b):
    step = Pose.of(motion, -1) / Pose.of(motion, 0)
    both = (step**a).log() + (step**b).log()
    assert np.allclose((step**1.0).log(), step.log(), atol=1e-9)
    assert np.allclose((step ** (0.5 * a)).log() + (step ** (0.5 * b)).log(), 0.5 * both, atol=1e-7)


@given(motions())
def test_displaced_fully_reaches_the_target_and_not_at_all_changes_nothing(motion):
    gap = Pose.of(motion, -1) / Pose.of(motion, 0)
    share = np.zeros(len(motion))
    assert np.allclose(displaced(motion, gap, share).positions(), motion.positions())
    share[0] = 1.0
    assert np.allclose(displaced(motion, gap, share).positions()[0], motion.positions()[-1], atol=1e-7)


def test_transitions_are_smooth_steps():
    t = np.linspace(-1, 2, 301)
    assert np.allclose(transition(t) + transition_back(t), 1.0)
    assert (np.diff(transition(t)) >= 0).all()
    slope = np.gradient(transition(t, 0.0, 1.0), t)
    assert abs(slope[100]) < 0.02
    assert abs(slope[200]) < 0.02
    assert transition(np.array([0.5]))[0] == 0.5


@given(motions())
def test_mirroring_twice_is_nothing(motion):
    assert np.allclose(mirrored(mirrored(motion)).rotations, motion.rotations)
    assert np.allclose(mirrored(mirrored(motion)).root_position, motion.root_position)


def test_a_mirrored_walk_is_the_reflection_of_the_walk():
    motion = walk()
    flipped = mirrored(motion)
    for name in motion.skeleton.names:
        twin = name.replace("Left", "@").replace("Right", "Left").replace("@", "Right")
        assert np.allclose(flipped.position(twin), motion.position(name) * [1, -1, 1])
    assert np.isclose(net_turn(mirrored(turned_about_z(motion, 0.3))), -net_turn(turned_about_z(motion, 0.3)))


@given(st.floats(-3, 3), st.floats(-5, 5), st.floats(-5, 5))
@settings(max_examples=15, deadline=None)
def test_placing_forgets_where_a_motion_was(angle, x, y):
    motion = walk(1.0)
    away = placed(turned_about_z(motion, angle), (x, y), 0.4)
    assert np.allclose(away.root_position[0, :2], [x, y])
    assert np.allclose(facing(away)[0], [np.cos(0.4), np.sin(0.4)])
    assert np.allclose(placed(away).positions(), placed(motion).positions(), atol=1e-9)


def test_resampling_goes_through_the_frames_it_has():
    motion = walk(1.0, fps=30).with_channels(state=np.arange(31), torque=np.linspace(0, 1, 31)[:, None])
    fine = resampled(motion, 120)
    assert len(fine) == 121
    assert np.allclose(fine.positions()[::4], motion.positions(), atol=1e-9)
    assert fine.channels["state"].dtype == motion.channels["state"].dtype
    assert np.allclose(fine.channels["torque"][:, 0], np.linspace(0, 1, 121))
    assert np.allclose(resampled(fine, 30).positions(), motion.positions(), atol=1e-9)


def test_trimming_starts_the_clock_again():
    part = trimmed(walk(2.0), 0.5, 1.0)
    assert part.times[0] == 0
    assert np.isclose(part.seconds, 0.5)
    with pytest.raises(FootfallError, match="no frame lies between 5 and 6 s"):
        trimmed(walk(2.0), 5, 6)


def test_a_loop_of_a_whole_cycle_goes_on_without_a_jump():
    motion = walk(1.1 * 3, fps=100, period=1.1)
    cycle = trimmed(motion, 0.0, 1.1)
    long = looped(cycle, 3)
    assert np.allclose(long.positions()[: len(motion)], motion.positions()[: len(long)], atol=0.02)
    assert np.abs(np.diff(long.root_position, axis=0)).max() < 0.02
    assert np.isclose(long.seconds, 3.3)


def test_joined_motions_meet_and_end_as_the_second():
    first, second = walk(1.0), turned_about_z(walk(1.3, speed=0.8), 1.0)
    both = joined(first, second)
    steps = np.linalg.norm(np.diff(both.positions(), axis=0), axis=-1)
    assert steps.max() < 1.5 * np.linalg.norm(np.diff(second.positions(), axis=0), axis=-1).max() + 0.05
    assert np.allclose(both.rotations[-1, 1:], second.rotations[-1, 1:], atol=1e-9)


def test_derivatives_of_a_steady_turn_are_steady():
    motion = turned_about_z(walk(1.0), 0.0)
    rates = derivatives(motion)
    assert np.allclose(rates.root_velocity, [1.2, 0, 0])
    assert np.abs(rates.root_acceleration).max() < 1e-9
    knee = motion.skeleton.index("LeftLeg")
    angle = 2 * np.arctan2(motion.rotations[:, knee, 2], motion.rotations[:, knee, 0])
    assert np.allclose(rates.angular_velocity[1:-1, knee, 1], np.gradient(angle, motion.times)[1:-1], atol=1e-6)


def test_an_added_rest_pose_is_found_and_left_out():
    from dataclasses import replace

    motion = walk(1.0, fps=240)
    rest = replace(
        motion,
        times=np.arange(len(motion) + 1) / 240,
        root_position=np.concatenate([motion.root_position[:1], motion.root_position]),
        rotations=np.concatenate([motion.skeleton.rest[None], motion.rotations]),
    )
    moving = replace(rest, rotations=np.concatenate([motion.rotations[:1], motion.rotations]))
    assert len(without_rest_frame(rest)) == len(motion)
    assert len(without_rest_frame(moving)) == len(moving)


@pytest.mark.parametrize("frames", [1, 3])
def test_a_rest_pose_before_a_motion_is_cut_even_if_a_filter_spread_it(frames):
    motion = walk(2.0, fps=120)
    pose = motion.skeleton.rest.copy()
    pose[motion.skeleton.index("LeftArm")] = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(1.5))
    pose[motion.skeleton.index("RightArm")] = from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(-1.5))
    share = (np.arange(frames) / frames)[:, None] * np.ones(len(motion.skeleton))
    lead = slerp(np.tile(pose, (frames, 1, 1)), np.tile(motion.rotations[0], (frames, 1, 1)), share)
    both = Motion(
        motion.skeleton,
        np.arange(len(motion) + frames) / 120,
        np.concatenate([np.tile(motion.root_position[0], (frames, 1)), motion.root_position]),
        np.concatenate([lead, motion.rotations]),
    )
    assert rest_frames(both) == frames
    assert rest_frames(motion) == 0
