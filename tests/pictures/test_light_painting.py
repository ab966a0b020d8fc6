"""What pages paint without a graphics card: fewer triangles, the same closed surfaces."""

import json
import subprocess
from collections import Counter
from functools import cache
from importlib.resources import files

import pytest

from tests.live.node import find_node

SHAPES = [(R, K) for R in (3, 4, 5, 8, 9, 12, 17) for K in (4, 6, 7, 12, 16)]
SOLIDS = [(R, K, every) for R, K in SHAPES for every in (1, 2) if every == 1 or (R >= 5 and K >= 8 and K % 2 == 0)]
"""Rings, points in a ring, and whether every other one alone is used."""

needs_node = pytest.mark.skipif(find_node() is None, reason="node is not installed")


@cache
def _all_triangles() -> dict[tuple[int, int, int], list[list[int]]]:
    """The triangles of solids as the painter makes them."""
    script = (files("footfall.pictures") / "gl_painter.js").read_text(encoding="utf-8")
    stack = script[script.index("function stack(") :]
    each = "{ const f = []; stack(f, 0, ...s); console.log(JSON.stringify(f)); }"
    ask = f"for (const s of {json.dumps(SOLIDS)}) {each}"
    done = subprocess.run([str(find_node()), "-e", stack + ask], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {s: [row[k : k + 3] for k in range(0, len(row), 3)] for s, row in zip(SOLIDS, rows, strict=True)}


@needs_node
@pytest.mark.parametrize(("rings", "points", "every"), SOLIDS)
def test_every_edge_joins_two_triangles(rings: int, points: int, every: int) -> None:
    last = (rings - 1) * points

    def vertex(i: int) -> int:
        """All points of the first and of the last ring are one place: the poles."""
        return 0 if i < points else last if i >= last else i

    edges: Counter[tuple[int, int]] = Counter()
    for triangle in _all_triangles()[rings, points, every]:
        a, b, c = (vertex(i) for i in triangle)
        assert len({a, b, c}) == 3
        edges.update([(a, b), (b, c), (c, a)])
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)


@needs_node
def test_rough_solids_have_about_a_quarter_of_the_triangles() -> None:
    rough, fine = (len(_all_triangles()[17, 16, every]) for every in (2, 1))
    assert rough == pytest.approx(fine / 4, rel=0.1)
