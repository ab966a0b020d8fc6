"""A motion graph: the steps of many clips, what may follow what, and steps between two steps
(Data-Driven Biped Control, sections 3 and 5; Lee et al. 2002).

A node is a fragment, half a cycle of walking. Fragment b may follow a where the other foot swings and b begins nearly
as a ends: joints are compared as places seen from the pelvis and its heading, positions and velocities alike. Two steps
of the same foot are blended frame by frame at equal shares of their lengths, their gains at the same ratio; a step may
be bent by a few degrees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import ContactRule, ankles, facing_of, fragments_of, joint_places, turned_frames
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.repertoire import Fragment
from footfall.motion.quaternion import from_axis_angle, multiply, rotate, slerp

__all__ = ["GraphClip", "MotionGraph", "Step", "bent_clip", "bent_step", "blended_step", "resampled_frames"]

Array = NDArray[np.float64]
FPS = 30.0
UP = np.array([0.0, 0.0, 1.0])
VELOCITY_WEIGHT = 0.1
"""Seconds by which a difference of velocities counts as one of places."""
SWINGS = ("left_swing", "right_swing")


@dataclass(frozen=True, eq=False)
class GraphClip:
    """Motion for a graph: poses [T, nq] at 30 a second, its style's name and gains.

    Where its steps are those of another clip, ``of`` is its name and ``bend`` the radians by which each was bent.
    """

    name: str
    frames: Array
    style: str = "normal"
    gains: Gains = field(default_factory=Gains)
    of: str = ""
    bend: float = 0.0


@dataclass(frozen=True, eq=False)
class Step:
    """A fragment as a node of a graph, moved so that it begins at the origin and faces along x.

    Attributes:
        clip: the clip's name, or two names where it is a blend. style: what it looks like.
        fragment: its motion. gains: for it.
        turn: of the pelvis from first to last frame, radians. speed: mean, metres a second.
    """

    clip: str
    style: str
    fragment: Fragment
    gains: Gains
    turn: float
    speed: float

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return (len(self.fragment.frames) - 1) / FPS


def _step(clip: str, style: str, kind: str, frames: Array, gains: Gains, figure: Figure) -> Step:
    facing = facing_of(frames)
    own = frames.copy()
    own[:, :2] -= own[0, :2]
    own = turned_frames(own, -float(facing[0]))
    ground = float(ankles(own, figure)[1:, :, 2].min())
    path = float(np.linalg.norm(np.diff(own[:, :2], axis=0), axis=1).sum())
    speed = path * FPS / (len(own) - 1)
    return Step(clip, style, Fragment(kind, own, ground), gains, float(facing[-1] - facing[0]), speed)


def blended_step(a: Step, b: Step, share: float, figure: Figure) -> Step:
    """A step between two of the same foot, with gains between theirs; share 0 is the first."""
    if a.fragment.kind != b.fragment.kind:
        raise FootfallError(f"motion graph: a {a.fragment.kind} and a {b.fragment.kind} cannot be blended")
    counts = [len(s.fragment.frames) - 1 for s in (a, b)]
    count = round((1 - share) * counts[0] + share * counts[1])
    times = np.arange(count + 1) / count
    one, two = (resampled_frames(s.fragment.frames, times) for s in (a, b))
    frames = one.copy()
    frames[:, :3] = (1 - share) * one[:, :3] + share * two[:, :3]
    weight = np.full((count + 1) * ((one.shape[1] - 3) // 4), share)
    frames[:, 3:] = slerp(one[:, 3:].reshape(-1, 4), two[:, 3:].reshape(-1, 4), weight).reshape(count + 1, -1)
    name = a.clip if a.clip == b.clip else f"{a.clip} and {b.clip}"
    style = a.style if share < 0.5 else b.style
    return _step(name, style, a.fragment.kind, frames, a.gains.blended(b.gains, share), figure)


def bent_step(step: Step, angle: float, figure: Figure) -> Step:
    """A step whose way and heading bend by an angle more, little by little from first frame to last."""
    frames = step.fragment.frames.copy()
    share = np.arange(len(frames)) / (len(frames) - 1)
    bend = angle * share * share * (3.0 - 2.0 * share)
    moves = np.diff(frames[:, :3], axis=0)
    turn = from_axis_angle(UP, bend)
    frames[1:, :3] = frames[0, :3] + np.cumsum(rotate(turn[:-1], moves), axis=0)
    frames[:, 3:7] = multiply(turn, frames[:, 3:7])
    return _step(step.clip, step.style, step.fragment.kind, frames, step.gains, figure)


def bent_clip(clip: GraphClip, name: str, bend: float, figure: Figure) -> GraphClip:
    """A clip of another one's steps, each of which turns by ``bend`` radians more."""
    swings = [cut for cut in fragments_of(clip.frames, figure) if cut[0] in SWINGS]
    if not swings:
        raise FootfallError(f"motion graph: clip '{clip.name}' has no step that could be bent")
    parts: list[Array] = []
    for kind, a, b in swings:
        step = bent_step(_step("", "", kind, clip.frames[a : b + 1], clip.gains, figure), bend, figure)
        part = step.fragment.frames
        if parts:
            part = turned_frames(part, float(facing_of(np.concatenate(parts))[-1]))
            part[:, :2] += parts[-1][-1, :2] - part[0, :2]
        parts.append(part[1:] if parts else part)
    return replace(clip, name=name, frames=np.concatenate(parts), of=clip.name, bend=bend)


