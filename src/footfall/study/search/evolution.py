"""The one loop of all searches: CMA-ES, covariance matrix adaptation (Hansen; the package ``cma``).

A search judges the candidates of one generation after another, as worlds side by side:

    evolution = Evolution(0.1, population=16, seed=1, boxed=True)
    evolution.begin(origin)
    evolve(evolution, lambda points, generation: {"costs": measured(points)}, Budget(generations=60))
    evolution.best, evolution.least

The same seed and the same costs give the same candidates. So a search whose costs were noted (:class:`SearchLog`)
continues exactly where it was interrupted: they are handed in again.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import MOST_CANDIDATES, MOST_SEED, FootfallError, check_whole
from footfall.text_files import read_text, write_whole

Array = NDArray[np.float64]
DIGITS = 4
"""To which found numbers are rounded: those that are tried are those that are written."""


@dataclass(frozen=True)
class SearchBox:
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
        best: the best candidate so far, of all starts.
        least: its cost.
        tried: how many were evaluated.
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
        check_whole("population", population, 2, MOST_CANDIDATES)
        check_whole("seed", seed, 0, MOST_SEED)
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

    def ask(self) -> Array:
        """[population, n] candidates of the next generation."""
        self._points = np.array(self._strategy.ask())
        return self._points

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


class SearchLog:
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
            found, noted = data["key"], [dict(generation) for generation in data["generations"]]
        except (ValueError, KeyError, TypeError) as error:
            raise FootfallError(f"checkpoint {path} cannot be read ({error}); delete it to begin again") from error
        if found != key:
            raise FootfallError(f"checkpoint {path} belongs to another search; delete it or name another file")
        self.generations = noted

    def add(self, generation: Mapping[str, Any]) -> None:
        """Note a generation."""
        self.generations.append(dict(generation))
        if self.path is not None:
            write_whole(self.path, json.dumps({"key": self.key, "generations": self.generations}).encode())


@dataclass(frozen=True)
class Budget:
    """How long a search takes: until the first of its limits.

    Attributes:
        seconds: of judging by the clock, those of the runs before included; None for no such limit.
        generations: None for no such limit.
    """

    seconds: float | None = None
    generations: int | None = None

    def share(self, seconds: float, generations: int) -> float:
        """How much of it is spent, 0 to 1."""
        spent = [0.0]
        if self.generations is not None:
            spent.append(generations / self.generations if self.generations else 1.0)
        if self.seconds is not None:
            spent.append(seconds / max(1e-9, self.seconds))
        return min(1.0, max(spent))


def evolve(
    evolution: Evolution,
    judge: Callable[[Array, int], Mapping[str, Any]],
    budget: Budget,
    *,
    log: SearchLog | None = None,
    noted: Sequence[Mapping[str, Any]] | None = None,
    until: Callable[[], bool] = lambda: False,
    after: Callable[[Array, Mapping[str, Any]], None] = lambda points, note: None,
) -> bool:
    """Search from where the evolution has begun, or go on with a search that was interrupted.

    Args:
        evolution: begun.
        judge: says of candidates [population, n] and of the generation's number what they cost, ``costs``, what stands
            for them, ``candidates``, where that is not the points, and what else is to be noted of them. It is not
            asked again for what is noted.
        budget: after which the search ends.
        log: where generations are noted, with the ``seconds`` spent so far.
        noted: those that this search begins with; by default all of the log's.
        until: tells before each generation that is not noted yet whether to end.
        after: called with candidates and their note when the evolution has taken them in.

    Returns:
        whether somebody interrupted it (Ctrl-C).
    """
    known = list(noted if noted is not None else log.generations if log is not None else ())
    spent = float(known[-1].get("seconds", 0.0)) if known else 0.0
    count = 0

    def over() -> bool:
        if count < len(known):
            return budget.generations is not None and count >= budget.generations
        return budget.share(spent, count) >= 1.0 or until()

    try:
        while not over():
            points = evolution.ask()
            if count < len(known):
                note = known[count]
            else:
                began = time.monotonic()
                note = dict(judge(points, count))
                spent += time.monotonic() - began
                note["seconds"] = spent
                if log is not None:
                    log.add(note)
            count += 1
            evolution.tell(note["costs"])
            evolution.consider(note.get("candidates", points), note["costs"])
            after(points, note)
    except KeyboardInterrupt:
        return True
    return False
