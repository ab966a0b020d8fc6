"""What turns a walker: to a heading, or along points on the ground."""

from collections.abc import Sequence
from typing import Protocol


class Guide(Protocol):
    """Holds headings and follows paths."""

    @property
    def goal(self) -> float | None:
        """The heading to hold, radians; None where nothing was asked."""

    @property
    def reached(self) -> int:
        """How many points were reached."""

    def hold(self, goal: float) -> None:
        """Turn to a heading, radians, and hold it."""

    def follow(self, points: Sequence[tuple[float, float]]) -> None:
        """Walk from point to point; after the last, straight on."""
