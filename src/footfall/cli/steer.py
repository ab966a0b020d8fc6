"""``footfall steer``: a simulated character that walks where it is sent, step by step from captured clips.

``footfall steer --policy``, and characters of networks: a policy follows a walk that is played on a motion graph of
clips.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from footfall.cli.arguments import MaybeInt, MaybeText, serve
from footfall.cli.printing import check_files, print_json, progress
from footfall.errors import FootfallError, unknown_name

if TYPE_CHECKING:
    from footfall.methods.network.steered_network import SteeredNetwork
    from footfall.methods.tracking.step_choice import SteeredController
    from footfall.study.imitation.steering import Leg

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
    from footfall.study.imitation.imitate import check_policy
    from footfall.study.imitation.steered_policy import read_clips, retargeted_clips

    tracker = check_policy(load_controller(policy))
    body = Figure.load(tracker.figure)
    if not clips:
        return SteeredNetwork("steered", tracker, tuple(retargeted_clips(load_controller("steered-walk"), body))), []
    with progress("steer", 1.0) as show:
        made, left_out = read_clips(clips, body, None if show is None else lambda done, what: show(done, 1.0, what))
    return SteeredNetwork("steered", tracker, tuple(made)), left_out


def _walk(
    character: "SteeredNetwork", way: tuple[Any, Any], *, speed: float, style: str, noise: float, seed: int
) -> tuple[Any, dict[str, Any]]:
    """The result of a walk on the way, and what is said of it."""
    import numpy as np

    from footfall.methods.tracking.played_steps import PlayedSteps
    from footfall.study.imitation.steered_policy import halted, steer_policy
    from footfall.study.imitation.steering import along_path, by_sequence, distances

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


BUILT_IN = "steered-walk"
"""The steps that come with footfall."""


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
    noise: float = 0.0,
    seed: int = 1,
    out: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FILE")] = (),
    json: bool = False,
) -> int:
    """Steer a simulated character along a path, or by a sequence of directions, speeds and styles.

    The steps of all clips form a motion graph. While the character walks, the next step is chosen, blended and bent so
    that it goes where it should; it keeps its balance as under footfall imitate.

    Args:
        clips: motion files (.bvh and others); STYLE=FILE names the style of a clip, which is "normal" otherwise.
            Or one .toml file that footfall imitate made of a folder of clips.
            Without any: steps that footfall made itself (styles normal, march and lean; 0.4 to 0.9 m/s).
        figure: a built-in figure, or a file (.xml, .urdf and others): the body that takes the clips' steps. Default:
            mocap-biped.
        policy: a .toml file of a trained policy that follows clips (footfall train). A walk is made of the clips'
            steps without physics, and the policy follows it on its own figure, as it does in a file that footfall
            imitate FOLDER --law learned made. Clips may then be folders too.
        path: points X,Y in metres, separated by spaces. The character starts at 0,0 and faces along x.
        sequence: SECONDS:DEGREES[:SPEED[:STYLE]], separated by spaces; degrees from the first heading, left positive.
            Speed 0 stops, where a clip comes to a stand.
        speed: metres a second on a path.
        style: of the steps; by default the first clip's.
        boxes: stacks of three movable boxes at X,Y in metres, separated by spaces; the engine is then MuJoCo.
        minutes: of a network, in place of a path or a sequence: steer at random for so many minutes, each from a start
            disturbed by 0.03, and report how many it stays up for.
        live: open the studio, where the character is steered by keys, a gamepad and points on the ground, pushed, and
            its gains are edited, instead of a path or a sequence.
        port: the studio's port.
        noise: standard deviation of what is added to the start's velocities.
        seed: of the noise.
        out: a .gif or .mp4 film, or a motion file (.bvh, .glb, .csv). Of a network also a .png of poses, or a .toml
            controller: the policy with this walk. May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.study.imitation.steering import Leg, Steering, follow_path, follow_sequence

    if live and (path or sequence or boxes):
        raise FootfallError("steer: --live opens the studio to steer by hand; leave --path, --sequence and --boxes out")
    if minutes is not None and (path or sequence or out):
        raise FootfallError("steer: --minutes measures random steering; leave --path, --sequence and --out out")
    if not live and minutes is None:
        _check_way(path, sequence)
    points = [_numbers(word, 2, "path point", "X,Y") for word in path.split()]
    legs = [_leg(word, Leg) for word in sequence.split()]
    character, left_out = _of_network(clips, policy, figure, boxes)
    if character is not None and not live:
        asked: dict[str, Any] = {"minutes": minutes, "speed": speed, "style": style, "noise": noise, "seed": seed}
        return steer_by_policy(character, left_out, (points, legs), out=out, json=json, **asked)
    if minutes is not None:
        raise FootfallError(
            "steer: --minutes measures networks that follow clips (--policy); footfall imitate FOLDER measures others"
        )
    files = check_files(out, (".gif", ".mp4", ".bvh", ".glb", ".csv"))
    if live:
        return _open_studio(character or _controller(clips, figure), style, port)
    controller = _controller(clips, figure)
    graph, own = controller.graph, controller.repertoire
    stacks = [_numbers(word, 2, "stack of boxes", "X,Y") for word in boxes.split()]
    engine = _boxes_engine(stacks) if stacks else {}
    steering = Steering(
        graph,
        settings=own.settings,
        ground=own.ground,
        figure=controller.figure,
        style=style,
        noise=noise,
        seed=seed,
        **engine,
    )
    steering.direct(speed=speed)
    arrived: bool | None = None
    if points:
        result, arrived = follow_path(steering, points)
    else:
        result = follow_sequence(steering, legs)
    for file in files:
        from footfall.pictures import save
        from footfall.study.imitation.pictures import save_box_film

        if result.boxes is not None and file.suffix in (".gif", ".mp4"):
            save_box_film(result.motion, [box.size for box in engine["boxes"]], result.boxes, file)
        else:
            save(result.motion, file)
    answer: dict[str, Any] = {
        "fell": result.fell,
        "seconds": round(result.seconds, 3),
        "steps": result.steps,
        "distance_m": round(result.distance, 3),
        "heading_error_deg": _known(result.heading_error),
        "path_error_m": _known(result.path_error),
        "arrived": arrived,
        "graph_steps": len(graph.steps),
        "files": [str(file) for file in files],
    }
    if json:
        print_json(answer)
        return 0
    ending = f"fell after {answer['seconds']:.1f} s" if result.fell else f"walked for {answer['seconds']:.1f} s"
    print(f"{ending}, {answer['steps']} steps, {answer['distance_m']:.1f} m; chosen from {len(graph.steps)} steps")
    if arrived is not None and not result.fell:
        print("  it reached the last point" if arrived else "  it did not reach the last point in time")
    if answer["path_error_m"] is not None:
        print(f"  it was {answer['path_error_m']:.2f} m from the path on average")
    if answer["heading_error_deg"] is not None:
        print(f"  its heading was {answer['heading_error_deg']:.1f} degrees off on average")
    if files:
        print(f"  wrote {', '.join(answer['files'])}")
    return 0


