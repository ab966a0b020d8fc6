"""Where the walker is to go: pushes, pulls, gaits, speed, heading and a path, for any walker that takes them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.studio.core.background import (
    Advanced,
    DriveChanged,
    NumbersChanged,
    PathChanged,
    Restarted,
    Rewound,
    WorldChanged,
)
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.drive import REACH, BalanceDrive
from footfall.studio.core.frames import speed_of
from footfall.studio.core.geometry import heading_of
from footfall.studio.core.library import SAME_EDIT_SECONDS
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session


class Lead:
    """Leads a session's walker where it can be led.

    Attributes:
        goal: the heading to hold, radians; None where nothing was asked.
        asked: what the world is asked for now.
        points: to walk to, (x, y) each.
        reached: how many of them were.
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
            self.asked = heading_of(world.state["qpos"][0])
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
        faces = heading_of(world.state["qpos"][0])
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
        faces = heading_of(qpos)
        side = math.copysign(0.5 * math.pi, math.remainder(way - faces, 2.0 * math.pi))
        centre = (around * math.cos(faces + side), around * math.sin(faces + side))
        inside = math.dist(centre, (to_x, to_y)) < around - REACH
        self.goal = faces if inside else way


class StepGuide:
    """Guides a session's walker where its steps are balanced one by one.

    Args:
        session: whose walker.
        ask: changes parts of what the walker is asked for (:class:`footfall.studio.core.drive.BalanceDrive`).
    """

    def __init__(self, session: Session, ask: Callable[..., None]) -> None:
        self._session, self._ask = session, ask

    @property
    def goal(self) -> float | None:
        """The heading to hold, radians; None where nothing was asked."""
        balance = self._session.world.balance
        return None if balance is None else balance.drive.heading

    @property
    def reached(self) -> int:
        """How many points were reached."""
        balance = self._session.world.balance
        return 0 if balance is None else balance.reached

    def hold(self, goal: float) -> None:
        """Turn to a heading, radians, and hold it."""
        self._ask(heading=goal, turn=0.0)

    def follow(self, points: Sequence[tuple[float, float]]) -> None:
        """Walk from point to point; after the last, straight on."""
        balance = self._session.world.balance
        if balance is None or balance.drive.points == tuple(points):
            return
        others: dict[str, Any] = {"heading": None, "turn": 0.0} if points else {}
        self._ask(points=tuple(points), **others)


SETTLING, OVER = 4.0, 3.0
"""Seconds that a walk has to settle at a speed, and over which it is measured then."""
TRUE, SHARE, TRIES = 0.03, 0.7, 8
"""Metres a second by which a speed may be off, how much of what is off is put right at once, and how often."""


class Pace:
    """How fast a walker under SIMBICON's balance feedback really walks. The law's desired speed is a number of its
    feedback; this finds the one at which the walk has the speed that was asked for.

    Args:
        session: whose walker.
        ask: asks the law for a desired speed; the second argument is how long such edits count as one, seconds.
    """

    def __init__(self, session: Session, ask: Callable[[float, float], None]) -> None:
        self._session, self._ask = session, ask
        self._wanted: float | None = None
        self._off, self._own, self._tries, self._since = 0.0, 0.0, 0, 0.0
        self._of = ""  # the controller of which that is known
        session.events.on(Advanced, lambda _: self._advance())
        for event in (Restarted, Rewound, WorldChanged):
            session.events.on(event, lambda _: self._begin())

    def _begin(self) -> None:
        self._since, self._tries = self._session.world.time, TRIES

    @property
    def shown(self) -> float | None:
        """Metres a second: as asked for, else as it walks, once it has settled; None where it takes no speed."""
        own = self._session.world.asked_speed
        return None if own is None else round(own + self._beyond, 2)

    @property
    def _beyond(self) -> float:
        """Metres a second by which the walker walks faster than its law is asked to; 0 until that was measured."""
        session = self._session
        return self._off if session.world.can.feedback and self._of == session.document.name else 0.0

    def ask(self, speed: float) -> None:
        """Walk at a speed, metres a second."""
        self._begin()
        self._wanted = speed
        self._put(speed - self._beyond, SAME_EDIT_SECONDS)

    def _put(self, own: float, within: float) -> None:
        self._ask(own, within)
        self._own = self._session.world.asked_speed or 0.0

    def _advance(self) -> None:
        world = self._session.world
        own = world.asked_speed
        if own is None or not world.can.feedback or world.fell_at is not None or world.time < self._since + SETTLING:
            return
        measured = speed_of(self._session, world.time, OVER)
        if measured is None:
            return
        if own != self._own:  # somebody else has asked for another one
            self._wanted, self._own = None, own
        self._since = world.time - SETTLING + 1.0
        if self._wanted is not None and abs(self._wanted - measured) > TRUE:
            low, high = world.steady_speeds(self._session.document.saved)
            better = min(max(own + SHARE * (self._wanted - measured), min(low, own)), max(high, own))
            self._tries, self._since = self._tries - 1, world.time
            if self._tries and better != own:
                self._put(better, math.inf)
            else:
                self._wanted = None  # it cannot: what it does is shown
        off = (measured if self._wanted is None else self._wanted) - self._own
        if abs(off - self._beyond) > 0.5 * TRUE:
            self._off, self._of = off, self._session.document.name
            self._session.events.emit(DriveChanged())


