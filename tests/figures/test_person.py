"""The table of segments, and the body of a person from a few measures."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.person import Measures, body_segments, person_figure, usual_mass
from footfall.figures.scaling import figure_height

GROWN = Measures(
    hip=np.array([0.0, 0.09, 0.93]),
    knee=np.array([0.0, 0.09, 0.51]),
    ankle=np.array([0.0, 0.09, 0.08]),
    heel=np.array([-0.055, 0.09, 0.0]),
    toes=np.array([0.2, 0.09, 0.0]),
    waist=np.array([0.0, 0.0, 1.03]),
    neck=np.array([0.01, 0.0, 1.52]),
    crown=np.array([0.02, 0.0, 1.75]),
    shoulder=np.array([0.0, 0.18, 1.43]),
    elbow=np.array([0.0, 0.2, 1.14]),
    wrist=np.array([0.01, 0.21, 0.88]),
)


@pytest.mark.parametrize("sex", ["mean", "female", "male"])
def test_shares_of_mass_add_up(sex):
    table = body_segments(sex)
    once = {"head", "upper_trunk", "middle_trunk", "lower_trunk"}
    assert sum(row.mass * (1 if name in once else 2) for name, row in table.items()) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("sex", "trunk"), [("female", 0.4151), ("male", 0.4486)])
def test_the_parts_of_the_trunk_make_the_tables_whole_trunk(sex, trunk):
    """de Leva prints the whole trunk too: its centre, from the suprasternale down, in shares of its length."""
    parts = [body_segments(sex)[f"{where}_trunk"] for where in ("upper", "middle", "lower")]
    starts = np.cumsum([0.0, *(part.length for part in parts)])
    centre = sum(part.mass * (start + part.com * part.length) for part, start in zip(parts, starts, strict=False))
    assert centre / sum(part.mass for part in parts) / starts[-1] == pytest.approx(trunk, abs=0.006)


@pytest.mark.parametrize("sex", ["mean", "female", "male"])
@pytest.mark.parametrize(("height", "mass"), [(1.75, 70.0), (1.1, 19.0), (3.0, 350.0)])
def test_a_person_is_one(sex, height, mass):
    measures = GROWN.of_height(height)
    figure = person_figure(measures, mass, "someone", sex=sex)
    model, data = figure.model, mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(model, data)
    assert figure.name == "someone"
    assert model.body_mass.sum() == pytest.approx(mass, rel=1e-12)
    assert figure_height(figure) == pytest.approx(height, rel=1e-9)
    assert 0.54 < data.subtree_com[1, 2] / height < 0.60
    smallest, middle, largest = np.sort(model.body_inertia[1:], axis=1).T
    assert (smallest > 0.0).all()
    assert (smallest + middle > largest).all()
    soles = np.array([data.site_xpos[model.site(point.name).id] for point in figure.points if point.foot])
    np.testing.assert_allclose(soles[:, 2], 0.0, atol=1e-12)
    assert soles[:, 0].min() < data.subtree_com[1, 0] < soles[:, 0].max()
    np.testing.assert_array_equal(data.xquat[1:], np.tile([1.0, 0.0, 0.0, 0.0], (model.nbody - 1, 1)))
    np.testing.assert_allclose(figure.mirror_qpos(figure.default_qpos), figure.default_qpos, atol=1e-12)


def test_a_person_has_the_joints_and_points_of_human_28():
    figure, pattern = person_figure(GROWN, 70.0, "someone"), Figure.load("human-28")
    for part in ("bodies", "joints", "points"):
        assert [p.name for p in getattr(figure, part)] == [p.name for p in getattr(pattern, part)]
    assert [(j.lower, j.upper) for j in figure.joints] == [(j.lower, j.upper) for j in pattern.joints]
    assert figure.roles == pattern.roles
    assert {side: (leg.hip, leg.knee, leg.ankle) for side, leg in figure.legs.items()} == {
        side: (leg.hip, leg.knee, leg.ankle) for side, leg in pattern.legs.items()
    }


def test_a_usual_mass_is_that_of_the_tables_people():
    assert usual_mass(1.741, "male") == pytest.approx(73.0)
    assert usual_mass(1.735, "female") == pytest.approx(61.9)


def test_what_no_person_has_is_refused():
    with pytest.raises(FootfallError, match="its shank has no length"):
        person_figure(replace(GROWN, ankle=GROWN.knee), 70.0, "someone")
    with pytest.raises(FootfallError, match="should lie above each other"):
        person_figure(replace(GROWN, neck=np.array([0.0, 0.0, 0.9])), 70.0, "someone")
    with pytest.raises(FootfallError, match="mass -3"):
        person_figure(GROWN, -3.0, "someone")
