"""A clip and its simulation side by side, as frames of one film."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.motion import Motion
from footfall.study.imitation.following import Following

__all__ = ["draw_poses", "draw_views", "save_box_film", "save_film"]

Array = NDArray[np.float64]


def save_film(following: Following, path: Path, *, height: int = 360) -> Path:
    """A .gif or .mp4: the clip on the left, the simulated figure on the right; each camera follows its own."""
    from footfall.pictures.animation import write_frames
    from footfall.pictures.camera import Camera
    from footfall.pictures.painter import Painter
    from footfall.pictures.scene import scene_of
    from footfall.writing import write_whole

    motions = (following.reference, following.motion)
    shown = np.arange(len(motions[0]))
    size = (height // 2 * 2, height // 2 * 2)
    scenes = [scene_of(motion, shown) for motion in motions]
    painters = [Painter(scene, Camera(scene, size)) for scene in scenes]
    frames = (np.concatenate([painter.paint(k) for painter in painters], axis=1) for k in range(len(shown)))
    write_whole(path, lambda part: write_frames(frames, part, (2 * size[0], size[1]), 30.0))
    return path


def save_box_film(
    motion: Motion, sizes: Sequence[Sequence[float]], boxes: Array, path: Path, *, height: int = 480
) -> Path:
    """A .gif or .mp4 of a character among boxes of the given edges, at states [T, B, 7]."""
    from footfall.pictures.animation import write_frames
    from footfall.pictures.boxes import with_boxes
    from footfall.pictures.camera import Camera
    from footfall.pictures.painter import Painter
    from footfall.pictures.scene import scene_of
    from footfall.writing import write_whole

    size = (height * 16 // 9 // 2 * 2, height // 2 * 2)
    plain = scene_of(motion)
    count = min(len(plain.times), len(boxes))
    painter = Painter(with_boxes(scene_of(motion, np.arange(count)), sizes, boxes[:count]), Camera(plain, size))
    frames = (painter.paint(k) for k in range(count))
    write_whole(path, lambda part: write_frames(frames, part, size, 30.0))
    return path


def draw_poses(following: Following, path: Path, *, every: float = 0.4, seconds: float = 6.0) -> Path:
    """A strip of poses: the clip above, the simulation below (like the paper's figure 6)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(14, 6), sharex=True)
    for axis, motion, title in zip(axes, (following.reference, following.motion), ("clip", "simulation"), strict=True):
        frames = np.arange(0, min(len(motion), round(seconds * 30)), max(1, round(every * 30)))
        positions = motion.positions()
        for k, frame in enumerate(frames):
            places = positions[frame]
            shift = 0.7 * k - places[0, 0]
            for joint, parent in enumerate(motion.skeleton.parents):
                if parent >= 0:
                    x, z = places[[parent, joint], 0] + shift, places[[parent, joint], 2]
                    axis.plot(x, z, color="#c2410c" if "right" in motion.skeleton.names[joint] else "#1f4e79", lw=1.6)
        axis.axhline(0.0, color="0.6", lw=0.8)
        axis.set_aspect("equal")
        axis.set_title(title, loc="left")
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def draw_views(
    following: Following, path: Path, *, poses: int = 9, seconds: float = 1.6, first: float = 6.0, height: int = 260
) -> Path:
    """Poses over about one stride from the side and from the front: the clip's above, the simulation's below."""
    import matplotlib.pyplot as plt

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
    plt.imsave(path, np.concatenate(rows, axis=0))
    return path
