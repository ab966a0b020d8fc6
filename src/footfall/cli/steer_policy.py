"""``footfall steer --policy``, and characters of networks: a policy follows a walk that is played on a motion graph of
clips."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cli.printing import check_files, print_json
from footfall.cli.progress import progress
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.methods.network.steered_network import SteeredNetwork
    from footfall.study.imitation.directing import Leg

SUFFIXES = (".toml", ".png", ".gif", ".mp4", ".bvh", ".glb", ".csv")


def steer_by_policy(
    character: "SteeredNetwork",
    left_out: list[tuple[str, str]],
    way: tuple[list[list[float]], list["Leg"]],
    *,
    minutes: int | None,
    speed: float,
    style: str,
    noise: float,
    seed: int,
    out: tuple[str, ...],
    json: bool,
) -> int:
    """Steer a policy along a path or by a sequence, or measure it in random minutes.

    Args:
        character: the policy and its clips. left_out: (file, reason) of clips that are not among them.
        way: points of a path and legs of a sequence, one of the two.
        minutes: of random steering, in place of a way.
        speed, style, noise, seed, out, json: as ``footfall steer`` has them.
    """
    files = check_files(out, SUFFIXES)
    if minutes is not None and not 1 <= minutes <= 10000:
        raise FootfallError(f"steer: --minutes is {minutes}; give 1 to 10000")
    with progress("steer", 1.0) as show:
        say = None if show is None else lambda done, what: show(done, 1.0, what)
        if minutes is not None:
            return _measure(character, minutes, seed, left_out, say, json=json)
        result, answer = _walk(character, way, speed=speed, style=style, noise=noise, seed=seed)
    graph = character.graph
    written = []
    for file in files:
        if file.suffix == ".toml":
            from footfall.control.registry import save_controller

            if result.fell:
                continue
            save_controller(result.controller, file)
        else:
            from footfall.pictures import save

            save(result.motion, file)
        written.append(str(file))
    answer |= {"graph_steps": len(graph.steps), "left_out": left_out, "files": written}
    if json:
        print_json(answer)
    else:
        _print(answer, unwritten=len(written) < len(files))
    return 0


def character_of(clips: list[tuple[str, Path]], policy: str) -> tuple["SteeredNetwork", list[tuple[str, str]]]:
    """A policy with the steps of clips, (style, motion file) each, or with those that come with footfall; and (file,
    reason) of clips that were left out."""
    from footfall.control.registry import load_controller
    from footfall.figures import Figure
    from footfall.methods.network.steered_network import SteeredNetwork
    from footfall.study.imitation.policy import check_policy
    from footfall.study.imitation.steered_policy import made_clips, read_clips

    tracker = check_policy(load_controller(policy))
    body = Figure.load(tracker.figure)
    if not clips:
        return SteeredNetwork("steered", tracker, tuple(made_clips(load_controller("steered-walk"), body))), []
    with progress("steer", 1.0) as show:
        made, left_out = read_clips(clips, body, None if show is None else lambda done, what: show(done, 1.0, what))
    return SteeredNetwork("steered", tracker, tuple(made)), left_out


def _walk(
    character: "SteeredNetwork", way: tuple[Any, Any], *, speed: float, style: str, noise: float, seed: int
) -> tuple[Any, dict[str, Any]]:
    """The result of a walk on the way, and what is said of it."""
    import numpy as np

    from footfall.methods.tracking.played_steps import PlayedSteps
    from footfall.study.imitation.directing import along_path, by_sequence, distances
    from footfall.study.imitation.steered_policy import halted, steer_policy

    (points, legs), graph = way, character.graph
    walk = PlayedSteps(graph, style=style)
    walk.direct(speed=speed)
    arrived: bool | None = None
    if points:
        arrived = along_path(walk, points)[1]
    else:
        by_sequence(walk, legs)
    asked = len(walk.frames)
    result = steer_policy(character.policy, halted(walk), noise=noise, seed=seed)
    shown = result.motion.root_position[:asked, :2]
    return result, {
        "fell": result.fell,
        "seconds": round(result.seconds, 3),
        "steps": result.steps,
        "distance_m": round(result.distance, 3),
        "heading_error_deg": None if points else _known(result.heading_error),
        "speed_error_m_s": None if points else _known(result.speed_error),
        "path_error_m": _known(float(np.mean(distances(points, shown)))) if points else None,
        "off_walk_m": _known(result.off_walk),
        "arrived": None if arrived is None else arrived and not result.fell,
        "clips_used": list(dict.fromkeys(graph.steps[k].clip for k in walk.walked if k >= 0)),
    }


def _measure(
    character: "SteeredNetwork", minutes: int, seed: int, left_out: list[tuple[str, str]], say: Any, *, json: bool
) -> int:
    import numpy as np

    from footfall.study.imitation.steered_policy import random_minutes

    graph = character.graph
    found = random_minutes(character.policy, graph, minutes, seed=seed, progress=say)
    used = {clip for minute in found for clip in minute.clips}
    answer = {
        "minutes_up": sum(not minute.fell for minute in found),
        "minutes": minutes,
        "heading_error_deg": _known(float(np.nanmean([minute.heading_error for minute in found]))),
        "speed_error_m_s": _known(float(np.nanmean([minute.speed_error for minute in found]))),
        "fastest_m_s": _known(max(minute.fastest for minute in found)),
        "clips": len(graph.clips),
        "clips_used": len(used),
        "graph_steps": len(graph.steps),
        "left_out": left_out,
        "each": [_row(minute) for minute in found],
    }
    if json:
        print_json(answer)
        return 0
    print(f"up in {answer['minutes_up']} of {minutes} random minutes; steps of {len(used)} of {len(graph.clips)} clips")
    print(f"  heading {answer['heading_error_deg']} degrees off, speed {answer['speed_error_m_s']} m/s, on average")
    print(f"  fastest second: {answer['fastest_m_s']} m/s")
    _print_left_out(left_out)
    return 0


def _row(minute: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(minute).items() if name != "path"} | {"clips": list(minute.clips)}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def _print(answer: dict[str, Any], *, unwritten: bool) -> None:
    ending = f"fell after {answer['seconds']:.1f} s" if answer["fell"] else f"walked for {answer['seconds']:.1f} s"
    print(f"{ending}, {answer['steps']} steps, {answer['distance_m']:.1f} m; from {answer['graph_steps']} steps")
    if answer["arrived"] is not None and not answer["fell"]:
        print("  it reached the last point" if answer["arrived"] else "  it did not reach the last point in time")
    if answer["path_error_m"] is not None:
        print(f"  it was {answer['path_error_m']:.2f} m from the path on average")
    if answer["heading_error_deg"] is not None:
        print(
            f"  its heading was {answer['heading_error_deg']:.1f} degrees off on average, "
            f"its speed {answer['speed_error_m_s']:.2f} m/s"
        )
    _print_left_out(answer["left_out"])
    if answer["files"]:
        print(f"  wrote {', '.join(answer['files'])}")
    if unwritten:
        print("  the controller was not written, for it falls")


def _print_left_out(left_out: list[tuple[str, str]]) -> None:
    for file, why in left_out:
        print(f"  left out {file}: {why}")
