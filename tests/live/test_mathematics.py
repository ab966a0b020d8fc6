"""A module's own mathematics: near the system's, with its special values."""

import itertools
import math
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from footfall.live.modules import compile_module

ONE = {
    "sin": 1e4, "cos": 1e4, "tan": 1.5, "asin": 1.0, "acos": 1.0, "atan": 1e3, "exp": 700.0, "exp2": 1000.0,
    "log": 1e300, "log2": 1e300, "log10": 1e300, "sinh": 700.0, "cosh": 700.0, "tanh": 30.0, "cbrt": 1e300,
}  # fmt: skip
"""Functions of one number, and the largest that they are given."""
TWO = ("atan2", "pow", "fmod")
pytestmark = pytest.mark.extra("ziglang")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 1e-310, 1e-20, math.inf, -math.inf, math.nan)
BEYOND = {("pow", -1.0, math.inf), ("pow", -1.0, -math.inf)} | {
    ("pow", -math.inf, y) for y in (0.5, 1e-310, 1e-20)
}  # fmt: skip
"""Corners of the standard that no law needs: a module answers NaN."""


@pytest.fixture(scope="module")
def module() -> dict[str, Callable[..., float]]:
    wasmtime: Any = pytest.importorskip("wasmtime")
    text = (files("footfall.live") / "mathematics.cpp").read_text(encoding="utf-8")
    for name in (*ONE, *TWO):
        given, passed = ("double x, double y", "x, y") if name in TWO else ("double x", "x")
        export = f'extern "C" __attribute__((export_name("{name}")))'
        text += f"{export} double own_{name}({given}) {{ return {name}({passed}); }}\n"
    engine = wasmtime.Engine()
    store, compiled = wasmtime.Store(engine), wasmtime.Module(engine, compile_module(text))
    assert compiled.imports == []
    exports = wasmtime.Instance(store, compiled, []).exports(store)
    return {name: lambda *x, f=exports[name]: f(store, *map(float, x)) for name in (*ONE, *TWO)}


def _expected(name: str, *x: float) -> float:
    try:
        return float(getattr(math, name)(*x))
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


@pytest.mark.parametrize("name", ONE)
def test_a_function_of_one_number_is_near_the_systems(name: str, module: dict[str, Callable[..., float]]) -> None:
    rng, top = np.random.default_rng(7), ONE[name]
    x = rng.uniform(-1.0, 1.0, 300) * np.geomspace(1e-9, 1.0, 300) * top
    x = np.abs(x) if name.startswith("log") else x
    found, expected = [module[name](v) for v in x], [_expected(name, v) for v in x]
    if name in ("sin", "cos"):
        np.testing.assert_allclose(found, expected, rtol=0, atol=3e-16)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-13 if name == "exp2" else 2e-15, atol=0)


def test_functions_of_two_numbers_are_near_the_systems(module: dict[str, Callable[..., float]]) -> None:
    rng = np.random.default_rng(8)
    y, x = rng.normal(size=(2, 300)) * np.geomspace(1e-6, 1e6, 300)
    np.testing.assert_allclose(list(map(module["atan2"], y, x)), np.arctan2(y, x), rtol=1e-15)
    assert list(map(module["fmod"], y, x)) == list(map(math.fmod, y, x))
    base, exponent = rng.uniform(0.0, 10.0, 300), rng.uniform(-20.0, 20.0, 300)
    np.testing.assert_allclose(list(map(module["pow"], base, exponent)), base**exponent, rtol=1e-13)
    whole = rng.integers(-64, 65, 300)
    signed = rng.uniform(-3.0, 3.0, 300)
    np.testing.assert_allclose(list(map(module["pow"], signed, whole)), signed ** whole.astype(float), rtol=2e-14)


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_special_values_are_the_systems(name: str, module: dict[str, Callable[..., float]]) -> None:
    for x in itertools.product(SPECIAL, repeat=2 if name in TWO else 1):
        if (name, *x) in BEYOND or (name == "pow" and x[0] == 0.0 and x[1] < 0.0):  # Python refuses 0 ** -1
            continue
        expected = -math.inf if name.startswith("log") and x[0] == 0.0 else _expected(name, *x)
        found = module[name](*x)
        if math.isnan(expected):
            assert math.isnan(found), (name, x)
        else:
            assert found == pytest.approx(expected, rel=1e-12, abs=0.0), (name, x)
            assert math.copysign(1.0, found) == math.copysign(1.0, expected), (name, x)
