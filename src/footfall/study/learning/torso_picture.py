"""The torso's torques before and after learning, as SIMBICON's figure 7, and the curve of the learning."""

from pathlib import Path
from typing import TYPE_CHECKING

from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.pictures import save_figure
from footfall.study.learning.torso_learning import TorsoLearning, step_torques

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_torso_learning(controller: str | Path | PoseControlGraph, learning: TorsoLearning, path: str | Path) -> Path:
    """Draw one step's feedback torque before learning, both torques after it, and the torso's swing as it learned."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    before, after = step_torques(controller), step_torques(learning.controller)
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
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
