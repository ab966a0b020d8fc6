"""Free flight keeps what mechanics says it keeps."""

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure
from footfall.simulation import Record, Simulation
from tests.dynamics.oracle import centre
from tests.figures.random_trees import random_state, random_tree
from tests.simulation.scenes import Limp

SECONDS = 0.5


def _flight(figure, integrator, dt):
    """[S, 14] centre of mass, velocity, momentum, spin and energies over time; times [S]."""
    qpos, qvel = random_state(figure, 3, speed=1.0)
    qpos[1 if figure.root == "planar" else 2] = 1000.0
    simulation = Simulation(
        law=Limp(), figure=figure, qpos=qpos, qvel=qvel, dt=dt, integrator=integrator, record=Record(rate=50.0)
    )
    simulation.run(SECONDS)
    trace = simulation.trace()
    data = mujoco.MjData(figure.model)
    rows = []
    for q, v in zip(trace.qpos[:, 0], trace.qvel[:, 0], strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(figure.model, data)
        rows.append(centre(figure.model, data))
    return trace.times, np.array(rows)


@pytest.mark.parametrize("source", ["planar-biped", random_tree(6, root="free", bodies=5)], ids=["planar", "spatial"])
def test_momenta_and_energy_are_conserved(source):
    figure = Figure.load(source)
    gravity = np.asarray(figure.model.opt.gravity)
    times, found = _flight(figure, "rk4", 2e-4)
    path = found[0, :3] + np.outer(times, found[0, 3:6]) + 0.5 * np.outer(times**2, gravity)
    np.testing.assert_allclose(found[:, :3], path, atol=1e-7)
    spin = found[:, 10:11] if figure.root == "planar" else found[:, 9:12]
    np.testing.assert_allclose(spin, np.tile(spin[0], (len(times), 1)), atol=1e-6 * np.abs(spin).max())
    energy = found[:, 12] + found[:, 13]
    swing = np.ptp(found[:, 12])
    np.testing.assert_allclose(energy, energy[0], atol=1e-6 * max(swing, 1.0))


@pytest.mark.parametrize(
    ("integrator", "order", "dt"),
    [("explicit", 1, 2e-3), ("semi-implicit", 1, 2e-3), ("implicit", 1, 2e-3), ("rk4", 4, 2e-2)],
)
def test_integrators_converge_at_their_order(integrator, order, dt):
    figure = Figure.load("planar-biped")
    exact = _flight(figure, "rk4", 2.5e-4)[1][-1]
    errors = [np.abs(_flight(figure, integrator, dt)[1][-1, 12] - exact[12]) for dt in (dt, dt / 2)]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.35)


@pytest.mark.slow
def test_a_mirrored_fall_is_the_mirror_image_of_a_fall():
    figure = Figure.load("human-12")
    rng = np.random.default_rng(5)
    qpos, qvel = figure.default_qpos.copy(), 0.5 * rng.normal(size=figure.nv)
    qpos[7:] += 0.2 * rng.normal(size=figure.nq - 7)
    qpos[2] += 0.05
    starts = np.stack([qpos, figure.mirror_qpos(qpos)]), np.stack([qvel, figure.mirror_qvel(qvel)])
    both = Simulation(law=Limp(), figure=figure, worlds=2, qpos=starts[0], qvel=starts[1], ragdoll_after_fall=True)
    outcome = both.run(0.4)
    assert both.snapshot()["contact"].any()
    np.testing.assert_allclose(outcome.qpos[1], figure.mirror_qpos(outcome.qpos[0]), atol=1e-6)
    np.testing.assert_allclose(outcome.qvel[1], figure.mirror_qvel(outcome.qvel[0]), atol=1e-5)
