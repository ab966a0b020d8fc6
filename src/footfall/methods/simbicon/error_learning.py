"""Feedback error learning (SIMBICON, sections 6 and 7): controllers that learn torques, those that have learned, and
learning run to its end, with its curves and figure 7.

The law does the learning as it walks (:mod:`footfall.methods.simbicon.parts.learned_torques`); a controller with
learned torques is a controller like any other. How much was learned is the ratio of feedback to feed-forward torque,

    r = ∫ ‖v_fb‖ dt / ∫ ‖v_ff‖ dt

over the torso in the plane; in space over its three planes and the upper body, and the legs where they learn.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.slots import LEG, TORSO, slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.feedforward import FeedForward
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.simulation import Record, Simulation

Array = NDArray[np.float64]

LEARNING_RATE = 0.1
"""α of equation 2."""

FORWARD_LIMIT = 300.0
"""The default limit of the feed-forward torque, newton metres: kp times 1 rad (the paper has 0.2 rad in space)."""

STRIDE_LIMIT = 0.2
"""The paper's limit in space, radians times kp (section 7.2)."""


def learner(
    graph: PoseControlGraph,
    *,
    bins: int | None = None,
    rate: float = LEARNING_RATE,
    limit: float | None = None,
    legs: bool = False,
) -> PoseControlGraph:
    """A controller that learns torques by phase.

    In the plane it learns the torso's over a step, from the torques it has or from none. In space it learns the torso's
    in its three planes, those of the upper body and, if asked to, those of the legs, over a stride.

    Args:
        graph: the controller.
        bins: N, over one step; by default 200 in the plane, 100 in space.
        rate: α of equation 2.
        limit: the largest feed-forward torque: in the plane newton metres, by default :data:`FORWARD_LIMIT`; in space
            radians times the servo's kp, by default :data:`STRIDE_LIMIT`.
        legs: whether the legs learn too: for walks from captured motion, whose targets are smooth within a step.
    """
    if legs and graph.cycle is None:
        raise FootfallError(
            f"controller '{graph.name}': its legs cannot learn, since its targets jump between states; "
            "walks from captured motion can (footfall imitate --law simbicon)"
        )
    figure, known = Figure.load(graph.figure), graph.feedforward
    if figure.root == "free":
        bins, limit = 100 if bins is None else bins, STRIDE_LIMIT if limit is None else limit
        slots = slots_of(figure, balanced=True, where=f"controller '{graph.name}'")
        zeros = (0.0,) * (2 * bins)
        places = ("torso", "", *LEG) if legs else ("torso", "")
        joints = {slot.name: zeros for slot in slots if slot.place in places}
        shifts = {slot.name: zeros for slot in slots if legs and slot.place in LEG}
        made = FeedForward(bins, "stride", rate, limit_angle=limit, joints=joints, shifts=shifts)
        return graph.changed(feedforward=made)
    bins, limit = 200 if bins is None else bins, FORWARD_LIMIT if limit is None else limit
    if known is not None and known.over == "step" and known.bins == bins and set(known.joints) == {TORSO}:
        return graph.changed(feedforward=replace(known, rate=rate, limit=limit, limit_angle=math.inf))
    torques, period = {TORSO: (0.0,) * bins}, known.period if known else 0.0
    return graph.changed(feedforward=FeedForward(bins, "step", rate, limit, period=period, joints=torques))


def learned(graph: PoseControlGraph, figure: Figure, memory: NDArray[np.float64]) -> PoseControlGraph:
    """The controller with the torques that one world's memory [M] has come to, for use without further learning."""
    known = graph.feedforward
    if known is None:
        raise FootfallError(f"controller '{graph.name}' does not learn; make it a learner first")
    law = SimbiconLaw(graph, figure)
    layout, names = law.plan.memory, law.learners
    legs = law.plan.learning.legs if law.plan.learning else 0

    def table(place: str, names: list[str]) -> dict[str, tuple[float, ...]]:
        first = layout[place]
        parts = memory[first : first + known.phases * len(names)].reshape(len(names), known.phases)
        return {name: tuple(round(float(x), 4) for x in part) for name, part in zip(names, parts, strict=True)}

    period = round(max(float(memory[layout["learning_period"]]), 0.0), 6)
    joints = table("learned_torque", names)
    shifts = table("learned_shift", names[len(names) - legs :])
    return graph.changed(feedforward=replace(known, rate=0.0, period=period, joints=joints, shifts=shifts))


