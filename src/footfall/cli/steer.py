"""``footfall steer``: a simulated character that walks where it is sent, step by step from captured clips."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import tyro

from footfall.cli.arguments import Files, MaybeInt, MaybeText, numbers_of, serve
from footfall.cli.printing import Answer, check_files, progress
from footfall.control.registry import controller_names, kind_of, load_controller, save_controller
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion.retargeting.benchmark import clips_in
from footfall.pictures import save
from footfall.simulation.mujoco_engine import MujocoSimulation
from footfall.simulation.mujoco_scene import stacked_boxes
from footfall.study.imitation.asked_walks import AskedSteering, asked_at_random, is_asked
from footfall.study.imitation.clips import read_clips, retargeted_clips
from footfall.study.imitation.network_follower import check_policy
from footfall.study.imitation.pictures import save_box_film
from footfall.study.imitation.random_steering import random_minutes
from footfall.study.imitation.steering import Steered, Stretch, clip_graph, steered_controller, steered_walk

BUILT_IN = "steered-walk"
"""The steps that come with footfall."""
SUFFIXES = (".gif", ".mp4", ".bvh", ".glb", ".csv")
"""Files that a walk is written to; of a network also those of its controller and of its poses."""


def steer(
    clips: tyro.conf.Positional[tuple[str, ...]] = (),
    figure: MaybeText = None,
    policy: MaybeText = None,
    path: str = "",
    sequence: str = "",
    speed: float = 1.0,
    style: str = "",
    boxes: str = "",
    minutes: MaybeInt = None,
    live: bool = False,
    port: int = 8080,
    start_noise: float = 0.0,
    seed: int = 1,
    out: Files = (),
) -> Answer:
    """Steer a simulated character along a path, or by a sequence of directions, speeds and styles.

    The steps of all clips form a motion graph. While the character walks, the next step is chosen, blended and bent so
    that it goes where it should; it keeps its balance as under footfall imitate.

    Args:
        clips: motion files (.bvh and others); STYLE=FILE names the style of a clip, which is "normal" otherwise.
            Or one .toml file that footfall imitate made of a folder of clips.
            Or a controller that takes a heading while it walks, or a speed and a heading, by name or file: human,
            walk-3d, a robot's walk.
            Without any: steps that footfall made itself (styles normal, march and lean; 0.4 to 0.9 m/s).
        figure: a built-in figure, or a file (.xml, .urdf and others): the body that takes the clips' steps, or that of
            a robot's walk. Default: mocap-biped, or the controller's own.
        policy: a .toml file of a trained policy that follows clips (footfall train). footfall joins the clips' steps to
            a walk without physics, and the policy follows this walk on its own figure, as in a file of footfall imitate
            FOLDER --law learned. Clips may then be folders too.
        path: points X,Y in metres, separated by spaces. The character starts at 0,0 and faces along x.
        sequence: directions one after another, SECONDS:DEGREES[:SPEED[:STYLE]], separated by spaces; degrees from the
            first heading, left positive. Speed 0 stops, where a clip comes to a stand.
        speed: speed on a path, metres a second.
        style: style of the steps. Default: the first clip's.
        boxes: stacks of three movable boxes at X,Y in metres, separated by spaces; the engine is then MuJoCo.
        minutes: for a network, instead of a path or a sequence: steer at random for this many minutes, each from a
            start disturbed by 0.03, and report how many minutes it stays up.
        live: instead of a path or a sequence, open the studio: steer the character by keys, a gamepad and points on the
            ground, push it, and edit its gains.
        port: the studio's port.
        start_noise: standard deviation of what is added to the start's velocities.
        seed: random seed of that noise.
        out: a .gif or .mp4 film, or a motion file (.bvh, .glb, .csv). For a network also a .png of poses, or a .toml
            controller: the policy with this walk. May be repeated.
    """
    if live and (path or sequence or boxes):
        raise FootfallError("steer: --live opens the studio to steer by hand; leave --path, --sequence and --boxes out")
    if minutes is not None and (path or sequence or out):
        raise FootfallError("steer: --minutes measures random steering; leave --path, --sequence and --out out")
    if not live and minutes is None and bool(path) == bool(sequence):
        raise FootfallError(
            'steer: give a path (--path "3,0 3,3") or a sequence (--sequence "5:0 5:90"), one of the two'
        )
    points = [numbers_of(word, "steer: path point", "X,Y", 2) for word in path.split()]
    stretches = [_stretch(word) for word in sequence.split()]
    known = None if policy is not None else _known(clips, figure)
    character, left_out = (known, []) if known is not None else _character(clips, policy, figure, boxes)
    played = _is_played(character)
    if live:
        return Answer({}, lambda: None, status=_open_studio(character, style, port))
    if is_asked(character, figure):
        how: dict[str, Any] = {"figure": figure, "noise": start_noise, "seed": seed}
        return _steer_asked(character, minutes, points, stretches, speed, how, out)
    if minutes is not None:
        if not played:
            raise FootfallError(
                "steer: --minutes measures networks that follow clips (--policy); footfall imitate FOLDER measures "
                "others"
            )
        return _measure(character, minutes, seed, left_out)
    files = check_files(out, ((".toml", ".png") if played else ()) + SUFFIXES)
    engine = _boxes_engine([numbers_of(word, "steer: stack of boxes", "X,Y", 2) for word in boxes.split()])

    walking: dict[str, Any] = {"speed": speed, "style": style, "noise": start_noise, "seed": seed}
    result = steered_walk(character, points, stretches, **walking, **engine)
    written = [str(file) for file in files if _save(result, file, engine)]
    answer = _answer(result, len(character.graph.steps)) | ({"left_out": left_out} if played else {})
    return Answer(answer, lambda: _print(answer, unwritten=len(written) < len(files)), written)


# -- the character -----------------------------------------------------------------------------------------------------


def _known(clips: tuple[str, ...], figure: str | None) -> Any:
    """The controller that is named, built in or in a file, where it can be steered as it is; None otherwise."""
    if len(clips) != 1 or not (clips[0] in controller_names() or clips[0].endswith(".toml")) or "=" in clips[0]:
        return None
    found = load_controller(clips[0])
    return found if is_asked(found, figure) or (figure is None and clips[0] in controller_names()) else None


def _is_played(character: Any) -> bool:
    """Whether a network follows what is played for it."""
    return kind_of(character).abilities(character).played


def _character(
    clips: tuple[str, ...], policy: str | None, figure: str | None, boxes: str
) -> tuple[Any, list[tuple[str, str]]]:
    """The walker, and (file, reason) of clips that were left out: a policy with clips, a file, clips on a figure, or
    the built-in steps."""
    left_out: list[tuple[str, str]] = []
    files = [word for word in clips if word.endswith(".toml")]
    found: Any
    if policy is not None:
        found, left_out = _with_policy([_clip(one) for word in clips for one in _in_folder(word)], policy)
    elif files:
        found = _from_file(clips)
    elif clips:
        found = _of_clips(clips, figure or "mocap-biped")
    else:
        found = load_controller(BUILT_IN)
    if _is_played(found) and (figure is not None or boxes):
        raise FootfallError("steer: a network walks on its own figure and ground; leave --figure and --boxes out")
    if files and figure is not None:
        raise FootfallError("steer: a .toml file has its own clips and figure; give only that file, without --figure")
    if not clips and figure is not None:
        raise FootfallError("steer: --figure needs clips whose steps it takes; the built-in steps are mocap-biped's")
    return found, left_out


def _with_policy(clips: list[tuple[str, Path]], policy: str) -> tuple[SteeredNetwork, list[tuple[str, str]]]:
    """A policy with the steps of clips, (style, motion file) each, or with those that come with footfall."""
    tracker = check_policy(load_controller(policy))
    body = Figure.load(tracker.figure)
    if not clips:
        return SteeredNetwork("steered", tracker, tuple(retargeted_clips(load_controller(BUILT_IN), body))), []
    with progress("steer", 1.0) as show:
        made, rows = read_clips(clips, body, lambda done, what: show(done, 1.0, what))
    left_out = [(row["clip"], row["left_out"]) for row in rows if row["left_out"]]
    return SteeredNetwork("steered", tracker, tuple(made)), left_out


def _from_file(clips: tuple[str, ...]) -> Any:
    """The character of a file."""
    if len(clips) > 1:
        raise FootfallError("steer: a .toml file has its own clips and figure; give only that file, without --figure")
    found = load_controller(clips[0])
    can = kind_of(found).abilities(found)
    if not is_asked(found) and not (can.follow and can.turn):
        raise FootfallError(
            f"steer: {clips[0]} cannot be steered, its law is '{found.law}'; footfall imitate FOLDER --out me.toml "
            "makes a file that can"
        )
    return found


def _of_clips(clips: tuple[str, ...], figure: str) -> SteeredController:
    """The motion graph of some clips on a figure."""
    graph = clip_graph([_clip(word) for word in clips], figure)
    return replace(steered_controller(graph, about=f"Steps of {', '.join(clips)}."), figure=figure)


def _in_folder(word: str) -> list[str]:
    """The clips that a word names: of a folder all, in the folder's style."""
    style, equals, folder = word.rpartition("=")
    return [f"{style}{equals}{file}" for file in clips_in(Path(folder))] if Path(folder).is_dir() else [word]


