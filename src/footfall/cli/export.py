"""``footfall export``: write motion for Blender, Unreal, Unity, spreadsheets and web pages."""

from typing import Any, Literal

from footfall.cli.arguments import Clip, Files, MaybeFloat, MaybeText, film_pixels
from footfall.cli.motion_files import load_clip, report_files
from footfall.cli.printing import check_files, save_motion_files
from footfall.errors import FootfallError


def export(
    motion: Clip,
    out: Files = (),
    fps: MaybeFloat = None,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    camera: Literal["side", "three-quarter", "front", "top"] | None = None,
    size: MaybeText = None,
    speed: float = 1.0,
    beside: MaybeText = None,
    unit: str = "",
    up: Literal["", "y", "z", "x", "-y", "-z", "-x"] = "",
    json: bool = False,
) -> int:
    """Write a motion in other formats: .glb (Blender, Unreal, Unity, browsers), .bvh, .csv, .npz, pictures and films.

    Args:
        motion: a motion file, as written by footfall run --out walk.npz or footfall import.
        out: a file to write: motion (.npz .csv .bvh .glb .usd .fbx) or picture (.png .svg .pdf .gif .mp4 .html). May be
            repeated.
        fps: resample to this many frames per second.
        start: first second to keep.
        end: last second to keep.
        camera: from where a film shows it. Default: the side of a planar figure, three-quarter of any other.
        size: of a film in pixels, as in 1280x720. Default: 1920x1080 for .mp4, 640x360 for .gif.
        speed: of films and pages: 0.25 shows it four times slower.
        beside: another motion file, shown to the left at the same time; for .html.
        unit: of a .bvh: m, cm, mm, inch, cmu, or metres as a number. Default: that of the clip it came from, else cm.
        up: upward axis of a .bvh.
        json: print one JSON object on standard output.
    """
    from pathlib import Path

    from footfall.motion.editing.cutting import resampled, trimmed
    from footfall.motion.formats.files import writable_suffixes
    from footfall.pictures.files import FILM_SUFFIXES, PICTURE_SUFFIXES

    if not out:
        raise FootfallError("export: name at least one file with --out, as in --out walk.glb")
    files = check_files(out, (*writable_suffixes(), *PICTURE_SUFFIXES))
    moving = load_clip(motion)
    moving = trimmed(moving, start, end) if start is not None or end is not None else moving
    moving = resampled(moving, fps) if fps is not None else moving
    if beside is not None and not any(path.suffix.lower() == ".html" for path in files):
        raise FootfallError(f"--beside {beside}: only a page shows two motions; name one, as in --out two.html")
    if any(path.resolve() == Path(motion).resolve() for path in files):
        raise FootfallError(f"{motion}: it would be overwritten; name another file")
    written = []
    for path in files:
        options: dict[str, Any] = {}
        if path.suffix.lower() == ".bvh":
            options = {name: value for name, value in (("unit", unit), ("up", up)) if value}
        elif path.suffix.lower() in FILM_SUFFIXES:
            options = {"size": film_pixels(size), "speed": speed}
        elif path.suffix.lower() == ".html":
            options = {"speed": speed} | ({} if beside is None else {"beside": load_clip(beside)})
        written += save_motion_files(moving, [path], camera, **options)
    report_files(written, {"motion": motion, "frames": len(moving), "fps": moving.fps, "seconds": moving.seconds}, json)
    return 0
