"""``footfall motion``: look at motion files."""

from pathlib import Path
from typing import Any, Literal

from footfall.cli.arguments import Clip, Files, MaybeFloat, Words
from footfall.cli.motion_benchmark import benchmark
from footfall.cli.motion_files import UpAxis, load_clip, report_files
from footfall.cli.motion_stream import stream
from footfall.cli.printing import check_files, print_files, print_json, print_table
from footfall.errors import FootfallError


def info(
    clip: Clip,
    unit: str = "auto",
    up: UpAxis = "auto",
    animation: str = "",
    root: str = "",
    json: bool = False,
) -> int:
    """Print what is in a motion file: unit, axes, frames, speed, turn, footsteps, joints.

    Args:
        clip: a motion file (docs/motion.md lists the formats).
        unit: of a file that does not say it: m, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not say it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb, .gltf or .fbx, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
        json: print one JSON object on standard output.
    """
    from footfall.motion.gait.summaries import summary

    rows = summary(load_clip(clip, unit=unit, up=up, animation=animation, root=root))
    if json:
        print_json(rows)
        return 0
    shown = {name: value for name, value in rows.items() if value not in ("", [], None)}
    for name in ("unit", "up"):
        origin = shown.pop(f"{name}_from", "")
        if origin == "guess":
            shown[name] = f"{shown[name]} (a guess: name it with --{name} if it is wrong)"
    for word in ("warning", "note"):
        found = shown.pop(f"{word}s", [])
        for line in found if isinstance(found, list) else []:
            print(f"{word}: {line}")
    print_table([[name, _text(value)] for name, value in shown.items()])
    return 0


def plot(
    clip: Clip,
    kind: Literal["strip", "angles", "torques", "contacts", "profiles"] = "strip",
    out: Files = (),
    joint: Words = (),
    unit: str = "auto",
    up: UpAxis = "auto",
    animation: str = "",
    root: str = "",
    json: bool = False,
) -> int:
    """Draw a motion: a strip of poses, angles, torques, contacts of the feet, or leg angles over the gait cycle.

    Args:
        clip: a motion file.
        kind: what to draw.
        out: .png, .svg or .pdf. Default: CLIP-KIND.png in the current folder. May be repeated.
        joint: only these joints (angles and torques). May be repeated.
        unit: of a file that does not say it: m, cm, mm, inch, cmu, or metres as a number; auto guesses.
        up: upward axis of a file that does not say it; write --up=-y for one that points down. auto guesses.
        animation: which animation of a .glb, .gltf or .fbx, by name.
        root: which figure of a .bvh that holds several, by the name of its root.
        json: print one JSON object on standard output.
    """
    from footfall.motion.editing.cutting import without_rest_frame
    from footfall.pictures.files import PLOT_SUFFIXES, save_picture

    files = check_files(out or (f"{Path(clip).stem}-{kind}.png",), PLOT_SUFFIXES)
    motion = without_rest_frame(load_clip(clip, unit=unit, up=up, animation=animation, root=root))
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
    motions = [without_rest_frame(load_clip(clip)) for clip in (first, second)]
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
    motion = load_clip(clip)
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
        "warnings": list(found.warnings),
    }
    written = str(save_periodic(found, path))
    if json:
        print_json(rows | {"files": [written]})
        return 0
    for warning in found.warnings:
        print(f"warning: {warning}")
    hidden = ("harmonics", "error", "warnings")
    print_table([[name, _text(value)] for name, value in rows.items() if name not in hidden])
    print_files([written])
    return 0


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


COMMANDS = {
    "info": info,
    "plot": plot,
    "compare": compare,
    "cycle": cycle,
    "stream": stream,
    "benchmark": benchmark,
}