def _check_way(path: str, sequence: str) -> None:
    if bool(path) == bool(sequence):
        raise FootfallError(
            'steer: give a path (--path "3,0 3,3") or a sequence (--sequence "5:0 5:90"), one of the two'
        )


def _in_folder(word: str) -> list[str]:
    """The clips that a word names: of a folder all, in the folder's style."""
    from footfall.motion.retargeting.benchmark import clips_in

    style, equals, folder = word.rpartition("=")
    return [f"{style}{equals}{file}" for file in clips_in(Path(folder))] if Path(folder).is_dir() else [word]


def _of_network(
    clips: tuple[str, ...], policy: str | None, figure: str | None, boxes: str
) -> tuple["SteeredNetwork | None", list[tuple[str, str]]]:
    """The character of a network: a file that holds one, or a policy with clips; None where neither is given."""
    character, left_out = None, list[tuple[str, str]]()
    if policy is not None:
        character, left_out = character_of([_clip(one) for word in clips for one in _in_folder(word)], policy)
    elif len(clips) == 1 and clips[0].endswith(".toml"):
        from footfall.control.registry import load_controller

        found = load_controller(clips[0])
        character = found if found.law == "steered-network" else None
    if character is not None and (figure is not None or boxes):
        raise FootfallError("steer: a network walks on its own figure and ground; leave --figure and --boxes out")
    return character, left_out


