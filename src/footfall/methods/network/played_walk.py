"""A walk that is played on a motion graph while a policy follows it: its clip, a little longer at every decision.

The walk is :mod:`footfall.methods.tracking.played_steps`, 30 frames a second. It is always as far ahead of the policy
as that looks, so that what is asked of it now shows within a step. Between its frames coordinates follow the curves of
:func:`footfall.methods.network.clip_table.table_of`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_inputs import looks_of
from footfall.methods.network.clip_table import poses_at, tables_of, within_ranges
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.motion_graph import FPS
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.motion.synthesis.hinge_chains import hinge_chains

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
        controller: the steps, and the policy that follows. style: of the first step.

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
