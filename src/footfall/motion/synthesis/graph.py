"""Motion graphs: steps of captured clips, which may follow which and what that costs (Lee et al. 2002; Data-Driven
Biped Control, sections 3 and 6), and streams that follow a wish.

A step is half a cycle of walking, or a time of standing. From a step one may go on with any whose foot follows on and
whose first pose is near its last. What a step's motion is, and how far the end of one is from the start of another, is
for those who build the graph to say: motions of any skeleton that are played (:class:`MotionGraph`), or poses with
gains that a figure tracks (:mod:`footfall.methods.tracking.motion_graph`).

Played one after another, a step is put where the one before ended: facing the same way, its standing foot on the place
where that foot is. The displacement between both poses decays as in Data-Driven Biped Control, equation 6. The standing
foot would slide while it does; the whole body is shifted by as much as keeps that foot on its own path. A step can also
be bent: turned about the standing foot while it lasts, so that the heading comes out as wanted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing import Pose, derivatives, mirrored, placed, resampled, trimmed, without_rest_frame
from footfall.motion.gait.contact import Segment, SegmentKind, annotate_contacts, segments
from footfall.motion.gait.feet import facing, facing_angle, ground_path, speeds
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    from_axis_angle,
    log,
    multiply,
    normalised,
    rotate,
    wrapped_angle,
)
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.smoothing import transition, transition_back

_STILL = 0.12
_SHORTEST_STILL = 0.4
SUPPORT = {"left_swing": ("right",), "right_swing": ("left",), "stand": ("left", "right"), "flight": ()}
"""The feet that stand throughout a fragment of each kind."""


@dataclass(frozen=True, eq=False)
class ClipStep:
    """A piece of a clip that starts and ends at a landing, or a time of standing.

    Attributes:
        clip: name of the clip, which also names its style.
        kind: "left_swing", "right_swing", "stand" or "flight".
        motion: the piece, its last frame being the first of what followed.
        turn: radians that the heading changes, positive to the left.
        ahead, aside: metres travelled in the direction first faced, and to its left.
        stance: [2, 2] from the right ankle to the left one, ahead and aside, at the start and at the end.
        still: a stand without any way, which can go on for as long as is wanted.
    """

    clip: str
    kind: str
    motion: Motion
    turn: float
    ahead: float
    aside: float
    stance: Array
    still: bool = False

    @property
    def style(self) -> str:
        """What it looks like: its clip's name."""
        return self.clip

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.motion.seconds

    @property
    def speed(self) -> float:
        """Metres a second in the direction first faced."""
        return self.ahead / max(self.seconds, 1e-6)


def cut_fragments(name: str, motion: Motion, *, mirror: bool = False) -> list[list[ClipStep]]:
    """The fragments of a clip in order and, if asked for, the same with left and right exchanged: a turn that was
    captured to one side is then known to the other. The part of a stand in which the pelvis rests is a fragment of its
    own."""
    pace = speeds(motion)
    pieces: list[tuple[Segment, bool]] = []
    for segment in segments(annotate_contacts(motion)):
        pieces += _still_parts(segment, pace, motion)
    pieces = [(piece, still) for piece, still in pieces if min(piece.end, len(motion) - 1) - piece.start >= 3]
    if not mirror:
        return [_built(name, motion, pieces)]
    other: dict[str, SegmentKind] = {"left_swing": "right_swing", "right_swing": "left_swing"}
    flipped = [(Segment(other.get(piece.kind, piece.kind), piece.start, piece.end), still) for piece, still in pieces]
    return [_built(name, motion, pieces), _built(name, mirrored(motion), flipped)]


def _built(name: str, motion: Motion, pieces: list[tuple[Segment, bool]]) -> list[ClipStep]:
    angle, path, stance = facing_angle(motion), ground_path(motion), _stance(motion)
    found = []
    for piece, still in pieces:
        last = min(piece.end, len(motion) - 1)
        way, forward = path[last] - path[piece.start], angle[piece.start]
        cut = trimmed(motion, *(float(motion.times[f] - motion.times[0]) for f in (piece.start, last)))
        ahead = float(way @ [np.cos(forward), np.sin(forward)])
        aside = float(way @ [-np.sin(forward), np.cos(forward)])
        turn = float(angle[last] - forward)
        found.append(ClipStep(name, piece.kind, cut, turn, ahead, aside, stance[[piece.start, last]], still))
    return found


