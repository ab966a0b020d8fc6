"""A fallen body lies as a body does."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.figures import Figure
from footfall.figures.stops import stop_ranges
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import current_controller, request
from footfall.simulation import Push, Record, Simulation
from footfall.simulation.structures import FELL
from tests.simulation.scenes import Limp
from tools.pulling import lowest_points

PUSHES = np.array(
    [[-900.0, 0, 0], [-600.0, 0, 0], [-750.0, 0, 300.0], [500.0, 0, 0], [900.0, 0, 0], [700.0, 0, -400.0]]
)


@pytest.mark.parametrize(("integrator", "dt"), [("implicit", 0.001), ("explicit", 0.0002)])
def test_a_limp_body_keeps_within_its_joints_and_comes_to_rest(integrator: str, dt: float) -> None:
    simulation = Simulation(
        "walk",
        worlds=len(PUSHES),
        pushes=[Push(PUSHES, 1.0, 0.2)],
        ragdoll_after_fall=True,
        record=Record(rate=100, worlds=len(PUSHES)),
        integrator=integrator,
        dt=dt,
    )
    outcome = simulation.run(7.0)
    assert outcome.fell.all()
    assert (simulation.snapshot()["status"] == FELL).all()
    figure, ranges = simulation.figure, stop_ranges(simulation.figure)
    trace = simulation.trace()
    for world, fell in enumerate(outcome.end_time):
        limp = trace.qpos[np.searchsorted(trace.times, fell + 0.3) :, world]
        for joint in (j for j in figure.joints if j.actuated):
            low, high = ranges[joint.dof]
            assert limp[:, joint.qpos].min() > low - 0.05
            assert limp[:, joint.qpos].max() < high + 0.05
        still = [j.dof for j in figure.joints]
        assert np.abs(simulation.qvel[world, still]).max() < 0.5


@pytest.mark.parametrize(
    ("name", "push"),
    [("walk", (-900, 0, 0)), ("walk-3d", (0, 700, 0)), pytest.param("human-walk", (0, 0, 0), marks=pytest.mark.slow),
     pytest.param("bird-run", (0, 0, 0), marks=pytest.mark.slow),
     pytest.param("tracked-walk", (0, 400, 0), marks=pytest.mark.slow)],
)  # fmt: skip
def test_every_figure_comes_to_rest_on_the_floor(name: str, push: tuple[float, float, float]) -> None:
    simulation = Simulation(name, pushes=[Push(push, 1.0, 0.4)], ragdoll_after_fall=True, record=Record(100))
    outcome = simulation.run(10.0)
    assert outcome.fell.all()
    trace = simulation.trace()
    assert trace.last[0] == len(trace.times)
    at_rest = trace.qpos[-100:, 0]
    lowest = lowest_points(simulation.figure, at_rest[::33])
    assert np.all(np.abs(lowest) < 0.01)
    assert np.ptp(at_rest[:, :2], axis=0).max() < 0.05


def test_a_fall_is_the_same_however_time_is_cut_and_in_any_company() -> None:
    push = Push(np.array([[0.0, 700.0, 0.0]] * 3), 0.5, 0.3)
    whole = Simulation("walk-3d", pushes=[Push((0.0, 700.0, 0.0), 0.5, 0.3)], ragdoll_after_fall=True)
    whole.run(3.0)
    cut = Simulation("walk-3d", worlds=3, threads=2, pushes=[push], ragdoll_after_fall=True)
    for steps in (1, 1299, 7, 1693):
        cut.step(steps)
    for world in range(3):
        np.testing.assert_array_equal(cut.qpos[world], whole.qpos[0])
    other = Simulation("walk-3d", pushes=[Push((0.0, 700.0, 0.0), 0.5, 0.3)], ragdoll_after_fall=True)
    other.run(2.0)
    later = Simulation("walk-3d", pushes=[Push((0.0, 700.0, 0.0), 0.5, 0.3)], ragdoll_after_fall=True)
    later.restore(other.snapshot())
    later.run(1.0)
    np.testing.assert_array_equal(later.qpos, whole.qpos)


@pytest.mark.slow
def test_a_mirrored_fall_is_the_mirror_image() -> None:
    figure = Figure.load("human-28")
    qpos = figure.default_qpos.copy()
    qpos[2], qpos[3:7] = 0.5, (0.8, 0.3, 0.4, 0.33166247903554)
    starts = np.stack([qpos, figure.mirror_qpos(qpos)])
    both = Simulation(
        law=Limp(), figure=figure, worlds=2, qpos=starts, qvel=np.zeros(figure.nv), ragdoll_after_fall=True
    )
    outcome = both.run(0.6)
    assert (outcome.end_time < 0.3).all()
    np.testing.assert_allclose(both.qpos[1], figure.mirror_qpos(both.qpos[0]), atol=1e-5)


def test_a_walk_beside_a_back_flip_falls_when_it_does_alone() -> None:
    walk, flip = (load_controller(n) for n in ("walk", "back-flip"))
    figure, start = Figure.load(walk.figure), walk.start
    assert start is not None
    law = SimbiconLaw([walk, flip], figure)
    pushed = {"worlds": len(PUSHES), "pushes": [Push(PUSHES, 1.0, 0.2)]}
    alone = Simulation(walk, **pushed).run(4.0)
    beside = Simulation(law=law, figure=figure, qpos=start.qpos, qvel=start.qvel, **pushed).run(4.0)
    assert alone.fell.all()
    assert beside.fell.all()
    np.testing.assert_allclose(beside.end_time, alone.end_time, atol=0.011)


def test_a_back_flip_may_turn_over_beside_a_walk() -> None:
    figure = Figure.load("planar-biped")
    walk, flip = (load_controller(n) for n in ("walk", "back-flip"))
    start = flip.start
    assert start is not None
    simulation = Simulation(
        law=SimbiconLaw([flip, walk], figure),
        figure=figure,
        qpos=start.qpos,
        qvel=start.qvel,
        pushes=[Push((0.0, 0.0, 0.0), 0.0, 0.0)],
        record=Record(rate=100),
    )
    outcome = simulation.run(4.0)
    assert not outcome.fell.any()
    assert np.abs(simulation.trace().qpos[:, 0, 2]).max() > 4.0
    request(simulation, "walk")
    simulation.run(2.0)
    assert current_controller(simulation)[0] == 1
    assert not simulation.outcome().fell.any()
