"""Tracking controllers: a repertoire of captured motion with its gains, as a value and as one TOML file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.integration import Integration
from footfall.control.registry import load_controller
from footfall.control.start import FARTHEST, Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.layout import KINDS, START_FRAMES
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings
from footfall.motion.quaternion import conjugate, log, multiply
from footfall.text_files import parse_toml

__all__ = [
    "Entry",
    "TrackingController",
    "checked_numbers",
    "known_keys",
    "load_tracking",
    "number_lines",
    "parse_tracking",
    "print_tracking",
    "value_text",
]

DIGITS = 5
KEYS = ("name", "figure", "law", "about", "start", "entry", "settings", "ground", "gains", "fragments", "report")
_TEXTS = {"name": "", "figure": "mocap-biped", "about": ""}
"""Keys that hold text, and what they say where they are not given."""
LARGEST = 1e12
"""Of the numbers in a file: no mass, gain or length comes near it."""
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
        """The paper's steps: 900 a second, explicit."""
        return Integration(1.0 / 900.0, "explicit")

    @property
    def start(self) -> Start:
        """The first frame, moving as the first few do."""
        frames = self.repertoire.fragments[self.repertoire.start].frames
        ahead = min(START_FRAMES, len(frames) - 1)
        seconds = ahead * self.repertoire.settings.frame_time
        qpos, qvel = frames[0].copy(), frame_velocity(frames[0], frames[ahead], seconds)
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


def load_tracking(source: "str | Path | TrackingController") -> TrackingController:
    """A tracking controller by built-in name or from its file (a controller passes through); others are refused."""
    controller = load_controller(source)
    if not isinstance(controller, TrackingController):
        raise FootfallError(f"controller '{controller.name}' tracks no motion; its law is '{controller.law}'")
    return controller


def parse_tracking(text: str, where: str = "controller text") -> TrackingController:
    """A tracking controller from the text of its file."""
    data = parse_toml(text, where)
    known_keys(data, KEYS, where)
    if data.get("law") != "tracking":
        raise FootfallError(f'{where}: law is {data.get("law")!r}; a tracking controller says law = "tracking"')
    for key in ("name", "gains", "fragments"):
        if key not in data:
            raise FootfallError(f"{where}: '{key}' is missing")
    if not isinstance(data["gains"], list) or not isinstance(data["fragments"], list):
        raise FootfallError(f"{where}: write gains as [[gains]] and fragments as [[fragments]]")
    texts = {key: data.get(key, default) for key, default in _TEXTS.items()}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise FootfallError(f"{where}: {key} is {value!r}; it must be text")
    report = known_table(data.get("report", {}), f"{where}, [report]")
    fragments = tuple(_fragment(part, f"{where}, fragment {k}") for k, part in enumerate(data["fragments"]))
    gains = tuple(_numbers(part, Gains, f"{where}, gains {k}") for k, part in enumerate(data["gains"]))
    settings = _numbers(data.get("settings", {}), Settings, f"{where}, [settings]")
    entry = _numbers(data.get("entry", {}), Entry, f"{where}, [entry]")
    ground = checked_numbers(data.get("ground", {}), Ground, f"{where}, [ground]")
    try:
        repertoire = Repertoire(fragments, gains, settings, replace(PAPER_GROUND, **ground), data.get("start", 0))
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    return TrackingController(texts["name"], repertoire, texts["figure"], texts["about"], dict(report), entry)


def known_table(data: Any, where: str) -> Mapping[str, Any]:
    """Refuse what is no table."""
    if not isinstance(data, Mapping):
        raise FootfallError(f"{where}: it is {data!r:.40}; it must be a table")
    return data


def known_keys(data: Any, keys: tuple[str, ...], where: str) -> None:
    """Refuse what is no table, and keys that mean nothing."""
    known_table(data, where)
    for key in data:
        if key not in keys:
            raise FootfallError(f"{where}: {unknown_name('key', key, keys)}")