MOST_POINTS = 50
TURNING = "walk-3d, human-walk, steered-walk and the 3LP walker"
"""Walkers that turn, for people to read."""
Points = tuple[tuple[float, float], ...]


class WalkerSteering:
    """Steers a session's walker, and the 3LP walker beside it.

    Attributes:
        force: newtons of a push.
        duration: its seconds.
        points: of the path, (x, y) in metres each.
        lead: guides walkers that turn to a heading.
        pace: makes speeds that are asked for come true.
    """

    def __init__(self, session: Session, companion: Companion) -> None:
        self._session, self._companion = session, companion
        self.force, self.duration = 300.0, 0.1
        self.points: Points = ()
        self.lead = Lead(session)
        self._step_guide = StepGuide(session, self.drive)
        self._stick_refused = False
        self.pace = Pace(session, lambda speed, within: self._ask_speed(speed, "speed", within))
        session.events.on(WorldChanged, lambda _: self._enter_world())

    def _enter_world(self) -> None:
        self._stick_refused = False
        self._give_path()

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
            angle = heading_of(world.state["qpos"][0])
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
        """The speed that the walker's law is asked for, metres a second; None where it cannot be asked."""
        return self._session.world.asked_speed

    @property
    def speeds(self) -> tuple[float, float]:
        return self._session.world.speeds

    def set_speed(self, speed: float) -> None:
        """Walk at a speed, metres a second, or ask the law for it where it has no balance feedback."""
        self.pace.ask(speed)

    def _ask_speed(self, speed: float, what: str, within: float = SAME_EDIT_SECONDS) -> None:
        """Ask for a speed by an edit; those of the same ``what`` that follow each other ``within`` seconds are one."""
        session, (low, high) = self._session, self.speeds
        speed = min(max(speed, low), high)
        session.edit(lambda controller: session.world.ask_speed(controller, speed), what, within=within)
        session.events.emit(NumbersChanged())

    def faster(self, by: float) -> None:
        """Walk faster by (about) metres a second."""
        balance, speed = self._session.world.balance, self.pace.shown
        if balance is not None:
            self._drive(balance, balance.drive.faster(by))
        elif speed is not None:
            self.set_speed(round(speed + by, 3))
        else:
            self._say_no_speed()

    def _say_no_speed(self) -> None:
        self._session.say("No speed", "this walker has the speed of its controller, or of the clip it follows")

    # -- balance and heading -----------------------------------------------------------------------------------------

    def drive(self, **parts: Any) -> None:
        """Ask something else of a walker that is balanced step by step (see
        :class:`footfall.studio.core.drive.BalanceDrive`)."""
        balance = self._session.world.balance
        if balance is None:
            name = self._session.controller.name
            raise FootfallError(f"controller '{name}' is not balanced step by step; choose human-walk for that")
        self._drive(balance, balance.drive.changed(**parts))

    def _drive(self, balance: BalancedWorld, drive: BalanceDrive) -> None:
        """Ask a balanced walker for a drive; one that needs another kernel is compiled in the background."""
        session, before = self._session, balance.drive

        def enter() -> None:
            asked = {k: v for k, v in vars(drive).items() if v != getattr(before, k)}
            balance.change_drive(balance.drive.changed(**asked))
            session.events.emit(DriveChanged())

        if drive.servo == before.servo:
            enter()
        else:
            session.prepared(enter, "Compiling for this change, once", drive=drive)

    @property
    def _guide(self) -> Lead | StepGuide:
        """Who turns the walker: its own steps, or a heading that it is given."""
        return self.lead if self._session.world.balance is None else self._step_guide

    def turn(self, by: float) -> None:
        """Turn left by an angle from where it heads, and hold that."""
        if not self.can_turn:
            self._say_no_heading()
            return
        held = self.heading
        heading = held if held is not None and by else self._session.world.heading
        self.hold_heading(math.remainder(heading + by, 2.0 * math.pi))

    def _say_no_heading(self) -> None:
        self._session.say("No heading", f"this walker cannot turn; {TURNING} can")

    @property
    def heading(self) -> float | None:
        """The heading that the walker was asked to hold, radians; None where nothing was asked."""
        return self._guide.goal

    def hold_heading(self, heading: float) -> None:
        """Turn to a heading, radians, and hold it; a path is given up."""
        self.clear_path()
        self._guide.hold(heading)
        self._session.events.emit(DriveChanged())

    def circle(self, turn: float) -> None:
        """Turn steadily, by degrees of hip yaw to the left; a path is given up."""
        self.clear_path()
        self.drive(turn=turn, heading=None)

    @property
    def can_turn(self) -> bool:
        return self._session.world.can.turn

    # -- a stick ---------------------------------------------------------------------------------------------------

    def stick(self, x: float, y: float) -> None:
        """Go where the stick of a gamepad points: to the heading of (x, y) in the world, the faster the further it is
        tilted, 1 at most. Released, (0, 0), it asks for the slowest walk and keeps the heading. A path is given up.

        A walker that cannot turn takes only the part along the way it faces, as a speed.
        """
        speeds = self._stick_speeds
        if not self.can_turn and speeds is None:
            self._refuse_stick()
            return
        tilt = min(math.hypot(x, y), 1.0)
        if not self.can_turn:
            faces = self._session.world.heading
            tilt = min(max(x * math.cos(faces) + y * math.sin(faces), 0.0), tilt)
        elif tilt > 0.0:
            self.hold_heading(math.atan2(y, x))
        else:
            self.clear_path()
        if speeds is not None:  # all that a stick asks for makes one version of the controller, however long it is held
            self._ask_speed(speeds[0] + tilt * (speeds[1] - speeds[0]), "stick", within=math.inf)

    @property
    def _stick_speeds(self) -> tuple[float, float] | None:
        """Speeds of a stick that is released and of one that is fully tilted; None where none can be asked. A walker
        that is balanced step by step has none: it falls where its speed and its heading are asked for together."""
        world = self._session.world
        if self.speed is None or world.balance is not None:
            return None
        return world.steady_speeds(self._session.document.saved)

    def _refuse_stick(self) -> None:
        """Say once, not with every message, what the walker cannot do."""
        if not self._stick_refused:
            self._stick_refused = True
            self._say_no_heading()
            self._say_no_speed()

    # -- the path --------------------------------------------------------------------------------------------------

    def add_point(self, x: float, y: float) -> None:
        if len(self.points) >= MOST_POINTS:
            self._session.say("No more points", f"a path has at most {MOST_POINTS}; clear it first")
            return
        self.set_path((*self.points, (round(x, 2), round(y, 2))))

    def clear_path(self) -> None:
        if self.points:
            self.set_path(())

    def set_path(self, points: Sequence[tuple[float, float]]) -> None:
        self.points = tuple(points)
        self._companion.follow(self.points)
        self._give_path()
        self._session.events.emit(PathChanged())

    def _give_path(self) -> None:
        for guide in (self.lead, self._step_guide):
            guide.follow(self.points)

    @property
    def reached(self) -> int:
        """How many points were reached, by the walker where it can turn, else by the 3LP walker."""
        if not self.points:
            return 0
        return self._guide.reached if self.can_turn else self._companion.reached


