"""Pictures by suffix, and one door for everything a motion can be saved as."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import without_rest_frame
from footfall.motion.formats.files import MOTION_WRITERS, save_motion
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.writing import write_whole

__all__ = ["PICTURE_SUFFIXES", "PictureKind", "default_title", "save", "save_figure", "save_picture"]

PictureKind = Literal["strip", "angles", "torques", "contacts", "profiles"]
PICTURE_SUFFIXES = (".png", ".svg", ".gif", ".mp4", ".html")


def save(motion: Motion, path: str | Path, **options: Any) -> Path:
    """Save a motion as whatever the suffix names: a picture (.png .svg .gif .mp4 .html) or motion (.npz .csv .bvh
    .glb)."""
    suffix = Path(path).suffix.lower()
    if suffix in PICTURE_SUFFIXES:
        return save_picture(motion, path, **options)
    if suffix in MOTION_WRITERS:
        return save_motion(motion, path, **options)
    possible = ", ".join((*PICTURE_SUFFIXES, *MOTION_WRITERS))
    raise FootfallError(f"{path}: footfall cannot write '{suffix or Path(path).name}'; choose one of: {possible}")


def save_picture(
    motion: Motion, path: str | Path, *, kind: PictureKind = "strip", title: str | None = None, **options: Any
) -> Path:
    """Save a picture of a motion; the file appears whole or not at all. A rest pose in frame 0 is not drawn.

    Args:
        motion: what to draw.
        path: .png or .svg (a strip of poses, or plots, by ``kind``), .gif or .mp4 (an animation), .html (a player
            that needs no network).
        kind: for .png and .svg: "strip", "angles", "torques", "contacts" or "profiles".
        title: a line above; by default the figure's name and what is known of the motion's source.
        options: handed on: ``poses`` for a strip, ``joints`` for plots, ``fps``, ``width`` and ``height`` for
            animations.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in PICTURE_SUFFIXES:
        raise FootfallError(
            f"{path}: footfall cannot draw '{suffix or path.name}'; choose one of: {', '.join(PICTURE_SUFFIXES)}"
        )
    if not body_capsules(motion.skeleton):
        raise FootfallError(f"{path}: there is nothing to draw: the motion has no bones, only single points")
    heading = default_title(motion) if title is None else title
    motion = without_rest_frame(motion)
    if suffix == ".html":
        from footfall.pictures.player import write_player

        write_whole(path, lambda part: write_player(motion, part, title=heading, **options))
    elif suffix in (".gif", ".mp4"):
        from footfall.pictures.animation import write_animation

        write_whole(path, lambda part: write_animation(motion, part, **options))
    else:
        save_figure(_figure(motion, kind, heading, options), path)
    return path


def save_figure(figure: Any, path: str | Path) -> Path:
    """Save a matplotlib figure as .png or .svg, whole or not at all."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".png", ".svg"):
        raise FootfallError(f"{path}: a plot is saved as .png or .svg, not as '{suffix or path.name}'")
    write_whole(path, lambda part: figure.savefig(part, dpi=150, format=suffix[1:], metadata=_metadata(suffix)))
    return path


def default_title(motion: Motion) -> str:
    """What a picture is called when nobody says."""
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
    return {"Date": None} if suffix == ".svg" else {}
