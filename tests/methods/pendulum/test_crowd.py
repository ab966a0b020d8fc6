"""Crowds: the compiled text does what numpy does, whatever the threads and the company."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.kernels.start import start_warp
from footfall.methods.pendulum import Crowd, Person, Walkers, human_walk, periodic_gait
from footfall.methods.pendulum.crowd import CROWD_POSE, bench_crowd, mixed_crowd


@pytest.fixture(scope="module")
def gait():
    return mixed_crowd(60)


def _walk_both(gait, crowd, frames=40, dt=1 / 30):
    walkers = Walkers(gait)
    for k in range(frames):
        fx = 20.0 if 10 <= k < 20 else 0.0
        crowd.command(fx=fx, fy=-fx / 2, turn=0.1)
        walkers.turn_by(0.1)
        walkers.advance(dt, fx, -fx / 2)
        poses = crowd.walk(1, dt)
    return walkers, poses.numpy()[0]


@pytest.mark.parametrize(("precision", "bound"), [("float64", 1e-9), ("float32", 3e-3)])
def test_a_crowd_walks_as_numpy_does(gait, precision, bound):
    crowd = Crowd(gait, precision=precision, threads=2)
    walkers, poses = _walk_both(gait, crowd)
    state = crowd.state()
    for name in ("t", "d", "sx", "px", "pvx", "sy", "py", "pvy", "foot_x", "foot_y", "heading"):
        np.testing.assert_allclose(state[name], walkers.state.rows()[name], atol=bound, err_msg=name)
    posture = walkers.posture()
    for name in ("stance_thigh", "swing_shank", "swing_pitch", "stance_roll", "swing_yaw", "pelvis_list"):
        np.testing.assert_allclose(poses[CROWD_POSE.index(name)], posture[name], atol=10 * bound, err_msg=name)


def test_a_walker_does_not_depend_on_threads_or_company(gait):
    many, few = Crowd(gait, threads=3), Crowd(gait.take(17), threads=1)
    for _ in range(3):
        all_poses, own = many.walk(5, 1 / 30).numpy(), few.walk(5, 1 / 30).numpy()
    np.testing.assert_allclose(all_poses[:, :, 17], own[:, :, 0], atol=1e-12)


def test_frames_may_be_any_length(gait):
    fine, coarse = Crowd(gait, threads=1), Crowd(gait, threads=1)
    for _ in range(10):
        fine.walk(4, 1 / 40)
        coarse.walk(1, 1 / 10)
    np.testing.assert_allclose(fine.state()["px"], coarse.state()["px"], atol=1e-8)


def test_a_crowd_changes_its_gait():
    body = Person.of([1.6, 1.8], 70.0)
    before, after = periodic_gait(body, human_walk(body, 0.9)), periodic_gait(body, human_walk(body, 1.1))
    crowd, walkers = Crowd(before, threads=1), Walkers(before)
    crowd.change(after)
    walkers.change(after)
    for _ in range(90):
        crowd.walk(1, 1 / 30)
        walkers.advance(1 / 30)
    np.testing.assert_allclose(crowd.state()["foot_x"], walkers.state.step.foot_x, atol=1e-9)
    crowd.change(before)
    crowd.walk(60, 1 / 30)
    assert np.all(np.isfinite(crowd.state()["px"]))
    with pytest.raises(FootfallError, match="walkers"):
        crowd.change(before.take(0))


def test_bad_devices_and_commands_are_refused(gait):
    with pytest.raises(FootfallError, match="device 'gpu'"):
        Crowd(gait, device="gpu")
    if not start_warp().is_cuda_available():
        with pytest.raises(FootfallError, match="no CUDA device"):
            Crowd(gait, device="cuda")
    with pytest.raises(FootfallError, match="finite"):
        Crowd(gait).command(fx=float("nan"))
    with pytest.raises(FootfallError, match="frame"):
        Crowd(gait).walk(0, 0.1)
    with pytest.raises(FootfallError, match="walkers"):
        bench_crowd(0)


def test_the_bench_says_what_it_measured():
    result = bench_crowd(50, threads=1, frames=2, rounds=2)
    assert result["walkers"] == 50
    assert result["frames_per_second"] > 0
    assert result["frame_in_sines"] > 0
