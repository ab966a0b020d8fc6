"""Expressions of the C++ that Warp generates, as trees: what the translator reads, changes and prints.

What Warp's own functions are in C99, by the types of their arguments.

Names in C: ``vec3`` holds three doubles, ``ints3`` three integers, ``array2`` is a table of doubles with rows and
columns. Functions that C lacks are written in :data:`HELPERS`; a file gets those that it uses.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from footfall.errors import FootfallError


class Name(NamedTuple):
    """A variable."""

    name: str


class Literal(NamedTuple):
    """A number, ``true`` or ``false``."""

    text: str


class Operation(NamedTuple):
    """An operator with one to three operands; "?" chooses the second or the third by the first."""

    operator: str
    operands: tuple["Tree", ...]


class Call(NamedTuple):
    """A function of the law, or with ``wp::`` one of Warp's own."""

    function: str
    arguments: tuple["Tree", ...]


class Cast(NamedTuple):
    """A number as another type."""

    type: str
    value: "Tree"


class Member(NamedTuple):
    """A field of a structure that is a value."""

    value: "Tree"
    field: str


class Dereference(NamedTuple):
    """What a pointer points to; "&" of it is the pointer."""

    pointer: "Tree"


Tree = Name | Literal | Operation | Call | Cast | Member | Dereference

_TOKEN = re.compile(
    r"\s*(?:(?P<word>(?:wp::)?(?:vec_t|mat_t|quat_t|transform_t)<[^()]*>|[A-Za-z_][\w:]*)"
    r"|(?P<number>-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[fu]?)"
    r"|(?P<sign>&&|\|\||[=!<>]=|<<|>>|[-+*/%&|^~!<>().,]))"
)
_BINARY = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
           ("*", "/", "%"))  # fmt: skip
"""Operators of two operands from the loosest to the tightest."""


def parse(text: str) -> Tree:
    """The tree of an expression."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        found = _TOKEN.match(text, at)
        if found is None:
            raise FootfallError(f"the law's C++ has '{text}', which export to C cannot read")
        kind = str(found.lastgroup)
        if kind == "number" and found[kind].startswith("-") and tokens and tokens[-1][0] in ("word", "number", ")"):
            tokens.append(("-", "-"))
            at = found.start(kind) + 1
            continue
        tokens.append((found[kind] if kind == "sign" else kind, found[kind]))
        at = found.end()
    return _Parser(text, tokens).whole()


class _Parser:
    def __init__(self, text: str, tokens: list[tuple[str, str]]) -> None:
        self._text, self._tokens, self._at = text, tokens, 0

    def whole(self) -> Tree:
        tree = self._binary(0)
        if self._at != len(self._tokens):
            raise FootfallError(f"the law's C++ has '{self._text}', which export to C cannot read")
        return tree

    def _next(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self, kind: str) -> str:
        if self._next() != kind:
            raise FootfallError(f"the law's C++ has '{self._text}', which export to C cannot read")
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _binary(self, level: int) -> Tree:
        if level == len(_BINARY):
            return self._unary()
        tree = self._binary(level + 1)
        while self._next() in _BINARY[level]:
            tree = Operation(self._take(self._next()), (tree, self._binary(level + 1)))
        return tree

    def _unary(self) -> Tree:
        if self._next() in ("-", "!", "~"):
            return Operation(self._take(self._next()), (self._unary(),))
        if self._next() == "*":
            self._take("*")
            return Dereference(self._unary())
        if self._next() == "&":
            self._take("&")
            inner = self._unary()
            return inner.pointer if isinstance(inner, Dereference) else Operation("&", (inner,))
        return self._postfix()

    def _postfix(self) -> Tree:
        tree: Tree
        if self._next() == "(":
            self._take("(")
            tree = self._binary(0)
            self._take(")")
        elif self._next() == "number":
            return Literal(self._take("number").rstrip("f"))
        else:
            word = self._take("word")
            tree = Literal(word) if word in ("true", "false") else Name(word)
            if self._next() == "(":
                tree = Call(word, self._arguments())
        while self._next() == ".":
            self._take(".")
            tree = Member(tree, self._take("word"))
        return tree

    def _arguments(self) -> tuple[Tree, ...]:
        found: list[Tree] = []
        self._take("(")
        while self._next() != ")":
            found.append(self._binary(0))
            if self._next() == ",":
                self._take(",")
        self._take(")")
        return tuple(found)


def children(tree: Tree) -> tuple[Tree, ...]:
    """The parts of an expression."""
    listed = (own if type(own) is tuple else (own,) for own in tree)
    return tuple(part for parts in listed for part in parts if isinstance(part, Tree))


def changed(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """The expression with every part changed, the innermost first."""

    def inner(part: Any) -> Any:
        if isinstance(part, Tree):
            return changed(part, change)
        return tuple(map(inner, part)) if type(part) is tuple else part

    return change(type(tree)(*map(inner, tree)))


def walk(tree: Tree) -> Iterator[Tree]:
    """The expression and all its parts."""
    yield tree
    for part in children(tree):
        yield from walk(part)


def names_in(tree: Tree) -> list[str]:
    """Variables of an expression, as often as they are there."""
    return [part.name for part in walk(tree) if isinstance(part, Name)]


_SCALARS = {"wp::float64": "double", "wp::int32": "int", "bool": "bool", "int": "int", "double": "double"}
_VECTOR = re.compile(r"wp::vec_t<(\d+), ?(wp::\w+)>")
_VECTORS = {"wp::float64": "vec", "wp::int32": "ints"}

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "bit_and": "&", "bit_or": "|", "bit_xor": "^",
              "lshift": "<<", "rshift": ">>"}  # fmt: skip
_PREFIXES = {"neg": "-", "unot": "!", "invert": "~"}
_MATHS = ("atan2", "ceil", "cos", "exp", "fabs", "floor", "fmax", "fmin", "fmod", "log", "pow", "rint", "round", "sin",
          "sqrt", "tan", "tanh", "trunc", "atan", "sinh", "cosh", "log10", "log2", "cbrt")  # fmt: skip
"""Functions of math.h that have the name and the meaning of Warp's."""
_RENAMED = {
    ("abs", "double"): "fabs",
    ("min", "double"): "fmin",
    ("max", "double"): "fmax",
    ("mod", "double"): "fmod",
    ("abs", "int"): "int_abs",
    ("min", "int"): "int_min",
    ("max", "int"): "int_max",
    ("floordiv", "int"): "int_floor_div",
    ("floordiv", "double"): "floor_div",
    ("clamp", "double"): "clamp",
    ("clamp", "int"): "int_clamp",
    ("sign", "double"): "sign",
    ("acos", "double"): "safe_acos",
    ("asin", "double"): "safe_asin",
}

