"""``footfall import``: bring captured motion in."""

from pathlib import Path
from typing import Any

import tyro

from footfall.cli.motion_files import UpAxis, load_clip, tell_files
from footfall.cli.printing import check_files, print_json, print_table
from footfall.errors import FootfallError

__all__ = ["import_"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]


def import_(
    clip: tyro.conf.Positional[str],
    onto: str = "",
    map: str = "",
    unit: str = "auto",
    up: UpAxis = "auto",
    animation: str = "",
    root: str = "",
    start: float | None = None,
    end: float | None = None,
    fps: float | None = None,
    mirror: bool = False,
    keep_place: bool = False,
    out: Words = (),
    json: bool = False,
) -> int:
    """Bring a clip in: units, axes and heading normalised, cut and resampled, retargeted onto a figure if one is named.

    Args:
        clip: a motion file (docs/motion.md lists the formats).
        onto: a figure to retarget onto, by name (footfall list) or file; empty keeps the clip's own skeleton.
        map: a file with lines TARGET = SOURCE, for joints that names do not match.
        unit: of a file that does not say it: m, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not say it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb or .gltf, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
        start: first second to keep.
        end: last second to keep.
        fps: resample to so many frames a second.
        mirror: exchange left and right.
        keep_place: leave the motion where it is instead of starting at the origin, facing x.
        out: a file to write: motion (.npz .csv .bvh .glb) or picture (.png .svg .gif .mp4 .html); by default CLIP.npz
            in the current folder. May be repeated.
        json: one JSON object on standard output.
    """
    from footfall.motion.editing.cutting import mirrored, placed, resampled, trimmed, without_rest_frame
    from footfall.motion.formats.files import MOTION_WRITERS
    from footfall.motion.gait.animals import animal_warning
    from footfall.motion.gait.summaries import summary
    from footfall.motion.retargeting.joint_map import read_joint_map
    from footfall.motion.retargeting.retarget import retarget
    from footfall.pictures.files import PICTURE_SUFFIXES, save

    files = check_files(out or (f"{Path(clip).stem}.npz",), (*MOTION_WRITERS, *PICTURE_SUFFIXES))
    if any(path.resolve() == Path(clip).resolve() for path in files):
        raise FootfallError(f"{clip}: it would be written over; name another file with --out")
    joints = read_joint_map(map) if map else None
    motion = without_rest_frame(load_clip(clip, unit=unit, up=up, animation=animation, root=root))
    warning = animal_warning(motion)
    motion = trimmed(motion, start, end) if start is not None or end is not None else motion
    motion = mirrored(motion) if mirror else motion
    report: dict[str, Any] = {}
    if onto:
        from footfall.figures import Figure

        motion, told = retarget(motion, Figure.load(onto), joints=joints, place=not keep_place)
        report = {"retarget": told.as_dict()}
    elif not keep_place:
        motion = placed(motion)
    motion = resampled(motion, fps) if fps is not None else motion
    written = [str(save(motion, path)) for path in files]
    if json:
        print_json(summary(motion) | {"warnings": [warning] if warning else []} | report | {"files": written})
        return 0
    if warning:
        print(f"warning: {warning}")
    if report:
        _tell(report["retarget"])
    for note in motion.source.get("notes", ()):
        print(f"note: {note}")
    tell_files(written, {}, False)
    return 0


def _tell(report: dict[str, Any]) -> None:
    rows = [["matched", ", ".join(f"{a} = {b}" for a, b in report["matched"].items())]]
    rows += [[name, ", ".join(report[name])] for name in ("guessed", "dropped", "still") if report[name]]
    rows.append(["scale", f"{report['scale']:.3f}"])
    for when in ("before", "after"):
        feet = report[when]
        rows.append(
            [
                f"feet {when}",
                f"{100 * feet['penetration']:.1f} cm deep, slide {100 * feet['slide']:.1f} cm a step "
                f"(worst {100 * feet['slide_worst']:.1f} cm)",
            ]
        )
    print_table(rows)
