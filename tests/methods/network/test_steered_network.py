"""Characters that a network walks: their files, and walks that are played while they are followed."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import load_controller, load_walker, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import table_of
from footfall.methods.network.multilayer import write_tensors
from footfall.methods.network.steered_network import ROOM, TETHER, PlayedWalk, SteeredNetwork
from footfall.methods.tracking.motion_graph import GraphClip
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import tracker_file
from tests.methods.network.test_controller import corrected


@pytest.fixture(scope="module")
def character():
    policy = load_controller(str(tracker_file()))
    clips = retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure))
    return SteeredNetwork("me", policy, tuple(clips), "Steps that footfall made.", report={"minutes": 3})


def test_a_file_holds_the_policy_and_the_clips(character):
    read = parse_controller(print_controller(character), "me.toml")
    assert [clip.name for clip in read.clips] == [clip.name for clip in character.clips]
    assert [clip.style for clip in read.clips] == [clip.style for clip in character.clips]
    for one, two in zip(read.clips, character.clips, strict=True):
        np.testing.assert_allclose(one.frames, two.frames, atol=1e-5)
    assert read.policy.network.to_bytes() == character.policy.network.to_bytes()
    assert read.policy.tether == character.policy.tether == TETHER
    assert (read.name, read.figure, read.about, dict(read.report)) == (
        "me",
        "human-28",
        character.about,
        {"minutes": 3},
    )
    again = print_controller(read)
    assert print_controller(parse_controller(again)) == again


def test_files_beside_it(character, tmp_path):
    (tmp_path / "tracker.toml").write_text(print_controller(character.policy))
    frames = {clip.name: clip.frames for clip in character.clips}
    (tmp_path / "clips.safetensors").write_bytes(write_tensors(frames))
    text = 'name = "me"\nlaw = "steered-network"\npolicy = "tracker.toml"\nclips = "clips.safetensors"\n'
    (tmp_path / "me.toml").write_text(text)
    read = load_controller(str(tmp_path / "me.toml"))
    assert len(read.graph.steps) == len(character.graph.steps)
    (tmp_path / "me.toml").write_text(text + '[styles]\nstroll = "slow"\n')
    with pytest.raises(FootfallError, match=r"me.toml, \[styles\]: .*'stroll'"):
        load_controller(str(tmp_path / "me.toml"))
    (tmp_path / "me.toml").write_text(text.replace("clips.safe", "none.safe"))
    with pytest.raises(FootfallError, match=r"clips file .*none.safetensors: No such file"):
        load_controller(str(tmp_path / "me.toml"))
    (tmp_path / "clips.safetensors").write_bytes(write_tensors({"short": np.tile([0.0] * 3 + [1.0, 0, 0, 0], (5, 1))}))
    (tmp_path / "me.toml").write_text(text)
    with pytest.raises(FootfallError, match=r"clip 'short': a frame has 7 numbers"):
        load_controller(str(tmp_path / "me.toml"))
    (tmp_path / "me.toml").write_text('figure = "planar-biped"\n' + text)
    with pytest.raises(FootfallError, match=r"figure is 'planar-biped'; the policy's is 'human-28'"):
        load_controller(str(tmp_path / "me.toml"))


def test_what_is_left_out_stays_out(character):
    graph = character.graph
    kept = {(a, b): (1, 1) for a, row in enumerate(graph.near) for b in np.flatnonzero(row)[:3].tolist()}
    one = replace(character, tried=kept, stops={})
    read = parse_controller(print_controller(one))
    assert read.tried == kept
    assert read.stops == {}
    wanted = {pair for pair in kept if graph.near[pair]} | set(graph.following.items())
    assert set(zip(*(found.tolist() for found in np.nonzero(read.graph.near)), strict=True)) == wanted
    text = print_controller(replace(character, tried={(0, 10**5): (1, 1)}))
    with pytest.raises(FootfallError, match="transition from step 0 to 100000"):
        parse_controller(text)


def test_what_cannot_be_one(character):
    with pytest.raises(FootfallError, match="follows no clips"):
        SteeredNetwork("me", corrected(), character.clips)
    with pytest.raises(FootfallError, match="clips: there is none"):
        SteeredNetwork("me", character.policy, ())
    unmoved = GraphClip("still", np.repeat(character.clips[0].frames[:1], 60, axis=0))
    with pytest.raises(FootfallError):
        _ = SteeredNetwork("me", character.policy, (unmoved,)).graph.steps


def test_a_walk_is_the_same_made_at_once_or_on_the_way(character):
    """Curves between frames are made of their neighbours alone, so that nothing changes behind the policy's look."""
    at_once, seconds = PlayedSteps(character.graph), 12.0
    orders = {60: {"direction": 1.0}, 150: {"speed": 0.5}}
    for k in range(int(seconds * 30)):
        at_once.direct(**orders.get(k, {}))
        at_once.advance(1)
    table = table_of(at_once.frames, character.graph.figure, character.policy.rate)
    walk, shown = PlayedWalk(character), []
    advance = walk.steps.advance

    def told(frames):
        walk.direct(**orders.get(walk.steps.count - 1, {}))
        return advance(frames)

    walk.steps.advance = told
    for n in range(int(50 * seconds) - 40):
        walk.reach(n)
        shown.append(walk.pose(n))
    np.testing.assert_allclose(np.array(shown), table[: len(shown)], atol=1e-9)


def test_a_walk_without_end_keeps_little(character):
    walk = PlayedWalk(character)
    moved = []
    for n in range(2 * ROOM):
        walk.reach(n)
        moved.append(walk.first)
        clip = walk.shown
        assert len(clip) == len(walk.follower().clip_frames)
        np.testing.assert_allclose(clip.qpos[n - walk.first], walk.pose(n), atol=1e-5)
        if n == ROOM:
            kept, here = walk.state, walk.pose(n).copy()
    assert moved[-1] > 0
    assert len(set(moved)) < 5
    assert len(walk.steps.frames) < 100
    assert len(walk.steps.orders) < 100
    last = walk.pose(2 * ROOM - 1).copy()
    walk.state = kept
    np.testing.assert_array_equal(walk.pose(ROOM), here)
    for n in range(ROOM + 1, 2 * ROOM):
        walk.reach(n)
    np.testing.assert_array_equal(walk.pose(2 * ROOM - 1), last)


def test_by_itself_it_walks_ahead(character):
    alone = load_walker(character)
    assert alone.law == "network"
    assert alone.clip_frames.seconds >= 60.0
    way = alone.clip_frames.qpos[-1, :2] - alone.clip_frames.qpos[0, :2]
    assert way[0] > 20.0
    assert abs(way[1]) < 2.0