def _stance(motion: Motion) -> Array:
    """[T, 2] from the right ankle to the left one, ahead and aside of the direction faced; zeros without ankles."""
    roles = find_roles(motion.skeleton)
    if "left_ankle" not in roles or "right_ankle" not in roles:
        return np.zeros((len(motion), 2))
    places = motion.positions()
    away = (places[:, roles["left_ankle"]] - places[:, roles["right_ankle"]])[:, :2]
    ahead = facing(motion)
    across = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    return np.stack([(away * ahead).sum(axis=-1), (away * across).sum(axis=-1)], axis=-1)


def _still_parts(segment: Segment, pace: Array, motion: Motion) -> list[tuple[Segment, bool]]:
    """A stand cut where the pelvis comes to rest and where it starts again; other segments whole."""
    if segment.kind != "stand":
        return [(segment, False)]
    resting = np.flatnonzero(pace[segment.start : segment.end] < _STILL)
    if not len(resting):
        return [(segment, False)]
    first, last = segment.start + int(resting[0]), segment.start + int(resting[-1]) + 1
    if (last - first) * motion.frame_time < _SHORTEST_STILL or (pace[first:last] < _STILL).mean() < 0.9:
        return [(segment, False)]
    cuts = [(segment.start, first, False), (first, last, True), (last, segment.end, False)]
    return [(Segment("stand", a, b), still) for a, b, still in cuts if b - a > 3 or still]


def reversed_in_time(fragment: ClipStep) -> ClipStep:
    """A still stand played backwards: after it the stand itself can follow without a seam."""
    motion = fragment.motion
    back = replace(
        motion, root_position=motion.root_position[::-1], rotations=motion.rotations[::-1], channels={}, ground=None
    )
    stance = fragment.stance[::-1]
    return replace(
        fragment, motion=back, turn=-fragment.turn, ahead=-fragment.ahead, aside=-fragment.aside, stance=stance
    )


FOLLOWS: dict[str, tuple[SegmentKind, ...]] = {
    "left_swing": ("right_swing", "stand", "flight"),
    "right_swing": ("left_swing", "stand", "flight"),
    "stand": ("left_swing", "right_swing", "stand"),
    "flight": ("left_swing", "right_swing", "stand"),
}
"""What the feet may do after what they did."""


class GraphStep(Protocol):
    """What a graph asks of its steps."""

    @property
    def kind(self) -> str:
        """What the feet do, one of FOLLOWS."""

    @property
    def style(self) -> str:
        """What it looks like: a name."""

    @property
    def turn(self) -> float:
        """Radians that the heading changes."""

    @property
    def speed(self) -> float:
        """Metres a second."""

    @property
    def seconds(self) -> float:
        """How long it lasts."""


S = TypeVar("S", bound=GraphStep)


@dataclass(frozen=True)
class Prices:
    """What a step costs that is not as it is wanted.

    Attributes:
        turn: radians off the heading that cost 1.
        speed: metres a second that cost 1.
        style: cost of another style.
    """

    turn: float = 1.0
    speed: float = 1.0
    style: float = 0.5

    def turning(self, off: float | Array) -> Array:
        """The cost of a heading that is off by some radians."""
        return np.asarray(np.abs(off) / self.turn)

    def hurrying(self, off: float | Array) -> Array:
        """The cost of a speed that is off by some metres a second."""
        return np.asarray(np.abs(off) / self.speed)


class StepGraph(Generic[S]):
    """Steps, and the cost of going from one to another.

    Args:
        steps: the nodes.
        followers: number of a step -> number of the one that followed it in its clip.
        seams: [S, S] how far the end of each is from the start of each.

    Attributes:
        steps, followers, seams: as given.
        may_follow: [S, S] whether the feet of the second can do what they do after the first.
        cost: [S, S] the seams, infinite where the second may not follow.
    """

    def __init__(self, steps: Sequence[S], followers: Mapping[int, int], seams: Array) -> None:
        self.steps, self.followers = list(steps), dict(followers)
        kinds = np.array([step.kind for step in steps])
        self.may_follow: NDArray[np.bool_] = np.stack([np.isin(kinds, FOLLOWS[step.kind]) for step in steps])
        self.seams: Array = seams
        self.cost: Array = np.where(self.may_follow, seams, np.inf)

    def styles(self) -> list[str]:
        """Names of the styles, in the order of the steps."""
        return list(dict.fromkeys(step.style for step in self.steps))


