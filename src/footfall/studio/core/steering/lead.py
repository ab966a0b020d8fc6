"""A walker led by its heading: held, turned, or along points on the ground.

Its world turns it to a heading. Where a sudden large turn would make it fall, what is asked follows the goal no faster
than the world says, and stays near where the walker faces (:class:`footfall.studio.core.worlds.can.Leading`).
"""

import math
from collections.abc import Sequence

from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.session.events import Restarted, Rewound, WorldChanged
from footfall.studio.core.session.session import Session

REACH = 0.9
"""Metres from a point at which it counts as reached."""


class Lead:
    """Leads a session's walker where it can be led.

    Attributes:
        goal: the heading to hold, radians; None where nothing was asked. asked: what the world is asked for now.
        points: to walk to, (x, y) each. reached: how many of them were.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.goal: float | None = None
        self.points: tuple[tuple[float, float], ...] = ()
        self.reached = 0
        self.asked, self._time = 0.0, 0.0
        session.before_advance.append(self._advance)
        session.events.on(Rewound, lambda _: self._start_here())
        session.events.on(Restarted, lambda _: self._restart())
        session.events.on(WorldChanged, lambda _: self._start_here())

    def hold(self, goal: float) -> None:
        """Turn to a heading and hold it."""
        self.goal = goal

    def follow(self, points: Sequence[tuple[float, float]]) -> None:
        """Walk from point to point; after the last, straight on."""
        self.points, self.reached = tuple(points), min(self.reached, len(points))
        if not points:
            self.goal = None if self.goal is None else self.asked

    def _restart(self) -> None:
        self.goal, self.reached = None, 0
        self._start_here()

    def _start_here(self) -> None:
        """The walker stands somewhere else: what is asked of the law begins with where it faces."""
        world = self._session.world
        self._time = world.time
        if world.leading is not None:
            self.asked = facing(world.state["qpos"][0])
            if self.goal is not None or self.points:
                world.lead(self.asked)

    def _advance(self) -> None:
        world = self._session.world
        passed, self._time = max(0.0, world.time - self._time), world.time
        leading = world.leading
        if leading is None or world.fell_at is not None:
            return
        if self.reached < len(self.points):
            self._look_at_the_next_point(leading.around)
        if self.goal is None:
            return
        faces = facing(world.state["qpos"][0])
        most = leading.rate * passed
        asked = self.asked + min(max(math.remainder(self.goal - self.asked, 2.0 * math.pi), -most), most)
        near = leading.ahead
        self.asked = faces + min(max(math.remainder(asked - faces, 2.0 * math.pi), -near), near)
        world.lead(self.asked)

    def _look_at_the_next_point(self, around: float) -> None:
        """The goal: towards the next point, or straight on where that lies inside the tightest circle beside the
        walker, of radius ``around``: it first walks away from it."""
        qpos = self._session.world.state["qpos"][0]
        x, y = float(qpos[0]), float(qpos[1])
        while self.reached < len(self.points) and math.dist(self.points[self.reached], (x, y)) < REACH:
            self.reached += 1
        if self.reached == len(self.points):
            self.goal = self.asked
            return
        to_x, to_y = self.points[self.reached][0] - x, self.points[self.reached][1] - y
        way = math.atan2(to_y, to_x)
        faces = facing(qpos)
        side = math.copysign(0.5 * math.pi, math.remainder(way - faces, 2.0 * math.pi))
        centre = (around * math.cos(faces + side), around * math.sin(faces + side))
        inside = math.dist(centre, (to_x, to_y)) < around - REACH
        self.goal = faces if inside else way
