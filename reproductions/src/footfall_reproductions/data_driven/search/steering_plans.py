"""Walks that a steered character would make, planned without a simulation: clips on which gains for steering are found.

A plan is a sequence of directions, speeds and styles. Its steps are chosen from a motion graph as
``methods.tracking.step_choice`` does, as if the character followed each exactly, and joined into one repertoire that is
walked once. Many plans are then tried side by side, like clips.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from footfall.dynamics.contact import Ground
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.repertoire import PAPER_GROUND, Repertoire, Settings
from footfall.methods.tracking.step_choice import SLOTS, StepChoice
from footfall.study.imitation.steering import Stretch, clip_graph

FPS = 30.0
CLIPS = (
    ("normal", "wd2_WalkSameSame01"),
    ("normal", "woddy2_walk_normal_left_90"),
    ("normal", "woddy2_walk_normal_right_90"),
    ("normal", "woddy2_walk_normal_left_135"),
    ("normal", "woddy2_walk_normal_left_180"),
    ("fast", "woddy2_walk_fast_stright"),
    ("style 1", "woddy2_walk_normal_style_1"),
    ("style 2", "woddy2_walk_normal_style_2"),
)
"""The paper's interactive set: turns of 90, 135 and 180 degrees, straight walks at two speeds, two more gaits."""


@cache
def interactive_graph(folder: Path) -> TrackedGraph | None:
    """A motion graph of the interactive set; None where clips are missing."""
    files = [(style, folder / f"{name}.bvh") for style, name in CLIPS]
    return clip_graph(files) if all(file.is_file() for _, file in files) else None


def planned_walk(
    graph: TrackedGraph, plan: Sequence[Stretch], name: str, ground: Ground = PAPER_GROUND
) -> TrackingController:
    """The steps that a plan asks for, as a controller that makes them once; it begins standing, at the origin."""
    choice = StepChoice(graph, Settings(), ground)
    ends = np.cumsum([leg.seconds for leg in plan])
    fragments, time = [choice.slots.all[0].fragment], 0.0
    fragments[0] = replace(fragments[0], turn=choice.slots.all[0].turn)
    heading, slot = choice.slots.all[0].turn, 1
    while time < ends[-1]:
        leg = plan[int(np.searchsorted(ends, time, "right"))]
        choice.direct(math.radians(leg.direction), leg.speed, leg.style)
        choice.observe(slot, heading)
        choice.decide()
        fragment, turn = choice.slots.all[slot].fragment, choice.slots.all[slot].turn
        fragments.append(replace(fragment, turn=turn))
        time += (len(fragment.frames) - 1) / FPS
        heading, slot = heading + turn, (slot + 1) % SLOTS
    joined = [replace(f, gains=0, successor=k + 1) for k, f in enumerate(fragments[:-1])]
    last = replace(fragments[-1], gains=0, successor=-1)
    return TrackingController(name, Repertoire((*joined, last), ground=ground), graph.figure.name)


def random_plan(styles: Sequence[str], seed: int, *, legs: int = 5, seconds: float = 6.0) -> list[Stretch]:
    """A plan by chance: first straight on, then turns of up to 90 degrees, speeds of 0.7 to 1.3 m/s, any style. A
    character makes its steps faster than planned, so plans should be half as long again as they are tried."""
    random = np.random.default_rng(seed)
    made, direction = [Stretch(seconds, 0.0, 0.9, styles[0])], 0.0
    for _ in range(legs - 1):
        direction += float(random.choice((-90.0, -45.0, 0.0, 45.0, 90.0)))
        made.append(Stretch(seconds, direction, float(random.uniform(0.7, 1.3)), str(random.choice(list(styles)))))
    return made
