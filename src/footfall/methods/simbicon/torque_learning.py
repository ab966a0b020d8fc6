"""Feedback error learning of the torso, run to its end: learning curves, learned controllers, figure 7 (SIMBICON,
sections 6 and 7.1).

Feedback error learning of a 3D walk: the ratio of feedback to feed-forward torque (SIMBICON, sections 6 and
7.2).

    r = ∫ ‖v_fb‖ dt / ∫ ‖v_ff‖ dt

over the torso's three planes and the upper body, and over the legs where they learn, after learning.

The torso's torques before and after learning, as SIMBICON's figure 7, and the curve of the learning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.error_learning import (
    FORWARD_LIMIT,
    LEARNING_RATE,
    STRIDE_LIMIT,
    learned,
    learner,
    stride_learner,
)
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.pictures import save_figure
from footfall.simulation import Record, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


def draw_torso_learning(controller: str | Path | PoseControlGraph, learning: TorsoLearning, path: str | Path) -> Path:
    """Draw one step's feedback torque before learning, both torques after it, and the torso's swing as it learned."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Page

    before, after = step_torques(controller), step_torques(learning.controller)
    figure = Page(figsize=(9.0, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    torques, curve = figure.subplots(1, 2, width_ratios=[3, 2])
    torques.plot(before.times, before.feedback, color="#7A8590", label="feedback, before")
    torques.plot(after.times, after.feedback, color="#D55E00", label="feedback, after")
    torques.plot(after.times, after.forward, color="#0072B2", label="feed-forward")
    torques.axhline(0.0, color="#C3CAD1", linewidth=0.8, zorder=0)
    torques.set(xlabel="time since foot strike [s]", ylabel="torque on the torso [N m]")
    torques.set_title("One step", loc="left", fontsize=10)
    torques.legend(frameon=False, fontsize=8)
    curve.plot(learning.times, learning.swing, color="#0072B2", marker=".", markersize=4)
    curve.axhline(learning.before, color="#7A8590", linestyle="--", linewidth=1)
    curve.annotate(
        "without learning", (learning.times[-1], learning.before), ha="right", va="bottom", fontsize=8, color="#5B6570"
    )
    curve.set(xlabel="time of learning [s]", ylabel="swing of the torso [degrees]", ylim=(0, None))
    curve.set_title("Learning", loc="left", fontsize=10)
    for ax in (torques, curve):
        _dress(ax)
    return save_figure(figure, Path(path))


def _dress(ax: "Axes") -> None:
    for edge in ("top", "right"):
        ax.spines[edge].set_visible(False)
    ax.tick_params(labelsize=8)
