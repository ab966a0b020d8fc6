"""Animations: .gif for any page, .mp4 for talks and papers."""

import errno
import os
import shutil
import signal
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.pictures.scene import Camera, CameraName, Scene, nearest_frames, scene_of

_THREADS, _PAINTERS = 2, 4
"""Frames painted at the same time, and frames under way: those, one that is written, and one that waits."""
_MOST_FRAMES = 100_000
_PRESET = "veryfast"
"""Of the encoder: 20 s of 1280 x 720 are 2.2 MB (walk) and 3.6 MB (walk-3d); "ultrafast" takes a third of its time and
gives 7 and 14 MB."""
_LITTLE = 1 << 20
"""Bytes: a disk with less room is full."""


def write_animation(
    motion: Motion,
    path: Path,
    *,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    camera: CameraName | None = None,
    speed: float = 1.0,
    title: str = "",
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
        title: a line in the corner, beside the colours of left and right.
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
    ticks = motion.times[0] + np.arange(round(motion.seconds * rate / speed) + 1) / (rate / speed)
    frames = nearest_frames(motion, ticks)
    if len(frames) > _MOST_FRAMES:
        raise FootfallError(f"animation: {len(frames)} frames; draw less of it (start, end), faster, or at a lower fps")
    scene = replace(scene_of(motion, frames), caption=title)
    write_film([(scene, Camera(scene, size, camera))], path, fps=rate, progress=progress)


def write_film(
    views: Sequence[tuple[Scene, Camera]],
    path: Path,
    *,
    fps: float,
    progress: Callable[[float, float], None] | None = None,
) -> None:
    """Write scenes of equally many frames, each as its camera sees it, side by side as .gif or .mp4, by suffix."""
    film = path.suffix.lower() == ".mp4"
    painted = _counted(_painted(views, in_planes=film), len(views[0][0].times), progress)
    if not film:
        _write_gif(painted, path, fps)
        return
    with _encoder(path, _film_size(views), fps) as write:
        for planes in painted:
            write(planes)


def _film_size(views: Sequence[tuple[Scene, Camera]]) -> tuple[int, int]:
    return sum(camera.size[0] for _, camera in views), views[0][1].size[1]


def _counted(
    frames: Iterator[np.ndarray], total: int, progress: Callable[[float, float], None] | None
) -> Iterator[np.ndarray]:
    for done, frame in enumerate(frames):
        if progress is not None:
            progress(done, total)
        yield frame


def _painted(views: Sequence[tuple[Scene, Camera]], *, in_planes: bool) -> Iterator[np.ndarray]:
    """The frames in order, each for as long as the next is not asked for; painted ahead by several painters.

    Each is a picture [height, width, 3], or the planes of a film (``raster.to_video``).
    """
    from footfall.pictures.painter import Painter
    from footfall.pictures.raster import to_video

    width, height = _film_size(views)
    count = len(views[0][0].times)
    free: SimpleQueue[tuple[list[Painter], np.ndarray]] = SimpleQueue()
    for _ in range(_PAINTERS):
        painters = [Painter(scene, camera) for scene, camera in views]
        free.put((painters, np.empty(width * height * 3 // 2 if in_planes else 0, np.uint8)))

    def paint(f: int) -> tuple[tuple[list[Painter], np.ndarray], np.ndarray]:
        painters, planes = place = free.get()
        images = [painter.paint(f) for painter in painters]
        image = images[0] if len(images) == 1 else np.concatenate(images, axis=1)
        if not in_planes:
            return place, image
        to_video(image, planes)
        return place, planes

    waiting: deque[Future[tuple[tuple[list[Painter], np.ndarray], np.ndarray]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for f in range(count + _PAINTERS):
            if waiting and (len(waiting) == _PAINTERS or f >= count):
                place, image = waiting.popleft().result()
                yield image
                free.put(place)
            if f < count:
                waiting.append(pool.submit(paint, f))


BT709 = [x for name in ("colorspace", "color_primaries", "color_trc") for x in (f"-{name}", "bt709")]
"""How the pictures' colours are stored, for players that ask."""


@contextmanager
def _encoder(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """A function that writes the planes of the next frame of a film (``raster.to_video``). An OSError says why a film
    cannot be written."""
    import imageio_ffmpeg

    frames = ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:g}", "-i", "-"]
    coding = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset", _PRESET, "-crf", "23", "-movflags", "+faststart"]
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-loglevel", "error", *frames, "-an", *coding, *BT709, str(path)]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
        pipe = process.stdin
        assert pipe is not None

        def write(planes: np.ndarray) -> None:
            pipe.write(planes.data)

        try:
            with suppress(BrokenPipeError):
                yield write
                pipe.close()
        except BaseException:
            process.kill()
            raise
        finally:
            status = process.wait()
            with suppress(OSError):
                pipe.close()
        if status != 0:
            said.seek(0)
            raise _encoding_error(status, said.read().decode(errors="replace"), path)


def _encoding_error(status: int, said: str, path: Path) -> OSError:
    """What the encoder's exit status and last words mean."""
    full = "No space left" in said or shutil.disk_usage(path.parent).free < _LITTLE
    if full or "File too large" in said or status == -getattr(signal, "SIGXFSZ", 0):
        number = errno.ENOSPC if full else errno.EFBIG
        return OSError(number, os.strerror(number))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return OSError(errno.EIO, f"the film's encoder (ffmpeg) ended with an error: {lines[-1] if lines else 'no reason'}")


def _write_gif(frames: Iterator[np.ndarray], path: Path, fps: float) -> None:
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(128, dither=Image.Dither.NONE)
    rest = (Image.fromarray(frame).quantize(palette=first, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=rest, duration=max(20, round(1000 / fps / 10) * 10), loop=0)
