"""Saving a motion: pictures, films, pages and motion files, by suffix."""

from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from footfall.errors import FootfallError, check_name
from footfall.motion.editing import trimmed, without_rest_frame
from footfall.motion.formats.files import save_motion, writable_suffixes
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import body_solids
from footfall.pictures.page import PLOT_SUFFIXES, save_figure
from footfall.pictures.scene import default_title
from footfall.text_files import write_whole

PictureKind = Literal["strip", "angles", "torques", "contacts", "profiles"]
FILM_SUFFIXES = (".gif", ".mp4")
RERUN_SUFFIX = ".rrd"
PICTURE_SUFFIXES = (*PLOT_SUFFIXES, *FILM_SUFFIXES, ".html", RERUN_SUFFIX)


def save(
    motion: Motion, path: str | Path, *, start: float | None = None, end: float | None = None, **options: Any
) -> Path:
    """Save a motion as what the suffix says; the file appears whole or not at all.

    ============================ ================================================= ===============================
    suffix                       what                                              options
    ============================ ================================================= ===============================
    .png .svg .pdf               poses over the ground, or plots by ``kind``       kind, poses, joints, title, camera
    .gif .mp4                    a film                                            size, camera, speed, fps, title
    .html                        a page that plays it without a network            title, speed, fps, beside
    .rrd                         a recording for the rerun viewer                  title
    .npz .csv .bvh .glb          motion (see :func:`footfall.motion.save_motion`)  unit and up for .bvh
    ============================ ================================================= ===============================

    Args:
        motion: what to save.
        path: the file.
        start, end: the part to save, seconds since the motion began; by default all of it.
        options: ``kind`` is "strip" (default), "angles", "torques", "contacts" or "profiles"; ``poses`` how many a
            strip shows; ``joints`` the names that a plot shows; ``title`` a line above; ``size`` (width, height) in
            pixels, 1920 x 1080 for .mp4; ``camera`` is "side", "three-quarter", "front" or "top" ("side" or "front" of
            a strip); ``speed`` 0.25 shows
            it four times slower; ``fps`` frames per second; ``beside`` another motion to the left;
            ``progress`` is called with the frames drawn and their number.
    """
    _check_motion(motion)
    suffix = Path(path).suffix.lower()
    if Path(path).name.lower() in (*PICTURE_SUFFIXES, *writable_suffixes()):
        raise FootfallError(f"{path}: that is only a suffix; name the file, as in walk{Path(path).name}")
    if suffix not in PICTURE_SUFFIXES and suffix not in writable_suffixes():
        possible = ", ".join((*PICTURE_SUFFIXES, *writable_suffixes()))
        raise FootfallError(f"{path}: footfall cannot write '{suffix or Path(path).name}'; choose one of: {possible}")
    if start is not None or end is not None:
        motion = trimmed(motion, start, end)
    return save_picture(motion, path, **options) if suffix in PICTURE_SUFFIXES else save_motion(motion, path, **options)


def _check_motion(motion: Any) -> None:
    """Refuse what is not a motion, with how to get one."""
    if isinstance(motion, Motion):
        return
    kind = type(motion).__name__
    how = {
        "Simulation": "save(simulation.trace().motion(), …), from a simulation made with record=Record()",
        "MujocoSimulation": "save(simulation.trace().motion(), …), from a simulation made with record=Record()",
        "Trace": "save(trace.motion(world=0), …)",
        "Outcome": "an outcome has no poses; save(simulation.trace().motion(), …) with record=Record()",
    }.get(kind, "give a footfall.Motion, as simulation.trace().motion() or load_motion(file) makes it")
    raise FootfallError(f"save: a {kind} is not a motion; {how}")


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
    if not body_solids(motion.skeleton):
        raise FootfallError(f"{path}: there is nothing to draw: the motion has no bones, only single points")
    heading = default_title(motion) if title is None else title
    motion = without_rest_frame(motion)
    if suffix in PLOT_SUFFIXES:
        return save_figure(_figure(motion, kind, heading, suffix, options), path)
    make = _checked(_writer(suffix), suffix, options)
    write_whole(path, lambda part: make(motion, part, title=heading, **options))
    return path


def _writer(suffix: str) -> Callable[..., Any]:
    """What writes a film, a page or a recording."""
    if suffix == ".html":
        from footfall.pictures.player import write_player

        return write_player
    if suffix == RERUN_SUFFIX:
        from footfall.pictures.rerun_log import check_rerun, write_rerun

        check_rerun()
        return write_rerun
    from footfall.pictures.animation import write_animation

    return write_animation


def _checked(make: Callable[..., Any], suffix: str, options: dict[str, Any]) -> Callable[..., Any]:
    """The function, if it takes these options."""
    known = [p.name for p in signature(make).parameters.values() if p.kind is p.KEYWORD_ONLY and p.name != "title"]
    for name in options:
        check_name(f"option for {suffix} files", name, known)
    return make


def _figure(motion: Motion, kind: str, title: str, suffix: str, options: dict[str, Any]) -> Any:
    from footfall.pictures.plots import plot_angles, plot_contacts, plot_profiles, plot_torques
    from footfall.pictures.strips import strip

    kinds: dict[str, Callable[..., Any]] = {
        "strip": strip,
        "angles": plot_angles,
        "torques": plot_torques,
        "contacts": plot_contacts,
        "profiles": plot_profiles,
    }
    check_name("kind of picture", kind, kinds)
    return _checked(kinds[kind], suffix, options)(motion, title=title or None, **options)
