"""Saving a motion: pictures, films, pages and motion files, by suffix."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import trimmed, without_rest_frame
from footfall.motion.formats.files import MOTION_WRITERS, save_motion
from footfall.motion.motion import Motion
from footfall.writing import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "FILM_SUFFIXES",
    "PICTURE_SUFFIXES",
    "PLOT_SUFFIXES",
    "PictureKind",
    "default_title",
    "save",
    "save_figure",
    "save_picture",
]

PictureKind = Literal["strip", "angles", "torques", "contacts", "profiles"]
PLOT_SUFFIXES = (".png", ".svg", ".pdf")
FILM_SUFFIXES = (".gif", ".mp4")
PICTURE_SUFFIXES = (*PLOT_SUFFIXES, *FILM_SUFFIXES, ".html")


def save(
    motion: Motion,
    path: str | Path,
    *,
    start: float | None = None,
    end: float | None = None,
    speed: float = 1.0,
    **options: Any,
) -> Path:
    """Save a motion as what the suffix says; the file appears whole or not at all.

    ============================ ============================================= ====================================
    suffix                       what                                          options
    ============================ ============================================= ====================================
    .png .svg .pdf               poses over the ground, or plots by ``kind``   kind, poses, joints, title
    .gif .mp4                    a film                                        size, fps, camera, progress
    .html                        a page that plays it without a network        title, fps
    .npz .csv .bvh .glb          motion (see :func:`footfall.motion.save_motion`)  unit and up for .bvh
    ============================ ============================================= ====================================

    Args:
        motion: what to save.
        path: the file.
        start, end: the part to save, seconds; by default all of it.
        speed: of films and of the page: 0.25 shows it four times slower.
        options: ``kind`` is "strip" (default), "angles", "torques", "contacts" or "profiles"; ``poses`` how many a
            strip shows; ``joints`` the names that a plot shows; ``title`` a line above; ``size`` (width, height) in
            pixels; ``fps`` frames per second; ``progress`` is called with the frames drawn and their number.
    """
    suffix = Path(path).suffix.lower()
    if start is not None or end is not None:
        motion = trimmed(motion, start, end)
    if not speed > 0:
        raise FootfallError(f"speed is {speed}; it must be above 0")
    if speed != 1.0 and suffix in (*FILM_SUFFIXES, ".html"):
        motion = replace(motion, times=motion.times / speed)
    if suffix in PICTURE_SUFFIXES:
        return save_picture(motion, path, **options)
    if suffix in MOTION_WRITERS:
        return save_motion(motion, path, **options)
    possible = ", ".join((*PICTURE_SUFFIXES, *MOTION_WRITERS))
    raise FootfallError(f"{path}: footfall cannot write '{suffix or Path(path).name}'; choose one of: {possible}")


def save_picture(
    motion: Motion, path: str | Path, *, kind: PictureKind = "strip", title: str | None = None, **options: Any
) -> Path:
    """Save a picture, a film or a page of a motion, with the options of :func:`save`. A rest pose in frame 0 is not
    drawn."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise FootfallError(
            f"{path}: footfall cannot draw '{suffix or path.name}'; choose one of: {', '.join(PICTURE_SUFFIXES)}"
        )
    heading = default_title(motion) if title is None else title
    motion = without_rest_frame(motion)
    if suffix == ".html":
        from footfall.pictures.player import write_player

        write_whole(path, lambda part: write_player(motion, part, title=heading, **options))
    elif suffix in FILM_SUFFIXES:
        from footfall.pictures.animation import write_animation

        if "size" in options:
            options["width"], options["height"] = options.pop("size")
        write_whole(path, lambda part: write_animation(motion, part, **options))
    else:
        save_figure(_figure(motion, kind, heading, options), path)
    return path


def empty_figure(width: float, height: float) -> "Figure":
    """A matplotlib figure of a size in inches, that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, path: str | Path) -> Path:
    """Save a matplotlib figure as .png, .svg or .pdf, whole or not at all."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in PLOT_SUFFIXES:
        raise FootfallError(f"{path}: a plot is saved as {', '.join(PLOT_SUFFIXES)}, not as '{suffix or path.name}'")
    write_whole(path, lambda part: figure.savefig(part, dpi=150, format=suffix[1:], metadata=_metadata(suffix)))
    return path


def default_title(motion: Motion) -> str:
    """The title of a picture that is given none."""
    controller = str(motion.source.get("controller", ""))
    file = Path(str(motion.source.get("file", ""))).name
    return " · ".join(part for part in (controller, motion.figure, file) if part)


def _figure(motion: Motion, kind: str, title: str, options: dict[str, Any]) -> Any:
    from footfall.pictures.gait_plots import plot_contacts, plot_profiles
    from footfall.pictures.plots import plot_angles, plot_torques
    from footfall.pictures.strips import strip

    kinds: dict[str, Callable[..., Any]] = {
        "strip": strip,
        "angles": plot_angles,
        "torques": plot_torques,
        "contacts": plot_contacts,
        "profiles": plot_profiles,
    }
    if kind not in kinds:
        raise unknown_name("kind of picture", kind, kinds)
    return kinds[kind](motion, title=title or None, **options)


def _metadata(suffix: str) -> dict[str, Any]:
    """Nothing that changes from run to run."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {})
