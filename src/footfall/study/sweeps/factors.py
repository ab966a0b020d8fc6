"""Factors: what a study varies.

    NAME=LOW:HIGH:COUNT          an even grid, both ends included
    NAME=a,b,c                   these values
    NAME~uniform(low,high)       drawn at random, as are
    NAME~normal(mean,sd)
    NAME~loguniform(low,high)

Grids multiply; random factors are drawn together, ``samples`` times, and the same draws serve every point of the grid.

The units of what a study varies, by name.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import described_numbers
from footfall.errors import MOST_CANDIDATES, MOST_SEED, FootfallError, check_whole, unknown_name

Array = NDArray[np.float64]

_FORM = "write NAME=LOW:HIGH:COUNT, NAME=a,b,c or NAME~uniform(low,high)"
_KINDS = ("uniform", "normal", "loguniform")
MOST_WORLDS = 1 << 31


@dataclass(frozen=True)
class Grid:
    """A name with the values it takes, in any sequence or array of numbers."""

    name: str
    values: Sequence[float]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=float)
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise FootfallError(f"grid '{self.name}': give a list of finite numbers, as in np.linspace(0, 0.6, 61)")
        object.__setattr__(self, "values", tuple(values.tolist()))


@dataclass(frozen=True)
class Draw:
    """A name drawn at random: uniform from ``a`` to ``b`` (in the logarithm, for "loguniform"), or normal with mean
    ``a`` and standard deviation ``b``."""

    name: str
    kind: str
    a: float
    b: float

    def __post_init__(self) -> None:
        where, kind, a, b = f"draw '{self.name}'", self.kind, self.a, self.b
        if kind not in _KINDS:
            raise FootfallError(f"{where}: {unknown_name('distribution', str(kind), _KINDS)}")
        if not (math.isfinite(a) and math.isfinite(b)):
            raise FootfallError(f"{where}: {kind}({a:g},{b:g}); its numbers must be finite")
        if (kind == "normal" and b < 0) or (kind != "normal" and not a <= b) or (kind == "loguniform" and a <= 0):
            rule = {"normal": "sd is at least 0", "uniform": "low ≤ high", "loguniform": "0 < low ≤ high"}[kind]
            raise FootfallError(f"{where}: {kind} needs {rule}")

    def take(self, rng: np.random.Generator, count: int) -> Array:
        """[count] values."""
        if self.kind == "normal":
            return rng.normal(self.a, self.b, count)
        if self.kind == "loguniform":
            return np.asarray(np.exp(rng.uniform(math.log(self.a), math.log(self.b), count)))
        return rng.uniform(self.a, self.b, count)


def parse_factor(text: str) -> Grid | Draw:
    """A factor from text as above."""
    name, sign, rest = re.fullmatch(r"([^=~]*)([=~]?)(.*)", text.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
    name = name.strip()
    if not name or not sign or not rest.strip():
        raise FootfallError(f"factor '{text}': {_FORM}")
    if sign == "~":
        return _draw(name, rest.strip(), text)
    if ":" in rest:
        words = rest.split(":")
        if len(words) != 3:
            raise FootfallError(f"factor '{text}': {_FORM}")
        low, high = (_number(w, text) for w in words[:2])
        if not re.fullmatch(r"\s*\d+\s*", words[2]) or not words[2].strip().strip("0"):
            raise FootfallError(f"factor '{text}': its count is '{words[2]}'; it must be a whole number of at least 1")
        if len(words[2]) > 20 or int(words[2]) > MOST_CANDIDATES:
            raise FootfallError(
                f"factor '{text[:60]}': its count is {words[2].strip()[:20]}; a factor has at most {MOST_CANDIDATES} "
                f"values, so write {name}={words[0]}:{words[1]}:COUNT with a COUNT from 1 to {MOST_CANDIDATES}"
            )
        return Grid(name, tuple(float(v) for v in np.linspace(low, high, int(words[2]))))
    values = tuple(_number(w, text) for w in rest.split(","))
    if len(set(values)) < len(values):
        raise FootfallError(f"factor '{text}': a value is there twice")
    return Grid(name, values)


def axis_name(factor: str) -> str:
    """What a factor is called in a result, so that it can be written as a word in Python: ``push.force`` is
    ``push_force``, ``0.swing_hip.c_v`` is ``state_0_swing_hip_c_v``."""
    word = re.sub(r"\W", "_", factor)
    return f"state_{word}" if word[:1].isdigit() else word


def parse_assignment(text: str) -> tuple[str, float]:
    """A name held at one value: ``NAME=VALUE``."""
    name, sign, rest = text.partition("=")
    if not sign or not name.strip():
        raise FootfallError(f"'{text}': write NAME=VALUE")
    return name.strip(), _number(rest, text)


def _draw(name: str, rest: str, text: str) -> Draw:
    match = re.fullmatch(r"(\w+)\(([^,()]+),([^,()]+)\)", rest)
    if match is None:
        raise FootfallError(f"factor '{text}': {_FORM}")
    kind, a, b = match[1], _number(match[2], text), _number(match[3], text)
    try:
        return Draw(name, kind, a, b)
    except FootfallError as error:
        raise FootfallError(f"factor '{text}': {str(error).partition(': ')[2]}") from None


def _number(word: str, text: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise FootfallError(f"factor '{text}': '{word.strip()}' is not a number; {_FORM}") from None
    if not math.isfinite(value):
        raise FootfallError(f"factor '{text}': '{word.strip()}' is not finite")
    return value


@dataclass(frozen=True)
class Design:
    """All worlds of a study: the grids' product, times ``samples`` draws of the random factors.

    World number w of ``worlds`` is at ``np.unravel_index(w, shape)``.
    """

    grids: tuple[Grid, ...]
    draws: tuple[Draw, ...] = ()
    samples: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        names = [*(g.name for g in self.grids), *(d.name for d in self.draws)]
        for name in names:
            if names.count(name) > 1:
                raise FootfallError(f"factor '{name}' is given twice")
        if self.samples < 1:
            raise FootfallError(f"samples is {self.samples}; it must be at least 1")
        if self.samples > 1 and not self.draws:
            raise FootfallError("samples: nothing is drawn at random; give a factor such as NAME~uniform(low,high)")
        check_whole("seed", self.seed, 0, MOST_SEED)
        if math.prod(self.shape) > MOST_WORLDS:
            raise FootfallError(f"the design has {math.prod(self.shape)} worlds; at most {MOST_WORLDS} are possible")

    @classmethod
    def of(cls, factors: Sequence[Grid | Draw | str], samples: int = 1, seed: int = 0) -> "Design":
        """Factors in their order, as values or as text (``"swing_hip.c_v=0:0.6:61"``)."""
        factors = [parse_factor(f) if isinstance(f, str) else f for f in factors]
        grids = tuple(f for f in factors if isinstance(f, Grid))
        return cls(grids, tuple(f for f in factors if isinstance(f, Draw)), samples, seed)

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the axes: the grids, and "sample" where anything is drawn."""
        return (*(g.name for g in self.grids), *(("sample",) if self.draws else ()))

    @property
    def shape(self) -> tuple[int, ...]:
        """[dims]"""
        return (*(len(g.values) for g in self.grids), *((self.samples,) if self.draws else ()))

    @property
    def worlds(self) -> int:
        """How many worlds in all."""
        return math.prod(self.shape)

    def drawn(self) -> dict[str, Array]:
        """[samples] values of each random factor; they depend on the seed and the factor's name alone."""
        return {d.name: d.take(np.random.default_rng([self.seed, *d.name.encode()]), self.samples) for d in self.draws}

    def values(self, first: int, last: int) -> dict[str, Array]:
        """[last - first] values of every factor in a stretch of worlds."""
        if not self.shape:
            return {}
        places = np.unravel_index(np.arange(first, last), self.shape)
        values = {g.name: np.array(g.values)[at] for g, at in zip(self.grids, places)}
        if self.draws:
            values |= {name: taken[places[-1]] for name, taken in self.drawn().items()}
        return values


