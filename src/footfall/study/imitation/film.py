"""A clip and its simulation side by side, as frames of one film."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.study.imitation.following import Following
from footfall.writing import write_whole

Array = NDArray[np.float64]
FARTHEST = 6.0
"""Metres by which the camera steps back at most to keep clip and simulation in view."""


def save_film(following: Following, path: Path, *, size: tuple[int, int] | None = None) -> Path:
    """A .gif or .mp4: the clip on the left, the simulated figure on the right, at equal times and at their true places.
    One camera sees both, so that a figure which leaves the clip's path is seen to do so.

    Args:
        following: what to show. path: the file.
        size: (width, height) of both pictures together, pixels; 1280 x 720 for .mp4 and 640 x 360 for .gif by default.
    """
    from footfall.pictures.animation import write_film
    from footfall.pictures.camera import Camera
    from footfall.pictures.scene import scene_of

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


def save_box_film(
    motion: Motion, sizes: Sequence[Sequence[float]], boxes: Array, path: Path, *, height: int = 480
) -> Path:
    """A .gif or .mp4 of a character among boxes of the given edges, at states [T, B, 7]."""
    from footfall.pictures.animation import write_film
    from footfall.pictures.boxes import with_boxes
    from footfall.pictures.camera import Camera
    from footfall.pictures.scene import scene_of

    plain = scene_of(motion)
    count = min(len(plain.times), len(boxes))
    scene = with_boxes(scene_of(motion, np.arange(count)), sizes, boxes[:count])
    views = [(scene, Camera(plain, (height * 16 // 9 // 2 * 2, height // 2 * 2)))]
    write_whole(path, lambda part: write_film(views, part, fps=30.0))
    return path


def draw_poses(following: Following, path: Path, *, every: float = 0.4, seconds: float = 6.0) -> Path:
    """A strip of poses: the clip above, the simulation below (like the paper's figure 6)."""
    from footfall.pictures.page import save_figure
    from footfall.pictures.strips import strips

    motions = {"clip": following.reference, "simulation": following.motion}
    save_figure(strips(motions, every=every, seconds=seconds), path)
    return path


def draw_views(
    following: Following, path: Path, *, poses: int = 9, seconds: float = 1.6, first: float = 6.0, height: int = 260
) -> Path:
    """Poses over about one stride from the side and from the front: the clip's above, the simulation's below."""
    from PIL import Image

    from footfall.pictures.camera import Camera
    from footfall.pictures.painter import Painter
    from footfall.pictures.scene import scene_of

    begin = min(first, max(0.0, following.motion.seconds - seconds))
    frames = np.searchsorted(following.motion.times, begin + np.linspace(0.0, seconds, poses))
    shown = np.minimum(frames, len(following.motion) - 1)
    rows = []
    for view in ("side", "front"):
        for motion in (following.reference, following.motion):
            scene = scene_of(motion, shown)
            painter = Painter(scene, Camera(scene, (height * 3 // 5, height), view))
            rows.append(np.concatenate([painter.paint(k).copy() for k in range(len(shown))], axis=1))
    write_whole(path, lambda part: Image.fromarray(np.concatenate(rows, axis=0)).save(part))
    return path
