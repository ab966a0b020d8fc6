"""A row of a reproduction: one number or claim of a paper beside what is measured here."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from footfall_reproductions.rates import standard_error, wilson_interval

State = Literal["holds", "holds, near its bound", "does not hold", "not judged", "not measured"]
Limbs = Literal["", "solid", "passing", "plane", "model"]
STATES: tuple[State, ...] = ("holds", "holds, near its bound", "does not hold", "not judged", "not measured")

_OURS = ("ours", "derived facts")
"""How the sources start that are not a paper."""
_OF_PASSING = ("measured", "holds", "state", "passed", "tried", "note")
"""What a row says of itself with limbs that pass."""


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
        claim: what the source claims, in one sentence.
        rule: by which ``holds`` is judged.
        departures: every difference from the paper's settings.
        passed, tried: samples, where the claim is judged over several.
        changed: what of the rule was written or changed after a measurement; empty where nothing was.
        bound: the share of samples that the rule asks for, where it asks for one.
        seconds: how long the part that measured it ran.
        timed: whether it is a time: another run measures another.
        limbs: what limbs in space do: "solid", they touch; "passing", they pass through each other; in the plane they
            always do ("plane"); "model": there are none.
        ending: of a row that does not hold: refuted or open, what was tried and the next idea.
        passing: the same row measured with limbs that pass, beside one of solid limbs.
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
    changed: str = ""
    bound: float | None = None
    seconds: float | None = None
    timed: bool = False
    limbs: Limbs = ""
    ending: str = ""
    passing: "Row | None" = None

    @property
    def from_paper(self) -> bool:
        """Whether the source is a paper: headlines count these alone."""
        return bool(self.source) and not self.source.lower().startswith(_OURS)

    @property
    def rate(self) -> float | None:
        """The share of samples that passed."""
        return None if not self.tried or self.passed is None else self.passed / self.tried

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of :attr:`rate` (Wilson)."""
        return None if not self.tried or self.passed is None else wilson_interval(self.passed, self.tried)

    @property
    def near_bound(self) -> bool:
        """Whether the rate is within one standard error of the bound: another machine may see the other side."""
        if self.bound is None or not self.tried or self.passed is None:
            return False
        return abs(self.passed / self.tried - self.bound) <= standard_error(self.passed, self.tried)

    @property
    def state(self) -> State:
        """In a word, where the row stands."""
        if self.measured is None:
            return "not measured" if self.holds is None else "does not hold"
        if self.holds is None:
            return "not judged"
        if not self.holds:
            return "does not hold"
        return "holds, near its bound" if self.near_bound else "holds"

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        other = self.passing
        passing = None if other is None else {name: getattr(other, name) for name in _OF_PASSING}
        return asdict(replace(self, passing=None)) | {
            "passing": passing,
            "state": self.state,
            "from_paper": self.from_paper,
            "rate": self.rate,
            "interval": self.interval,
            "near_bound": self.near_bound,
        }
