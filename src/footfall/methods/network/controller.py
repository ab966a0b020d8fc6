"""A controller with a network, as a value and as a file.

    name = "sure-walk"
    figure = "planar-biped"
    law = "network"
    base = "walk"             # the controller that is corrected: a built-in name, a .toml file, or the text of one
    rate = 50.0               # decisions a second
    goal_speed = 1.0          # the speed that is asked of the network, m/s
    network = "…"             # a .safetensors or .onnx file beside this one, or a .safetensors file's bytes in base64

    [correct]                 # what an action of 1 changes, and how far
    targets = 0.3

    [[observations]]          # what the network observes, in its order
    names = ["height", "pitch"]

A policy that sets targets of joints' servos has, in place of ``base`` and [correct],

    [servos]
    joints = ["left_hip", "left_knee"]      # one for each action, in its order
    scale = 0.25                            # rad that an action of 1 adds to the default pose

One that follows a clip has ``default = "clip"`` in [servos], and before them

    clip_frames = "…"         # the clip: a .safetensors file beside this one, or its bytes in base64
    tether = 0.15             # metres; a clip that is further away is seen as this far away; without it as it is

or, in its place,

    gaits = "…"               # what is asked for is followed: tables of gaits, as ``clip_frames`` are given
    policy = "clip-tracker"   # the policy that comes with footfall, or a .toml file: what is not given here is as there

Without ``clip_frames`` it is a tracker: trained to follow clips, and run with the one that it is given.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import Any

from footfall.control.kind import Integration, Start
from footfall.control.registry import load_controller, parse_controller, print_controller
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.deciding import Block
from footfall.methods.network.gaits import Gaits
from footfall.methods.network.law import CLIP, Servos
from footfall.methods.network.multilayer import Network, load_onnx
from footfall.methods.network.terms import looks_of
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import Form, Schema, print_table, read_table

SLOWEST, FASTEST = 1.0, 1000.0
"""Decisions a second."""
MOST_HISTORY = 16
TRACKER, SURE_TRACKER = "clip-tracker", "sure-tracker"
"""The policies that come with footfall: one follows clips, the other gaits, under pushes (docs/learning.md)."""
SUFFIX, ONNX = ".safetensors", ".onnx"
LONGEST_TETHER = 1000.0
SAME_RATE = 1e-6
"""Share by which two rates may differ that are one."""


@dataclass(frozen=True, eq=False)
class NetworkController:
    """A controller whose numbers a network corrects.

    Attributes:
        network: what decides.
        observations: what it observes, in its order.
        base: the controller that is corrected: a built-in name, a ``.toml`` file, or the text of one; empty for a
            policy that sets targets of servos.
        graph: that controller.
        servos: what actions are, without a base.
        clip_frames: the clip that is followed, at ``rate`` frames a second; None for a policy that follows none, and
            for a tracker that has not been given one.
        gaits: what is followed in place of a clip, as speed and heading are asked for; the first speed is
            ``goal_speed``.
        tether: metres; a clip that is further away is seen as this far away (:mod:`.seen`); None for as it is.
        correct: what an action of 1 changes and how far (:func:`footfall.methods.network.corrections.corrections`).
        rate: decisions a second.
        limit: how large an action counts at most.
        history: how many of the last observations are inputs, the oldest first.
        goal_speed: the speed that is asked of the network, m/s.
        gets_up: whether it goes on where the body lies on the ground, for a policy that sets targets of servos.
        report: how it was trained and what was measured then.
        name, figure, law, about, start, ground, integration: as :class:`footfall.control.Controller` has them; the last
            three are the base controller's. One that follows a clip starts in the clip's first state.
    """

    name: str
    figure: str
    network: Network
    observations: tuple[Block, ...]
    base: str = ""
    correct: Mapping[str, float] = field(default_factory=dict)
    servos: Servos | None = None
    law: str = "network"
    about: str = ""
    rate: float = 50.0
    limit: float = 1.0
    history: int = 1
    goal_speed: float = 1.0
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None
    report: Mapping[str, Any] = field(default_factory=dict)
    clip_frames: ClipFrames | None = None
    gaits: Gaits | None = None
    tether: float | None = None
    gets_up: bool = False
    graph: PoseControlGraph | None = field(init=False)

    def __post_init__(self) -> None:
        if bool(self.base) == (self.servos is not None):
            raise FootfallError("give either base, the controller that is corrected, or [servos] whose targets are set")
        graph = _base(self.base) if self.base else None
        object.__setattr__(self, "graph", graph)
        for name in ("start", "ground", "integration") if graph is not None else ():
            if getattr(self, name) not in (None, getattr(graph, name)):
                raise FootfallError(f"{name}: it is the base controller's; leave it out")
            object.__setattr__(self, name, getattr(graph, name))
        if not SLOWEST <= self.rate <= FASTEST:
            raise FootfallError(f"rate is {self.rate}; give decisions a second, from {SLOWEST:g} to {FASTEST:g}")
        if not 0 < self.limit <= 1e6:
            raise FootfallError(f"limit is {self.limit}; it must be above 0 and at most 1e6")
        if isinstance(self.history, bool) or not 1 <= self.history <= MOST_HISTORY:
            raise FootfallError(f"history is {self.history}; it must be a whole number from 1 to {MOST_HISTORY}")
        if bool(self.correct) != bool(self.base):
            if self.correct:
                raise FootfallError("correct: it changes a base controller; there is none")
            raise FootfallError("correct: it is empty; give 'targets', 'gains' or the path of a parameter")
        self._take_clip()
        if self.gets_up and self.servos is None:
            raise FootfallError("gets_up: it is for a policy with [servos], and this one corrects a controller")
        for what, amount in self.correct.items():
            if not 0 <= amount <= 1e6:
                raise FootfallError(f"correct '{what}' is {amount}; it must be from 0 to 1e6")

    def _take_clip(self) -> None:
        """The clip is the one to follow, at the policy's rate, and its first state the start."""
        clip = self.clip_frames
        for what in ("clip_frames", "gaits", "tether"):
            if getattr(self, what) is not None and not self.follows:
                raise FootfallError(f'{what}: nothing follows a clip here; [servos] with default = "clip" would')
        if self.tether is not None and not 0.0 < self.tether <= LONGEST_TETHER:
            raise FootfallError(f"tether is {self.tether:g}; it must be above 0 and at most {LONGEST_TETHER:g} metres")
        if self.gaits is not None:
            if clip is not None:
                raise FootfallError("give either clip_frames or gaits, what is followed")
            object.__setattr__(self, "start", self.start or self.gaits.start)
        if clip is None:
            return
        if abs(clip.rate - self.rate) > SAME_RATE * self.rate:
            raise FootfallError(
                f"clip_frames has {clip.rate:g} frames a second; the policy decides {self.rate:g} times a second"
            )
        if self.start not in (None, clip.start):
            raise FootfallError("start: it is the clip's first state; leave it out")
        object.__setattr__(self, "start", clip.start)

    @property
    def follows(self) -> bool:
        """Whether it follows a clip: its servos do, or its network sees one."""
        if self.servos is None:
            return False
        return self.servos.default == CLIP or bool(looks_of(n for block in self.observations for n in block.names))

    @property
    def does(self) -> str:
        """What its actions do, for people to read."""
        if self.graph is not None:
            return f"corrects '{self.graph.name}'"
        if self.gaits is not None:
            return "stands, walks, runs and turns as speed and heading ask"
        return "follows clips by targets of joints' servos" if self.follows else "sets targets of joints' servos"

    def __repr__(self) -> str:
        sizes = " - ".join(map(str, self.network.sizes))
        return (
            f"<NetworkController '{self.name}' for {self.figure}, law '{self.law}':\n"
            f"  {self.does};\n  {self.rate:g} times a second, layers of {sizes} ({self.network.activation})>\n"
            "  next: footfall.Simulation(controller).run(10.0)"
        )


