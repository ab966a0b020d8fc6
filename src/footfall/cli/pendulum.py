"""``footfall pendulum``: walking in closed form with 3LP."""

import itertools
import math
from typing import Any, Literal

import numpy as np

from footfall.cli.arguments import Files, MaybeFloat, MaybeInt, MaybeText, Precision, Words, numbers_of
from footfall.cli.printing import Answer, check_files, print_columns, save_motion_files, value_text
from footfall.errors import FootfallError
from footfall.methods.pendulum import (
    Gait,
    Person,
    Trajectory,
    Walk,
    gradual_change,
    human_walk,
    periodic_gait,
    record_walk,
    torque_profile,
    walk_motion,
)
from footfall.methods.pendulum.crowd import bench_crowd
from footfall.motion.formats.files import writable_suffixes
from footfall.pictures.files import PICTURE_SUFFIXES
from footfall.push import parse_push


def pendulum(
    height: float = 1.7,
    mass: float = 70.0,
    speed: float = 1.0,
    frequency: MaybeFloat = None,
    double_support: MaybeFloat = None,
    clearance: MaybeFloat = None,
    step_width: MaybeText = None,
    slope: float = 0.0,
    tilt: MaybeFloat = None,
    drag: float = 0.0,
    human: bool = False,
    paper_style: bool = False,
    pelvis: Literal["adaptive", "fixed"] = "adaptive",
    seconds: float = 8.0,
    fps: float = 60.0,
    push: Words = (),
    change: Words = (),
    turn: Words = (),
    out: Files = (),
    crowd: int = 0,
    device: str = "cpu",
    precision: Precision = None,
    threads: MaybeInt = None,
) -> Answer:
    """Walk in closed form (3LP): a gait for any body, speed and ground, pushed, changed and turned while it walks.

    Args:
        height: height of the walker, m.
        mass: mass of the walker, kg.
        speed: walking speed, m/s; negative walks backward.
        frequency: footsteps per second. Default 1.7.
        double_support: share of a step in double support, 0 to 0.4. Default 0.15.
        clearance: lift of the swing toe, as a share of the leg. Default 0.05.
        step_width: distance between the feet in m, or least-hip-torque. Default: half the pelvis.
        slope: slope of the ground, degrees, uphill positive.
        tilt: tilt of the torso, degrees, forward positive. Default: upright.
        drag: constant force on the pelvis, N, forward positive.
        human: choose frequency, double support, clearance and tilt as people do at this speed.
        paper_style: land flat-footed with a still pelvis, at the paper's pelvis height.
        pelvis: height of the pelvis: the paper's adaptive mixture, or the fixed one (for steady forward walking).
        seconds: how long to walk.
        fps: frames per second.
        push: a push, FORCE@START:DURATION on the pelvis, newtons forward or X,Y, as in 50@2:0.6. May be repeated.
        change: a change of gait, SPEED[,FREQUENCY[,DOUBLE_SUPPORT]]@TIME, spread over as many steps as it needs. May be
            repeated.
        turn: a turn, DEGREES@TIME: degrees with each step from then on, left positive. May be repeated.
        out: a file: .png .svg .pdf (poses), .gif .mp4 .html (film), .npz .csv .bvh .glb (motion). May be repeated.
        crowd: measure the speed of this many walkers instead.
        device: where a crowd is computed: cpu, cuda or cuda:N.
        precision: number format of a crowd. Default float64 on a CPU, float32 on a GPU.
        threads: CPU threads of a crowd. Default: one per core.
    """
    if crowd:
        return _crowd(crowd, device, precision, threads)

    files = check_files(out, (*PICTURE_SUFFIXES, *writable_suffixes()))
    body = Person.of(height, mass)
    given = {"frequency": frequency, "double_support": double_support, "clearance": clearance}
    given["tilt"] = None if tilt is None else math.radians(tilt)
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    chosen |= {"slope": math.radians(slope), "drag": drag, "step_width": _width(step_width)}
    chosen |= {"fixed_height": float(pelvis == "fixed")}
    if paper_style:
        chosen |= {"stretch": 0.0, "flap": 0.0, "pelvis_turn": 0.0, "pelvis_drop": 0.0}
    walk = _walk(body, speed, chosen, human)
    gait = periodic_gait(body, walk)
    pushes = [parse_push(text) for text in push]
    changes = _changes(body, walk, chosen, human, change)
    turns = dict(_at(text, "turn", "DEGREES@TIME") for text in turn)
    trajectory = record_walk(
        gait,
        seconds,
        fps=fps,
        pushes=pushes,
        changes=changes,
        turns={time: math.radians(values[0]) for time, values in turns.items()},
    )
    answer = _answer(gait, trajectory, bool(pushes))
    written = save_motion_files(walk_motion(trajectory), files) if files else []
    return Answer(answer, lambda: _print(answer), written)


def _walk(body: Person, speed: float, chosen: dict[str, Any], human: bool) -> Walk:
    return human_walk(body, speed, **chosen) if human else Walk(speed=speed, **chosen)


def _width(text: str | None) -> float | str | None:
    try:
        return text if text is None else float(text)
    except ValueError:
        return text


def _at(text: str, what: str, form: str) -> tuple[float, list[float]]:
    """(time, values) of VALUE[,VALUE…]@TIME."""
    left, _, right = text.partition("@")
    form = f"{form}, as in 1.4@3"
    values, time = numbers_of(left, what, form), numbers_of(right, what, form, 1)[0]
    if time < 0:
        raise FootfallError(f"{what} '{text}': give a time of 0 s or later")
    return time, values


