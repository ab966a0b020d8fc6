"""Background the walker where to go: pushes, other gaits, speed, heading and a path.

What a planar SIMBICON walker, a spatial one, one that limit-cycle control balances and one that follows captured motion
can be asked for differs; here is one place that knows.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.studio.core.beside.companion import Companion
from footfall.studio.core.editing import with_speed
from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.session.events import DriveChanged, NumbersChanged, PathChanged, WorldChanged
from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.lead import Lead
from footfall.studio.core.worlds.balanced_world import BalancedWorld
from footfall.studio.core.worlds.drive import SPEEDS, TURNS, Drive, fitting

__all__ = ["MOST_POINTS", "TURNING", "Steering"]

SLOWEST, FASTEST = -2.0, 3.0
"""Metres a second that a planar walker may be asked for."""
MOST_POINTS = 50
TURNING = "walk-3d, human-walk, steered-walk and the 3LP walker"
"""Walkers that turn, in words."""
Points = tuple[tuple[float, float], ...]


class Steering:
    """Steers a session's walker, and the 3LP walker beside it.

    Attributes:
        force: newtons of a push. duration: its seconds.
        points: of the path, (x, y) in metres each. lead: leads walkers that turn to a heading.
    """

    def __init__(self, session: Session, companion: Companion) -> None:
        self._session, self._companion = session, companion
        self.force, self.duration = 300.0, 0.1
        self.points: Points = ()
        self.lead = Lead(session)
        session.events.on(WorldChanged, lambda _: self._give_path())

    # -- pushes ----------------------------------------------------------------------------------------------------

    def push(self, x: float, y: float) -> None:
        """Push forward by ``x`` and, on a planar figure up, else to the left, by ``y``, in parts of the force."""
        session, world = self._session, self._session.world
        x, y = self.force * x, self.force * y
        if session.planar:
            world.push((x, 0.0, y), self.duration)
            self._companion.push(x, 0.0, self.duration)
            return
        if world.figure.root == "free":
            angle = facing(world.state["qpos"][0])
            x, y = x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)
        world.push((x, y, 0.0), self.duration)
        self._companion.push(x, y, self.duration)

    # -- gaits and speed -------------------------------------------------------------------------------------------

    def request(self, name: str) -> None:
        """Ask for another gait; it takes over when a state ends."""
        world = self._session.world
        if name != world.gait or world.requested() is not None:
            world.request(name)
            self._session.events.emit(DriveChanged())

    def request_number(self, number: int) -> None:
        """Ask for the gait of a number, counted from 0; numbers that no gait has do nothing."""
        names = self._session.world.gaits
        if number < len(names):
            self.request(names[number])

    @property
    def speed(self) -> float | None:
        """The speed that the walker is asked for, metres a second; None where it cannot be asked."""
        session = self._session
        if session.steered is not None:
            return float(session.steered.drive.speed)
        if session.balanced is not None:
            drive: Drive = session.balanced.drive
            return drive.speed
        return float(session.graph.balance.speed) if session.controller.law == "simbicon" else None

    @property
    def speeds(self) -> tuple[float, float]:
        """Between which speeds it may be asked."""
        steered = self._session.steered
        return (SLOWEST, FASTEST) if steered is None else steered.speeds

    def set_speed(self, speed: float) -> None:
        """Ask a SIMBICON or a steered walker for a speed, metres a second."""
        session, (low, high) = self._session, self.speeds
        speed = min(max(speed, low), high)
        if session.steered is not None:
            session.steered.ask(speed=speed)
        else:
            session.edit(lambda g: with_speed(g, speed), "speed")
        session.events.emit(NumbersChanged())

    def faster(self, by: float) -> None:
        """Walk faster by (about) metres a second."""
        world, speed = self._session.balanced, self.speed
        if world is None:
            if speed is None:
                self._session.say("No speed", "this walker has the speed of its controller, or of the clip it follows")
            else:
                self.set_speed(round(speed + by, 3))
        elif world.drive.speed is not None:
            self.drive(speed=float(np.clip(world.drive.speed + 0.5 * by, SPEEDS[0], SPEEDS[-1])))
        else:
            forward, lateral = world.drive.targets
            self.drive(targets=(float(np.clip(forward + 0.1 * by, -0.2, 0.5)), lateral))

    # -- a balanced walker -----------------------------------------------------------------------------------------

    def drive(self, **parts: Any) -> None:
        """Ask something else of a walker that limit-cycle control balances (see
        :class:`footfall.studio.core.worlds.drive.Drive`)."""
        session, world = self._session, self._session.balanced
        if world is None:
            raise FootfallError(
                f"controller '{session.graph.name}' is not balanced step by step; choose human-walk for that"
            )
        if parts.get("servo", world.drive.servo) == world.drive.servo:
            self._enter_drive(world, parts)
            return
        drive, setting, graph = world.drive.changed(**parts), session.setting, session.graph
        session.beside(
            "drive",
            lambda: BalancedWorld(graph, world.figure, setting, drive),
            lambda _: self._enter_drive(world, parts),
        )

    def _enter_drive(self, world: BalancedWorld, parts: dict[str, Any]) -> None:
        if world is self._session.world:
            world.change_drive(world.drive.changed(**parts))
            self._session.events.emit(DriveChanged())

    def turn(self, by: float) -> None:
        """Turn left by an angle from where it heads, and hold that."""
        if not self.can_turn:
            self._session.say("No heading", f"this walker cannot turn; {TURNING} can")
            return
        held = self.heading
        heading = held if held is not None and by else self._session.world.heading
        self.hold_heading(math.remainder(heading + by, 2.0 * math.pi))

    @property
    def heading(self) -> float | None:
        """The heading that the walker was asked to hold, radians; None where nothing was asked."""
        world = self._session.balanced
        return self.lead.goal if world is None else world.drive.heading

    def hold_heading(self, heading: float) -> None:
        """Turn to a heading, radians, and hold it; a path is given up."""
        self.clear_path()
        if self._session.balanced is None:
            self.lead.hold(heading)
            self._session.events.emit(DriveChanged())
        else:
            self.drive(heading=heading, turn=0.0)

    def circle(self, turn: float) -> None:
        """Turn steadily, by degrees of hip yaw to the left; a path is given up."""
        self.clear_path()
        self.drive(turn=turn, heading=None)

    @property
    def can_turn(self) -> bool:
        """Whether the walker's law turns it, or it has the joints and states that turning needs."""
        world = self._session.balanced
        return self.lead.can_turn if world is None else set(TURNS) <= set(fitting(world.table, TURNS))

    # -- the path --------------------------------------------------------------------------------------------------

    def add_point(self, x: float, y: float) -> None:
        """One more point of the path."""
        if len(self.points) >= MOST_POINTS:
            self._session.say("No more points", f"a path has at most {MOST_POINTS}; clear it first")
            return
        self.set_path((*self.points, (round(x, 2), round(y, 2))))

    def clear_path(self) -> None:
        """Forget the path."""
        if self.points:
            self.set_path(())

    def set_path(self, points: Sequence[tuple[float, float]]) -> None:
        """Walk along other points."""
        self.points = tuple(points)
        self._companion.follow(self.points)
        self._give_path()
        self._session.events.emit(PathChanged())

    def _give_path(self) -> None:
        world = self._session.balanced
        self.lead.follow(self.points)
        if world is not None and world.drive.points != self.points:
            parts: dict[str, Any] = {"heading": None, "turn": 0.0} if self.points else {}
            self.drive(points=self.points, **parts)

    @property
    def reached(self) -> int:
        """How many points were reached, by the walker where it can turn, else by the 3LP walker."""
        if not self.points:
            return 0
        if not self.can_turn:
            return self._companion.reached
        world = self._session.balanced
        return self.lead.reached if world is None else world.course.reached
