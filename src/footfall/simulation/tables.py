"""What worlds are made of, as tables on a device: bodies, parameters, grounds, terrains and pushes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.lying import skin_rows
from footfall.dynamics.mechanism import body_rows
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.push import Push
from footfall.simulation.device import rows_to_device, to_device
from footfall.simulation.hardware import Hardware
from footfall.simulation.inputs import check_worlds, push_tables
from footfall.terrain import Terrain


class Tables:
    """Tables with one row for all worlds, or one for each.

    Args:
        figure: what moves. worlds: how many. dt: step, seconds. real: the scalar type. device: where the tables are.

    Attributes:
        body, parameters, ground, terrain: [1 or N, …] numbers that the figure, the law, the ground and the terrain
            read.
        library: [rows, columns] numbers that the law reads and all worlds share.
        hardware: every, noise, key and motors (see :class:`Hardware`).
        pushing: windows [1 or N, K, 2], forces [1 or N, K, 3] and places [K] of K pushes.
    """

    def __init__(self, figure: Figure, worlds: int, dt: float, real: Any, device: Any) -> None:
        self.figure = figure
        self.worlds, self.dt, self.real, self.device = worlds, dt, real, device

    def fill(
        self,
        body: BodyParameters | None,
        gravity: NDArray[np.float64],
        grounds: Sequence[Ground],
        terrains: Sequence[Terrain],
    ) -> None:
        """Replace bodies, grounds and terrains; if one is wrong, none."""
        check_worlds("terrain", len(terrains), self.worlds)
        check_worlds("ground", len(grounds), self.worlds)
        if len({g.law for g in grounds}) > 1:
            raise FootfallError("ground: all worlds need the same contact law")
        if body is not None:
            check_worlds("body", body.worlds, self.worlds)
        self.body = self._rows(np.zeros((1, 1)) if body is None else body_rows(body, gravity))
        self._stretched = body
        self.ground = to_device(np.array([g.row() for g in grounds]), self.real, self.device)
        self.terrain = self._rows(terrain_table(terrains)[1])

    def set_parameters(self, rows: ArrayLike, which: ArrayLike | None = None) -> None:
        """[1 or N, NP] what the law reads; or [R, NP] with the row of each world [N]."""
        self.parameters = rows_to_device(rows, self.real, self.device, which)

    def set_library(self, numbers: ArrayLike) -> None:
        """[rows, columns] what the law reads and all worlds share."""
        self.library = to_device(numbers, self.real, self.device)

    def set_hardware(self, hardware: Hardware) -> None:
        """What is between the law and the body."""
        self.hardware = hardware.tables(self.real, self.device)

    def set_pushes(self, pushes: Sequence[Push]) -> None:
        """Timed forces."""
        windows, forces, places = push_tables(pushes, self.figure, self.worlds, self.dt)
        self.pushing = [to_device(table, self.real, self.device) for table in (windows, forces)]
        self.pushing.append(to_device(places, wp.int32, self.device))

    @property
    def skin(self) -> Any:
        """[1 or N, …] the balls of the figure's skin, for worlds that have fallen."""
        return self._rows(skin_rows(self.figure.skin, self._stretched))

    @property
    def rows(self) -> tuple[Any, Any, Any, Any]:
        """Those that may have a row for each world."""
        return self.body, self.parameters, self.ground, self.terrain

    def _rows(self, rows: ArrayLike) -> Any:
        return rows_to_device(rows, self.real, self.device)
