"""The walker that goes on through every change."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import add_state, remove_state, with_hold, with_target
from footfall.simulation.structures import STOPPED
from footfall.studio.core.graph_world import GraphWorld
from footfall.studio.core.setting import Setting

WALK, OTHER = load_controller("walk"), load_controller("in-place-walk")


@pytest.fixture
def world() -> GraphWorld:
    return GraphWorld([WALK, OTHER], Figure.load("planar-biped"))


def walk(world: GraphWorld, seconds: float) -> np.ndarray:
    states = [world.advance(1 / 60).qpos for _ in range(round(60 * seconds))]
    return np.concatenate(states)


def test_it_walks_the_same_however_time_is_cut(world: GraphWorld) -> None:
    other = GraphWorld([WALK, OTHER], Figure.load("planar-biped"))
    for seconds in (0.013, 0.2, 0.1, 0.487, 0.2):
        world.advance(seconds)
    other.advance(1.0)
    assert world.time == other.time == pytest.approx(1.0)
    np.testing.assert_array_equal(world.state["qpos"], other.state["qpos"])


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_frames_that_are_no_whole_steps_add_up_to_the_time_that_passed(world: GraphWorld, rate: float) -> None:
    for _ in range(120):
        world.advance(rate / 60)
    assert world.time == pytest.approx(2.0 * rate, abs=0.001)


def test_samples_follow_each_other_without_gaps(world: GraphWorld) -> None:
    times = np.concatenate([world.advance(s).times for s in (0.017, 0.004, 0.003, 0.05, 0.016, 0.11)])
    np.testing.assert_allclose(np.diff(times), 0.01)


def test_a_changed_number_acts_at_once_and_needs_no_new_simulation(world: GraphWorld) -> None:
    walk(world, 1.0)
    simulation = world.simulation
    before = world.snapshot()
    assert not world.edit(with_target(WALK, 0, "swing_knee", angle=-1.6))
    assert world.simulation is simulation
    bent = walk(world, 0.5)
    world.edit(WALK)
    world.restore(before)
    plain = walk(world, 0.5)
    assert np.abs(bent - plain).max() > 0.05
    world.edit(with_target(WALK, 0, "swing_knee", angle=-1.6))
    world.restore(before)
    np.testing.assert_array_equal(walk(world, 0.5), bent)


def test_states_are_added_and_removed_while_it_walks(world: GraphWorld) -> None:
    walk(world, 2.0)
    assert not world.edit(add_state(WALK, 0))
    assert world.where()[0] == "walk"
    numbers = set(world.advance(0.9).state["number"])
    assert numbers <= {0, 1, 2}
    assert len(numbers) > 1
    world.edit(remove_state(world.controllers[0], 1))
    assert world.where()[1] < 2
    walk(world, 2.0)


def test_it_switches_to_another_gait_on_request(world: GraphWorld) -> None:
    walk(world, 2.0)
    world.request("in-place-walk")
    assert world.requested() == "in-place-walk"
    walk(world, 2.0)
    assert world.where()[0] == "in-place-walk"
    assert world.requested() is None
    with pytest.raises(FootfallError, match="controller of the repertoire"):
        world.request("moonwalk")


def test_settings_change_under_way_without_moving_it(world: GraphWorld) -> None:
    walk(world, 1.0)
    before = world.state["qpos"].copy()
    for setting in (
        Setting(friction=0.9),
        Setting(load=10.0),
        Setting(gravity=8.0),
        Setting("steps:0.02", (2.0, 0.0, 0.0)),
    ):
        world.change_setting(setting)
        np.testing.assert_array_equal(world.state["qpos"], before)
    moon, earth = [], []
    for gravity, way in ((1.6, moon), (9.81, earth)):
        one = GraphWorld([WALK, OTHER], world.figure, Setting(gravity=gravity))
        state = one.snapshot()
        state["qpos"][0, 1] += 1.0
        one.restore(state)
        one.advance(0.2)
        way.append(one.state["qpos"][0, 1] - state["qpos"][0, 1])
    fall = 0.5 * (9.81 - 1.6) * 0.2**2
    assert moon[0] - earth[0] == pytest.approx(fall, rel=0.25)


def test_the_saved_controller_walks_beside_until_they_differ(world: GraphWorld) -> None:
    walk(world, 1.0)
    world.compare(WALK)
    walk(world, 0.5)
    np.testing.assert_array_equal(world.state["qpos"][0], world.state["qpos"][1])
    world.edit(with_hold(WALK, 0, 0.2))
    walk(world, 1.0)
    assert np.abs(world.state["qpos"][0] - world.state["qpos"][1]).max() > 1e-3
    world.compare(None)
    assert len(world.state["qpos"]) == 1


def test_pushes_and_pulls_act_and_end(world: GraphWorld) -> None:
    walk(world, 1.0)
    before = world.snapshot()
    world.push((200.0, 0.0, 0.0), 0.1)
    assert world.force()[0] == 200.0
    samples = world.advance(0.3)
    assert samples.push[:, 0].max() == 200.0
    assert world.force()[0] == 0.0
    pushed = world.state["qvel"][0, 0]
    world.restore(before)
    world.advance(0.3)
    assert pushed > world.state["qvel"][0, 0]
    world.pull("torso", np.array([0.0, 0.0, 2000.0]))
    world.advance(1.0)
    assert world.state["qpos"][0, 1] > 1.2
    world.pull("torso", None)
    assert not world.force().any()


def test_a_hard_push_makes_it_fall_and_reset_puts_it_back(world: GraphWorld) -> None:
    walk(world, 1.0)
    world.push((-1500.0, 0.0, 0.0), 0.3)
    walk(world, 2.0)
    assert world.fell_at is not None
    assert 1.0 < world.fell_at < 3.0
    world.reset()
    assert world.fell_at is None
    assert world.time == 0.0


def test_a_run_that_diverges_says_so(world: GraphWorld) -> None:
    world.push((1e9, 0.0, 1e9), 1.0)
    world.advance(1.0)
    assert world.diverged
    assert np.isfinite(world.state["qpos"]).all()


def test_a_ragdoll_that_diverges_leaves_no_blank_samples(world: GraphWorld) -> None:
    world.push((-1500.0, 0.0, 0.0), 0.3)
    while world.fell_at is None:
        world.advance(0.25)
    world.pull(world.figure.torso, np.array([1e9, 0.0, 1e9]))
    last = [world.advance(0.25) for _ in range(4)]
    assert int(world.state["status"][0]) == STOPPED
    assert len(last[-1].times) == 0
    assert all(samples.qpos.any(axis=1).all() for samples in last)
