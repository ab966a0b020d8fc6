"""Animations: .gif for any page, .mp4 for talks and papers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.pictures.painter import Painter
from footfall.pictures.scene import frames_at, scene_of

__all__ = ["write_animation"]


def write_animation(
    motion: Motion,
    path: Path,
    *,
    fps: float | None = None,
    width: int | None = None,
    height: int | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Write a motion as .gif (25 frames per second, 640 x 360) or .mp4 (30 frames per second, 1280 x 720), by suffix.

    Args:
        motion: what to draw.
        path: the file.
        fps: frames for each second.
        width, height: pixels.
        progress: called with the frames drawn and their number.
    """
    film = path.suffix.lower() == ".mp4"
    rate = fps or (30.0 if film else 25.0)
    size = (width or (1280 if film else 640), height or (720 if film else 360))
    if not (1 <= rate <= 240 and all(32 <= n <= 8192 for n in size)):
        raise FootfallError(
            f"animation: {rate:g} frames/s of {size[0]} x {size[1]} pixels; fps 1 to 240, sides 32 to 8192"
        )
    size = (size[0] // 2 * 2, size[1] // 2 * 2)
    scene = scene_of(motion, _clocked(motion, rate))
    painter = Painter(scene, size)
    frames = _counted((painter.paint(f) for f in range(len(scene.times))), len(scene.times), progress)
    if film:
        _write_film(frames, path, size, rate)
    else:
        _write_gif(frames, path, rate)


def _counted(
    frames: Iterator[np.ndarray], total: int, progress: Callable[[float, float], None] | None
) -> Iterator[np.ndarray]:
    for done, frame in enumerate(frames):
        if progress is not None:
            progress(done, total)
        yield frame


def _clocked(motion: Motion, fps: float) -> np.ndarray:
    """Frames for a steady clock: a motion with fewer frames repeats them."""
    if motion.fps > fps * 1.01:
        return frames_at(motion, fps)
    ticks = motion.times[0] + np.arange(round(motion.seconds * fps) + 1) / fps
    return np.asarray(np.clip(np.searchsorted(motion.times, ticks - 0.5 * motion.frame_time), 0, len(motion) - 1))


def _write_film(frames: Iterator[np.ndarray], path: Path, size: tuple[int, int], fps: float) -> None:
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(str(path), size, fps=fps, codec="libx264", quality=8, macro_block_size=2)
    writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()


def _write_gif(frames: Iterator[np.ndarray], path: Path, fps: float) -> None:
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(128, dither=Image.Dither.NONE)
    rest = (Image.fromarray(frame).quantize(palette=first, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=rest, duration=max(20, round(1000 / fps / 10) * 10), loop=0)
