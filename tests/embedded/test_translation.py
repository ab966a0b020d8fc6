"""The translator: what Warp functions compute on the CPU, their C computes too, to the bit where no sine is taken."""

import ctypes

import numpy as np
import pytest
import warp as wp

from footfall.embedded.c99 import print_unit
from footfall.embedded.cpp import read_unit, simplified
from footfall.embedded.tree import Call, Name, Operation, parse
from footfall.errors import FootfallError
from footfall.live.source import generated
from tests.embedded.in_c import compiled, needs_compiler

real = wp.float64
Triple = wp.types.vector(length=3, dtype=real)
Order = wp.types.vector(length=3, dtype=wp.int32)
ORDER = wp.constant(Order(2, 0, 1))


@wp.struct
class Pair:
    first: real
    second: Triple
    flag: wp.bool


@wp.func
def loops(a: wp.ref[Triple], n: int, x: real):
    """Loops of unknown length, continue, break, and branches that join."""
    s = real(0.0)
    for i in range(n):
        if (a[i % 3] > s and x > s) or not (s < x < real(3.0)):
            s -= real(0.25)
            continue
        s += a[i % 3] * x
    j = int(0)  # noqa: RUF046, UP018
    while j < 5:
        s -= real(j) / real(2.0)
        j += 1
        if s < -x:
            break
    for i in range(n, -1, -2):
        s += real(i)
    if s > x:
        return s
    return x - s


@wp.func
def vectors(a: wp.ref[Triple], n: int, x: real):
    """Vectors by value, by reference and by element; reads before and after writes."""
    before = a[0]
    b = a * x + x * a - a / real(2.0)
    b[1] = before
    a[0] = wp.dot(b, a)
    a[2] += before
    c = -b
    c[n % 3] = a[0]
    for k in range(3):
        a[ORDER[k]] = b[k] + c[2 - k]
    return before + wp.length(c) + a[1]


@wp.func
def numbers(a: wp.ref[Triple], n: int, x: real):
    """Whole numbers and functions of plain ones."""
    m = n * 7 - 20
    whole = (m // 3) * 5 + m % 4 + wp.min(m, n) - wp.max(m, 2) + wp.abs(m) + wp.clamp(m, -3, 3)
    bits = ((n << 2) | 1) & ~(n >> 1)
    y = wp.floor(x) + wp.ceil(x) + wp.sqrt(wp.abs(x)) + wp.min(x, a[1]) - wp.max(x, a[2]) + wp.clamp(x, a[0], a[0] + x)
    y += wp.sign(x) + x % real(0.7) + x // real(0.3) + real(wp.where(x > a[0], 1, n)) + real(int(x * real(10.0)))
    return y + real(whole) + real(bits) - wp.acos(real(2.0) + wp.abs(x))


@wp.func
def changed(pair: wp.ref[Pair], x: real):
    pair.first = pair.first + x
    pair.second[1] = pair.first * x
    pair.flag = pair.first > x


@wp.func
def structures(a: wp.ref[Triple], n: int, x: real):
    """A structure that a function changes between two reads of it."""
    pair = Pair()
    pair.first = x
    pair.second = a
    held = pair.first
    second = pair.second
    changed(pair, a[0])
    changed(pair, held)
    a[1] = pair.second[1]
    if pair.flag:
        return held - pair.first + second[1]
    return pair.first + held * second[1]


def in_warp(function):
    module = wp.get_module(f"test_translation_{function.key}")
    module.options["max_unroll"] = 2

    @wp.kernel(enable_backward=False, module=module)
    def call(a: wp.array[Triple], n: wp.array[wp.int32], x: wp.array[real], out: wp.array[real]):
        i = wp.tid()
        one = a[i]
        out[i] = function(one, n[i], x[i])
        a[i] = one

    return call


@needs_compiler
@pytest.mark.parametrize("function", [loops, vectors, numbers, structures], ids=lambda f: f.func.__name__)
def test_c_computes_what_warp_computes(function, tmp_path):
    rng = np.random.default_rng(5)
    kernel, count = in_warp(function), 200
    unit = simplified(read_unit(generated(kernel)))
    name = unit.functions[-1].name
    call = f"void run(double *a, int n, double x, double *out) {{ *out = {name}((vec3 *)a, n, x); }}"
    head = "#include <math.h>\n#include <stdbool.h>\n"
    library = compiled(tmp_path, f"{head}{print_unit(unit)}\n{call}\n")
    a, n, x = rng.normal(size=(count, 3)), rng.integers(0, 9, count), rng.normal(0.0, 2.0, count)
    arrays = [wp.array(v, dtype=t, device="cpu") for v, t in ((a, Triple), (n, wp.int32), (x, real))]
    out = wp.zeros(count, dtype=real, device="cpu")
    wp.launch(kernel, count, inputs=[*arrays, out], device="cpu")
    for k in range(count):
        mine, found = a[k].copy(), ctypes.c_double()
        pointer = ctypes.c_void_p(mine.ctypes.data)
        library.run(pointer, int(n[k]), ctypes.c_double(x[k]), ctypes.byref(found))
        assert found.value == pytest.approx(out.numpy()[k], rel=1e-14, abs=1e-14, nan_ok=True)
        assert mine == pytest.approx(arrays[0].numpy()[k], rel=1e-14, abs=1e-14)


def test_what_it_does_not_know_is_refused_by_name():
    @wp.func
    def turned(a: wp.ref[Triple], n: int, x: real):
        return wp.quat_rotate(wp.quat_from_axis_angle(a, x), a)[n]

    with pytest.raises(FootfallError, match="quat"):
        read_unit(generated(in_warp(turned)))


def test_expressions_are_read_as_c_reads_them():
    assert parse("a - -1.5e-3 * b") == Operation("-", (Name("a"), Operation("*", (parse("-1.5e-3"), Name("b")))))
    assert parse("(a < b) && (b < c)") == Operation("&&", (parse("a < b"), parse("b < c")))
    assert parse("wp::vec_t<3, wp::float64>()") == Call("wp::vec_t<3, wp::float64>", ())
    assert parse("&((*(p)).f)") == Operation("&", (parse("(*(p)).f"),))
    assert parse("&(*(p))") == Name("p")
    with pytest.raises(FootfallError, match="cannot read"):
        parse("a ? b : c")
