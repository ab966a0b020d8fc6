"""``footfall imitate``: a captured clip becomes a physically simulated character.

``footfall imitate FOLDER --out me.toml``: all clips of a folder become one character that is steered.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import Clip, MaybeFloat, MaybeInt, MaybeText, film_pixels
from footfall.cli.clusters import Cluster, Slurm, Workers, cluster_progress, opened
from footfall.cli.printing import check_files, print_json, progress
from footfall.errors import FootfallError

OWN = ("law", "loop", "generations", "pushes", "sturdy", "stay_on_path", "torque_limit")
"""Options of single clips, with what they are where they were not given."""
USUAL = {
    "law": "tracking",
    "loop": False,
    "generations": None,
    "pushes": True,
    "sturdy": False,
    "stay_on_path": False,
    "torque_limit": 0.0,
}


def imitate_many(
    path: Path, out: tuple[str, ...], plan: dict[str, Any], where: tuple[Any, Any, Any], *, json: bool
) -> int:
    """Make the character, and print how it was made.

    Args:
        path: the folder of clips. out: a .toml controller, and a .png of its motion graph where wanted.
        plan: options of ``footfall imitate``. where: a cluster's address, how many processes, options of Slurm.
        json: print one JSON object.
    """
    from footfall.control.registry import save_controller
    from footfall.motion.retargeting.benchmark import clips_in
    from footfall.study.imitation.folder import ManyClipsPlan, many_clips
    from footfall.study.imitation.imitate import controller_name

    for key in OWN:
        if plan.get(key, USUAL[key]) != USUAL[key]:
            raise FootfallError(
                f"--{key.replace('_', '-')} is of single clips; a character of a whole folder (--out me.toml) is made "
                "without it"
            )
    files = check_files(out, (".toml", ".png"))
    target = _one_file(path, files)
    chunks = target.with_name(f"{target.stem}.chunks")
    options = ManyClipsPlan(seed=plan["seed"], **({"figure": plan["figure"]} if plan["figure"] else {}))
    with progress(f"imitate {path.name}", 1.0) as show, opened(*where, show) as executor:
        made = many_clips(
            clips_in(path),
            chunks,
            options,
            name=controller_name(target),
            executor=executor,
            progress=lambda done, what: show(done, 1.0, what),
        )
    save_controller(made.controller, target)
    for file in files:
        if file.suffix == ".png":
            from footfall.study.imitation.pictures import save_transitions

            save_transitions(made, file)
    if json:
        between = [[*pair, *counts] for pair, counts in made.between_clips().items()]
        answer = {"controller": made.controller.name, **made.report, "clips_of_folder": made.clips}
        print_json(answer | {"between_clips": between, "files": [str(file) for file in files]})
        return 0
    _print_character(made.clips, made.report)
    print(f"  wrote {', '.join(map(str, files))}")
    print(f'  next: footfall steer {target} --sequence "5:0 5:90 5:90:0" --out walk.mp4; footfall studio {target}')
    return 0


def imitate_many_by_network(path: Path, out: tuple[str, ...], plan: dict[str, Any], *, json: bool) -> int:
    """Make a character that a network walks, and print how it was made.

    Args:
        path: the folder of clips. out: a .toml controller, and a .png of its random steering where wanted.
        plan: options of ``footfall imitate``, with the text of the policy. json: print one JSON object.
    """
    from footfall.control.registry import parse_controller, save_controller
    from footfall.motion.retargeting.benchmark import clips_in
    from footfall.study.imitation.characters import one_character
    from footfall.study.imitation.imitate import controller_name

    for key, wrong in (
        ("loop", plan["loop"]),
        ("sturdy", plan["aim"] == "sturdy"),
        ("faithful", plan["aim"] == "faithful"),
    ):
        if wrong:
            raise FootfallError(f"--{key} is of single clips; a character of a whole folder is made without it")
    files = check_files(out, (".toml", ".png"))
    target = _one_file(path, files)
    with progress(f"imitate {path.name}", 1.0) as show:
        made = one_character(
            clips_in(path),
            parse_controller(plan["policy"], "policy"),
            name=controller_name(target),
            practice=plan["practice"],
            seed=plan["seed"],
            device=plan["device"],
            progress=None if show is None else lambda done, what: show(done, 1.0, what),
        )
    save_controller(made.controller, target)
    for file in files:
        if file.suffix == ".png":
            from footfall.study.imitation.pictures import save_minutes

            save_minutes(made.minutes, file)
    report = dict(made.controller.report)
    if json:
        left_out = [{"clip": clip, "why": why} for clip, why in made.left_out]
        print_json({"controller": made.controller.name, **report, "left_out": left_out, "files": list(map(str, files))})
        return 0
    count = report["clips"] + len(made.left_out)
    print(
        f"{report['clips']} of {count} clips in one character, {report['steps']} steps; up in {report['minutes_up']} "
        f"of {report['minutes']} minutes of random steering with steps of {report['clips_used']} clips"
    )
    print(
        f"  heading {report['heading_error_deg']:.0f} degrees off, speed {report['speed_error_mps']:.2f} m/s; fastest "
        f"second {report['fastest_mps']:.1f} m/s; practised {report['practised_decisions']:,} decisions"
    )
    for clip, why in made.left_out:
        print(f"  left out {clip}: {why}")
    print(f"  wrote {', '.join(map(str, files))}")
    print(f'  next: footfall steer {target} --sequence "5:0 5:90 5:90:0" --out walk.mp4; footfall studio {target}')
    return 0


def _one_file(path: Path, files: list[Path]) -> Path:
    """The file of the character."""
    written = [file for file in files if file.suffix == ".toml"]
    if len(written) != 1:
        raise FootfallError(f"{path} is a folder: name one .toml file for the character with --out")
    return written[0]


def _print_character(clips: list[dict[str, Any]], report: dict[str, Any]) -> None:
    print(
        f"{report['clips']} of {len(clips)} clips in one character, "
        f"{report['steps_kept']} of {report['steps']} steps; up in "
        f"{report['minutes_up']} of {report['minutes']} minutes of random steering, heading "
        f"{report['heading_error_deg']:.0f} degrees off"
    )
    print(
        f"  {report['transitions_kept']} of {report['transitions_tried']} transitions and {report['stops_kept']} of "
        f"{report['stops_tried']} stops stayed up from every disturbed start; random steering left out "
        f"{report['left_out_by_random_steering']} more"
    )
    if report["parts"] > 1:
        print(f"  the graph has {report['parts']} parts that cannot be left and come back to; the largest one is used")
    width = max(len(Path(row["clip"]).name) for row in clips)
    for row in clips:
        walked = f"{row['up']} of {row['tried']} starts walked it to its end"
        kept = f"{row['steps_kept']} of {row['steps']} steps kept, {row['steps_made']} made in random steering"
        state = row["left_out"] or f"{kept}; {walked}"
        print(f"  {Path(row['clip']).name:{width}}  {'left out: ' if row['left_out'] else ''}{state}")


FAILED = 3
"""The exit status of a clip that no character could follow."""


def imitate(
    clip: Clip,
    law: Literal["learned", "tracking", "simbicon"] | None = None,
    out: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FILE")] = (),
    name: str = "",
    figure: MaybeText = None,
    policy: MaybeText = None,
    practice: MaybeInt = None,
    loop: bool = False,
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    generations: MaybeInt = None,
    pushes: bool = True,
    sturdy: bool = False,
    faithful: bool = False,
    stay_on_path: bool = False,
    torque_limit: MaybeFloat = None,
    keep_fallen: bool = False,
    size: MaybeText = None,
    seed: int = 1,
    device: str = "cpu",
    cluster: Cluster = None,
    workers: Workers = None,
    slurm: Slurm = None,
    json: bool = False,
) -> int:
    """Turn a captured clip into a physically simulated character that follows it and keeps its balance.

    The clip is retargeted onto a figure and followed by a network that was trained to follow clips and comes with
    footfall. Where that falls, strays or is pushed over, it practises the clip, about a minute on two cores. Where it
    still falls, the clip is cut where feet land, and gains of another law are searched over simulated worlds. The
    report says how long the character stays up, how close it is to the clip's poses, path and heading, what torques
    it needs and how hard it may be pushed. A character that falls is not written and the exit status is 3, unless
    --keep-fallen is given.

    Args:
        clip: a motion file (.bvh and others) of walking, running, turning or jumping on two feet, or a folder of
            them. With --out me.toml a folder becomes one character that is steered through all its clips (footfall
            steer, the studio); with --out FOLDER each clip becomes a controller of its own, with a table. The same
            command continues what was interrupted.
        law: learned, a network that follows clips, on human-28; tracking, the law of Data-Driven Biped Control with
            gains found by search, on any figure; or simbicon, which turns walking forwards, backwards, sideways or
            in place into a walk without end. Default: learned, then tracking too if that falls, and the better of
            the two; tracking alone for a folder that becomes one character, unless learned is named, and where
            --figure, --generations, --stay-on-path or --torque-limit asks for it.
        out: a .toml controller for footfall run, a .gif or .mp4 of clip and simulation side by side, seen by one camera
            at their true places, or a .png of poses. May be repeated.
        name: of the controller; by default from the clip's file name.
        figure: a built-in figure, or a file: a robot's .xml (MJCF) or .urdf, a .bones file, a motion file's person.
            Default: mocap-biped (ball joints) for tracking, human-28 (hinges) for simbicon.
        policy: a .toml file of a policy of your own that follows clips (footfall train), in place of footfall's. Its
            figure is used.
        practice: decisions, in all worlds together, that a network may practise a clip with which it falls or from
            which it strays; 0 for none. Default: 400,000, more of clips of more than 20 s, and up to four times as
            many while it falls, twice while it strays or is pushed over; to be steered through a folder 4 million
            (300 million on a GPU), and as many again if it still falls.
        loop: repeat the clip's best two steps, instead of following the clip once: without end by tracking, which is
            tried first, for a minute by learned. simbicon always repeats.
        start: where the part of the clip to use begins, seconds.
        end: where it ends, seconds.
        generations: of the search for gains, at most. Default: 36 for tracking, 120 for simbicon.
        pushes: look for push limits.
        sturdy: practise under hard pushes, whatever the network makes of the clip, and judge by pushes as well as by
            the clip, gains too: the character is harder to push over and follows the clip less closely.
        faithful: practise for the clip's poses, hardly pushed: the character looks more like the clip and is easier
            to push over (a network only).
        stay_on_path: judge sets of gains by the clip's path and heading more than by its poses (tracking only).
        torque_limit: what a joint can give, in N m for each kg of the body; a strong person's hip gives 5. The search
            then looks for gains that get by with it; fewer clips stay up (tracking only). A robot's hinges are then
            held within their motors' limits as well. Default: no limit.
        keep_fallen: write the files, and exit with status 0, even where the character falls.
        size: of a film in pixels, as in 1280x720. Default: 1280x720 for .mp4, 640x360 for .gif.
        seed: of the search.
        device: where a network practises to be steered through a folder: cpu, or cuda for a GPU, where it makes 300
            million decisions in a few minutes (pip install 'footfall[gym,learn]').
        cluster: of a folder: make the controllers on the workers of a Dask scheduler, tcp://HOST:PORT.
        workers: of a folder: make them in so many processes of this machine.
        slurm: of a folder: make them on Slurm: partition=NAME,workers=8,time=MINUTES and other options of sbatch.
        json: print one JSON object on standard output.
    """
    pixels, words = film_pixels(size), ""
    path = Path(clip)
    own = {"sturdy": sturdy, "stay_on_path": stay_on_path} | (
        {} if torque_limit is None else {"torque_limit": torque_limit}
    )
    if sturdy and faithful:
        raise FootfallError("--sturdy and --faithful: choose one of them")
    either = law is None and policy is None
    if law is None:
        searched = figure is not None or generations is not None or stay_on_path
        searched = searched or torque_limit is not None or (path.is_dir() and _is_one_character(out))
        law = "tracking" if policy is None and searched else "learned"
    if law == "simbicon" and (sturdy or stay_on_path or torque_limit is not None):
        raise FootfallError(
            "--sturdy, --stay-on-path and --torque-limit are of --law tracking; simbicon's limits are in its file"
        )
    if torque_limit is not None and not 0.0 <= torque_limit < float("inf"):
        raise FootfallError(f"--torque-limit is {torque_limit:g}; give N m for each kg of the body, 0 for no limit")
    for option, given in (("--practice", practice is not None), ("--faithful", faithful)):
        if given and policy is None and law != "learned":
            raise FootfallError(f"{option} is of a network; --law {law} has none: leave it out, or give --law learned")
    if device != "cpu" and not (path.is_dir() and _is_one_character(out) and (policy is not None or law == "learned")):
        raise FootfallError("--device is of a folder that becomes one character: --law learned --out me.toml")
    aim = "sturdy" if sturdy else "faithful" if faithful else "course"
    if policy is not None or law == "learned":
        from footfall.study.imitation.imitate import tracker_file

        _check_policy(law, figure, generations, own)
        policy = str(tracker_file()) if policy is None else policy
    if path.is_dir():
        plan = {
            "law": "any" if either and law == "learned" else law,
            "figure": figure,
            "loop": loop,
            "generations": generations,
            "pushes": pushes,
            "seed": seed,
            **own,
        } | ({} if policy is None else {"policy": _policy_text(policy), "practice": practice, "aim": aim})
        if start is not None or end is not None or name:
            raise FootfallError(f"{path} is a folder: --start, --end and --name are of one clip")
        if policy is not None and _is_one_character(out):
            if cluster is not None or workers is not None or slurm is not None:
                raise FootfallError(
                    "--cluster, --workers and --slurm are of --law tracking; a network practises on this machine"
                )
            return imitate_many_by_network(path, out, plan | {"device": device}, json=json)
        if _is_one_character(out):
            return imitate_many(path, out, plan, (cluster, workers, slurm), json=json)
        return _folder(path, out, plan, (cluster, workers, slurm), json=json, either=either)
    if cluster is not None or workers is not None or slurm is not None:
        raise FootfallError(f"{path}: one clip is one search; --cluster, --workers and --slurm are for a folder")
    files = check_files(out, (".toml", ".gif", ".mp4", ".png"))
    if not path.is_file():
        raise FootfallError(f"clip {path} does not exist")
    options = {"name": name, "pushes": pushes} | ({} if figure is None else {"figure": figure})
    with progress(f"imitate {path.name}", 1.0) as show:
        options["progress"] = None if show is None else lambda done, what: show(done)
        if policy is not None:
            options |= {"seed": seed, "practice": practice, "aim": aim, "loop": loop}
            done = _by_policy(path, start, end, policy, options, either=either)
            made, law, words = done.made, done.law, _in_words(done.tried, done.why, done.law, aim)
            policy = None if law == "tracking" else policy
        elif law == "simbicon":
            made = _walk(path, start, end, generations, seed, options)
        else:
            made = _track(path, start, end, generations, seed, options | own | {"loop": loop})
    kept = files if keep_fallen or not made.failed else []
    for file in kept:
        _save(made, file, pixels)
    answer = made.as_dict() | {"law": law, "failed": made.failed, "files": [str(file) for file in kept]}
    if json:
        print_json(answer)
    else:
        if words:
            print(words)
        _print_report(answer)
        _print_failure(made.failed, law if policy is None else "policy", bool(files) and not kept)
    return FAILED if made.failed and not keep_fallen else 0


def _is_one_character(out: tuple[str, ...]) -> bool:
    """Whether a folder of clips becomes one character: a file, not a folder of controllers."""
    return any(file.endswith((".toml", ".png")) for file in out)


def _in_words(tried: tuple[str, ...], why: str, law: str, aim: str) -> str:
    """What was done because the first law was not enough, or for an aim; empty where nothing was."""
    if len(tried) == 1:
        return ""
    if not why:
        return f"the network practised the clip to be {aim}:"
    done = {
        "network": "the network that follows clips was tried",
        "practice": "it practised the clip",
        "search": "gains were searched",
    }
    first = "by the network that follows clips" if tried[0] == "network" else "by searched gains"
    kept = f"; {'the search' if law == 'tracking' else 'the network'} did better" if "search" in tried else ""
    return f"{first} {why}, so {' and '.join(done[step] for step in tried[1:])}{kept}:"


def _folder(
    path: Path,
    out: tuple[str, ...],
    plan: dict[str, Any],
    where: tuple[Any, Any, Any],
    *,
    json: bool,
    either: bool,
) -> int:
    from footfall.motion.retargeting.benchmark import clips_in
    from footfall.study.imitation.folder import ImitationPlan, imitate_folder

    follow: Any = None
    if "policy" in plan:
        from footfall.study.imitation.characters import imitated_clip
        from footfall.study.imitation.practised import practised_clip

        follow = imitated_clip if either else practised_clip
    if len(out) != 1:
        raise FootfallError(f"{path} is a folder of clips: name one folder for the controllers with --out")
    with progress(f"imitate {path.name}") as show, opened(*where, show) as executor:
        report = cluster_progress(show, f"imitate {path.name}: clips", executor)
        made = imitate_folder(
            clips_in(path), Path(out[0]), ImitationPlan(**plan), follow=follow, executor=executor, progress=report
        )
    up = [row for row in made if not row["refused"] and not row["fell"]]
    if json:
        print_json({"clips": len(made), "stayed_up": len(up), "rows": made, "files": [f"{out[0]}/results.csv"]})
        return 0
    refused = [row for row in made if row["refused"]]
    print(f"{len(up)} of {len(made)} clips are followed to their end; {len(refused)} refused")
    for row in refused:
        print(f"  {row['clip']}: {row['refused']}")
    print(f"  wrote {out[0]}/results.csv")
    return 0


def _check_policy(law: str, figure: str | None, generations: int | None, own: dict[str, Any]) -> None:
    """Refuse options of a search beside a policy."""
    given = {f"--law {law}": law != "learned", "--figure": figure is not None}
    given |= {"--generations": generations is not None}
    given |= {"--stay-on-path": own["stay_on_path"], "--torque-limit": "torque_limit" in own}
    if wrong := [name for name, is_given in given.items() if is_given]:
        raise FootfallError(
            f"a policy follows the clip: nothing is searched, and the figure is the policy's own; leave out "
            f"{', '.join(wrong)}, or give --law tracking"
        )


def _policy_text(policy: str) -> str:
    """The text of a policy's file, with its network in it."""
    from footfall.control.registry import load_controller, print_controller
    from footfall.study.imitation.imitate import check_policy

    return print_controller(check_policy(load_controller(policy)))


