"""Coming to a stand: out of a walk that breaks off at any moment, on the feet that it has."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.tracking.stops import stop_after
from footfall.motion.ball_poses import FPS, ankles, body_frames, hinge_chains, turned_frames
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.synthesis.random_walks import random_walk

HUMAN = Figure.load("human-28")
CHAINS = hinge_chains(HUMAN)
MOMENTS = (60, 67, 74, 81)


@pytest.fixture(scope="module")
def walk() -> np.ndarray:
    """[T, nq] poses, 30 a second."""
    return CHAINS.ball_poses(random_walk(HUMAN, 6.0, 5001, FPS).to_qpos(HUMAN))


def places(frames: np.ndarray) -> np.ndarray:
    return body_frames(frames, CHAINS.skeleton)[0]


@pytest.mark.parametrize("moment", MOMENTS)
def test_it_goes_on_as_the_clip_ended_and_stands(walk, moment):
    """No joint is more than twice as fast at the seam as in the walk, the standing foot stays, and at the end nothing
    moves, both soles on the ground."""
    clip = walk[:moment]
    tail = stop_after(clip, HUMAN)
    both = np.concatenate([clip[-2:], tail])
    moved = np.linalg.norm(np.diff(places(both), axis=0), axis=-1).max(axis=1)
    own = np.linalg.norm(np.diff(places(walk), axis=0), axis=-1).max()
    assert moved[:20].max() < 2.0 * own
    feet = ankles(both, CHAINS.skeleton)
    assert np.linalg.norm(np.diff(feet[1:5, :, :2], axis=0), axis=-1).sum(axis=0).min() < 0.03
    assert moved[-3:].max() * FPS < 0.2
    assert np.abs(soles_of(both, CHAINS.skeleton).height[-1]).max() < 0.02
    assert 1.0 < len(tail) / FPS < 10.0


def test_where_the_clip_is_and_faces_makes_no_difference(walk):
    clip = walk[: MOMENTS[0]]
    moved = turned_frames(clip, 2.0)
    moved[:, :2] += 3.0, -1.0
    expected = turned_frames(stop_after(clip, HUMAN), 2.0)
    expected[:, :2] += 3.0, -1.0
    np.testing.assert_allclose(places(stop_after(moved, HUMAN)), places(expected), atol=1e-6)


def test_a_stand_stays_where_it_is():
    stand = np.tile(CHAINS.skeleton.default_qpos, (40, 1))
    tail = stop_after(stand, HUMAN)
    at = places(np.concatenate([stand[-1:], tail]))
    assert np.abs(ankles(tail, CHAINS.skeleton) - ankles(stand[:1], CHAINS.skeleton)).max() < 0.02
    assert np.abs(at[:, 0] - at[0, 0]).max() < 0.1
