"""How a controller was integrated when it was made."""

import math
from dataclasses import dataclass

from footfall.errors import FootfallError


@dataclass(frozen=True)
class Integration:
    """The step and the integrator that a controller was made with.

    Attributes:
        dt: time step, seconds.
        integrator: its name, as :class:`footfall.simulation.Simulation` takes it.
    """

    dt: float = 0.001
    integrator: str = "implicit"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.dt) and self.dt > 0):
            raise FootfallError(f"integration dt is {self.dt}; it must be above 0 seconds")