_UP = np.array([0.0, 0.0, 1.0])


def joined_on_feet(fragments: Sequence[ClipStep], bends: Sequence[float] | None = None) -> Motion:
    """The fragments in order as one motion from the origin, facing x; ``bends`` are radians added to each turn."""
    first = placed(fragments[0].motion)
    angles = list(bends) if bends is not None else [0.0] * len(fragments)
    root, rotations = _bent(first.skeleton, first.root_position, first.rotations, fragments[0], first.times, angles[0])
    times, roots, turns = [first.times - first.times[0]], [root], [rotations]
    for fragment, bend in zip(fragments[1:], angles[1:]):
        root, rotations, clock = _next(fragment, bend, roots[-1][-1], turns[-1][-1])
        times.append(times[-1][-1] + clock[1:])
        roots.append(root[1:])
        turns.append(rotations[1:])
    return Motion(
        first.skeleton,
        np.concatenate(times),
        np.concatenate(roots),
        np.concatenate(turns),
        figure=first.figure,
        figure_xml=first.figure_xml,
        source=first.source,
    )


def _next(fragment: ClipStep, bend: float, last_root: Array, last_turns: Array) -> tuple[Array, Array, Array]:
    """Root [T, 3], rotations [T, J, 4] and clock [T] of a fragment that follows on a pose."""
    skeleton = fragment.motion.skeleton
    end = Motion(skeleton, np.zeros(1), last_root[None], last_turns[None])
    follow = placed(fragment.motion, (0.0, 0.0), float(facing_angle(end)[0]))
    clock = follow.times - follow.times[0]
    own = _support(skeleton, follow.root_position, follow.rotations, fragment.kind)
    here = _support(skeleton, end.root_position, end.rotations, fragment.kind)[0]
    shift = (here - own[0]) * [1.0, 1.0, 0.0]
    root, rotations = follow.root_position + shift, follow.rotations
    fade = transition_back(clock, 0.0, max(float(clock[-1]), 1e-9))
    gap = Pose(last_root, last_turns) / Pose(root[0], rotations[0])
    moved = Pose(root, rotations) @ (gap**fade)
    slip = own + shift - _support(skeleton, moved.root, moved.rotations, fragment.kind)
    root = moved.root + slip - fade[:, None] * slip[0]
    root, rotations = _bent(skeleton, root, moved.rotations, fragment, clock, bend)
    return root, rotations, clock


def _support(skeleton: Skeleton, root: Array, rotations: Array, kind: str) -> Array:
    """[T, 3] the middle of the ankles that stand; the root where none does."""
    roles = find_roles(skeleton)
    feet = [roles[f"{side}_ankle"] for side in SUPPORT[kind] if f"{side}_ankle" in roles]
    if not feet:
        return root
    return np.asarray(skeleton.forward(root, rotations)[0][:, feet].mean(axis=1))


def _bent(
    skeleton: Skeleton, root: Array, rotations: Array, fragment: ClipStep, times: Array, bend: float
) -> tuple[Array, Array]:
    """Poses turned about the vertical through the standing foot, from nothing to ``bend`` radians."""
    if bend == 0.0:
        return root, rotations
    clock = times - times[0]
    turn = from_axis_angle(_UP, bend * transition(clock, 0.0, max(float(clock[-1]), 1e-9)))
    pivot = _support(skeleton, root, rotations, fragment.kind)
    rotations = rotations.copy()
    rotations[:, 0] = normalised(multiply(turn, rotations[:, 0]))
    return pivot + rotate(turn, root - pivot), rotations


T = TypeVar("T", float, float | None)
_BEAM = 24
_BEND = np.deg2rad(12.0)
_SAME_STAND = 0.03
_NEAR_STAND = 0.10
PRICES = Prices(turn=1.0, speed=1.0, style=0.5)
"""Of each second."""


@dataclass(frozen=True)
class _Wish:
    heading: Callable[[float], float]
    speed: Callable[[float], float | None]
    style: str | None


