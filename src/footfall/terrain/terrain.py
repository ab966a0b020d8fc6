"""Terrains: heights and normals for whoever asks, tables for the engine.

Grounds that vary along x alone: flat, slopes, steps, stairs, polylines, random steps. What is not flat starts ``start``
metres ahead of the walker. Edges of steps are ramps one centimetre long. And ground over a grid of heights, from an
array or a grey picture.

From words, as a command line takes them, ``NAME[:ARGS]`` or a file:

flat                            slope:DEGREES[,START[,LENGTH]]
steps:RISE[,RUN[,COUNT[,START]]]    stairs:[RISE[,RUN[,COUNT[,LANDING[,START]]]]]
downward, upward                the uneven grounds of SIMBICON and of Improving SIMBICON
random-steps:RISE[,LENGTH[,COUNT[,SEED[,START]]]]
heightfield:FILE[,LENGTH[,WIDTH[,HEIGHT[,X[,Y]]]]]
FILE.csv, FILE.txt              x z pairs; FILE.png a grey picture
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.text_files import read_text

Array = NDArray[np.float64]

EDGE = 0.01
"""Length of the ramp that stands for a step's vertical edge, m (as in the SIMBICON applet)."""
NEAREST, FARTHEST = 1e-6, 1e6
"""How near to each other vertices may be, and how far from the origin, m."""


class Terrain(ABC):
    """An immutable ground z = height(x, y). ``kind`` says which table describes it: none, ``profile`` or ``grid``."""

    kind: ClassVar[Literal["flat", "profile", "grid"]]

    @abstractmethod
    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Height of the ground at x, y (any shapes that broadcast), m."""

    @abstractmethod
    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """∂z/∂x and ∂z/∂y; at an edge of the table those of the side ahead."""

    def normal(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Upward unit normal [..., 3]."""
        along, across = self.gradient(x, y)
        vector = np.stack([0.0 - along, 0.0 - across, np.ones_like(along)], axis=-1)
        return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))

    def profile(self) -> tuple[Array, Array]:
        """(x [K], z [K]): a polyline with strictly increasing x that continues level beyond its ends."""
        raise FootfallError(
            f"terrain '{self}' varies with y: it has a grid and no profile, planar figures cannot use it"
        )

    def grid(self) -> tuple[Array, Array, Array]:
        """(origin [2], spacing [2], heights [NX, NY]): bilinear between nodes, its rim continues level beyond."""
        raise FootfallError(f"terrain '{self}' does not vary with y: it has a profile and no grid")


class TerrainLine(Terrain):
    """A terrain that varies with x alone; as text it is the words that :func:`parse_terrain` reads back."""

    kind: ClassVar[Literal["flat", "profile", "grid"]] = "profile"
    word: ClassVar[str] = ""
    limits: ClassVar[Mapping[str, tuple[float, float, str]]] = {}
    """The least and the most that a number may be, and its unit."""

    def __post_init__(self) -> None:
        for name, (least, most, unit) in self.limits.items():
            _need(least <= getattr(self, name) <= most, self, f"{name} is from {least:g} to {most:g} {unit}".rstrip())

    def __str__(self) -> str:
        values = ",".join(f"{v:.12g}" if isinstance(v, float) else str(v) for v in vars(self).values())
        return f"{self.word}:{values}" if values else self.word

    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Height at x, y, linear between the profile's vertices."""
        x, _ = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        return np.asarray(np.interp(x, *self.profile()))

    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Slope of the profile's segments, zero beyond the ends."""
        x, _ = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        xs, zs = self.profile()
        slopes = np.concatenate([[0.0], np.diff(zs) / np.diff(xs), [0.0]])
        along = slopes[np.searchsorted(xs, x, side="right")]
        return along, np.zeros_like(along)


