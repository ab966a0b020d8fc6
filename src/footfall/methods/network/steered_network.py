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

A walk that is played on a motion graph while a policy follows it: its clip, a little longer at every decision.

The walk is :mod:`footfall.methods.tracking.played_steps`, 30 frames a second. It is always as far ahead of the policy
as that looks, so that what is asked of it now shows within a step. Between its frames coordinates follow the curves of
:func:`footfall.methods.network.clip_frames.table_of`.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Integration, Start
from footfall.control.registry import load_controller, parse_controller, print_controller
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames, poses_at, tables_of, within_ranges
from footfall.methods.network.controller import SUFFIX, NetworkController, bytes_of, file_of
from footfall.methods.network.multilayer import read_tensors, write_tensors
from footfall.methods.network.terms import looks_of
from footfall.methods.tracking.controller import read_frames
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph, Tried
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.methods.tracking.steered_files import TriedRows, read_rows, tried_of, tried_rows
from footfall.motion.ball_poses import FPS, hinge_chains, skeleton_of_balls
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
        policy: the tracker, without a clip of its own.
        clips: whose steps it is sent with.
        choosing: how steps are chosen.
        tried, stops: transitions and stands that are kept
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
        "transitions": tried_rows(controller.tried),
        "stops": tried_rows(controller.stops),
        "styles": {clip.name: clip.style for clip in controller.clips if clip.style != NORMAL},
    }
    return print_table(_File(**values), SCHEMA)


Array = NDArray[np.float64]
ROOM = 500
"""Decisions that a policy's clip has room for; then it is moved on."""
SPARE = 4
"""Frames that the walk is ahead of what is looked at: a curve needs its neighbours."""
KEPT = 24
"""Frames that are kept of what was walked."""
AHEAD = 60.0
"""Seconds that one walks who is not steered."""


@dataclass(frozen=True, eq=False)
class _Sampled:
    """Poses of the figure 30 times a second, from frame ``first`` on, and at the policy's rate, from decision ``begin``
    on. A value: rows are shared, never changed."""

    poses: tuple[Array, ...] = ()
    first: int = 0
    rows: tuple[Array, ...] = ()
    begin: int = 0


class PlayedWalk:
    """A walk that goes on as it is asked for.

    Args:
        controller: the steps, and the policy that follows.
        style: of the first step.

    Attributes:
        steps: the walk, which is told where to go with :meth:`direct`.
    """

    def __init__(self, controller: SteeredNetwork, style: str = "") -> None:
        self.controller, self.figure = controller, Figure.load(controller.figure)
        policy = controller.policy
        self.rate = policy.rate
        self.look = max(looks_of(name for block in policy.observations for name in block.names), default=1)
        self._style = style
        self.begin()

    def begin(self) -> None:
        """Back to the start."""
        self.steps, self._sampled = PlayedSteps(self.controller.graph, style=self._style), _Sampled()
        self.reach(0)

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Say where to go: radians from the world's x, metres a second, a style's name."""
        self.steps.direct(direction, speed, style)

    @property
    def state(self) -> tuple[PlayedSteps, _Sampled]:
        """Where the walk is, to come back to."""
        return self.steps.copy(), self._sampled

    @state.setter
    def state(self, state: tuple[PlayedSteps, _Sampled]) -> None:
        self.steps, self._sampled = state[0].copy(), state[1]

    @property
    def first(self) -> int:
        """The decision at which the policy's clip begins."""
        return self._sampled.begin

    @property
    def shown(self) -> ClipFrames:
        """The policy's clip: the walk from :attr:`first` on, its last pose again and again after it."""
        rows = self._sampled.rows
        table = np.array([*rows, *[rows[-1]] * (ROOM + self.look + SPARE - len(rows))])
        return ClipFrames(table.astype(np.float32), self.rate)

    def follower(self) -> NetworkController:
        """The policy with the walk so far as its clip."""
        own = self.controller
        return replace(own.policy, name=own.name, about=own.about, clip_frames=self.shown, start=None)

    def pose(self, decision: int) -> Array:
        """[nq] the walk's pose at a decision, of those that were not forgotten."""
        sampled = self._sampled
        return sampled.rows[min(max(decision - sampled.begin, 0), len(sampled.rows) - 1)]

    def reach(self, decision: int) -> bool:
        """Go on until a policy at this decision sees as far as it looks; whether that changed its clip."""
        need = decision + self.look + 2
        have = self._sampled.begin + len(self._sampled.rows)
        if have > need:
            return False
        while (self.steps.count - 1 - SPARE) / FPS < need / self.rate:
            self.steps.advance(1)
        self._sample(decision, need)
        return True

    def _sample(self, decision: int, need: int) -> None:
        """Make rows up to a decision, and forget what is over."""
        old, chains = self._sampled, hinge_chains(self.figure)
        poses, known = list(old.poses), old.first + len(old.poses)
        for k in range(known, self.steps.count):
            frame = self.steps.frame(k)[None]
            near = (poses[-1] if poses else self.figure.default_qpos)[None]
            poses.append(frame[0] if chains is None else chains.hinge_poses(frame, near)[0])
        at = np.arange(old.begin + len(old.rows), need + 1) / self.rate
        from_frame = max(old.first, int(at[0] * FPS) - 2)
        used = np.array(poses[from_frame - old.first :])
        times = np.arange(from_frame, from_frame + len(used)) / FPS
        made = within_ranges(poses_at(used, times, self.figure, at), self.figure)
        rows, begin = (*old.rows, *made), old.begin
        if len(rows) > ROOM:
            gone = max(decision - 1 - begin, 0)
            rows, begin = rows[gone:], begin + gone
        first = max(old.first, old.first + len(poses) - KEPT)
        self._sampled = _Sampled(tuple(poses[first - old.first :]), first, rows, begin)
        self.steps.forget(KEPT)


def walked_ahead(controller: SteeredNetwork) -> NetworkController:
    """What a character does by itself: it walks straight ahead for a minute, at the middle one of its steps' speeds."""
    walk = PlayedSteps(controller.graph)
    speeds = [step.speed for step in controller.graph.steps if step.speed > 0.0]
    walk.direct(0.0, float(np.median(speeds or [0.0])))
    while walk.time < AHEAD:
        walk.advance()
    policy = controller.policy
    (shown,) = as_clips([walk], policy.rate)
    return replace(policy, name=controller.name, about=controller.about, clip_frames=shown, start=None)


def as_clips(walks: Sequence[PlayedSteps], rate: float) -> list[ClipFrames]:
    """Played walks of one length on one graph as clips, side by side."""
    tables = tables_of(np.stack([walk.frames for walk in walks]), walks[0].graph.figure, rate)
    return [ClipFrames(table.astype(np.float32), rate) for table in tables]
