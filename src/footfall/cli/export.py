"""``footfall export``: take motion out, for Blender, Unreal, Unity, spreadsheets and pages."""

from typing import Any, Literal

import tyro

from footfall.cli.motion_files import load_clip, tell_files
from footfall.cli.printing import check_files
from footfall.errors import FootfallError

__all__ = ["export"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]


def export(
    motion: tyro.conf.Positional[str],
    out: Words = (),
    fps: float | None = None,
    start: float | None = None,
    end: float | None = None,
    unit: str = "",
    up: Literal["", "y", "z", "x", "-y", "-z", "-x"] = "",
    json: bool = False,
) -> int:
    """Write a motion in other formats: .glb (Blender, Unreal, Unity, browsers), .bvh, .csv, .npz, pictures and films.

    Args:
        motion: a motion file, as footfall run --out walk.npz or footfall import write it.
        out: a file to write: .npz .csv .bvh .glb .png .svg .gif .mp4 .html. May be repeated.
        fps: resample to so many frames a second.
        start: first second to keep.
        end: last second to keep.
        unit: of a .bvh: m, cm, mm, inch, cmu, or metres as a number; by default that of the clip it came from, else cm.
        up: upward axis of a .bvh.
        json: one JSON object on standard output.
    """
    from pathlib import Path

    from footfall.motion.editing.cutting import resampled, trimmed
    from footfall.motion.formats.files import MOTION_WRITERS
    from footfall.pictures.files import PICTURE_SUFFIXES, save

    if not out:
        raise FootfallError("export: name at least one file with --out, as in --out walk.glb")
    files = check_files(out, (*MOTION_WRITERS, *PICTURE_SUFFIXES))
    moving = load_clip(motion)
    moving = trimmed(moving, start, end) if start is not None or end is not None else moving
    moving = resampled(moving, fps) if fps is not None else moving
    written = []
    for path in files:
        if path.resolve() == Path(motion).resolve():
            raise FootfallError(f"{path}: it would be written over; name another file")
        options: dict[str, Any] = {}
        if path.suffix.lower() == ".bvh":
            options = {name: value for name, value in (("unit", unit), ("up", up)) if value}
        written.append(str(save(moving, path, **options)))
    tell_files(written, {"motion": motion, "frames": len(moving), "fps": moving.fps, "seconds": moving.seconds}, json)
    return 0
