"""``footfall imitate``: a captured clip, or a folder of them, becomes a physically simulated character."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import (
    HERE,
    Clip,
    Files,
    Jobs,
    MaybeFloat,
    MaybeInt,
    MaybeText,
    cluster_progress,
    film_pixels,
    given_options,
    trimmed_clip,
)
from footfall.cli.onto import AS_IT_MOVES, ClipFile, carried, check_not_overwritten, print_fit
from footfall.cli.printing import Answer, check_files, progress
from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.escaping import shell_words
from footfall.methods.network.controller import NetworkController
from footfall.motion import load_motion
from footfall.motion.retargeting.benchmark import clips_in
from footfall.study.imitation.captured import CapturedSearch, WalkFollower
from footfall.study.imitation.characters import (
    GraphWalker,
    NetworkWalker,
    SteeredCharacter,
    TrackedWalker,
    one_character,
)
from footfall.study.imitation.folder import imitate_folder
from footfall.study.imitation.followers import EitherFollower, Follower, Imitation, TrackingFollower, controller_name
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.network_follower import NetworkFollower, check_policy, tracker_file
from footfall.study.imitation.pictures import draw_poses, draw_views, save_character, save_film, save_report
from footfall.study.imitation.verdicts import STATUS

FAILED = STATUS["falls"]
"""The exit status of a clip with which every character falls, and of a motion that does not fit its rig."""


@dataclass(frozen=True)
class _Following:
    """How a clip is followed.

    Attributes:
        figure: a built-in figure, or a file: a robot's .xml (MJCF) or .urdf, a .bones file, a motion file's person.
            Default: mocap-biped (ball joints) for tracking, human-28 (hinges) for simbicon.
        policy: a .toml file of a policy of your own that follows clips (footfall train), instead of footfall's. Its
            figure is used.
        practice: how many decisions, in all worlds together, a network may practise a clip in which it falls or leaves
            the path; 0 for no practice. Default: 400,000, more for clips of more than 20 s, and up to four times as
            many while the character falls, twice as many while it leaves the path or falls under pushes. For a
            character that is steered through a folder: 4 million (300 million on a GPU), and as many again if it still
            falls.
        loop: repeat the clip's best two steps instead of following the clip once. A network repeats them for a minute
            and then stands; the tracking law, another body, without end (--law tracking). simbicon always repeats.
        generations: length of the search for gains, in generations at most. Default: 36 for tracking, 120 for simbicon.
        pushes: measure push limits.
        sturdy: practise under hard pushes, even if the network already follows the clip, and judge by pushes as well as
            by the clip (gains too): the character is harder to push over and follows the clip less closely.
        faithful: practise for the clip's poses, almost without pushes: the character looks more like the clip and is
            easier to push over (a network only).
        stay_on_path: judge sets of gains by the clip's path and heading more than by its poses (tracking only).
        torque_limit: the largest torque of a joint, in N m for each kg of the body; a strong person's hip gives 5. The
            search then looks for gains that need no more; fewer clips stay up (tracking only). A robot's hinges then
            also stay within their motors' limits. Default: no limit.
        seed: random seed of practice and search.
        device: where a network practises for a character that is steered through a folder: cpu, or cuda for a GPU,
            where it makes 300 million decisions in a few minutes (pip install 'footfall[gym,learn]').
    """

    figure: MaybeText = None
    policy: MaybeText = None
    practice: MaybeInt = None
    loop: bool = False
    generations: MaybeInt = None
    pushes: bool = True
    sturdy: bool = False
    faithful: bool = False
    stay_on_path: bool = False
    torque_limit: MaybeFloat = None
    seed: int = 1
    device: str = "cpu"


@dataclass(frozen=True)
class _Asked(_Following):
    """What was asked for.

    Attributes:
        law: what ``--law`` says, or what the other options ask for.
        either: whether a search may follow where the network falls.
        given: options that were given.
    """

    law: str = ""
    either: bool = False
    given: frozenset[str] = frozenset()

    @property
    def options(self) -> dict[str, Any]:
        """Of every law: whether it repeats steps, and looks for push limits."""
        return {"loop": self.loop, "pushes": self.pushes}

    @property
    def aim(self) -> str:
        """What a network practises for."""
        return "sturdy" if self.sturdy else "faithful" if self.faithful else "course"

    @property
    def body(self) -> dict[str, Any]:
        """The figure, where it was named."""
        return {} if self.figure is None else {"figure": self.figure}

    @property
    def search(self) -> dict[str, Any]:
        """How to search."""
        return {"seed": self.seed} | ({} if self.generations is None else {"generations": self.generations})

    def network(self) -> NetworkController:
        """The policy that was named, or footfall's."""
        return check_policy(load_controller(self.policy or str(tracker_file())))


