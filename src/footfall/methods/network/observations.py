"""What a network observes, put together: the terms that its numbers belong to (:mod:`.terms`), and how a law fills what
they are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.methods.network.seen import Scope, SeenTypes
from footfall.methods.network.terms import OBSERVATIONS, Observation, ObservationTerm, own_terms

GATHER = ("source", "scale", "offset", "clip")
"""Of every input: where in the pool it is, and what becomes of it: clamp(scale (x - offset), -clip, clip)."""
NO_CLIP = 1e30


@dataclass(frozen=True)
class Block:
    """Numbers that are observed one after the other.

    Attributes:
        names: what they are (:data:`OBSERVATIONS`).
        scale, offset: each number x becomes scale (x - offset); one for all, or one for each.
        clip: how large it may then be, either way; 0 for any size.
    """

    names: tuple[str, ...]
    scale: float | tuple[float, ...] = 1.0
    offset: float | tuple[float, ...] = 0.0
    clip: float = 0.0

    def __post_init__(self) -> None:
        if not self.names:
            raise FootfallError("names is empty; name one observation or more")
        for what in ("scale", "offset"):
            given = getattr(self, what)
            numbers = [given] if isinstance(given, int | float) else given
            if isinstance(given, tuple) and len(given) != len(self.names):
                raise FootfallError(f"{what} has {len(given)} numbers; give one, or one for each of {len(self.names)}")
            if not np.isfinite(numbers).all():
                raise FootfallError(f"{what} is {given}; it must be finite")
        if not 0.0 <= self.clip < NO_CLIP:
            raise FootfallError(f"clip is {self.clip}; it must be at least 0, and 0 clips nothing")


@dataclass(frozen=True)
class Pool:
    """Terms that are observed one after the other.

    Attributes:
        scope: what there is to observe.
        terms: in their order.
    """

    scope: Scope
    terms: tuple[ObservationTerm, ...]

    @classmethod
    def of(cls, scope: Scope, names: Sequence[str], where: str) -> "Pool":
        """The terms that hold some numbers; a name that cannot be observed is refused, with ``where``."""
        known = cls(scope, tuple(OBSERVATIONS.values()))
        if not set(names) <= set(known.names):
            known = cls(scope, (*known.terms, *own_terms(ObservationTerm).values()))
        for name in names:
            if name not in known.names:
                raise FootfallError(f"{where}: {unknown_name('observation', name, known.names)}")
        asked = set(names)
        return cls(scope, tuple(term for term in known.terms if asked & {row.name for row in term.numbers(scope)}))

    @property
    def numbers(self) -> tuple[Observation, ...]:
        """All numbers."""
        return tuple(row for term in self.terms for row in term.numbers(self.scope))

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(row.name for row in self.numbers)

    @property
    def ground(self) -> bool:
        """Whether the ground must be looked at."""
        return any(term.ground for term in self.terms)

    @property
    def key(self) -> Any:
        """What kernels are told apart by, beside the figure."""
        scope = self.scope
        return (*(term.name for term in self.terms), scope.states, scope.actions, scope.looks, scope.stance)

    def function(self, types: SeenTypes) -> tuple[wp.Function, Any]:
        """A Warp function (seen, out) that puts all numbers into ``out``, and the type of that vector."""
        Seen = types.Seen
        widths = [len(term.numbers(self.scope)) for term in self.terms]
        Out: Any = wp.types.vector(length=max(1, sum(widths)), dtype=types.real)

        def filled(number: wp.Function, at: int, width: int) -> wp.Function:
            @wp.func
            def fill(seen: wp.ref[Seen], out: wp.ref[Out]):
                i = int(0)
                while i < wp.static(width):
                    out[at + i] = number(seen, i)
                    i += 1

            return fill

        def both(first: wp.Function, second: wp.Function) -> wp.Function:
            @wp.func
            def in_turn(seen: wp.ref[Seen], out: wp.ref[Out]):
                first(seen, out)
                second(seen, out)

            return in_turn

        places = accumulate(widths, initial=0)
        return reduce(both, [filled(t.build(types), *at) for t, *at in zip(self.terms, places, widths)]), Out


def gather_numbers(blocks: Sequence[Block], pool: Pool) -> NDArray[np.float64]:
    """[D, 4] ``GATHER`` of every input."""
    places = {name: k for k, name in enumerate(pool.names)}
    rows = []
    for block in blocks:
        count = len(block.names)
        scales, offsets = (np.broadcast_to(np.asarray(x, dtype=float), count) for x in (block.scale, block.offset))
        for name, scale, offset in zip(block.names, scales, offsets, strict=True):
            rows.append([places[name], scale, offset, block.clip or NO_CLIP])
    return np.array(rows, dtype=float).reshape(-1, len(GATHER))
