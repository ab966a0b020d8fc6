"""The law on a body of hinges: its joints go where equation 1 leads them, motors' limits hold, and it follows steps."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.tracking import Fragment, Repertoire, TrackingController
from footfall.methods.tracking.repertoire import Settings
from footfall.motion import load_motion
from footfall.motion.ball_poses import hinge_chains
from footfall.motion.conditioning.ground_fit import sole_depth
from footfall.push import Push
from footfall.simulation import Record
from footfall.study.trials.bench import disturbed_worlds

RATE = 30.0


@pytest.fixture(scope="module")
def chains():
    return hinge_chains(Figure.load("human-28"))


@pytest.fixture(scope="module")
def swinging(chains):
    """A controller of a body far above the ground that swings an arm and bends a knee, with its clip's poses."""
    figure = chains.figure
    qpos = np.tile(figure.default_qpos, (90, 1))
    times = np.arange(90) / RATE
    qpos[:, 2] = 30.0
    for name, size in (("left_shoulder_pitch", 0.5), ("left_shoulder_roll", 0.2), ("right_knee", -0.4)):
        qpos[:, figure.joint(name).qpos] += size * (1.0 - np.cos(2.0 * np.pi * times))
    qpos[:, 7:] = np.clip(qpos[:, 7:], figure.lower[6:], figure.upper[6:])
    settings = Settings(
        ahead=True, kt=400.0, clip_feedforward=1.0, feedforward=0.0, stabilise=False, stance_ankle=False
    )
    repertoire = Repertoire((Fragment("stand", chains.ball_poses(qpos), 0.0),), settings=settings)
    return TrackingController("swinging", repertoire, "human-28"), qpos


@pytest.mark.slow
def test_hinges_follow_the_clip(swinging, chains):
    """In the air, with no balance to keep: an arm of three hinges follows within a twentieth of its swing."""
    controller, clip = swinging
    simulation = disturbed_worlds(controller, record=Record(rate=RATE, worlds=1))
    simulation.run(2.0)
    own = simulation.trace().qpos[:, 0]
    arm = [chains.figure.joint(f"left_shoulder_{plane}").qpos for plane in ("pitch", "roll", "yaw")]
    assert np.ptp(clip[:, arm[0]]) > 0.8
    assert np.abs(own[:60, arm] - clip[:60, arm]).max() < 0.05 * np.ptp(clip[:, arm[0]])


def test_the_start_is_the_clips_first_pose_in_hinges(swinging):
    controller, clip = swinging
    np.testing.assert_allclose(controller.start.qpos, clip[0], atol=1e-6)


def test_motors_limits_hold(swinging, chains):
    controller, _ = swinging
    torques = {}
    for most in (0.0, 100.0):
        simulation = disturbed_worlds(
            controller.changed(torque_limit=most),
            pushes=[Push(400.0, 0.2, 0.3, body="left_lower_arm")],
            record=Record(rate=450.0, worlds=1),
        )
        simulation.run(0.6)
        torques[most] = np.abs(simulation.trace().torque[:, 0]).max(axis=0)[6:]
    limit = chains.figure.torque_limit[6:]
    assert (torques[0.0] > limit).any()
    assert (torques[100.0] <= limit * (1.0 + 1e-9)).all()


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_a_body_of_hinges_follows_a_captured_walk(clips):
    from footfall.study.imitation.followers import TrackingFollower
    from footfall.study.imitation.gain_search import GainSearch

    follower = TrackingFollower("human-28", search=GainSearch(generations=0))
    made = follower.imitate(load_motion(clips / "wd2_WalkForwardNormal00.bvh"), pushes=False)
    assert made.failed == ""
    assert made.following.footsteps >= 5
    assert made.controller.repertoire.settings.sole == pytest.approx(sole_depth(Figure.load("human-28")))
