"""What a studio's walker stands on, carries and is pushed by: numbers that may change while it walks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.simulation import Push
from footfall.terrain import Terrain, TerrainHeightField, TerrainProfile, parse_terrain

Array = NDArray[np.float64]
NEVER = 1e9


class Forces:
    """Pushes on the torso and a pull at one body of a figure.

    Attributes:
        idle: a push of no force for the torso and for every body, so that a simulation has room for those to come.
    """

    def __init__(self, figure: Figure) -> None:
        coms: dict[str, Any] = {b.name: tuple(float(x) for x in b.com) for b in figure.bodies}
        self.idle = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, coms.get(body)) for body in ("", *coms)]
        self.clear()

    def clear(self) -> None:
        self._timed: list[tuple[Push, float, float]] = []
        self._pull: tuple[str, Array] | None = None

    def push(self, force: Sequence[float], start: float, seconds: float) -> None:
        """A push on the torso, newtons in world axes."""
        self._timed = [p for p in self._timed if p[2] > start - 1.0]
        push = Push(tuple(float(x) for x in force), start, float(seconds))
        self._timed.append((push, start, start + float(seconds)))

    def pull(self, body: str, force: Array | None) -> None:
        """A force at a body's centre of mass until it is replaced; None to let go."""
        self._pull = None if force is None else (body, np.asarray(force, dtype=float))

    def pushes(self) -> list[Push]:
        """What acts on the simulation, body by body."""
        pushes: list[Push] = []
        for idle in self.idle:
            if not idle.body:
                pushes += [p for p, _, _ in self._timed] or [idle]
            elif self._pull is not None and idle.body == self._pull[0]:
                pushes.append(Push(tuple(self._pull[1]), 0.0, NEVER, idle.body, idle.place))
            else:
                pushes.append(idle)
        return pushes

    def at(self, time: float) -> Array:
        """[3] the sum of the forces that act at a time."""
        total = np.zeros(3)
        for push, start, end in self._timed:
            if start <= time < end:
                total += np.asarray(push.force, dtype=float)
        return total if self._pull is None else total + self._pull[1]


STRAIGHT = math.radians(3.0)
REACH, SPACING = 40.0, 0.08
"""Metres: how far terrain along another heading than x reaches around its origin, and how fine its grid is."""
USUAL = Ground()
LOCAL_FILES = (".csv", ".txt", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


@dataclass(frozen=True)
class Setting:
    """The world around the walker.

    Attributes:
        terrain: in the words of :func:`footfall.terrain.parse_terrain`, files excepted.
        place: where its origin lies, (x, y, z) in metres: it begins ahead of a walker that is under way.
        heading: along which way it runs, radians from the world's x to its y.
        friction: μ of the ground.
        gravity: m/s², downward.
        load: kilograms on the torso.
        hardness: the ground whose stiffness, damping and contact law it has.
    """

    terrain: str = "flat"
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    heading: float = 0.0
    friction: float = 0.65
    gravity: float = 9.8
    load: float = 0.0
    hardness: Ground = USUAL

    def __post_init__(self) -> None:
        for name, most in (("friction", 10.0), ("gravity", 100.0), ("load", 1000.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= most):
                raise FootfallError(f"{name} is {value}; it must lie between 0 and {most:g}")
        if self.terrain.startswith("heightfield") or self.terrain.lower().endswith(LOCAL_FILES):
            raise FootfallError(f"terrain '{self.terrain}': the studio opens no terrain files; name a built-in terrain")

    def changed(self, **parts: Any) -> "Setting":
        return replace(self, **parts)

    @property
    def turned(self) -> bool:
        """Whether the terrain runs along another way than the world's x; its heights then lie on a grid."""
        return self.terrain != "flat" and abs(self.heading) > STRAIGHT

    def make_terrain(self) -> Terrain:
        """The terrain. One along the world's x is always a profile, so that another one needs no other kernel."""
        terrain = parse_terrain(self.terrain)
        if terrain.kind == "grid":
            return terrain
        x, z = terrain.profile()
        if not self.turned:
            name = "flat" if terrain.kind == "flat" else self.terrain
            return TerrainProfile(x + self.place[0], z + self.place[2], name=name)
        ticks = np.arange(-REACH, REACH + 0.5 * SPACING, SPACING)
        gx, gy = np.meshgrid(ticks, ticks, indexing="ij")
        along = gx * math.cos(self.heading) + gy * math.sin(self.heading)
        heights = np.asarray(terrain.height(along)) + self.place[2]
        size = float(ticks[-1] - ticks[0])
        origin = (self.place[0] - REACH, self.place[1] - REACH)
        return TerrainHeightField(heights, (size, size), origin, name=self.terrain)

    def make_ground(self) -> Ground:
        return replace(self.hardness, friction=self.friction)

    def on_ground(self, ground: Ground) -> "Setting":
        return self if ground == self.hardness else self.changed(hardness=ground, friction=ground.friction)

    def make_figure(self, figure: Figure) -> Figure:
        model = figure.model.__copy__()
        model.opt.gravity[:] = (0.0, 0.0, -self.gravity)
        return replace(figure, model=model)

    def make_body(self, figure: Figure) -> BodyParameters:
        return figure.body_parameters().with_load(figure.torso, self.load)
