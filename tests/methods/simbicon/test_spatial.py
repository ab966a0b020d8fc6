"""SIMBICON's law in space: mirrored, turned and pushed alike, and the torso's torque is what the hips give it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.control.parts import root_yaw
from footfall.methods.simbicon.sequence import set_memory
from footfall.motion.quaternion import from_euler, multiply, rotate
from footfall.simulation import Push, Record, Simulation

HURRIED = load_controller(Path(__file__).with_name("hurried.toml"))
"""Its legs pass through each other."""
TURN = 0.9
FORCE = np.array([40.0, 60.0, 0.0])


def turned(qpos, qvel, force):
    """A state and a force, turned about the vertical by TURN."""
    q = np.asarray(from_euler("z", np.array([TURN])))
    qpos, qvel = qpos.copy(), qvel.copy()
    qpos[:3], qvel[:3] = rotate(q, qpos[:3]), rotate(q, qvel[:3])
    qpos[3:7] = multiply(q, qpos[3:7])
    return qpos, qvel, rotate(q, force)


@pytest.fixture(scope="module")
def walks():
    """World 0 walks and is pushed; world 1 is its mirror image; world 2 is turned; each for 1.2 s."""
    start = HURRIED.start
    qpos, qvel = np.array(start.qpos), np.array(start.qvel)
    simulation = Simulation(HURRIED, solid=False)
    figure = simulation.figure
    mirrored = figure.mirror_qpos(qpos), figure.mirror_qvel(qvel), FORCE * [1, -1, 1]
    worlds = list(zip((qpos, qvel, FORCE), mirrored, turned(qpos, qvel, FORCE), strict=True))
    simulation = Simulation(
        HURRIED,
        worlds=3,
        solid=False,
        qpos=np.array(worlds[0]),
        qvel=np.array(worlds[1]),
        pushes=[Push(np.array(worlds[2]), 0.4, 0.2)],
        set={"heading": [0.0, 0.0, TURN]},
        record=Record(rate=200),
    )
    set_memory(simulation, state=[2, 0, 2])
    outcome = simulation.run(1.2)
    assert outcome.survived.all()
    return simulation, simulation.trace()


@pytest.mark.slow
def test_a_mirrored_start_and_push_walk_the_mirrored_way(walks):
    simulation, trace = walks
    mirrored = simulation.figure.mirror_qpos(trace.qpos[:, 0])
    np.testing.assert_allclose(trace.qpos[:, 1], mirrored, atol=1e-6)
    np.testing.assert_allclose(trace.signals["d_side"][:, 1], -trace.signals["d_side"][:, 0], atol=1e-6)
    assert np.abs(trace.qpos[-1, 0, 1]) > 0.01


def test_a_turned_start_heading_and_push_walk_the_turned_way(walks):
    simulation, _ = walks
    qpos, qvel, _ = turned(simulation.qpos[0], simulation.qvel[0], FORCE)
    np.testing.assert_allclose(simulation.qpos[2], qpos, atol=1e-6)
    np.testing.assert_allclose(simulation.qvel[2], qvel, atol=1e-5)


@pytest.mark.parametrize(
    ("plane", "signal"),
    [("pitch", "torso_torque"), ("roll", "torso_roll_torque"), ("yaw", "torso_yaw_torque")],
)
def test_the_hips_give_the_torso_its_torque_in_every_plane(walks, plane, signal):
    simulation, trace = walks
    hips = [simulation.figure.joint(f"{side}_hip_{plane}").dof for side in ("left", "right")]
    torque = trace.torque[..., hips]
    free = (np.abs(torque) < 399.9).all(axis=-1)
    assert free.mean() > 0.5
    np.testing.assert_allclose(-torque.sum(axis=-1)[free], trace.signals[signal][free], atol=1e-9)


def test_it_walks_on_from_disturbed_starts_and_turns_where_it_is_told():
    rng = np.random.default_rng(0)
    start, worlds = HURRIED.start, 4
    qpos = np.array(start.qpos) + np.pad(1e-3 * rng.normal(size=(worlds, 19)), ((0, 0), (7, 0)))
    rates = [0.0, 0.0, 0.15, -0.15]
    simulation = Simulation(HURRIED, worlds=worlds, qpos=qpos, set={"heading_rate": rates}, solid=False)
    outcome = simulation.run(10.0)
    assert outcome.survived.all()
    yaw = [root_yaw(*map(float, q[3:7])) for q in simulation.qpos]
    np.testing.assert_allclose(yaw, np.multiply(rates, 10.0), atol=0.25)


def test_a_heading_that_jumps_is_followed_no_faster_than_the_limit():
    """As one that turns at that rate does, until it is there; a whole turn is none."""
    most, asked = 0.15, np.array([0.0, 0.3, 0.3 + 2.0 * np.pi])
    limited = replace(HURRIED, balance=replace(HURRIED.balance, turn_limit=most))
    simulation = Simulation(limited, worlds=3, set={"heading": asked}, solid=False)
    turning = Simulation(HURRIED, set={"heading_rate": most}, solid=False)
    place = simulation.law.memory_names.index("turned")
    for k in range(1, 6):
        simulation.run(0.5)
        told = asked + simulation.memory[:, place]
        np.testing.assert_allclose(np.sin(told - [0.0, *[min(0.5 * k * most, asked[1])] * 2]), 0.0, atol=1e-6)
        if k == 2:
            turning.run(1.0)
            np.testing.assert_allclose(simulation.qpos[1], turning.qpos[0], atol=1e-3)
    np.testing.assert_allclose(simulation.qpos[2], simulation.qpos[1], atol=1e-3)
