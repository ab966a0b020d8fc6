"""A clip imitated by what does it best: a network that follows clips, practice of the clip, a search for gains.

All clips of a folder as one character that a network walks: it is tried on transitions, practises to be steered with
those that it passes, is tried again, harder, leaves out what it falls after, and is then steered at random.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import joined
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.steered_network import CHOOSING, SteeredNetwork
from footfall.motion import Motion
from footfall.progress import Show, part_of
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.imitate import Imitation, imitate
from footfall.study.imitation.practised import Followed, check_device, follow_and_practise, practise_walks, worth
from footfall.study.imitation.steered_policy import PolicyMinute, random_minutes, read_clips
from footfall.study.imitation.transitions import FIRST, STRICT, passed, pruned


@dataclass(frozen=True, eq=False)
class Imitated:
    """A clip's character.

    Attributes:
        made: the best that was made. law: whose it is, "learned" or "tracking".
        tried: what was done, in the order in which it was: "network", "practice", "search".
        why: why the first of these was not enough, in words; empty where it was.
    """

    made: Imitation[Any]
    law: str
    tried: tuple[str, ...]
    why: str = ""


def imitate_by_any_law(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    practice: int | None = None,
    aim: str = "course",
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    search: GainSearch | None = None,
    progress: Show | None = None,
) -> Imitated:
    """Make a clip's controller: by a network that follows clips, which practises where it must, and where it still
    falls by a search for gains. A loop is searched first: such a character walks without end, where the network's
    walks for a minute. The better of the two is kept.

    Args:
        clip: a motion or its file. policy: a tracker. practice: decisions, at most. aim: what it practises for
            (:func:`~footfall.study.imitation.practised.follow_and_practise`); "sturdy" counts for the search too.
        name: of the controller; by default from the file's name. loop: repeat the clip's best two steps.
        pushes: whether to look for push limits. seed: of everything random. search: how to look for gains.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    share = 0.4 if loop else 0.6
    options: dict[str, Any] = {"name": name, "loop": loop, "pushes": pushes}

    def follow(first: float, last: float) -> Followed:
        own: dict[str, Any] = {"practice": practice, "aim": aim, "seed": seed, "progress": part(first, last)}
        return follow_and_practise(clip, policy, **own, **options)

    def searched(first: float, last: float) -> Imitation[Any] | None:
        own: dict[str, Any] = {"sturdy": aim == "sturdy", "progress": part(first, last)}
        try:
            return imitate(clip, search=search or GainSearch(seed=seed), **own, **options)
        except FootfallError:  # the network may do without the steps that a search needs; it says what else is wrong
            return None

    def part(first: float, last: float) -> Show:
        return lambda done, what: show(first + (last - first) * done, what)

    if loop:
        found = searched(0.0, share)
        if found is not None and not found.failed:
            return Imitated(found, "tracking", ("search",))
        followed = follow(share, 1.0)
        why = "its steps cannot be repeated" if found is None else found.failed
        return _better(followed, found, ("search", *_steps(followed)), why)
    followed = follow(0.0, share)
    if not followed.falls:
        return Imitated(followed.made, "learned", _steps(followed), followed.why)
    return _better(followed, searched(share, 1.0), (*_steps(followed), "search"), followed.why)