def _clip(word: str) -> tuple[str, Path]:
    style, _, file = word.rpartition("=")
    path = Path(file)
    if not path.is_file():
        raise FootfallError(f"clip {path} does not exist")
    return style or "normal", path


def _boxes_engine(stacks: list[list[float]]) -> dict[str, Any]:
    """What simulates a walk among stacks of boxes."""
    if not stacks:
        return {}

    return {"engine": MujocoSimulation, "boxes": stacked_boxes([(x, y) for x, y in stacks])}


def _stretch(word: str) -> Stretch:
    parts = word.split(":")
    try:
        seconds, *rest = (float(x) for x in parts[:3])
        if not rest or seconds <= 0 or len(parts) > 4:
            raise ValueError
    except ValueError:
        raise FootfallError(
            f"steer: sequence part '{word}'; write SECONDS:DEGREES, with :SPEED and :STYLE where wanted"
        ) from None
    stated: dict[str, Any] = dict(zip(("direction", "speed"), rest, strict=False))
    if len(parts) > 3:
        stated["style"] = parts[3]
    return Stretch(seconds, **stated)


def _steer_asked(
    controller: Any,
    minutes: int | None,
    points: list[list[float]],
    stretches: list[Stretch],
    speed: float,
    how: dict[str, Any],
    out: Files,
) -> Answer:
    """A character whose law takes a speed and a heading, at random or where it is sent."""
    if minutes is not None:
        own = {"figure": how["figure"], "seed": how["seed"]}
        with progress("steer", 1.0) as show:
            found = asked_at_random(
                controller, _checked(minutes), **own, progress=lambda done, what: show(done, 1.0, what)
            )

        def say() -> None:
            print(f"up in {found.up} of {minutes} random minutes")
            near, even = found.heading_within, found.speed_within
            print(f"  heading {found.heading_error:.1f} degrees off on average, less than 15 in {near:.1%} of the time")
            if not math.isnan(even):
                print(f"  speed {found.speed_error:.2f} m/s off on average, less than 0.15 in {even:.1%} of the time")
            print(f"  fastest second: {found.fastest:.2f} m/s")

        known = {name: value for name, value in asdict(found).items() if value == value}
        return Answer(known, say)
    files = check_files(out, SUFFIXES)
    walker = AskedSteering(controller, **how)
    walker.direct(0.0, speed)
    result = walker.sent(points, stretches)
    for file in files:
        save(result.motion, file)
    answer = _answer(result, 0)
    return Answer(answer, lambda: _print(answer, unwritten=False), list(map(str, files)))


