import pickle

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.figures.inertia import about, combine, cylinder, stretch
from tests.figures.dynamics_of import acceleration, passive
from tests.figures.random_trees import random_state, trees

ARRAYS = ("position", "mass", "com", "inertia", "points")


def assert_same(one, other, **tolerance):
    for name in ARRAYS:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), err_msg=name, **tolerance)


@pytest.mark.parametrize("name", figure_names())
def test_a_figure_of_changed_parameters_has_them(name):
    figure = Figure.load(name)
    params = figure.body_parameters([f"{figure.torso}*1.3", f"{figure.torso}+7kg@0.1,0,0.2", "foot*0.9", "mass*1.1"])
    changed = figure.with_body_parameters(params)
    assert_same(changed.body_parameters(), params, rtol=1e-9, atol=1e-12)
    assert_same(Figure.load(changed.xml).body_parameters(), params, rtol=1e-5, atol=1e-5)
    assert changed.name == figure.name


def test_figures_travel_between_processes():
    figure = Figure.load("human")
    changed = figure.with_body_parameters(figure.body_parameters("thigh*1.234567891"))
    for one in (figure, changed):
        other = pickle.loads(pickle.dumps(one))
        assert_same(one.body_parameters(), other.body_parameters(), rtol=0.0)
        np.testing.assert_array_equal(one.default_qpos, other.default_qpos)
        assert one.name == other.name


@settings(max_examples=30, deadline=None, derandomize=True)
@given(trees(), st.integers(0, 1000))
def test_parameters_unchanged_leave_a_tree_unchanged(xml, seed):
    figure = Figure.load(xml)
    same = figure.with_body_parameters(figure.body_parameters())
    qpos, qvel = random_state(figure, seed)
    before = acceleration(passive(figure.model), qpos, qvel)
    after = acceleration(passive(same.model), qpos, qvel)
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-7 * np.abs(before).max())


