import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from footfall.errors import FootfallError
from footfall.terrain import (
    TerrainFlat,
    TerrainHeightField,
    TerrainProfile,
    TerrainRandomSteps,
    TerrainSlope,
    TerrainStairs,
    TerrainSteps,
    parse_terrain,
    stack_profiles,
    terrain_names,
)

LINES = ["flat", "slope:6", "slope:-3.5", "steps:0.15", "steps:-0.2,1.2", "stairs:0.17,0.28", "stairs", "downward"]
LINES += ["upward", "random-steps:0.15", "random-steps:0.15,0.6,200"]


@pytest.fixture
def hills():
    heights = np.random.default_rng(0).normal(0, 0.2, (7, 5))
    return TerrainHeightField(heights, (6.0, 2.0), (-1.0, -1.0))


@pytest.mark.parametrize("text", LINES)
def test_a_profile_is_the_ground(text):
    terrain = parse_terrain(text, seed=4)
    x, z = terrain.profile()
    assert np.all(np.diff(x) > 0.0)
    assert np.isfinite(z).all()
    np.testing.assert_allclose(terrain.height(x), z, atol=1e-12)
    np.testing.assert_allclose(terrain.height(x, 3.0), z, atol=1e-12)
    middle = 0.5 * (x[1:] + x[:-1])
    np.testing.assert_allclose(terrain.height(middle), 0.5 * (z[1:] + z[:-1]), atol=1e-12)
    assert terrain.height(x[0] - 5.0) == z[0]
    assert terrain.height(x[-1] + 5.0) == z[-1]
    np.testing.assert_allclose(terrain.normal(x[-1] + 5.0), [0, 0, 1])
    assert terrain.kind == ("flat" if text == "flat" else "profile")
    assert np.abs(terrain.height(np.linspace(-2.0, 1.5, 50))).max() == 0.0
    with pytest.raises(FootfallError, match="no grid"):
        terrain.grid()


