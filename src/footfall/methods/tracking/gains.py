"""Gains of the tracking law as a value (Data-Driven Biped Control, figure 5)."""

import math
from dataclasses import dataclass, fields

from footfall.errors import FootfallError


@dataclass(frozen=True)
class Gains:
    """Feedback gains, and the lift of the swing foot.

    Attributes:
        c0: the stance hip's. c1_sag, c1_cor: the swing hip's on velocity, rad s/m. c2_sag_behind, c2_sag_ahead, c2_cor:
            on place, rad/m; figure 5 calls the first two c2_sag(+) and c2_sag(-), for a pelvis behind and ahead of the
            reference. c3_sag, c3_cor: the stance ankle's on velocity. c4: on place. c5, c6: the swing foot's height on
            height and its rate, s. lift: metres that the swing foot is lifted in mid-swing.
    """

    c0: float = 1.0
    c1_sag: float = 0.05
    c1_cor: float = 0.2
    c2_sag_behind: float = 0.2
    c2_sag_ahead: float = 0.05
    c2_cor: float = 0.2
    c3_sag: float = 0.1
    c3_cor: float = 0.1
    c4: float = 0.1
    c5: float = 0.5
    c6: float = 0.02
    lift: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise FootfallError(f"gains: {field.name} is {value}; it must be a number")

    def blended(self, other: "Gains", share: float) -> "Gains":
        """Gains between these and others, as motions are blended (section 5)."""
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Gains(**{name: (1 - share) * a + share * b for name, a, b in pairs})
