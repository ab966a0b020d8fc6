"""What a studio's walker stands on and carries: numbers that may change while it walks."""

import math
from dataclasses import dataclass, replace
from typing import Any

from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.simulation.limit_cycle import THESIS_GROUND
from footfall.terrain import Terrain, TerrainProfile, parse_terrain

__all__ = ["Setting"]

LOCAL_FILES = (".csv", ".txt", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


@dataclass(frozen=True)
class Setting:
    """The world around the walker.

    Attributes:
        terrain: in the words of :func:`footfall.terrain.parse_terrain`, files excepted.
        place: where its origin lies, (x, z) in metres: it begins ahead of a walker that is under way.
        friction: μ of the ground. gravity: m/s², downward. load: kilograms on the torso.
        soft: whether the ground is as soft as that of paper 002.
    """

    terrain: str = "flat"
    place: tuple[float, float] = (0.0, 0.0)
    friction: float = 0.65
    gravity: float = 9.81
    load: float = 0.0
    soft: bool = False

    def __post_init__(self) -> None:
        for name, most in (("friction", 10.0), ("gravity", 100.0), ("load", 1000.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= most):
                raise FootfallError(f"{name} is {value}; it must lie between 0 and {most:g}")
        if self.terrain.startswith("heightfield") or self.terrain.lower().endswith(LOCAL_FILES):
            raise FootfallError(f"terrain '{self.terrain}': the studio opens no terrain files; name a built-in terrain")

    def changed(self, **parts: Any) -> "Setting":
        """A copy with some attributes replaced."""
        return replace(self, **parts)

    def make_terrain(self) -> Terrain:
        """The terrain; always a profile, so that another one needs no other kernel."""
        terrain = parse_terrain(self.terrain)
        if terrain.kind == "grid":
            return terrain
        x, z = terrain.profile()
        name = "flat" if terrain.kind == "flat" else self.terrain
        return TerrainProfile(x + self.place[0], z + self.place[1], name=name)

    def make_ground(self) -> Ground:
        """Hardness and friction."""
        return replace(THESIS_GROUND if self.soft else Ground(), friction=self.friction)

    def on_soft_ground(self, soft: bool) -> "Setting":
        """The ground of paper 002 with its friction, or the usual one with its own; as it is if it is that already."""
        if soft == self.soft:
            return self
        return self.changed(soft=soft, friction=THESIS_GROUND.friction if soft else Setting.friction)

    def make_figure(self, figure: Figure) -> Figure:
        """The figure under this gravity."""
        model = figure.model.__copy__()
        model.opt.gravity[:] = (0.0, 0.0, -self.gravity)
        return replace(figure, model=model)

    def make_body(self, figure: Figure) -> BodyParameters:
        """The bodies with the load."""
        return figure.body_parameters().with_load(figure.torso, self.load)
