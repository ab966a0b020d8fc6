"""A clip and its simulation side by side, as frames of one film."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.motion import Motion
from footfall.study.imitation.following import Following
from footfall.writing import write_whole

__all__ = ["draw_poses", "draw_views", "save_box_film", "save_film"]

Array = NDArray[np.float64]


def save_film(following: Following, path: Path, *, height: int = 360) -> Path:
    """A .gif or .mp4: the clip on the left, the simulated figure on the right; each camera follows its own."""
    from footfall.pictures.animation import write_film
    from footfall.pictures.camera import Camera
    from footfall.pictures.scene import scene_of

    shown = np.arange(len(following.reference))
    scenes = [scene_of(motion, shown) for motion in (following.reference, following.motion)]
    views = [(scene, Camera(scene, (height // 2 * 2, height // 2 * 2))) for scene in scenes]
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
