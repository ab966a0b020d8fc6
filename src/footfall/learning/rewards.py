"""The terms of the reward: a table that the kernel, the options and the documentation share."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from footfall.errors import FootfallError, unknown_name

SPEED_WIDTH = 0.5
"""m/s: how far speed may be off before its term has fallen to 1/e."""
HEADING_WIDTH = 0.5
"""rad: the same for heading."""
POSE_SHARE, VELOCITY_SHARE, ROOT_SHARE, TURN_SHARE = 0.5, 0.1, 0.25, 0.15
"""Of the imitation term: the joints' pose, their velocities, the root's place and its turning."""

SLIDE_MOST = 0.005
"""Metres that feet may slide between decisions before it costs no more."""
PLACE_MOST = 0.5
"""Metres that the root may be from the clip's before it costs no more."""


@dataclass(frozen=True)
class Term:
    """A term of the reward: its name, usual weight, formula and meaning. ``goal`` is the option without which it is 0;
    empty for a term that is always there."""

    name: str
    weight: float
    formula: str
    about: str
    goal: str = ""


TERMS = (
    Term("alive", 1.0, "1", "for every decision that does not end in a fall"),
    Term(
        "speed", 1.0, f"exp(-((v - goal) / {SPEED_WIDTH:g})²)", "v: mean speed since the last decision, along the goal"
    ),
    Term("heading", 0.5, f"exp(-(error / {HEADING_WIDTH:g})²)", "error: the angle between body and goal", "heading"),
    Term(
        "imitation",
        2.0,
        f"{POSE_SHARE:g} exp(-2 Σ Δq²) + {VELOCITY_SHARE:g} exp(-0.02 Σ Δq'²) + {ROOT_SHARE:g} exp(-10 |Δroot|²)"
        f" + {TURN_SHARE:g} exp(-5 θ²)",
        "Δ: from the clip's joints, joint velocities and root at this time; θ: angle between the two roots, rad",
        "clip",
    ),
    Term("smooth", -0.05, "mean((action - last action)²)", "the cost of acting otherwise than before", "clip"),
    Term(
        "slide",
        -200.0,
        f"min(mean |Δp|, {SLIDE_MOST:g})",
        "Δp: metres that places where the feet's points are held on the ground moved since the last decision",
        "clip",
    ),
    Term(
        "place",
        0.0,
        f"min(|Δroot|, {PLACE_MOST:g})",
        "Δroot: metres from the clip's root at this time; for policies that must keep to a clip's path closely",
        "clip",
    ),
    Term("control", -0.1, "mean(action²)", "the cost of acting"),
    Term("fall", -1.0, "1", "when the walker falls"),
)
ALIVE, SPEED, HEADING, IMITATION, SMOOTH, SLIDE, PLACE, CONTROL, FALL = range(len(TERMS))


def check_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights of unknown terms, and numbers that are not finite."""
    names = [term.name for term in TERMS]
    for name, value in weights.items():
        if name not in names:
            raise unknown_name("term of the reward", name, names)
        if not math.isfinite(value):
            raise FootfallError(f"weight of '{name}' is {value}; it must be finite")


def weights_of(weights: Mapping[str, float], goals: Mapping[str, bool]) -> list[float]:
    """The weight of every term: the one given, else the usual one; 0 where its goal is not there."""
    return [float(weights.get(t.name, t.weight)) if goals.get(t.goal, True) else 0.0 for t in TERMS]
