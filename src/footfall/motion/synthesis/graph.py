"""A motion graph: half cycles of several clips, the transitions between them, and streams that follow a wish.

Fragments are the segments of Data-Driven Biped Control (section 6: steering by a transition graph): a step, or a time
of standing. From a fragment one may go on with any whose foot follows on and whose first pose is near its last.
Fragments are joined with the displacement of equation 6.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import derivatives, joined, placed, resampled, trimmed, without_rest_frame
from footfall.motion.gait.contact import annotate_contacts, segments
from footfall.motion.gait.heading import facing_angle, ground_path
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, log, multiply

__all__ = ["Fragment", "MotionGraph"]

_FOLLOWS = {
    "left_swing": ("right_swing", "stand", "flight"),
    "right_swing": ("left_swing", "stand", "flight"),
    "stand": ("left_swing", "right_swing", "stand"),
    "flight": ("left_swing", "right_swing", "stand"),
}
_BEAM = 24


@dataclass(frozen=True, eq=False)
class Fragment:
    """A piece of a clip that starts and ends at a landing.

    Attributes:
        clip: name of the clip, which also names its style.
        kind: "left_swing", "right_swing", "stand" or "flight".
        motion: the piece, its last frame being the first of what followed.
        turn: radians that the heading changes, positive to the left.
        ahead, aside: metres travelled in the direction first faced, and to its left.
    """

    clip: str
    kind: str
    motion: Motion
    turn: float
    ahead: float
    aside: float

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.motion.seconds


class MotionGraph:
    """Fragments of clips and which may follow which.

    Args:
        clips: motions on one skeleton, by name.
        nearest: transitions kept for each fragment, besides the one to what followed it in its clip.
        furthest: largest pose distance (radians, root mean square over the joints) of a transition.
        fps: rate that all clips are brought to; by default that of the first.
    """

    def __init__(
        self, clips: Mapping[str, Motion], *, nearest: int = 12, furthest: float = 0.35, fps: float | None = None
    ) -> None:
        if not clips:
            raise FootfallError("motion graph: give it at least one clip")
        skeleton = next(iter(clips.values())).skeleton
        rate = fps or round(next(iter(clips.values())).fps)
        self.fragments: list[Fragment] = []
        followers: dict[int, int] = {}
        for name, clip in clips.items():
            if clip.skeleton.names != skeleton.names:
                raise FootfallError(f"motion graph: clip '{name}' has another skeleton; retarget all onto one first")
            moving = resampled(without_rest_frame(clip), rate)
            first = len(self.fragments)
            self.fragments += _cut(name, moving)
            followers |= {k: k + 1 for k in range(first, len(self.fragments) - 1)}
        if not self.fragments:
            raise FootfallError("motion graph: the clips hold no step")
        self.distance = self._distances()
        self.next = self._transitions(followers, nearest, furthest)

    @property
    def styles(self) -> list[str]:
        """Names of the clips."""
        return sorted({fragment.clip for fragment in self.fragments})

    def _distances(self) -> Array:
        """[N, N] distance from the end of one fragment to the start of another: turns of the joints (without the root's
        heading) and a tenth of their angular velocities, root mean square."""
        starts: list[tuple[Array, Array]] = []
        ends: list[tuple[Array, Array]] = []
        for fragment in self.fragments:
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

    def _transitions(self, followers: dict[int, int], nearest: int, furthest: float) -> list[list[int]]:
        kinds = np.array([fragment.kind for fragment in self.fragments])
        result = []
        for k, fragment in enumerate(self.fragments):
            fits = np.flatnonzero(np.isin(kinds, _FOLLOWS[fragment.kind]))
            close = fits[np.argsort(self.distance[k, fits])][:nearest]
            allowed = [int(j) for j in close if self.distance[k, j] <= furthest and j != k]
            own = [followers[k]] if k in followers else []
            result.append(own + [j for j in allowed if j not in own])
        return result

    def stream(
        self,
        seconds: float,
        *,
        heading: Callable[[float], float] | float = 0.0,
        speed: float | None = None,
        style: str | None = None,
        start: int | None = None,
        depth: int = 4,
    ) -> tuple[Motion, list[int]]:
        """A motion that goes where it is wished to.

        At each step the best way of ``depth`` fragments is sought, and its first fragment taken.

        Args:
            seconds: how long, at least.
            heading: direction to face in radians, a number or a function of time.
            speed: metres a second to travel at; None does not care.
            style: name of the clip to prefer; None does not care.
            start: index of the first fragment; by default the one that suits best.
            depth: fragments to look ahead.

        Returns:
            The motion, starting at the origin and facing x, and the indices of its fragments.
        """
        if style is not None and style not in self.styles:
            raise unknown_name("style", style, self.styles)
        wish = heading if callable(heading) else (lambda _: float(heading))
        begin = start if start is not None else self._beginning(wish(0.0), speed, style)
        path, turned, clock = [begin], self.fragments[begin].turn, self.fragments[begin].seconds
        while clock < seconds:
            choice = self._look_ahead(path[-1], turned, clock, wish, speed, style, depth)
            if choice is None:
                raise FootfallError(
                    f"motion graph: no fragment follows number {path[-1]} after {clock:.1f} s; add clips"
                )
            path.append(choice)
            turned += self.fragments[choice].turn
            clock += self.fragments[choice].seconds
        return self.motion_of(path), path

    def _beginning(self, heading: float, speed: float | None, style: str | None) -> int:
        alive = [k for k in range(len(self.fragments)) if self.next[k]]
        if not alive:
            raise FootfallError("motion graph: no fragment has a successor; add clips or allow larger distances")
        return min(alive, key=lambda k: self._cost(k, 0.0, 0.0, heading, speed, style))

    def _cost(
        self, k: int, turned: float, clock: float, heading: float, speed: float | None, style: str | None
    ) -> float:
        fragment = self.fragments[k]
        away = (turned + fragment.turn - heading + np.pi) % (2 * np.pi) - np.pi
        cost = abs(float(away)) * fragment.seconds
        if speed is not None:
            cost += abs(fragment.ahead / max(fragment.seconds, 1e-6) - speed) * fragment.seconds
        if style is not None and fragment.clip != style:
            cost += 0.5 * fragment.seconds
        return cost

    def _look_ahead(
        self,
        last: int,
        turned: float,
        clock: float,
        wish: Callable[[float], float],
        speed: float | None,
        style: str | None,
        depth: int,
    ) -> int | None:
        """The first fragment of the best way found by a beam search."""
        beam = [(0.0, last, turned, clock, -1)]
        for level in range(max(depth, 1)):
            grown = []
            for cost, k, angle, now, head in beam:
                for j in self.next[k]:
                    fragment = self.fragments[j]
                    step = self._cost(j, angle, now, wish(now + fragment.seconds), speed, style)
                    total = cost + step + 0.5 * float(self.distance[k, j])
                    grown.append((total, j, angle + fragment.turn, now + fragment.seconds, j if level == 0 else head))
            if not grown:
                break
            beam = sorted(grown)[:_BEAM]
        return beam[0][4] if beam[0][4] >= 0 else None

    def motion_of(self, path: list[int]) -> Motion:
        """The joined motion of a path of fragments."""
        motion = placed(self.fragments[path[0]].motion)
        for k in path[1:]:
            motion = joined(motion, self.fragments[k].motion)
        return motion


def _cut(name: str, motion: Motion) -> list[Fragment]:
    fragments = []
    angle, path = facing_angle(motion), ground_path(motion)
    for segment in segments(annotate_contacts(motion)):
        last = min(segment.end, len(motion) - 1)
        if last - segment.start < 3:
            continue
        way, forward = path[last] - path[segment.start], angle[segment.start]
        piece = trimmed(motion, *(float(motion.times[f] - motion.times[0]) for f in (segment.start, last)))
        fragments.append(
            Fragment(
                name,
                segment.kind,
                piece,
                float(angle[last] - forward),
                float(way @ [np.cos(forward), np.sin(forward)]),
                float(way @ [-np.sin(forward), np.cos(forward)]),
            )
        )
    return fragments
