"""What acts in a step, as recorded: Newton's and Euler's laws hold sample by sample, on both engines."""

from copy import copy

import mujoco
import numpy as np
import pytest

from footfall import FootfallError, MujocoSimulation, Push, Record, Simulation
from footfall.simulation.mujoco_engine import shared_out

FIELDS = ("qacc", "moment", "grf")


def residual(simulation, world: int = 0, push=None) -> float:
    """The largest generalised force that the recorded accelerations, moments and ground forces leave unexplained."""
    trace, figure = simulation.trace(), simulation.figure
    model = copy(figure.model)
    data = mujoco.MjData(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    points = [p for p in figure.points if p.ground]
    worst = 0.0
    for s in range(1, len(trace.times)):  # a start's quaternion is rounded
        data.qpos[:], data.qvel[:], data.qacc[:] = trace.qpos[s, world], trace.qvel[s, world], trace.qacc[s, world]
        mujoco.mj_inverse(model, data)
        left = data.qfrc_inverse - trace.moment[s, world]
        forces = [(p.body, p.position, trace.grf[s, world, k]) for k, p in enumerate(points)]
        if push is not None:
            body, place = push.place_on(figure)
            on = push.start - 1e-9 <= trace.times[s] < push.start + push.duration - 1e-9
            forces.append((body, np.array(place), on * np.array(push.force, dtype=float)))
        for body, place, force in forces:
            out = np.zeros(model.nv)
            at = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ place
            mujoco.mj_applyFT(model, data, force, np.zeros(3), at, body + 1, out)
            left = left - out
        worst = max(worst, float(np.abs(left).max()))
    return worst


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
@pytest.mark.parametrize("integrator", ["implicit", "explicit"])
def test_nothing_is_left_over(kind, integrator):
    dt = 0.001 if integrator == "implicit" else 0.0002
    push = Push((60.0, 0.0, 0.0), 0.3, 0.2)
    simulation = kind("walk", record=Record(rate=100.0, fields=FIELDS), dt=dt, integrator=integrator, pushes=[push])
    simulation.run(1.0)
    assert residual(simulation, push=push) < 1e-6


def test_ground_force_alone_may_be_asked_for_and_carries_the_weight():
    simulation = Simulation("in-place-walk", record=Record(fields=("grf",), rate=500.0))
    simulation.run(6.0)
    trace = simulation.trace()
    weight = 9.81 * simulation.figure.model.body_mass.sum()
    assert trace.grf[1000:, 0].sum(axis=1)[:, 2].mean() == pytest.approx(weight, rel=0.03)
    assert (trace.grf[..., 2] >= 0).all()
    assert not trace.torque.size


def test_recording_forces_does_not_change_the_walk():
    runs = []
    for fields in (("qpos",), ("qpos", "grf")):
        simulation = Simulation("walk", record=Record(rate=100.0, fields=fields))
        simulation.run(2.0)
        runs.append(simulation.trace().qpos)
    np.testing.assert_allclose(*runs, atol=1e-9)


def test_forces_shared_out_over_points_have_the_wrench_asked_for():
    rng = np.random.default_rng(3)
    places = np.array([[0.1, 0.05, 0.0], [0.1, -0.05, 0.0], [-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0]])
    places = places + np.array([2.0, 1.0, 0.1])
    force, about = rng.normal(size=3), rng.normal(size=3)
    shares = shared_out(places, force, about)
    np.testing.assert_allclose(shares.sum(axis=0), force, atol=1e-12)
    np.testing.assert_allclose(np.cross(places, shares).sum(axis=0), about, atol=1e-12)


def test_unknown_field():
    with pytest.raises(FootfallError, match="grf"):
        Record(fields=("forces",))
