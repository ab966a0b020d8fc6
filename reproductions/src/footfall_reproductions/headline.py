"""A reproduction in one sentence: claims of the paper are counted, other rows stand apart."""

from collections.abc import Sequence

from footfall_reproductions.row import STATES, Row

_WORDS = {
    "holds": ("holds", "hold"),
    "holds, near its bound": ("holds near its bound", "hold near their bound"),
    "does not hold": ("does not hold", "do not hold"),
    "not judged": ("is measured without a rule", "are measured without a rule"),
    "not measured": ("was not measured", "were not measured"),
}
"""A state as text, for one row and for several."""


def count_states(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows are in each state that occurs."""
    return {s: n for s in STATES if (n := sum(row.state == s for row in rows))}


def rows_that_hold(rows: Sequence[Row]) -> str:
    """How many rows hold, near their bound or not, of those that are judged."""
    judged = [row for row in rows if row.holds is not None]
    return f"{sum(row.holds is True for row in judged)} of {len(judged)}"


def headline(name: str, rows: Sequence[Row]) -> str:
    """Of the paper's claims, how many hold; then the other rows."""
    paper = [row for row in rows if row.from_paper]
    other = [row for row in rows if not row.from_paper]
    parts = [f"{name}: of {len(paper)} rows from the paper {_counts(paper)}."]
    if other:
        parts.append(f"Of {len(other)} rows that are ours or from derived facts {_counts(other)}.")
    return " ".join(parts)


def _counts(rows: Sequence[Row]) -> str:
    counts = count_states(rows)
    words = [f"{n} {_WORDS[state][n > 1]}" for state, n in counts.items()]
    return ", ".join(words) if words else "none was tried"


def number_with_unit(value: float | int | str | None, unit: str) -> str:
    """A measured value or the paper's, as text."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    number = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{number} {unit}".strip()
