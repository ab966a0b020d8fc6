"""Where a controller begins."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.figures import Figure

FARTHEST = 1e6
"""Metres, radians or their rates: no state beyond it makes sense, and sums of squares could overflow."""
MOST_LISTED = 12
"""Joints that an error names."""


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

    def check_size(self, figure: "Figure") -> None:
        """Refuse a state that is not of a figure, with what the figure has."""
        for name, count in (("qpos", figure.nq), ("qvel", figure.nv)):
            given = len(getattr(self, name))
            if given != count:
                raise FootfallError(
                    f"[start]: {name} has {given} numbers; figure '{figure.name}' has {count}: {_listed(figure, name)}"
                )


def _listed(figure: "Figure", name: str) -> str:
    """The coordinates of a figure, in their order."""
    free = "x y z, a quaternion w x y z" if name == "qpos" else "velocity x y z, angular velocity x y z"
    root = {"planar": ["x", "z", "pitch"], "free": [free], "fixed": []}[figure.root]
    first = {"planar": 3, "free": 6, "fixed": 0}[figure.root]
    joints = [joint.name for joint in sorted(figure.joints, key=lambda joint: joint.dof) if joint.dof >= first]
    if len(joints) > MOST_LISTED:
        joints = [f"{len(joints)} joints from '{joints[0]}' to '{joints[-1]}' (footfall show {figure.name} lists them)"]
    return ", ".join([*root, *joints])
