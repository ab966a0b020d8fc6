"""What can be done with a walker while it is watched. Panels and steering ask for that, never for a world's class."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Can:
    """What can be done with a walker, besides what works for every one: watch, push, pull, rewind, reset, export, and
    change the terrain, friction, load and gravity.

    Attributes:
        edit: its states can be edited, and posed with handles. feedback: its states have gains of balance feedback.
        speed: it takes a speed. turn: it takes a heading. switch: it changes to other gaits.
        balance: its steps are balanced one by one; :attr:`World.balance` says how.
        follow: it follows a clip, which is drawn beside it. target: it says which pose it asks for.
        compare: its saved version can walk beside it.
        study: its push rose and its basin of attraction can be computed.
    """

    edit: bool = False
    feedback: bool = False
    speed: bool = False
    turn: bool = False
    switch: bool = False
    balance: bool = False
    follow: bool = False
    target: bool = False
    compare: bool = True
    study: bool = False


@dataclass(frozen=True)
class Leading:
    """How a walker is led by a heading (:mod:`footfall.studio.core.steering.lead`).

    Attributes:
        rate: rad/s by which what is asked of it follows the goal at most.
        ahead: radians that it may be ahead of where the walker faces.
        around: metres, the radius of the tightest circle.
    """

    rate: float
    ahead: float
    around: float
