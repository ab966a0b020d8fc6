"""Gaits in numbers without units: the same for bodies of any size, and where feet are as MuJoCo says."""

import mujoco
import numpy as np
import pytest

from footfall.dynamics.contact import Ground
from footfall.figures import Figure
from footfall.figures.mjcf import body_points
from footfall.methods.simbicon.files import load_graph
from footfall.simulation import Record, Simulation
from footfall.study.adaptation.scaling import scaled_graph, scaled_ground
from footfall.study.adaptation.wanted import Wanted, slowed, wanted_gait
from footfall.study.measures.body import Units
from footfall.study.measures.table import ADAPTED, measure_walks
from footfall.study.measures.walks import Walks, leg_gaps
from footfall.study.measures.wanted import known_cost
from footfall.study.search.free_numbers import Scales
from tests.study.adaptation.bodies import similar


@pytest.mark.parametrize("name", ["planar-biped", "human-28", "robo-bird"])
def test_feet_are_where_mujoco_has_them(name):
    figure = Figure.load(name)
    points, rng = [p for p in figure.points if p.foot and p.ground], np.random.default_rng(3)
    qpos = np.tile(figure.default_qpos, (4, 1)) + 0.2 * rng.standard_normal((4, figure.nq))
    if figure.root == "free":
        qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    data = mujoco.MjData(figure.model)
    places = body_points(figure.model, qpos, ((p.body, p.position) for p in points))
    for row, found in zip(qpos, places, strict=True):
        data.qpos[:] = row
        mujoco.mj_kinematics(figure.model, data)
        np.testing.assert_allclose(found, [data.site(point.name).xpos for point in points], atol=1e-9)


def test_legs_are_as_far_apart_in_a_mirror_and_further_when_spread():
    """Each pair's distance is held against MuJoCo's in tests/dynamics/test_solid.py."""
    figure, rng = Figure.load("human-28"), np.random.default_rng(5)
    qpos = np.tile(figure.default_qpos, (60, 1))
    qpos[:, 7:] += 0.5 * rng.standard_normal((60, figure.nq - 7))
    found = leg_gaps(figure, qpos)
    np.testing.assert_allclose(leg_gaps(figure, figure.mirror_qpos(qpos)), found, atol=1e-9)
    assert (found < -0.03).sum() > 5
    spread = np.tile(figure.default_qpos, (4, 1))
    for side, way in (("left", 1.0), ("right", -1.0)):
        spread[:, figure.joint(figure.leg(side).hip[0]).qpos] += way * np.linspace(0.0, 0.3, 4)
    gaps = leg_gaps(figure, spread)
    assert gaps[0] > 0.0
    assert (np.diff(gaps) >= 0.0).all()


@pytest.mark.slow
def test_similar_walks_have_the_same_numbers():
    found = []
    for scales in (Scales(), Scales(0.62, 0.31)):
        figure = similar("planar-biped", scales.length, scales.mass, free=True)
        record = Record(rate=100.0 / scales.time, fields=("qpos", "events"))
        simulation = Simulation(
            scaled_graph(load_graph("walk"), scales),
            figure=figure,
            dt=0.001 * scales.time,
            ground=scaled_ground(Ground(), scales),
            record=record,
        )
        outcome = simulation.run(4.0 * scales.time)
        walks = Walks(simulation.trace(), outcome.torque_squared, 1.5 * scales.time)
        found.append(measure_walks(walks, ADAPTED, own_units=True))
    for name in ADAPTED:
        np.testing.assert_allclose(found[1][name], found[0][name], rtol=2e-3, atol=1e-5, err_msg=name)


def test_what_is_asked_for_costs_nothing_where_it_is_met():
    wanted = Wanted({"progress": (0.3, 0.4, 100.0)}, {"torque": 10.0}, 0.35, 1.5)
    numbers = {"progress": np.array([0.35, 0.5, np.nan]), "torque": np.array([0.0, 0.1, 0.1])}
    np.testing.assert_allclose(known_cost(wanted.misses(numbers))[:2], [0.0, 10.0])
    assert known_cost(wanted.misses(numbers))[2] > 100.0
    np.testing.assert_allclose(known_cost(wanted.burdens(numbers)), [0.0, 1.0, 1.0])


def test_a_speed_that_is_given_is_asked_for():
    figure = similar("planar-biped", 0.5, 0.2)
    own = dict.fromkeys(ADAPTED, 0.1) | {"progress": 0.33, "flight": 0.0, "step_rate": 0.8}
    assert wanted_gait(own, figure).speed == pytest.approx(0.33)
    given = wanted_gait(own, figure, speed=0.4)
    assert given.speed * Units.of(figure).speed == pytest.approx(0.4)
    assert given.want["progress"][0] < given.speed < given.want["progress"][1]
    assert not wanted_gait(own | {"step_rate": 0.0}, figure).steps


def test_motors_that_cannot_follow_are_asked_for_less():
    """Damped motors turn no faster than limit / damping; the share of the pace is that of the speeds."""
    figure = similar("planar-biped", 0.5, 0.2)
    knee, units = figure.joint(figure.roles["knee"][0]), Units.of(figure)
    own = dict.fromkeys(ADAPTED, 0.1) | {"progress": 0.4, "step_rate": 0.8, "knee_rate": 5.0 * units.time}
    assert slowed(own, figure) == (1.0, "")
    spec = figure.spec()
    for name in figure.roles["knee"]:
        spec.joint(name).damping[0] = knee.torque_limit / 2.0
    damped = Figure.load(spec.to_xml())
    share, why = slowed(own, damped)
    assert share == pytest.approx(2.0 / 5.0, rel=1e-4)
    assert "knees turn at 2 rad/s" in why
    assert wanted_gait(own, damped).speed == pytest.approx(0.4 * share)
