"""Files of tracking controllers: fragments of captured motion with their gains, one TOML text for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.start import FARTHEST
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.tracking.controller import Entry, TrackingController
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, print_table, read_table

DIGITS = 5
"""Of the numbers of a pose."""
DECIMALS = 6
LARGEST = 1e12
"""Of the numbers in a file: no mass, gain or length comes near it."""
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrackingFile:
    """The keys of a file, as ``docs/controller-files.md`` describes them."""

    name: str
    law: Literal["tracking"]
    gains: tuple[Gains, ...]
    fragments: tuple[Fragment, ...]
    figure: str = "mocap-biped"
    about: str = ""
    start: int = 0
    settings: Settings = field(default_factory=Settings)
    ground: Ground = PAPER_GROUND
    entry: Entry = field(default_factory=Entry)
    report: Mapping[str, Any] = field(default_factory=dict)


def read_frames(value: Any, where: str) -> Array:
    """[T, nq] poses as a file lists them: three numbers of place, then unit quaternions."""
    try:
        frames = np.array(value, dtype=float)
        if frames.ndim != 2 or len(frames) < 2 or not (np.abs(frames) <= FARTHEST).all():
            raise ValueError
    except (ValueError, TypeError, OverflowError):
        raise FootfallError(f"{where}: frames must be two or more lists of equally many numbers") from None
    if frames.shape[1] < 7 or frames.shape[1] % 4 != 3:
        raise FootfallError(f"{where}: a frame is three numbers of place, then unit quaternions")
    quaternions = frames[:, 3:].reshape(len(frames), -1, 4)
    lengths = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if np.any(np.abs(lengths - 1.0) > 0.01):
        raise FootfallError(f"{where}: a frame is three numbers of place, then unit quaternions")
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
    return Schema({Gains: Form(full=True), Settings: Form(own=SWITCHES), **forms}, LARGEST, DECIMALS)


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
        repertoire = Repertoire(file.fragments, file.gains, file.settings, file.ground, file.start)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    return TrackingController(file.name, repertoire, file.figure, file.about, file.report, file.entry)


def print_tracking(controller: TrackingController) -> str:
    """The text of a controller's file."""
    own = controller.repertoire
    file = TrackingFile(
        controller.name,
        "tracking",
        own.gains,
        own.fragments,
        controller.figure,
        controller.about,
        own.start,
        own.settings,
        own.ground,
        controller.entry,
        controller.report,
    )
    return print_table(file, SCHEMA)
