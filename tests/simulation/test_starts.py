"""Where worlds begin."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.simulation import Simulation
from footfall.terrain import TerrainHeightField, parse_terrain
from tests.simulation.scenes import Limp


def test_longer_legs_start_higher():
    figure = Figure.load("planar-biped")
    body = figure.body_parameters(["thigh*1.2"])
    plain, tall = Simulation("walk"), Simulation("walk", body=body)
    np.testing.assert_allclose(tall.qpos - plain.qpos, [[0, 0.09, *[0] * 7]], atol=1e-3)
    np.testing.assert_array_equal(tall.qvel, plain.qvel)


@pytest.mark.parametrize("name", ["planar-biped", "human"])
def test_a_figure_starts_on_its_terrain(name):
    figure = Figure.load(name)
    terrain = (
        parse_terrain("slope:5,-10")
        if name == "planar-biped"
        else TerrainHeightField(np.full((3, 3), 0.4), (9, 9), (-4, -4))
    )
    height = 1 if figure.root == "planar" else 2
    start = Simulation(law=Limp(), figure=figure, terrain=terrain).qpos[0]
    assert start[height] == pytest.approx(figure.default_qpos[height] + terrain.height(start[0], 0.0))


def test_worlds_start_on_terrains_of_their_own():
    terrains = [parse_terrain(t) for t in ("flat", "slope:5,-10", "slope:-5,-10")]
    heights = Simulation("walk", worlds=3, terrain=terrains).qpos[:, 1]
    assert heights[2] < heights[0] < heights[1]


def test_a_start_that_is_given_is_taken_as_it_is():
    qpos = Simulation("walk").qpos + 0.01
    np.testing.assert_array_equal(Simulation("walk", terrain="slope:5,-10", qpos=qpos).qpos, qpos)
