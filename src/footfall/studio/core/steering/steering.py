"""Where the walker is to go: pushes, other gaits, speed, heading and a path, for every walker that takes them."""

import math
from collections.abc import Sequence
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.beside.companion import Companion
from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.session.document import SAME_EDIT_SECONDS
from footfall.studio.core.session.events import DriveChanged, NumbersChanged, PathChanged, WorldChanged
from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.guide import Guide
from footfall.studio.core.steering.lead import Lead
from footfall.studio.core.steering.step_guide import StepGuide
from footfall.studio.core.worlds.balance import Balance
from footfall.studio.core.worlds.drive import Drive

MOST_POINTS = 50
TURNING = "walk-3d, human-walk, steered-walk and the 3LP walker"
"""Walkers that turn, in words."""
Points = tuple[tuple[float, float], ...]


class Steering:
    """Steers a session's walker, and the 3LP walker beside it.

    Attributes:
        force: newtons of a push. duration: its seconds.
        points: of the path, (x, y) in metres each. lead: guides walkers that turn to a heading.
    """

    def __init__(self, session: Session, companion: Companion) -> None:
        self._session, self._companion = session, companion
        self.force, self.duration = 300.0, 0.1
        self.points: Points = ()
        self.lead = Lead(session)
        self._step_guide = StepGuide(session, self.drive)
        self._stick_refused = False
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
        return self._session.world.asked_speed

    @property
    def speeds(self) -> tuple[float, float]:
        """Between which speeds it may be asked."""
        return self._session.world.speeds

    def set_speed(self, speed: float) -> None:
        """Ask the walker for a speed, metres a second."""
        self._ask_speed(speed, "speed")

    def _ask_speed(self, speed: float, what: str, within: float = SAME_EDIT_SECONDS) -> None:
        """Ask for a speed by an edit; those of the same ``what`` that follow each other ``within`` seconds are one."""
        session, (low, high) = self._session, self.speeds
        speed = min(max(speed, low), high)
        session.edit(lambda controller: session.world.ask_speed(controller, speed), what, within=within)
        session.events.emit(NumbersChanged())

    def faster(self, by: float) -> None:
        """Walk faster by (about) metres a second."""
        balance, speed = self._session.world.balance, self.speed
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
        :class:`footfall.studio.core.worlds.drive.Drive`)."""
        balance = self._session.world.balance
        if balance is None:
            name = self._session.controller.name
            raise FootfallError(f"controller '{name}' is not balanced step by step; choose human-walk for that")
        self._drive(balance, balance.drive.changed(**parts))

    def _drive(self, balance: Balance, drive: Drive) -> None:
        """Ask a balanced walker for a drive; one that needs another kernel is compiled in the background."""
        session, before = self._session, balance.drive

        def enter(_: Any) -> None:
            if session.world.balance is balance:
                asked = {k: v for k, v in vars(drive).items() if v != getattr(before, k)}
                balance.change_drive(balance.drive.changed(**asked))
                session.events.emit(DriveChanged())

        if drive.servo == before.servo:
            enter(None)
        else:
            session.in_background(
                "drive", lambda: balance.prepare_drive(drive), enter, words="Compiling for this change, once"
            )

    @property
    def _guide(self) -> Guide:
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
        """Whether the walker turns."""
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
        for guide in (self.lead, self._step_guide):
            guide.follow(self.points)

    @property
    def reached(self) -> int:
        """How many points were reached, by the walker where it can turn, else by the 3LP walker."""
        if not self.points:
            return 0
        return self._guide.reached if self.can_turn else self._companion.reached
