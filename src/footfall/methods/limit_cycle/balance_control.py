"""Balance control of a limit cycle: what is regulated, by which perturbations, sampled how (Laszlo 1996, section 3.7).

The samplings differ in how a step's model is built from its sample simulations, two for each dimension:

    superposition   each dimension alone about K = 0, all at once: a diagonal Jacobian
    sequential      one dimension after the other, each about the scalings found before it: forward-then-lateral
                    (F-L) or lateral-then-forward (L-F) by the order of the dimensions
    jacobian        all at once about K = 0, with the full Jacobian
"""

from dataclasses import dataclass
from typing import Literal

from footfall.errors import FootfallError
from footfall.methods.limit_cycle.perturbation import Perturbation
from footfall.methods.limit_cycle.perturbation_files import load_perturbation
from footfall.methods.limit_cycle.regulation import RegulationVariable, regulation_variable

SAMPLINGS = ("superposition", "sequential", "jacobian")


@dataclass(frozen=True)
class ControlDimension:
    """One regulated variable with the perturbation that moves it; the numbers are those of the ``balance`` command.

    Attributes:
        variable: the regulation variable.
        perturbation: what is scaled and added to the graph.
        sample: scalings ± sample at which the step is simulated.
        target: Q_d. Of a mirrored variable it is meant for steps on the left leg; on the right one its sign changes.
        limit: the largest scaling applied.
        tolerance: the largest error in Q that passes; a step that ends further off is modelled once more about the
            scalings it used.
    """

    variable: RegulationVariable
    perturbation: Perturbation
    sample: float
    target: float = 0.0
    limit: float = 180.0
    tolerance: float = 1.0

    def __post_init__(self) -> None:
        for name in ("sample", "limit", "tolerance"):
            if not getattr(self, name) > 0:
                raise FootfallError(
                    f"balance of {self.variable.name}: {name} is {getattr(self, name)}; it must be above 0"
                )


@dataclass(frozen=True)
class BalanceControl:
    """Control dimensions and how their model is sampled."""

    dimensions: tuple[ControlDimension, ...]
    sampling: Literal["superposition", "sequential", "jacobian"] = "superposition"

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLINGS:
            raise FootfallError(f"sampling is '{self.sampling}'; choose one of: {', '.join(SAMPLINGS)}")
        if not self.dimensions:
            raise FootfallError("balance control needs at least one dimension")


def hip_control(
    sampling: str = "F-L",
    *,
    forward: str | RegulationVariable = "up.forward",
    lateral: str | RegulationVariable = "up.lateral",
    targets: tuple[float, float] = (0.25, 0.0),
    samples: tuple[float, float] = (5.0, 1.0),
) -> BalanceControl:
    """The thesis's control of a biped: stance hip pitch moves the forward variable, stance hip roll the lateral one.

    Args:
        sampling: "F-L", "L-F", "SP" or "jacobian".
        forward, lateral: regulation variables; different vectors make a composite (§5.1).
        targets: Q_d, forward and lateral.
        samples: degrees of hip pitch and hip roll.
    """
    kinds: dict[str, Literal["superposition", "sequential", "jacobian"]] = {
        "F-L": "sequential",
        "L-F": "sequential",
        "SP": "superposition",
        "jacobian": "jacobian",
    }
    if sampling not in kinds:
        raise FootfallError(f"sampling is '{sampling}'; choose one of: {', '.join(kinds)}")
    dimensions = (
        ControlDimension(regulation_variable(forward), load_perturbation("hip-pitch"), samples[0], targets[0]),
        ControlDimension(regulation_variable(lateral), load_perturbation("hip-roll"), samples[1], targets[1]),
    )
    return BalanceControl(dimensions[::-1] if sampling == "L-F" else dimensions, kinds[sampling])