def _by_policy(
    path: Path, start: float | None, end: float | None, policy: str, options: dict[str, Any], *, either: bool
) -> Any:
    from footfall.control.registry import load_controller
    from footfall.motion import load_motion, trimmed
    from footfall.study.imitation.characters import imitate_by_any_law, imitate_by_network
    from footfall.study.imitation.imitate import check_policy, controller_name

    tracker = check_policy(load_controller(policy))
    clip = load_motion(path) if start is None and end is None else trimmed(load_motion(path), start, end)
    options["name"] = options["name"] or controller_name(path)
    return (imitate_by_any_law if either else imitate_by_network)(clip, tracker, **options)


def _track(
    path: Path, start: float | None, end: float | None, generations: int | None, seed: int, options: dict[str, Any]
) -> Any:
    from footfall.motion import load_motion, trimmed
    from footfall.study.imitation.gain_search import GainSearch
    from footfall.study.imitation.imitate import controller_name, imitate

    whole = start is None and end is None
    clip = path if whole else trimmed(load_motion(path), start, end)
    options["name"] = options["name"] or controller_name(path)
    search = GainSearch(generations=GainSearch().generations if generations is None else generations, seed=seed)
    return imitate(clip, search=search, **options)


def _walk(
    path: Path, start: float | None, end: float | None, generations: int | None, seed: int, options: dict[str, Any]
) -> Any:
    from footfall.study.imitation.captured import imitate_walk
    from footfall.study.imitation.captured_search import CapturedSearch

    search = CapturedSearch(seed=seed)
    search = search if generations is None else replace(search, generations=generations)
    return imitate_walk(path, start=start, end=end, search=search, **options)


