"""A fallen body lies as a body does."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.control.simbicon import SimbiconLaw
from footfall.figures import Figure, figure_names
from footfall.simulation import Push, Record, Simulation
from footfall.simulation.ragdoll import ragdoll_range
from footfall.simulation.rollout import FELL
from footfall.simulation.sequence import current_controller, request

PUSHES = np.array(
    [[-900.0, 0, 0], [-600.0, 0, 0], [-750.0, 0, 300.0], [500.0, 0, 0], [900.0, 0, 0], [700.0, 0, -400.0]]
)


@pytest.mark.parametrize("name", figure_names())
def test_limp_ranges_hold_the_standing_pose_and_are_the_same_on_both_sides(name: str) -> None:
    figure = Figure.load(name)
    ranges = ragdoll_range(figure)
    joints = [j for j in figure.joints if j.actuated]
    for joint in joints:
        low, high = ranges[joint.dof]
        assert low <= figure.default_qpos[joint.qpos] <= high
        assert np.isfinite([low, high]).all()
    perm, sign = figure.mirror_dofs
    for joint in joints:
        mirrored = np.sort(sign[joint.dof] * ranges[perm[joint.dof]])
        np.testing.assert_allclose(mirrored, ranges[joint.dof], atol=1e-12)


def test_the_figures_own_ranges_win() -> None:
    figure = Figure.load("planar-biped")
    ranges = ragdoll_range(figure)
    assert tuple(ranges[figure.joint("left_knee").dof]) == (-3.0, -0.02)
    assert tuple(ranges[figure.joint("right_hip").dof]) == (-1.0, 3.0)


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
    figure, ranges = simulation.figure, ragdoll_range(simulation.figure)
    trace = simulation.trace()
    for world, fell in enumerate(outcome.end_time):
        limp = trace.qpos[np.searchsorted(trace.times, fell + 0.3) :, world]
        for joint in (j for j in figure.joints if j.actuated):
            low, high = ranges[joint.dof]
            assert limp[:, joint.qpos].min() > low - 0.6
            assert limp[:, joint.qpos].max() < high + 0.6
        still = [j.dof for j in figure.joints]
        assert np.abs(simulation.qvel[world, still]).max() < 0.5


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
