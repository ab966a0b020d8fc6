"""What a small TOML file beside a model overrules: ``g1.footfall.toml`` beside ``g1.xml``.

up = "z"                  the axis of the file's world that is up when its pose stands
forward = "x"             the way it looks: x, -x, y or -y
weld = ["*_wrist_*"]      joints of the file that do not move any more, by name or pattern
symmetric = true          false: left and right stay as they are
soles = [-0.05, 0.15, 0.08, 0.06]   heel and toe ahead of the ankle, width, depth below the ankle, metres
[names]                   joints of the file -> footfall's names
left_hip_p = "left_hip_pitch"
[torque_limits]           joints of the file (or patterns) -> newton metres
[speed_limits]            joints of the file (or patterns) -> rad/s at which a motor gives no torque any more
[masses]                  bodies of the file (or patterns) -> kilograms (the inertia follows)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from footfall.errors import FootfallError, unknown_name
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import read_table

AXES = ("z", "y", "x", "-x", "-y")
WAYS = ("x", "-x", "y", "-y")


@dataclass(frozen=True)
class Overrules:
    """See the module."""

    up: str = ""
    forward: str = ""
    weld: tuple[str, ...] = ()
    symmetric: bool = True
    soles: tuple[float, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    speed_limits: Mapping[str, float] = field(default_factory=dict)
    masses: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.up and self.up not in AXES:
            raise FootfallError(f"up is '{self.up}'; it is one of {', '.join(AXES)}")
        if self.forward and self.forward not in WAYS:
            raise FootfallError(f"forward is '{self.forward}'; it is one of {', '.join(WAYS)}")
        if self.soles and (len(self.soles) != 4 or not self.soles[0] <= self.soles[1] or min(self.soles[2:]) < 0):
            raise FootfallError(
                f"soles is {list(self.soles)}; give heel, toe (ahead of the ankle), width and depth, metres"
            )
        for what in ("torque_limits", "speed_limits", "masses"):
            for name, value in getattr(self, what).items():
                if not value > 0:
                    raise FootfallError(f"{what}.{name} is {value:g}; it must be above zero")


def overrules_beside(path: Path) -> Path:
    """The file that overrules what is found in a model."""
    return path.with_name(f"{path.stem}.footfall.toml")


def read_overrules(path: Path) -> Overrules:
    """The overrules beside a model; none where there is no such file."""
    beside = overrules_beside(path)
    if not beside.is_file():
        return Overrules()
    return read_table(parse_toml(read_text(beside), str(beside)), Overrules, str(beside))


def matching(patterns: Mapping[str, float] | tuple[str, ...], names: list[str], what: str) -> dict[str, str]:
    """Names -> the pattern that fits, the last one wins; a pattern that fits none is an error."""
    found: dict[str, str] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            raise unknown_name(what, pattern, names)
        found.update(dict.fromkeys(fitting, pattern))
    return found
