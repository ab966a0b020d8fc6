"""Pictures by suffix, and one door for everything a motion can be saved as."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import trimmed, without_rest_frame
from footfall.motion.formats.files import MOTION_WRITERS, save_motion, write_whole
from footfall.motion.motion import Motion
from footfall.pictures.page import save_figure

__all__ = ["PICTURE_SUFFIXES", "PictureKind", "default_title", "save", "save_figure", "save_picture"]

PictureKind = Literal["strip", "angles", "torques", "contacts", "profiles"]
PICTURE_SUFFIXES = (".png", ".svg", ".pdf", ".gif", ".mp4", ".html")


def save(
    motion: Motion, path: str | Path, *, start: float | None = None, end: float | None = None, **options: Any
) -> Path:
    """Save a motion as whatever the suffix names; the file appears whole or not at all.

    Args:
        motion: what to save.
        path: a picture (.png .svg .pdf), a film (.gif .mp4), a page (.html) or motion (.npz .csv .bvh .glb).
        start, end: seconds since the motion began; what lies between is saved.
        options: those of the kind of file. Pictures, films and pages: see ``save_picture``. A .bvh: ``unit``, ``up``.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in PICTURE_SUFFIXES and suffix not in MOTION_WRITERS:
        possible = ", ".join((*PICTURE_SUFFIXES, *MOTION_WRITERS))
        raise FootfallError(f"{path}: footfall cannot write '{suffix or Path(path).name}'; choose one of: {possible}")
    if start is not None or end is not None:
        motion = trimmed(motion, start, end)
    return save_picture(motion, path, **options) if suffix in PICTURE_SUFFIXES else save_motion(motion, path, **options)


def save_picture(
    motion: Motion, path: str | Path, *, kind: PictureKind = "strip", title: str | None = None, **options: Any
) -> Path:
    """Save a picture of a motion; the file appears whole or not at all. A rest pose in frame 0 is not drawn.

    Args:
        motion: what to draw.
        path: .png, .svg or .pdf (a strip of poses, or plots, by ``kind``), .gif or .mp4 (an animation), .html (a player
            that needs no network).
        kind: for .png, .svg and .pdf: "strip", "angles", "torques", "contacts" or "profiles".
        title: a line above; by default the figure's name and what is known of the motion's source.
        options: a strip: ``poses``. Angles and torques: ``joints``. A film: ``size`` (width, height) in pixels,
            ``camera`` ("side", "three-quarter", "front" or "top"), ``speed`` (0.5 is slow motion) and ``fps``. A page:
            ``fps``.
    """
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

        make = _checked(write_player, suffix, options)
        write_whole(path, lambda part: make(motion, part, title=heading, **options))
    elif suffix in (".gif", ".mp4"):
        from footfall.pictures.animation import write_animation

        make = _checked(write_animation, suffix, options)
        write_whole(path, lambda part: make(motion, part, **options))
    else:
        save_figure(_figure(motion, kind, heading, suffix, options), path)
    return path


def _checked(make: Callable[..., Any], suffix: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The function, if it takes these options."""
    known = [p.name for p in signature(make).parameters.values() if p.kind is p.KEYWORD_ONLY and p.name != "title"]
    for name in options:
        if name not in known:
            raise unknown_name(f"option for {suffix} files", name, known)
    return make


def default_title(motion: Motion) -> str:
    """What a picture is called when nobody says."""
    controller = str(motion.source.get("controller", ""))
    file = Path(str(motion.source.get("file", ""))).name
    return " · ".join(part for part in (controller, motion.figure, file) if part)


def _figure(motion: Motion, kind: str, title: str, suffix: str, options: dict[str, Any]) -> Any:
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
    return _checked(kinds[kind], suffix, options)(motion, title=title or None, **options)
