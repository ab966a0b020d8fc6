"""The tables of an environment's page: actions, observations, rewards and endings, from the code that runs them."""

from collections.abc import Sequence
from itertools import groupby

from footfall.errors import check_name
from footfall.gym.registration import IDS
from footfall.learning.options import FALLEN, STEP, Options
from footfall.learning.setup import Setup
from footfall.methods.network.terms import Observation


def describe(id: str, **options: object) -> str:
    """An environment's tables in Markdown.

    Args:
        id: one of the ids.
        options: in place of the id's own.
    """
    known = {made.id: made for made in IDS}
    check_name("environment", id, known)
    made = known[id]
    setup = Setup.of(Options.of(**(made.options | options)))
    rate = setup.options.decide
    decided = "once a footstep" if rate == STEP else f"{float(rate):.4g} times a second"
    weighed = [(setup.plan.rewards[k], setup.weights[k]) for k in setup.plan.counted]
    parts = [
        f"Figure `{setup.figure.name}`, decided {decided}, episodes of {made.steps} decisions.",
        "**Action**: numbers from -1 to 1.\n\n"
        + _table(("", "number", "-1", "1", "unit", "meaning"), _grouped(setup.action.table)),
        "**Observation**\n\n"
        + _table(("", "number", "least", "most", "unit", "meaning"), _grouped(setup.observations)),
        "**Reward**: the sum of\n\n"
        + _table(
            ("term", "weight", "times", "meaning"),
            [(t.name, f"{weight:g}", f"`{t.formula}`", t.about) for t, weight in weighed],
        ),
        "**Endings**\n\n"
        + _table(
            ("ending", "when"),
            [
                (
                    "terminated",
                    "never: who lies on the ground goes on"
                    if setup.options.start == FALLEN
                    else "the walker falls: a point off its feet touches the ground, its root is low, or it leans far",
                ),
                (
                    "truncated",
                    f"after {made.steps} decisions" + (", or when the clip ends" if setup.options.follows else ""),
                ),
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _grouped(rows: Sequence[Observation]) -> list[tuple[str, ...]]:
    """Rows that differ by their names alone, as one."""
    out: list[tuple[str, ...]] = []
    at = 0
    for (low, high, unit, about), same in groupby(rows, lambda r: (r.low, r.high, r.unit, r.about)):
        names = [row.name for row in same]
        places = str(at) if len(names) == 1 else f"{at} to {at + len(names) - 1}"
        at += len(names)
        out.append((places, ", ".join(f"`{name}`" for name in names), f"{low:.4g}", f"{high:.4g}", unit, about))
    return out


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
