"""Expressions of the C++ that Warp generates, as trees: what the translator reads, changes and prints."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

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


class Field(NamedTuple):
    """A field of a structure that is a value."""

    value: "Tree"
    field: str


class Target(NamedTuple):
    """What a pointer points to; "&" of it is the pointer."""

    pointer: "Tree"


Tree = Name | Literal | Operation | Call | Cast | Field | Target

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
            return Target(self._unary())
        if self._next() == "&":
            self._take("&")
            inner = self._unary()
            return inner.pointer if isinstance(inner, Target) else Operation("&", (inner,))
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
            tree = Field(tree, self._take("word"))
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
    match tree:
        case Operation(_, parts) | Call(_, parts):
            return parts
        case Cast(_, part) | Field(part, _) | Target(part):
            return (part,)
    return ()


def changed(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """The expression with every part changed, the innermost first."""
    match tree:
        case Operation(operator, parts):
            tree = Operation(operator, tuple(changed(part, change) for part in parts))
        case Call(function, parts):
            tree = Call(function, tuple(changed(part, change) for part in parts))
        case Cast(kind, part):
            tree = Cast(kind, changed(part, change))
        case Field(part, field):
            tree = Field(changed(part, change), field)
        case Target(part):
            tree = Target(changed(part, change))
    return change(tree)


def walk(tree: Tree) -> Iterator[Tree]:
    """The expression and all its parts."""
    yield tree
    for part in children(tree):
        yield from walk(part)


def names_in(tree: Tree) -> list[str]:
    """Variables of an expression, as often as they are there."""
    return [part.name for part in walk(tree) if isinstance(part, Name)]