FOLLOWING = _Following()


def imitate(
    clip: Clip,
    law: Literal["learned", "tracking", "simbicon"] | None = None,
    out: Files = (),
    report: MaybeText = None,
    name: str = "",
    start: MaybeFloat = None,
    end: MaybeFloat = None,
    following: Annotated[_Following, tyro.conf.OmitArgPrefixes] = FOLLOWING,
    keep_fallen: bool = False,
    onto: str = "",
    keep_bad: bool = False,
    written_as: ClipFile = AS_IT_MOVES,
    size: MaybeText = None,
    jobs: Jobs = HERE,
) -> Answer:
    """Turn a captured clip into a physically simulated character that follows it and keeps its balance.

    The clip is retargeted onto a figure and followed by a network that was trained to follow clips and comes with
    footfall. If the character falls, leaves the clip's path or is pushed over, the network practises the clip, about a
    minute on two cores. If it still falls, the clip is cut where feet land, and gains of another law are searched in
    simulated worlds. The report says how long the character stays up, how close it is to the clip's poses, path and
    heading, what torques it needs and how hard it may be pushed. Its verdict is the exit status: 0 follows the clip,
    3 falls, 4 strays, 5 does something else. A character that falls is not written, unless --keep-fallen is given.

    Args:
        clip: a motion file (.bvh and others) of walking, running, turning or jumping on two feet, or a folder of them.
            With --out me.toml, a folder becomes one character that is steered through all its clips (footfall steer,
            the studio); with --out FOLDER, each clip becomes a controller of its own, with a table. The same command
            continues after an interruption.
        law: learned: a network that follows clips, on human-28; tracking: the law of Data-Driven Biped Control with
            gains found by search, on any figure; simbicon: walking forwards, backwards, sideways or in place becomes a
            walk without end. Default: learned, then tracking too if the character falls, and the better of the two.
            Default with --figure, --generations, --stay-on-path or --torque-limit, and for a folder that becomes one
            character: tracking.
        out: a .toml controller for footfall run; the simulated motion as .glb, .bvh, .usd, .npz, .html or another
            motion file; a .gif or .mp4 of clip and simulation side by side, seen by one camera at their true positions;
            or a .png of poses. May be repeated.
        report: a page (.html): whether the character follows the clip, and where in time it does not. It is written
            even where the character falls.
        name: name of the controller. Default: the clip's file name.
        start: where the part of the clip to use begins, in seconds.
        end: where it ends, in seconds.
        keep_fallen: write the files, and exit with status 0, even where the character falls or does not follow.
        onto: a figure, or the file of your own character, onto which the simulated motion is retargeted for motion
            files (docs/rigs.md).
        keep_bad: write those files, and exit with status 0, even where the verdict of retargeting is BAD.
        size: size of a film in pixels, as in 1280x720. Default: 1280x720 for .mp4, 640x360 for .gif.
    """
    path, pixels = Path(clip), film_pixels(size)
    asked = _asked(path, out, law, following)
    if path.is_dir():
        if start is not None or end is not None or name or onto or report or written_as != AS_IT_MOVES:
            raise FootfallError(
                f"{path} is a folder: --start, --end, --name, --onto, --report and how a motion is written are for "
                "one clip"
            )
        return (_character if _is_one_character(out) else _folder)(path, out, asked, jobs)
    if jobs:
        raise FootfallError(f"{path}: one clip is one search; --cluster, --workers and --slurm are for a folder")
    files = check_files(out, (*PICTURES, *motion_suffixes()))
    pages = check_files([report] if report else [], (".html",))
    check_not_overwritten([*files, *pages], (clip, onto))
    files_of_motion = [file for file in files if file.suffix.lower() not in PICTURES]
    if (onto or written_as != AS_IT_MOVES) and not files_of_motion:
        raise FootfallError("--onto and options of motion files need a motion file, as in --out me.glb")
    made = _one_clip(path, (start, end), name, asked)
    result = written_as.ready(made.following.motion)
    fit: dict[str, Any] = {}
    if onto:
        result, found = carried(result, onto)
        fit = found.as_dict()
    status = 0 if keep_fallen else STATUS[made.verdict.word]
    keep = _Kept(keep_fallen or not made.failed, keep_bad or not fit or fit["fidelity"]["good"], status)
    kept = [file for file in files if keep.whole and (keep.fits or file not in files_of_motion)]
    for file in kept:
        if file not in files_of_motion:
            _save(made, file, pixels)
    written_as.save(result, [file for file in kept if file in files_of_motion], onto)
    for page in pages:
        save_report(made, page)
    return _answer(made, asked.aim, [*files, *pages], [*kept, *pages], keep, fit)


