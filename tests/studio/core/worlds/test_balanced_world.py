"""Walkers that limit-cycle control balances in the studio's world."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import THESIS_GROUND, BalancedWalk
from footfall.methods.limit_cycle.perturbation import can_be_balanced
from footfall.methods.simbicon.editing import add_state, with_hold, with_target
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.drive import BalanceDrive
from footfall.studio.core.graph_world import GraphWorld
from footfall.studio.core.making import make_world
from footfall.studio.core.setting import Setting

HUMAN, GRAPH = Figure.load("human"), load_controller("human-walk")


def walk(world: GraphWorld, seconds: float) -> np.ndarray:
    return np.concatenate([world.advance(1 / 60).qpos for _ in range(round(60 * seconds))])


def fresh(**drive: object) -> BalancedWorld:
    world = BalancedWorld([GRAPH], HUMAN)
    if drive:
        world.change_drive(world.drive.changed(**drive))
    return world


pytestmark = [pytest.mark.usefixtures("long_module"), pytest.mark.slow]


@pytest.fixture(scope="module")
def walked() -> BalancedWorld:
    world = fresh()
    walk(world, 9.0)
    return world


@pytest.fixture
def world(walked: BalancedWorld) -> BalancedWorld:
    """In the midst of a step, some steps on its way."""
    state = walked.snapshot()
    world = fresh()
    world.restore(state)
    return world


def test_it_walks_as_balanced_walks_do(walked: BalancedWorld) -> None:
    assert walked.fell_at is None
    assert len(walked.steps) >= 20
    options = walked._planner.options
    alone = BalancedWalk(GRAPH.changed(law="torso-servo"), walked.drive.control, **options).walk(len(walked.steps))
    assert [s.time for s in walked.steps] == list(alone.times[1:, 0])
    assert [s.value for s in walked.steps] == [tuple(v) for v in alone.values[:, 0]]
    assert [s.target for s in walked.steps] == [tuple(v) for v in alone.targets[:, 0]]
    assert walked.simulation.grounds[0] == THESIS_GROUND.usual(solid=False)


def test_it_walks_the_same_however_time_is_cut() -> None:
    one, two = fresh(), fresh()
    one.advance(2.0)
    for seconds in (0.013, 0.4, 0.001, 0.6, 0.486, 0.5):
        two.advance(seconds)
    assert one.time == two.time
    np.testing.assert_array_equal(one.state["qpos"], two.state["qpos"])
    times = np.concatenate([two.advance(s).times for s in (0.017, 0.004, 0.003, 0.05, 0.016, 0.5)])
    np.testing.assert_allclose(np.diff(times), 0.01)


def test_without_balance_it_falls_and_with_it_again_it_goes_on() -> None:
    world = fresh(balanced=False)
    walk(world, 4.0)
    assert world.fell_at is not None
    world = fresh()
    walk(world, 2.0)
    world.change_drive(world.drive.changed(balanced=False))
    walk(world, 0.2)
    world.change_drive(world.drive.changed(balanced=True))
    walk(world, 4.0)
    assert world.fell_at is None


def test_a_push_changes_its_steps_and_it_walks_on(world: BalancedWorld) -> None:
    before = world.snapshot()
    plain = walk(world, 3.0)
    world.restore(before)
    world.push((0.0, 60.0, 0.0), 0.2)
    pushed = walk(world, 3.0)
    assert np.abs(pushed - plain).max() > 0.02
    world.pull("torso", np.array([40.0, 0.0, 0.0]))
    walk(world, 0.5)
    world.pull("torso", None)
    walk(world, 2.0)
    assert world.fell_at is None


def test_it_goes_on_from_any_moment_of_its_past_to_the_same_bit(world: BalancedWorld) -> None:
    before, steps = world.snapshot(), len(world.steps)
    first = walk(world, 1.5)
    world.restore(before)
    assert len(world.steps) == steps
    np.testing.assert_array_equal(walk(world, 1.5), first)


def test_an_edit_acts_at_once_and_it_walks_on(world: BalancedWorld) -> None:
    before = world.snapshot()
    plain = walk(world, 1.0)
    world.restore(before)
    assert not world.edit(with_target(GRAPH, 1, "left_elbow", angle=1.0))
    assert np.abs(walk(world, 1.0) - plain).max() > 0.05
    world.edit(with_hold(GRAPH, 2, 0.22))
    walk(world, 3.0)
    assert world.fell_at is None
    assert world.edit(add_state(GRAPH, 1))
    walk(world, 0.5)
    with pytest.raises(FootfallError, match="both legs"):
        world.edit(GRAPH.changed(states=tuple(replace(s, stance="left") for s in GRAPH.states)))


def test_settings_change_under_way_without_moving_it(world: BalancedWorld) -> None:
    before = world.state["qpos"].copy()
    for setting in (
        Setting(load=5.0, hardness=THESIS_GROUND),
        Setting(friction=0.7, hardness=THESIS_GROUND),
        Setting("slope:1", hardness=THESIS_GROUND),
    ):
        world.change_setting(setting)
        np.testing.assert_array_equal(world.state["qpos"], before)
        walk(world, 1.5)
        before = world.state["qpos"].copy()
    assert world.fell_at is None
    assert world.simulation.grounds[0].friction == Setting().friction


def test_it_turns_where_it_is_asked_to_and_to_points(world: BalancedWorld) -> None:
    def facing() -> float:
        return float(world.course.place is not None and 2.0 * np.arctan2(*world.state["qpos"][0, [6, 3]]))

    start = facing()
    world.change_drive(world.drive.changed(heading=start + 0.9))
    walk(world, 6.0)
    assert facing() == pytest.approx(start + 0.9, abs=0.2)
    x, y = world.state["qpos"][0, :2]
    point = (round(float(x) + 0.5, 2), round(float(y) + 2.5, 2))
    world.change_drive(world.drive.changed(points=(point, (40.0, 0.0))))
    way = walk(world, 6.0)
    assert world.course.reached == 1
    assert np.hypot(way[:, 0] - point[0], way[:, 1] - point[1]).min() < 0.8
    world.change_drive(world.drive.changed(points=(point,)))
    assert world.course.reached == 1
    world.change_drive(world.drive.changed(points=((0.0, 0.0),)))
    assert world.course.reached == 0
    assert world.fell_at is None


def test_postures_and_targets_come_over_several_steps(world: BalancedWorld) -> None:
    world.change_drive(world.drive.changed(postures={"bent-knee": 0.3}, targets=(0.32, 0.0)))
    walk(world, 1.0)
    assert 0.0 < world.course.postures["bent-knee"] < 0.3
    walk(world, 4.0)
    assert world.course.postures["bent-knee"] == pytest.approx(0.3)
    assert world.course.targets == (0.32, 0.0)
    assert world.fell_at is None


def test_variables_sampling_and_the_torso_servo_change_under_way(world: BalancedWorld) -> None:
    for parts in (
        {"sampling": "SP"},
        {"sampling": "L-F"},
        {"lateral": "swing-com", "targets": (0.3, 0.03)},
        {"sampling": "jacobian", "lateral": "pelvis-up", "targets": (0.3, 0.0)},
        {"servo": False, "forward": "up", "lateral": "up", "targets": (0.28, 0.0), "sampling": "F-L"},
    ):
        world.change_drive(world.drive.changed(**parts))
        walk(world, 1.5)
        assert world.fell_at is None
    aimed = {s.target[1] for s in world.steps}
    assert {0.03, -0.03} <= aimed


def test_the_saved_controller_walks_beside_until_they_differ(world: BalancedWorld) -> None:
    world.compare(GRAPH)
    walk(world, 1.0)
    np.testing.assert_array_equal(world.saved_qpos(), world.state["qpos"][0])
    world.edit(with_target(GRAPH, 1, "left_elbow", angle=1.0))
    gaps = []
    for _ in range(10):
        world.advance(0.1)
        gaps.append(np.abs(world.saved_qpos() - world.state["qpos"][0]).max())
    assert max(gaps) > 0.05
    world.compare(None)
    assert world.saved_qpos() is None
    with pytest.raises(FootfallError, match="another number of states"):
        world.compare(add_state(GRAPH, 0))


def test_only_base_graphs_of_spatial_bipeds_are_balanced() -> None:
    planar = load_controller("walk")
    figure = Figure.load("planar-biped")
    assert not can_be_balanced(planar, figure)
    assert type(make_world([planar], figure, Setting(hardness=THESIS_GROUND, friction=1.0))) is GraphWorld
    for name in ("human-walk", "human-12-walk", "bird-run"):
        graph = load_controller(name)
        assert can_be_balanced(graph, Figure.load(graph.figure))


def test_a_drive_that_cannot_be_is_told() -> None:
    with pytest.raises(FootfallError, match="sampling is 'random'"):
        BalanceDrive(sampling="random")
    with pytest.raises(FootfallError, match="finite"):
        BalanceDrive(points=((0.0, float("nan")),))
