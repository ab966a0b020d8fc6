"""Warp functions out of printed expressions.

A native function is a body of C++ that Warp pastes into its kernels on the CPU and the GPU alike; the arguments arrive
by reference, so nothing is copied. Names carry a digest of the text, so that equal functions meet in Warp's kernel
cache and different ones never do.
"""

import hashlib
import linecache
import re
from collections.abc import Callable, Mapping
from typing import Any

import warp as wp

_TRIG = {
    "double": """
  const S n = rint(x * S(0.63661977236758134308));
  S r = x - n * S(1.5707963267341256);
  r = r - n * S(6.0771005065061922e-11);
  const S z = r * r;
  const S sine = r + r * z * (S(-1.0/6) + z * (S(1.0/120) + z * (S(-1.0/5040) + z * (S(1.0/362880)
    + z * (S(-1.0/39916800) + z * (S(1.0/6227020800.0)
    + z * (S(-1.0/1307674368000.0) + z * S(1.0/355687428096000.0))))))));
  const S cosine = S(1) + z * (S(-0.5) + z * (S(1.0/24) + z * (S(-1.0/720) + z * (S(1.0/40320) + z * (S(-1.0/3628800)
    + z * (S(1.0/479001600) + z * (S(-1.0/87178291200.0) + z * S(1.0/20922789888000.0))))))));
""",
    "float": """
  const S n = rintf(x * S(0.63661977236758134308));
  S r = x - n * S(1.57079637050628662109375);
  r = r - n * S(-4.37113900018624283e-8);
  const S z = r * r;
  const S sine = r + r * z * (S(-1.0/6) + z * (S(1.0/120) + z * (S(-1.0/5040) + z * S(1.0/362880))));
  const S cosine = S(1) + z * (S(-0.5) + z * (S(1.0/24) + z * (S(-1.0/720) + z * (S(1.0/40320)
    + z * S(-1.0/3628800)))));
""",
}
"""Sine and cosine by reduction to a quarter turn and Taylor's series, exact to rounding while |x| < 1e5. The same on
every device and several times faster than a call of the system's library."""

_QUICK = """
typedef float S;
struct Trig { static CUDA_CALLABLE inline void sincos(S x, S& s, S& c) {
  const S n = rintf(x * S(0.31830988618379067));
  S r = x - n * S(3.14159274101257324);
  r = r - n * S(-8.74227800037248566e-8);
  const S z = r * r;
  const S sine = r + r * z * (S(-0.16666661066272858) + z * (S(0.0083330835456684753) + z * (S(-0.00019809893852698093)
    + z * S(2.6050197539910063e-6))));
  const S cosine = S(1) + z * (S(-0.49999999640200167) + z * (S(0.041666641881693596) + z * (S(-0.0013888396786555771)
    + z * (S(2.4760813057875194e-5) + z * S(-2.6049610067874592e-7)))));
  const bool odd = (int)n & 1;
  s = odd ? -sine : sine;
  c = odd ? -cosine : cosine;
} };
struct Quick { static CUDA_CALLABLE inline S reciprocal(S x) {
#ifdef __CUDA_ARCH__
  S y;
  asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y + y * (S(1) - x * y);
#else
  return S(1) / x;
#endif
} };
"""
"""For a GPU's float32: sine and cosine by reduction to half a turn and minimax polynomials, exact to 2e-7, which takes
fewer instructions; reciprocals by the GPU's own approximation and one step of Newton's."""

_PROLOGUE = """
typedef {real} S;
struct Trig {{ static CUDA_CALLABLE inline void sincos(S x, S& s, S& c) {{ {trig}
  const int q = (int)n & 3;
  const S a = (q & 1) ? cosine : sine, b = (q & 1) ? sine : cosine;
  s = (q & 2) ? -a : a;
  c = ((q + 1) & 2) ? -b : b;
}} }};
"""


_EXACT = """
struct Quick { static CUDA_CALLABLE inline S reciprocal(S x) { return S(1) / x; } };
"""

_LANES = """
typedef {real} R;
typedef {real} S __attribute__((ext_vector_type({lanes})));
typedef {whole} I __attribute__((ext_vector_type({lanes})));
struct Trig {{ static inline void sincos(S x, S& s, S& c) {{ {trig}
  const I q = __builtin_convertvector(n, I) & 3;
  const S a = (q & 1) != 0 ? cosine : sine, b = (q & 1) != 0 ? sine : cosine;
  s = (q & 2) != 0 ? -a : a;
  c = ((q + 1) & 2) != 0 ? -b : b;
}} }};
"""


_NARROW = """
#ifdef __CUDA_ARCH__
#define AGAIN(x) asm volatile("" : "+{register}"(x))
#else
#define AGAIN(x)
#endif
"""


def narrow_text(real: Any) -> str:
    """C++ that narrow graphs' statements need (:class:`footfall.dynamics.expressions.Graph`): AGAIN hides from a GPU's
    compiler that it has a value already, so that it does not keep what was made from it."""
    return _NARROW.format(register={wp.float32: "f", wp.float64: "d"}[real])


def again_function(real: Any) -> wp.Function:
    """(x): ``x`` as it is; what is made from it is not kept from one step to the next."""
    return native_function("again", {"x": wp.ref[real]}, narrow_text(real) + "AGAIN(x);", real)


def real_name(real: Any) -> str:
    """C++ name of a Warp scalar type."""
    return {wp.float32: "float", wp.float64: "double"}[real]


def native_function(
    name: str, arguments: Mapping[str, Any], body: str, real: Any, *, lanes: int = 1, quick: bool = False
) -> wp.Function:
    """A Warp function from C++ text.

    Args:
        name: what the function does; a digest of its text is appended.
        arguments: Warp types by argument name, in order (``wp.ref[T]`` for what is read in place or written).
        body: C++ statements over the scalar type ``S``; ``Trig::sincos`` is there.
        real: ``wp.float32`` or ``wp.float64``.
        lanes: how many worlds ``S`` is a vector of, for a CPU; ``R`` is then the scalar type.
        quick: whether a GPU's float32 is to take few instructions; ``Quick::reciprocal`` is there.
    """
    if lanes > 1:
        head = _lanes_prologue(real, lanes)
    elif quick and real == wp.float32:
        head = _QUICK
    else:
        head = _PROLOGUE.format(real=real_name(real), trig=_TRIG[real_name(real)]) + (_EXACT if quick else "")
    text = head + body
    digest = hashlib.sha256((text + repr(sorted(arguments))).encode()).hexdigest()[:12]

    return wp.func_native(text)(_stub(f"{name}_{digest}", arguments))


def _lanes_prologue(real: Any, lanes: int) -> str:
    scalar = real_name(real)
    trig = re.sub(r"\brintf?\(", "__builtin_elementwise_roundeven(", _TRIG[scalar])
    whole = {"double": "long long", "float": "int"}[scalar]
    return _LANES.format(real=scalar, whole=whole, lanes=lanes, trig=trig)


def _stub(name: str, arguments: Mapping[str, Any]) -> Callable[..., None]:
    """An empty Python function of that signature, with source text where Warp looks for it."""
    file = f"<footfall {name}>"
    source = f"def {name}({', '.join(arguments)}): ...\n"
    linecache.cache[file] = (len(source), None, [source], file)
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, file, "exec"), scope)
    stub = scope[name]
    stub.__annotations__ = dict(arguments)
    return stub  # type: ignore[no-any-return]
