"""The policy that comes with footfall: it follows walks that it was not trained on."""

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.motion.editing import trimmed
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.network_follower import NetworkFollower, check_policy, tracker_file, with_clip
from footfall.study.trials.bench import disturbed_worlds

UNSEEN = (5001, 5002, 5003, 5004)
"""Seeds; training has 1000 to 1199."""


def test_the_tracker_is_a_policy_that_needs_a_clip():
    policy = check_policy(load_controller(str(tracker_file())))
    assert policy.figure == "human-28"
    assert policy.clip_frames is None


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_it_comes_to_a_stand_where_a_clip_breaks_off():
    """In mid-stride: nearly all that came to the clip's end stand on the spot later."""
    policy = check_policy(load_controller(str(tracker_file())))
    human, came, stand = Figure.load(policy.figure), 0, 0
    for k, seed in enumerate(UNSEEN):
        broken = trimmed(random_walk(human, 8.0, seed), 0.0, 4.0 + 0.14 * k)
        controller = with_clip(policy, broken, "broken")
        shown = controller.clip_frames
        simulation = disturbed_worlds(controller, worlds=4, noise=0.03, seed=seed)
        came += int(simulation.run(shown.seconds).survived.sum())
        simulation.run(shown.rest / shown.rate + 4.0)
        before = simulation.qpos[:, :2].copy()
        up = simulation.run(2.0).survived
        stand += int((up & (np.linalg.norm(simulation.qpos[:, :2] - before, axis=1) < 0.1)).sum())
    assert came >= 8
    assert stand >= 7 / 8 * came


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_unseen_walks_are_followed():
    policy = check_policy(load_controller(str(tracker_file())))
    human = Figure.load(policy.figure)
    made = [
        NetworkFollower(policy, practice=0).imitate(random_walk(human, 6.0, seed), "walk", pushes=False)
        for seed in UNSEEN
    ]
    assert sum(one.up for one in made) >= 21  # of 28 disturbed starts
    assert sum(one.following.fell for one in made) <= 1
    courses, bodies = ([getattr(one.following, part) for one in made] for part in ("course", "physique"))
    assert np.median([course.mpjpe_global for course in courses]) < 150.0
    assert np.median([body.stance_slide for body in bodies]) < 0.02
    assert max(body.hip_torque for body in bodies) < 5.0
