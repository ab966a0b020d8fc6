"""How hard and how rough the ground is: the numbers of its contact law, without an engine."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from footfall.errors import FootfallError

LAWS = ("anchor", "smooth", "regularised", "sampled")


@dataclass(frozen=True)
class Ground:
    """How hard and how rough the ground is (:mod:`footfall.dynamics.ground` has the laws).

    Attributes:
        stiffness: k, newtons per metre, at each contact point.
        damping: c, newton seconds per metre, at each contact point.
        friction: μ, the largest ratio of tangential to normal force; infinite for none.
        law: "anchor", "smooth", "regularised" or "sampled"; None for the usual one: "smooth" where limbs touch each
            other by default, else "anchor", as the papers have it.
        locking_speed: below this sliding speed the regularised friction fades, metres per second.
    """

    stiffness: float = 100_000.0
    damping: float = 6_000.0
    friction: float = 0.65
    law: Literal["anchor", "smooth", "regularised", "sampled"] | None = None
    locking_speed: float = 0.05

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "friction", "locking_speed"):
            value = getattr(self, name)
            if math.isnan(value) or value < 0 or (math.isinf(value) and name != "friction"):
                raise FootfallError(f"ground {name} is {value}; it must be a number of at least 0")
        if self.law is not None and self.law not in LAWS:
            raise FootfallError(f"ground law is '{self.law}'; choose 'anchor', 'smooth', 'regularised' or 'sampled'")

    def usual(self, solid: bool) -> "Ground":
        """This ground with its usual law where none is named, under a body whose limbs touch each other or pass."""
        return self if self.law is not None else replace(self, law="smooth" if solid else "anchor")

    def row(self) -> list[float]:
        """The numbers that a world's ground function reads: stiffness, damping, friction, locking speed."""
        return [self.stiffness, self.damping, min(self.friction, 1e9), self.locking_speed]
