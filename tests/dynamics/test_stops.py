"""Joint stops stop: whatever drives a joint, at every step, and without making energy."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.stops import stop_ranges
from footfall.simulation import Record, Simulation
from tests.simulation.scenes import Limp

FLYING = "human-28"


def thrown(dt: float, *, speed: float = 15.0, seconds: float = 0.6) -> tuple[Figure, np.ndarray, np.ndarray]:
    """Positions and velocities over time of a body in the air whose joints are all thrown about."""
    figure = Figure.load(FLYING)
    qpos, qvel = figure.default_qpos.copy(), np.zeros(figure.nv)
    qpos[2] += 20.0
    rng = np.random.default_rng(2)
    qvel[6:] = speed * rng.choice([-1.0, 1.0], figure.nv - 6)
    simulation = Simulation(law=Limp(), figure=figure, qpos=qpos, qvel=qvel, dt=dt, record=Record(rate=1 / dt))
    outcome = simulation.run(seconds)
    assert not outcome.diverged.any()
    return figure, simulation.trace().qpos[:, 0], simulation.trace().qvel[:, 0]


@pytest.mark.parametrize("dt", [0.0005, 0.001, 0.002])
@pytest.mark.slow
def test_joints_thrown_at_their_stops_stay_close_to_them(dt: float) -> None:
    """A stop acts once a joint has passed it: a step at the joint's speed is lost."""
    figure, qpos, qvel = thrown(dt)
    ranges = stop_ranges(figure)
    for joint in (j for j in figure.joints if j.actuated):
        low, high = ranges[joint.dof]
        beyond = max(low - qpos[:, joint.qpos].min(), qpos[:, joint.qpos].max() - high)
        assert beyond < 0.03 + 1.1 * dt * np.abs(qvel[:, joint.dof]).max(), joint.name
