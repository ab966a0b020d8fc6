"""Pictures for the reproduction of Improving SIMBICON: components as poses, largest steps against gains."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.figures import Figure
from footfall.motion import Motion
from footfall.motion.synthesis.principal_components import PrincipalComponents
from footfall_reproductions.improving_simbicon.stable_steps import largest_stable_steps

LEFT, RIGHT, BODY = "#0072b2", "#d55e00", "#4d4d4d"


def draw_components(components: PrincipalComponents, path: Path) -> Path:
    """The mean pose and the mean plus each component, as stick figures (figures 4 and 5)."""
    from matplotlib.figure import Figure as Canvas

    figure = Figure.load("planar-biped")
    poses = [("mean", components.mean)]
    share = components.values / components.values.sum()
    poses += [(f"B{k + 1}, {100 * s:.2g} %", components.pose(k)) for k, s in enumerate(share)]
    canvas = Canvas(figsize=(1.7 * len(poses), 3.4), layout="constrained")
    panels = canvas.subplots(1, len(poses), sharey=True)
    for panel, (title, pose) in zip(panels, poses, strict=True):
        qpos = np.array(figure.default_qpos)
        for label, angle in components.named(pose).items():
            qpos[figure.joint(label).qpos] = angle
        _stick(panel, figure, qpos)
        panel.set_title(title, fontsize=9)
        panel.set_aspect("equal")
        panel.set_xlim(-0.75, 0.75)
        panel.axis("off")
    canvas.savefig(path, dpi=150)
    return path


def _stick(panel: Any, figure: Figure, qpos: Any) -> None:
    motion = Motion.from_qpos(figure, np.zeros(1), qpos[None])
    places = dict(zip(motion.skeleton.names, motion.positions()[0], strict=True))
    hip = places[figure.torso]
    lean = qpos[2]
    panel.plot([0, -0.48 * np.sin(lean)], [0, 0.48 * np.cos(lean)], color=BODY, lw=4, solid_capstyle="round")
    for side, color in (("left", LEFT), ("right", RIGHT)):
        chain = np.array([places[name] for name in figure.legs[side].links]) - hip  # type: ignore[index]
        panel.plot(chain[:, 0], chain[:, 2], color=color, lw=3, marker="o", ms=3, solid_capstyle="round")


def draw_stable_steps(path: Path) -> Path:
    """The largest stable step against kp (figure 6)."""
    from matplotlib.figure import Figure as Canvas

    gains = np.linspace(150.0, 650.0, 11)
    canvas = Canvas(figsize=(6.4, 4.2), layout="constrained")
    panel = canvas.subplots()
    kinds = (("plain PD", "explicit", ""), ("SPD of the paper", "explicit", "previous"), ("exact", "implicit", "exact"))
    for name, integrator, stable in kinds:
        steps = largest_stable_steps(gains, integrator, stable)  # type: ignore[arg-type]
        panel.plot(gains, 1e3 * steps, marker="o", ms=4, label=name)
    panel.scatter([300, 300], [0.27, 0.38], marker="x", color="black", label="paper, kp 300")
    panel.set(xlabel="kp [N m/rad], kd = kp/10", ylabel="largest stable step [ms]", yscale="log")
    panel.grid(alpha=0.3)
    panel.legend()
    canvas.savefig(path, dpi=150)
    return path