HELPERS = {
    "cell": "static const double *cell(array2 a, int row, int column) { return a.data + row * a.columns + column; }",
    "int_abs": "static int int_abs(int x) { return x < 0 ? -x : x; }",
    "int_min": "static int int_min(int a, int b) { return a < b ? a : b; }",
    "int_max": "static int int_max(int a, int b) { return a > b ? a : b; }",
    "int_clamp": "static int int_clamp(int x, int a, int b) { return x < a ? a : x > b ? b : x; }",
    "int_floor_div": "static int int_floor_div(int a, int b) "
    "{ int q = a / b; return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q; }",
    "floor_div": "static double floor_div(double a, double b) { return floor(a / b); }",
    "clamp": "static double clamp(double x, double a, double b) { return fmin(fmax(a, x), b); }",
    "sign": "static double sign(double x) { return x < 0.0 ? -1.0 : 1.0; }",
    "safe_acos": "static double safe_acos(double x) { return acos(fmin(fmax(x, -1.0), 1.0)); }",
    "safe_asin": "static double safe_asin(double x) { return asin(fmin(fmax(x, -1.0), 1.0)); }",
    "more": "static int more(range *r) { return r->step > 0 ? r->at < r->end : r->at > r->end; }",
    "following": "static int following(range *r) { int at = r->at; r->at += r->step; return at; }",
    "until": "static range until(int end) { range r = {0, end, 1}; return r; }",
    "from_until": "static range from_until(int start, int end) { range r = {start, end, 1}; return r; }",
    "in_steps": "static range in_steps(int start, int end, int step) { range r = {start, end, step}; return r; }",
}
"""Name -> text of the functions that C lacks."""

