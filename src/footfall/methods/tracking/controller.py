"""Tracking controllers: a repertoire of captured motion with its gains, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from footfall.control.integration import Integration
from footfall.control.registry import load_controller
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.tracking.layout import START_FRAMES
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion.quaternion import conjugate, log, multiply

if TYPE_CHECKING:
    from footfall.motion.synthesis.hinge_chains import HingeChains

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """How the first state departs from the clip's first frame, which no soft ground has carried yet.

    Attributes:
        pace: forward and joint velocities as a share of the clip's. sway: the same for sideways velocity.
        sink: metres that the figure stands in the ground. rise: its vertical velocity, metres a second.
    """

    pace: float = 1.0
    sway: float = 1.0
    sink: float = 0.0
    rise: float = 0.0


@dataclass(frozen=True, eq=False)
class TrackingController:
    """Captured motion to be tracked by a figure.

    Attributes:
        name: short, lower case, with hyphens.
        repertoire: fragments, gains, settings and ground.
        figure: name of the figure.
        about: what it is, where it comes from.
        report: what was measured of it, by name.
        entry: how it enters a clip that begins in mid-walk.
    """

    name: str
    repertoire: Repertoire
    figure: str = "mocap-biped"
    about: str = ""
    report: Mapping[str, Any] = field(default_factory=dict)
    entry: Entry = Entry()
    _use: ClassVar[str] = "footfall.Simulation(controller).run(10.0)"

    def __repr__(self) -> str:
        parts = self.repertoire.fragments
        seconds = sum(len(part.frames) - 1 for part in parts) * self.repertoire.settings.frame_time
        return (
            f"<{type(self).__name__} '{self.name}' for {self.figure}, law '{self.law}'>\n"
            f"  {seconds:.1f} s of motion in {len(parts)} fragments\n"
            f"  next: {self._use}; controller.repertoire.gains; controller.report\n"
            "  its file: footfall.control.print_controller(controller); its tables: footfall show NAME"
        )

    @property
    def law(self) -> str:
        """The law's name in files."""
        return "tracking"

    @property
    def ground(self) -> Ground:
        """The soft ground that it walks on."""
        return self.repertoire.ground

    @property
    def integration(self) -> Integration:
        """The paper's steps: 900 a second, explicit unless the settings ask for implicit friction."""
        return Integration(1.0 / 900.0, "implicit" if self.repertoire.settings.implicit_friction else "explicit")

    @property
    def start(self) -> Start:
        """The first frame, moving as the first few do."""
        frames = self.repertoire.fragments[self.repertoire.start].frames
        ahead = min(START_FRAMES, len(frames) - 1)
        seconds = ahead * self.repertoire.settings.frame_time
        qpos, qvel = frames[0].copy(), frame_velocity(frames[0], frames[ahead], seconds)
        chains = _chains_of(self.figure)
        if chains is not None:
            poses = chains.hinge_poses(frames[[0, ahead]])
            qpos, qvel = poses[0], np.concatenate([qvel[:6], (poses[1] - poses[0])[7:] / seconds])
        qpos[2] -= self.entry.sink
        qvel *= self.entry.pace
        qvel[1] *= self.entry.sway
        qvel[2] = self.entry.rise if self.entry != Entry() else qvel[2]
        return Start(tuple(qpos), tuple(qvel))

    def changed(self, **values: Any) -> "TrackingController":
        """With other settings, gains or ground (see :meth:`Repertoire.changed`)."""
        return replace(self, repertoire=self.repertoire.changed(**values))


def frame_velocity(first: Array, second: Array, frame_time: float) -> Array:
    """[nv] velocities between two poses [nq] of a figure with a free root and ball joints."""
    turns = log(multiply(conjugate(first[3:].reshape(-1, 4)), second[3:].reshape(-1, 4)))
    return np.concatenate([second[:3] - first[:3], turns.ravel()]) / frame_time


def _chains_of(figure: str) -> "HingeChains | None":
    """The hinges of a figure by its name or file; None for one of ball joints."""
    path = Path(figure)
    return _chains_at(figure, path.stat().st_mtime_ns if path.suffix and path.is_file() else 0)


@lru_cache(maxsize=16)
def _chains_at(figure: str, changed: int) -> "HingeChains | None":
    """The same for a file that was last changed then."""
    from footfall.figures import Figure
    from footfall.motion.synthesis.hinge_chains import hinge_chains

    return hinge_chains(Figure.load(figure))


def load_tracking(source: "str | Path | TrackingController") -> TrackingController:
    """A tracking controller by built-in name or from its file (a controller passes through); others are refused."""
    controller = load_controller(source)
    if not isinstance(controller, TrackingController):
        raise FootfallError(f"controller '{controller.name}' tracks no motion; its law is '{controller.law}'")
    return controller
