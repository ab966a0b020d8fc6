"""A dataclass as the schema of a file: what it reads, refuses and writes."""

import datetime
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.control import controller_names, load_controller
from footfall.errors import FootfallError
from footfall.methods.simbicon.files import SCHEMA, parse_graph
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, keep_text, kept_text, key_text, print_table, read_table, value_text


@dataclass(frozen=True)
class Wheel:
    radius: float
    spokes: int = 8

    def __post_init__(self) -> None:
        if self.radius <= 0:
            raise FootfallError(f"radius is {self.radius}; it must be above 0")


@dataclass(frozen=True)
class Lamp:
    colour: Literal["red", "white"] = "white"
    on: bool | Literal["dusk"] = False


@dataclass(frozen=True)
class Trip:
    places: Mapping[str, Wheel]
    day: str = ""


@dataclass(frozen=True)
class Bike:
    name: str
    wheels: tuple[Wheel, ...] = ()
    lamp: Lamp | None = None
    spare: Wheel = field(default_factory=lambda: Wheel(0.3, 20))
    gears: tuple[float, float] = (1.0, 4.0)
    ratios: tuple[float, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    trips: tuple[Trip, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            raise FootfallError("bike '': it has no name")


FORMS = Schema({Trip: Form(rest="places", order=("day",)), Wheel: Form(short="radius")})


def read(text: str, schema: Schema = FORMS) -> Bike:
    return read_table(parse_toml(text, "my.toml"), Bike, "my.toml", schema)


def test_a_file_becomes_the_value_that_it_describes():
    bike = read(
        """
        name = "b"
        gears = [1, 2]
        wheels = [{ radius = 1, spokes = 3 }]
        spare = 0.4
        lamp = { on = "dusk" }
        parts = { bell = 2 }
        [[trips]]
        home = 0.3
        away = { radius = 0.5, spokes = 2 }
        """
    )
    assert bike.wheels == (Wheel(1.0, 3),)
    assert bike.gears == (1.0, 2.0)
    assert bike.lamp == Lamp(on="dusk")
    assert bike.trips == (Trip({"home": Wheel(0.3), "away": Wheel(0.5, 2)}),)
    assert bike.spare == Wheel(0.4)
    assert read(print_table(bike, FORMS)) == bike


def test_a_table_s_missing_keys_are_those_of_the_field_s_own_default():
    text = 'name = "b"\n[spare]\nradius = 0.2\n'
    assert read(text, Schema()).spare == Wheel(0.2, 20)
    assert print_table(read(text, Schema())) == text.replace("\n[", "\n\n[")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "my.toml: 'name' is missing"),
        ("name = 3", "my.toml: name is 3; it must be text"),
        ('nme = "b"', "my.toml: unknown key 'nme': did you mean 'name'?"),
        ('name = ""', "my.toml: it has no name"),
        ('name = "b"\ngears = [1]', "my.toml: gears is [1]; it must be a list of two numbers"),
        ('name = "b"\ngears = [1, nan]', "my.toml: gears holds a number that is not finite"),
        ('name = "b"\nratios = 1', "my.toml: ratios is 1; it must be a list of numbers"),
        ('name = "b"\nratios = ["x"]', "my.toml: ratios is 'x'; it must be a number"),
        ('name = "b"\nlamp = 3', "my.toml, [lamp]: it is 3; it must be a table"),
        ('name = "b"\n[lamp]\ncolour = "blue"', "my.toml, [lamp]: colour is 'blue'; choose 'red' or 'white'"),
        ('name = "b"\n[lamp]\non = 1', "my.toml, [lamp]: on is 1; it must be true or false, or 'dusk'"),
        ('name = "b"\nwheels = 3', "my.toml: wheels must be written as [[wheels]] tables"),
        ('name = "b"\n[[wheels]]\nspokes = 1', "my.toml, wheel 0: 'radius' is missing"),
        ('name = "b"\n[[wheels]]\nradius = -1', "my.toml, wheel 0: radius is -1.0; it must be above 0"),
        ('name = "b"\n[[wheels]]\nradius = 1\nspokes = 1.5', "my.toml, wheel 0: spokes is 1.5; it must be a whole num"),
        ('name = "b"\n[[trips]]\nhome = true', "my.toml, trip 0: home is True; it must be a number"),
        ('name = "b"\n[[trips]]\nhome = { spoke = 1 }', "my.toml, trip 0, home: unknown key 'spoke': did you mean"),
        ('name = "b"\n[parts]\nbell = "x"', "my.toml, parts: bell is 'x'; it must be a number"),
        (f'name = "b"\nratios = [{"9" * 400}]', "my.toml: ratios is a number of 400 digits, which is too large"),
        (f'name = "{"b" * 100}"\nlamp = "{"x" * 100}"', "xxx…; it must be a table"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(text, said):
    with pytest.raises(FootfallError) as error:
        read(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_have_a_limit_where_a_schema_sets_one():
    for number in ("2e6", "nan", "-inf", "3000000"):
        with pytest.raises(FootfallError, match=r"bell is .*; it must be a finite number, within ±1e\+06"):
            read(f'name = "b"\n[parts]\nbell = {number}', Schema(largest=1e6))
    assert read('name = "b"\n[parts]\nbell = inf', Schema(largest=math.inf)).parts["bell"] == math.inf


def test_a_text_is_kept_until_the_value_changes():
    text = '# mine\nname   = "b"\n'
    bike = read(text)
    keep_text(bike, text)
    assert kept_text(bike, read) == text
    assert kept_text(replace(bike, name="c"), read) is None


@given(
    st.recursive(
        st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.text(),
)
def test_any_value_reads_back_as_it_was(value, name):
    assert tomllib.loads(f"{key_text(name)} = {value_text(value)}") == {name: value}


def test_numbers_of_numpy_days_and_arrays():
    assert value_text(np.float32(0.5)) == "0.5"
    for text in ("A+/=" * 500, "A'" * 1000, "é" * 2000, "\\" * 2000):
        assert tomllib.loads(f"long = {value_text(text)}") == {"long": text}
    assert value_text(np.array([1, 2])) == "[1, 2]"
    assert value_text(datetime.date(2007, 8, 5)) == "2007-08-05"
    assert value_text(0.123456789, Schema(decimals=3)) == "0.123"


@pytest.mark.parametrize("name", controller_names("edit"))
def test_every_built_in_graph_reads_back_equal_from_the_canonical_form(name):
    graph = load_controller(name)
    assert parse_graph(print_table(graph, SCHEMA)) == graph
