"""Outcomes and traces in notebooks: a table, and a plot of what was recorded."""

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from footfall.errors import FootfallError
from footfall.pictures.notebook import figure_html

if TYPE_CHECKING:
    from footfall.simulation.outcome import Outcome
    from footfall.simulation.trace import Trace

MOST_ROWS = 10


def outcome_html(outcome: "Outcome") -> str:
    """A row for each world, the first ten at most, under a line about all of them."""
    count = len(outcome.fell)
    up, fell, diverged = (int(a.sum()) for a in (outcome.survived, outcome.fell, outcome.diverged))
    head = f"<p>{count} world{'s' if count > 1 else ''}: {up} stayed up, {fell} fell, {diverged} diverged</p>"
    rows = [outcome.summary(world) for world in range(min(count, MOST_ROWS))]
    more = f"<p>… and {count - MOST_ROWS} more worlds</p>" if count > MOST_ROWS else ""
    return head + _table([_heading(key) for key in rows[0]], [list(row.values()) for row in rows]) + more


def _heading(key: str) -> str:
    """As in "step time [s]" for "step_time_s"."""
    name, _, unit = key.rpartition("_")
    units = {"m": "m", "mps": "m/s", "s": "s"}
    return f"{name} [{units[unit]}]".replace("_", " ") if name and unit in units else key.replace("_", " ")


def trace_html(trace: "Trace") -> str:
    """What was recorded, and the joint angles of the first world."""
    from footfall.pictures.plots import plot_angles

    worlds = trace.qpos.shape[1] if trace.qpos.ndim > 1 else 0
    seconds = float(trace.times[-1]) if len(trace.times) else 0.0
    fields = [name for name in ("qpos", "qvel", "torque", "state", "contact") if getattr(trace, name).size]
    facts = [
        ["figure", trace.figure.name],
        ["samples", f"{len(trace.times)} over {seconds:.2f} s"],
        ["worlds", str(worlds)],
        ["fields", ", ".join([*fields, *trace.signals])],
    ]
    try:
        picture = figure_html(plot_angles(trace.motion(0)))
        facts += [["plotted", f"world 0 of {worlds}; trace.motion(1) is the next"]] if worlds > 1 else []
    except FootfallError:
        picture = ""
    return _table([], facts) + picture


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    def line(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(_text(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + (line(head, "th") if head else "") + "".join(line(row, "td") for row in rows) + "</table>"


def _text(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
