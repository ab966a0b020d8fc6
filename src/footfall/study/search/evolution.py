"""The one driver of all searches by CMA-ES: covariance matrix adaptation (Hansen; the package ``cma``).

A search asks for the candidates of a generation, measures them as worlds side by side, and tells what they cost:

    evolution = Evolution(0.1, population=16, seed=1, boxed=True)
    evolution.begin(origin)
    for points in evolution.generations(60):
        costs = measured(points)
        evolution.tell(costs)
        evolution.consider(points, costs)
    evolution.best, evolution.least

The same seed and the same costs give the same candidates. So a search whose costs were noted (:class:`Checkpoint`)
continues exactly where it was interrupted: they are handed in again.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.text_files import read_text, write_whole

Array = NDArray[np.float64]
DIGITS = 4
"""To which found numbers are rounded: those that are tried are those that are written."""


@dataclass(frozen=True)
class Box:
    """Numbers by name, each in its range; a search moves them in the unit cube.

    Attributes:
        ranges: lowest and highest value by name.
    """

    ranges: Mapping[str, tuple[float, float]]

    def to_cube(self, values: ArrayLike) -> Array:
        """Points [..., n] of the cube for values [..., n]."""
        low, high = np.array(list(self.ranges.values())).T
        return np.asarray((np.asarray(values) - low) / (high - low))

    def from_cube(self, points: Array) -> Array:
        """Values [..., n] of points [..., n], rounded as they are written."""
        low, high = np.array(list(self.ranges.values())).T
        return np.asarray(np.round(low + points * (high - low), DIGITS))

    def named(self, values: Sequence[float] | Array) -> dict[str, float]:
        """Values [n] by name."""
        return {name: float(value) for name, value in zip(self.ranges, values, strict=True)}


class Evolution:
    """A search by CMA-ES, which may begin several times.

    Args:
        sigma: size of the first steps.
        population: candidates a generation.
        seed: of the first start; each later one has the next.
        boxed: whether candidates stay in the unit cube.
        keep: called with every candidate that is better than all before, so that nothing is lost when a search is
            interrupted.

    Attributes:
        best, least: the best candidate so far, of all starts, and its cost. tried: how many were evaluated.
        starts: how often it began.
    """

    def __init__(
        self,
        sigma: float,
        *,
        population: int,
        seed: int,
        boxed: bool = False,
        keep: Callable[[Any], None] | None = None,
    ) -> None:
        self._sigma, self._seed, self._keep = sigma, seed, keep
        self._options: dict[str, Any] = {"popsize": population, "verbose": -9}
        if boxed:
            self._options["bounds"] = [0.0, 1.0]
        self._strategy: Any = None
        self._points: Array = np.empty((0, 0))
        self.best: Any = None
        self.least, self.tried, self.starts = np.inf, 0, 0

    def begin(self, origin: ArrayLike) -> None:
        """Begin at a point [n], with the next seed."""
        import cma

        options = self._options | {"seed": self._seed + self.starts}
        self._strategy = cma.CMAEvolutionStrategy(np.asarray(origin), self._sigma, options)
        self.starts += 1

    def generations(
        self,
        most: int | None = None,
        *,
        seconds: float | None = None,
        until: Callable[[], bool] | None = None,
    ) -> Iterator[Array]:
        """Candidates [population, n] of one generation after another.

        Args:
            most: generations. seconds: by the clock. until: tells before each generation whether to end.
        """
        began, number = time.monotonic(), 0
        while (
            (most is None or number < most)
            and (seconds is None or time.monotonic() - began < seconds)
            and not (until is not None and until())
        ):
            self._points = np.array(self._strategy.ask())
            yield self._points
            number += 1

    def tell(self, costs: ArrayLike) -> None:
        """What the candidates of this generation cost [population]."""
        self._strategy.tell(list(self._points), np.asarray(costs, dtype=float).tolist())
        self.tried += len(self._points)

    def consider(self, candidates: Sequence[Any] | Array, costs: ArrayLike) -> None:
        """Take the best of candidates, if it is better than all before: of this generation or others, as points or as
        what stands for them."""
        prices = np.asarray(costs, dtype=float)
        k = int(np.argmin(prices))
        if prices[k] < self.least:
            self.best, self.least = candidates[k], float(prices[k])
            if self._keep is not None:
                self._keep(self.best)

    @property
    def mean(self) -> Array:
        """[n] the middle of the distribution."""
        return np.asarray(self._strategy.mean)

    @property
    def sigma(self) -> float:
        """The size of steps now."""
        return float(self._strategy.sigma)

    @property
    def converged(self) -> bool:
        """Whether more generations would change nothing."""
        return bool(self._strategy.stop())


class Checkpoint:
    """Generations with their costs in a JSON file, written after each.

    Args:
        path: the file; None to keep nothing.
        key: names the search, so that another's file is never taken for its own.

    Attributes:
        generations: those noted so far.
    """

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self.generations: list[dict[str, Any]] = []
        if path is None or not path.exists():
            return
        try:
            data = json.loads(read_text(path, "checkpoint"))
            found, self.generations = data["key"], list(data["generations"])
        except (ValueError, KeyError, TypeError) as error:
            raise FootfallError(f"checkpoint {path} cannot be read ({error}); delete it to begin again") from error
        if found != key:
            raise FootfallError(f"checkpoint {path} belongs to another search; delete it or name another file")

    def add(self, generation: Mapping[str, Any]) -> None:
        """Note a generation."""
        self.generations.append(dict(generation))
        if self.path is not None:
            write_whole(self.path, json.dumps({"key": self.key, "generations": self.generations}).encode())