@settings(max_examples=30, deadline=None, derandomize=True)
@given(trees(), st.data())
def test_stretching_there_and_back_is_nothing(xml, data):
    params = Figure.load(xml).body_parameters()
    body = data.draw(st.sampled_from(params.names))
    factor = data.draw(st.floats(0.5, 2.0))
    keep = data.draw(st.booleans())
    axis = data.draw(st.sampled_from("xyz"))
    back = params.scaled(body, factor, keep, axis).scaled(body, 1.0 / factor, keep, axis)
    assert_same(back, params, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(back.stretch, 1.0)


def test_a_stretched_box_has_the_inertia_of_the_longer_box():
    def box(a, b, c):
        return np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12.0

    np.testing.assert_allclose(stretch(box(1.0, 2.0, 3.0), np.array([1.0, 1.0, 1.5])), box(1.0, 2.0, 4.5))
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    cube = turn @ box(2.0, 2.0, 2.0) @ turn.T
    np.testing.assert_allclose(stretch(cube, np.array([1.0, 1.0, 1.0])), box(2.0, 2.0, 2.0), atol=1e-12)


def test_a_longer_thigh_moves_what_hangs_from_it():
    figure = Figure.load("planar-biped")
    params = figure.body_parameters("thigh*1.2")
    thigh, shank = params.names.index("left_thigh"), params.names.index("left_shank")
    np.testing.assert_allclose(params.position[0, shank], [0, 0, -0.54])
    np.testing.assert_allclose(params.com[0, thigh], [0, 0, -0.27])
    assert params.mass[0, thigh] == 5.0
    np.testing.assert_allclose(params.inertia[0, thigh, 2, 2], figure.body_parameters().inertia[0, thigh, 2, 2])
    dense = figure.body_parameters().scaled("left_thigh", 1.2, keep_mass=False)
    assert dense.mass[0, thigh] == pytest.approx(6.0)
    np.testing.assert_allclose(dense.inertia[0, thigh], 1.2 * params.inertia[0, thigh])


def test_a_torso_grows_tall_and_a_foot_long():
    for name, torso in (("planar-biped", "torso"), ("human", "upper_torso")):
        figure = Figure.load(name)
        grown = figure.body_parameters([f"{torso}*1.5", "foot*1.5"]).stretch[0]
        names = [body.name for body in figure.bodies]
        np.testing.assert_array_equal(grown[names.index(torso)], [1, 1, 1.5])
        np.testing.assert_array_equal(grown[names.index("left_foot")], [1.5, 1, 1])


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_a_load_is_a_body_welded_on(radius):
    figure = Figure.load("human")
    params = figure.body_parameters().with_load("head", 3.0, [0.1, 0.2, 0.3], radius)
    spec = figure.spec()
    moment = max(0.4 * 3.0 * radius**2, 1e-9)
    spec.body("head").add_body(
        name="load", pos=[0.1, 0.2, 0.3], ipos=[0, 0, 0], mass=3.0, inertia=[moment] * 3, explicitinertial=True
    )
    qpos, qvel = random_state(figure, 1)
    one = acceleration(passive(figure.with_body_parameters(params).model), qpos, qvel)
    other = acceleration(passive(spec.compile()), qpos, qvel)
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_mass_brings_its_inertia():
    params = Figure.load("human").body_parameters()
    heavy = params.with_mass("head", 2 * 5.89)
    head = params.names.index("head")
    np.testing.assert_allclose(heavy.inertia[0, head], 2 * params.inertia[0, head])
    np.testing.assert_allclose(params.scaled_mass(1.5).mass.sum(), 1.5 * 88.292)


def test_edits_broadcast_over_worlds():
    figure = Figure.load("human")
    params = figure.body_parameters("left_thigh*1.1")
    many = params.scaled("right_thigh", [1.0, 1.1, 1.2]).with_load("pelvis", 5.0).with_mass("head", [3.0, 4.0, 5.0])
    assert many.worlds == 3
    assert many.position.shape == (3, 14, 3)
    assert many.points.shape == (3, 21, 3)
    for world, factor, mass in ((0, 1.0, 3.0), (2, 1.2, 5.0)):
        one = params.scaled("right_thigh", factor).with_load("pelvis", 5.0).with_mass("head", mass)
        assert_same(many.world(world), one, rtol=1e-12)
        assert_same(figure.with_body_parameters(many, world).body_parameters(), one, rtol=1e-9, atol=1e-12)


def test_worlds_stand_on_the_ground():
    figure = Figure.load("planar-biped")
    params = figure.body_parameters().scaled("left_shank", [1.0, 1.1]).scaled("right_shank", [1.0, 1.1])
    standing = figure.standing_qpos(params)
    assert standing.shape == (2, 9)
    np.testing.assert_allclose(standing[0], figure.default_qpos, atol=1e-12)
    for world in range(2):
        changed = figure.with_body_parameters(params, world)
        np.testing.assert_allclose(changed.default_qpos, standing[world], atol=1e-9)
    assert standing[1, 1] - standing[0, 1] == pytest.approx(0.045 * np.cos(0.025), abs=1e-6)


def test_geoms_stretch_with_their_bodies():
    figure = Figure.load("planar-biped")
    changed = figure.with_body_parameters(figure.body_parameters(["thigh*1.2", "foot*1.5"]))
    assert changed.model.geom("left_thigh").size[1] == pytest.approx(1.2 * figure.model.geom("left_thigh").size[1])
    np.testing.assert_allclose(changed.model.geom("left_foot").size, [0.12, 0.035, 0.015])
    data = mujoco.MjData(changed.model)
    data.qpos[:] = changed.default_qpos
    mujoco.mj_kinematics(changed.model, data)
    for sole in ("left_heel", "right_toe"):
        gap = data.geom(sole).xpos - data.site(sole).xpos
        assert gap[2] == pytest.approx(0.01, abs=1e-6)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("thigh", "write thigh"),
        ("thigh*", "write thigh"),
        ("thigh*-1", "factor -1"),
        ("thigh*0", "factor 0"),
        ("thig*1.1", "did you mean 'thigh'"),
        ("torso+5", "write thigh"),
        ("torso=5kg@0,0,1", "write thigh"),
        ("torso+-5kg", "mass -5"),
        ("torso=0kg", "mass 0"),
        ("thigh*1e999", "factor inf"),
    ],
)
def test_bad_words_are_refused(edit, message):
    with pytest.raises(FootfallError) as error:
        Figure.load("planar-biped").body_parameters(edit)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_words_choose_bodies():
    params = Figure.load("human").body_parameters
    assert_same(params("thigh*1.1"), params(["left_thigh*1.1", "right_thigh*1.1"]))
    np.testing.assert_allclose(params("pelvis*1.1@y").stretch[0, 0], [1, 1.1, 1])
    np.testing.assert_allclose(params("head=4kg").mass.sum(), 88.292 - 1.89)
    np.testing.assert_allclose(params("lower_torso+10kg").mass.sum(), 98.292)


def test_bad_shapes_are_refused():
    params = Figure.load("human").body_parameters().scaled("head", [1.0, 1.1])
    with pytest.raises(FootfallError, match="factor has shape"):
        params.scaled("head", [1.0, 1.1, 1.2])
    with pytest.raises(FootfallError, match=r"factor nan \(world 1\)"):
        params.scaled("head", [1.0, np.nan])
    with pytest.raises(FootfallError, match="position should be 3 finite numbers"):
        params.with_load("head", 1.0, [0.0, 0.0])
    with pytest.raises(FootfallError, match="worlds 0 to 1"):
        params.world(2)
    with pytest.raises(FootfallError, match="another figure"):
        Figure.load("planar-biped").with_body_parameters(params)


def test_a_cylinder_is_its_two_halves():
    start, end = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.9])
    whole = cylinder(start, end, 0.03, 1000.0)
    middle = 0.4 * start + 0.6 * end
    halves = combine(*cylinder(start, middle, 0.03, 1000.0), *cylinder(middle, end, 0.03, 1000.0))
    for one, other in zip(whole, halves):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(about(np.asarray(2.0), np.array([0.0, 0.0, 3.0])), np.diag([18.0, 18.0, 0.0]))
