"""Clips on a figure, for what is made of them: which can be followed at all, and files as clips of a motion graph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS, skeleton_of_balls
from footfall.motion.conditioning.ground_fit import frames_of, soles_of
from footfall.motion.gait.contact import spans_of
from footfall.motion.quaternion import rotate
from footfall.motion.synthesis.cuts import flying
from footfall.progress import Show, silent

Array = NDArray[np.float64]
LOWEST_PELVIS = 0.6
LARGEST_LEAN = 60.0
SPIKE = 4
"""Frames that anything has to last to count: captures have spikes of up to three."""
OFF_GROUND, LONGEST_FLIGHT, LONGEST_HANG = 0.03, 0.8, 0.4
"""Metres above which both soles are in the air, seconds for which they may be at a time (nobody jumps higher than
0.8 m), and seconds for which they may be while the body does not fall."""
MOST_FLIGHT = 0.6
"""Share of a clip's frames in which both soles may be off the ground."""


def check_clip(frames: Array, figure: Figure) -> None:
    """Refuse a clip that lies, tumbles or hangs in the air; runs, hops and jumps are tried.

    Args:
        frames: [T, nq] poses at 30 a second.
        figure: what they are poses of.
    """
    if len(frames) < 20:
        raise FootfallError(f"clip: it has {len(frames) / FPS:.1f} s at 30 frames a second; give at least 0.7 s")
    figure = skeleton_of_balls(figure)
    standing, height = float(figure.default_qpos[2]), frames[:, 2]
    lean = np.degrees(np.arccos(np.clip(rotate(frames[:, 3:7], np.array([0.0, 0.0, 1.0]))[:, 2], -1, 1)))
    soles = soles_of(frames, figure).height
    flies = soles.min(axis=1) > OFF_GROUND
    hangs = flies & ~flying(frames, figure, soles)
    found = {
        "the pelvis is {height:.2f} m above the ground at {time:.1f} s, {share:.0%} of standing height; falls, "
        "crawling, sitting and acrobatics cannot be tracked": (height < LOWEST_PELVIS * standing, SPIKE),
        "the pelvis leans {lean:.0f} degrees at {time:.1f} s; falls and acrobatics cannot be tracked": (
            lean > LARGEST_LEAN,
            SPIKE,
        ),
        f"both feet are off the ground for more than {LONGEST_HANG} s from {{time:.1f}} s on while the body does not "
        "fall; nothing but the ground can be stood on": (hangs, round(LONGEST_HANG * FPS) + 1),
        f"both feet are off the ground for more than {LONGEST_FLIGHT} s from {{time:.1f}} s on; no jump lasts as "
        "long": (flies, round(LONGEST_FLIGHT * FPS) + 1),
    }
    for words, (flags, least) in found.items():
        k = next((a for a, b in spans_of(flags) if b - a >= least), None)
        if k is not None:
            known = {"height": height[k], "share": height[k] / standing, "lean": lean[k], "time": k / FPS}
            raise FootfallError(f"clip: {words.format(**known)}")
    if flies.mean() > MOST_FLIGHT:
        raise FootfallError(
            f"clip: both feet are off the ground in {flies.mean():.0%} of its frames; nothing but the ground can be "
            "stood on"
        )


def read_clips(
    clips: Sequence[tuple[str, Path]], figure: Figure, progress: Show = silent
) -> tuple[list[GraphClip], list[dict[str, Any]]]:
    """Clips of a motion graph on a figure, from (style, motion file), and a row for each file: "clip", its "name" among
    the clips, how many "steps" it has, and why it is "left_out", empty where it is not."""
    made: list[GraphClip] = []
    rows: list[dict[str, Any]] = []
    for k, (style, file) in enumerate(clips):
        progress(k / len(clips), f"reading {file.name}")
        row: dict[str, Any] = {"clip": str(file), "name": "", "steps": 0, "left_out": ""}
        try:
            frames = frames_of(load_motion(file), figure, lifted=True)
            check_clip(frames, figure)
            clip = GraphClip(numbered(file.stem, [clip.name for clip in made]), frames, style)
            row |= {"name": clip.name, "steps": len(TrackedGraph([clip], figure).steps)}
            made.append(clip)
        except FootfallError as error:
            row["left_out"] = str(error)
        rows.append(row)
    if not made:
        raise FootfallError("none of the clips can be walked with; the first one: " + rows[0]["left_out"])
    return made, rows


def numbered(name: str, others: Sequence[str]) -> str:
    """A name, with a number where others are alike."""
    alike = sum(other == name or other.startswith(f"{name}--") for other in others)
    return f"{name}--{alike + 1}" if alike else name


def retargeted_clips(steered: SteeredController, figure: Figure) -> list[GraphClip]:
    """The clips of another figure's motion graph, retargeted."""
    body, made = Figure.load(steered.figure), []
    for clip in steered.graph.clips:
        motion = Motion.from_qpos(body, np.arange(len(clip.frames)) / FPS, clip.frames)
        made.append(GraphClip(clip.name, frames_of(motion, figure, lifted=True), clip.style))
    return made
