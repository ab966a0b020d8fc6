"""Steps that are balanced one by one, as panels and steering see them."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Protocol

from footfall.figures import Figure
from footfall.studio.core.worlds.drive import Drive


@dataclass(frozen=True)
class StepValues:
    """A step that was taken: when it ended, its Q_d and the Q that it ended with, forward and lateral."""

    number: int
    time: float
    target: tuple[float, float]
    value: tuple[float, float]


class Balance(Protocol):
    """A walker that limit-cycle control balances.

    Attributes:
        figure: what walks. drive: what is asked of it. steps: those that were taken.
        late: steps that had to wait for their plan. planned: seconds that the last plan took to work out.
    """

    figure: Figure
    drive: Drive
    steps: list[StepValues]
    late: int
    planned: float

    @property
    def reached(self) -> int:
        """Points of its path that it reached."""

    @property
    def changes(self) -> Set[str]:
        """Postures and turns that it has the joints and the states for."""

    def change_drive(self, drive: Drive) -> None:
        """Ask something else of it, from the next step on."""

    def prepare_drive(self, drive: Drive) -> None:
        """Compile what another drive needs; call it in a thread of its own."""
