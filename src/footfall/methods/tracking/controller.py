"""Tracking controllers: a repertoire of captured motion with its gains, as a value, with the numbers that people change
(Data-Driven Biped Control, figure 5) and its TOML file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import FARTHEST, Integration, Number, Start
from footfall.control.registry import load_controller
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.tracking.layout import START_FRAMES
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings, TrackingGains
from footfall.motion.quaternion import conjugate, log, multiply
from footfall.text_files import packaged_table, parse_toml
from footfall.toml_files import Form, Schema, print_table, read_table, value_from

if TYPE_CHECKING:
    from footfall.motion.ball_poses import HingeChains

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """How the first state departs from the clip's first frame, which no soft ground has carried yet.

    Attributes:
        pace: forward and joint velocities as a share of the clip's.
        sway: the same for sideways velocity.
        sink: metres that the figure stands in the ground.
        rise: its vertical velocity, metres a second.
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
    from footfall.motion.ball_poses import hinge_chains

    return hinge_chains(Figure.load(figure))


def load_tracking(source: "str | Path | TrackingController") -> TrackingController:
    """A tracking controller by built-in name or from its file (a controller passes through); others are refused."""
    controller = load_controller(source)
    if not isinstance(controller, TrackingController):
        raise FootfallError(f"controller '{controller.name}' tracks no motion; its law is '{controller.law}'")
    return controller


def tracking_numbers(controller: TrackingController) -> dict[str, Number]:
    """What a slider changes, by name (``numbers.csv``); of gains those of the first set."""
    values = vars(controller.repertoire.settings) | vars(controller.repertoire.gains[0])
    return {
        r["name"]: Number(
            r["name"], float(values[r["name"]] or 0.0), 0.0, float(r["most"]), r["label"], r["group"], r["about"]
        )
        for r in _number_rows()
    }


@cache
def _number_rows() -> list[dict[str, str]]:
    return packaged_table("footfall.methods.tracking", "numbers.csv")


DIGITS = 5
"""Of the numbers of a pose."""
DECIMALS = 6
LARGEST = 1e12
"""Of the numbers in a file: no mass, gain or length comes near it."""


@dataclass(frozen=True, eq=False)
class TrackingFile:
    """The keys of a file, as ``docs/controller-files.md`` describes them."""

    name: str
    law: Literal["tracking"]
    gains: tuple[TrackingGains, ...]
    fragments: tuple[Fragment, ...]
    figure: str = "mocap-biped"
    about: str = ""
    start: int = 0
    settings: Settings = field(default_factory=Settings)
    ground: Ground = PAPER_GROUND
    entry: Entry = field(default_factory=Entry)
    report: Mapping[str, Any] = field(default_factory=dict)


def read_frames(value: Any, where: str) -> Array:
    """[T, nq] poses as a file lists them: three numbers of position, then unit quaternions."""
    try:
        frames = np.array(value, dtype=float)
        if frames.ndim != 2 or len(frames) < 2 or not (np.abs(frames) <= FARTHEST).all():
            raise ValueError
    except (ValueError, TypeError, OverflowError):
        raise FootfallError(f"{where}: frames must be two or more lists of equally many numbers") from None
    if frames.shape[1] < 7 or frames.shape[1] % 4 != 3:
        raise FootfallError(f"{where}: a frame is three numbers of position, then unit quaternions")
    quaternions = frames[:, 3:].reshape(len(frames), -1, 4)
    lengths = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if np.any(np.abs(lengths - 1.0) > 0.01):
        raise FootfallError(f"{where}: a frame is three numbers of position, then unit quaternions")
    frames[:, 3:] = (quaternions / lengths).reshape(len(frames), -1)
    return frames


def _switch(name: str) -> Callable[[Any, str], bool]:
    """The reader of a setting that is on or off; searches write it as a number."""

    def read(value: Any, where: str) -> bool:
        if value not in (False, True):
            raise FootfallError(f"{where}: {name} is {value!r:.40}; it must be true or false")
        return bool(value)

    return read


SWITCHES = {name: _switch(name) for name, value in vars(Settings()).items() if isinstance(value, bool)}


def tracking_schema(forms: Mapping[type, Form]) -> Schema:
    """How files of captured motion are written: gains in full, numbers to six decimals; and what is their own."""
    return Schema({TrackingGains: Form(full=True), Settings: Form(own=SWITCHES), **forms}, LARGEST, DECIMALS)


SCHEMA = tracking_schema(
    {
        TrackingFile: Form(order=("name", "figure", "law", "about"), always=("figure",)),
        Fragment: Form(
            order=("kind", "ground", "gains", "successor", "turn"),
            full=True,
            own={"frames": read_frames},
            digits=DIGITS,
        ),
    }
)


def parse_tracking(text: str, where: str = "controller text") -> TrackingController:
    """A tracking controller from the text of its file."""
    file = read_table(parse_toml(text, where), TrackingFile, where, SCHEMA)
    try:
        repertoire = value_from(Repertoire, file)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    return value_from(TrackingController, file, repertoire=repertoire)


def print_tracking(controller: TrackingController) -> str:
    """The text of a controller's file."""
    return print_table(value_from(TrackingFile, controller, controller.repertoire, law=controller.law), SCHEMA)