def _save(made: Any, file: Path, size: tuple[int, int] | None) -> None:
    if file.suffix == ".toml":
        from footfall.control.registry import save_controller

        save_controller(made.controller, file)
        return
    from footfall.study.imitation.pictures import draw_poses, draw_views, save_film

    if file.suffix != ".png":
        save_film(made.following, file, size=size)
    elif made.controller.law == "simbicon":
        draw_views(made.following, file)
    else:
        draw_poses(made.following, file)


def _print_failure(failed: str, law: str, unwritten: bool) -> None:
    """What went wrong and what to try next."""
    if not failed:
        return
    print(f"FAILED: {failed}")
    if law == "policy":
        print("  try more --practice, --law tracking, which searches for gains, or a part of the clip (--start, --end)")
    elif law == "tracking":
        print("  for steady walking try --law simbicon, which walks without end; for others a part of the clip")
        print("  (--start, --end), more --generations or another --seed")
    else:
        print("  try a part of the clip with steadier steps (--start, --end), more --generations or another --seed")
    if unwritten:
        print("  no file was written; --keep-fallen writes them")


def _shown(value: float | None) -> str:
    return "unknown (hardly a joint moves)" if value is None else f"{value:.2f}"


def _print_course(answer: dict[str, Any]) -> None:
    """Path, places and torques against the clip's."""
    if answer["way"] is not None:
        print(
            f"  it goes {answer['way']:.2f} of the clip's way in {answer['duration']:.2f} of its time, "
            f"{100 * answer['off_path']:.0f} cm off its path for each metre at most"
        )
    print(
        f"  heading {answer['heading_error_deg']:.1f} degrees off; joints {answer['mpjpe_root_mm']:.0f} mm off "
        f"with the pelvises laid together, {answer['mpjpe_global_mm']:.0f} mm in the world"
    )
    print(
        f"  feet slide {answer['slide_cm']:.1f} cm in a stance and sink in by {answer['sink_mm']:.0f} mm; "
        f"hip torque {answer['hip_torque_per_kg']:.1f} N m/kg (99th percentile)"
    )