@dataclass(frozen=True)
class _Kept:
    """Whether files are written: all of a character that stays up, those of a motion that fits its rig; and the exit
    status by the verdict."""

    whole: bool
    fits: bool
    status: int


PICTURES = (".toml", ".gif", ".mp4", ".png")
"""Suffixes of files that are no motion."""


def motion_suffixes() -> tuple[str, ...]:
    """Suffixes of files of the simulated motion."""
    from footfall.motion.formats.files import writable_suffixes

    return (*writable_suffixes(), ".html")


def _asked(path: Path, out: tuple[str, ...], law: str | None, following: _Following) -> _Asked:
    """The options, checked: what belongs to no law that was asked for is refused."""
    options = frozenset(given_options(following)) - {"--seed", "--device"}
    whole = path.is_dir() and _is_one_character(out)
    if {"--sturdy", "--faithful"} <= options:
        raise FootfallError("--sturdy and --faithful: choose one of them")
    limit = following.torque_limit
    if limit is not None and not 0.0 <= limit < float("inf"):
        raise FootfallError(f"--torque-limit is {limit:g}; give N m for each kg of the body, 0 for no limit")
    named = following.policy is not None
    searched = bool(options & {"--figure", "--generations", "--stay-on-path", "--torque-limit"}) or whole
    by_default = "tracking" if searched and not named else "learned"
    if named and law is not None and not LAWS[law].network:
        options |= {f"--law {law}"}
    chosen = "learned" if named else law or by_default
    for refused, words in LAWS[chosen].refuses:
        wrong = [option for option in (f"--law {law}", *refused) if option in options]
        if wrong:
            raise FootfallError(words.format(wrong=", ".join(wrong), first=wrong[0], law=chosen))
    if following.device != "cpu" and not (whole and LAWS[chosen].network):
        raise FootfallError("--device works only with a folder that becomes one character: --law learned --out me.toml")
    either = law is None and not named and LAWS[chosen].network
    return _Asked(**vars(following), law=chosen, either=either, given=options)


def _is_one_character(out: tuple[str, ...]) -> bool:
    """Whether a folder of clips becomes one character: a file, not a folder of controllers."""
    return any(file.endswith((".toml", ".png")) for file in out)


# -- what each law makes of the options --------------------------------------------------------------------------------


def _network(asked: _Asked) -> Follower:
    network = NetworkFollower(asked.network(), asked.practice, asked.aim, asked.seed)
    gains = TrackingFollower(sturdy=asked.sturdy, search=GainSearch(seed=asked.seed))
    return EitherFollower(network, gains) if asked.either else network