def _changes(
    body: Person, walk: Walk, chosen: dict[str, Any], human: bool, texts: tuple[str, ...]
) -> dict[float, Gait]:
    form = "SPEED[,FREQUENCY[,DOUBLE_SUPPORT]]@TIME"
    asked = sorted(_at(text, "change", form) for text in texts)
    gaits: dict[float, Gait] = {}
    for time, values in asked:
        if len(values) > 3:
            raise FootfallError(f"change at {time:g} s has {len(values)} numbers: write {form}")
        new = dict(zip(("frequency", "double_support"), values[1:], strict=False))
        after = _walk(body, values[0], chosen | new, human)
        gaits |= gradual_change(body, walk, after, time)
        walk = after
    return gaits


def _answer(gait: Gait, walk: Trajectory, pushed: bool) -> dict[str, Any]:
    c = gait.stride.take(0)
    profile = torque_profile(gait, 51)
    steps = walk.footsteps[0]
    lengths = [math.hypot(b.x - a.x, b.y - a.y) for a, b in itertools.pairwise(steps)]
    way = walk.pelvis()[:, 0]
    seconds = float(walk.times[-1] - walk.times[0])
    recovered = bool(walk.recovered[0])
    return {
        "height_m": gait.body.height[0],
        "mass_kg": gait.body.mass[0],
        "speed_mps": float(np.asarray(gait.walk.speed).reshape(-1)[0]),
        "frequency_hz": 1.0 / c.duration,
        "step_time_s": c.duration,
        "double_support": c.double_time / c.duration,
        "step_length_m": gait.step_length[0],
        "step_width_m": gait.step_width[0],
        "start": {
            "swing_foot_m": [c.start_sx, c.start_sy],
            "pelvis_m": [c.start_px, c.start_py],
            "pelvis_velocity_mps": [c.start_vx, c.start_vy],
        },
        "torques": {
            "time_s": profile.times,
            "swing_hip_sagittal_nm": profile.swing_hip_y,
            "swing_hip_lateral_nm": profile.swing_hip_x,
            "stance_hip_sagittal_nm": profile.stance_hip_y,
            "stance_hip_lateral_nm": profile.stance_hip_x,
            "stance_ankle_sagittal_nm": profile.stance_ankle_y,
            "rear_ankle_sagittal_nm": profile.swing_ankle_y,
        },
        "regulator_gain": gait.regulator.gain[0],
        "closed_loop": sorted(np.abs(np.linalg.eigvals(gait.regulator.closed_loop[0])).tolist(), reverse=True),
        "seconds": seconds,
        "distance_m": float(np.hypot(*(way[-1] - way[0]))),
        "mean_speed_mps": float(np.hypot(*np.diff(way, axis=0).T).sum()) / seconds if seconds else None,
        "longest_step_m": max(lengths, default=None),
        "longest_step_of_leg": max(lengths) / float(c.leg) if lengths else None,
        "pushed": pushed,
        "fell": bool(walk.fell[0]),
        "recovered": recovered,
        "error_at_end": float(walk.state["error"][-1, 0]),
        "footsteps": [
            {"time_s": s.time, "side": s.side, "x_m": s.x, "y_m": s.y, "heading_rad": s.heading} for s in steps
        ],
    }


def _print(answer: dict[str, Any]) -> None:
    start = answer["start"]

    def pair(values: Any) -> str:
        return ", ".join(f"{float(v):+.4f}" for v in values)

    end = "fell" if answer["fell"] else "recovered" if answer["recovered"] else "still off its gait at the end"
    rows = [
        ("walk", f"{answer['speed_mps']:g} m/s, {answer['frequency_hz']:.3g} footsteps/s, "
                 f"double support {100 * answer['double_support']:.3g} %"),
        ("step", f"{float(answer['step_length_m']):.4g} m long, {float(answer['step_width_m']):.4g} m wide, "
                 f"{float(answer['step_time_s']):.4g} s"),
        ("swing foot at start", pair(start["swing_foot_m"]) + " m"),
        ("pelvis at start", pair(start["pelvis_m"]) + " m"),
        ("pelvis velocity", pair(start["pelvis_velocity_mps"]) + " m/s"),
        ("swing hip torque", _range(answer["torques"]["swing_hip_sagittal_nm"])),
        ("stance hip torque", _range(answer["torques"]["stance_hip_sagittal_nm"])),
        ("stance ankle torque", _range(answer["torques"]["stance_ankle_sagittal_nm"])),
        ("walked", f"{answer['distance_m']:.4g} m in {answer['seconds']:.4g} s, {len(answer['footsteps'])} footsteps"),
    ]  # fmt: skip
    if answer["pushed"] or answer["fell"]:
        longest = answer["longest_step_of_leg"]
        rows.append(("pushed", end + (f"; longest step {longest:.3g} leg lengths" if longest else "")))
    print_columns(rows, indent="")


def _range(values: Any) -> str:
    return f"{float(np.min(values)):.1f} to {float(np.max(values)):.1f} N m"


def _crowd(count: int, device: str, precision: Precision, threads: int | None) -> Answer:
    result = bench_crowd(count, device=device, precision=precision, threads=threads)
    rows = [(name.replace("_", " "), value_text(value)) for name, value in result.items()]
    return Answer(result, lambda: print_columns(rows))
