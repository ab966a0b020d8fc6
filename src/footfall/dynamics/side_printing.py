"""Straight-line code whose values of a side are printed once, in loops over left and right.

Statements come in the order in which their expressions were built. A run of values of a side becomes a loop, which ends
where the trunk needs the sum of both; what a later loop needs of an earlier one is kept in an array, a row a side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.sides import Output

__all__ = ["print_sides"]


@dataclass
class _Stretch:
    """Values of the trunk, then a loop with values of a side, what it sums up and what it writes."""

    trunk: list[int] = field(default_factory=list)
    side: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)
    writes: list[tuple[Output, Expression]] = field(default_factory=list)


def print_sides(
    graph: Graph, outputs: Sequence[tuple[Output, Expression]], given: Mapping[int, str] | None = None
) -> str:
    """C++ statements that assign each expression to its place; as :meth:`Graph.print` with ``as_built``.

    Args:
        graph: where the expressions were built.
        outputs: where values go and their expressions. One of a side may have one text for both, which reads ``side``.
        given: nodes that are already known, with the C++ text that reads them.
    """
    return _Printer(graph, outputs, dict(given or {})).text()


class _Printer:
    def __init__(self, graph: Graph, outputs: Sequence[tuple[Output, Expression]], given: dict[int, str]) -> None:
        self.graph, self.names = graph, given
        self.place: dict[int, int] = {}
        self.stretches = [_Stretch()]
        for i in graph._in_order([e.id for _, e in outputs], given):
            self._put(i)
        self.last: list[tuple[str, Expression]] = []
        for where, e in outputs:
            if graph.on_side(e):
                self.stretches[self.place.get(e.id, -1)].writes.append((where, e))
            elif isinstance(where, str):
                self.last.append((where, e))
            else:
                left, right, sign = where
                self.last += [(left, e), (right, e if sign > 0 else -e)]
        self.kept = self._find_kept()

    def _put(self, i: int) -> None:
        op, *args = self.graph._nodes[i]
        now = self.stretches[-1]
        if op == "both":
            value = int(args[0])  # type: ignore[call-overload]
            if now.side or (value not in self.place and len(self.stretches) == 1):
                self.stretches.append(_Stretch())
            self.stretches[self.place.get(value, -2)].sums.append(i)
        elif self.graph._on_side[i]:
            now.side.append(i)
            self.place[i] = len(self.stretches) - 1
        else:
            now.trunk.append(i)

    def _find_kept(self) -> dict[int, int]:
        """Values of a side that a later loop needs, by their place in its row."""
        kept: dict[int, int] = {}
        for k, stretch in enumerate(self.stretches):
            stack = [a for i in stretch.side + stretch.sums for a in self._operands(i)]
            stack += [e.id for _, e in stretch.writes]
            while stack:
                i = stack.pop()
                if self.place.get(i, k) < k and i not in self.names:
                    if self._is_negation(i):
                        stack += self._operands(i)
                    else:
                        kept.setdefault(i, len(kept))
        return kept

    def _operands(self, i: int) -> list[int]:
        return [a for a in self.graph._nodes[i][1:] if isinstance(a, int)]

    def _is_negation(self, i: int) -> bool:
        return self.graph._nodes[i][0] == "neg"

    def text(self) -> str:
        """All statements."""
        lines = [f"S kept[{2 * len(self.kept)}];"] if self.kept else []
        for k, stretch in enumerate(self.stretches):
            for i in stretch.trunk:
                self.graph._print_node(i, self.names, lines, "S")
            if stretch.side or stretch.sums or stretch.writes:
                lines += self._loop(k, stretch)
        for _, e in self.last:
            self.graph._print_node(e.id, self.names, lines, "S")
        return "\n".join(lines + [f"{where} = {self.names[e.id]};" for where, e in self.last])

    def _loop(self, k: int, stretch: _Stretch) -> list[str]:
        names, lines = dict(self.names), [f"S t{i} = S(0);" for i in stretch.sums]
        lines += [ONE_BY_ONE, "for (int side = 0; side < 2; ++side) {", "const S flip = side ? S(-1) : S(1);"]
        for i in stretch.side:
            self._print(i, k, names, lines)
            if i in self.kept:
                lines.append(f"kept[{self._cell(i)}] = {names[i]};")
        for i in stretch.sums:
            (value,) = self._operands(i)
            self._print(value, k, names, lines)
            lines.append(f"t{i} += {names[value]};")
            self.names[i] = f"t{i}"
        for where, e in stretch.writes:
            self._print(e.id, k, names, lines)
            lines.append(_write(where, names[e.id]))
        return [*lines, "}"]

    def _cell(self, i: int) -> str:
        return f"{len(self.kept)} * side + {self.kept[i]}"

    def _print(self, i: int, k: int, names: dict[int, str], lines: list[str]) -> None:
        """Print a value in loop k, after what it needs of earlier loops."""
        stack = [i]
        while stack:
            j = stack.pop()
            if j in names:
                continue
            if self.place.get(j, k) < k and j in self.kept:
                names[j] = f"t{j}"
                lines.append(f"const S t{j} = kept[{self._cell(j)}];")
            elif j == i or self._is_negation(j):
                stack += self._operands(j)
        self.graph._print_node(i, names, lines, "S")


def _write(where: Output, value: str) -> str:
    if isinstance(where, str):
        return f"{where} = {value};"
    left, right, sign = where
    return f"if (side) {right} = {'-' if sign < 0 else ''}{value}; else {left} = {value};"


ONE_BY_ONE = """#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif"""