# -- the walk ----------------------------------------------------------------------------------------------------------


def _open_studio(controller: SteeredController | SteeredNetwork, style: str, port: int) -> int:
    from footfall.studio import Studio

    if style and style not in controller.graph.styles():
        raise FootfallError(f"steer: {unknown_name('style', style, controller.graph.styles())}")
    studio = Studio(controller, port=port, folder=Path())
    if style:
        studio.session.loop.call(lambda: studio.steering.request(style))
    print(f"footfall studio at {studio.address} (Ctrl+C ends it)", flush=True)
    return serve(studio.stop)


def _save(result: Steered, file: Path, engine: dict[str, Any]) -> bool:
    """Write a file; False where nothing is written, for a controller that falls."""
    if file.suffix == ".toml" and result.controller is not None:
        if not result.fell:
            save_controller(result.controller, file)
        return not result.fell
    if result.boxes is not None and file.suffix in (".gif", ".mp4"):
        save_box_film(result.motion, [box.size for box in engine["boxes"]], result.boxes, file)
    else:
        save(result.motion, file)
    return True


def _answer(result: Steered, steps: int) -> dict[str, Any]:
    """What JSON says of a walk."""
    answer: dict[str, Any] = {
        "fell": result.fell,
        "seconds": round(result.seconds, 3),
        "steps": result.steps,
        "distance_m": round(result.distance, 3),
        "heading_error_deg": _number(result.heading_error),
        "path_error_m": _number(result.path_error),
        "arrived": result.arrived,
        "graph_steps": steps,
    }
    if result.controller is None:
        return answer
    played = {"speed_error_m_s": _number(result.speed_error), "off_walk_m": _number(result.off_walk)}
    return answer | played | {"clips_used": list(result.clips)}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 3)