def _tracking(asked: _Asked) -> Follower:
    search, limit = GainSearch(**asked.search), asked.torque_limit or 0.0
    return TrackingFollower(
        **asked.body, sturdy=asked.sturdy, stay_on_path=asked.stay_on_path, torque_limit=limit, search=search
    )


def _walk(asked: _Asked) -> Follower:
    return WalkFollower(**asked.body, search=CapturedSearch(**asked.search))


def _by_network(asked: _Asked, chunks: Path, executor: Executor | None) -> GraphWalker:
    return NetworkWalker(asked.network(), asked.practice, seed=asked.seed, device=asked.device)


def _by_tracking(asked: _Asked, chunks: Path, executor: Executor | None) -> GraphWalker:
    return TrackedWalker(chunks, **asked.body, seed=asked.seed, executor=executor)


@dataclass(frozen=True)
class _Law:
    """What a law takes, and what it makes.

    Attributes:
        follower: of one clip.
        refuses: options that it has no use for, and what is said then.
        advice: what to try where a character falls.
        walker: of one character of a folder; None where there is none.
        alone: options of single clips, which a character of a folder is made without.
        network: whether a network follows the clip, which practises on this machine.
    """

    follower: Callable[[_Asked], Follower]
    refuses: tuple[tuple[tuple[str, ...], str], ...]
    advice: str
    walker: Callable[[_Asked, Path, Executor | None], GraphWalker] | None = None
    alone: tuple[str, ...] = ("--law",)
    network: bool = False


_OF_NETWORKS = (
    ("--practice", "--faithful"),
    "{first} works only with a network, and --law {law} has none: leave it out, or give --law learned",
)
LAWS: Mapping[str, _Law] = {
    "learned": _Law(
        _network,
        (
            (
                ("--figure", "--generations", "--stay-on-path", "--torque-limit"),
                "a policy follows the clip: nothing is searched, and the figure is the policy's own; leave out "
                "{wrong}, or give --law tracking",
            ),
        ),
        "  try more --practice, --law tracking, which searches for gains, or a part of the clip (--start, --end)",
        _by_network,
        ("--loop", "--sturdy", "--faithful"),
        network=True,
    ),
    "tracking": _Law(
        _tracking,
        (_OF_NETWORKS,),
        "  for steady walking try --law simbicon, which walks without end; for others a part of the clip\n"
        "  (--start, --end), more --generations or another --seed",
        _by_tracking,
        ("--loop", "--generations", "--pushes", "--sturdy", "--stay-on-path", "--torque-limit"),
    ),
    "simbicon": _Law(
        _walk,
        (
            _OF_NETWORKS,
            (
                ("--sturdy", "--stay-on-path", "--torque-limit"),
                "--sturdy, --stay-on-path and --torque-limit are not for --law simbicon; its limits are in its file",
            ),
        ),
        "  try a part of the clip with steadier steps (--start, --end), more --generations or another --seed",
    ),
}
"""What ``--law`` may say."""


# -- one clip ----------------------------------------------------------------------------------------------------------


def _one_clip(path: Path, part: tuple[float | None, float | None], name: str, asked: _Asked) -> Imitation:
    if not path.is_file():
        raise FootfallError(f"clip {path} does not exist")
    follower = LAWS[asked.law].follower(asked)
    with progress(f"imitate {path.name}", 1.0) as show:
        clip = trimmed_clip(load_motion(path), *part)
        return follower.imitate(
            clip, name or controller_name(path), progress=lambda done, what: show(done), **asked.options
        )


def _answer(made: Imitation, aim: str, files: list[Path], kept: list[Path], keep: _Kept, fit: dict[str, Any]) -> Answer:
    """The report of what was made and written."""
    answer = made.as_dict() | {"law": made.law, "failed": made.failed} | ({"retarget": fit} if fit else {})

    def say() -> None:
        _print_report(made, answer, aim)
        verdict = made.verdict
        print(verdict.text.replace(verdict.word, verdict.word.upper(), 1))
        if verdict.why:
            print(LAWS[made.law].advice)
        if made.failed and len(kept) < len(files):
            print("  no character was written; --keep-fallen writes it")
        if fit:
            print_fit(fit, refused=keep.whole and not keep.fits)

    return Answer(answer, say, kept, keep.status if keep.whole and keep.fits else FAILED)


