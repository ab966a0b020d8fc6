"""Scalar expressions that fold, share and print themselves as C++.

The dynamics compiler runs the recursions of rigid-body dynamics once, in Python, on these expressions instead of
numbers. Zeros and ones of the figure (aligned axes, planar motion, offsets along one axis) vanish as they meet, equal
sub-expressions are built once, and only what an output needs is printed: straight-line code specialised to one figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Number = float | int
Node = tuple[object, ...]


class Graph:
    """Hash-consed expressions: a node is built once however often it is asked for.

    Args:
        narrow: whether the code is for a GPU's thread, which has few registers. Values that are asked for :meth:`again`
            are then found again.
        quick: whether reciprocals are those of :func:`footfall.dynamics.native.native_function`'s ``quick``.
    """

    def __init__(self, narrow: bool = False, *, quick: bool = False) -> None:
        self.narrow, self.quick = narrow, quick
        self._nodes: list[Node] = []
        self._index: dict[Node, int] = {}
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    def constant(self, value: Number) -> Expression:
        """A number known at compile time."""
        return self._node(("constant", float(value)))

    def symbol(self, text: str) -> Expression:
        """A value known at run time, by the C++ text that reads it."""
        return self._node(("symbol", text))

    def lift(self, value: Expression | Number) -> Expression:
        """``value`` as an expression of this graph."""
        return value if isinstance(value, Expression) else self.constant(value)

    def sincos(self, angle: Expression) -> tuple[Expression, Expression]:
        """Sine and cosine of ``angle``, printed as one call."""
        return self._node(("sin", angle.id)), self._node(("cos", angle.id))

    def again(self, expression: Expression, tag: str) -> Expression:
        """The same value, which a narrow thread reads once more: nothing made from it meets what was made from the
        first. For values that are cheaper to find again than to keep."""
        return self._node(("again", expression.id, tag)) if self.narrow else expression

    def print(
        self,
        outputs: Iterable[tuple[str, Expression]],
        given: Mapping[int, str] | None = None,
        *,
        as_built: bool = False,
    ) -> str:
        """C++ statements over the type ``S`` that assign each expression to its left-hand side, in an order that
        computes shared parts once.

        Args:
            outputs: pairs of a left-hand side and the expression it gets.
            given: nodes that are already known, with the C++ text that reads them.
            as_built: whether statements come in the order in which their nodes were built, so that who builds a limb
                at a time computes it so; otherwise each comes before the first that needs it.
        """
        lines: list[str] = []
        names: dict[int, str] = dict(given or {})
        pending = list(outputs)
        if as_built:
            for i in self._in_order([e.id for _, e in pending], names):
                self._print_node(i, names, lines)
        for _, expression in pending:
            self._print_node(expression.id, names, lines)
        lines += [f"{left} = {names[expression.id]};" for left, expression in pending]
        return "\n".join(lines)

    def shared(self, first: Iterable[Expression], then: Iterable[Expression]) -> list[Expression]:
        """What a computation of ``then`` can take over from an earlier one of ``first``: the nodes where the two
        meet."""
        done = self._reachable([e.id for e in first], set())
        meeting: list[Expression] = []
        seen: set[int] = set()
        stack = [e.id for e in then]
        while stack:
            i = stack.pop()
            op, *args = self._nodes[i]
            if i in seen or op in ("constant", "symbol"):
                continue
            seen.add(i)
            if i in done and op != "neg":
                meeting.append(Expression(self, i))
            else:
                stack.extend(a for a in args if isinstance(a, int))
        return meeting

    def _reachable(self, roots: list[int], seen: set[int]) -> set[int]:
        while roots:
            i = roots.pop()
            if i not in seen:
                seen.add(i)
                roots.extend(a for a in self._nodes[i][1:] if isinstance(a, int))
        return seen

    def _in_order(self, roots: list[int], known: Mapping[int, str]) -> list[int]:
        """What is needed for the roots besides what is known, in the order of building; without what is made of
        symbols alone, which is printed where it is used."""
        needed: set[int] = set()
        stack = list(roots)
        while stack:
            i = stack.pop()
            if i not in needed and i not in known:
                needed.add(i)
                stack.extend(a for a in self._nodes[i][1:] if isinstance(a, int))
        return [i for i in sorted(needed) if not self._is_plain(i)]

    def _is_plain(self, i: int) -> bool:
        """Whether a node is a symbol, a constant, or made of these alone."""
        leaves = ("symbol", "constant", "again")
        op, *args = self._nodes[i]
        if op in ("sin", "cos"):
            return False
        return op in leaves or all(self._nodes[a][0] in leaves for a in args if isinstance(a, int))

    def _print_node(self, root: int, names: dict[int, str], lines: list[str]) -> None:
        stack = [root]
        while stack:
            i = stack[-1]
            if i in names:
                stack.pop()
                continue
            op, *args = self._nodes[i]
            if op == "constant":
                names[i] = f"S({args[0]!r})"
            elif op == "symbol":
                names[i] = str(args[0])
            else:
                operands = [a for a in args if isinstance(a, int)]
                waiting = [a for a in operands if a not in names]
                if waiting:
                    stack.extend(waiting)
                    continue
                self._print_operation(i, str(op), operands, names, lines)
            stack.pop()

    def _print_operation(
        self, i: int, op: str, operands: Sequence[int], names: dict[int, str], lines: list[str]
    ) -> None:
        values = [names[a] for a in operands]
        if op == "again":
            names[i] = f"t{i}"
            lines.append(f"S t{i} = {values[0]}; AGAIN(t{i});")
            return
        if op in ("sin", "cos"):
            sine, cosine = self._node(("sin", operands[0])).id, self._node(("cos", operands[0])).id
            names[sine], names[cosine] = f"s{i}", f"c{i}"
            lines.append(f"S s{i}, c{i}; Trig::sincos({values[0]}, s{i}, c{i});")
            return
        names[i] = f"t{i}"
        right = f"-{values[0]}" if op == "neg" else f"{values[0]} {op} {values[1]}"
        if op == "/" and self.quick and operands[0] == self.one.id:
            right = f"Quick::reciprocal({values[1]})"
        lines.append(f"const S t{i} = {right};")

    def _node(self, node: Node) -> Expression:
        i = self._index.get(node)
        if i is None:
            i = self._index[node] = len(self._nodes)
            self._nodes.append(node)
        return Expression(self, i)

    def value(self, expression: Expression) -> float | None:
        """The number an expression stands for, or None if it is only known at run time."""
        op, *args = self._nodes[expression.id]
        return args[0] if op == "constant" else None  # type: ignore[return-value]

    def negated(self, expression: Expression) -> Expression | None:
        """The operand if ``expression`` is a negation."""
        op, *args = self._nodes[expression.id]
        return Expression(self, args[0]) if op == "neg" else None  # type: ignore[arg-type]

    def binary(self, op: str, a: Expression, b: Expression) -> Expression:
        """A node for ``a op b``; operands of commutative operations are ordered so that equal ones meet."""
        first, second = (b.id, a.id) if op in "+*" and b.id < a.id else (a.id, b.id)
        return self._node((op, first, second))


class Expression:
    """One scalar of a :class:`Graph`, with the arithmetic of a number."""

    __slots__ = ("graph", "id")

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.id = index

    @property
    def value(self) -> float | None:
        """The number this stands for, or None if it is only known at run time."""
        return self.graph.value(self)

    def __neg__(self) -> Expression:
        value, inner = self.value, self.graph.negated(self)
        if value is not None:
            return self.graph.constant(-value if value else 0.0)
        return inner if inner is not None else self.graph._node(("neg", self.id))

    def __add__(self, other: Expression | Number) -> Expression:
        g, b = self.graph, self.graph.lift(other)
        x, y = self.value, b.value
        if x is not None and y is not None:
            return g.constant(x + y)
        if x == 0.0:
            return b
        if y == 0.0:
            return self
        if (inner := g.negated(b)) is not None:
            return self - inner
        if (inner := g.negated(self)) is not None:
            return b - inner
        return g.binary("+", self, b)

    def __sub__(self, other: Expression | Number) -> Expression:
        g, b = self.graph, self.graph.lift(other)
        x, y = self.value, b.value
        if x is not None and y is not None:
            return g.constant(x - y)
        if x == 0.0:
            return -b
        if y == 0.0:
            return self
        if self.id == b.id:
            return g.zero
        if (inner := g.negated(b)) is not None:
            return self + inner
        return g.binary("-", self, b)

    def __mul__(self, other: Expression | Number) -> Expression:
        g, b = self.graph, self.graph.lift(other)
        x, y = self.value, b.value
        if x is not None and y is not None:
            return g.constant(x * y)
        if x == 0.0 or y == 0.0:
            return g.zero
        for value, rest in ((x, b), (y, self)):
            if value == 1.0:
                return rest
            if value == -1.0:
                return -rest
        sign = 1
        a = self
        if (inner := g.negated(a)) is not None:
            a, sign = inner, -sign
        if (inner := g.negated(b)) is not None:
            b, sign = inner, -sign
        product = g.binary("*", a, b)
        return product if sign > 0 else -product

    def __truediv__(self, other: Expression | Number) -> Expression:
        g, b = self.graph, self.graph.lift(other)
        x, y = self.value, b.value
        if x == 0.0:
            return g.zero
        if x is not None and y is not None:
            return g.constant(x / y)
        if y == 1.0:
            return self
        return g.binary("/", self, b)

    def __radd__(self, other: Number) -> Expression:
        return self.graph.lift(other) + self

    def __rsub__(self, other: Number) -> Expression:
        return self.graph.lift(other) - self

    def __rmul__(self, other: Number) -> Expression:
        return self.graph.lift(other) * self

    def __rtruediv__(self, other: Number) -> Expression:
        return self.graph.lift(other) / self
