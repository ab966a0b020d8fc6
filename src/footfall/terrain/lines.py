"""Grounds that vary along x alone: flat, slopes, steps, stairs, polylines, random steps.

What is not flat starts ``start`` metres ahead of the walker. Edges of steps are ramps one centimetre long.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.terrain.terrain import EDGE, FARTHEST, NEAREST, Array, TerrainLine

MOST = 100_000
"""Steps of one terrain."""
LONGEST = 1000.0
"""One tread, m."""


@dataclass(frozen=True)
class TerrainFlat(TerrainLine):
    """Level ground at z = 0."""

    kind = "flat"

    def profile(self) -> tuple[Array, Array]:
        """Two vertices at height 0."""
        return np.array([0.0, 1.0]), np.zeros(2)

    def __str__(self) -> str:
        return "flat"


@dataclass(frozen=True)
class TerrainSlope(TerrainLine):
    """Ground that rises by ``degrees`` (falls, if negative) over ``length`` metres."""

    degrees: float
    start: float = 2.0
    length: float = 200.0

    def __post_init__(self) -> None:
        _need(-60.0 <= self.degrees <= 60.0, self, "degrees lie between -60 and 60")
        _need(EDGE <= self.length <= FARTHEST, self, f"length is from {EDGE} to {FARTHEST:g} m")
        _need_near(self, "start")

    def profile(self) -> tuple[Array, Array]:
        """Two vertices, foot and end of the slope."""
        rise = self.length * np.tan(np.radians(self.degrees))
        return np.array([self.start, self.start + self.length]), np.array([0.0, rise])

    def __str__(self) -> str:
        return _text("slope", self)


@dataclass(frozen=True)
class TerrainSteps(TerrainLine):
    """``count`` steps of ``rise`` metres (down, if negative), ``run`` metres apart."""

    rise: float
    run: float = 1.2
    count: int = 10
    start: float = 2.0

    def __post_init__(self) -> None:
        _need_near(self, "rise", "start")
        _need_count(self, self.count)
        _need(2 * EDGE <= self.run <= LONGEST, self, f"run is from {2 * EDGE} to {LONGEST:g} m")

    def profile(self) -> tuple[Array, Array]:
        """Two vertices for each edge."""
        edges = self.start + self.run * np.arange(self.count)
        return _edges(edges, self.rise * np.arange(self.count + 1))

    def __str__(self) -> str:
        return _text("steps", self)


@dataclass(frozen=True)
class TerrainStairs(TerrainLine):
    """A flight of ``count`` stairs up, a landing, and the same flight down (first down, with a negative ``rise``)."""

    rise: float = 0.17
    run: float = 0.28
    count: int = 10
    landing: float = 2.0
    start: float = 2.0

    def __post_init__(self) -> None:
        _need_near(self, "rise", "start")
        _need_count(self, self.count)
        _need(2 * EDGE <= self.run <= LONGEST, self, f"run is from {2 * EDGE} to {LONGEST:g} m")
        _need(2 * EDGE <= self.landing <= LONGEST, self, f"landing is from {2 * EDGE} to {LONGEST:g} m")

    def profile(self) -> tuple[Array, Array]:
        """Two vertices for each edge."""
        up = self.start + self.run * np.arange(self.count)
        down = up[-1] + self.landing + self.run * np.arange(self.count)
        levels = self.rise * np.concatenate([np.arange(self.count + 1), np.arange(self.count - 1, -1, -1)])
        return _edges(np.concatenate([up, down]), levels)

    def __str__(self) -> str:
        return _text("stairs", self)


@dataclass(frozen=True)
class TerrainRandomSteps(TerrainLine):
    """``count`` steps, each up or down by at most ``rise``, on treads of about ``length`` metres.

    Rises are uniform in ±rise, treads uniform from half to one and a half of ``length``.
    """

    rise: float
    length: float = 1.0
    count: int = 100
    seed: int = 0
    start: float = 2.0

    def __post_init__(self) -> None:
        _need_near(self, "rise", "start")
        _need_count(self, self.count)
        _need(self.rise >= 0.0 and self.seed >= 0, self, "rise and seed are zero or more")
        _need(4 * EDGE <= self.length <= LONGEST, self, f"length is from {4 * EDGE} to {LONGEST:g} m")

    def profile(self) -> tuple[Array, Array]:
        """Two vertices for each edge."""
        rng = np.random.default_rng(self.seed)
        treads = self.length * rng.uniform(0.5, 1.5, self.count)
        most = abs(self.rise)  # -0.0 would be refused
        rises = rng.uniform(-most, most, self.count)
        edges = self.start + np.concatenate([[0.0], np.cumsum(treads[:-1])])
        return _edges(edges, np.concatenate([[0.0], np.cumsum(rises)]))

    def __str__(self) -> str:
        return _text("random-steps", self)


@dataclass(frozen=True, eq=False)
class TerrainProfile(TerrainLine):
    """A polyline through (x, z), level beyond its ends."""

    x: ArrayLike
    z: ArrayLike
    name: str = "profile"
    _table: tuple[Array, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        x, z = (np.array(values, dtype=np.float64) for values in (self.x, self.z))
        _need(
            x.ndim == 1 and x.shape == z.shape and len(x) >= 2, self, "x and z are lists of two or more, equally long"
        )
        _need((np.abs([x, z]) <= FARTHEST).all(), self, f"x and z are within ±{FARTHEST:g} m")
        late = np.flatnonzero(np.diff(x) < NEAREST)
        if len(late):
            i = int(late[0])
            raise FootfallError(
                f"terrain '{self.name}': x goes from {x[i]:g} to {x[i + 1]:g} at vertex {i + 2}; it should increase "
                f"(write a vertical edge as a ramp of {EDGE:g} m)"
            )
        for table in (x, z):
            table.setflags(write=False)
        object.__setattr__(self, "_table", (x, z))

    @classmethod
    def load(cls, path: str | Path) -> "TerrainProfile":
        """Read x z pairs, one a line, separated by commas or blanks; # starts a comment."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise FootfallError(f"terrain file {path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise FootfallError(f"terrain file {path} is not text") from error
        rows: list[tuple[float, float]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.partition("#")[0].replace(",", " ").replace(";", " ").split()
            if not words or (not rows and [word.lower() for word in words] in (["x", "z"], ["x", "y"])):
                continue
            try:
                x, z = (float(word) for word in words)
            except ValueError:
                raise FootfallError(
                    f"{path} line {number}: '{line.strip()[:60]}' should be two numbers, x and z"
                ) from None
            rows.append((x, z))
        if len(rows) < 2:
            raise FootfallError(f"{path}: a terrain needs two or more lines of x and z")
        xs, zs = np.transpose(rows)
        return cls(xs, zs, str(path))

    def profile(self) -> tuple[Array, Array]:
        """The polyline."""
        return self._table

    def __str__(self) -> str:
        return self.name


def _edges(edges: NDArray[np.floating], levels: NDArray[np.floating]) -> tuple[Array, Array]:
    """Vertices of a staircase: ``edges`` [K] where ramps begin, ``levels`` [K + 1] between them."""
    x = np.stack([edges, edges + EDGE], axis=-1).ravel()
    z = np.stack([levels[:-1], levels[1:]], axis=-1).ravel()
    return np.asarray(x, dtype=np.float64), np.asarray(z + 0.0, dtype=np.float64)


def _need(holds: bool | np.bool_, terrain: TerrainLine, what: str) -> None:
    if not holds:
        raise FootfallError(f"terrain '{terrain}': {what}")


def _need_near(terrain: TerrainLine, *names: str) -> None:
    for name in names:
        _need(abs(getattr(terrain, name)) <= FARTHEST, terrain, f"{name} is within ±{FARTHEST:g} m")


def _need_count(terrain: TerrainLine, count: int) -> None:
    _need(1 <= count <= MOST, terrain, f"count is from 1 to {MOST}")


def _text(name: str, terrain: TerrainLine) -> str:
    """The words that ``parse_terrain`` reads back."""
    values: Sequence[float] = list(vars(terrain).values())
    return f"{name}:{','.join(f'{v:.12g}' if isinstance(v, float) else str(v) for v in values)}"