def _save(made: Imitation, file: Path, size: tuple[int, int] | None) -> None:
    if file.suffix == ".toml":
        save_controller(made.controller, file)
    elif file.suffix == ".png":
        (draw_views if made.cycle else draw_poses)(made.following, file)
    else:
        save_film(made.following, file, size=size)


def _in_words(made: Imitation, aim: str) -> str:
    """What was done because the first law was not enough, or for an aim."""
    if not made.why:
        return f"the network practised the clip to be {aim}:"
    done = {
        "network": "the network was tried",
        "practice": "the network practised the clip",
        "search": "gains were searched",
    }
    better = "the network" if LAWS[made.law].network else "the search"
    kept = f", and {better} did better" if "search" in made.steps else ""
    return f"with the network alone, {made.why}; so {' and '.join(done[step] for step in made.steps[1:])}{kept}:"


def _print_report(made: Imitation, answer: dict[str, Any], aim: str) -> None:
    if len(made.steps) > 1:
        print(_in_words(made, aim))
    ending = f"fell after {answer['seconds']:.1f} s" if answer["fell"] else f"stayed up for {answer['seconds']:.1f} s"
    known = answer["correlation"]
    lines = [
        f"{answer['controller']} on {answer['figure']}: {ending}, {answer['steps']} steps",
        f"  {answer['disturbed_up']} of {answer['disturbed_tried']} disturbed starts stayed up",
        f"  joints are {answer['joint_error_deg']:.1f} degrees from the clip on average, "
        f"correlation {'unknown (hardly a joint moves)' if known is None else f'{known:.2f}'}",
    ]
    if made.cycle:
        (forward, left), (clip_forward, clip_left) = answer["velocity_mps"], answer["clip_velocity_mps"]
        lines.append(
            f"  it goes forward at {forward:.2f} m/s and to the left at {left:.2f}; the clip at {clip_forward:.2f} and "
            f"{clip_left:.2f}"
        )
    else:
        lines += _course_lines(answer)
    if answer["push_limits"]:
        limits = ", ".join(f"{n:g} N from the {where}" for where, n in answer["push_limits"].items())
        lines.append(f"  withstands pushes of 0.4 s up to {limits}")
    if answer["sets_of_gains_tried"]:
        lines.append(f"  {answer['sets_of_gains_tried']} sets of gains were tried")
    print(*lines, sep="\n")


def _course_lines(answer: dict[str, Any]) -> list[str]:
    """Path, positions and torques against the clip's."""
    distance = (
        []
        if answer["distance_ratio"] is None
        else [
            f"  it covers {answer['distance_ratio']:.2f} of the clip's distance in {answer['duration']:.2f} of its "
            f"time, at most {100 * answer['off_path']:.0f} cm from its path per metre"
        ]
    )
    return [
        *distance,
        f"  mean errors: heading {answer['heading_error_deg']:.1f} degrees, joints {answer['mpjpe_root_mm']:.0f} mm "
        f"relative to the pelvis and {answer['mpjpe_global_mm']:.0f} mm in the world",
        f"  feet slide {answer['stance_slide_cm']:.1f} cm in a stance and sink in by {answer['sink_mm']:.0f} mm; "
        f"hip torque {answer['hip_torque_per_kg']:.1f} N m/kg (99th percentile)",
    ]


# -- a folder ----------------------------------------------------------------------------------------------------------