def _controller(clips: tuple[str, ...], figure: str | None) -> "SteeredController":
    """The motion graph of some clips on a figure, or the built-in one."""
    from footfall.control.registry import load_controller
    from footfall.study.imitation.steering import clip_graph, steered_controller

    if figure is not None and not clips:
        raise FootfallError("steer: --figure needs clips whose steps it takes; the built-in steps are mocap-biped's")
    if not clips:
        built_in: SteeredController = load_controller(BUILT_IN)
        return built_in
    if any(word.endswith(".toml") for word in clips):
        return _from_file(clips, figure)
    body = figure or "mocap-biped"
    graph = clip_graph([_clip(word) for word in clips], figure=body)
    return replace(steered_controller(graph, about=f"Steps of {', '.join(clips)}."), figure=body)


def _from_file(clips: tuple[str, ...], figure: str | None) -> "SteeredController":
    """The motion graph of a file."""
    from footfall.control.registry import load_controller
    from footfall.methods.tracking.step_choice import SteeredController

    if len(clips) > 1 or figure is not None:
        raise FootfallError("steer: a .toml file has its clips and its figure; give it alone, without --figure")
    found = load_controller(clips[0])
    if not isinstance(found, SteeredController):
        raise FootfallError(
            f"steer: {clips[0]} cannot be steered, its law is '{found.law}'; footfall imitate FOLDER --out me.toml "
            "makes a file that can"
        )
    return found


def _open_studio(controller: "SteeredController | SteeredNetwork", style: str, port: int) -> int:
    from footfall.studio import Studio

    if style and style not in controller.graph.styles():
        raise FootfallError(f"steer: {unknown_name('style', style, controller.graph.styles())}")
    studio = Studio(controller, port=port, folder=Path())
    if style:
        studio.session.loop.call(lambda: studio.steering.request(style))
    print(f"footfall studio at {studio.address} (Ctrl+C ends it)", flush=True)
    return serve(studio.stop)


def _boxes_engine(stacks: list[list[float]]) -> dict[str, Any]:
    from footfall.simulation.mujoco_engine import MujocoSimulation
    from footfall.simulation.mujoco_scene import stacked_boxes

    return {"engine": MujocoSimulation, "boxes": stacked_boxes([(x, y) for x, y in stacks])}


def _numbers(word: str, count: int, what: str, form: str) -> list[float]:
    try:
        values = [float(x) for x in word.split(",")]
    except ValueError:
        values = []
    if len(values) != count:
        raise FootfallError(f"steer: {what} '{word}'; write {form}")
    return values


def _leg(word: str, leg: Any) -> Any:
    parts = word.split(":")
    try:
        seconds, *rest = (float(x) for x in parts[:3])
        if not rest or seconds <= 0 or len(parts) > 4:
            raise ValueError
    except ValueError:
        raise FootfallError(
            f"steer: sequence part '{word}'; write SECONDS:DEGREES, with :SPEED and :STYLE where wanted"
        ) from None
    return leg(seconds, rest[0], *rest[1:], **({"style": parts[3]} if len(parts) > 3 else {}))


def _clip(word: str) -> tuple[str, Path]:
    style, _, file = word.rpartition("=")
    path = Path(file)
    if not path.is_file():
        raise FootfallError(f"clip {path} does not exist")
    return style or "normal", path
