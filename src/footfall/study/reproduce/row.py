"""A row of a reproduction: one number or claim of a paper beside what is measured here."""

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Row"]


@dataclass(frozen=True)
class Row:
    """One number or claim.

    Attributes:
        id: short and stable, lower case with hyphens.
        what: what is measured, and the rule by which it holds.
        paper: what the paper says; None where it gives no number.
        measured: what comes out here; None where it cannot be measured, with the reason in ``note``.
        unit: of both numbers; empty for words and counts.
        holds: whether the rule in ``what`` is met, by computation alone; None where it cannot be judged.
        note: how it was measured, what was tried.
        source: the paper with its section, figure or table; "derived facts"; or "ours". Empty where not said yet.
        claim: what the source claims, in one sentence. rule: by which ``holds`` is judged.
        departures: every difference from the paper's settings.
        passed, tried: samples, where the claim is judged over several.
    """

    id: str
    what: str
    paper: float | int | str | None
    measured: float | int | str | None
    unit: str
    holds: bool | None
    note: str = ""
    source: str = ""
    claim: str = ""
    rule: str = ""
    departures: str = ""
    passed: int | None = None
    tried: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        return asdict(self)
