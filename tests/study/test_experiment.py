"""Experiments: named numbers become the conditions of worlds."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.simulation import Simulation
from footfall.study.sweeps.experiment import Experiment


def test_worlds_do_not_feel_their_neighbours() -> None:
    experiment = Experiment("walk", seconds=2.0)
    gains = np.array([0.05, 0.2, 0.35])
    together = experiment.run({"0.swing_hip.c_v": gains})
    for k, gain in enumerate(gains):
        alone = experiment.run({"0.swing_hip.c_v": [gain]})
        for name in together:
            assert np.array_equal(together[name][k], alone[name][0], equal_nan=True), name


def test_plain_run_is_the_simulation() -> None:
    results = Experiment("walk", seconds=3.0).run()
    outcome = Simulation("walk").run(3.0)
    assert results["distance"][0] == pytest.approx(outcome.distance[0], abs=1e-9)
    assert results["torque_squared"][0] == pytest.approx(outcome.torque_squared[0], rel=1e-9)


def test_names_that_change_nothing() -> None:
    experiment = Experiment("walk", seconds=2.0)
    plain = experiment.run()["distance"][0]
    assert experiment.run({"ground.friction": [0.65]})["distance"][0] == pytest.approx(plain, abs=1e-9)
    assert experiment.run({"start.left_knee": [0.0], "start.noise": [0.0]})["distance"][0] == pytest.approx(
        plain, abs=1e-9
    )
    assert experiment.run({"body.thigh": [1.0], "body.load": [0.0]})["distance"][0] == pytest.approx(plain, abs=1e-6)


def test_longer_legs_start_on_the_ground() -> None:
    results = Experiment("walk", seconds=4.0).run({"body.thigh": [0.9, 1.0, 1.2]})
    assert results["survived"].all()


def test_steps_of_time_are_simulations_of_their_own() -> None:
    experiment = Experiment("walk", seconds=2.0)
    mixed = experiment.run({"dt": [0.001, 0.0005, 0.001], "kp": [300.0, 300.0, 280.0]})
    assert mixed["distance"][0] == experiment.run({"kp": [300.0]})["distance"][0]
    assert mixed["distance"][1] != mixed["distance"][0]


def test_perturbed_starts_repeat_and_differ() -> None:
    experiment = Experiment("walk", seconds=1.0)
    values = {"replica": [1.0, 2.0, 1.0], "start.noise": [0.03]}
    distance = experiment.run(values)["distance"]
    assert distance[0] == distance[2] != distance[1]
    other = Experiment("walk", seconds=1.0, seed=5).run(values)["distance"]
    assert other[0] != distance[0]


def test_pushes_come_at_their_phase() -> None:
    experiment = Experiment("walk", settle=3.0, recovery=1.0)
    phases = np.array([0.0, 0.25, 0.5, 0.75])
    results = experiment.run({"push.phase": phases, "push.force": np.full(4, 50.0)})
    gaps = np.diff(results["push_time"])
    stride = 2.0 * results["step_time"][0]
    assert np.allclose(gaps, 0.25 * stride, atol=0.01)
    assert results["push_time"][0] >= 3.0


def test_a_terrain_that_gets_steeper() -> None:
    experiment = Experiment("walk", terrain="steps:0", seconds=6.0)
    results = experiment.run({"terrain.rise": [0.0, 0.6]})
    assert results["survived"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"pus.force": 1.0}, "did you mean 'push.force'"),
        ({"push.angle": 90.0}, "planar"),
        ({"push.start": 1.0, "push.phase": 0.0}, "both given"),
        ({"push.count": 2.5}, "whole number"),
        ({"terrain.rise": 0.1}, "terrain 'flat'"),
        ({"body.tigh": 1.1}, "did you mean 'thigh'"),
        ({"start.left_nee": 0.1}, "did you mean 'start.left_knee'"),
        ({"kp": [1.0, 2.0, 3.0], "kd": [1.0, 2.0]}, "2 values for 3 worlds"),
    ],
)
def test_bad_names_are_told_in_one_line(values: dict[str, float], word: str) -> None:
    with pytest.raises(FootfallError) as caught:
        Experiment("walk").run(values)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_experiments_pickle() -> None:
    experiment = Experiment("walk", set={"push.force": 10.0})
    assert pickle.loads(pickle.dumps(experiment)) == experiment


@pytest.mark.slow
def test_a_robots_hardware_varies_between_worlds() -> None:
    experiment = Experiment("walk", seconds=1.0, dt=0.0005, set={"noise.joint_angle": 0.01, "motor_torque": 200.0})
    values = {"control_rate": [2000.0, 1000.0, 2000.0, 2000.0], "motor_speed": [20.0, 20.0, 6.0, 20.0]}
    values |= {"actuator_delay": [0.0005, 0.0005, 0.0005, 0.001], "replica": [1.0, 2.0, 3.0, 4.0]}
    together = experiment.run(values)["distance"]
    assert len(np.unique(together)) == 4
    for world in (0, 3):
        alone = experiment.run({name: v[world : world + 1] for name, v in values.items()}, 1)["distance"]
        assert alone[0] == together[world]


@pytest.mark.slow
def test_errors_of_sensors_depend_on_the_draw_and_the_seed() -> None:
    experiment = Experiment("walk", seconds=1.0, set={"noise.joint_angle": 0.02, "start.noise": 0.0})
    one, other, again = experiment.run({"replica": [1.0, 2.0, 1.0]})["distance"]
    assert one == again != other
    assert replace(experiment, seed=1).run({"replica": [1.0]})["distance"][0] != one