def _key(part: Any) -> tuple[str, Any, Any]:
    """A key of a file: what the controller's field is, but for the network and the clip, which are text there."""
    of = field(default=part.default, default_factory=part.default_factory)
    return part.name, {"network": str, "clip_frames": str | None, "gaits": str | None}.get(part.name, part.type), of


_File: Any = make_dataclass("_File", [_key(part) for part in fields(NetworkController) if part.init], frozen=True)
"""The keys of a file."""
RENAMED = {"clip": "limit"}
SCHEMA = Schema(
    {
        _File: Form(noun="controller", always=("law",), renamed=RENAMED),
        Block: Form(noun="observations", renamed=RENAMED),
        Start: Form(full=True),
    }
)


def parse_network(text: str, where: str) -> NetworkController:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    table = dict(parse_toml(text, where))
    if isinstance(policy := table.pop("policy", None), str):
        file = (
            Path(__file__).with_name(f"{policy}.toml")
            if policy in (TRACKER, SURE_TRACKER)
            else file_of("policy", policy, where)
        )
        table = parse_toml(read_text(file, "policy"), str(file)) | table
    found = read_table(table, _File, where, SCHEMA)
    values = {part.name: getattr(found, part.name) for part in fields(found)}
    values["network"] = _network(found.network, where)
    try:
        if found.clip_frames is not None:
            data, place = bytes_of("clip_frames", found.clip_frames, (SUFFIX,), where)
            values["clip_frames"] = ClipFrames.from_bytes(data, place, found.rate)
        if found.gaits is not None:
            values["gaits"] = Gaits.from_bytes(*bytes_of("gaits", found.gaits, (SUFFIX,), where))
        controller = NetworkController(**values)
    except FootfallError as error:
        raise FootfallError(f"{where}: network file {error}") from None
    return controller