def _print_report(answer: dict[str, Any]) -> None:
    ending = f"fell after {answer['seconds']:.1f} s" if answer["fell"] else f"stayed up for {answer['seconds']:.1f} s"
    print(f"{answer['controller']} on {answer['figure']}: {ending}, {answer['steps']} steps")
    print(f"  {answer['disturbed_up']} of {answer['disturbed_tried']} disturbed starts stayed up")
    print(
        f"  joints are {answer['joint_error_deg']:.1f} degrees from the clip on average, "
        f"correlation {_shown(answer['correlation'])}"
    )
    if "velocity_mps" in answer:
        (forward, left), (clip_forward, clip_left) = answer["velocity_mps"], answer["clip_velocity_mps"]
        print(
            f"  it goes forward at {forward:.2f} m/s and to the left at {left:.2f}; the clip at {clip_forward:.2f} and "
            f"{clip_left:.2f}"
        )
    else:
        _print_course(answer)
    if answer["push_limits"]:
        limits = ", ".join(f"{n:g} N from the {where}" for where, n in answer["push_limits"].items())
        print(f"  withstands pushes of 0.4 s up to {limits}")
    if answer["sets_of_gains_tried"]:
        print(f"  {answer['sets_of_gains_tried']} sets of gains were tried")
    if answer["files"]:
        print(f"  wrote {', '.join(answer['files'])}")
