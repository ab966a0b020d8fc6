"""Figures of Faraji and Ijspeert 2018 drawn again: signals (5), joint angles (7), conditions (8), pushes (9)."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.methods.pendulum.gait import periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.posture import height_adaptive, height_fixed, knee_targets
from footfall.methods.pendulum.trajectory import record_walk, sample_gait
from footfall.methods.pendulum.walk import human_walk
from footfall.methods.pendulum.walker_motion import walk_motion
from footfall.motion.motion import Motion
from footfall.pictures import strip
from footfall.pictures.files import save
from footfall.text_files import write_whole
from footfall_reproductions.pendulum.laws import CONDITIONS, pushed, walked
from footfall_reproductions.pendulum.people import JOINTS, captured_people, tabled_people, walker_cycle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK, _MODEL, _SECOND = "#22272E", "#D55E00", "#0072B2"


def draw_all(out_dir: Path, data: Path | None) -> list[Path]:
    """Draw everything into ``out_dir``; figure 7 needs the ``data`` folder."""
    written = [_save(_signals(), out_dir / "figure-5.png"), _conditions(out_dir / "figure-8.png")]
    written.append(_pushes(out_dir / "figure-9.png"))
    if data is not None:
        written.append(_save(_angles(data), out_dir / "figure-7.png"))
    body = Person.of()
    gait = periodic_gait(body, human_walk(body, 1.3))
    turning = record_walk(gait, 12.0, turns={1.5: np.radians(15), 7.5: 0.0})
    moving = {
        "walk.mp4": walk_motion(record_walk(gait, 6.0)),
        "turn.mp4": walk_motion(turning),
        "push-forward.mp4": walk_motion(pushed(periodic_gait(body), 0)),
        "push-left.mp4": walk_motion(pushed(periodic_gait(body), 90)),
        "uphill.mp4": walk_motion(walked(1.7, {"slope": np.radians(9)}, steps=8)),
        "backward.mp4": walk_motion(walked(1.7, {"speed": -0.7}, steps=8)),
    }
    return written + [save(motion, out_dir / name, size=(640, 360)) for name, motion in moving.items()]


def _save(figure: "Figure", path: Path) -> Path:
    write_whole(path, lambda part: figure.savefig(part, dpi=130, format="png"))
    return path


def _sheet(strips: list[tuple[str, Motion]], path: Path, columns: int = 2, poses: int = 9) -> Path:
    """Strips of poses side by side on one picture."""
    from PIL import Image

    pictures = []
    for title, motion in strips:
        memory = io.BytesIO()
        strip(motion, poses=poses, title=title).savefig(memory, dpi=70)
        pictures.append(Image.open(memory).convert("RGB"))
    wide, gap = max(p.width for p in pictures), 12
    lines = [pictures[k : k + columns] for k in range(0, len(pictures), columns)]
    tall = [max(p.height for p in line) for line in lines]
    sheet = Image.new("RGB", (columns * wide + gap, sum(tall) + gap * len(tall)), "white")
    top = 0
    for line, height in zip(lines, tall, strict=True):
        for k, picture in enumerate(line):
            sheet.paste(picture, (k * (wide + gap), top))
        top += height + gap
    write_whole(path, lambda part: sheet.save(part, format="PNG"))
    return path


def _conditions(path: Path) -> Path:
    strips = [
        (f"{letter}  {what}", walk_motion(walked(height, changes, steps=4)))
        for letter, (what, height, changes) in CONDITIONS.items()
    ]
    return _sheet(strips, path)


def _pushes(path: Path) -> Path:
    gait = periodic_gait(Person.of())
    names = {0: "forward", 45: "forward and left", 90: "left", 135: "back and left"}
    names |= {180: "back", 225: "back and right", 270: "right", 315: "forward and right"}
    strips = []
    for degrees, name in names.items():
        motion = walk_motion(pushed(gait, degrees))
        strips.append((f"50 N {name} all through the third step", motion))
    return _sheet(strips, path, poses=14)


def _figure(rows: int, columns: int, size: tuple[float, float]) -> tuple["Figure", Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _signals() -> "Figure":
    gait = periodic_gait(Person.of())
    c = gait.stride.take(0)
    step = float(c.duration)
    t = np.linspace(0.0, step * (1 - 1e-9), 200)
    state = {name: value[:, 0] for name, value in sample_gait(gait, t).state.items()}
    legs = (-state["px"], c.half_pelvis - state["py"], state["sx"] - state["px"])
    side = state["sy"] - state["py"] - c.half_pelvis
    up, uq = knee_targets(c, t, legs[0], legs[2], state["pvx"])
    adaptive = height_adaptive(c, t, *legs, side, state["pvx"], state["pvy"])
    fixed = height_fixed(c, t, *legs, side, state["pvx"], state["pvy"])
    figure, axes = _figure(1, 2, (11, 3.6))
    left, right = axes[0]
    for values, label, colour, style in (
        (legs[0], "p, stance foot from its hip", _SECOND, ":"),
        (legs[2], "q, swing foot from its hip", _MODEL, ":"),
        (up, "stance knee target", _SECOND, "-"),
        (uq, "swing knee target", _MODEL, "-"),
    ):
        left.plot(t / step, values, style, color=colour, label=label)
    left.set(xlabel="part of the step", ylabel="m", title="relative feet and knee targets")
    right.plot(t / step, adaptive, color=_MODEL, label="adaptive")
    right.plot(t / step, fixed, color=_SECOND, label="fixed mixture")
    right.set(xlabel="part of the step", ylabel="m", title="pelvis height")
    for ax in (left, right):
        ax.legend(frameon=False, fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _angles(data: Path) -> "Figure":
    people = tabled_people(data) + captured_people(data)
    figure, axes = _figure(3, len(people), (2.0 * len(people), 6.2))
    for column, person in enumerate(people):
        model = walker_cycle(person.body, person.walk)
        own = np.linspace(0.0, 1.0, len(model["hip"]))
        for row, joint in enumerate(JOINTS):
            ax = axes[row, column]
            ax.plot(100 * person.cycle, person.angles[joint], color=_INK, label="person")
            ax.plot(100 * own, model[joint], color=_MODEL, label="3LP")
            close = np.corrcoef(person.angles[joint], np.interp(person.cycle, own, model[joint]))[0, 1]
            ax.text(0.03, 0.03, f"r = {close:.2f}", transform=ax.transAxes, fontsize=7)
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(labelsize=7)
            if row == 0:
                name = person.name.replace("wd2_WalkForward", "").replace("_", " ")
                ax.set_title(f"{name}, {float(np.asarray(person.walk.speed)):.2f} m/s", fontsize=8)
            if column == 0:
                ax.set_ylabel(f"{joint} [degrees]", fontsize=8)
            if row == 2:
                ax.set_xlabel("cycle [%]", fontsize=8)
    axes[0, 0].legend(frameon=False, fontsize=7)
    return figure
