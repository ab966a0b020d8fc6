"""A walker that is balanced step by step turns by its own steps."""

from collections.abc import Callable, Sequence
from typing import Any

from footfall.studio.core.session.session import Session


class StepGuide:
    """Guides a session's walker where its steps are balanced one by one.

    Args:
        session: whose walker. ask: changes parts of what the walker is asked for
            (:class:`footfall.studio.core.worlds.drive.Drive`).
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
