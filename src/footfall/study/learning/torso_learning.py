"""Feedback error learning of the torso, run to its end: learning curves, learned controllers, figure 7 (SIMBICON,
sections 6 and 7.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.simbicon.error_learning import FORWARD_LIMIT, LEARNING_RATE, learned, learner
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Record, Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TorsoLearning:
    """What was learned, and how.

    Attributes:
        controller: the learned controller.
        times: [K] seconds of learning at the end of each window.
        swing: [K] peak-to-peak pitch of the torso over each window, degrees.
        feedback, forward: [K] mean magnitudes of the feedback and the feed-forward torque, newton metres.
        before: the swing without learning, degrees.
    """

    controller: PoseControlGraph
    times: Array
    swing: Array
    feedback: Array
    forward: Array
    before: float

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        forward = self.controller.feedforward
        assert forward is not None
        return {
            "controller": self.controller.name,
            "bins": forward.bins,
            "step_time_s": forward.period,
            "swing_before_deg": self.before,
            "swing_after_deg": float(self.swing[-1]),
            "feedback_over_forward": float(self.feedback[-1] / max(self.forward[-1], 1e-12)),
            "times_s": self.times.tolist(),
            "swing_deg": self.swing.tolist(),
            "feedback_nm": self.feedback.tolist(),
            "forward_nm": self.forward.tolist(),
        }


def torso_swing(controller: str | Path | PoseControlGraph, seconds: float = 10.0, **options: Any) -> float:
    """Peak-to-peak pitch of the torso over the second half of a run, degrees; NaN if it fell."""
    parameters = options.pop("set", None)
    simulation = Simulation(controller, set=parameters, record=Record(rate=1000, fields=("qpos",), worlds=1), **options)
    outcome = simulation.run(seconds)
    pitch = simulation.trace().qpos[:, 0, 2]
    return float(np.degrees(np.ptp(pitch[len(pitch) // 2 :]))) if outcome.survived[0] else float("nan")


def learn_torso(
    controller: str | Path | PoseControlGraph,
    *,
    seconds: float = 60.0,
    bins: int = 200,
    rate: float = LEARNING_RATE,
    limit: float = FORWARD_LIMIT,
    window: float = 2.0,
    dt: float = 0.001,
    integrator: str = "implicit",
    progress: Callable[[float], None] | None = None,
) -> TorsoLearning:
    """Let a controller walk and learn.

    Args:
        controller: a periodic gait.
        seconds: how long. window: how often to look, seconds.
        bins, rate, limit: as :func:`footfall.methods.simbicon.error_learning.learner` takes them.
        dt, integrator: of the simulation.
        progress: called with the simulated time.
    """
    if not 0 < window <= seconds:
        raise FootfallError(f"window is {window} s of {seconds} s; it must be above 0 and no longer than the whole")
    graph = learner(load_graph(controller), bins=bins, rate=rate, limit=limit)
    record = Record(rate=1000, fields=("qpos", "signals"), worlds=1)
    simulation = Simulation(graph, dt=dt, integrator=integrator, record=record)
    times, swing, feedback, forward = [], [], [], []
    for k in range(int(seconds / window)):
        outcome = simulation.run(window)
        if not outcome.survived[0]:
            raise FootfallError(f"'{graph.name}' fell after {outcome.end_time[0]:.1f} s of learning; try a lower rate")
        trace = simulation.take_trace()
        learned_torque = trace.signals["feedforward_torque"][:, 0]
        times.append((k + 1) * window)
        swing.append(float(np.degrees(np.ptp(trace.qpos[:, 0, 2]))))
        forward.append(float(np.abs(learned_torque).mean()))
        feedback.append(float(np.abs(trace.signals["torso_torque"][:, 0] - learned_torque).mean()))
        if progress is not None:
            progress(times[-1])
    before = torso_swing(load_graph(controller), dt=dt, integrator=integrator)
    result = learned(graph, simulation.figure, simulation.memory[0])
    return TorsoLearning(result, np.array(times), np.array(swing), np.array(feedback), np.array(forward), before)


@dataclass(frozen=True, eq=False)
class StepTorques:
    """The torso over one step: times [T] since the foot strike, pitch [T] (degrees), feedback and feed-forward torques
    [T] (newton metres)."""

    times: Array
    pitch: Array
    feedback: Array
    forward: Array


def step_torques(controller: str | Path | PoseControlGraph, settle: float = 8.0, **options: Any) -> StepTorques:
    """One settled step of a controller, from foot strike to foot strike, as figure 7 shows it."""
    graph = load_graph(controller)
    record = Record(rate=1000, fields=("qpos", "signals", "events"), worlds=1)
    simulation = Simulation(graph, record=record, **options)
    simulation.run(settle)
    trace = simulation.trace()
    strikes = np.flatnonzero(np.diff(trace.stance[:, 0]) != 0) + 1
    if len(strikes) < 3:
        raise FootfallError(f"'{graph.name}' took fewer than three steps in {settle} s")
    part = slice(int(strikes[-2]), int(strikes[-1]) + 1)
    forward, whole = (trace.signals[name][part, 0] for name in ("feedforward_torque", "torso_torque"))
    pitch = np.degrees(trace.qpos[part, 0, 2])
    return StepTorques(trace.times[part] - trace.times[part.start], pitch, whole - forward, forward)
