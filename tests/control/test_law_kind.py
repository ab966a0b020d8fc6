"""Controllers of a law of one's own: their files, their numbers by name, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import Law, LawController, LawKind, Start
from footfall.control.kind import MARK
from footfall.control.law import is_guest
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure


class Sway(Law):
    """A law with named numbers."""

    key = "sway"
    numbers = {"size": 20.0, "rate": 2.0}  # noqa: RUF012
    memory = np.zeros(1)

    def build(self, types):
        raise NotImplementedError


class Still(Law):
    """A law without names."""

    memory = np.zeros(1)
    parameters = np.array([1.0, 2.0])

    def build(self, types):
        raise NotImplementedError


KIND = LawKind("sway", Sway)
TEXT = """# my own
name = "mine"
figure = "planar-biped"
law = "sway"
about = 'A "quoted" word.'

[parameters]
rate = 3

[start]
qpos = [0, 0.9397187646481324, 0, 0.025, -0.05, 0.025, 0.025, -0.05, 0.025]
qvel = [0, 0, 0, 0, 0, 0, 0, 0, 0]

[ground]
friction = inf

[integration]
dt = 0.002
"""


def test_a_file_gives_numbers_by_name_and_is_printed_as_it_was() -> None:
    controller = KIND.parse(TEXT, "text")
    assert controller.parameters == {"size": 20.0, "rate": 3.0}
    assert controller.integration is not None
    assert controller.integration.dt == 0.002
    assert KIND.print(controller) == TEXT
    changed = replace(controller, parameters={"size": 1.5, "rate": 3.0})
    again = KIND.parse(KIND.print(changed), "again")
    assert again == changed
    assert again.about == 'A "quoted" word.'
    assert again.ground == Ground(friction=np.inf)


def test_the_law_has_the_controllers_numbers_in_its_own_order() -> None:
    law = KIND.law(LawController("a", "planar-biped", "sway", parameters={"rate": 5.0}), Figure.load("planar-biped"))
    assert law.parameters.tolist() == [20.0, 5.0]
    assert Sway().parameters.tolist() == [20.0, 2.0]
    assert law.column("rate") == 1
    rows = law.applied(np.tile(law.parameters, (3, 1)), {"size": [1.0, 2.0, 3.0], "rate": 0.5})
    assert rows.tolist() == [[1.0, 0.5], [2.0, 0.5], [3.0, 0.5]]
    assert is_guest(law)


def test_numbers_that_are_not_there_are_refused_with_the_choices() -> None:
    law = Sway()
    with pytest.raises(FootfallError, match="unknown parameter 'sise': did you mean 'size'"):
        law.applied(np.zeros((1, 2)), {"sise": 1.0})
    with pytest.raises(FootfallError, match="unknown number of the law Sway 'x': choose one of: rate, size"):
        law.column("x")
    with pytest.raises(FootfallError, match="this law has no named parameters"):
        Still().applied(np.zeros((1, 2)), {"size": 1.0})
    with pytest.raises(FootfallError, match="controller 'a': unknown parameter 'sise'"):
        KIND.law(LawController("a", "planar-biped", "sway", parameters={"sise": 5.0}), Figure.load("planar-biped"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rate = 3", "rte = 3", r"text, \[parameters\]: unknown parameter 'rte': did you mean 'rate'"),
        ("rate = 3", "rate = true", "rate is True; it must be a number"),
        ("rate = 3", "rate = nan", "rate is nan; it must be a finite number"),
        ("rate = 3", f"rate = 1{'0' * 400}", "which is too large"),
        ("[parameters]\nrate = 3", "parameters = 3", "parameters is 3; it must be a table"),
        ("[parameters]", "[params]", "unknown key 'params': did you mean 'parameters'"),
        ('name = "mine"', "", "text: 'name' is missing"),
        ('name = "mine"', "name = 3", "name is 3; it must be text"),
        ("qvel = [", "qvels = [", r"\[start\]: unknown key 'qvels': did you mean 'qvel'"),
        ("qvel = [0, ", "qvel = 0 #", r"\[start\]: qvel is 0; it must be a list of numbers"),
        ("qvel = [0, 0", "qvel = [0, 1e9", r"\[start\]: qvel holds a number that is not within"),
        ("friction = inf", "friction = -1", r"\[ground\]: ground friction is -1.0; it must be a number of at least 0"),
        ("dt = 0.002", "dt = 0", r"\[integration\]: integration dt is 0.0; it must be above 0"),
        ("dt = 0.002", "integrator = 3", r"\[integration\]: integrator is 3; it must be text"),
        ("about =", "about", "text: not a TOML file"),
    ],
)
def test_mistakes_in_a_file_are_errors_that_name_the_place(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(FootfallError, match=message):
        KIND.parse(TEXT.replace(old, new), "text")


def test_a_start_needs_both_parts_and_a_law_without_names_takes_no_parameters() -> None:
    head = 'name = "a"\nfigure = "planar-biped"\nlaw = "still"\n'
    with pytest.raises(FootfallError, match=r"\[start\]: 'qvel' is missing"):
        KIND.parse(f"{head}[start]\nqpos = [0]\n", "text")
    still = LawKind("still", Still)
    assert still.law(still.parse(head, "text"), Figure.load("planar-biped")).parameters.tolist() == [1.0, 2.0]
    with pytest.raises(FootfallError, match="law 'still' has no named numbers"):
        still.parse(f"{head}[parameters]\nx = 1\n", "text")


def test_it_is_described_and_becomes_a_template() -> None:
    controller = KIND.parse(TEXT, "text")
    told = KIND.describe(controller)
    assert told.title == "mine: a controller for planar-biped, law 'sway'"
    assert ["rate", "3", "2"] in told.table
    assert told.lines[1] == "integration: dt 0.002, integrator implicit"
    assert told.data["parameters"] == {"size": 20.0, "rate": 3.0}
    law = KIND.law(controller, Figure.load("planar-biped"))
    knobs = KIND.knobs(law, controller, 0)
    assert {p.path: (p.value, p.cells) for p in knobs.parameters} == {
        "size": (20.0, ((0, 1.0),)),
        "rate": (3.0, ((1, 1.0),)),
    }
    assert knobs.states == ()
    template = KIND.template(controller, knobs)
    assert f"rate = {MARK}rate{MARK}\n" in template
    filled = template.replace(f"{MARK}rate{MARK}", "4.0").replace(f"{MARK}size{MARK}", "1.0")
    assert KIND.parse(filled, "page").parameters == {"size": 1.0, "rate": 4.0}
    assert KIND.parse(filled, "page").start == Start(controller.start.qpos, controller.start.qvel)
