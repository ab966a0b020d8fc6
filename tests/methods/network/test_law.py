"""Networks in the rollout: equal to the environment that they were trained in, and to laws that they stand for."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.network.deciding import Block
from footfall.methods.network.law import Servos
from footfall.methods.network.multilayer import Network
from footfall.simulation import Hardware, Record, Simulation
from tests.methods.network.test_controller import LEGS, corrected, served
from tests.methods.network.test_multilayer import network

RECORD = Record(rate=50.0, fields=("qpos",))
TERRAIN = "random-steps:0.1"
OPTIONS = {"controller": "walk", "action": "corrections", "terrain": TERRAIN, "terrains": 3}


def test_network_runs_as_in_its_environment():
    """A random network that reads every observation: native worlds follow the environment's to rounding."""
    pytest.importorskip("gymnasium", reason="NO GYMNASIUM: networks were not compared with environments")
    assert _differs(**OPTIONS) < 1e-6


def test_network_senses_what_it_sensed_in_its_environment():
    """Late, and wrong by the same errors."""
    pytest.importorskip("gymnasium", reason="NO GYMNASIUM: networks were not compared with environments")
    noise = {"joint_angle": 0.005, "joint_speed": 0.05, "orientation": 0.005, "angular_velocity": 0.05}
    assert _differs(**OPTIONS, hardware={"sensor_delay": 0.005, "noise": noise}) < 1e-6
    assert _differs(**OPTIONS, hardware={"sensor_delay": 0.02}) < 1e-6


@pytest.mark.slow
def test_network_runs_as_in_its_environment_in_space():
    pytest.importorskip("gymnasium", reason="NO GYMNASIUM: networks were not compared with environments")
    correct = {"targets": 0.2, "gains": 0.3, "swing_hip.c_v": 0.05}
    assert _differs(controller="walk-3d", action="corrections", heading=0.2, correct=correct) < 1e-5


def _differs(**options) -> float:
    """How far the poses of an environment and of the learned controller are apart, over 20 decisions."""
    from footfall.learning.options import DISABLED, Options
    from footfall.learning.training import learned_controller
    from footfall.learning.worlds import EnvironmentWorlds, streams_of

    worlds = EnvironmentWorlds(Options.of(**options), 3, mode=DISABLED)
    setup = worlds.setup
    made = network((len(setup.observations), 16, len(setup.action.table)))
    small = Network.of([made.weights[0] * 0.3, made.weights[1] * 0.3], made.biases)
    worlds.restart(np.ones(3, dtype=bool), streams_of([4, 5, 6]))
    live = worlds.live
    native = Simulation(
        learned_controller(setup, small, "learned"),
        worlds=3,
        terrain=[setup.terrains[k] for k in live["ground"].numpy()],
        qpos=live["qpos"].numpy(),
        qvel=live["qvel"].numpy(),
        dt=worlds.simulation.dt,
        set={"heading": options["heading"]} if "heading" in options else None,
        hardware=Hardware(**options.get("hardware", {})),
    )
    largest = 0.0
    for _ in range(20):
        live["action"].assign(small(live["observation"].numpy()).astype(np.float32))
        worlds.step()
        native.run(worlds.period)
        assert not live["terminated"].numpy().any()
        largest = max(largest, float(np.abs(native.qpos - live["qpos"].numpy()).max()))
    worlds.close()
    return largest


def _walked(controller, **options) -> np.ndarray:
    simulation = Simulation(controller, dt=0.002, record=RECORD, **options)
    simulation.run(1.5)
    return simulation.trace().qpos


def test_network_of_zeros_changes_nothing():
    silent = Network.of([np.zeros((6, 4)), np.zeros((7, 6))], [np.zeros(6), np.zeros(7)])
    assert _walked(corrected(network=silent)) == pytest.approx(_walked("walk"), abs=1e-9)


def test_constant_actions_change_targets_by_as_much():
    """Targets 0.3 · 0.25 rad more, by the network and by the parameters; actions count up to 1 alone."""
    constant = Network.of([np.zeros((6, 4)), np.zeros((7, 6))], [np.zeros(6), [0.0, 0.25, 0.0, 0.0, 0.0, 5.0, 0.0]])
    simulation = Simulation("walk", dt=0.002, record=RECORD)
    row, law = simulation.law.parameters.copy(), simulation.law
    for name, change in (("right_hip.angle", 0.075), ("left_knee.angle", 0.3)):
        for column, sign in law.cells(name):
            row[column] += sign * change
    simulation.set_parameters(row[None])
    simulation.run(1.5)
    assert _walked(corrected(network=constant)) == pytest.approx(simulation.trace().qpos, abs=1e-9)


def test_pieces_of_a_run_make_the_run():
    made = corrected(network=network((4, 6, 7)))
    whole, parts = Simulation(made, dt=0.002), Simulation(made, dt=0.002)
    whole.run(0.5)
    for _ in range(10):
        parts.run(0.05)
    assert np.array_equal(whole.qpos, parts.qpos)


def test_servos_without_a_network_are_servos():
    """Actions of nought hold the default pose; the last action and the history come round."""
    figure, kp = Figure.load("planar-biped"), 300.0
    quiet = Network.of([np.zeros((6, 26))], [np.zeros(6)])
    history = served(network=quiet, history=2, servos=Servos(LEGS, default=-0.125, kp=kp, kd=30.0))
    simulation = Simulation(history, figure=figure, dt=0.001)
    simulation.run(0.3)
    shift = Network.of([np.zeros((6, 26))], [np.full(6, -0.25)])
    moved = served(network=shift, history=2, servos=Servos(LEGS, default=0.0, scale=0.5, kp=kp, kd=30.0))
    other = Simulation(moved, figure=figure, dt=0.001)
    other.run(0.3)
    assert simulation.qpos == pytest.approx(other.qpos, abs=1e-9)


def test_last_action_and_history_are_observed():
    """An integrator: action = last action + 1/10, through the last action; through the history two decisions back."""
    size = 13
    weight, past = np.zeros((6, size)), np.zeros((6, 2 * size))
    weight[:, 7:] = np.eye(6)
    past[:, 7:size] = np.eye(6)
    options = {"figure": Figure.load("planar-biped"), "dt": 0.001}
    tenth = np.full(6, 0.1)
    for made, decisions, expected in (
        (served(network=Network.of([weight], [tenth])), 4, 0.4),
        (served(network=Network.of([past], [tenth]), history=2), 4, 0.2),
    ):
        simulation = Simulation(made, **options)
        simulation.run(0.02 * decisions - 0.01)
        at = simulation.law.memory_layout["network_action"]
        assert simulation.memory[0, at : at + 6] == pytest.approx(np.full(6, expected))


def test_scale_offset_and_clip_make_the_input():
    qpos = np.array([0.0, 1.0, 0.25, *(0.5, -0.5, 0.1, 0.2, -0.4, 0.1)])
    names = ("pitch", "left_hip", *LEGS[:5], *(f"action_{k}" for k in range(6)))
    blocks = (Block(names[:1], 2.0, 0.5), Block(names[1:3], (100.0, -1.0), limit=3.0), Block(names[3:]))
    made = served(observations=blocks, network=Network.of([np.eye(6, 13)], [np.zeros(6)]))
    simulation = Simulation(made, figure=Figure.load("planar-biped"), qpos=qpos, dt=0.001)
    simulation.run(0.001)
    at = simulation.law.memory_layout["network_action"]
    expected = [2.0 * (0.25 - 0.5), 3.0, -0.5, -0.5, 0.1, 0.2]
    assert simulation.memory[0, at : at + 6] == pytest.approx(expected)