Array = NDArray[np.float64]

SPRING = 600.0
"""Newtons a metre between a dragged body and the pointer. The force is held below ``MOST_PULL``."""
MOST_PULL = 900.0


class Pulling:
    """One pull at a time: whoever began it keeps it until they let go or are gone."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._puller: int | None = None
        self._pulled: tuple[str, Array, Array] | None = None
        session.before_advance.append(self._spring)
        session.events.on(Restarted, lambda _: self._forget())

    def _forget(self) -> None:
        self._puller, self._pulled = None, None

    def grab(self, client: int, body: str, grabbed: Array, to: Array) -> None:
        """A client takes hold of a body at a point [3] and pulls it to another [3]."""
        self._puller = client
        self.move(client, body, grabbed, to)

    def move(self, client: int, body: str, grabbed: Array, to: Array) -> None:
        """The client that pulls moves its pointer."""
        if self._puller == client:
            self._pulled = (body, grabbed, to)

    def let_go(self, client: int) -> None:
        """A client lets go of what it pulls, or has gone."""
        if self._puller == client:
            if self._pulled is not None:
                self._session.world.pull(self._pulled[0], None)
            self._forget()

    def _spring(self) -> None:
        if self._pulled is None:
            return
        body, grabbed, end = self._pulled
        force = SPRING * (end - grabbed)
        size = float(np.linalg.norm(force))
        self._session.world.pull(body, force * min(1.0, MOST_PULL / max(size, 1e-9)))
