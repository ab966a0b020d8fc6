"""The plots of Laszlo's thesis drawn again, and strips of the motions behind them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError
from footfall.methods.limit_cycle import WalkRecord
from footfall.methods.limit_cycle.plots import continuous_values, plot_hips, plot_phase, plot_values
from footfall.motion import trimmed
from footfall.pictures import save
from footfall.pictures.page import empty_figure, save_figure
from footfall_reproductions.limit_cycles import basics, variations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAST = 2.0
"""Seconds at a walk's end that are drawn closely."""
FILMED = 10.0
"""Seconds of a walk that are filmed, from its beginning."""


def draw(folder: Path) -> list[Path]:
    """Draw everything into a folder that exists: plots, and of every walk a strip, its last steps closely, and a film;
    returns the files."""
    if not folder.is_dir():
        raise FootfallError(f"there is no folder '{folder}' for the pictures")
    files = [save_figure(figure, folder / f"limit-cycles-{name}.png") for name, figure in _plots()]
    for name, record, walker in _walks():
        motion = record.motion(walker, rate=50.0)
        files.append(save(motion, folder / f"limit-cycles-{name}-strip.png"))
        film, end = folder / f"limit-cycles-{name}.mp4", min(FILMED, motion.seconds)
        files.append(save(motion, film, end=end, fps=25.0, size=(640, 360)))
        last = trimmed(motion, max(0.0, motion.seconds - LAST), motion.seconds)
        files.append(save(last, folder / f"limit-cycles-{name}-steps.png", poses=round(LAST / 0.12)))
    return files


