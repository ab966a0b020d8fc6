"""Pictures of balanced walks: phase diagrams, values by step, hip plots, step lengths, responses (Laszlo's thesis,
sections 3.6 and 4.1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle import Posture, WalkRecord
from footfall.pictures.page import empty_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HIP_LINE = 1.0
"""Length of a line in a hip plot, metres: wider than the hips so that its direction shows."""

HIP_INTERVAL = 0.16
"""Seconds between two lines of a hip plot."""


def continuous_values(record: WalkRecord, walker: int = 0, rate: float = 100.0) -> NDArray[np.float64]:
    """[T, N] a walk's regulation variables over time, by replaying it."""
    trace = record.trace(walker, rate)
    n = int(trace.last[0])
    posture = Posture(trace.figure, trace.qpos[:n, 0], np.maximum(trace.stance[:n, 0], 0).astype(np.int64))
    return np.stack([d.variable(posture) for d in record.control.dimensions], axis=1)


def plot_phase(ax: "Axes", values: NDArray[np.float64], names: Sequence[str]) -> None:
    """A phase diagram of two regulation variables [T, 2] over time; the start is drawn thin."""
    later = len(values) // 3
    ax.plot(values[:later, 0], values[:later, 1], lw=0.5, color="0.7")
    ax.plot(values[later:, 0], values[later:, 1], lw=0.7, color="C0")
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])


def plot_values(ax: "Axes", values: NDArray[np.float64], targets: NDArray[np.float64], name: str) -> None:
    """A regulation variable [S] at the ends of steps, with its target [S] dotted."""
    steps = np.arange(1, len(values) + 1)
    ax.plot(steps, values, "o-", ms=2.5, lw=0.8)
    ax.plot(steps, targets, ":", color="0.3", lw=1.0)
    ax.set_ylabel(name)


def plot_hips(ax: "Axes", record: WalkRecord, walker: int = 0, color: Any = "C0") -> None:
    """The pelvis from above: its position and the line through the hips every 0.16 s (a hip plot)."""
    times = record.times[:, walker]
    there = np.isfinite(record.pelvis[:, walker, 0])
    marks = np.arange(0.0, times[there][-1], HIP_INTERVAL)
    x, y, heading = (
        np.interp(marks, times[there], values[there])
        for values in (
            record.pelvis[:, walker, 0],
            record.pelvis[:, walker, 1],
            np.unwrap(np.where(there, record.heading[:, walker], 0.0)),
        )
    )
    dx, dy = -np.sin(heading) * HIP_LINE / 2, np.cos(heading) * HIP_LINE / 2
    ax.plot([x - dx, x + dx], [y - dy, y + dy], color=color, lw=0.5)
    ax.plot(record.pelvis[there, walker, 0], record.pelvis[there, walker, 1], color=color, lw=1.2)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")


def plot_walk(record: WalkRecord, walker: int = 0) -> "Figure":
    """One walk: its regulation variables and scalings by step, step lengths, hip plot and phase diagram."""
    names = [d.variable.name for d in record.control.dimensions]
    figure = empty_figure(12.0, 7.0)
    axes = figure.subplots(2, 3)
    for j, name in enumerate(names[:2]):
        plot_values(axes[0, j], record.values[:, walker, j], record.targets[:, walker, j], name)
        axes[0, j].set_xlabel("step")
    axes[0, 2].plot(np.arange(1, len(record.scalings) + 1), record.scalings[:, walker], "o-", ms=2.5, lw=0.8)
    axes[0, 2].legend([d.perturbation.name for d in record.control.dimensions], fontsize=8)
    axes[0, 2].set_ylabel("scaling")
    axes[0, 2].set_xlabel("step")
    axes[1, 0].plot(np.arange(1, len(record.values) + 1), record.step_lengths[:, walker], "o-", ms=2.5, lw=0.8)
    axes[1, 0].set_xlabel("step")
    axes[1, 0].set_ylabel("step length [m]")
    plot_hips(axes[1, 1], record, walker)
    values = continuous_values(record, walker)
    if values.shape[1] >= 2:
        plot_phase(axes[1, 2], values, names)
    return figure