def print_network(controller: NetworkController) -> str:
    """The text of a controller's file, the network and the clip in it."""
    values = {part.name: getattr(controller, part.name) for part in fields(_File)}
    values["network"] = base64.b64encode(controller.network.to_bytes()).decode()
    if controller.clip_frames is not None:
        values |= {"clip_frames": base64.b64encode(controller.clip_frames.to_bytes()).decode(), "start": None}
    if controller.gaits is not None:
        values |= {"gaits": base64.b64encode(controller.gaits.to_bytes()).decode(), "start": None}
    if controller.graph is not None:
        values |= dict.fromkeys(("start", "ground", "integration"))
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


def _network(network: str, where: str) -> Network:
    """A network from a file beside the controller's, or from its bytes in base64."""
    if network.endswith(ONNX):
        file = file_of("network", network, where)
        try:
            return load_onnx(file)
        except OSError as error:
            raise FootfallError(f"{where}: network file {file}: {error.strerror}") from None
        except FootfallError as error:
            raise FootfallError(f"{where}: network file {error}") from None
    data, place = bytes_of("network", network, (SUFFIX, ONNX), where)
    return Network.from_bytes(data, place)


def bytes_of(key: str, text: str, suffixes: tuple[str, ...], where: str) -> tuple[bytes, str]:
    """What a key holds, from a file beside the controller's or from base64; and its place, with which errors begin."""
    if not text.endswith(suffixes):
        try:
            return base64.b64decode(text, validate=True), f"{where}, {key}"
        except (binascii.Error, ValueError):
            raise FootfallError(f"{where}: {key} is neither a {' or '.join(suffixes)} file nor base64") from None
    file = file_of(key, text, where)
    try:
        return file.read_bytes(), f"{where}: {key} file {file}"
    except OSError as error:
        raise FootfallError(f"{where}: {key} file {file}: {error.strerror}") from None


def file_of(key: str, name: str, where: str) -> Path:
    """The file that a key names, beside the controller's."""
    alone = not Path(where).is_file()
    file = Path(name) if alone else Path(where).parent / name
    if alone and not file.is_file():
        raise FootfallError(
            f"{where}: its {key} is in the file {name}, which is not part of the text; "
            f"`footfall show FILE --toml` prints a controller with its {key} in it"
        )
    return file
