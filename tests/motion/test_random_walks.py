"""Random walks on a body: feet that stand stay where they are, and the body falls over them as a pendulum does."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.motion.ball_poses import body_frames, hinge_chains, mass_centre
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.synthesis.footstep_plan import plan_footsteps, random_style
from footfall.motion.synthesis.random_walks import random_walk

RATE = 50.0
SEEDS = (1, 2, 5, 8)


@pytest.fixture(scope="module")
def human():
    return Figure.load("human-28")


@pytest.fixture(scope="module")
def walks(human):
    chains = hinge_chains(human)
    return [chains.ball_poses(random_walk(human, 10.0, seed, RATE).to_qpos(human)) for seed in SEEDS]


def test_feet_stand_on_the_ground(human, walks):
    skeleton = hinge_chains(human).skeleton
    for frames in walks:
        heights = soles_of(frames, skeleton).height
        assert heights.min() > -0.05  # a joint at its stop may push a toe into the ground
        assert np.percentile(heights.min(axis=1), 5.0) > -0.02
        assert np.median(np.abs(heights.min(axis=1))) < 0.005


def test_feet_that_stand_do_not_slide(human):
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        plan = plan_footsteps(random_style(random), 10.0, random)
        for left in (True, False):
            mine = np.flatnonzero(plan.left == left)
            assert (plan.lands[mine[1:]] > plan.leaves[mine[:-1]]).all()  # a foot leaves before it lands again
        for k, land in enumerate(plan.lands[2:], start=2):  # while one foot swings the other stands
            other = np.flatnonzero((plan.left != plan.left[k]) & (plan.lands < land))[-1]
            assert plan.leaves[other] >= land


def test_the_centre_of_pressure_is_under_the_feet(human, walks):
    """p = x - h x'' / (g + z''), from the motion alone; inside the box around the feet that are on the ground."""
    skeleton = hinge_chains(human).skeleton
    inside = []
    for frames in walks:
        places, _ = body_frames(frames, skeleton)
        centre = mass_centre(frames, skeleton)
        quick = np.gradient(np.gradient(centre, 1.0 / RATE, axis=0), 1.0 / RATE, axis=0)
        pressure = centre[:, :2] - centre[:, 2:] * quick[:, :2] / (9.81 + quick[:, 2:])
        feet = np.stack([places[:, skeleton.body(f"{side}_foot").index, :2] for side in ("left", "right")], axis=1)
        low, high = feet.min(axis=1) - 0.2, feet.max(axis=1) + 0.2
        inside.append(((pressure > low) & (pressure < high)).all(axis=1)[5:-5].mean())
    assert np.mean(inside) > 0.9


def test_a_seed_gives_the_same_walk(human):
    one, two = (random_walk(human, 3.0, 7, RATE).to_qpos(human) for _ in range(2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one[:50], random_walk(human, 3.0, 8, RATE).to_qpos(human)[:50])
