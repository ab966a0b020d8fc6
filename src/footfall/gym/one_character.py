"""All clips of a folder as one character that a network walks: it is tried on transitions, practises to be steered with
those that it passes, is tried again, harder, leaves out what it falls after, and is then steered at random."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from footfall.figures import Figure
from footfall.gym.practised_walks import check_device, practise_walks
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.steered_network import CHOOSING, SteeredNetwork
from footfall.study.imitation.joined import joined
from footfall.study.imitation.policy_trials import FIRST, STRICT, passed
from footfall.study.imitation.pruned import pruned
from footfall.study.imitation.steered_policy import PolicyMinute, random_minutes, read_clips
from footfall.study.progress import Show, part_of

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
        practice: decisions of a course, at most (:func:`~footfall.gym.practised_walks.practise_walks`).
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
