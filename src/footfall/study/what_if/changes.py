"""What is changed in a walker: a weak joint, a stiff one, a shorter leg, a prosthetic foot, a load on one side.

A change makes of a figure and a controller another figure and controller. What it takes away is not free when the walk
adapts: a prosthetic ankle has no targets to search for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from footfall.control.start import Start
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure, Side
from footfall.methods.simbicon.graph import Gains, PoseControlGraph, Target
from footfall.methods.simbicon.table import GraphTable

PROSTHETIC_SPRING, PROSTHETIC_DAMPER = 300.0, 3.0
"""N m/rad and N m s/rad of a prosthetic foot's ankle, for a body of 75 kg: about as stiff as a person's ankle is in the
middle of stance."""
PROSTHETIC_MASS = 0.7
"""Kilograms of a prosthetic foot."""
BESIDE = 0.25
"""Metres from the body's middle to a load on one side."""


@dataclass(frozen=True)
class Walker:
    """A figure with its controller.

    Attributes:
        figure, graph: which.
        fixed: joints whose targets are not free.
    """

    figure: Figure
    graph: PoseControlGraph
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Weak:
    """A joint with a share of its strength: servo gains and torque limit."""

    joint: str
    share: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise FootfallError(f"weak '{self.joint}:{self.share:g}': the share of strength that is left is 0 to 1")

    def __str__(self) -> str:
        return f"{self.joint.replace('_', ' ')} with {100 * self.share:g} % of its strength"

    def applied(self, walker: Walker) -> Walker:
        """The walker with it."""
        table = GraphTable(walker.graph, walker.figure)
        own = dict(walker.graph.servo.joints)
        for joint in _joints(walker.figure, self.joint):
            kp, kd, limit = (self.share * table.value(f"{joint}.{part}") for part in ("kp", "kd", "torque_limit"))
            own[joint] = Gains(kp, kd, limit if np.isfinite(limit) else None)
        return replace(walker, graph=_with_gains(walker.graph, own))


@dataclass(frozen=True)
class Stiff:
    """A joint that flexes by no more than some degrees from straight, as in a brace."""

    joint: str
    degrees: float

    def __post_init__(self) -> None:
        if not 0.0 < self.degrees <= 180.0:
            raise FootfallError(f"stiff '{self.joint}:{self.degrees:g}': give the degrees that it bends, above 0")

    def __str__(self) -> str:
        return f"{self.joint.replace('_', ' ')} that bends by no more than {self.degrees:g}°"

    def applied(self, walker: Walker) -> Walker:
        """The walker with it."""
        import mujoco

        figure, graph = walker.figure, walker.graph
        spec = mujoco.MjSpec.from_string(figure.xml)
        unit = np.degrees(1.0) if spec.compiler.degree else 1.0
        most = np.radians(self.degrees)
        start = graph.start
        qpos = np.array(start.qpos) if start is not None else np.zeros(0)
        for name in _joints(figure, self.joint):
            joint = figure.joint(name)
            low, high = max(joint.lower, -most), min(joint.upper, most)
            spec.joint(name).range = [unit * low, unit * high]
            spec.joint(name).limited = True
            if len(qpos):
                qpos[joint.qpos] = np.clip(qpos[joint.qpos], low, high)
        if start is not None:
            graph = graph.changed(start=Start(tuple(qpos.tolist()), start.qvel, start.state))
        return replace(walker, figure=Figure.load(spec.to_xml()), graph=graph)


@dataclass(frozen=True)
class Shorter:
    """A leg that is shorter by some metres, in its shank."""

    side: Side
    metres: float

    def __str__(self) -> str:
        return f"{self.side} leg {100 * self.metres:g} cm shorter"

    def applied(self, walker: Walker) -> Walker:
        """The walker with it."""
        figure = walker.figure
        leg = figure.legs[self.side]
        shank, foot = leg.links[-2], leg.foot
        params = figure.body_parameters()
        length = float(np.linalg.norm(params.position[0, params.names.index(foot)]))
        if not 0.0 < self.metres < 0.5 * length:
            raise FootfallError(
                f"shorter '{self.side}:{self.metres:g}': give metres above 0 and below half the shank's {length:.2f} m"
            )
        return replace(walker, figure=figure.with_body_parameters(params.scaled(shank, 1.0 - self.metres / length)))


