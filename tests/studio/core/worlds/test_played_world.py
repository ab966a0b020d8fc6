"""A character that a network walks, in a session without a page: led, rewound, reset."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network import steered_network
from footfall.methods.network.clip_frames import ClipFrames, table_of
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.simulation import Simulation
from footfall.studio.core.clip_worlds import PlayedWorld
from footfall.studio.core.making import make_world
from footfall.studio.core.session import Session
from footfall.studio.core.setting import Setting
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import tracker_file


@pytest.fixture(scope="module")
def character():
    policy = load_controller(str(tracker_file()))
    return SteeredNetwork(
        "me", policy, tuple(retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure)))
    )


def go(world: PlayedWorld, seconds: float, frame: float = 1.0 / 60.0) -> None:
    for _ in range(round(seconds / frame)):
        world.advance(frame)


@pytest.mark.slow
def test_it_walks_as_it_would_with_the_walk_made_before(character, monkeypatch):
    monkeypatch.setattr(steered_network, "ROOM", 120)  # it forgets what is over after two seconds
    figure = Figure.load("human-28")
    world = make_world([character], figure, Setting())
    assert isinstance(world, PlayedWorld)
    go(world, 4.0)
    assert world.fell_at is None
    assert world.walk.first > 0
    before = PlayedSteps(character.graph)
    before.direct(speed=world.asked_speed)
    while before.time < 5.0:
        before.advance(1)
    policy = character.policy
    clip = ClipFrames(table_of(before.frames, figure, policy.rate).astype(np.float32), policy.rate)
    alone = Simulation(replace(policy, clip_frames=clip, start=None), **world._options())
    alone.run(4.0)
    np.testing.assert_allclose(world.state["qpos"][0], alone.qpos[0], atol=1e-9)


def test_it_is_led_rewound_and_reset(character):
    world = make_world([character], Figure.load("human-28"), Setting())
    assert world.can.turn
    assert world.can.speed
    assert world.can.follow
    assert not world.can.edit
    assert world.gaits == ["normal", "march", "lean"]
    go(world, 1.0)
    world.lead(1.0)
    world.ask_speed(character, 0.6)
    kept = world.snapshot()
    go(world, 4.0)
    first = world.state["qpos"][0].copy()
    assert world.fell_at is None
    assert abs(world.heading - 1.0) < 0.3
    assert np.isfinite(world.now(None).reference).all()
    assert world.clip
    world.restore(kept)
    go(world, 4.0)
    np.testing.assert_array_equal(world.state["qpos"][0], first)
    world.reset()
    assert world.time == 0.0
    assert world.asked_speed == pytest.approx(0.6)
    go(world, 1.0)
    assert world.fell_at is None
    world.change_setting(replace(world.setting, friction=0.9))  # a new simulation, which goes on from here
    go(world, 3.0)
    assert world.fell_at is None
    assert world.time == pytest.approx(4.0, abs=0.02)
    with pytest.raises(FootfallError, match="nothing of it can be edited"):
        world.edit(character)
    with pytest.raises(FootfallError, match="compare"):
        world.compare(character)


def test_a_session_opens_its_file(character, tmp_path: Path):
    save_controller(character, tmp_path / "me.toml")
    session = Session(str(tmp_path / "me.toml"), None)
    for _ in range(20):
        session.step(0.05)
    last = session.history.last(9.0)
    assert np.isfinite(last.qpos).all()
    assert np.isfinite(last.reference).all()
    assert np.isfinite(last.target).all()
