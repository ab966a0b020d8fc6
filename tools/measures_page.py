"""docs/measures.md from the table of measures: ``python -m tools.measures_page`` writes it anew."""

from collections.abc import Mapping
from pathlib import Path

from footfall.study.measures.table import (
    BALANCE_MEASURES,
    CYCLE_MEASURES,
    MEASURES,
    OF_FOLLOWING,
    OF_MOTION,
    OF_OUTCOME,
    OLD_NAMES,
    OLD_UNITS,
    OWN_UNITS,
    PARAMETERS,
    RUN_MEASURES,
    WALK_MEASURES,
)

PAGE = Path(__file__).parents[1] / "docs" / "measures.md"
HEAD = """# Measures

Every number by which footfall searches for a gait, judges it or reports it: its name in goal files, terms, bounds,
tables and JSON, its unit and its definition. `python -m tools.measures_page` writes this page from the table that the
code uses.

| letters | where it is measured |
|---|---|
| w | recorded walks: goal files (`optimize --goal`), `adapt` in the body's own units, `imitate --law simbicon` |
| r | settled runs of candidates: `optimize --minimize`, `--maximize` and `--keep` |
| o | whole runs: `sweep`, where `torque` is called `torque_squared` and `smoothness` `acceleration_squared` |
| f | a body that follows a clip: `imitate`, some in centimetres or millimetres, as their names say |
| s | strides of a motion, by side: `analyse`, `what-if`, the studio |
| m | a motion file, pauses left out: `motion info` and `compare` (`stance_share` is a hundredth), `gait_measures` |
| c | the mean cycle of a walk: `analyse`, `what-if`, the studio, goal files, `adapt --want` |

A cycle runs from a strike of the foot at t0 to its next at t1; the foot leaves the ground at t_off, the other foot at
o_off, and that one strikes again at o_on. BW is body weight. For a body of hip height H and mass m, `adapt` measures in
the units of the column *own*, where there is one. *Of* has the letters above. *Needs* is what a measure needs besides
the motion: people's tables ([Gait analysis](gait-analysis.md#people)), recorded forces, or a clip.

| measure | unit | own | what it is | of | needs |
|---|---|---|---|---|---|
"""
KINDS: tuple[tuple[str, tuple[Mapping[str, object], ...]], ...] = (
    ("w", (WALK_MEASURES,)),
    ("r", (RUN_MEASURES,)),
    ("o", (OF_OUTCOME,)),
    ("f", (OF_FOLLOWING,)),
    ("s", (PARAMETERS, BALANCE_MEASURES)),
    ("m", (OF_MOTION,)),
    ("c", (CYCLE_MEASURES,)),
)


def measures_page() -> str:
    """The text of the page."""
    rows = []
    for name, row in MEASURES.items():
        of = ", ".join(letter for letter, tables in KINDS if any(name in table for table in tables))
        own = OWN_UNITS[row.unit][0] if row.name in WALK_MEASURES and row.unit in OWN_UNITS else ""
        title = "" if row.title == name.replace("_", " ") else f"{row.title}: "
        rows.append(f"| `{name}` | {row.unit} | {own} | {title}{row.definition} | {of} | {row.needs} |")
    old = ", ".join(f"`{before}` for `{name}`" for before, name in OLD_NAMES.items())
    units = " and ".join(f"`{before}` ({unit:g} of the unit of `{name}`)" for before, (name, unit) in OLD_UNITS.items())
    understood = f"Files and commands that still use an old name are understood: {old}; so are {units} of goal files."
    return f"{HEAD}{chr(10).join(rows)}\n\n{understood}\n"


if __name__ == "__main__":
    PAGE.write_text(measures_page(), encoding="utf-8")