@dataclass(frozen=True)
class Prosthesis:
    """A prosthetic foot: an ankle that is a spring, and a light foot."""

    side: Side

    def __str__(self) -> str:
        return f"prosthetic {self.side} foot"

    def applied(self, walker: Walker) -> Walker:
        """The walker with it."""
        figure, ankle = walker.figure, walker.figure.legs[self.side].ankle
        params = figure.body_parameters()
        mass = float(params.mass.sum())
        spring, damper = (value * mass / 75.0 for value in (PROSTHETIC_SPRING, PROSTHETIC_DAMPER))
        foot = figure.legs[self.side].foot
        light = min(PROSTHETIC_MASS * mass / 75.0, float(params.mass[0, params.names.index(foot)]))
        own = dict(walker.graph.servo.joints) | {joint: Gains(spring, damper, None) for joint in ankle}
        states = [
            replace(state, targets={**state.targets, **{joint: Target(0.0) for joint in ankle}})
            for state in walker.graph.states
        ]
        graph = _with_gains(walker.graph, own).changed(states=tuple(states))
        return Walker(figure.with_body_parameters(params.with_mass(foot, light)), graph, walker.fixed | {*ankle})


@dataclass(frozen=True)
class Load:
    """Kilograms that are carried on one side, fixed to the pelvis beside the hip."""

    side: Side
    kilograms: float

    def __post_init__(self) -> None:
        if not self.kilograms > 0.0:
            raise FootfallError(f"load '{self.side}:{self.kilograms:g}': give kilograms above 0")

    def __str__(self) -> str:
        return f"{self.kilograms:g} kg on the {self.side} side"

    def applied(self, walker: Walker) -> Walker:
        """The walker with it."""
        params = walker.figure.body_parameters()
        root = params.names[0]
        place = params.com[0, 0] + np.array([0.0, BESIDE if self.side == "left" else -BESIDE, 0.0])
        return replace(walker, figure=walker.figure.with_body_parameters(params.with_load(root, self.kilograms, place)))


Change = Weak | Stiff | Shorter | Prosthesis | Load


def _side(option: str, text: str) -> Literal["left", "right"]:
    if text == "left":
        return "left"
    if text == "right":
        return "right"
    raise FootfallError(f"{option} '{text}': write left or right")


CHANGES: Mapping[str, tuple[str, Callable[[str, float], Change]]] = {
    "weak": ("left_ankle:0.5", Weak),
    "stiff": ("left_knee:10", Stiff),
    "shorter": ("left:0.03", lambda side, metres: Shorter(_side("shorter", side), metres)),
    "load": ("left:10", lambda side, kilograms: Load(_side("load", side), kilograms)),
    "prosthesis": ("left", lambda side, _: Prosthesis(_side("prosthesis", side))),
}
"""Option -> an example, and the change that a name and a number make."""


def parse_change(option: str, text: str) -> Change:
    """A change from words: ``weak`` ``left_ankle:0.5``, ``stiff`` ``left_knee:10`` (degrees), ``shorter`` ``left:0.03``
    (metres), ``load`` ``left:10`` (kilograms), ``prosthesis`` ``left``."""
    example, make = CHANGES[option]
    name, colon, number = text.partition(":")
    try:
        if bool(colon) != (":" in example):
            raise ValueError
        value = float(number) if colon else 0.0
    except ValueError:
        raise FootfallError(f"{option} '{text}': write it as in {option} {example}") from None
    return make(name, value)


def _joints(figure: Figure, name: str) -> tuple[str, ...]:
    """The joints that a name means: one joint, or all of a hip, a knee or an ankle, as in left_ankle."""
    names = [joint.name for joint in figure.joints]
    places: dict[str, tuple[str, ...]] = {}
    for side, leg in figure.legs.items():
        places |= {f"{side}_hip": leg.hip, f"{side}_knee": leg.knee, f"{side}_ankle": leg.ankle}
    if name in places:
        return places[name]
    if name in names:
        return (name,)
    raise unknown_name(f"joint of figure '{figure.name}'", name, [*places, *names])


def _with_gains(graph: PoseControlGraph, joints: Mapping[str, Gains]) -> PoseControlGraph:
    return graph.changed(servo=replace(graph.servo, joints=dict(joints)))