_VECTOR_HELPERS = {
    "add": "static {t} add_{t}({t} a, {t} b) {{ for (int i = 0; i < {n}; ++i) a.v[i] += b.v[i]; return a; }}",
    "sub": "static {t} sub_{t}({t} a, {t} b) {{ for (int i = 0; i < {n}; ++i) a.v[i] -= b.v[i]; return a; }}",
    "neg": "static {t} neg_{t}({t} a) {{ for (int i = 0; i < {n}; ++i) a.v[i] = -a.v[i]; return a; }}",
    "mul": "static {t} mul_{t}({t} a, {s} b) {{ for (int i = 0; i < {n}; ++i) a.v[i] *= b; return a; }}",
    "div": "static {t} div_{t}({t} a, {s} b) {{ for (int i = 0; i < {n}; ++i) a.v[i] /= b; return a; }}",
    "dot": "static {s} dot_{t}({t} a, {t} b) "
    "{{ {s} sum = a.v[0] * b.v[0]; for (int i = 1; i < {n}; ++i) sum += a.v[i] * b.v[i]; return sum; }}",
    "length": "static double length_{t}({t} a) "
    "{{ double sum = a.v[0] * a.v[0]; for (int i = 1; i < {n}; ++i) sum += a.v[i] * a.v[i]; return sqrt(sum); }}",
}
_RANGES = {1: "until", 2: "from_until", 3: "in_steps"}


_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while "
    "bool true false acos asin range array2 sine_cosine"
)
TAKEN = frozenset([*_KEYWORDS.split(), *_MATHS, *HELPERS])
"""Names that nothing else may have."""


def helper_text(name: str) -> str | None:
    """The text of a function that C lacks; None for any other."""
    if name in HELPERS:
        return HELPERS[name]
    found = re.fullmatch(r"([a-z]+)_((vec|ints)(\d+))", name)
    if found is None or found[1] not in _VECTOR_HELPERS:
        return None
    return _VECTOR_HELPERS[found[1]].format(t=found[2], n=found[4], s="double" if found[3] == "vec" else "int")


def c_type(text: str, structures: dict[str, str]) -> str:
    """A C++ type's name in C; ``structures`` are those that are known, by name in C++."""
    text = text.strip()
    if text.endswith("*"):
        return c_type(text[:-1], structures) + " *"
    text = text.removeprefix("const ").strip()
    found = _VECTOR.fullmatch(text)
    if found and found[2] in _VECTORS:
        return f"{_VECTORS[found[2]]}{found[1]}"
    known = {"wp::array_t<wp::float64>": "array2", "wp::range_t": "range", "void": "void"} | _SCALARS | structures
    if text not in known:
        raise FootfallError(f"the law uses the type '{text.replace('wp::', '')}', which export to C does not know")
    return known[text]


def resolved(call: Call, types: list[str], structures: dict[str, str]) -> Tree:
    """A call in C++ as it is in C, given its arguments' types."""
    arguments = call.arguments
    if call.function in structures:
        return Call(f"{structures[call.function]}{{}}", arguments)
    if call.function == "iter_cmp":
        return Call("more", (Operation("&", arguments),))
    if call.function in _SCALARS:
        return Cast(_SCALARS[call.function], arguments[0])
    if not call.function.startswith("wp::"):
        return call
    name = call.function.removeprefix("wp::")
    if name.startswith("vec_t<"):
        return Call(f"{c_type(call.function, structures)}{{}}", arguments)
    vectors = [t for t in types if re.fullmatch(r"(vec|ints)\d+", t)]
    if vectors and name in _VECTOR_HELPERS:
        ordered = arguments[::-1] if name == "mul" and types[0] != vectors[0] else arguments
        return Call(f"{name}_{vectors[0]}", ordered)
    match name, arguments:
        case ("copy", (value,)):
            return value
        case ("int", (value,)):
            return Cast(name, value)
        case ("where", (_, _, _)):
            return Operation("?", arguments)
        case ("extract", (_, _)):
            return Operation("[]", arguments)
        case ("address", (_, _, _)):
            return Call("cell", arguments)
        case ("range", _) if len(arguments) in _RANGES:
            return Call(_RANGES[len(arguments)], arguments)
        case ("iter_next", (_,)):
            return Call("following", (Operation("&", arguments),))
        case ("nonzero", (value,)):
            return Operation("!=", (value, Literal("0")))
        case ("mod", (_, _)) if types[0] == "int":
            return Operation("%", arguments)
    if name in _OPERATORS and not vectors:
        return Operation(_OPERATORS[name], arguments)
    if name in _PREFIXES and not vectors:
        return Operation(_PREFIXES[name], arguments)
    if (name, types[0]) in _RENAMED:
        return Call(_RENAMED[name, types[0]], arguments)
    if name in _MATHS and not vectors:
        return Call(name, arguments)
    raise FootfallError(f"the law calls Warp's '{name}' of {', '.join(types)}, which export to C does not know")