def checked_numbers(data: Mapping[str, Any], kind: type, where: str) -> dict[str, Any]:
    """A table of numbers that are attributes of a dataclass."""
    known_keys(data, tuple(f.name for f in fields(kind)), where)
    for key, value in data.items():
        number = isinstance(value, int | float) and abs(value) <= LARGEST
        if not (number or (key == "law" and isinstance(value, str))):
            raise FootfallError(f"{where}: {key} is {value!r:.40}; it must be a number")
    return dict(data)


def _numbers(data: Mapping[str, Any], kind: type, where: str) -> Any:
    try:
        return kind(**checked_numbers(data, kind, where))
    except FootfallError as error:
        raise FootfallError(str(error) if where in str(error) else f"{where}: {error}") from None


def _fragment(data: Mapping[str, Any], where: str) -> Fragment:
    known_keys(data, tuple(f.name for f in fields(Fragment)), where)
    if data.get("kind") not in KINDS:
        raise FootfallError(f"{where}: kind is {data.get('kind')!r}; choose one of: {', '.join(KINDS)}")
    try:
        frames = np.array(data["frames"], dtype=float)
        if frames.ndim != 2 or len(frames) < 2 or not (np.abs(frames) <= FARTHEST).all():
            raise ValueError
    except (KeyError, ValueError, TypeError, OverflowError):
        raise FootfallError(f"{where}: frames must be two or more lists of equally many numbers") from None
    if frames.shape[1] < 7 or frames.shape[1] % 4 != 3:
        raise FootfallError(f"{where}: a frame is three numbers of place, then unit quaternions")
    quaternions = frames[:, 3:].reshape(len(frames), -1, 4)
    lengths = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if np.any(np.abs(lengths - 1.0) > 0.01):
        raise FootfallError(f"{where}: a frame is three numbers of place, then unit quaternions")
    frames[:, 3:] = (quaternions / lengths).reshape(len(frames), -1)
    rest = {k: v for k, v in data.items() if k not in ("kind", "frames")}
    if "ground" not in rest:
        raise FootfallError(f"{where}: 'ground' is missing")
    return Fragment(str(data["kind"]), frames, **rest)


def print_tracking(controller: TrackingController) -> str:
    """The text of a controller's file."""
    repertoire = controller.repertoire
    lines = [f'name = "{controller.name}"', f'figure = "{controller.figure}"', 'law = "tracking"']
    if controller.about:
        lines.append("about = '''" + controller.about.replace("'''", "'") + "'''")
    if repertoire.start:
        lines.append(f"start = {repertoire.start}")
    for title, value, blank in (
        ("settings", repertoire.settings, Settings()),
        ("ground", repertoire.ground, PAPER_GROUND),
        ("entry", controller.entry, Entry()),
    ):
        lines += number_lines(title, value, blank)
    if controller.report:
        lines += [
            "",
            "[report]",
            *(f"{name} = {value_text(v)}" for name, v in controller.report.items() if v is not None),
        ]
    for gains in repertoire.gains:
        lines += ["", "[[gains]]", *(f"{f.name} = {value_text(getattr(gains, f.name))}" for f in fields(gains))]
    for fragment in repertoire.fragments:
        lines += ["", "[[fragments]]", f'kind = "{fragment.kind}"', f"ground = {round(fragment.ground, DIGITS)}"]
        lines += [f"gains = {fragment.gains}", f"successor = {fragment.successor}", f"turn = {round(fragment.turn, 6)}"]
        lines.append("frames = [")
        lines += ["  [" + ", ".join(f"{x:.{DIGITS}g}" for x in frame) + "]," for frame in fragment.frames]
        lines.append("]")
    return "\n".join(lines) + "\n"


def number_lines(title: str, value: Any, blank: Any) -> list[str]:
    """A table of what differs from the defaults; none where nothing does."""
    pairs = [(f.name, getattr(value, f.name)) for f in fields(value)]
    own = [(name, v) for name, v in pairs if v != getattr(blank, name)]
    return ["", f"[{title}]", *(f"{name} = {value_text(v)}" for name, v in own)] if own else []


def value_text(value: Any) -> str:
    """A value as TOML writes it."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(round(value, 6))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {value_text(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(value_text(v) for v in value) + "]"
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
