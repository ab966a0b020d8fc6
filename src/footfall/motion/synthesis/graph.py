"""A motion graph: half cycles of several clips, the transitions between them, and streams that follow a wish.

Fragments are the segments of Data-Driven Biped Control (section 6: steering by a transition graph): a step, or a time
of standing. From a fragment one may go on with any whose foot follows on and whose first pose is near its last.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import derivatives, resampled, without_rest_frame
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, log, multiply, wrap_angle
from footfall.motion.synthesis.fragments import Fragment, cut_fragments, reversed_in_time
from footfall.motion.synthesis.step_graph import Prices, StepGraph
from footfall.motion.synthesis.stepping import joined_on_feet

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


class MotionGraph(StepGraph[Fragment]):
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
        fragments: list[Fragment] = []
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
    def fragments(self) -> list[Fragment]:
        """The steps."""
        return self.steps

    @staticmethod
    def _distances(fragments: Sequence[Fragment]) -> Array:
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
        return float(np.clip(wrap_angle(left), -_BEND, _BEND))

    def _cost(self, k: int, turned: float, clock: float, wish: _Wish) -> float:
        fragment = self.fragments[k]
        ends = clock + fragment.seconds
        bend = self._bend(k, turned, clock, wish)
        away = float(wrap_angle(turned + fragment.turn + bend - wish.heading(ends)))
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


def _add_returns(fragments: list[Fragment]) -> dict[int, int]:
    """Append still stands played backwards, and say which fragment goes back along which: so standing can last."""
    loops: dict[int, int] = {}
    for k in [k for k, fragment in enumerate(fragments) if fragment.still]:
        loops[k], loops[len(fragments)] = len(fragments), k
        fragments.append(reversed_in_time(fragments[k]))
    return loops


def _of_time(value: Callable[[float], T] | T) -> Callable[[float], T]:
    """A function of time, also where a constant is given."""
    return value if callable(value) else (lambda _: value)
