"""``footfall motion stream``: walk where you want, in steps of captured clips."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.cli.arguments import Clips, Files, Words
from footfall.cli.motion_files import load_clip, report_files
from footfall.cli.printing import check_files, print_table, save_motion_files
from footfall.errors import FootfallError


def stream(
    clips: Clips,
    seconds: float = 10.0,
    heading: Words = (),
    speed: Words = (),
    style: str = "",
    onto: str = "",
    mirror: bool = True,
    out: Files = (),
    json: bool = False,
) -> int:
    """Walk where you want: steps of clips, joined by a motion graph (Data-Driven Biped Control, section 6).

    Args:
        clips: motion files of one skeleton; with --onto, of any.
        seconds: how long to walk, at least.
        heading: direction to face in degrees, positive to the left: --heading 90, or --heading=-90@4 from second 4 on.
            May be repeated.
        speed: metres a second: 1.2, or 0@8 from second 8 on. May be repeated; without it any speed will do.
        style: a clip whose steps to prefer, by its file's name without suffix.
        onto: a figure to retarget all clips onto first.
        mirror: use every step mirrored too.
        out: a file to write: motion or picture. Default: stream.npz in the current folder. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.motion.formats.files import writable_suffixes
    from footfall.motion.gait.heading import facing_angle, path_length
    from footfall.motion.gait.measures import foot_quality
    from footfall.motion.quaternion import wrap_angle
    from footfall.motion.synthesis.graph import MotionGraph
    from footfall.motion.synthesis.requests import parse_requests
    from footfall.pictures.files import PICTURE_SUFFIXES

    files = check_files(out or ("stream.npz",), (*writable_suffixes(), *PICTURE_SUFFIXES))
    if not clips:
        raise FootfallError("stream: name at least one clip")
    if not 0 < seconds <= 3600:
        raise FootfallError(f"stream: {seconds:g} seconds; give a number above 0 and up to 3600")
    towards = parse_requests(heading or ("0",), "heading")
    pace = parse_requests(speed, "speed") if speed else None
    figure = _figure(onto)
    graph = MotionGraph({Path(clip).stem: _clip(clip, figure) for clip in clips}, mirror=mirror)
    motion, path = graph.stream(
        seconds, heading=lambda time: float(np.deg2rad(towards(time))), speed=pace, style=style or None
    )
    if figure is not None:
        motion = type(motion).from_qpos(figure, motion.times, motion.to_qpos(figure), source=motion.source)
    late = motion.times > motion.times[-1] - min(2.0, 0.5 * motion.seconds)
    wanted = np.deg2rad([towards(float(time)) for time in motion.times])
    away = wrap_angle(facing_angle(motion) - wanted)
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
    written = save_motion_files(motion, files)
    if not json:
        print_table(
            [[name, ", ".join(value) if isinstance(value, list) else str(value)] for name, value in rows.items()]
        )
    report_files(written, rows, json)
    return 0


def _figure(name: str) -> Any:
    if not name:
        return None
    from footfall.figures import Figure

    return Figure.load(name)


def _clip(clip: str, figure: Any) -> Any:
    from footfall.motion.editing.cutting import without_rest_frame
    from footfall.motion.retargeting.retarget import retarget

    motion = without_rest_frame(load_clip(clip))
    return motion if figure is None else retarget(motion, figure)[0]
