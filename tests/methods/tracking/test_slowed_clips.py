"""Clips with shorter strides: a share of the way in the same time, on feet that stand."""

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.methods.tracking.played_steps import played_chain, slowed_clip
from footfall.motion.ball_poses import ankles
from footfall.motion.synthesis.cuts import foot_contacts


@pytest.fixture(scope="module")
def graph():
    return load_controller("steered-walk").graph


@pytest.mark.parametrize("share", [0.85, 0.55])
def test_it_goes_a_share_of_the_way_on_feet_that_stand(graph, share):
    clip = graph.clips[0]
    slow = slowed_clip(clip, share, graph.skeleton)
    assert slow.name == f"{clip.name}--{share:g}"
    way, short = (one.frames[-1, :2] - one.frames[0, :2] for one in (clip, slow))
    np.testing.assert_allclose(short, share * way, atol=1e-9)
    np.testing.assert_allclose(slow.frames[:, 2:7], clip.frames[:, 2:7], atol=1e-12)
    stands = foot_contacts(clip.frames, graph.skeleton)
    feet = [ankles(one.frames, graph.skeleton) for one in (clip, slow)]
    for side, standing in enumerate((stands.left, stands.right)):
        moved = [np.linalg.norm(np.diff(own[:, side, :2], axis=0), axis=1) for own in feet]
        both = standing[1:] & standing[:-1]
        np.testing.assert_allclose(moved[1][both], moved[0][both], atol=2e-3)
        np.testing.assert_allclose(feet[1][:, side, 2], feet[0][:, side, 2], atol=5e-3)


def test_the_whole_share_changes_nothing(graph):
    np.testing.assert_allclose(
        slowed_clip(graph.clips[0], 1.0, graph.skeleton).frames, graph.clips[0].frames, atol=1e-6
    )


@pytest.mark.parametrize("share", [0.0, -1.0, 1.2, float("nan")])
def test_other_shares_are_refused(graph, share):
    with pytest.raises(FootfallError, match="share"):
        slowed_clip(graph.clips[0], share, graph.skeleton)


def test_a_chain_is_its_steps_one_after_another(graph):
    first, second = next(iter(graph.following.items()))
    long = [len(graph.steps[k].fragment.frames) - 1 for k in (first, second)]
    frames = played_chain(graph, [first, second], sum(long) + 1)
    assert len(frames) == sum(long) + 1
    own = graph.steps[first].fragment.frames
    np.testing.assert_allclose(frames[: long[0] + 1, 3:], own[:, 3:], atol=1e-9)
    assert np.linalg.norm(np.diff(frames[:, :2], axis=0), axis=1).max() < 0.1
    assert len(played_chain(graph, [first], 200)) == 200
