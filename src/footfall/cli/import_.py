"""``footfall import``: bring captured motion in."""

from pathlib import Path
from typing import Any, Literal

import tyro

from footfall.cli.motion import load_clip, tell_files
from footfall.cli.printing import check_files, print_json, print_table
from footfall.errors import FootfallError

__all__ = ["import_"]

Words = tyro.conf.UseAppendAction[tuple[str, ...]]


def import_(
    clip: tyro.conf.Positional[str],
    onto: str = "",
    map: str = "",
    unit: str = "auto",
    up: Literal["auto", "y", "z"] = "auto",
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
        clip: a .bvh, .amc (with its .asf beside it), .c3d, .glb, .npz or .csv file.
        onto: a figure to retarget onto, by name (footfall list) or file; empty keeps the clip's own skeleton.
        map: a file with lines TARGET = SOURCE, for joints that names do not match.
        unit: of a .bvh: m, cm, mm, inch, cmu, or metres as a number; auto takes the one that gives human legs.
        up: upward axis of a .bvh.
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
    from footfall.motion.gait.summaries import summary
    from footfall.motion.retargeting.joint_map import read_joint_map
    from footfall.motion.retargeting.retarget import retarget
    from footfall.pictures.files import PICTURE_SUFFIXES, save

    files = check_files(out or (f"{Path(clip).stem}.npz",), (*MOTION_WRITERS, *PICTURE_SUFFIXES))
    if any(path.resolve() == Path(clip).resolve() for path in files):
        raise FootfallError(f"{clip}: it would be written over; name another file with --out")
    joints = read_joint_map(map) if map else None
    motion = without_rest_frame(load_clip(clip, unit, up))
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
        print_json(summary(motion) | report | {"files": written})
        return 0
    if report:
        _tell(report["retarget"])
    tell_files(written, {}, False)
    return 0


def _tell(report: dict[str, Any]) -> None:
    print(f"retargeted: {report['verdict']}")
    rows = [["matched", ", ".join(f"{a} = {b}" for a, b in report["matched"].items())]]
    rows += [[name, ", ".join(report[name])] for name in ("guessed", "dropped", "still") if report[name]]
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
    if report["clipped_joints"]:
        most = sorted(report["clipped_joints"].items(), key=lambda row: -row[1])[:6]
        rows.append(["beyond its joints", ", ".join(f"{name} {100 * share:.0f} % of frames" for name, share in most)])
    rows.append(["feet", report["feet"]])
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
