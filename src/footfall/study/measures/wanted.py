"""What a gait should be like, in measures of the table: the goals of ``find-gait``, ``adapt`` and ``what-if``."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.roles import leg_length
from footfall.study.measures.people import Norms
from footfall.study.measures.table import CYCLE_MEASURES, GOAL_MEASURES

Array = NDArray[np.float64]
UNKNOWN_COST = 300.0
"""What a walk costs that lacks a measure."""


class WantedMeasures:
    """Measures that a gait is asked for.

    Attributes:
        want: measure -> (low, high, weight): nothing to pay inside, weight times the miss outside.
        less: measure -> weight: the less the better.
    """

    want: Mapping[str, tuple[float, float, float]]
    less: Mapping[str, float]

    @property
    def lab_measures(self) -> tuple[str, ...]:
        """The gait laboratory's measures among them."""
        return tuple(measure for measure in (*self.want, *self.less) if measure in CYCLE_MEASURES)

    def measures_needing(self, what: str) -> tuple[str, ...]:
        """Those that need "people" to compare with, or "forces" that acted."""
        return tuple(measure for measure in (*self.want, *self.less) if GOAL_MEASURES[measure].needs == what)

    def norms_at(self, folder: str | Path | None, speed: float, figure: Figure, where: str) -> Norms | None:
        """People's tables at a speed, m/s, beside a figure's leg, where measures compare with them; ``where`` begins
        the message where no folder is named."""
        asked = self.measures_needing("people")
        if asked and folder is None:
            raise FootfallError(
                f"{where} asks for {', '.join(asked)}, which compare with people: name a folder with their "
                "tables, such as schwartz2008_joint_angles.csv (--norms FOLDER)"
            )
        return Norms(folder, speed, leg_length(skeleton_of(figure))) if asked and folder is not None else None

    def misses(self, numbers: Mapping[str, Array]) -> list[Array]:
        """[W] what each measure costs that is outside its band; NaN where it is not known."""
        return [
            weight * np.maximum(0.0, np.maximum(low - numbers[name], numbers[name] - high))
            for name, (low, high, weight) in self.want.items()
        ]

    def burdens(self, numbers: Mapping[str, Array]) -> list[Array]:
        """[W] what each measure costs of which less is better; NaN where it is not known."""
        return [weight * numbers[name] for name, weight in self.less.items()]


def known_cost(costs: list[Array]) -> Array:
    """[W] the sum of costs [W], in which an unknown one has a price."""
    return np.asarray(np.sum([np.nan_to_num(cost, nan=UNKNOWN_COST) for cost in costs], axis=0))
