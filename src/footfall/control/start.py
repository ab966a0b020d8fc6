"""Where a controller begins."""

from dataclasses import dataclass

from footfall.errors import FootfallError

__all__ = ["FARTHEST", "Start"]

FARTHEST = 1e6
"""Metres, radians or their rates: no state beyond it makes sense, and sums of squares could overflow."""


@dataclass(frozen=True)
class Start:
    """A state of the figure from which the controller runs: qpos [nq], qvel [nv], and the graph's state number, in
    a symmetric graph that of a mirrored state too."""

    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    state: int = 0

    def check(self, where: str, written: int, states: int) -> None:
        """Refuse bad numbers; ``where`` begins the message.

        Args:
            where: the place in a file.
            written: how many states the graph is written with. states: how many it has with their mirror images.
        """
        if isinstance(self.state, bool) or not isinstance(self.state, int) or not 0 <= self.state < states:
            mirrored = f" (mirror images from {written} on)" if states > written else ""
            raise FootfallError(f"{where}: state is {self.state}; choose from 0 to {states - 1}{mirrored}")
        for name in ("qpos", "qvel"):
            if not all(abs(x) <= FARTHEST for x in getattr(self, name)):
                raise FootfallError(f"{where}: {name} holds a number that is not within ±{FARTHEST:g}")
