"""What notebooks show: tables, plots and a player; and what a summary says."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.simulation import Record, Simulation


@pytest.fixture(scope="module")
def simulation():
    made = Simulation("walk", worlds=3, set={"swing_hip.c_v": [0.0, 0.2, 0.3]}, record=Record(rate=1000.0))
    made.run(3.0)
    return made


def test_an_outcome_shows_its_worlds(simulation):
    outcome = simulation.outcome()
    html = outcome._repr_html_()
    assert html.count("<tr>") == 1 + 3
    assert f"{int(outcome.survived.sum())} stayed up" in html
    many = Simulation("walk", worlds=12).run(0.1)._repr_html_()
    assert many.count("<tr>") == 1 + 10
    assert "and 2 more worlds" in many


def test_a_trace_shows_a_plot(simulation):
    html = simulation.trace()._repr_html_()
    assert "data:image/png;base64," in html
    assert "3000 over" in html


def test_a_motion_plays(simulation):
    html = simulation.trace().motion(1)._repr_html_()
    assert html.startswith("<iframe srcdoc=")
    assert "webgl2" in html.lower()
    assert "http://" not in html.replace("http://www.w3.org", "")


def test_a_summary_says_which_world_or_sums_up_all(simulation):
    outcome = simulation.outcome()
    one = outcome.summary(1)
    assert one["world"] == 1
    assert one["footsteps"] == outcome.footsteps[1]
    every = outcome.summary()
    assert every["worlds"] == 3
    assert every["survived"] + every["fell"] + every["diverged"] == 3
    assert every["mean"]["distance_m"] == pytest.approx(outcome.distance[outcome.survived].mean(), abs=1e-6)
    assert Simulation("walk").run(1.0).summary()["world"] == 0
    with pytest.raises(FootfallError, match="there are 3 worlds"):
        outcome.summary(3)


def test_power_is_the_mean_of_absolute_joint_power():
    """Explicit steps, so that torques act as they were commanded."""
    simulation = Simulation("walk", dt=0.0001, integrator="explicit", record=Record(rate=10_000.0))
    outcome = simulation.run(1.0)
    trace = simulation.trace()
    power = np.abs(trace.torque[:, 0, 3:] * trace.qvel[:, 0, 3:]).sum(axis=1).mean()
    assert outcome.power[0] == pytest.approx(power, rel=1e-6)