def stack_profiles(terrains: Sequence[Terrain]) -> tuple[Array, Array]:
    """(x [W, K], z [W, K]): the profiles of W worlds' terrains.

    Shorter ones continue level beyond their last vertex, one metre per vertex, so that every row stays strictly
    increasing in x and describes the same ground as before.
    """
    if not terrains:
        raise FootfallError("terrains: one or more are needed, one for each world")
    profiles: dict[int, tuple[Array, Array]] = {}
    for world, terrain in enumerate(terrains):
        if terrain.kind == "grid":
            raise FootfallError(f"terrain '{terrain}' (world {world}) varies with y; worlds of their own have profiles")
        if id(terrain) not in profiles:
            profiles[id(terrain)] = terrain.profile()
    longest = max(len(x) for x, _ in profiles.values())
    for key, (x, z) in profiles.items():
        more = longest - len(x)
        profiles[key] = np.concatenate([x, x[-1] + 1.0 + np.arange(more)]), np.concatenate([z, np.repeat(z[-1], more)])
    rows = [profiles[id(terrain)] for terrain in terrains]
    return np.stack([x for x, _ in rows]), np.stack([z for _, z in rows])


LONGEST = 1000.0
"""One tread, m."""
ANYWHERE, TREAD, COUNT = (-FARTHEST, FARTHEST, "m"), (2 * EDGE, LONGEST, "m"), (1, 100_000, "")
"""Limits of positions and heights, of treads, of how many steps there are."""


@dataclass(frozen=True)
class TerrainFlat(TerrainLine):
    """Level ground at z = 0."""

    word = "flat"
    kind = "flat"

    def profile(self) -> tuple[Array, Array]:
        return np.array([0.0, 1.0]), np.zeros(2)


@dataclass(frozen=True)
class TerrainSlope(TerrainLine):
    """Ground that rises by ``degrees`` (falls, if negative) over ``length`` metres."""

    word = "slope"
    degrees: float
    start: float = 2.0
    length: float = 200.0
    limits: ClassVar = {"degrees": (-60.0, 60.0, ""), "length": (EDGE, FARTHEST, "m"), "start": ANYWHERE}

    def profile(self) -> tuple[Array, Array]:
        rise = self.length * np.tan(np.radians(self.degrees))
        return np.array([self.start, self.start + self.length]), np.array([0.0, rise])


@dataclass(frozen=True)
class TerrainSteps(TerrainLine):
    """``count`` steps of ``rise`` metres (down, if negative), ``run`` metres apart."""

    word = "steps"
    rise: float
    run: float = 1.2
    count: int = 10
    start: float = 2.0
    limits: ClassVar = {"rise": ANYWHERE, "start": ANYWHERE, "count": COUNT, "run": TREAD}

    def profile(self) -> tuple[Array, Array]:
        edges = self.start + self.run * np.arange(self.count)
        return _edges(edges, self.rise * np.arange(self.count + 1))


@dataclass(frozen=True)
class TerrainStairs(TerrainLine):
    """A flight of ``count`` stairs up, a landing, and the same flight down (first down, with a negative ``rise``)."""

    word = "stairs"
    rise: float = 0.17
    run: float = 0.28
    count: int = 10
    landing: float = 2.0
    start: float = 2.0
    limits: ClassVar = {"rise": ANYWHERE, "start": ANYWHERE, "count": COUNT, "run": TREAD, "landing": TREAD}

    def profile(self) -> tuple[Array, Array]:
        up = self.start + self.run * np.arange(self.count)
        down = up[-1] + self.landing + self.run * np.arange(self.count)
        levels = self.rise * np.concatenate([np.arange(self.count + 1), np.arange(self.count - 1, -1, -1)])
        return _edges(np.concatenate([up, down]), levels)


@dataclass(frozen=True)
class TerrainRandomSteps(TerrainLine):
    """``count`` steps, each up or down by at most ``rise``, on treads of about ``length`` metres.

    Rises are uniform in ±rise, treads uniform from half to one and a half of ``length``.
    """

    word = "random-steps"
    rise: float
    length: float = 1.0
    count: int = 100
    seed: int = 0
    start: float = 2.0

    limits: ClassVar = {
        "rise": (0.0, FARTHEST, "m"),
        "start": ANYWHERE,
        "count": COUNT,
        "length": (4 * EDGE, LONGEST, "m"),
        "seed": (0, math.inf, ""),
    }

    def profile(self) -> tuple[Array, Array]:
        rng = np.random.default_rng(self.seed)
        treads = self.length * rng.uniform(0.5, 1.5, self.count)
        most = abs(self.rise)  # -0.0 would be refused
        rises = rng.uniform(-most, most, self.count)
        edges = self.start + np.concatenate([[0.0], np.cumsum(treads[:-1])])
        return _edges(edges, np.concatenate([[0.0], np.cumsum(rises)]))


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
        rows: list[tuple[float, float]] = []
        for number, line in enumerate(read_text(path, "terrain file").splitlines(), start=1):
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


