"""Animations: .gif for any page, .mp4 for talks and papers."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.pictures.camera import Camera, CameraName
from footfall.pictures.scene import Scene, scene_of

__all__ = ["write_animation", "write_frames"]

_THREADS, _PAINTERS = 2, 4
"""Frames painted at the same time, and frames under way: those, one that is written, and one that waits."""
_MOST_FRAMES = 100_000


def write_animation(
    motion: Motion,
    path: Path,
    *,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    camera: CameraName | None = None,
    speed: float = 1.0,
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Write a motion as .gif (25 frames per second, 640 x 360) or .mp4 (30 frames per second, 1920 x 1080), by suffix.

    Args:
        motion: what to draw.
        path: the file.
        fps: frames for each second of the film.
        size: (width, height) in pixels.
        camera: "side", "three-quarter", "front" or "top"; it follows the walker.
        speed: how fast time passes: 0.5 is slow motion.
        progress: called with the frames drawn and their number.
    """
    film = path.suffix.lower() == ".mp4"
    rate = fps or (30.0 if film else 25.0)
    width, height = size or ((1920, 1080) if film else (640, 360))
    if not (1 <= rate <= 240 and all(32 <= n <= 8192 for n in (width, height))):
        raise FootfallError(
            f"animation: {rate:g} frames/s of {width} x {height} pixels; fps 1 to 240, width and height 32 to 8192"
        )
    if not 0.01 <= speed <= 100:
        raise FootfallError(f"animation: speed {speed:g}; it is 0.01 to 100, and 1 is as it happened")
    size = (width // 2 * 2, height // 2 * 2)
    frames = _clocked(motion, rate / speed)
    if len(frames) > _MOST_FRAMES:
        raise FootfallError(f"animation: {len(frames)} frames; draw less of it (start, end), faster, or at a lower fps")
    scene = scene_of(motion, frames)
    painted = _painted(scene, Camera(scene, size, camera), in_planes=film)
    counted = _counted(painted, len(frames), progress)
    if film:
        with _encoder(path, size, rate) as write:
            for planes in counted:
                write(planes)
    else:
        _write_gif(counted, path, rate)


def write_frames(frames: Iterator[np.ndarray], path: Path, size: tuple[int, int], fps: float) -> None:
    """Write pictures [height, width, 3] of a size (width, height), one after another, as .gif or .mp4, by suffix."""
    if path.suffix.lower() != ".mp4":
        _write_gif(frames, path, fps)
        return
    from footfall.pictures.raster import to_video

    planes = np.empty(size[0] * size[1] * 3 // 2, np.uint8)
    with _encoder(path, size, fps) as write:
        for frame in frames:
            to_video(np.ascontiguousarray(frame), planes)
            write(planes)


def _counted(
    frames: Iterator[np.ndarray], total: int, progress: Callable[[float, float], None] | None
) -> Iterator[np.ndarray]:
    for done, frame in enumerate(frames):
        if progress is not None:
            progress(done, total)
        yield frame


def _clocked(motion: Motion, fps: float) -> np.ndarray:
    """The frames nearest to a steady clock; a motion with fewer frames repeats them."""
    ticks = motion.times[0] + np.arange(round(motion.seconds * fps) + 1) / fps
    right = np.clip(np.searchsorted(motion.times, ticks), min(1, len(motion) - 1), len(motion) - 1)
    left = np.maximum(right - 1, 0)
    return np.asarray(np.where(ticks - motion.times[left] < motion.times[right] - ticks, left, right))


def _painted(scene: Scene, camera: Camera, *, in_planes: bool) -> Iterator[np.ndarray]:
    """The frames in order, each for as long as the next is not asked for; painted ahead by several painters.

    Each is a picture [height, width, 3], or the planes of a film (``raster.to_video``).
    """
    from footfall.pictures.painter import Painter
    from footfall.pictures.raster import to_video

    width, height = camera.size
    free: SimpleQueue[tuple[Painter, np.ndarray]] = SimpleQueue()
    for _ in range(_PAINTERS):
        free.put((Painter(scene, camera), np.empty(width * height * 3 // 2 if in_planes else 0, np.uint8)))

    def paint(f: int) -> tuple[tuple[Painter, np.ndarray], np.ndarray]:
        painter, planes = place = free.get()
        image = painter.paint(f)
        if not in_planes:
            return place, image
        to_video(image, planes)
        return place, planes

    waiting: deque[Future[tuple[tuple[Painter, np.ndarray], np.ndarray]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for f in range(len(scene.times) + _PAINTERS):
            if waiting and (len(waiting) == _PAINTERS or f >= len(scene.times)):
                place, image = waiting.popleft().result()
                yield image
                free.put(place)
            if f < len(scene.times):
                waiting.append(pool.submit(paint, f))


BT709 = [x for name in ("colorspace", "color_primaries", "color_trc") for x in (f"-{name}", "bt709")]
"""How the pictures' colours are stored, for players that ask."""


@contextmanager
def _encoder(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """A function that writes the planes of the next frame of a film (``raster.to_video``)."""
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        str(path),
        size,
        pix_fmt_in="yuv420p",
        fps=fps,
        codec="libx264",
        quality=None,
        macro_block_size=2,
        output_params=["-preset", "ultrafast", "-crf", "23", *BT709, "-movflags", "+faststart"],
    )
    writer.send(None)
    try:
        yield writer.send
    finally:
        writer.close()


def _write_gif(frames: Iterator[np.ndarray], path: Path, fps: float) -> None:
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(128, dither=Image.Dither.NONE)
    rest = (Image.fromarray(frame).quantize(palette=first, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=rest, duration=max(20, round(1000 / fps / 10) * 10), loop=0)
