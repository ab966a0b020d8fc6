"""Environments with clips: several clips side by side, a leash, beginnings before hard parts, and trained policies."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning import training
from footfall.learning.clips import MADE, MadeClips, clip_states, made_clips
from footfall.learning.options import Options
from footfall.learning.worlds import HardParts
from footfall.motion.synthesis.random_walks import random_walk
from tests.learning.test_worlds import worlds_of


@pytest.fixture(scope="module")
def human():
    return Figure.load("human-28")


@pytest.fixture(scope="module")
def clips(human):
    return [random_walk(human, 3.0, seed) for seed in (1, 2)]


@pytest.fixture(scope="module")
def worlds(clips):
    return worlds_of(16, figure="human-28", action="follow", clip=clips, leash=0.3, noise=(0.0, 0.0))


def test_clips_lie_one_after_the_other(human, clips):
    states = clip_states(clips, human, None, 0.02)
    first = len(clips[0].to_qpos(human))
    assert len(states.qpos) == first + len(clips[1].to_qpos(human))
    assert set(states.last) == {first - 1, len(states.qpos) - 1}
    assert (states.last >= np.arange(len(states.last))).all()
    assert (states.last[states.begins] - states.begins >= 49).all()


def test_worlds_stay_in_their_clip_and_on_the_leash(worlds):
    last = worlds.task.last.numpy()
    ends = 0
    for _ in range(60):
        before = worlds.live["frame"].numpy().copy()
        worlds.live["action"].zero_()
        worlds.step()
        after, began = worlds.live["frame"].numpy(), worlds.live["elapsed"].numpy() == 0
        ends += int(worlds.live["terminated"].numpy().sum())
        assert (last[after[~began]] == last[before[~began]]).all()
        on = worlds.live["due"].numpy() == 0
        off = worlds.live["qpos"].numpy()[:, :3] - worlds.clips.qpos[worlds.live["frame"].numpy(), :3]
        assert (np.linalg.norm(off, axis=1)[on] <= 0.3).all()
    assert ends > 0  # servos alone do not follow a walk for long


def test_episodes_begin_before_hard_parts(worlds):
    parts = HardParts(worlds, seed=1)
    last = worlds.task.last.numpy()
    for part in range(int(parts.parts.max()) + 1):
        assert len(set(last[parts.parts == part])) == 1
    hard = int(parts.parts[int(last[0]) + 60])  # in the second clip
    parts.fallen[hard] = 50.0
    parts.renew()
    chosen = parts.parts[worlds.task.begins.numpy()]
    evenly = parts.parts[parts.everywhere]
    near = [hard - 1, hard]
    assert np.isin(chosen, near).mean() > 1.5 * np.isin(evenly, near).mean()
    worlds.begin_at(parts.everywhere)


def test_made_clips_are_walks_and_simulated_motion(human):
    told = []
    made = made_clips(human, 50.0, walks=1, lively=0, steady=0, graphs=0, names=("stand-3d",), progress=told.append)
    assert told == [pytest.approx(1.0)]
    assert len(made) == 2 * (1 + 3)  # at three paces, and all in the mirror
    assert all(clip.figure == "human-28" and clip.fps == pytest.approx(50.0) for clip in made)


def test_clips_made_ahead_are_the_same_to_a_checkpoint(human):
    ahead = MadeClips([random_walk(human, 1.0, 1)])
    of_name, of_clips = (Options(figure="human-28", action="follow", clip=clip) for clip in (MADE, ahead))
    assert training.options_text(of_clips) == training.options_text(of_name)
    assert len(clip_states(ahead, human, None, 0.02).qpos) == len(ahead[0].times)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"action": "follow"}, "clip="),
        ({"leash": 0.0}, "leash"),
        ({"leash": float("nan")}, "leash"),
    ],
)
def test_what_does_not_fit_is_refused(options, said):
    with pytest.raises(FootfallError, match=said):
        Options(figure="human-28", **options)


def test_an_empty_list_of_clips_is_refused(human):
    with pytest.raises(FootfallError, match="empty"):
        clip_states([], human, None, 0.02)
