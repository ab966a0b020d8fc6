"""Recovery: how far a walk may be off its speed before it leaves its usual states (footfall's own addition to
SIMBICON).

A state may name another in ``disturbed``. It is left for that one at once, on the same stance leg, when the body moves
faster or slower than these limits allow. So a natural walk can take quick, wide steps after a push, and come back.
"""

import math
from dataclasses import dataclass, fields

from footfall.errors import FootfallError


@dataclass(frozen=True)
class Recovery:
    """Limits of v, beyond which a walk is disturbed.

    Attributes:
        slower, faster: metres a second below and above the desired speed.
        sideways: metres a second to either side (spatial figures).
    """

    slower: float = math.inf
    faster: float = math.inf
    sideways: float = math.inf

    def check(self, where: str) -> None:
        """Raise a FootfallError that names ``where`` if a limit is not a number above 0."""
        for part in fields(self):
            value = getattr(self, part.name)
            if math.isnan(value) or value < 0:
                raise FootfallError(f"{where}: {part.name} is {value}; it must be at least 0 m/s")
