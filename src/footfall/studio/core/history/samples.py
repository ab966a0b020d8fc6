"""Consecutive samples of one walker."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure

Array = NDArray[np.float64]

SIGNALS = ("d", "v", "rise", "d_side", "v_side", "phase")
"""The law's signals that are kept."""
RATE = 100.0
"""Samples a second."""


@dataclass(frozen=True, eq=False)
class Samples:
    """S consecutive samples of one walker.

    Attributes:
        times: [S] seconds. qpos [S, nq], qvel [S, nv], torque [S, nv], signals [S, SIGNALS].
        state: [S] the controller's state. contact: [S, P]. stance: [S]. push: [S, 3] newtons.
        target: [S, nq] the pose that the controller asked for then; NaN where it does not say.
        anchor: [S, P, 3] where each of the figure's points stuck to the ground at the end of that turn of the loop,
            meaningful where it touched.
        reference: [S, nq] the pose of the clip that it followed, where it was; [S, 0] where it followed none.
    """

    times: Array
    qpos: Array
    qvel: Array
    torque: Array
    signals: Array
    state: NDArray[np.int32]
    contact: NDArray[np.bool_]
    stance: NDArray[np.int32]
    push: Array
    target: Array
    anchor: Array
    reference: Array

    def __len__(self) -> int:
        return len(self.times)

    def balance(self, i: int = -1) -> dict[str, float]:
        """The signals of one sample, by name."""
        values = (float(x) for x in self.signals[i])
        return {name: x if np.isfinite(x) else 0.0 for name, x in zip(SIGNALS, values, strict=True)}

    @classmethod
    def empty(cls, figure: Figure) -> "Samples":
        """No samples of a figure."""
        widths = {"qpos": figure.nq, "qvel": figure.nv, "torque": figure.nv, "signals": len(SIGNALS), "push": 3}
        points = sum(p.ground for p in figure.points)
        none = np.zeros(0, dtype=np.int32)
        return cls(
            times=np.zeros(0),
            **{name: np.zeros((0, width)) for name, width in widths.items()},
            state=none,
            contact=np.zeros((0, points), dtype=bool),
            stance=none,
            target=np.zeros((0, figure.nq)),
            anchor=np.zeros((0, len(figure.points), 3)),
            reference=np.zeros((0, 0)),
        )