_UNITS = (
    (r"push\.force", "N"),
    (r"push\.(start|duration|every)|sensor_delay|actuator_delay|dt", "s"),
    (r"push\.(angle|elevation)", "°"),
    (r"control_rate", "1/s"),
    (r"motor_speed|noise\.(joint_speed|angular_velocity)", "rad/s"),
    (r"noise\.(joint_angle|orientation)", "rad"),
    (r"noise\.linear_velocity", "m/s"),
    (r"motor_torque|feedforward_limit", "N m"),
    (r"ground\.stiffness", "N/m"),
    (r"ground\.damping", "N s/m"),
    (r"start\.(noise|pitch|roll|yaw)|(.*\.)?(lower|upper)|hip_low|hip_high|feedforward_angle", "rad"),
    (r"reaction_(delay|duration)", "s"),
)


def factor_unit(name: str) -> str:
    """The unit of a factor; empty for a pure number and for what is not known here."""
    known = described_numbers().get(name.rpartition(".")[2].removeprefix("limit_"), {"unit": ""})
    return next((unit for pattern, unit in _UNITS if re.fullmatch(pattern, name)), known["unit"])


def labelled(name: str, unit: str) -> str:
    """A name with its unit, for an axis."""
    return f"{name} [{unit}]" if unit else name
