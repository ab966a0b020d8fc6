"""``footfall motion``: look at motion files."""

from pathlib import Path
from typing import Any, Literal

from footfall.cli.arguments import Clip, Files, MaybeFloat, Words
from footfall.cli.printing import check_files, print_files, print_json, print_table
from footfall.errors import FootfallError

__all__ = ["COMMANDS"]


def info(
    clip: Clip,
    unit: str = "auto",
    up: Literal["auto", "y", "z"] = "auto",
    json: bool = False,
) -> int:
    """Print what is in a motion file: frames, speed, turn, footsteps, joints.

    Args:
        clip: a .bvh, .amc, .c3d, .glb, .npz or .csv file.
        unit: of a .bvh: m, cm, mm, inch, cmu, or metres as a number; auto takes the one that gives human legs.
        up: upward axis of a .bvh.
        json: print one JSON object on standard output.
    """
    from footfall.motion.gait.summaries import summary

    rows = summary(load_clip(clip, unit, up))
    if json:
        print_json(rows)
    else:
        print_table([[name, _text(value)] for name, value in rows.items() if value not in ("", [], None)])
    return 0


def plot(
    clip: Clip,
    kind: Literal["strip", "angles", "torques", "contacts", "profiles"] = "strip",
    out: Files = (),
    joint: Words = (),
    unit: str = "auto",
    up: Literal["auto", "y", "z"] = "auto",
    json: bool = False,
) -> int:
    """Draw a motion: a strip of poses, angles, torques, contacts of the feet, or leg angles over the gait cycle.

    Args:
        clip: a motion file.
        kind: what to draw.
        out: .png, .svg or .pdf. Default: CLIP-KIND.png in the current folder. May be repeated.
        joint: only these joints (angles and torques). May be repeated.
        unit: of a .bvh.
        up: upward axis of a .bvh.
        json: print one JSON object on standard output.
    """
    from footfall.motion.editing.cutting import without_rest_frame
    from footfall.pictures.files import PLOT_SUFFIXES, save_picture

    files = check_files(out or (f"{Path(clip).stem}-{kind}.png",), PLOT_SUFFIXES)
    motion = without_rest_frame(load_clip(clip, unit, up))
    options: dict[str, Any] = {"joints": joint} if joint and kind in ("angles", "torques") else {}
    written = [str(save_picture(motion, path, kind=kind, **options)) for path in files]
    report_files(written, {}, json)
    return 0


def compare(
    first: Clip,
    second: Clip,
    out: Files = (),
    json: bool = False,
) -> int:
    """Compare two motions: speed, steps, and the leg angles over the gait cycle with their correlation.

    Args:
        first: a motion file.
        second: another.
        out: .png, .svg or .pdf with both profiles. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.motion.editing.cutting import without_rest_frame
    from footfall.motion.gait.measures import joint_profiles, profile_correlation
    from footfall.motion.gait.summaries import summary
    from footfall.pictures.files import PLOT_SUFFIXES, save_figure
    from footfall.pictures.gait_plots import plot_profiles

    files = check_files(out, PLOT_SUFFIXES)
    motions = [without_rest_frame(load_clip(clip, "auto", "auto")) for clip in (first, second)]
    profiles = []
    for clip, motion in zip((first, second), motions):
        try:
            profiles.append(joint_profiles(motion))
        except FootfallError as error:
            raise FootfallError(f"{clip}: {error}") from error
    rows = [summary(motion) for motion in motions]
    kept = ("mean_speed_mps", "peak_speed_mps", "steps", "steps_per_second", "step_length_m", "stance_share")
    names = (Path(first).stem, Path(second).stem)
    answer: dict[str, Any] = {
        "first": {"file": first, **{name: rows[0].get(name) for name in kept}},
        "second": {"file": second, **{name: rows[1].get(name) for name in kept}},
        "correlation": profile_correlation(profiles[0], profiles[1]),
        "cycles": [len(next(iter(profile.values()))) for profile in profiles],
    }
    written = [str(save_figure(plot_profiles(*motions, names=names), path)) for path in files]
    if json:
        print_json(answer | {"files": written})
        return 0
    print_table([["", *names], *[[n, _text(rows[0].get(n)), _text(rows[1].get(n))] for n in kept]])
    print_table([[f"correlation of the {joint}", f"{value:.3f}"] for joint, value in answer["correlation"].items()])
    print_files(written)
    return 0


def cycle(
    clip: Clip,
    onto: str = "",
    joint: str = "",
    accuracy: float = 0.01,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    out: str = "",
    json: bool = False,
) -> int:
    """Average a walk to one cycle of a few Fourier coefficients, in a text file (SIMBICON, section 5).

    Args:
        clip: a motion file with several cycles of walking.
        onto: a figure to retarget onto first; its joint angles then make the cycle.
        joint: the coordinate that gives period and phase. Default: the right hip.
        accuracy: largest root mean square error of the harmonics kept, in radians or metres.
        start: first second to use.
        end: last second to use.
        out: a .toml file. Default: CLIP-cycle.toml in the current folder.
        json: print one JSON object on standard output.
    """
    from footfall.motion.editing.cutting import trimmed
    from footfall.motion.formats.periodic_file import save_periodic
    from footfall.motion.retargeting.retarget import retarget
    from footfall.motion.synthesis.periodic import periodic_motion

    (path,) = check_files((out or f"{Path(clip).stem}-cycle.toml",), (".toml",))
    motion = load_clip(clip, "auto", "auto")
    motion = trimmed(motion, start, end) if start is not None or end is not None else motion
    if onto:
        from footfall.figures import Figure

        motion, _ = retarget(motion, Figure.load(onto))
    found = periodic_motion(motion, joint=joint or None, accuracy=accuracy)
    rows = {
        "name": found.name,
        "figure": found.figure,
        "anchor": found.anchor,
        "period_s": found.period,
        "speed_mps": found.speed,
        "cycles": found.cycles,
        "harmonics": {name: [int(k) for k in terms[:, 0]] for name, terms in found.series.items()},
        "error": found.error,
    }
    written = str(save_periodic(found, path))
    if json:
        print_json(rows | {"files": [written]})
        return 0
    print_table([[name, _text(value)] for name, value in rows.items() if name not in ("harmonics", "error")])
    print_files([written])
    return 0


def load_clip(clip: str, unit: str, up: str) -> Any:
    """A motion from a file; ``unit`` and ``up`` are options of .bvh."""
    from footfall.motion.formats.files import load_motion

    return load_motion(clip, unit=unit, up=up) if Path(clip).suffix.lower() == ".bvh" else load_motion(clip)


def report_files(written: list[str], answer: dict[str, Any], json: bool) -> None:
    """Print the files that were written."""
    if json:
        print_json(answer | {"files": written})
    else:
        print_files(written)


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


COMMANDS = {"info": info, "plot": plot, "compare": compare, "cycle": cycle}
