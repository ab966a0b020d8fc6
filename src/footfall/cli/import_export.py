"""``footfall import``: read captured motion; ``footfall export``: write motion for Blender, Unreal, Unity, spreadsheets
and web pages.
"""

from pathlib import Path
from typing import Any, Literal

from footfall.cli.arguments import Clip, Files, MaybeFloat, MaybeText, film_pixels
from footfall.cli.motion import UpAxis, load_clip, report_files
from footfall.cli.printing import check_files, print_files, print_json, print_text, save_motion_files
from footfall.errors import FootfallError

MOST_NAMED = 12
"""Joints that a line of the report names."""


def import_(
    clip: Clip,
    onto: str = "",
    map: str = "",
    unit: str = "auto",
    up: UpAxis = "auto",
    animation: str = "",
    root: str = "",
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    fps: MaybeFloat = None,
    mirror: bool = False,
    keep_place: bool = False,
    out: Files = (),
    json: bool = False,
) -> int:
    """Read a clip: normalise units, axes and heading, cut, resample, and retarget onto a figure if one is named.

    Args:
        clip: a motion file (docs/motion.md lists the formats).
        onto: a figure to retarget onto, by name (footfall list) or file, or a motion file whose skeleton it is: your
            character's. Default: keep the clip's own skeleton.
        map: a file with lines TARGET = SOURCE, for joints whose names are not recognised.
        unit: of a file that does not say it: m, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not say it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb, .gltf or .fbx, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
        start: first second to keep.
        end: last second to keep.
        fps: resample to this many frames per second.
        mirror: swap left and right.
        keep_place: leave the motion where it is instead of starting at the origin, facing x.
        out: a file to write: motion (.npz .csv .bvh .glb .usd .fbx) or picture (.png .svg .pdf .gif .mp4 .html).
            Default: CLIP.npz in the current folder. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.motion.editing import mirrored, placed, resampled, trimmed, without_rest_frame
    from footfall.motion.formats.files import writable_suffixes
    from footfall.motion.gait.measures import animal_warning, summary
    from footfall.motion.retargeting.joint_map import read_joint_map
    from footfall.pictures.files import PICTURE_SUFFIXES

    files = check_files(out or (f"{Path(clip).stem}.npz",), (*writable_suffixes(), *PICTURE_SUFFIXES))
    for given in (clip, onto):
        if given and any(path.resolve() == Path(given).resolve() for path in files):
            raise FootfallError(f"{given}: it would be overwritten; name another file with --out")
    joints = read_joint_map(map) if map else None
    motion = without_rest_frame(load_clip(clip, unit=unit, up=up, animation=animation, root=root))
    warning = animal_warning(motion)
    motion = trimmed(motion, start, end) if start is not None or end is not None else motion
    motion = mirrored(motion) if mirror else motion
    report: dict[str, Any] = {}
    if onto:
        motion, result = _carried(motion, onto, joints, place=not keep_place)
        report = {"retarget": result.as_dict()}
    elif not keep_place:
        motion = placed(motion)
    motion = resampled(motion, fps) if fps is not None else motion
    written = save_motion_files(motion, files)
    if json:
        print_json(summary(motion) | {"warnings": [warning] if warning else []} | report | {"files": written})
        return 0
    if warning:
        print(f"warning: {warning}")
    if report:
        _print_report(report["retarget"])
    for note in motion.source.get("notes", ()):
        print(f"note: {note}")
    print_files(written)
    return 0


def _carried(motion: Any, onto: str, joints: Any, *, place: bool) -> tuple[Any, Any]:
    """The motion on a figure, or on the skeleton of a motion file."""
    from footfall.figures import Figure
    from footfall.motion.formats.files import load_motion, readable_suffixes
    from footfall.motion.retargeting.retarget import retarget, retarget_to_rig

    if Path(onto).suffix.lower() in readable_suffixes():
        return retarget_to_rig(motion, load_motion(onto), joints=joints, place=place)
    return retarget(motion, Figure.load(onto), joints=joints, place=place)


def _print_report(report: dict[str, Any]) -> None:
    print_text(f"retargeted: {report['verdict']}", indent="")
    rows = [["matched", ", ".join(f"{a} = {b}" for a, b in report["matched"].items())]]
    rows += [[name, _some(report[name])] for name in ("guessed", "dropped", "still") if report[name]]
    rows.append(["scale", f"{report['scale']:.3f}"])
    limbs = report["fidelity"]["limbs"]
    if limbs:
        said = (f"{name.replace('_', ' ')} {row['median']:.1f}° ({row['worst']:.0f}°)" for name, row in limbs.items())
        rows.append(["off by, median (worst)", ", ".join(said)])
    bends = report["fidelity"]["bends"]
    if bends:
        rows.append(
            ["correlation", ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in bends.items())]
        )
    if report["limited_joints"]:
        most = sorted(report["limited_joints"].items(), key=lambda row: -row[1])[:6]
        rows.append(["beyond its joints", ", ".join(f"{name} {100 * share:.0f} % of frames" for name, share in most)])
    rows.append(["feet", report["feet"]])
    for when in ("before", "after"):
        feet = report[when]
        rows.append(
            [
                f"feet {when}",
                f"{100 * feet['penetration']:.1f} cm deep, slide {100 * feet['slide']:.1f} cm per step "
                f"(worst {100 * feet['slide_worst']:.1f} cm)",
            ]
        )
    for title, text in rows:
        print_text(f"{title}: {text}")


def _some(names: list[str]) -> str:
    """Names, or the first of many and how many more there are."""
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")


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

    from footfall.motion.editing import resampled, trimmed
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