def resampled_frames(frames: Array, times: Array) -> Array:
    """Poses at shares of the whole length."""
    at = times * (len(frames) - 1)
    low = np.minimum(at.astype(int), len(frames) - 2)
    part = at - low
    result = np.empty((len(times), frames.shape[1]))
    result[:, :3] = (1 - part[:, None]) * frames[low, :3] + part[:, None] * frames[low + 1, :3]
    bodies = (frames.shape[1] - 3) // 4
    first, second = (frames[low + k, 3:].reshape(-1, 4) for k in (0, 1))
    result[:, 3:] = slerp(first, second, np.repeat(part, bodies)).reshape(len(times), -1)
    return result


class MotionGraph:
    """Steps and the cost of going from one to another.

    Args:
        clips: motions of the figure.
        figure: whose poses they are.
        rule: when a foot is in contact.

    Attributes:
        clips: as given. steps: the nodes. stands: numbers of steps that begin where a clip stands, with the poses of
            that stand.
        cost: [S, S] metres that joints are apart on average at the seam, infinite where one may not follow.
    """

    def __init__(
        self,
        clips: Sequence[GraphClip],
        figure: Figure,
        rule: ContactRule = ContactRule(),  # noqa: B008
    ) -> None:
        self.clips, self.figure = tuple(clips), figure
        self.steps: list[Step] = []
        self.stands: dict[int, Fragment] = {}
        begins, ends, velocities = [], [], []
        following: dict[int, int] = {}
        for clip in clips:
            places = joint_places(clip.frames, figure)
            speeds = np.gradient(places, 1.0 / FPS, axis=0)
            ahead = _travel(clip.frames)
            before, standing = None, None
            for kind, a, b in fragments_of(clip.frames, figure, rule=rule):
                if kind not in SWINGS or b - a < 8 or b - a > 45:
                    standing = Fragment("stand", clip.frames[a : b + 1], 0.0) if kind == "stand" else None
                    before = None
                    continue
                number = len(self.steps)
                self.steps.append(_step(clip.name, clip.style, kind, clip.frames[a : b + 1], clip.gains, figure))
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
        if not self.stands:
            raise FootfallError("motion graph: no clip begins with standing and then walks")
        self.cost = self._costs(np.array(begins), np.array(ends), velocities)
        for a, b in following.items():
            self.cost[a, b] = 0.0

    def _costs(self, begins: Array, ends: Array, velocities: Sequence[tuple[Array, Array]]) -> Array:
        first, last = (np.array([v[k] for v in velocities]) for k in (0, 1))
        apart = np.linalg.norm(ends[:, None] - begins[None], axis=-1).mean(axis=-1)
        apart += VELOCITY_WEIGHT * np.linalg.norm(last[:, None] - first[None], axis=-1).mean(axis=-1)
        kinds = np.array([SWINGS.index(s.fragment.kind) for s in self.steps])
        apart[kinds[:, None] == kinds[None]] = np.inf
        return np.asarray(apart)

    def styles(self) -> list[str]:
        """Names of the styles, in the order of the clips."""
        return list(dict.fromkeys(step.style for step in self.steps))

    def summary(self) -> Mapping[str, float]:
        """How many steps and transitions, and how far they turn."""
        turns = np.degrees([s.turn for s in self.steps])
        return {"steps": len(self.steps), "least_turn_deg": float(turns.min()), "most_turn_deg": float(turns.max())}


def _travel(frames: Array) -> Array:
    """[T, 3] the pelvis's velocity, seen from its heading."""
    velocity = np.gradient(frames[:, :3], 1.0 / FPS, axis=0)
    facing = facing_of(frames)
    c, s = np.cos(-facing), np.sin(-facing)
    return np.stack(
        [c * velocity[:, 0] - s * velocity[:, 1], s * velocity[:, 0] + c * velocity[:, 1], velocity[:, 2]], axis=1
    )