@dataclass(frozen=True, eq=False)
class TorqueLearning:
    """What was learned, and how.

    Attributes:
        controller: the learned controller.
        times: [K] seconds of learning at the end of each window.
        feedback, forward: [K] mean norms of the feedback and the feed-forward torques, newton metres.
        swing: [K] peak-to-peak pitch of the torso over each window, degrees; empty for walks in space.
        before: the swing without learning, degrees.
    """

    controller: PoseControlGraph
    times: Array
    feedback: Array
    forward: Array
    swing: Array = field(default_factory=lambda: np.zeros(0))
    before: float = math.nan

    @property
    def ratio(self) -> float:
        """r, over the last window."""
        return float(self.feedback[-1] / max(self.forward[-1], 1e-12))

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        known = self.controller.feedforward
        assert known is not None
        found = {"controller": self.controller.name, "bins": known.bins, "step_time_s": known.period}
        if not len(self.swing):
            found["joints"] = list(known.joints)
        else:
            found |= {"swing_before_deg": self.before, "swing_after_deg": float(self.swing[-1])}
        found |= {"feedback_over_forward": self.ratio, "times_s": self.times.tolist()}
        found |= {"swing_deg": self.swing.tolist()} if len(self.swing) else {}
        return found | {"feedback_nm": self.feedback.tolist(), "forward_nm": self.forward.tolist()}


def torso_swing(controller: str | Path | PoseControlGraph, seconds: float = 10.0, **options: Any) -> float:
    """Peak-to-peak pitch of the torso over the second half of a run, degrees; NaN if it fell."""
    simulation = Simulation(controller, record=Record(rate=1000, fields=("qpos",), worlds=1), **options)
    outcome = simulation.run(seconds)
    pitch = simulation.trace().qpos[:, 0, 2]
    return float(np.degrees(np.ptp(pitch[len(pitch) // 2 :]))) if outcome.survived[0] else float("nan")


def learn_torques(
    controller: str | Path | PoseControlGraph,
    *,
    seconds: float = 60.0,
    window: float | None = None,
    dt: float = 0.001,
    integrator: str | None = None,
    progress: Callable[[float], None] | None = None,
    **learning: Any,
) -> TorqueLearning:
    """Let a controller walk and learn.

    Args:
        controller: a periodic gait.
        seconds: how long.
        window: how often to look, seconds; by default 2 in the plane, 4 in space.
        dt, integrator: of the simulation.
        progress: called with the simulated time.
        learning: bins, rate, limit, legs as :func:`learner` takes them.
    """
    plain = load_graph(controller)
    graph, spatial = learner(plain, **learning), Figure.load(plain.figure).root == "free"
    window = min(4.0 if spatial else 2.0, seconds) if window is None else window
    if not 0 < window <= seconds:
        raise FootfallError(f"window is {window} s of {seconds} s; it must be above 0 and no longer than the whole")
    fields = ("signals",) if spatial else ("qpos", "signals")
    record = Record(rate=1.0 / dt if spatial else 1000, fields=fields, worlds=1)
    simulation = Simulation(graph, dt=dt, integrator=integrator, record=record)
    rows = []
    for k in range(int(seconds / window)):
        outcome = simulation.run(window)
        if not outcome.survived[0]:
            raise FootfallError(f"'{graph.name}' fell after {outcome.end_time[0]:.1f} s of learning; try a lower rate")
        trace = simulation.take_trace()
        if spatial:
            rows.append([trace.signals[name][:, 0].mean() for name in ("feedback", "feedforward")])
        else:
            ahead, whole = (trace.signals[name][:, 0] for name in ("feedforward_torque", "torso_torque"))
            turned = np.degrees(np.ptp(trace.qpos[:, 0, 2]))
            rows.append([np.abs(whole - ahead).mean(), np.abs(ahead).mean(), turned])
        if progress is not None:
            progress((k + 1) * window)
    result = learned(graph, simulation.figure, simulation.memory[0])
    feedback, forward, *swing = np.array(rows, dtype=float).T
    more: dict[str, Any] = (
        {} if spatial else {"swing": swing[0], "before": torso_swing(plain, dt=dt, integrator=integrator)}
    )
    return TorqueLearning(result, window * np.arange(1.0, len(rows) + 1), feedback, forward, **more)


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


def draw_torso_learning(controller: str | Path | PoseControlGraph, learning: TorqueLearning, path: str | Path) -> Path:
    """Draw one step's feedback torque before learning, both torques after it, and the torso's swing as it learned."""
    from footfall.pictures.page import empty_figure, save_figure

    before, after = step_torques(controller), step_torques(learning.controller)
    figure = empty_figure(9.0, 3.6)
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
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return save_figure(figure, Path(path))
