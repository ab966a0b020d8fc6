"""A controller scaled by dimensions: on a body scaled exactly its walk is the scaled walk."""

import math

import numpy as np
import pytest

from footfall.dynamics.contact import Ground
from footfall.methods.simbicon.files import load_graph
from footfall.simulation import Record, Simulation
from footfall.study.adaptation.scaling import scaled_graph, scaled_ground
from footfall.study.search.free_numbers import Scales
from tests.study.adaptation.bodies import similar


def _same_walk(name: str, figure: str, length: float, mass: float, seconds: float) -> tuple[float, float, int]:
    """By how much the scaled walk differs: places and angles, torques as a share; and its footsteps."""
    graph, scales = load_graph(name), Scales(length, mass)
    traces = []
    for body, own, ratio in (
        (similar(figure, 1.0, 1.0, free=True), graph, Scales()),
        (similar(figure, length, mass, free=True), scaled_graph(graph, scales), scales),
    ):
        record = Record(rate=100.0 / ratio.time, fields=("qpos", "torque", "events"))
        ground = scaled_ground(Ground(law="anchor"), ratio)  # the smooth law has a depth that does not scale
        simulation = Simulation(own, figure=body, dt=0.001 * ratio.time, ground=ground, record=record, solid=False)
        outcome = simulation.run(seconds * ratio.time)
        assert outcome.survived[0]
        qpos, torque = simulation.trace().qpos[:, 0], simulation.trace().torque[:, 0] / ratio.torque
        qpos[:, : 2 if body.root == "planar" else 3] /= ratio.length
        traces.append((qpos, torque, int(outcome.footsteps[0])))
    (qpos, torque, steps), (other, also, count) = traces
    assert steps == count
    return np.abs(qpos - other).max(), np.abs(torque - also).max() / np.abs(torque).max(), steps


@pytest.mark.slow
@pytest.mark.parametrize(("length", "mass"), [(0.62, 0.31), (2.1, 5.0)])
def test_a_planar_walk_scales(length, mass):
    places, torques, steps = _same_walk("walk", "planar-biped", length, mass, 2.0)
    assert places < 2e-6
    assert torques < 5e-6
    assert steps >= 4


@pytest.mark.slow
def test_a_walk_in_space_scales():
    """One whose joints do not reach their stops, which have a time of their own."""
    places, torques, steps = _same_walk("gait-lab-slow-walk", "human-28", 0.7, 0.4, 2.0)
    assert places < 5e-6
    assert torques < 2e-5
    assert steps >= 3


def test_scales_are_those_of_hips_and_masses():
    ratio = Scales.between(similar("planar-biped", 1.0, 1.0), similar("planar-biped", 0.5, 0.3))
    assert ratio.length == pytest.approx(0.5, rel=1e-5)
    assert ratio.mass == pytest.approx(0.3, rel=1e-5)
    assert ratio.time == pytest.approx(math.sqrt(0.5), rel=1e-5)
    assert ratio.damping == pytest.approx(ratio.torque * ratio.time)


@pytest.mark.parametrize("name", ["walk", "walk-3d", "ground-sight-walk", "back-and-forth", "stand-3d"])
def test_scaling_there_and_back_changes_nothing(name):
    graph, there = load_graph(name).changed(basin={}), Scales(0.4, 0.1)
    back = scaled_graph(scaled_graph(graph, there), Scales(1.0 / there.length, 1.0 / there.mass))
    for mine, other in zip(graph.states, back.states, strict=True):
        assert mine.hold == pytest.approx(other.hold)
        for role, target in mine.targets.items():
            assert vars(target) == pytest.approx(vars(other.targets[role]))
    assert vars(back.balance)["speed"] == pytest.approx(graph.balance.speed)
    for joint, gains in graph.servo.joints.items():
        assert back.servo.joints[joint].kd == pytest.approx(gains.kd)
    if graph.start is not None:
        assert back.start.qvel == pytest.approx(graph.start.qvel)
    if graph.sight is not None:
        assert vars(back.sight) == pytest.approx(vars(graph.sight))
    if graph.recovery is not None:
        assert vars(back.recovery) == pytest.approx(vars(graph.recovery))
