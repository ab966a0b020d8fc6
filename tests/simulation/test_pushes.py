"""Pushes act in their window and nowhere else."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Push, Record, Simulation, parse_push
from tests.simulation.scenes import BLOCK, LIGHT_BLOCK_MASS, Limp


def test_a_push_gives_its_impulse_in_its_window():
    force = np.array([[30.0, 0.0, 0.0], [0.0, -20.0, 10.0]])
    push = Push(force, [0.1, 0.2], 0.05, "block", (0.0, 0.0, 0.0))
    simulation = Simulation(
        law=Limp(), figure=Figure.load(BLOCK), worlds=2, qpos=[0, 0, 100.0, 1, 0, 0, 0], pushes=[push],
        record=Record(1000.0),
    )  # fmt: skip
    simulation.run(0.4)
    trace = simulation.trace()
    for world, start in enumerate((0.1, 0.2)):
        gained = trace.qvel[:, world, :3] + np.outer(trace.times, [0, 0, 9.8])
        full = force[world] * 0.05 / LIGHT_BLOCK_MASS
        np.testing.assert_allclose(gained[trace.times <= start + 1e-9], 0.0, atol=1e-9)
        np.testing.assert_allclose(
            gained[trace.times >= start + 0.05 - 1e-9], np.tile(full, (250 - 100 * world, 1)), atol=1e-9
        )


def test_a_walk_is_untouched_before_the_push_and_goes_on_after_it():
    pushed, still = (Simulation("walk", pushes=[Push(force, 2.0, 0.1)], record=Record(100.0)) for force in (150.0, 0.0))
    outcomes = pushed.run(8.0), still.run(8.0)
    assert all(o.survived.all() for o in outcomes)
    one, other = pushed.trace(), still.trace()
    before = one.times <= 2.0
    np.testing.assert_array_equal(one.qpos[before], other.qpos[before])
    assert np.abs(one.qvel[~before][:10] - other.qvel[~before][:10]).max() > 0.1
    np.testing.assert_array_equal(still.qpos, Simulation("walk", pushes=[Push(-3.0, 20.0, 1.0)]).run(8.0).qpos)


def test_enough_of_a_push_makes_it_fall():
    outcome = Simulation("walk", worlds=3, pushes=[Push([[100.0], [-150.0], [-2000.0]], 2.0, 0.1)]).run(8.0)
    assert outcome.fell.tolist() == [False, False, True]
    assert 2.0 < outcome.end_time[2] < 4.0
    assert np.isnan(outcome.end_time[0])


@pytest.mark.parametrize("worlds", [1, 2, 3, 4])
def test_three_numbers_are_one_force_in_every_world(worlds):
    qpos = [0, 0, 100.0, 1, 0, 0, 0]
    push = Push((30.0, -20.0, 10.0), 0.0, 0.05, "block", (0.0, 0.0, 0.0))
    simulation = Simulation(law=Limp(), figure=Figure.load(BLOCK), worlds=worlds, qpos=qpos, pushes=[push])
    simulation.run(0.1)
    gained = np.array([30.0, -20.0, 10.0]) * 0.05 / LIGHT_BLOCK_MASS - [0, 0, 0.98]
    np.testing.assert_allclose(simulation.qvel[:, :3], np.tile(gained, (worlds, 1)), atol=1e-9)


def test_words_for_pushes():
    assert parse_push("600@5:0.1") == Push(600.0, 5.0, 0.1, "")
    assert parse_push("0,340,-1@8:0.4@torso") == Push((0.0, 340.0, -1.0), 8.0, 0.4, "torso")


def test_any_body_is_pushed_by_its_name_or_its_joints_at_its_centre_of_mass():
    figure = Figure.load("human-28")
    shank = figure.body("left_shank")
    named, by_joint = (Push(1.0, 0.0, 0.1, name).place_on(figure) for name in ("left_shank", "left_knee"))
    assert named == by_joint == (shank.index, tuple(shank.com))
    assert Push(1.0, 0.0, 0.1, figure.torso).place_on(figure) == Push(1.0, 0.0, 0.1).place_on(figure)
    with pytest.raises(FootfallError, match=r"choose one of: .*left_shank.*right_thigh"):
        Push(1.0, 0.0, 0.1, "wing").place_on(figure)


def test_a_push_on_a_link_moves_that_link():
    chain = """<mujoco model="chain"><option gravity="0 0 0"/><worldbody><body name="a"><freejoint/>
    <inertial pos="0 0 0" mass="4" diaginertia="1 1 1"/><body name="b" pos="0 0 1"><joint name="elbow" axis="0 1 0"/>
    <inertial pos="0 0 0.5" mass="2" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""
    for words, turns in (("12@0:0.1@b", True), ("12@0:0.1@elbow", True), ("0,0,12@0:0.1@b", False)):
        simulation = Simulation(law=Limp(), figure=Figure.load(chain), pushes=[parse_push(words)])
        simulation.run(0.1)
        momentum = 4.0 * simulation.qvel[0, :3] + 2.0 * _centre_velocity(simulation)
        np.testing.assert_allclose(np.linalg.norm(momentum), 1.2, rtol=1e-3)
        assert (abs(simulation.qvel[0, 6]) > 1e-3) == turns


def _centre_velocity(simulation):
    """World velocity of the centre of mass of the second body, by MuJoCo."""
    model, data, jacobian = simulation.figure.model, mujoco.MjData(simulation.figure.model), np.zeros((3, 7))
    data.qpos[:] = simulation.qpos[0]
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_jacBodyCom(model, data, jacobian, None, 2)
    return jacobian @ simulation.qvel[0]


@pytest.mark.parametrize("words", ["600", "600@5", "x@1:1", "nan@1:1", "600@5:-1", "@:", "6@inf:1"])
def test_words_that_are_no_push(words):
    with pytest.raises(FootfallError, match="push"):
        parse_push(words)


@pytest.mark.parametrize(
    ("push", "message"),
    [
        (Push(1.0, 0.0, 1.0, "torsoo"), "did you mean 'torso'"),
        (Push([[1.0], [2.0]], 0.0, 1.0), "one for each of 3"),
        (Push([1.0, 2.0], 0.0, 1.0), "X, Y, Z"),
        (Push(float("nan"), 0.0, 1.0), "not finite"),
        (Push(1.0, 0.0, -1.0), "duration"),
    ],
)
def test_impossible_pushes_are_refused(push, message):
    with pytest.raises(FootfallError, match=message):
        Simulation("walk", worlds=3, pushes=[push])
