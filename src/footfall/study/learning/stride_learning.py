"""Feedback error learning of a 3D walk: the ratio of feedback to feed-forward torque (SIMBICON, sections 6 and
7.2).

    r = ∫ ‖v_fb‖ dt / ∫ ‖v_ff‖ dt

over the torso's three planes and the upper body, and over the legs where they learn, after learning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.error_learning import LEARNING_RATE, STRIDE_LIMIT, learned, stride_learner
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Record, Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StrideLearningResult:
    """What was learned.

    Attributes:
        controller: the learned controller.
        times: [K] seconds of learning at the end of each window.
        feedback, forward: [K] mean norms of the feedback and the feed-forward torques, newton metres.
    """

    controller: PoseControlGraph
    times: Array
    feedback: Array
    forward: Array

    @property
    def ratio(self) -> float:
        """r, over the last window."""
        return float(self.feedback[-1] / max(self.forward[-1], 1e-12))

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        known = self.controller.feedforward
        assert known is not None
        return {
            "controller": self.controller.name,
            "bins": known.bins,
            "step_time_s": known.period,
            "joints": list(known.joints),
            "feedback_over_forward": self.ratio,
            "times_s": self.times.tolist(),
            "feedback_nm": self.feedback.tolist(),
            "forward_nm": self.forward.tolist(),
        }


def learn_stride(
    controller: str | Path | PoseControlGraph,
    *,
    seconds: float = 60.0,
    bins: int = 100,
    rate: float = LEARNING_RATE,
    limit: float = STRIDE_LIMIT,
    legs: bool = False,
    window: float = 4.0,
    dt: float = 0.001,
    progress: Callable[[float], None] | None = None,
) -> StrideLearningResult:
    """Let a 3D walk learn.

    Args:
        controller: a periodic walk.
        seconds: how long. window: how often to look, seconds.
        bins: over one step. rate: α of equation 2. limit: the largest torque, radians times kp.
        legs: whether the legs learn too, for walks from captured motion.
        dt: step of the simulation, seconds.
        progress: called with the simulated time.
    """
    if not 0 < window <= seconds:
        raise FootfallError(f"window is {window} s of {seconds} s; it must be above 0 and no longer than the whole")
    plain = load_graph(controller)
    figure = Figure.load(plain.figure)
    graph = stride_learner(plain, figure, bins=bins, rate=rate, limit=limit, legs=legs)
    simulation = Simulation(graph, figure=figure, dt=dt, record=Record(rate=1.0 / dt, fields=("signals",), worlds=1))
    times, feedback, forward = [], [], []
    for k in range(int(seconds / window)):
        outcome = simulation.run(window)
        if not outcome.survived[0]:
            raise FootfallError(f"'{graph.name}' fell after {outcome.end_time[0]:.1f} s of learning; try a lower rate")
        trace = simulation.take_trace()
        times.append((k + 1) * window)
        feedback.append(float(trace.signals["feedback"][:, 0].mean()))
        forward.append(float(trace.signals["feedforward"][:, 0].mean()))
        if progress is not None:
            progress(times[-1])
    result = learned(graph, figure, simulation.memory[0])
    return StrideLearningResult(result, np.array(times), np.array(feedback), np.array(forward))
