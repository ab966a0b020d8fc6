"""Pictures and films of imitation: a clip beside its simulation, random steering from above, transitions tried."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS
from footfall.motion.gait.contact import spans_of
from footfall.pictures.page import INK, OUTCOME_COLOURS, TEXT, dress, empty_figure, save_figure
from footfall.pictures.strips import CAMERAS, strips
from footfall.pictures.web_page import Verdict, plot_section, plot_svg, report_page, table_section
from footfall.simulation.trace import table_html
from footfall.study.imitation.characters import SteeredCharacter
from footfall.study.imitation.followers import Imitation
from footfall.study.imitation.following import SUCCESS, Following, Moments
from footfall.study.imitation.steering import Steered
from footfall.study.imitation.verdicts import FOOT, OTHER_POSE, astray
from footfall.text_files import write_whole

Array = NDArray[np.float64]
FARTHEST = 6.0
"""Metres by which the camera steps back at most to keep clip and simulation in view."""
BOX_FILM, HEIGHT = (852, 480), 260
"""Pixels of a film with boxes, and the height of a picture of views."""


def save_film(following: Following, path: Path, *, size: tuple[int, int] | None = None) -> Path:
    """A .gif or .mp4: the clip on the left, the simulated figure on the right, at equal times and at their true
    positions. One camera sees both, so that a figure which leaves the clip's path is seen to do so.

    Args:
        following: what to show.
        path: the file.
        size: (width, height) of both pictures together, pixels; 1280 x 720 for .mp4 and 640 x 360 for .gif by default.
    """
    from footfall.pictures.animation import write_film
    from footfall.pictures.scene import Camera, scene_of

    width, height = size or ((1280, 720) if path.suffix.lower() == ".mp4" else (640, 360))
    if not all(64 <= n <= 8192 for n in (width, height)):
        raise FootfallError(f"film: {width} x {height} pixels; width and height are 64 to 8192")
    half = (width // 4 * 2, height // 2 * 2)
    shown = np.arange(min(len(following.reference), len(following.motion)))
    names = {"clip": following.reference, "simulation": following.motion}
    scenes = [replace(scene_of(motion, shown), caption=name) for name, motion in names.items()]
    cameras = [Camera(scene, half) for scene in scenes]
    middle = 0.5 * (cameras[0].centres + cameras[1].centres)
    apart = float(np.linalg.norm(cameras[0].centres - cameras[1].centres, axis=1).max())
    seen = replace(scenes[0], root=middle)
    views = []
    for scene in scenes:
        camera = Camera(seen, half)
        camera.eyes = camera.eyes + min(apart, FARTHEST) * camera.back
        views.append((scene, camera))
    write_whole(path, lambda part: write_film(views, part, fps=30.0))
    return path


def save_box_film(motion: Motion, sizes: Sequence[Sequence[float]], boxes: Array, path: Path) -> Path:
    """A .gif or .mp4 of a character among boxes of the given edges, at states [T, B, 7]."""
    from footfall.pictures.animation import write_film
    from footfall.pictures.scene import Camera, scene_of, with_boxes

    plain = scene_of(motion)
    count = min(len(plain.times), len(boxes))
    scene = with_boxes(scene_of(motion, np.arange(count)), sizes, boxes[:count])
    write_whole(path, lambda part: write_film([(scene, Camera(plain, BOX_FILM))], part, fps=30.0))
    return path


def draw_poses(following: Following, path: Path) -> Path:
    """A strip of poses: the clip above, the simulation below (like the paper's figure 6)."""
    motions = {"clip": following.reference, "simulation": following.motion}
    return save_figure(strips(motions, every=0.4, seconds=6.0), path)


POSES, STRIDE, FIRST = 9, 1.6, 6.0
"""Of a picture of views: how many poses, over how many seconds, from when on at the latest."""


def save_report(made: Imitation, path: Path) -> Path:
    """A page that says whether a character follows its clip, and shows where in time it does not."""
    said, following = made.verdict, made.following
    asked = f"{made.controller.name} on {made.controller.figure}, {following.seconds:.1f} s"
    stays = "the clip" if not said.why else "; ".join(said.why)
    up = f"up for {following.time:.1f} s; {made.up} of {made.tried} disturbed starts stay up"
    verdict = Verdict(asked, up, f"{said.word}: {stays}", said.word == "follows", "does it follow?")
    where = [[f"{a:.1f} to {b:.1f} s", words] for a, b, words in astray(following)]
    checks = [[c.measure.replace("_", " "), c.text, c.limits, "" if c.holds else c.otherwise] for c in said.checks]
    motions = {"clip": following.reference, "simulation": following.motion}
    poses = strips(motions, every=max(0.4, following.motion.seconds / POSES / 2), seconds=math.inf, cameras=CAMERAS)
    drawn = [("Poses at equal times, from the side and from the front", poses)]
    if following.moments is not None:
        drawn.insert(
            0, ("Beside the clip; broken lines are limits, the clip flies in shades", plot_moments(following.moments))
        )
    body = (
        (table_section("Where it is not with its clip", table_html(["when", "how"], where)) if where else "")
        + plot_section("The run", [(words, plot_svg(figure, words)) for words, figure in drawn])
        + table_section("Looked at", table_html(["measure", "what it is", "limits", "beyond"], checks))
    )
    title, style = f"{made.controller.name}: {said.word}", "th, td { text-align: left; }"
    write_whole(path, report_page(title, verdict, body, style=style).encode())
    return path


def plot_moments(moments: Moments) -> Any:
    """How far a character is from its clip, how far its joints are turned from the clip's, and how high its higher sole
    is, over time."""
    times = np.arange(len(moments.apart)) / FPS
    figure = empty_figure(TEXT, 4.5)
    rows = (
        ("metres from the clip", [(moments.apart, UP, "")], (FOOT, SUCCESS)),
        ("joints, degrees", [(moments.turned, UP, "")], (OTHER_POSE,)),
        ("higher sole [cm]", [(100 * moments.clip_soles, INK, "clip"), (100 * moments.soles, UP, "simulation")], ()),
    )
    panels = figure.subplots(len(rows), 1, sharex=True)
    for axes, (name, curves, limits) in zip(panels, rows, strict=True):
        for values, colour, label in curves:
            axes.plot(times, values, color=colour, linewidth=1.0, label=label)
        for limit in limits:
            axes.axhline(limit, color=DOWN, linewidth=0.8, linestyle="--")
        for a, b in spans_of(moments.clip_flies):
            axes.axvspan(times[a], times[b - 1], color=OUTCOME_COLOURS["no"])
        axes.set_ylabel(name)
        axes.set_ylim(bottom=min(0.0, *(float(values.min()) for values, _, _ in curves)))
    panels[-1].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    panels[-1].set_xlabel("time [s]")
    dress(*panels)
    return figure


def draw_views(following: Following, path: Path) -> Path:
    """Poses over about one stride from the side and from the front: the clip's above, the simulation's below."""
    from footfall.pictures.painter import save_painted
    from footfall.pictures.scene import nearest_frames

    begin = min(FIRST, max(0.0, following.motion.seconds - STRIDE))
    shown = nearest_frames(following.motion, begin + np.linspace(0.0, STRIDE, POSES))
    return save_painted([following.reference, following.motion], shown, path, height=HEIGHT)


COLUMNS = 5
UP, DOWN = "#0072B2", "#D55E00"


def save_character(made: SteeredCharacter, path: str | Path) -> Path:
    """Draw what was tried of a character of many clips: a network's random minutes, or the transitions of a tracked
    one."""
    return save_figure(plot_minutes(made.minutes) if made.minutes else plot_transitions(made), path)


def plot_minutes(minutes: Sequence[Steered]) -> Any:
    """A panel for each minute: its way, with a dot at the start and a cross where it fell."""
    rows = -(-len(minutes) // COLUMNS)
    figure = empty_figure(TEXT, 0.4 + 1.35 * rows)
    up = sum(not minute.fell for minute in minutes)
    figure.suptitle(f"up in {up} of {len(minutes)} random minutes", x=0.01, ha="left", fontsize=9)
    for k, minute in enumerate(minutes):
        axes = figure.add_subplot(rows, COLUMNS, k + 1)
        axes.plot(*minute.path.T, color=DOWN if minute.fell else UP, linewidth=0.8)
        axes.plot(*minute.path[0], "o", color="black", markersize=2)
        if minute.fell:
            axes.plot(*minute.path[-1], "x", color=DOWN, markersize=5)
        axes.set_title(f"{minute.distance:.0f} m" + (f", fell at {minute.seconds:.0f} s" if minute.fell else ""))
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xticks([])
        axes.set_yticks([])
        dress(axes, grid=False)
    return figure


LONGEST = 24
"""Letters of a clip's name that are shown."""


def plot_transitions(made: SteeredCharacter) -> Any:
    """A cell for each pair of clips: starts that stayed up in trials of the transitions between them, of how many."""
    names = [clip.name for clip in made.controller.graph.clips]
    shares = np.full((len(names), len(names)), np.nan)
    figure = empty_figure(TEXT, 1.6 + 0.32 * len(names))
    axes = figure.subplots()
    for (a, b), (up, tried) in made.between_clips().items():
        row, column = names.index(a), names.index(b)
        shares[row, column] = up / tried
        axes.text(column, row, f"{up}/{tried}", ha="center", va="center", fontsize=5)
    axes.imshow(shares, cmap="RdYlGn", vmin=0.0, vmax=1.0, alpha=0.7, aspect="auto")
    short = [name if len(name) <= LONGEST else f"…{name[-LONGEST:]}" for name in names]
    axes.set_xticks(range(len(names)), short, rotation=60, ha="right")
    axes.set_yticks(range(len(names)), short)
    axes.set_xlabel("to a step of")
    axes.set_ylabel("from a step of")
    report = made.report
    axes.set_title(
        f"{made.controller.name}: starts up in trials of {report['transitions_tried']} transitions "
        f"({report['transitions_kept']} kept)\nup in {report['minutes_up']} of {report['minutes']} random minutes",
        loc="left",
    )
    dress(axes, grid=False)
    return figure
