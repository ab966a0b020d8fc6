"""Other bodies for one walk: the reference goes with the legs, masses are what they say."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.tracking.controller import load_tracking
from footfall.motion.ball_poses import ankles
from footfall_reproductions.data_driven.figure_5 import fitted_to
from footfall_reproductions.data_driven.variations import VARIATIONS

NAMED = {v.name: v for v in VARIATIONS}


@pytest.fixture(scope="module")
def walk():
    return load_tracking("tracked-walk")


def test_masses_are_what_their_names_say(walk):
    mass = {name: v.figure(walk).body_parameters().mass.sum() for name, v in NAMED.items()}
    own = mass["the-walk-as-it-is"]
    assert own == pytest.approx(47.0)
    assert mass["15-kg-more-on-one-shin"] == pytest.approx(own + 15.0)
    assert mass["legs-50-shorter"] == pytest.approx(own)
    assert mass["legs-50-shorter-half-the-weight"] == pytest.approx(0.5 * (own - 20.0) + 5.0)


@pytest.mark.parametrize("name", ["legs-50-longer", "legs-50-shorter", "one-leg-3-shorter"])
def test_the_reference_stands_where_it_stood(walk, name):
    own, other = Figure.load(walk.figure), NAMED[name].figure(walk)
    fitted = fitted_to(walk, other)
    before, after = (c.repertoire.fragments[0].frames for c in (walk, fitted))
    heights = [ankles(f[:1], body)[0, :, 2] for f, body in ((before, own), (after, other))]
    assert (heights[1] - heights[0]).max() == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_array_equal(before[:, 3:7], after[:, 3:7])


def test_the_same_figure_keeps_its_reference(walk):
    fitted = fitted_to(walk, Figure.load(walk.figure))
    for a, b in zip(walk.repertoire.fragments, fitted.repertoire.fragments, strict=True):
        np.testing.assert_allclose(a.frames, b.frames, atol=1e-12)
        assert a.ground == pytest.approx(b.ground)


def test_a_standing_figure_bends_its_longer_leg(standing):
    own, other = Figure.load(standing.figure), NAMED["one-leg-3-shorter"].figure(standing)
    fitted = fitted_to(standing, other)
    for a, b in zip(standing.repertoire.fragments, fitted.repertoire.fragments, strict=True):
        if a.kind == "stand":
            off = ankles(b.frames, other)[..., 2] - ankles(a.frames, own)[..., 2]
            assert np.abs(off).max() < 2e-3


def test_friction_is_a_share_of_the_walks_own(walk):
    own = walk.repertoire.ground.friction
    assert NAMED["friction-60"].controller(walk).repertoire.ground.friction == pytest.approx(0.6 * own)
