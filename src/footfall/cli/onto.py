"""``--onto``: a motion on a figure, or in the file of a character of one's own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from footfall.cli.arguments import MaybeFloat
from footfall.cli.printing import print_text, save_motion_files
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.motion import Motion

BAD_FIT = 3
"""The exit status of a retargeted motion that is not like its source."""
GLTF_SUFFIXES = (".glb", ".gltf")
MOST_NAMED = 12
"""Joints that a line of the report names."""


@dataclass(frozen=True)
class _ClipFile:
    """How a motion becomes an animation of a file.

    Attributes:
        fps: resample to this many frames per second.
        clip_name: name of the animation in a .glb or .gltf. Default: the motion's controller or file.
        offset: the second at which the animation of a .glb or .gltf begins.
        in_place: take the travel out of the root, which then only sways. Default: the root travels (root motion).
    """

    fps: MaybeFloat = None
    clip_name: str = ""
    offset: float = 0.0
    in_place: bool = False

    def ready(self, motion: "Motion") -> "Motion":
        """The motion, resampled and in place as was asked."""
        from footfall.motion.editing import in_place, resampled

        motion = motion if self.fps is None else resampled(motion, self.fps)
        return in_place(motion) if self.in_place else motion

    def save(self, motion: "Motion", files: Sequence[Path], onto: str = "", **options: Any) -> list[str]:
        """Write a motion that is ready to each file; into a character's glTF file where ``onto`` names one."""
        named: dict[str, Any] = {"clip_name": self.clip_name, "offset": self.offset}
        named = {name: value for name, value in named.items() if value}
        gltf = [path for path in files if path.suffix.lower() in GLTF_SUFFIXES]
        if named and not gltf:
            raise FootfallError(f"{_flag(next(iter(named)))} works only with .glb and .gltf files")
        if not (math.isfinite(self.offset) and self.offset >= 0.0):
            raise FootfallError(f"--offset is {self.offset:g}; an animation begins at 0 s or later")
        rig = {"rig": onto} if Path(onto).suffix.lower() in GLTF_SUFFIXES else {}
        written = []
        for path in files:
            own: dict[str, Any] = {**named, **rig} if path in gltf else {}
            written += save_motion_files(motion, [path], **options, **own)
        return written


ClipFile = Annotated[_ClipFile, tyro.conf.OmitArgPrefixes]
AS_IT_MOVES = _ClipFile()
"""An animation from 0 s on, named after where it comes from, whose root travels."""


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def check_not_overwritten(files: Sequence[Path], given: Sequence[str]) -> None:
    """Refuse to write a file that is read."""
    for name in given:
        if name and any(path.resolve() == Path(name).resolve() for path in files):
            raise FootfallError(f"{name}: it would be overwritten; name another file with --out")


def carried(
    motion: "Motion", onto: str, joints: Mapping[str, str] | None = None, *, place: bool = True
) -> "tuple[Motion, Any]":
    """The motion on a figure, or on the skeleton of a motion file, with the report."""
    from footfall.figures import Figure
    from footfall.motion.formats.files import load_motion, readable_suffixes
    from footfall.motion.retargeting.retarget import retarget
    from footfall.motion.retargeting.rigs import retarget_to_rig

    if Path(onto).suffix.lower() in readable_suffixes():
        return retarget_to_rig(motion, load_motion(onto), joints=joints, place=place)
    return retarget(motion, Figure.load(onto), joints=joints, place=place)


def print_fit(report: Mapping[str, Any], *, refused: bool) -> None:
    """What retargeting did, from ``RetargetReport.as_dict()``; whether nothing was written for it."""
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
    if refused:
        print("nothing was written: the verdict is BAD (--map may correct it; --keep-bad writes it anyway)")


def _some(names: list[str]) -> str:
    """Names, or the first of many and how many more there are."""
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
