"""Changing a simulation while it runs: parameters, pushes, ground, bodies and terrain, from the next step on."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.law import Law
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.push import Push, pushes_of
from footfall.simulation import inputs
from footfall.simulation.tables import Tables
from footfall.terrain import Terrain


class ChangingWorlds:
    """The part of a simulation that replaces what its worlds are made of."""

    figure: Figure
    law: Law
    worlds: int
    pushes: tuple[Push, ...]
    gravity: NDArray[np.float64]
    _tables: Tables

    def _build(self) -> None:
        """Tables, kernel and start for the body, ground and terrain as they are now."""
        raise NotImplementedError

    def set(self, parameters: Mapping[str, ArrayLike]) -> None:
        """Set controller parameters by name, each a number or [N]; they act from the next step on."""
        if not parameters:
            return
        differ = any(np.ndim(v) > 0 and np.size(v) > 1 for v in parameters.values())
        base = self._rows if self._which is None else self._rows[self._which]
        rows = np.tile(base, (self.worlds if differ and len(base) == 1 else 1, 1))
        self.set_parameters(self.law.applied(rows, dict(parameters)))

    def set_parameters(self, rows: ArrayLike, which: ArrayLike | None = None) -> None:
        """Replace the numbers that the law reads; they act from the next step on.

        Args:
            rows: [1 or N, NP], or [R, NP] with ``which``.
            which: [N] the row that each world reads.
        """
        array, chosen = inputs.rows_of(rows, which, self.worlds, self.law)
        self._rows: NDArray[np.float64] = array
        self._which: NDArray[np.int64] | None = chosen
        self._tables.set_parameters(array, chosen)

    def set_library(self, numbers: ArrayLike) -> None:
        """[rows, columns] numbers that the law reads and all worlds share, in place of the law's own."""
        self.law.check_library(np.asarray(numbers, dtype=float))
        self._tables.set_library(numbers)

    def set_pushes(self, pushes: Sequence[Push | str]) -> None:
        """Replace the pushes; they act at the places of those given at the start, or at the usual one."""
        given = pushes_of(pushes)
        old, new = (inputs.push_places(each, self.figure) for each in (self.pushes, given))
        if old != new:
            raise FootfallError(f"pushes: their places must be those given at the start, {old}; they are {new}")
        self.pushes = given
        self._tables.set_pushes(self.pushes)

    def set_ground(self, ground: Ground | Sequence[Ground]) -> None:
        """Replace the ground, one for all worlds or one each, from the next step on; a new contact law is compiled."""
        self._replace(grounds=inputs.grounds_of(ground))

    def set_body(self, body: BodyParameters | None, *, gravity: ArrayLike | None = None) -> None:
        """Replace the bodies' sizes and masses, [1 or N] worlds, and gravity [3], from the next step on; sizes are
        compiled in until they are first set, then a kernel reads them from a table.

        Args:
            body: sizes and masses; None for the figure's own.
            gravity: metres per second squared, in world axes; by default as it is.
        """
        pull = self.gravity if gravity is None else np.asarray(gravity, dtype=float)
        if pull.shape != (3,) or not np.isfinite(pull).all():
            raise FootfallError(f"gravity is {gravity!r}; give three finite numbers, as in (0, 0, -9.81)")
        if body is None and not np.array_equal(pull, self.figure.model.opt.gravity):
            body = self.figure.body_parameters()
        self._replace(body=body, gravity=pull)

    def set_terrain(self, terrain: str | Terrain | Sequence[Terrain]) -> None:
        """Replace the terrain, one for all worlds or one each; it acts from the next step on."""
        self._replace(terrains=inputs.terrains_of(terrain))

    def _replace(self, **new: Any) -> None:
        """Replace what the worlds are made of; on an error everything stays as it was."""
        old = {name: getattr(self, name) for name in new}
        vars(self).update(new)
        try:
            self._build()
        except FootfallError:
            vars(self).update(old)
            self._build()
            raise