class MotionGraph(StepGraph[ClipStep]):
    """Fragments of clips and which may follow which.

    Args:
        clips: motions on one skeleton, by name.
        nearest: transitions kept for each fragment, besides the one to what followed it in its clip.
        furthest: largest pose distance (radians, root mean square over the joints) of a transition.
        fps: rate that all clips are brought to; by default that of the first.
        mirror: know every fragment mirrored too, so that what was captured to one side can be done to the other.
    """

    def __init__(
        self,
        clips: Mapping[str, Motion],
        *,
        nearest: int = 12,
        furthest: float = 0.35,
        fps: float | None = None,
        mirror: bool = True,
    ) -> None:
        if not clips:
            raise FootfallError("motion graph: give it at least one clip")
        skeleton = next(iter(clips.values())).skeleton
        rate = fps or round(next(iter(clips.values())).fps)
        fragments: list[ClipStep] = []
        followers: dict[int, int] = {}
        for name, clip in clips.items():
            if clip.skeleton.names != skeleton.names:
                raise FootfallError(f"motion graph: clip '{name}' has another skeleton; retarget all onto one first")
            for pieces in cut_fragments(name, resampled(without_rest_frame(clip), rate), mirror=mirror):
                first = len(fragments)
                fragments += pieces
                followers |= {k: k + 1 for k in range(first, len(fragments) - 1)}
        if not fragments:
            raise FootfallError("motion graph: the clips hold no step")
        self._loops = _add_returns(fragments)
        self.distance = self._distances(fragments)
        stance = np.stack([fragment.stance for fragment in fragments])
        self.apart = np.asarray(np.linalg.norm(stance[:, None, 1] - stance[None, :, 0], axis=-1))
        super().__init__(fragments, followers, 0.5 * self.distance + self.apart)
        self.next = self._transitions(nearest, furthest)

    @property
    def fragments(self) -> list[ClipStep]:
        """The steps."""
        return self.steps

    @staticmethod
    def _distances(fragments: Sequence[ClipStep]) -> Array:
        """[N, N] distance from the end of one fragment to the start of another: turns of the joints (without the root's
        heading) and a tenth of their angular velocities, root mean square."""
        starts: list[tuple[Array, Array]] = []
        ends: list[tuple[Array, Array]] = []
        for fragment in fragments:
            rates = derivatives(fragment.motion).angular_velocity
            for row, frame in ((starts, 0), (ends, -1)):
                row.append((fragment.motion.rotations[frame, 1:], 0.1 * rates[frame, 1:]))
        first, second = (np.stack([pose for pose, _ in row]) for row in (ends, starts))
        speed = [np.stack([rate for _, rate in row]) for row in (ends, starts)]
        table = np.empty((len(first), len(second)))
        for k in range(len(first)):
            turn = (log(multiply(conjugate(first[k]), second)) ** 2).sum(axis=-1).mean(axis=-1)
            pace = ((speed[0][k] - speed[1]) ** 2).sum(axis=-1).mean(axis=-1)
            table[k] = np.sqrt(turn + pace)
        return table

    def _transitions(self, nearest: int, furthest: float) -> list[list[int]]:
        """Which fragments may follow each: its own successor, the nearest that fit; a still stand also its way back.
        In a stand both feet stay, so both must be where they were."""
        kinds = np.array([fragment.kind for fragment in self.fragments])
        result = []
        for k, fragment in enumerate(self.fragments):
            fits = np.flatnonzero(self.may_follow[k])
            stays = (kinds[fits] == "stand") & (self.apart[k, fits] > _SAME_STAND)
            leaves = (fragment.kind == "stand") & (self.apart[k, fits] > _NEAR_STAND)
            fits = fits[~stays & ~leaves]
            close = fits[np.argsort(self.distance[k, fits] + self.apart[k, fits])][:nearest]
            allowed = [int(j) for j in close if self.distance[k, j] <= furthest and j != k]
            own = [j for j in (self.followers.get(k), self._loops.get(k)) if j is not None]
            result.append(list(dict.fromkeys(own + allowed)))
        return result

    def stream(
        self,
        seconds: float,
        *,
        heading: Callable[[float], float] | float = 0.0,
        speed: Callable[[float], float | None] | float | None = None,
        style: str | None = None,
        start: int | None = None,
        depth: int = 4,
    ) -> tuple[Motion, list[int]]:
        """A motion that goes where it is sent.

        At each step the best way of ``depth`` fragments is sought, and its first fragment taken. A step is bent by up
        to 12 degrees where the captured turns do not meet the heading. Feet that stand are held.

        Args:
            seconds: how long, at least.
            heading: direction to face in radians, a number or a function of time.
            speed: metres a second to travel at, a number or a function of time; None does not care.
            style: name of the clip to prefer; None does not care.
            start: index of the first fragment; by default the one that suits best.
            depth: fragments to look ahead.

        Returns:
            The motion, starting at the origin and facing x, and the indices of its fragments.
        """
        if style is not None and style not in self.styles():
            raise unknown_name("style", style, self.styles())
        wish = _Wish(_of_time(heading), _of_time(speed), style)
        begin = start if start is not None else self._beginning(wish)
        bend = self._bend(begin, 0.0, 0.0, wish)
        path, bends = [begin], [bend]
        turned, clock = self.fragments[begin].turn + bend, self.fragments[begin].seconds
        while clock < seconds:
            choice = self._look_ahead(path[-1], turned, clock, wish, depth)
            if choice is None:
                raise FootfallError(
                    f"motion graph: no fragment follows number {path[-1]} after {clock:.1f} s; add clips"
                )
            bend = self._bend(choice, turned, clock, wish)
            path.append(choice)
            bends.append(bend)
            turned += self.fragments[choice].turn + bend
            clock += self.fragments[choice].seconds
        return self.motion_of(path, bends), path

    def _beginning(self, wish: _Wish) -> int:
        alive = [k for k in range(len(self.fragments)) if self.next[k]]
        if not alive:
            raise FootfallError("motion graph: no fragment has a successor; add clips or allow larger distances")
        return min(alive, key=lambda k: self._cost(k, 0.0, 0.0, wish) / self.fragments[k].seconds)

    def _bend(self, k: int, turned: float, clock: float, wish: _Wish) -> float:
        """Radians to add to a step's turn, so that it ends in the wanted heading as far as 12 degrees allow."""
        fragment = self.fragments[k]
        if not fragment.kind.endswith("swing"):
            return 0.0
        left = wish.heading(clock + fragment.seconds) - turned - fragment.turn
        return float(np.clip(wrapped_angle(left), -_BEND, _BEND))

    def _cost(self, k: int, turned: float, clock: float, wish: _Wish) -> float:
        fragment = self.fragments[k]
        ends = clock + fragment.seconds
        bend = self._bend(k, turned, clock, wish)
        away = float(wrapped_angle(turned + fragment.turn + bend - wish.heading(ends)))
        cost = float(PRICES.turning(away)) * fragment.seconds + 0.3 * abs(bend)
        speed = wish.speed(ends)
        if speed is not None:
            cost += float(PRICES.hurrying(fragment.speed - speed)) * fragment.seconds
        if wish.style is not None and fragment.style != wish.style:
            cost += PRICES.style * fragment.seconds
        return cost

    def _look_ahead(self, last: int, turned: float, clock: float, wish: _Wish, depth: int) -> int | None:
        """The first fragment of the best way found by a beam search; ways are compared by their cost a second."""
        beam = [(0.0, 0.0, last, turned, clock, -1)]
        for level in range(max(depth, 1)):
            grown = []
            for _, cost, k, angle, now, head in beam:
                for j in self.next[k]:
                    fragment = self.fragments[j]
                    total = cost + self._cost(j, angle, now, wish) + self.seams[k, j]
                    ends = now + fragment.seconds
                    faced = angle + fragment.turn + self._bend(j, angle, now, wish)
                    pace = total / max(ends - clock, 1e-6)
                    grown.append((pace, total, j, faced, ends, j if level == 0 else head))
            if not grown:
                break
            beam = sorted(grown)[:_BEAM]
        return beam[0][5] if beam[0][5] >= 0 else None

    def motion_of(self, path: list[int], bends: list[float] | None = None) -> Motion:
        """The joined motion of a path of fragments; ``bends`` are radians added to the turn of each."""
        return joined_on_feet([self.fragments[k] for k in path], bends)


def _add_returns(fragments: list[ClipStep]) -> dict[int, int]:
    """Append still stands played backwards, and say which fragment goes back along which: so standing can last."""
    loops: dict[int, int] = {}
    for k in [k for k, fragment in enumerate(fragments) if fragment.still]:
        loops[k], loops[len(fragments)] = len(fragments), k
        fragments.append(reversed_in_time(fragments[k]))
    return loops


def _of_time(value: Callable[[float], T] | T) -> Callable[[float], T]:
    """A function of time, also where a constant is given."""
    return value if callable(value) else (lambda _: value)
