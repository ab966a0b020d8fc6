"""A motion graph whose steps carry gains: what a figure can be steered through (Data-Driven Biped Control, sections 3
and 5; Lee et al. 2002).

A node is a fragment, half a cycle of walking. Fragment b may follow a where the other foot swings and b begins nearly
as a ends: joints are compared as points seen from the pelvis and its heading, positions and velocities alike. Two
steps of the same foot are blended frame by frame at equal shares of their lengths, their gains at the same ratio; a
step may be bent by a few degrees.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.repertoire import Fragment, TrackingGains
from footfall.motion.ball_poses import (
    FPS,
    ankles,
    bent_frames,
    blended_frames,
    facing_of,
    joint_positions,
    skeleton_of_balls,
    travel,
    turned_frames,
)
from footfall.motion.quaternion import Array
from footfall.motion.synthesis.cuts import cut_frames
from footfall.motion.synthesis.graph import StepGraph

Transition = tuple[int, int]
"""The numbers of a step and of the next one."""
Tried = Mapping[Transition, tuple[int, int]]
"""What was tried in worlds: how many starts of how many stayed up."""
VELOCITY_WEIGHT = 0.1
"""Seconds by which a difference of velocities counts as one of positions."""
SEAM_LIMIT = 0.25
"""Metres that joints are apart at a seam at most, where another step is near."""
BACKWARD = -0.5
"""Way forward, over the way in all, below which a step goes backwards."""
LEAST_STAND = 8
"""Frames of a stand that a walk may halt in."""
SWINGS = ("left_swing", "right_swing")
FEWEST, MOST = 8, 45
"""Frames of a step."""


@dataclass(frozen=True)
class Choosing:
    """How steps of a graph are chosen.

    Attributes:
        seam: metres that joints are apart at a seam which cost as much as a heading half a radian off; the smaller, the
            smoother and the less quick to obey.
        blends: whether two steps are blended where that comes nearer to what is wanted.
        plans: whether steps are chosen by all that can follow them (:mod:`.step_choice`), and not blended.
        near: metres that joints are apart at a seam at most, where steps are planned.
        jolt: metres a second by which the pelvis may change its velocity at a seam, where steps are planned.
        followers: steps that a plan looks at after each one: those with the smallest seams.
    """

    seam: float = 0.06
    blends: bool = True
    plans: bool = False
    near: float = 0.05
    jolt: float = 10.0
    followers: int = 16

    def __post_init__(self) -> None:
        for name, least, most, unit in (
            ("seam", 1e-4, 10, " metres"),
            ("near", 1e-4, 10, " metres"),
            ("jolt", 1e-3, 100, " metres a second"),
            ("followers", 1, 1000, ""),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise FootfallError(f"choosing: {name} is {value:g}; it must be {least:g} to {most:g}{unit}")


@dataclass(frozen=True, eq=False)
class GraphClip:
    """Motion for a graph: poses [T, nq] at 30 a second, its style's name and gains.

    Where its steps are those of another clip, ``of`` is its name and ``bend`` the radians by which each was bent.
    """

    name: str
    frames: Array
    style: str = "normal"
    gains: TrackingGains = field(default_factory=TrackingGains)
    of: str = ""
    bend: float = 0.0


@dataclass(frozen=True, eq=False)
class TrackedStep:
    """A fragment as a node of a graph, moved so that it begins at the origin and faces along x.

    Attributes:
        clip: the clip's name, or two names where it is a blend.
        style: what it looks like.
        fragment: its motion.
        gains: for it.
        turn: of the pelvis from first to last frame, radians.
        speed: mean, metres a second, negative backwards.
    """

    clip: str
    style: str
    fragment: Fragment
    gains: TrackingGains
    turn: float
    speed: float

    @property
    def kind(self) -> str:
        """Which foot swings."""
        return self.fragment.kind

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return (len(self.fragment.frames) - 1) / FPS


def _step(clip: str, style: str, kind: str, frames: Array, gains: TrackingGains, figure: Figure) -> TrackedStep:
    facing = facing_of(frames)
    own = frames.copy()
    own[:, :2] -= own[0, :2]
    own = turned_frames(own, -float(facing[0]))
    ground = float(ankles(own, figure)[1:, :, 2].min())
    path = float(np.linalg.norm(np.diff(own[:, :2], axis=0), axis=1).sum())
    way, ahead = own[-1, :2] - own[0, :2], 0.5 * (facing[-1] - facing[0])
    forward = float(way @ np.array([np.cos(ahead), np.sin(ahead)]))
    speed = (-1.0 if forward < BACKWARD * path else 1.0) * path * FPS / (len(own) - 1)
    return TrackedStep(clip, style, Fragment(kind, own, ground), gains, float(facing[-1] - facing[0]), speed)


def blended_step(a: TrackedStep, b: TrackedStep, share: float, figure: Figure) -> TrackedStep:
    """A step between two of the same foot, with gains between theirs; share 0 is the first."""
    if a.kind != b.kind:
        raise FootfallError(f"motion graph: a {a.kind} and a {b.kind} cannot be blended")
    frames = blended_frames(a.fragment.frames, b.fragment.frames, share)
    name = a.clip if a.clip == b.clip else f"{a.clip} and {b.clip}"
    style = a.style if share < 0.5 else b.style
    return _step(name, style, a.kind, frames, a.gains.blended(b.gains, share), figure)


def bent_step(step: TrackedStep, angle: float, figure: Figure) -> TrackedStep:
    """A step whose way and heading bend by an angle more, little by little from first frame to last."""
    return _step(step.clip, step.style, step.kind, bent_frames(step.fragment.frames, angle), step.gains, figure)


def bent_clip(clip: GraphClip, name: str, bend: float, figure: Figure) -> GraphClip:
    """A clip of another one's steps, each of which turns by ``bend`` radians more."""
    swings = [cut for cut in cut_frames(clip.frames, figure) if cut.kind in SWINGS]
    if not swings:
        raise FootfallError(f"motion graph: clip '{clip.name}' has no step that could be bent")
    parts: list[Array] = []
    for cut in swings:
        step = _step("", "", cut.kind, clip.frames[cut.start : cut.end + 1], clip.gains, figure)
        part = bent_step(step, bend, figure).fragment.frames
        if parts:
            part = turned_frames(part, float(facing_of(np.concatenate(parts))[-1]))
            part[:, :2] += parts[-1][-1, :2] - part[0, :2]
        parts.append(part[1:] if parts else part)
    return replace(clip, name=name, frames=np.concatenate(parts), of=clip.name, bend=bend)