def _best(record: WalkRecord) -> int:
    """The walker that went furthest, the middle one of several."""
    most = np.flatnonzero(record.footsteps == record.footsteps.max())
    return int(most[len(most) // 2])


def _walks() -> Iterator[tuple[str, WalkRecord, int]]:
    yield "walk", (walk := basics.trial_walks("F-L", False)), _best(walk)
    yield "walk-servo", (walk := basics.trial_walks("F-L", True)), _best(walk)
    yield "walk-simple", (walk := basics.trial_walks("F-L", False, True)), _best(walk)
    yield "speed", variations.changing_walk(), 0
    yield "slow", (walk := variations.slow_walk()), _best(walk)
    yield "turn", (walk := variations.turn_walk(True)), _best(walk)
    yield "swing-com", (walk := basics.swing_walk("F-L")), _best(walk)
    yield "bird", (walk := basics.bird_walk()), _best(walk)
    yield "path", variations.path_walk(), 0
    yield "stride-rate", variations.stride_walk(), 0
    for name in variations.POSTURES:
        yield name, variations.posture_walk(name), 0
    yield "running", (walk := variations.running_walk()), _best(walk)


def _plots() -> Iterator[tuple[str, "Figure"]]:
    yield "responses", _responses()
    yield "trials", _trials()
    yield "phase", _phase()
    yield "values", _values()
    yield "speed", _speed()
    yield "turns", _turns()


def _responses() -> "Figure":
    """Figures 3.16 and 3.17: the variables at the end of steps 1 to 4 over scaled perturbations."""
    figure = empty_figure(12.0, 9.0)
    axes = figure.subplots(3, 4)
    for j, name in enumerate(("hip pitch", "hip roll")):
        scalings, values = basics.step_responses(j)
        for v, vector in enumerate(("up", "swing-COM", "stance-COM")):
            for c, component in enumerate(("forward", "lateral")):
                ax = axes[v, 2 * j + c]
                for step, lines in enumerate(values, start=1):
                    ax.plot(scalings, lines[:, 2 * v + c], label=f"step {step}", lw=1.0)
                ax.set_title(f"{vector} {component}", fontsize=9)
                ax.set_xlabel(f"{name} [degrees]", fontsize=8)
    axes[0, 0].legend(fontsize=7)
    return figure


def _trials() -> "Figure":
    """Figures 4.3 and 4.15: steps taken over Q_d, and the ways of those that did not fall."""
    figure = empty_figure(13.0, 16.0)
    axes = figure.subplots(6, 4)
    for row, (simple, sampling) in enumerate((m, s) for m in (True, False) for s in basics.SAMPLINGS):
        for servo in (False, True):
            walk = basics.trial_walks(sampling, servo, simple)
            bars, ways = axes[row, 2 * servo], axes[row, 2 * servo + 1]
            bars.bar(basics.TARGETS, walk.footsteps, width=0.03)
            of = "simplest human" if simple else "human"
            bars.set_title(f"{of}, {sampling}{', torso servo' if servo else ''}", fontsize=9)
            bars.set_xlabel("forward Q_d")
            bars.set_ylabel("steps")
            for w in np.flatnonzero(walk.footsteps == basics.STEPS):
                plot_hips(ways, walk, int(w), color=f"C{w}")
    return figure


def _phase() -> "Figure":
    """Figures 4.2 and 4.16: regulation variables over time."""
    figure = empty_figure(12.0, 4.0)
    axes = figure.subplots(1, 3)
    walks = (
        ("up vector", basics.trial_walks("F-L", False)),
        ("up vector of the pelvis, torso servo", basics.trial_walks("F-L", True)),
        ("swing-COM", basics.swing_walk("F-L")),
    )
    for ax, (name, walk) in zip(axes, walks, strict=True):
        plot_phase(ax, continuous_values(walk, _best(walk)), [d.variable.name for d in walk.control.dimensions])
        ax.set_title(name, fontsize=9)
    return figure


def _values() -> "Figure":
    """Figures 4.4 to 4.7 and 4.13: values and step lengths by step."""
    figure = empty_figure(12.0, 6.0)
    axes = figure.subplots(2, 3)
    for row, walk in enumerate((basics.trial_walks("SP", False), basics.swing_walk("F-L"))):
        w = _best(walk)
        for j, dimension in enumerate(walk.control.dimensions):
            plot_values(axes[row, j], walk.values[:, w, j], walk.targets[:, w, j], dimension.variable.name)
        axes[row, 2].plot(np.arange(1, len(walk.values) + 1), walk.step_lengths[:, w], "o-", ms=2.5, lw=0.8)
        axes[row, 2].set_ylabel("step length [m]")
    return figure


def _speed() -> "Figure":
    """Figures 5.2 to 5.4 and 5.14: speeds over time, and steady speed over Q_bias."""
    figure = empty_figure(13.0, 4.0)
    axes = figure.subplots(1, 3)
    walk = variations.speed_walk()
    for w, bias in enumerate(variations.BIAS):
        axes[0].plot(walk.times[1:, w], walk.speeds[:, w], label=f"{bias:g}", lw=0.9)
    axes[0].legend(title="Q_bias", fontsize=7)
    axes[0].set_xlabel("time [s]")
    axes[0].set_ylabel("forward speed [m/s]")
    steady = np.where(walk.footsteps == len(walk.values), walk.speeds[-10:].mean(axis=0), np.nan)
    axes[1].plot(variations.BIAS, steady, "o-")
    axes[1].set_xlabel("Q_bias")
    axes[1].set_ylabel("steady speed [m/s]")
    for record, name in ((variations.changing_walk(), "Q_bias up and down"), (variations.stride_walk(), "stride rate")):
        axes[2].plot(record.times[1:, 0], record.speeds[:, 0], label=name, lw=0.9)
    axes[2].legend(fontsize=7)
    axes[2].set_xlabel("time [s]")
    return figure


def _turns() -> "Figure":
    """Figures 5.7, 5.9 and 5.11: hip plots of turns and of a path."""
    figure = empty_figure(13.0, 4.5)
    axes = figure.subplots(1, 3)
    for ax, servo in ((axes[0], False), (axes[1], True)):
        walk = variations.turn_walk(servo)
        for w in np.flatnonzero(walk.footsteps == len(walk.values)):
            plot_hips(ax, walk, int(w), color=f"C{w}")
        ax.set_title("with torso servo" if servo else "without torso servo", fontsize=9)
    plot_hips(axes[2], variations.path_walk())
    axes[2].plot(*variations.PATH.T, "kx")
    return figure
