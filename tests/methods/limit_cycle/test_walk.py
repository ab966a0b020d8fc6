"""Balanced walks of the simplest human: a few steps are enough for laws."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.methods.limit_cycle import (
    THESIS_GROUND,
    BalancedWalk,
    GaitChange,
    LastModel,
    SpeedControl,
    hip_control,
    load_perturbation,
)
from footfall.simulation import Record, Simulation

STEPS = 4
OPTIONS = {"dt": 0.002}


ROUNDING = 1e-7
"""How far two kernels' motions may lie apart after some steps: they round differently."""

pytestmark = pytest.mark.usefixtures("long_module")


@pytest.fixture(scope="module")
def walk():
    return BalancedWalk("human-12-walk", hip_control("SP"), walkers=2, targets=[[0.25, 0.0], [0.3, 0.0]], **OPTIONS)


@pytest.fixture(scope="module")
def record(walk):
    return walk.walk(STEPS)


def test_a_step_ends_near_its_target_and_where_the_model_said(record):
    assert np.all(record.footsteps == STEPS)
    assert np.abs(record.values - record.targets).max() < 0.06
    assert np.allclose(record.predicted, record.targets)
    assert np.all(record.samples == 4)


def test_walkers_do_not_depend_on_who_walks_beside_them(record):
    alone = BalancedWalk("human-12-walk", hip_control("SP", targets=(0.3, 0.0)), **OPTIONS).walk(STEPS)
    assert np.array_equal(alone.values[:, 0], record.values[:, 1])
    assert np.array_equal(alone.scalings[:, 0], record.scalings[:, 1])


@pytest.mark.slow
def test_the_aperiodic_graph_replays_the_same_motion_also_from_its_file(walk, record):
    again = walk.walk(STEPS)
    assert np.array_equal(again.values, record.values)
    for w in range(2):
        graph = parse_controller(print_controller(record.aperiodic(w)))
        replay = Simulation(graph, ground=THESIS_GROUND, **OPTIONS)
        replay.step(round(record.seconds(w) / replay.dt))
        assert np.allclose(replay.qpos[0], walk.main.qpos[w], atol=ROUNDING)
        assert np.allclose(replay.qvel[0], walk.main.qvel[w], atol=ROUNDING)


def test_pausing_worlds_changes_nothing():
    graph = load_controller("human-12-walk")
    whole, parts = (Simulation(graph, ground=THESIS_GROUND, **OPTIONS) for _ in range(2))
    for footsteps in range(2):
        parts.step(2000, footsteps=footsteps)
        assert parts.memory[0, 0] % 3 == 0
    whole.step(parts.step_number)
    assert np.allclose(whole.qpos, parts.qpos, atol=ROUNDING)
    assert np.allclose(whole.memory, parts.memory, atol=ROUNDING)


def test_a_world_that_pauses_is_recorded_as_if_it_had_not():
    graph = load_controller("human-12-walk")
    whole, parts = (Simulation(graph, ground=THESIS_GROUND, record=Record(rate=100.0), **OPTIONS) for _ in range(2))
    for footsteps, steps in ((0, 77), (0, 2000), (1, 33), (1, 2000), (2, 5)):
        parts.step(steps, footsteps=footsteps)
    whole.step(parts.step_number)
    one, two = whole.trace(), parts.trace()
    assert len(one.qpos) == len(two.qpos) > 50
    assert np.allclose(one.qpos, two.qpos, atol=ROUNDING)
    assert np.array_equal(one.state, two.state)
    with pytest.raises(FootfallError, match="record at most one world"):
        Simulation(graph, worlds=2, record=Record(), **OPTIONS).step(10, footsteps=0)


def test_a_tolerance_makes_steps_come_nearer():
    control = hip_control("SP", targets=(0.3, 0.0))
    strict = replace(control, dimensions=tuple(replace(d, tolerance=1e-3) for d in control.dimensions))
    errors = []
    for one in (control, strict):
        walked = BalancedWalk("human-12-walk", one, **OPTIONS).walk(2)
        errors.append(np.abs(walked.values - walked.targets).sum())
    assert errors[1] < errors[0]


def test_reused_models_need_fewer_samples_and_take_the_walk_that_new_ones_take():
    control = hip_control("SP", targets=(0.27, 0.0))
    new, kept = (BalancedWalk("human-12-walk", control, reuse=r, **OPTIONS).walk(16) for r in (None, LastModel()))
    assert new.footsteps[0] == kept.footsteps[0] == 16
    assert kept.samples.sum() < 0.75 * new.samples.sum()
    miss = (new.values - new.targets)[-4:, 0, 0].mean()
    assert abs(miss) > 0.005
    assert np.allclose((kept.values - kept.targets)[-4:, 0, 0].mean(), miss, atol=0.01)


def test_the_torso_servo_has_gains_of_its_own():
    graph = load_controller("human-12-walk").changed(law="torso-servo")
    soft = graph.changed(servo=replace(graph.servo, torso=(300.0, 30.0)))
    assert parse_controller(print_controller(soft)) == soft
    rows = [Simulation(g, **OPTIONS).law.parameters for g in (graph, soft)]
    assert np.flatnonzero(rows[0] != rows[1]).size == 2
    with pytest.raises(FootfallError, match="servo torso is"):
        graph.changed(servo=replace(graph.servo, torso=(300.0, -1.0)))
    text = print_controller(soft).replace("torso = [300.0, 30.0]", "torso = [300.0]")
    with pytest.raises(FootfallError, match="a list of two numbers"):
        parse_controller(text)


def test_speed_control_leans_by_its_limit_at_most_and_gaits_come_in_straight_lines():
    control = SpeedControl("up.forward", 0.4, gain=1.5, limit=0.15)
    assert np.allclose(control.correction(np.array([0.0, 0.35, 0.4, 2.0])), [0.15, 0.075, 0.0, -0.15])
    gait = GaitChange(load_perturbation("duck"), [(2, 0.0), (6, [1.0, 2.0])])
    assert np.allclose([gait.scaling(s, 2) for s in (0, 4, 9)], [[0, 0], [0.5, 1.0], [1.0, 2.0]])


def test_bad_requests_are_named():
    with pytest.raises(FootfallError, match="targets have shape"):
        BalancedWalk("human-12-walk", hip_control(), walkers=2, targets=[0.1, 0.2, 0.3], **OPTIONS)
    with pytest.raises(FootfallError, match="unknown regulation variable of this control"):
        BalancedWalk("human-12-walk", hip_control(), speed=[SpeedControl("up.sideways", 0.4)], **OPTIONS)
    with pytest.raises(FootfallError, match="choose one of: F-L, L-F, SP, jacobian"):
        hip_control("FL")
