"""A character of many clips that a network follows: a tracker, and clips whose steps it is sent with.

    name = "me"
    figure = "human-28"
    law = "steered-network"
    policy = "…"              # a tracker: its .toml file beside this one, or the text of one
    clips = "…"               # a .safetensors file beside this one, or its bytes in base64: frames by a clip's name

    transitions = [[0, 1, 1, 1]]    # step, next step, walks up, walks tried; without them all that are near enough

    [styles]                  # of clips whose style is not "normal"
    march-1 = "march"

A clip's frames are poses of the figure's skeleton of ball joints, 30 a second, with standing soles on the ground.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from footfall.control.integration import Integration
from footfall.control.registry import load_controller, parse_controller, print_controller
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.network.controller import SUFFIX, NetworkController, bytes_of, file_of
from footfall.methods.network.safetensors import read_tensors, write_tensors
from footfall.methods.tracking.files import read_frames
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph, Tried
from footfall.methods.tracking.steered_files import TriedRows, read_rows, rows_of, tried_of
from footfall.motion.synthesis.hinge_chains import skeleton_of_balls
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, print_table, read_table

CHOOSING = Choosing(seam=0.03, blends=False, plans=True, near=0.08, jolt=0.4, followers=64)
"""How steps are chosen: over wider seams than a tracked graph has, for a played walk closes them."""
TETHER = 0.15
"""Metres of a policy's tether to the walk that it follows: a walk may speed up faster than a body can."""
NORMAL = "normal"


@dataclass(frozen=True, eq=False)
class SteeredNetwork:
    """A tracker with the clips of a character that is steered.

    Attributes:
        policy: the tracker, without a clip of its own. clips: whose steps it is sent with.
        choosing: how steps are chosen. tried, stops: transitions and stands that are kept
            (:class:`~footfall.methods.tracking.motion_graph.TrackedGraph`); None for all.
        report: how it was made and what was measured then.
        name, figure, law, about, start, ground, integration: as :class:`footfall.control.Controller` has them; those of
            the world are the policy's.
    """

    name: str
    policy: NetworkController
    clips: tuple[GraphClip, ...]
    about: str = ""
    choosing: Choosing = CHOOSING
    report: Mapping[str, Any] = field(default_factory=dict)
    tried: Tried | None = None
    stops: Tried | None = None
    law: str = "steered-network"

    def __post_init__(self) -> None:
        if not self.policy.follows:
            raise FootfallError(f"policy '{self.policy.name}' follows no clips; `footfall train` makes one that does")
        object.__setattr__(self, "policy", tethered(self.policy))
        if not self.clips:
            raise FootfallError("clips: there is none")

    @property
    def figure(self) -> str:
        """The policy's."""
        return self.policy.figure

    @property
    def start(self) -> Start | None:
        """Where the clips' first step begins; known when it is walked."""
        return None

    @property
    def ground(self) -> Ground | None:
        """The policy's."""
        return self.policy.ground

    @property
    def integration(self) -> Integration | None:
        """The policy's."""
        return self.policy.integration

    @cached_property
    def graph(self) -> TrackedGraph:
        """The steps of the clips."""
        figure = Figure.load(self.figure)
        return TrackedGraph(self.clips, figure, tried=self.tried, stops=self.stops, choosing=self.choosing)

    def __repr__(self) -> str:
        return (
            f"<SteeredNetwork '{self.name}' for {self.figure}: {len(self.clips)} clips, followed by "
            f"'{self.policy.name}'>\n  next: footfall steer or footfall studio on the command line"
        )


def tethered(policy: NetworkController) -> NetworkController:
    """A tracker without a clip, on a tether to any that it is given; its own where it has one."""
    return replace(policy, clip_frames=None, start=None, tether=policy.tether or TETHER)


@dataclass(frozen=True, eq=False)
class _File:
    name: str
    law: Literal["steered-network"]
    policy: str
    clips: str
    figure: str = ""
    about: str = ""
    styles: Mapping[str, str] = field(default_factory=dict)
    choosing: Choosing = CHOOSING
    transitions: TriedRows | None = None
    stops: TriedRows | None = None
    report: Mapping[str, Any] = field(default_factory=dict)


SCHEMA = Schema(
    {
        _File: Form(
            order=("name", "figure", "law", "about"),
            always=("figure", "law"),
            noun="controller",
            own={"transitions": read_rows, "stops": read_rows},
        ),
        Choosing: Form(full=True),
    }
)


def parse_steered_network(text: str, where: str) -> SteeredNetwork:
    """A character from the text of its file; errors begin with ``where``."""
    file = read_table(parse_toml(text, where), _File, where, SCHEMA)
    policy = _policy(file.policy, where)
    if file.figure not in ("", policy.figure):
        raise FootfallError(f"{where}: figure is '{file.figure}'; the policy's is '{policy.figure}'")
    data, place = bytes_of("clips", file.clips, (SUFFIX,), where)
    tensors, _ = read_tensors(data, place)
    for name in file.styles:
        if name not in tensors:
            raise FootfallError(f"{where}, [styles]: {unknown_name('clip', name, list(tensors))}")
    skeleton = skeleton_of_balls(Figure.load(policy.figure))
    clips = []
    for name, frames in tensors.items():
        poses = read_frames(frames.tolist(), f"{place}, clip '{name}'")
        if poses.shape[1] != skeleton.nq:
            raise FootfallError(
                f"{place}, clip '{name}': a frame has {poses.shape[1]} numbers; poses of the skeleton of "
                f"'{policy.figure}' have {skeleton.nq}"
            )
        clips.append(GraphClip(name, poses, file.styles.get(name, NORMAL)))
    tried, stops = tried_of(file.transitions), tried_of(file.stops)
    try:
        made = SteeredNetwork(file.name, policy, tuple(clips), file.about, file.choosing, file.report, tried, stops)
        if tried or stops:
            _ = made.graph  # their numbers are of its steps
        return made
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None


def _policy(given: str, where: str) -> NetworkController:
    """A tracker from its file beside the controller's, or from its text."""
    found = (
        parse_controller(given, f"{where}, policy")
        if "\n" in given
        else load_controller(str(file_of("policy", given, where)))
    )
    if not isinstance(found, NetworkController):
        raise FootfallError(f"{where}: policy has the law '{found.law}'; it must be a network that follows clips")
    return found


def print_steered_network(controller: SteeredNetwork) -> str:
    """The text of a character's file, with its policy and its clips in it."""
    frames = {clip.name: np.asarray(clip.frames, dtype=np.float32) for clip in controller.clips}
    known = {part.name: getattr(controller, part.name) for part in fields(_File) if hasattr(controller, part.name)}
    values = known | {
        "policy": print_controller(controller.policy),
        "clips": base64.b64encode(write_tensors(frames)).decode(),
        "transitions": rows_of(controller.tried),
        "stops": rows_of(controller.stops),
        "styles": {clip.name: clip.style for clip in controller.clips if clip.style != NORMAL},
    }
    return print_table(_File(**values), SCHEMA)
