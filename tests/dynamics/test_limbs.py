"""Generated dynamics keep few values at a time."""

import re
from itertools import accumulate

import pytest
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.expressions import Graph
from footfall.dynamics.stages import Stages
from footfall.figures import Figure

ALIVE = {
    ("planar-biped", False): 40, ("planar-biped", True): 65,
    ("human", False): 175, ("human", True): 235,
    ("human-28", False): 250, ("human-28", True): 320,
}  # fmt: skip
"""Values alive at once in the accelerations of a figure, explicit and implicit; a register each."""


def most_alive(text):
    """How many values printed statements need at once: those that were computed and are used later. Beyond a thread's
    registers they go to memory."""
    lines = text.splitlines()
    first, last = {}, {}
    for number, line in enumerate(lines):
        for name in re.findall(r"\b[tsc]\d+\b", line):
            first.setdefault(name, number)
            last[name] = number
    changes = [0] * len(lines)
    for name, number in first.items():
        changes[number] += 1
        changes[last[name]] -= 1
    return max(accumulate(changes), default=0)


@pytest.fixture
def printed(monkeypatch):
    """Texts of generated functions, by name."""
    texts = {}
    plain = CompiledFigure.function

    def function(self, name, arguments, body):
        texts[name] = body
        return plain(self, name, arguments, body)

    monkeypatch.setattr(CompiledFigure, "function", function)
    return texts


@pytest.mark.parametrize(("name", "implicit"), ALIVE)
def test_few_values_are_alive_at_once(printed, name, implicit):
    Stages(CompiledFigure(Figure.load(name), wp.float32, feet_only=True, narrow=True), implicit=implicit)
    assert most_alive(printed["accelerate"]) <= ALIVE[name, implicit]


def test_values_alive_are_counted():
    graph = Graph()
    a, b, c = (graph.symbol(name) for name in "xyz")
    text = graph.print([("out", (a * b + c) * (a * c + b))])
    assert most_alive(text) == 2
    assert most_alive("") == 0


def test_what_is_asked_for_again_is_computed_again_by_narrow_code_alone():
    for narrow, statements in ((False, 1), (True, 3)):
        graph = Graph(narrow)
        x = graph.symbol("x")
        text = graph.print([("a", x * x), ("b", graph.again(x, "later") * graph.again(x, "later"))], as_built=True)
        assert len(text.splitlines()) == statements + 2


def test_statements_come_as_they_were_built():
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    first = (x * y + x) * y
    second = (x + y) * first
    text = graph.print([("b", second), ("a", first)], as_built=True).splitlines()
    assert [line.split(" = ")[0].split()[-1] for line in text[:2]] == ["t4", "t5"]
    assert text[-1].startswith("a = ")