def imitate_by_network(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitated:
    """The same by the network alone, which practises where it must; arguments as
    :func:`~footfall.study.imitation.practised.follow_and_practise` takes them."""
    followed = follow_and_practise(clip, policy, **options)
    return Imitated(followed.made, "learned", _steps(followed), followed.why)


def _steps(followed: Followed) -> tuple[str, ...]:
    return ("network", "practice") if followed.practised else ("network",)


def _better(followed: Followed, found: Imitation[Any] | None, tried: tuple[str, ...], why: str) -> Imitated:
    if found is not None and worth(found) > worth(followed.made):
        return Imitated(found, "tracking", tried, why)
    return Imitated(followed.made, "learned", tried, why)


def imitated_clip(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitation[Any]:
    """The character alone; arguments as :func:`imitate_by_any_law` takes them."""
    return imitate_by_any_law(clip, policy, **options).made


MINUTES = 20
"""Of random steering, for the report."""
COURSES = 2
"""Of practice, each on other walks, where it falls in the first."""


@dataclass(frozen=True, eq=False)
class OneCharacter:
    """A character.

    Attributes:
        controller: with its report. minutes: of random steering, with seeds that practice did not use.
        left_out: (file, reason) of clips that are not in it.
    """

    controller: SteeredNetwork
    minutes: tuple[PolicyMinute, ...]
    left_out: tuple[tuple[str, str], ...]


def one_character(
    clips: Sequence[Path],
    policy: NetworkController,
    *,
    name: str = "steered",
    practice: int | None = None,
    minutes: int = MINUTES,
    seed: int = 1,
    device: str = "cpu",
    progress: Show | None = None,
) -> OneCharacter:
    """Make one character of many clips.

    Args:
        clips: motion files. policy: a tracker. name: of the character.
        practice: decisions of a course, at most (:func:`~footfall.study.imitation.practised.practise_walks`).
        minutes: of random steering, for the report. seed: of everything random.
        device: where it practises, "cpu" or "cuda".
        progress: called with the share done and a few words.
    """
    check_device(device)
    show = progress or (lambda done, what: None)
    figure = Figure.load(policy.figure)
    read, left_out = read_clips([("normal", file) for file in clips], figure, part_of(show, 0.0, 0.05))
    about = f"Walks where it is sent with steps of {len(read)} clips, by the policy {policy.name}."
    first = joined(read, figure, CHOOSING)
    character = SteeredNetwork(name, policy, tuple(first.graph.clips), about, first.graph.choosing)
    without = {file for file, _ in left_out}
    files = dict(zip((clip.name for clip in read), (str(f) for f in clips if str(f) not in without), strict=True))
    left_out += [(files[own], "its steps cannot be joined to those of the other clips") for own in first.left_out]
    passes = passed(character, FIRST, progress=part_of(show, 0.05, 0.1))
    after, decisions = _practised(passes, practice, seed, device, part_of(show, 0.15, 0.45))
    after = passed(after, STRICT, progress=part_of(show, 0.6, 0.2))
    left = pruned(after, seed=seed, progress=part_of(show, 0.8, 0.15))
    graph = left.controller.graph
    walked = random_minutes(left.controller.policy, graph, minutes, seed=seed, progress=part_of(show, 0.95, 0.05))
    report = {
        "clips": len(read) - len(first.left_out),
        "steps": len(graph.steps),
        "widest_seam_m": left.controller.choosing.near,
        "left_out_by_random_steering": left.left_out,
        "minutes": minutes,
        "minutes_up": sum(not minute.fell for minute in walked),
        "heading_error_deg": _mean([minute.heading_error for minute in walked]),
        "speed_error_mps": _mean([minute.speed_error for minute in walked]),
        "fastest_mps": round(max(minute.fastest for minute in walked), 3),
        "clips_used": len({first.of[clip] for minute in walked for clip in minute.clips}),
        "practised_decisions": decisions,
    }
    return OneCharacter(replace(left.controller, report=report), tuple(walked), tuple(left_out))


def _practised(
    character: SteeredNetwork, practice: int | None, seed: int, device: str, show: Show
) -> tuple[SteeredNetwork, int]:
    """The character after courses of practice, and the decisions that they took; a course in which it comes to stay up
    in all judged minutes is the last."""
    decisions = 0
    for course in range(COURSES):
        part = part_of(show, course / COURSES, 1.0 / COURSES)
        made = practise_walks(character, decisions=practice, seed=seed + course, device=device, progress=part)
        character, decisions = made.controller, decisions + made.decisions
        if made.up == made.tried or practice == 0:
            break
    return character, decisions


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return round(float(np.mean(known)), 3) if known else 0.0
