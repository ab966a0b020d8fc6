"""``footfall export``: write motion for Blender, Unreal, Unity, spreadsheets and web pages."""

from typing import Any, Literal

from footfall.cli.arguments import Clip, Files, MaybeFloat
from footfall.cli.motion import load_clip, report_files
from footfall.cli.printing import check_files, save_motion_files
from footfall.errors import FootfallError

__all__ = ["export"]


def export(
    motion: Clip,
    out: Files = (),
    fps: MaybeFloat = None,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    unit: str = "",
    up: Literal["", "y", "z"] = "",
    json: bool = False,
) -> int:
    """Write a motion in other formats: .glb (Blender, Unreal, Unity, browsers), .bvh, .csv, .npz, pictures and films.

    Args:
        motion: a motion file, as written by footfall run --out walk.npz or footfall import.
        out: a file to write: .npz .csv .bvh .glb .png .svg .pdf .gif .mp4 .html. May be repeated.
        fps: resample to this many frames per second.
        start: first second to keep.
        end: last second to keep.
        unit: of a .bvh: m, cm, mm, inch, cmu, or metres as a number. Default: that of the clip it came from, else cm.
        up: upward axis of a .bvh.
        json: print one JSON object on standard output.
    """
    from pathlib import Path

    from footfall.motion.editing.cutting import resampled, trimmed
    from footfall.motion.formats.files import MOTION_WRITERS
    from footfall.pictures.files import PICTURE_SUFFIXES

    if not out:
        raise FootfallError("export: name at least one file with --out, as in --out walk.glb")
    files = check_files(out, (*MOTION_WRITERS, *PICTURE_SUFFIXES))
    moving = load_clip(motion, "auto", "auto")
    moving = trimmed(moving, start, end) if start is not None or end is not None else moving
    moving = resampled(moving, fps) if fps is not None else moving
    if any(path.resolve() == Path(motion).resolve() for path in files):
        raise FootfallError(f"{motion}: it would be overwritten; name another file")
    written = []
    for path in files:
        options: dict[str, Any] = {}
        if path.suffix.lower() == ".bvh":
            options = {name: value for name, value in (("unit", unit), ("up", up)) if value}
        written += save_motion_files(moving, [path], **options)
    report_files(written, {"motion": motion, "frames": len(moving), "fps": moving.fps, "seconds": moving.seconds}, json)
    return 0
