"""One source for numpy and Warp.

The functions that run in every frame are written once, as plain functions of numbers that use only arithmetic,
comparisons and the functions of ``m`` below. Called from Python they run on numpy arrays of any shape;
:func:`warp_functions` compiles the same text to Warp functions in float32 or float64 for kernels on the CPU and on
CUDA. Warp does not convert literals, so each ``0.5`` of the text becomes ``Scalar(0.5)`` on the way.
"""

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from footfall.kernels.start import start_warp

Real = Any
"""A number, or a numpy array of numbers of any shape; in a Warp function, the kernel's scalar."""

m = SimpleNamespace(
    sqrt=np.sqrt,
    sin=np.sin,
    cos=np.cos,
    exp=np.exp,
    acos=np.arccos,
    asin=np.arcsin,
    atan2=np.arctan2,
    floor=np.floor,
    abs=np.abs,
    min=np.minimum,
    max=np.maximum,
    where=np.where,
)


class _Literals(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, float):
            return ast.Call(func=ast.Name("Scalar", ast.Load()), args=[node], keywords=[])
        return node


def _text(function: Callable[..., Any], names: Mapping[str, Any]) -> str:
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    if ast.get_docstring(definition):
        definition.body = definition.body[1:]
    definition.returns = None
    for argument in definition.args.args:
        named = ast.unparse(argument.annotation).strip("'\"") if argument.annotation else ""
        argument.annotation = ast.Name(named if named in names else "Scalar", ast.Load())
    return ast.unparse(ast.fix_missing_locations(_Literals().visit(definition)))


def warp_structs(kinds: Sequence[type], scalar: Any) -> dict[str, Any]:
    """Warp structs with the fields of tuples and dataclasses, by name: numbers, and those of ``kinds`` before them."""
    made: dict[str, Any] = {}
    for kind in kinds:
        fields = {name: made.get(getattr(of, "__name__", ""), scalar) for name, of in kind.__annotations__.items()}
        plain = type(kind.__name__, (), {"__annotations__": fields, "__module__": __name__})
        made[kind.__name__] = start_warp().struct(plain)
    return made


def warp_functions(
    name: str,
    functions: Sequence[Callable[..., Any]],
    scalar: Any,
    names: Mapping[str, Any],
    kernels: Sequence[Callable[..., Any]] = (),
) -> dict[str, Any]:
    """Warp functions and kernels with the text of ``functions`` and ``kernels``, by name.

    Args:
        name: of the Warp module that holds them; it also names the generated text in tracebacks.
        functions: in an order in which each calls only earlier ones.
        scalar: ``warp.float32`` or ``warp.float64``.
        names: what the text may name besides: structs and array types, by the names its annotations use.
        kernels: functions that start with ``i = wp.tid()``.
    """
    wp = start_warp()
    scope: dict[str, Any] = {"m": wp, "wp": wp, "Scalar": scalar, "__name__": name, **names}
    text = "\n\n\n".join(_text(function, names) for function in [*functions, *kernels]) + "\n"
    path = f"<{name}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), scope)
    module = wp.get_module(name)
    wp.set_module_options({"enable_backward": False}, module=module)
    for function in functions:
        scope[function.__name__] = wp.func(scope[function.__name__], module=module)
    for kernel in kernels:
        scope[kernel.__name__] = wp.Kernel(scope[kernel.__name__], module=module)
    return scope