def _folder(path: Path, out: tuple[str, ...], asked: _Asked, jobs: Jobs) -> Answer:
    """A controller for each clip."""
    if len(out) != 1:
        raise FootfallError(f"{path} is a folder of clips: name one folder for the controllers with --out")
    follower = LAWS[asked.law].follower(asked)
    with progress(f"imitate {path.name}") as show, jobs.opened(show) as executor:
        report = cluster_progress(show, f"imitate {path.name}: clips", executor)
        made = imitate_folder(
            clips_in(path), Path(out[0]), follower, executor=executor, progress=report, **asked.options
        )
    up = [row for row in made if not row["refused"] and not row["fell"]]
    refused = [row for row in made if row["refused"]]
    words = [f"{len(up)} of {len(made)} clips are followed to their end; {len(refused)} refused"]
    named = {word: [row["controller"] for row in made if row.get("verdict") == word] for word in STATUS}
    words += [f"  {word}: {', '.join(names)}" for word, names in named.items() if names]
    words += [f"  {row['clip']}: {row['refused']}" for row in refused]
    answer = {"clips": len(made), "stayed_up": len(up), "rows": made}
    return Answer(answer, lambda: print(*words, sep="\n"), [f"{out[0]}/results.csv"])


def _character(path: Path, out: tuple[str, ...], asked: _Asked, jobs: Jobs) -> Answer:
    """One character of all clips."""
    law = LAWS[asked.law]
    wrong = ["--law"] if law.walker is None else [option for option in law.alone if option in asked.given]
    if wrong or law.walker is None:
        raise FootfallError(
            f"{wrong[0]} works only with single clips; leave it out for a character of a folder (--out me.toml)"
        )
    if law.network and jobs:
        raise FootfallError(
            "--cluster, --workers and --slurm work only with --law tracking; a network practises on this machine"
        )
    files = check_files(out, (".toml", ".png"))
    written = [file for file in files if file.suffix == ".toml"]
    if len(written) != 1:
        raise FootfallError(f"{path} is a folder: name one .toml file for the character with --out")
    target = written[0]
    with progress(f"imitate {path.name}", 1.0) as show, jobs.opened(show) as executor:
        walker = law.walker(asked, target.with_name(f"{target.stem}.chunks"), executor)
        made = one_character(
            clips_in(path), walker, name=controller_name(target), progress=lambda done, what: show(done, 1.0, what)
        )
    save_controller(made.controller, target)
    for file in files:
        if file.suffix == ".png":
            save_character(made, file)

    def say() -> None:
        _print_character(made)
        steer = shell_words("footfall", "steer", target, "--sequence", "5:0 5:90 5:90:0", "--out", "walk.mp4")
        print(f"  next: {steer}; {shell_words('footfall', 'studio', target)}")

    return Answer({"controller": made.controller.name, **made.report, **_clip_rows(made)}, say, files)


def _clip_rows(made: SteeredCharacter) -> dict[str, Any]:
    """What JSON says of the clips of a character."""
    if made.minutes:
        return {"left_out": [{"clip": clip, "why": why} for clip, why in made.left_out]}
    between = [[*pair, *counts] for pair, counts in made.between_clips().items()]
    return {"clips_of_folder": made.clips, "between_clips": between}


def _print_character(made: SteeredCharacter) -> None:
    report, clips = made.report, made.clips
    up = f"up in {report['minutes_up']} of {report['minutes']} minutes of random steering"
    if made.minutes:
        print(
            f"{report['clips']} of {len(clips)} clips in one character, {report['steps']} steps; {up} with steps of "
            f"{report['clips_used']} clips"
        )
        print(
            f"  heading {report['heading_error_deg']:.0f} degrees off, speed {report['speed_error_mps']:.2f} m/s; "
            f"fastest second {report['fastest_mps']:.1f} m/s; practised {report['practised_decisions']:,} decisions"
        )
        for clip, why in made.left_out:
            print(f"  left out {clip}: {why}")
        return
    print(
        f"{report['clips']} of {len(clips)} clips in one character, {report['steps_kept']} of {report['steps']} steps; "
        f"{up}, heading {report['heading_error_deg']:.0f} degrees off"
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
        state = f"left out: {row['left_out']}" if row["left_out"] else f"{kept}; {walked}"
        print(f"  {Path(row['clip']).name:{width}}  {state}")