MOST_CELLS = 100_000_000
"""Heights of one terrain."""


@dataclass(frozen=True, eq=False)
class TerrainHeightField(Terrain):
    """Heights [NX, NY] over a rectangle, bilinear between nodes; beyond its rim the rim's height continues."""

    kind = "grid"

    heights: ArrayLike
    """[NX, NY], first index along x (forward), second along y (left), m."""
    size: tuple[float, float]
    """Of the rectangle along x and y, m."""
    origin: tuple[float, float]
    """x, y of node [0, 0]."""
    name: str = "heightfield"
    _table: tuple[Array, Array, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > MOST_CELLS:
            raise FootfallError(f"terrain '{self.name}': heights are 2 x 2 to {MOST_CELLS} in all, not {heights.shape}")
        if not (np.abs(heights) <= FARTHEST).all():
            raise FootfallError(f"terrain '{self.name}': heights are within ±{FARTHEST:g} m")
        if len(self.origin) != 2 or not (np.abs(self.origin) <= FARTHEST).all():
            raise FootfallError(f"terrain '{self.name}': origin is two numbers within ±{FARTHEST:g}, not {self.origin}")
        spacing = np.array(self.size) / (np.array(heights.shape) - 1)
        if spacing.shape != (2,) or not ((spacing >= NEAREST) & (np.array(self.size) <= FARTHEST)).all():
            raise FootfallError(f"terrain '{self.name}': size is two lengths of up to {FARTHEST:g} m, not {self.size}")
        table = (np.array(self.origin, dtype=np.float64), spacing, heights)
        for array in table:
            array.setflags(write=False)
        object.__setattr__(self, "_table", table)

    @classmethod
    def load(
        cls,
        path: str | Path,
        length: float | None = None,
        width: float | None = None,
        height: float = 0.3,
        x: float = -1.0,
        y: float | None = None,
    ) -> "TerrainHeightField":
        """A grey picture: black is 0, white is ``height``; it is seen from above with forward to the right.

        Args:
            path: the picture.
            length: of the picture along x, m; 5 cm a pixel if None.
            width: along y, m; in proportion to ``length`` if None.
            height: of white, m.
            x: of the left edge, m.
            y: of the lower edge, m; the picture is centred on y = 0 if None.
        """
        from PIL import Image, UnidentifiedImageError

        try:
            with Image.open(path) as image:
                deep = image.mode.startswith("I")
                pixels = np.asarray(image if deep else image.convert("L"), dtype=np.float64)
        except UnidentifiedImageError as error:
            raise FootfallError(f"terrain picture {path} is not a picture") from error
        except OSError as error:
            raise FootfallError(f"terrain picture {path} cannot be read: {error.strerror or error}") from error
        except Exception as error:  # each of Pillow's readers has its own for a damaged file
            raise FootfallError(f"terrain picture {path} cannot be read: {error}") from error
        heights = height * pixels[::-1].T / (65535.0 if deep else 255.0)
        if min(heights.shape) < 2:
            raise FootfallError(f"terrain picture {path} is {heights.shape}; it needs 2 x 2 pixels or more")
        length = 0.05 * (heights.shape[0] - 1) if length is None else length
        width = length * (heights.shape[1] - 1) / (heights.shape[0] - 1) if width is None else width
        return cls(heights, (length, width), (x, -width / 2.0 if y is None else y), str(path))

    def grid(self) -> tuple[Array, Array, Array]:
        return self._table

    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Bilinear between the four nodes around."""
        (a, b, c, d), u, v, _, _ = self._cell(x, y)
        return np.asarray((a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v)

    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Of the bilinear patch, zero across the rim outside."""
        (a, b, c, d), u, v, inside_x, inside_y = self._cell(x, y)
        dx, dy = self._table[1]
        along = ((b - a) * (1 - v) + (d - c) * v) / dx * inside_x
        across = ((c - a) * (1 - u) + (d - b) * u) / dy * inside_y
        return along, across

    def _cell(self, x: ArrayLike, y: ArrayLike) -> tuple[tuple[Array, ...], Array, Array, Array, Array]:
        """The heights at a cell's corners (00, 10, 01, 11), the position in it, and whether x and y are inside."""
        origin, spacing, heights = self._table
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        s, t = (x - origin[0]) / spacing[0], (y - origin[1]) / spacing[1]
        last_x, last_y = heights.shape[0] - 1, heights.shape[1] - 1
        i = np.clip(np.floor(s).astype(np.intp), 0, last_x - 1)
        j = np.clip(np.floor(t).astype(np.intp), 0, last_y - 1)
        u, v = np.clip(s - i, 0.0, 1.0), np.clip(t - j, 0.0, 1.0)
        corners = heights[i, j], heights[i + 1, j], heights[i, j + 1], heights[i + 1, j + 1]
        return corners, u, v, (s >= 0.0) & (s < last_x), (t >= 0.0) & (t < last_y)

    def __str__(self) -> str:
        return self.name


_LIBRARY = Path(__file__).parent / "library"
_LINES: tuple[Any, ...] = (TerrainFlat, TerrainSlope, TerrainSteps, TerrainStairs, TerrainRandomSteps)
_MAKERS: dict[str, Any] = {kind.word: kind for kind in _LINES} | {"heightfield": TerrainHeightField.load}
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


def terrain_names() -> tuple[str, ...]:
    """Names that ``parse_terrain`` knows."""
    *lines, picture = _MAKERS
    return (*lines, *sorted(path.stem for path in _LIBRARY.glob("*.csv")), picture)


def parse_terrain(text: str, seed: int = 0) -> Terrain:
    """The terrain that ``text`` names.

    Args:
        text: ``NAME[:ARGS]`` or a file, see above.
        seed: for random terrain that does not name its own.
    """
    name, _, rest = text.partition(":")
    arguments = [word.strip() for word in rest.split(",")] if rest.strip() else []
    if name in _MAKERS:
        return _made(name, arguments, text, seed)
    if name in terrain_names():
        if arguments:
            raise FootfallError(f"terrain '{text}': {name} takes no arguments")
        return dataclasses.replace(TerrainProfile.load(_LIBRARY / f"{name}.csv"), name=name)
    path = Path(text)
    if path.suffix.lower() in (".csv", ".txt"):
        return TerrainProfile.load(path)
    if path.suffix.lower() in _PICTURES:
        return TerrainHeightField.load(path)
    raise unknown_name("terrain", name, terrain_names())


def _made(name: str, words: list[str], text: str, seed: int) -> Terrain:
    places = list(signature(_MAKERS[name]).parameters.values())
    needed = sum(place.default is place.empty for place in places)
    if not needed <= len(words) <= len(places):
        names = ["FILE" if place.annotation == str | Path else place.name.upper() for place in places]
        form = "".join(
            ("" if i == 0 else ",") + own if i < needed else f"[{',' if i else ''}{own}" for i, own in enumerate(names)
        ) + "]" * (len(names) - needed)
        raise FootfallError(f"terrain '{text}': write {name}{':' if names else ''}{form}")
    values = {place.name: _value(word, place.annotation, place.name, text) for word, place in zip(words, places)}
    if name == "random-steps":
        values.setdefault("seed", seed)
    terrain: Terrain = _MAKERS[name](**values)
    return terrain


def _value(word: str, kind: Any, what: str, text: str) -> Any:
    if kind == str | Path:
        return word
    try:
        return int(word) if kind is int else float(word)
    except ValueError:
        number = "whole number" if kind is int else "number"
        raise FootfallError(f"terrain '{text}': {what} '{word}' is not a {number}") from None