@pytest.mark.parametrize("text", [*LINES, "hills"])
def test_normals_are_those_of_the_heights(text, hills):
    terrain = hills if text == "hills" else parse_terrain(text)
    x, y = np.random.default_rng(1).uniform([-3, -2], [12, 2], (400, 2)).T
    e = 1e-7
    along = (terrain.height(x + e, y) - terrain.height(x - e, y)) / (2 * e)
    across = (terrain.height(x, y + e) - terrain.height(x, y - e)) / (2 * e)
    normal = np.stack([-along, -across, np.ones_like(along)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    np.testing.assert_allclose(terrain.normal(x, y), normal, atol=1e-5)


def test_heights_broadcast():
    assert parse_terrain("slope:6").height(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4)
    assert parse_terrain("steps:0.1").normal(np.zeros((3, 1)), np.zeros(4)).shape == (3, 4, 3)
    assert TerrainHeightField(np.zeros((2, 2)), (1.0, 1.0), (0.0, 0.0)).normal(0.0).shape == (3,)


def test_a_height_field_goes_through_its_nodes(hills):
    origin, spacing, heights = hills.grid()
    x = origin[0] + spacing[0] * np.arange(7)
    y = origin[1] + spacing[1] * np.arange(5)
    np.testing.assert_allclose(hills.height(x[:, None], y[None, :]), heights, atol=1e-12)
    centre = hills.height(x[:-1, None] + spacing[0] / 2, y[None, :-1] + spacing[1] / 2)
    mean = (heights[1:, 1:] + heights[:-1, 1:] + heights[1:, :-1] + heights[:-1, :-1]) / 4
    np.testing.assert_allclose(centre, mean, atol=1e-12)
    np.testing.assert_allclose(hills.height(-100.0, y), heights[0], atol=1e-12)
    np.testing.assert_allclose(hills.height(x, 100.0), heights[:, -1], atol=1e-12)
    with pytest.raises(FootfallError, match="no profile"):
        hills.profile()


def test_a_picture_is_seen_from_above(tmp_path):
    pixels = np.zeros((20, 40), dtype=np.uint8)
    pixels[0, -1] = 255
    path = tmp_path / "field.png"
    Image.fromarray(pixels).save(path)
    terrain = parse_terrain(f"heightfield:{path},8,4,0.5,-2")
    assert terrain.kind == "grid"
    assert terrain.height(6.0, 2.0) == pytest.approx(0.5)
    assert terrain.height(6.0, -2.0) == pytest.approx(0.0)
    assert terrain.height(-2.0, 2.0) == pytest.approx(0.0)
    bare = parse_terrain(str(path))
    assert bare.height(-1.0 + 39 * 0.05, 19 * 0.05 / 2) == pytest.approx(0.3)
    deep = tmp_path / "deep.png"
    Image.fromarray(np.full((4, 4), 65535, dtype=np.uint16)).save(deep)
    assert parse_terrain(str(deep)).height(0.0) == pytest.approx(0.3)


def test_stairs_come_down_again():
    terrain = TerrainStairs(0.2, 0.3, 5, 1.0)
    x, z = terrain.profile()
    assert z.max() == pytest.approx(1.0)
    assert terrain.height(x[-1] + 1.0) == 0.0
    top = terrain.height(2.0 + 4 * 0.3 + 0.5)
    assert top == pytest.approx(1.0)


def test_slopes_have_their_angle():
    for degrees in (-10.0, 6.0):
        normal = TerrainSlope(degrees).normal(50.0)
        assert np.degrees(np.arctan2(-normal[0], normal[2])) == pytest.approx(degrees)


def test_random_steps_come_from_their_seed():
    one, same, other = (parse_terrain("random-steps:0.15", seed=s) for s in (1, 1, 2))
    assert one == same
    assert one != other
    np.testing.assert_array_equal(one.profile(), same.profile())
    assert not np.array_equal(one.profile(), other.profile())
    assert parse_terrain("random-steps:0.15,1,100,7", seed=1) == TerrainRandomSteps(0.15, seed=7)
    rises = np.diff(one.profile()[1])
    assert np.abs(rises).max() <= 0.15
    assert rises.min() < -0.1 < 0.1 < rises.max()


def test_the_published_grounds():
    down, up = parse_terrain("downward"), parse_terrain("upward")
    np.testing.assert_allclose(down.height([1.0, 2.0, 4.0, 6.0, 11.5, 500.0]), [0.0, -0.2, -0.4, -0.6, -0.59, -0.8])
    np.testing.assert_allclose(up.height([1.0, 2.0, 4.0, 6.0, 11.5, 500.0]), [0.0, 0.12, 0.24, 0.36, 0.354, 0.48])
    x = np.linspace(-5, 20, 500)
    np.testing.assert_allclose(up.height(x), -0.6 * down.height(x), atol=1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.one_of(
        st.builds(TerrainSlope, st.floats(-60, 60), st.floats(-5, 5), st.floats(0.1, 500)),
        st.builds(TerrainSteps, st.floats(-1, 1), st.floats(0.05, 3), st.integers(1, 50)),
        st.builds(TerrainStairs, st.floats(-1, 1), st.floats(0.05, 3), st.integers(1, 50), st.floats(0.05, 3)),
        st.builds(TerrainRandomSteps, st.floats(0, 1), st.floats(0.05, 3), st.integers(1, 50), st.integers(0, 99)),
    )
)
def test_words_say_which_terrain_it_is(terrain):
    again = parse_terrain(str(terrain))
    assert type(again) is type(terrain)
    x = np.linspace(-3, 30, 200)
    np.testing.assert_allclose(again.profile(), terrain.profile(), rtol=1e-9, atol=1e-9)
    assert np.all(np.diff(terrain.profile()[0]) > 0.0)
    assert np.isfinite(terrain.height(x)).all()


def test_profiles_stack_into_one_table():
    terrains = [parse_terrain(text, seed=9) for text in LINES]
    terrains.append(terrains[3])
    x, z = stack_profiles(terrains)
    assert x.shape == z.shape == (12, 400)
    assert np.all(np.diff(x, axis=1) > 0.0)
    at = np.linspace(-20, 300, 5000)
    for world, terrain in enumerate(terrains):
        np.testing.assert_allclose(np.interp(at, x[world], z[world]), terrain.height(at), atol=1e-12)


def test_stacking_needs_profiles(hills):
    with pytest.raises(FootfallError, match=r"\(world 1\) varies with y"):
        stack_profiles([TerrainFlat(), hills])
    with pytest.raises(FootfallError, match="one or more"):
        stack_profiles([])


def test_profiles_come_from_files(tmp_path):
    path = tmp_path / "hill.csv"
    path.write_text("x,z\n# a hill\n0, 0\n1;0.5\n\n2 0  # and down\n")
    terrain = parse_terrain(str(path))
    assert terrain.height(0.5) == 0.25
    assert str(terrain) == str(path)
    with pytest.raises(ValueError, match="read-only"):
        terrain.profile()[0][0] = 1.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 0\n1 2 3\n", "hill.txt line 2: '1 2 3' should be two numbers"),
        ("0 0\none 2\n", "line 2: 'one 2' should be two numbers"),
        ("0 0\n", "two or more lines"),
        ("0 0\n1 1\n1 2\n", "x goes from 1 to 1 at vertex 3; it should increase"),
        ("0 0\n1 nan\n", "x and z are within ±1e+06 m"),
    ],
)
def test_bad_files_are_refused(tmp_path, content, message):
    path = tmp_path / "hill.txt"
    path.write_text(content)
    with pytest.raises(FootfallError) as error:
        parse_terrain(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps", "write steps:RISE[,RUN[,COUNT[,START]]]"),
        ("steps:", "write steps:RISE[,RUN[,COUNT[,START]]]"),
        ("steps:1,2,3,4,5", "write steps:RISE[,RUN[,COUNT[,START]]]"),
        ("stairs:1,1,1,1,1,1", "write stairs:[RISE[,RUN[,COUNT[,LANDING[,START]]]]]"),
        ("step:0.1", "unknown terrain 'step': did you mean 'steps'"),
        ("steps:a", "rise 'a' is not a number"),
        ("steps:nan", "rise is from -1e+06 to 1e+06 m"),
        ("steps:0.1,0.001", "run is from 0.02 to 1000 m"),
        ("steps:0.1,1,2.5", "count '2.5' is not a whole number"),
        ("slope:90", "degrees is from -60 to 60"),
        ("random-steps:-1", "rise is from 0"),
        ("random-steps:0.1,1,10,-3", "seed is from 0"),
        ("steps:0.1,1,1000000000000", "count is from 1 to 100000"),
        ("random-steps:0.1,1e308", "length is from 0.04 to 1000 m"),
        ("slope:6,1e300", "start is from -1e+06 to 1e+06 m"),
        ("slope:6,2,1e-300", "length is from 0.01"),
        ("downward:2", "downward takes no arguments"),
        ("flat:2", "write flat"),
        ("gone.csv", "gone.csv cannot be read: it does not exist"),
        ("gone.png", "gone.png cannot be read: No such file"),
        ("heightfield", "write heightfield:FILE"),
        ("heightfield:gone.png,x", "length 'x' is not a number"),
        ("marsh", "choose one of"),
    ],
)
def test_bad_words_are_refused(text, message):
    with pytest.raises(FootfallError) as error:
        parse_terrain(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_tables_are_refused():
    with pytest.raises(FootfallError, match="equally long"):
        TerrainProfile([0, 1, 2], [0, 1])
    with pytest.raises(FootfallError, match="2 x 2"):
        TerrainHeightField(np.zeros((1, 5)), (1.0, 1.0), (0.0, 0.0))
    with pytest.raises(FootfallError, match="two lengths"):
        TerrainHeightField(np.zeros((3, 5)), (1.0, -1.0), (0.0, 0.0))


def test_every_name_is_known():
    for name in terrain_names():
        if name not in ("slope", "steps", "random-steps", "heightfield"):
            assert str(parse_terrain(name)).startswith(name)
