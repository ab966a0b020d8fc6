"""What is said of a world that diverged."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.simulation.trace import describe_divergence, velocity_names


@pytest.mark.parametrize("name", ["planar-biped", "human-12", "mocap-biped"])
def test_every_velocity_has_a_name_of_its_own(name):
    figure = Figure.load(name)
    names = [words for words, _ in velocity_names(figure)]
    assert len(names) == len(set(names)) == figure.nv


@pytest.mark.parametrize("name", ["planar-biped", "human-12", "mocap-biped"])
def test_the_coordinate_that_runs_away_is_named_whichever_it_is(name):
    figure = Figure.load(name)
    for k, (words, unit) in enumerate(velocity_names(figure)):
        qacc = np.ones(figure.nv)
        qacc[k] = -1e6
        said = describe_divergence(figure, np.full(figure.nv, 0.5), qacc, 0.001)
        assert said == f"{words} went from 0.5 to -1e+03 {unit} in one step"


def test_without_numbers_the_fastest_before_is_named():
    figure = Figure.load("planar-biped")
    qvel = np.zeros(figure.nv)
    qvel[figure.joint("left_knee").dof] = -40.0
    said = describe_divergence(figure, qvel, np.full(figure.nv, np.nan), 0.001)
    assert "left_knee at -40 rad/s" in said
