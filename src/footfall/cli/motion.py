"""``footfall motion``: read motion files and retarget them, look at them, average a cycle, stream steps of captured
clips, measure how a folder of clips comes over onto a figure.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro

from footfall.cli.arguments import (
    AS_IT_SAYS,
    HERE,
    Clip,
    Clips,
    Files,
    Folder,
    Jobs,
    MaybeFloat,
    Reading,
    Words,
    cluster_progress,
    loaded_figure,
    numbers_of,
    trimmed_clip,
)
from footfall.cli.onto import AS_IT_MOVES, BAD_FIT, ClipFile, carried, check_not_overwritten, print_fit
from footfall.cli.printing import (
    Answer,
    check_files,
    print_columns,
    progress,
    save_motion_files,
    value_text,
)
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.editing import mirrored, placed, without_rest_frame
from footfall.motion.formats.files import writable_suffixes
from footfall.motion.formats.periodic_file import save_periodic
from footfall.motion.gait.feet import facing_angle, path_length
from footfall.motion.gait.measures import animal_warning, foot_quality, joint_profiles, profile_correlation, summary
from footfall.motion.quaternion import wrapped_angle
from footfall.motion.retargeting import benchmark
from footfall.motion.retargeting.joint_map import read_joint_map
from footfall.motion.retargeting.retarget import retarget
from footfall.motion.synthesis.graph import MotionGraph
from footfall.motion.synthesis.periodic import periodic_motion
from footfall.pictures.files import PICTURE_SUFFIXES, save_picture
from footfall.pictures.page import PLOT_SUFFIXES, save_figure
from footfall.pictures.plots import plot_profiles
from footfall.pictures.strips import strips
from footfall.text_files import make_folder


def import_(
    clip: Clip,
    onto: str = "",
    map: str = "",
    reading: Reading = AS_IT_SAYS,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    mirror: bool = False,
    keep_place: bool = False,
    keep_bad: bool = False,
    written_as: ClipFile = AS_IT_MOVES,
    out: Files = (),
) -> Answer:
    """Read a clip: normalise units, axes and heading, cut, resample, and retarget onto a figure if one is named.

    With --onto character.glb, a .glb or .gltf keeps the character's mesh, skin, materials, morphs, armature and scale,
    and gets one more animation. A result whose verdict is BAD is not written and the exit status is 3, unless
    --keep-bad is given.

    Args:
        clip: a motion file (docs/motion.md lists the formats).
        onto: a figure to retarget onto, by name (footfall show) or file, or a motion file with your character's
            skeleton. Default: keep the clip's own skeleton.
        map: a file with lines TARGET = SOURCE, for joints whose names are not recognised.
        start: first second to keep.
        end: last second to keep.
        mirror: swap left and right.
        keep_place: keep the motion's position and heading instead of starting at the origin, facing x.
        keep_bad: write a retargeted motion, and exit with status 0, even where its verdict is BAD.
        out: a file to write: motion (.npz .csv .bvh .glb .usd .fbx) or picture (.png .svg .pdf .gif .mp4 .html).
            Default: CLIP.npz in the current folder. May be repeated.
    """
    files = check_files(out or (f"{Path(clip).stem}.npz",), (*writable_suffixes(), *PICTURE_SUFFIXES))
    check_not_overwritten(files, (clip, onto))
    joints = read_joint_map(map) if map else None
    motion = without_rest_frame(reading.load(clip))
    warning = animal_warning(motion)
    motion = trimmed_clip(motion, start, end)
    motion = mirrored(motion) if mirror else motion
    report: dict[str, Any] = {}
    if onto:
        motion, result = carried(motion, onto, joints, place=not keep_place)
        report = {"retarget": result.as_dict()}
    elif not keep_place:
        motion = placed(motion)
    motion = written_as.ready(motion)
    refused = bool(report) and not report["retarget"]["fidelity"]["good"] and not keep_bad
    written = [] if refused else written_as.save(motion, files, onto)

    def say() -> None:
        if warning:
            print(f"warning: {warning}")
        if report:
            print_fit(report["retarget"], refused=refused)
        for note in motion.source.get("notes", ()):
            print(f"note: {note}")

    data = summary(motion) | {"warnings": [warning] if warning else []} | report
    return Answer(data, say, written, status=BAD_FIT if refused else 0)


def benchmark_clips(
    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")],
    onto: str = "human",
    map: str = "",
    out: Folder = None,
    jobs: Jobs = HERE,
) -> Answer:
    """Retarget every clip of a folder and report how like its source each result is.

    For each clip: degrees between the limbs of source and result (median / worst frame, the worse side), correlation
    of knees and elbows over time, the fastest coordinate, feet. Clips that footfall refuses are listed with the reason.

    Args:
        folder: a folder of motion files, sub-folders included, or one file.
        onto: a figure, by name (footfall show) or file.
        map: a file with lines TARGET = SOURCE, for joints that names do not match.
        out: a folder for pictures of source and result side by side, one for each clip; it is created if it does not
            exist.
    """
    joints = read_joint_map(map) if map else None
    figure = Figure.load(onto)
    draw = None if out is None else partial(_draw, make_folder(out))
    with progress("clips") as show, jobs.opened(show) as executor:
        watch = cluster_progress(show, "clips", executor)
        rows = benchmark.benchmark(folder, figure, joints=joints, watch=watch, show=draw, executor=executor)
    total = benchmark.summary_of(rows)
    answer = {"figure": onto} | total | {"rows": [row.as_dict() for row in rows]}
    return Answer(answer, lambda: _print_benchmark(rows, total, onto))


def _print_benchmark(rows: Sequence[Any], total: dict[str, Any], onto: str) -> None:
    bad = [row.clip for row in rows if row.outcome == "bad"]
    named = f" ({', '.join(bad[:3])}{' …' if len(bad) > 3 else ''})" if bad else ""
    print(
        f"{total['bad']} of {total['clips']} clips are BAD on {onto}{named}; "
        f"{total['good']} good, {total['refused']} refused"
    )
    kinds = [kind.replace("_", " ") for kind in benchmark.KINDS]
    head = ["clip", *kinds, "knee", "elbow", "rad/s", "limited", "slide cm", "CPU s", "verdict"]
    table = [head]
    for row in rows:
        if row.report is None:
            table.append([row.clip, *["–"] * (len(head) - 2), f"refused: {row.refused}"])
            continue
        found = row.report.fidelity
        cells = [row.clip]
        for kind in benchmark.KINDS:
            difference = found.worst(kind)
            cells.append("–" if difference is None else f"{difference.median:.1f}/{difference.worst:.0f}")
        for kind in ("knee", "elbow"):
            value = found.least_bend(kind)
            cells.append("–" if value is None else f"{value:.3f}")
        cells.append("–" if found.fastest is None else f"{found.fastest:.0f}")
        cells += [f"{100 * row.report.limited:.0f} %", f"{100 * row.report.after.slide:.1f}"]
        cells += [f"{row.cpu_seconds:.2f}", row.report.verdict()]
        table.append(cells)
    print_columns(table)
    limbs = ", ".join(f"{kind.replace('_', ' ')} {value['median']:.1f}°" for kind, value in total["limbs_deg"].items())
    print(f"median over clips: {limbs}")
    cost = total["cpu_seconds"]
    if cost is not None:
        print(
            f"processor time of reading and retargeting: {cost['minute']:.1f} s for a minute at 120 frames a second, "
            f"{cost['clip']:.1f} s of it whatever the length (a line through all clips)"
        )


def _draw(folder: Path, clip: str, source: Any, result: Any, report: Any) -> None:
    name = clip.replace("/", "-").replace("\\", "-")
    times = {"every": source.seconds / 6, "seconds": source.seconds}
    motions, cameras = {"source": source, "result": result}, ("side", "front")
    figure = strips(motions, cameras=cameras, title=f"{clip}: {report.verdict()}", **times)
    save_figure(figure, folder / f"{name}.png")


def stream(
    clips: Clips,
    seconds: float = 10.0,
    heading: Words = (),
    speed: Words = (),
    style: str = "",
    onto: str = "",
    mirror: bool = True,
    out: Files = (),
) -> Answer:
    """Join steps of clips to a walk along given headings, by a motion graph (Data-Driven Biped Control, section 6).

    Args:
        clips: motion files of one skeleton; with --onto, of any skeletons.
        seconds: how long to walk, at least.
        heading: direction to face in degrees, positive to the left: --heading 90, or --heading=-90@4 from second 4 on.
            May be repeated.
        speed: metres a second: 1.2, or 0@8 from second 8 on. May be repeated. Default: any speed.
        style: a clip whose steps to prefer, by its file's name without suffix.
        onto: a figure to retarget all clips onto first.
        mirror: use every step mirrored too.
        out: a file to write: motion or picture. Default: stream.npz in the current folder. May be repeated.
    """
    files = check_files(out or ("stream.npz",), (*writable_suffixes(), *PICTURE_SUFFIXES))
    if not clips:
        raise FootfallError("stream: name at least one clip")
    if not 0 < seconds <= 3600:
        raise FootfallError(f"stream: {seconds:g} seconds; give a number above 0 and up to 3600")
    towards = parse_requests(heading or ("0",), "heading")
    pace = parse_requests(speed, "speed") if speed else None
    figure = loaded_figure(onto)
    graph = MotionGraph({Path(clip).stem: _clip(clip, figure) for clip in clips}, mirror=mirror)
    motion, path = graph.stream(
        seconds, heading=lambda time: float(np.deg2rad(towards(time))), speed=pace, style=style or None
    )
    if figure is not None:
        motion = type(motion).from_qpos(figure, motion.times, motion.to_qpos(figure), source=motion.source)
    late = motion.times > motion.times[-1] - min(2.0, 0.5 * motion.seconds)
    wanted = np.deg2rad([towards(float(time)) for time in motion.times])
    away = wrapped_angle(facing_angle(motion) - wanted)
    feet = foot_quality(motion)
    rows: dict[str, Any] = {
        "clips": [Path(clip).stem for clip in clips],
        "fragments": len(graph.fragments),
        "steps": len(path),
        "seconds": round(motion.seconds, 4),
        "speed_mps": round(path_length(motion) / motion.seconds, 4),
        "heading_error_deg": round(float(np.rad2deg(np.abs(away[late]).mean())), 2),
        "slide_m": round(feet.slide, 4),
        "slide_worst_m": round(feet.slide_worst, 4),
    }
    shown = [[name, value_text(value)] for name, value in rows.items()]
    return Answer(rows, lambda: print_columns(shown), save_motion_files(motion, files))


def _clip(clip: str, figure: Any) -> Any:
    motion = without_rest_frame(AS_IT_SAYS.load(clip))
    return motion if figure is None else retarget(motion, figure)[0]


def info(
    clip: Clip,
    reading: Reading = AS_IT_SAYS,
) -> Answer:
    """Print what is in a motion file: unit, axes, frames, speed, turn, footsteps, joints.

    Args:
        clip: a motion file (docs/motion.md lists the formats).
    """
    rows = summary(reading.load(clip))
    return Answer(rows, lambda: _print_info(rows))


def _print_info(rows: Mapping[str, Any]) -> None:
    shown = {name: value for name, value in rows.items() if value not in ("", [], None)}
    for name in ("unit", "up"):
        if shown.pop(f"{name}_from", "") == "guess":
            shown[name] = f"{shown[name]} (a guess: name it with --{name} if it is wrong)"
    for word in ("warning", "note"):
        found = shown.pop(f"{word}s", [])
        for line in found if isinstance(found, list) else []:
            print(f"{word}: {line}")
    print_columns([[name, value_text(value)] for name, value in shown.items()])


def plot(
    clip: Clip,
    kind: Literal["strip", "angles", "torques", "contacts", "profiles"] = "strip",
    out: Files = (),
    joint: Words = (),
    reading: Reading = AS_IT_SAYS,
) -> Answer:
    """Draw a motion: a strip of poses, angles, torques, contacts of the feet, or leg angles over the gait cycle.

    Args:
        clip: a motion file.
        kind: what to draw.
        out: .png, .svg or .pdf. Default: CLIP-KIND.png in the current folder. May be repeated.
        joint: only these joints (angles and torques). May be repeated.
    """
    files = check_files(out or (f"{Path(clip).stem}-{kind}.png",), PLOT_SUFFIXES)
    motion = without_rest_frame(reading.load(clip))
    options: dict[str, Any] = {"joints": joint} if joint and kind in ("angles", "torques") else {}
    written = [str(save_picture(motion, path, kind=kind, **options)) for path in files]
    return Answer({}, lambda: None, written)


def compare(
    first: Clip,
    second: Clip,
    out: Files = (),
) -> Answer:
    """Compare two motions: speed, steps, and the leg angles over the gait cycle with their correlation.

    Args:
        first: a motion file.
        second: another.
        out: .png, .svg or .pdf with both profiles. May be repeated.
    """
    files = check_files(out, PLOT_SUFFIXES)
    motions = [without_rest_frame(AS_IT_SAYS.load(clip)) for clip in (first, second)]
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

    def say() -> None:
        print_columns([["", *names], *[[n, value_text(rows[0].get(n)), value_text(rows[1].get(n))] for n in kept]])
        print_columns([[f"correlation of the {joint}", f"{r:.3f}"] for joint, r in answer["correlation"].items()])

    return Answer(answer, say, written)


def cycle(
    clip: Clip,
    onto: str = "",
    joint: str = "",
    accuracy: float = 0.01,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    out: str = "",
) -> Answer:
    """Average a walk to one cycle of a few Fourier coefficients, in a text file (SIMBICON, section 5).

    Args:
        clip: a motion file with several cycles of walking.
        onto: a figure to retarget onto first; its joint angles then make the cycle.
        joint: the coordinate that gives period and phase. Default: the right hip.
        accuracy: largest root mean square error of the harmonics kept, in radians or metres.
        start: first second to use.
        end: last second to use.
        out: a .toml file. Default: CLIP-cycle.toml in the current folder.
    """
    (path,) = check_files((out or f"{Path(clip).stem}-cycle.toml",), (".toml",))
    motion = AS_IT_SAYS.load(clip)
    motion = trimmed_clip(motion, start, end)
    if (figure := loaded_figure(onto)) is not None:
        motion, _ = retarget(motion, figure)
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

    def say() -> None:
        for warning in found.warnings:
            print(f"warning: {warning}")
        hidden = ("harmonics", "error", "warnings")
        print_columns([[name, value_text(value)] for name, value in rows.items() if name not in hidden])

    return Answer(rows, say, [save_periodic(found, path)])


COMMANDS = {
    "import": import_,
    "info": info,
    "plot": plot,
    "compare": compare,
    "cycle": cycle,
    "stream": stream,
    "benchmark": benchmark_clips,
}


def parse_requests(words: Sequence[str], what: str) -> Callable[[float], float]:
    """A function of time from words VALUE or VALUE@SECONDS: each holds from its time until the next.

    Args:
        words: one or more; a word without a time starts at 0.
        what: what is wanted, for errors.
    """
    form = "VALUE or VALUE@SECONDS, as in 90@4"
    steps = sorted(
        (numbers_of(at or "0", what, form, 1)[0], numbers_of(value, what, form, 1)[0])
        for value, _, at in (word.partition("@") for word in words)
    )
    if not steps:
        raise FootfallError(f"{what}: give a number, or several with the second from which they hold, as in 90@4")
    if len({time for time, _ in steps}) < len(steps):
        raise FootfallError(f"{what}: two values start at the same second")

    def wish(time: float) -> float:
        held = [value for start, value in steps if start <= time]
        return held[-1] if held else steps[0][1]

    return wish
