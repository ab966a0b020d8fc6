"""Clips from which default gains are found, and clips that are kept out of it.

Which clips are kept out is decided by their names alone (:func:`held_out`), before anything is measured. Every training
clip comes in several variants, so that the gains do not fit one performance: as it is, mirrored, faster or slower, and
from its middle on, where it begins in mid-walk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import Entry, TrackingController
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import resampled_frames
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.editing import mirrored
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.gain_search import begins_walking

Array = NDArray[np.float64]
SUFFIXES = (".bvh", ".amc", ".c3d", ".glb")
PACES = (0.85, 1.15)
"""Of the variants: every other clip is slower, the rest faster."""
FRICTION = 2.0
LONGEST = 30.0
"""Seconds of a clip that are used."""


def clip_files(folder: Path) -> list[Path]:
    """Every motion file under a folder, by name."""
    return sorted(f for f in folder.rglob("*") if f.suffix.lower() in SUFFIXES)


def unique_files(files: Sequence[Path]) -> list[Path]:
    """One file of each name: the same clip may lie in two folders."""
    return list({file.stem: file for file in files}.values())


def held_out(file: Path) -> bool:
    """Whether a clip is kept out of every search: about a third are, by their names' check sums."""
    return crc32(file.stem.encode()) % 3 == 0


def training_controllers(
    files: Sequence[Path], *, variants: bool = True, figure: str = "mocap-biped"
) -> list[TrackingController]:
    """Controllers that follow the clips once; those that cannot be tracked are left out."""
    body = Figure.load(figure)
    made = []
    for number, file in enumerate(files):
        try:
            motion = load_motion(file)
            for name, frames in _variants(motion, body, PACES[number % 2], every=variants):
                check_clip(frames, body)
                made.append(_controller(f"{file.stem}{name}", frames[: round(LONGEST * 30.0)], body))
            if variants:
                made.append(_controller(f"{file.stem} looped", frames_of(motion, body), body, loop=True))
        except FootfallError:
            continue
    return made


def _controller(name: str, frames: Array, figure: Figure, *, loop: bool = False) -> TrackingController:
    repertoire = clip_repertoire(frames, figure, loop=loop).changed(friction=FRICTION)
    controller = TrackingController(name, repertoire, figure.name)
    return replace(controller, entry=Entry(0.95, 1.0, 0.012, 0.0)) if begins_walking(controller) else controller


def _variants(motion: Motion, figure: Figure, pace: float, *, every: bool) -> Iterator[tuple[str, Array]]:
    frames = frames_of(motion, figure)
    yield "", frames
    if not every:
        return
    yield " mirrored", frames_of(mirrored(motion), figure)
    count = max(4, round(len(frames) / pace))
    yield f" at {pace:g}", resampled_frames(frames, np.arange(count) / (count - 1))
    if len(frames) > 120:
        late = frames[round(0.45 * len(frames)) :].copy()
        late[:, :2] -= late[0, :2]
        yield " from the middle", late
