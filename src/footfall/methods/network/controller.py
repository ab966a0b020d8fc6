"""A controller with a network, as a value and as a file.

    name = "sure-walk"
    figure = "planar-biped"
    law = "network"
    base = "walk"             # the controller that is corrected: a built-in name, a .toml file, or the text of one
    rate = 50.0               # decisions a second
    goal_speed = 1.0          # the speed that is asked of the network, m/s
    network = "…"             # a .safetensors file beside this one, or such a file's bytes in base64

    [correct]                 # what an action of 1 changes, and how far
    targets = 0.3

    [[observations]]          # what the network observes, in its order
    names = ["height", "pitch"]
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from footfall.control.integration import Integration
from footfall.control.registry import load_controller, parse_controller, print_controller
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.network.inputs import Block
from footfall.methods.network.multilayer import Network
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, print_table, read_table

__all__ = ["NetworkController", "base_text", "parse_network", "print_network"]

SLOWEST, FASTEST = 1.0, 1000.0
"""Decisions a second."""
MOST_HISTORY = 16
SUFFIX = ".safetensors"


@dataclass(frozen=True, eq=False)
class NetworkController:
    """A controller whose numbers a network corrects.

    Attributes:
        network: what decides. observations: what it observes, in its order.
        base: the controller that is corrected: a built-in name, a ``.toml`` file, or the text of one.
        correct: what an action of 1 changes and how far (:func:`footfall.methods.network.corrections.corrections`).
        rate: decisions a second. clip: how large an action counts at most. history: how many of the last observations
            are inputs, the oldest first.
        goal_speed: the speed that is asked of the network, m/s.
        report: how it was trained and what was measured then.
        name, figure, law, about, start, ground, integration: as :class:`footfall.control.Controller` has them; the last
            three are the base controller's.
    """

    name: str
    figure: str
    network: Network
    observations: tuple[Block, ...]
    base: str
    correct: Mapping[str, float]
    law: str = "network"
    about: str = ""
    rate: float = 50.0
    clip: float = 1.0
    history: int = 1
    goal_speed: float = 1.0
    report: Mapping[str, Any] = field(default_factory=dict)
    graph: PoseControlGraph = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", _base(self.base))
        if not SLOWEST <= self.rate <= FASTEST:
            raise FootfallError(f"rate is {self.rate}; give decisions a second, from {SLOWEST:g} to {FASTEST:g}")
        if not 0 < self.clip <= 1e6:
            raise FootfallError(f"clip is {self.clip}; it must be above 0 and at most 1e6")
        if isinstance(self.history, bool) or not 1 <= self.history <= MOST_HISTORY:
            raise FootfallError(f"history is {self.history}; it must be a whole number from 1 to {MOST_HISTORY}")
        if not self.correct:
            raise FootfallError("correct: it is empty; give 'targets', 'gains' or the path of a parameter")
        for what, amount in self.correct.items():
            if not 0 <= amount <= 1e6:
                raise FootfallError(f"correct '{what}' is {amount}; it must be from 0 to 1e6")

    @property
    def start(self) -> Start | None:
        """Where the base controller begins."""
        return self.graph.start

    @property
    def ground(self) -> Ground | None:
        """What the base controller was made for."""
        return self.graph.ground

    @property
    def integration(self) -> Integration | None:
        """The step that the base controller was made with."""
        return self.graph.integration

    def __repr__(self) -> str:
        sizes = " - ".join(map(str, self.network.sizes))
        return (
            f"<NetworkController '{self.name}' for {self.figure}: corrects '{self.graph.name}' {self.rate:g} times a "
            f"second, layers of {sizes} ({self.network.activation})>\n"
            "  next: footfall.Simulation(controller).run(10.0)"
        )


@dataclass(frozen=True)
class _File:
    """The keys of a file."""

    name: str
    figure: str
    network: str
    base: str
    observations: tuple[Block, ...]
    correct: Mapping[str, float]
    law: str = "network"
    about: str = ""
    rate: float = 50.0
    clip: float = 1.0
    history: int = 1
    goal_speed: float = 1.0
    report: Mapping[str, Any] = field(default_factory=dict)


SCHEMA = Schema({_File: Form(noun="controller", always=("law",)), Block: Form(noun="observations")})


def parse_network(text: str, where: str) -> NetworkController:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    found = read_table(parse_toml(text, where), _File, where, SCHEMA)
    values = {part.name: getattr(found, part.name) for part in fields(found)}
    values["network"] = Network.from_bytes(_bytes(found.network, where), f"{where}, network")
    try:
        controller = NetworkController(**values)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    return controller


def print_network(controller: NetworkController) -> str:
    """The text of a controller's file, the network in it."""
    values = {part.name: getattr(controller, part.name) for part in fields(_File)}
    values["network"] = base64.b64encode(controller.network.to_bytes()).decode()
    return print_table(_File(**values), SCHEMA)


def base_text(controller: Any) -> str:
    """What a file gives as its base controller: the name of one that comes with footfall, or the text of any other."""
    try:
        known = load_controller(controller.name)
    except FootfallError:
        known = None
    return str(controller.name) if known == controller else print_controller(controller)


def _base(base: str) -> PoseControlGraph:
    try:
        graph = parse_controller(base, "base") if "\n" in base else load_controller(base)
    except FootfallError as error:
        raise FootfallError(f"base: {error}") from None
    if not isinstance(graph, PoseControlGraph) or graph.law != "simbicon":
        raise FootfallError(f"base '{graph.name}' has the law '{graph.law}'; networks correct controllers of SIMBICON")
    return graph


def _bytes(network: str, where: str) -> bytes:
    if network.endswith(SUFFIX):
        beside = Path(where).parent / network if Path(where).is_file() else Path(network)
        try:
            return beside.read_bytes()
        except OSError as error:
            raise FootfallError(f"{where}: network file {beside}: {error.strerror}") from None
    try:
        return base64.b64decode(network, validate=True)
    except (binascii.Error, ValueError):
        raise FootfallError(f"{where}: network is neither a {SUFFIX} file nor base64") from None