class TrackedGraph(StepGraph[TrackedStep]):
    """Steps and the cost of going from one to another.

    Args:
        clips: motions of the figure.
        figure: whose poses they are.
        tried: transitions (a step's number, that of the next) that were tried in worlds, with how many of how many
            starts they survived; others are then left out, but for steps that follow each other in a clip, unless none
            survived. None for all, untried.
        stops: the same for stands between two steps, which the first comes to and the second begins from.
        choosing: how its steps are chosen.

    Attributes:
        clips, figure, tried, stops, choosing: as given.
        skeleton: of ball joints, the figure's own where it is made of hinges; else the figure.
        steps: the nodes.
        stands: numbers of steps that begin where a clip stands, with the poses of that stand.
        halts: the same for steps after which a clip stands.
        following: the step that comes after each in its clip, where there is one.
        cost: [S, S] metres that joints are apart on average at the seam, infinite where one may not follow.
        jolts: [S, S] metres a second by which the pelvis changes its velocity at the seam.
    """

    def __init__(
        self,
        clips: Sequence[GraphClip],
        figure: Figure,
        *,
        tried: Tried | None = None,
        stops: Tried | None = None,
        choosing: Choosing = Choosing(),  # noqa: B008
    ) -> None:
        self.clips, self.figure, self.choosing = tuple(clips), figure, choosing
        self.skeleton = figure = skeleton_of_balls(figure)
        self.stands: dict[int, Fragment] = {}
        self.halts: dict[int, Fragment] = {}
        steps: list[TrackedStep] = []
        begins, ends, velocities = [], [], []
        following: dict[int, int] = {}
        for clip in clips:
            places = joint_positions(clip.frames, figure)
            speeds = np.gradient(places, 1.0 / FPS, axis=0)
            ahead = travel(clip.frames, FPS)
            before, standing = None, None
            for cut in cut_frames(clip.frames, figure):
                kind, a, b = cut.kind, cut.start, cut.end
                if kind not in SWINGS or not FEWEST <= b - a <= MOST:
                    standing = Fragment("stand", clip.frames[a : b + 1], 0.0) if kind == "stand" else None
                    if standing is not None and before is not None and b - a >= LEAST_STAND:
                        self.halts[before] = standing
                    before = None
                    continue
                number = len(steps)
                steps.append(_step(clip.name, clip.style, kind, clip.frames[a : b + 1], clip.gains, figure))
                begins.append(places[a])
                ends.append(places[b])
                velocities.append(
                    (np.concatenate([speeds[a], ahead[a][None]]), np.concatenate([speeds[b], ahead[b][None]]))
                )
                if before is not None:
                    following[before] = number
                if standing is not None:
                    self.stands[number] = standing
                before, standing = number, None
        if not steps or not (self.stands or following):
            raise FootfallError("motion graph: no clip stands and then walks, or makes two steps in a row")
        self.following = following
        super().__init__(steps, following, _seams(np.array(begins), np.array(ends), velocities))
        first, last = (np.array([v[k][-1, :2] for v in velocities]) for k in (0, 1))
        self.jolts = np.linalg.norm(last[:, None] - first[None], axis=-1)
        for a, b in following.items():
            self.cost[a, b] = 0.0
        self._every_halt, self._every_cost = self.halts, self.cost
        self._keep(tried, stops)

    def _keep(self, tried: Tried | None, stops: Tried | None) -> None:
        """Leave out transitions and stops that were not tried, where some were."""
        count = len(self.steps)
        for name, given in (("transition", tried), ("stop", stops)):
            for a, b in given or {}:
                if not (0 <= a < count and 0 <= b < count):
                    raise FootfallError(f"motion graph: {name} from step {a} to {b}, but its clips have {count} steps")
        self.tried, self.stops = tried, stops
        self.cost, self.halts = self._every_cost, self._every_halt
        if tried is not None:
            known = np.zeros(self.cost.shape, dtype=bool)
            for a, b in self.following.items():
                known[a, b] = True
            for (a, b), (up, _) in tried.items():
                known[a, b] = up > 0
            self.cost = np.where(known, self.cost, np.inf)
        if stops is not None:
            self.halts = {a: self.halts[a] for a, _ in stops if a in self.halts}

    def keeping(self, tried: Tried | None, stops: Tried | None) -> "TrackedGraph":
        """The same graph with these transitions and stops alone."""
        other = copy(self)
        for name in ("near", "parts", "to_halt"):
            vars(other).pop(name, None)
        other._keep(tried, stops)
        return other

    def with_gains(self, gains: TrackingGains) -> "TrackedGraph":
        """The same graph with one set of gains for all steps."""
        other = copy(self)
        other.clips = tuple(replace(clip, gains=gains) for clip in self.clips)
        other.steps = [replace(step, gains=gains) for step in self.steps]
        return other

    def starts_after(self, halt: int) -> list[int]:
        """Steps that may follow on the stand after a step; -1 for the first stand."""
        if self.stops is None or halt < 0:
            return list(self.stands)
        return [b for a, b in self.stops if a == halt]

    @cached_property
    def near(self) -> NDArray[np.bool_]:
        """[S, S] which transitions a plan may take."""
        return np.asarray((self.cost < self.choosing.near) & (self.jolts < self.choosing.jolt))

    @cached_property
    def parts(self) -> list[list[int]]:
        """Steps in each part of the graph in which every step can be reached from every other, the largest part first;
        steps that cannot be come back to are in none."""
        from scipy.sparse.csgraph import connected_components  # only where a graph is planned on: it loads slowly

        count, label = connected_components(self.near, directed=True, connection="strong")
        found = [np.flatnonzero(label == k).tolist() for k in range(count)]
        own = [part for part in found if len(part) > 1]
        return sorted(own, key=len, reverse=True)

    @property
    def core(self) -> list[int]:
        """The largest part; all steps where none can be come back to."""
        return self.parts[0] if self.parts else list(range(len(self.steps)))

    @cached_property
    def to_halt(self) -> Array:
        """[S] what it costs to come to a stand from the end of each step: a step counts 1, and so do a seam of
        ``choosing.seam`` and half a radian of turning; infinite where no way leads to one."""
        near = self.near if self.choosing.plans else self.cost < SEAM_LIMIT
        ways = np.where(near, 1.0 + self.cost / self.choosing.seam, np.inf)
        ways = ways + 2.0 * np.abs([step.turn for step in self.steps])
        least = np.full(len(self.steps), np.inf)
        core = set(self.core) if self.choosing.plans else set(self.halts)
        least[[number for number in self.halts if number in core]] = 0.0
        for _ in self.steps:
            nearer = np.minimum(least, (ways + least).min(axis=1))
            if (nearer == least).all():
                break
            least = nearer
        return least


def _seams(begins: Array, ends: Array, velocities: Sequence[tuple[Array, Array]]) -> Array:
    """[S, S] metres that joints are apart on average, with a share of their velocities."""
    first, last = (np.array([v[k] for v in velocities]) for k in (0, 1))
    apart = np.linalg.norm(ends[:, None] - begins[None], axis=-1).mean(axis=-1)
    apart += VELOCITY_WEIGHT * np.linalg.norm(last[:, None] - first[None], axis=-1).mean(axis=-1)
    return np.asarray(apart)