def _print(answer: dict[str, Any], *, unwritten: bool) -> None:
    ending = f"fell after {answer['seconds']:.1f} s" if answer["fell"] else f"walked for {answer['seconds']:.1f} s"
    chosen = f"; chosen from {answer['graph_steps']} steps" if answer["graph_steps"] else ""
    print(f"{ending}, {answer['steps']} steps, {answer['distance_m']:.1f} m{chosen}")
    if answer["arrived"] is not None and not answer["fell"]:
        print("  it reached the last point" if answer["arrived"] else "  it did not reach the last point in time")
    if answer["path_error_m"] is not None:
        print(f"  it was {answer['path_error_m']:.2f} m from the path on average")
    if answer["heading_error_deg"] is not None:
        speed = f", its speed {answer['speed_error_m_s']:.2f} m/s" if "speed_error_m_s" in answer else ""
        print(f"  its heading was {answer['heading_error_deg']:.1f} degrees off on average{speed}")
    _print_left_out(answer.get("left_out", []))
    if unwritten:
        print("  the controller was not written, because it falls")


def _print_left_out(left_out: list[tuple[str, str]]) -> None:
    for file, why in left_out:
        print(f"  left out {file}: {why}")


def _checked(minutes: int) -> int:
    if not 1 <= minutes <= 10000:
        raise FootfallError(f"steer: --minutes is {minutes}; give 1 to 10000")
    return minutes


def _measure(character: SteeredNetwork, minutes: int, seed: int, left_out: list[tuple[str, str]]) -> Answer:
    import numpy as np

    _checked(minutes)
    graph = character.graph
    with progress("steer", 1.0) as show:
        found = random_minutes(
            character.policy, graph, minutes, seed=seed, progress=lambda done, what: show(done, 1.0, what)
        )
    used = {clip for minute in found for clip in minute.clips}
    shown = ("seed", "fell", "seconds", "heading_error", "speed_error", "off_walk", "distance", "fastest")
    answer = {
        "minutes_up": sum(not minute.fell for minute in found),
        "minutes": minutes,
        "heading_error_deg": _number(float(np.nanmean([minute.heading_error for minute in found]))),
        "speed_error_m_s": _number(float(np.nanmean([minute.speed_error for minute in found]))),
        "fastest_m_s": _number(max(minute.fastest for minute in found)),
        "clips": len(graph.clips),
        "clips_used": len(used),
        "graph_steps": len(graph.steps),
        "left_out": left_out,
        "each": [{name: getattr(one, name) for name in shown} | {"clips": list(one.clips)} for one in found],
    }

    def say() -> None:
        up = f"up in {answer['minutes_up']} of {minutes} random minutes"
        print(f"{up}; steps of {len(used)} of {len(graph.clips)} clips")
        print(f"  heading {answer['heading_error_deg']} degrees off, speed {answer['speed_error_m_s']} m/s, on average")
        print(f"  fastest second: {answer['fastest_m_s']} m/s")
        _print_left_out(left_out)

    return Answer(answer, say)
