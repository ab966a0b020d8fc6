"""A search in words: what it changed, what it kept, and where the controller comes from."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.search.cma_search import Found
from footfall.study.search.measures import MEASURES
from footfall.study.search.objective import Bound, Objective
from footfall.study.search.usual_bounds import LEAST_FLIGHT, STANDING
from footfall.study.sweeps.experiment import Experiment

TOLD = ("survival", "speed", "step_length", "step_time", "step_rate", "flight", "torque", "power")
"""Measures that are told of every search, whatever it was for."""
NOISE = 0.02
LONGEST_ABOUT = 120


def change_rows(found: Found) -> list[tuple[str, str]]:
    """Each measure's name, and its value before and after with the unit."""
    rows = []
    for name, value in found.measures.items():
        unit = MEASURES[name]
        rows.append((name, f"{number(found.base[name])} → {number(value)} {unit}".rstrip()))
    return rows


def number(value: float) -> str:
    """A measure to four digits, without an exponent below a million; a dash where it has none."""
    if not math.isfinite(value):
        return "–"
    if abs(value) < 5e-4:
        return "0"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.4g}"


def bound_words(bound: Bound) -> str:
    """A bound in words."""
    if bound == Bound("flight", high=LEAST_FLIGHT):
        return "always a foot on the ground"
    if bound == Bound("flight", LEAST_FLIGHT):
        return "a time in flight"
    if bound == Bound("step_rate", high=STANDING):
        return "it stands"
    unit = MEASURES[bound.measure]
    if math.isfinite(bound.low) and math.isfinite(bound.high):
        return f"{bound.measure} {bound.low:g} to {bound.high:g} {unit}".rstrip()
    sign, value = (">=", bound.low) if math.isfinite(bound.low) else ("<=", bound.high)
    return f"{bound.measure} {sign} {value:g} {unit}".rstrip()


def broken_bounds(objective: Objective, measures: Mapping[str, float]) -> list[str]:
    """The bounds that measures do not keep, each in words with what it is instead."""
    broken = []
    for bound in objective.bounds:
        value = measures[bound.measure]
        if not bool(bound.violation(np.array([value]))[0] == 0.0):
            broken.append(f"{bound_words(bound)} (it is {number(value)})")
    return broken


def goal_words(objective: Objective) -> str:
    """The goal in words: ``less torque, more push_forward``."""
    words = [f"{'less' if term.weight > 0 else 'more'} {term.measure}" for term in objective.terms]
    return ", ".join(words) or "its bounds"


def disturbed_starts(experiment: Experiment, controller: PoseControlGraph, starts: int = 10) -> tuple[int, int]:
    """From how many of how many disturbed starts, which no search has seen, a controller stays up for 20 s."""
    from dataclasses import replace

    from footfall.control.registry import print_controller

    one = replace(experiment, controller=print_controller(controller), seconds=20.0)
    replica = 1001.0 + np.arange(starts)
    up = one.run({"start.noise": np.full(starts, NOISE), "replica": replica})["survived"]
    return int(np.sum(up)), starts


def with_origin(
    found: Found,
    first: PoseControlGraph,
    source: str,
    objective: Objective,
    name: str,
    tried: Sequence[int],
    search: str,
) -> PoseControlGraph:
    """The found controller under a name of its own, with where it comes from; what was known of the first one's basin
    of attraction is dropped.

    Args:
        found: by the search. first: the controller that it began with. source: what it was asked for by.
        objective: what was wanted. name: the new name.
        tried: disturbed starts from which it stayed up, and how many there were.
        search: what the search was, in words.
    """
    known = first.about.split(". ")[0].rstrip(".")
    origin = f"'{first.name}'" + (f" in {source}" if source.endswith(".toml") else "")
    origin += f" ({known})" if 0 < len(known) <= LONGEST_ABOUT else ""
    told = ("speed", "step_length", "step_time", "torque", *(t.measure for t in objective.terms))
    changes = ", ".join(f"{row} {text}" for row, text in change_rows(found) if row in told)
    about = (
        f"Found by footfall optimize ({search}) for {goal_words(objective)}, from {origin}: {changes}. "
        f"It stays up for 20 s from {tried[0]} of {tried[1]} disturbed starts."
    )
    return found.controller.changed(name=name, about=about, basin={})
