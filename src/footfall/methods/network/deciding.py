"""A decision of a network: the terms that its inputs belong to (:mod:`.terms`) are gathered, the network answers, and
the answer is kept until the next decision.

The network is a Warp function over the numbers that a law's worlds share (:attr:`footfall.control.law.Law.library`). A
layer's numbers are its weights [in, out] and then its biases [out], so that the innermost loop runs over numbers that
lie side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.control.rows import MemoryLayout
from footfall.dynamics.native import native_function
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.network.gaits import FRAMES, gait_slots
from footfall.methods.network.multilayer import Network
from footfall.methods.network.seen import SIGHTS, Scope, SeenTypes, seen_function
from footfall.methods.network.terms import OBSERVATIONS, Observation, ObservationTerm, looks_of, own_terms

if TYPE_CHECKING:
    from footfall.methods.network.controller import NetworkController

GATHER = ("source", "scale", "offset", "limit")
"""Of every input: where in the pool it is, and what becomes of it: clamp(scale (x - offset), -limit, limit)."""
NO_LIMIT = 1e30


@dataclass(frozen=True)
class Block:
    """Numbers that are observed one after the other.

    Attributes:
        names: what they are (:data:`OBSERVATIONS`).
        scale, offset: each number x becomes scale (x - offset); one for all, or one for each.
        limit: how large it may then be, either way; 0 for any size.
    """

    names: tuple[str, ...]
    scale: float | tuple[float, ...] = 1.0
    offset: float | tuple[float, ...] = 0.0
    limit: float = 0.0

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
        if not 0.0 <= self.limit < NO_LIMIT:
            raise FootfallError(f"limit is {self.limit}; it must be at least 0, and 0 limits nothing")


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
        return (*(term.name for term in self.terms), scope.states, scope.actions, scope.looks, scope.stance, scope.lies)

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
            rows.append([places[name], scale, offset, block.limit or NO_LIMIT])
    return np.array(rows, dtype=float).reshape(-1, len(GATHER))


_ACTIVATION = {
    "tanh": "S(1) - S(2) / (wp::exp(S(2) * x) + S(1))",
    "elu": "x > S(0) ? x : wp::exp(x) - S(1)",
    "relu": "x > S(0) ? x : S(0)",
}
_LAYER = """
{{ const S* w = &library.data[{at}];
  const S* bias = w + {n} * {m};
#if defined(__CUDA_ARCH__)
  for (int j = 0; j < {m}; j += 8) {{
    S sum[8];
    for (int k = 0; k < 8; ++k) sum[k] = bias[j + k < {m} ? j + k : 0];
    for (int i = 0; i < {n}; ++i) {{
      const S x = {source}[i];
      for (int k = 0; k < 8; ++k) sum[k] += x * w[i * {m} + (j + k < {m} ? j + k : 0)];
    }}
    for (int k = 0; k < 8; ++k) if (j + k < {m}) {target}[j + k] = sum[k];
  }}
#else
  for (int j = 0; j < {m}; ++j) {target}[j] = bias[j];
  for (int i = 0; i < {n}; ++i) {{
    const S x = {source}[i];
    for (int j = 0; j < {m}; ++j) {target}[j] += x * w[i * {m} + j];
  }}
#endif
{activate} }}
"""
_ACTIVATE = "  for (int j = 0; j < {m}; ++j) {{ const S x = {target}[j]; {target}[j] = {formula}; }}"


def network_numbers(network: Network) -> NDArray[np.float64]:
    """The numbers that the function reads, [W]."""
    parts = [(w.T.ravel(), b) for w, b in zip(network.weights, network.biases)]
    return np.concatenate([np.concatenate(part) for part in parts]).astype(float)


def network_function(sizes: tuple[int, ...], activation: str, at: int, Memory: Any, real: Any) -> wp.Function:
    """A Warp function (inputs, library, memory): the network's answer to ``inputs`` [in], put into ``memory`` from
    ``at`` on. Its numbers are the first ones of the library."""
    Inputs = wp.types.vector(length=sizes[0], dtype=real)
    widest = max(sizes[1:])
    kinds = f"// {Inputs._length_} numbers in, {Memory._length_} remembered"
    lines = [kinds, f"S first[{widest}], second[{widest}];", "const S* source = &inputs[0];"]
    place, names = 0, ("first", "second")
    for k, (n, m) in enumerate(pairwise(sizes)):
        source, target = ("source" if k == 0 else names[(k - 1) % 2]), names[k % 2]
        last = k + 2 == len(sizes)
        activate = "" if last else _ACTIVATE.format(m=m, target=target, formula=_ACTIVATION[activation])
        lines.append(_LAYER.format(at=place, n=n, m=m, source=source, target=target, activate=activate))
        place += n * m + m
    answer = names[(len(sizes) - 2) % 2]
    lines.append(f"for (int j = 0; j < {sizes[-1]}; ++j) memory[{at} + j] = {answer}[j];")
    arguments = {"inputs": wp.ref[Inputs], "library": wp.array2d[real], "memory": wp.ref[Memory]}
    return native_function("network", arguments, "\n".join(lines), real)


LAST = "network_stance"
FRAME = "network_frame"
"""The present frame of a clip that is followed."""


@dataclass(frozen=True)
class DecisionPlan:
    """What the functions of a decision depend on.

    Attributes:
        pool: the terms that are observed.
        observed: how many of their numbers are, at a time.
        history: how many times are inputs.
        sizes: of the network's layers.
        activation: between them.
        rate: decisions a second.
        limit: how large an action counts at most.
    """

    pool: Pool
    observed: int
    history: int
    sizes: tuple[int, ...]
    activation: str
    rate: float
    limit: float

    @classmethod
    def of(
        cls, controller: "NetworkController", figure: Figure, states: int, actions: int, where: str
    ) -> "DecisionPlan":
        """The plan of a controller, whose network must fit what it observes and does."""
        if figure.root not in ("planar", "free"):
            raise FootfallError(
                f"{where}: figure '{figure.name}' is fixed in the world; networks drive those that fall"
            )
        network, observed = controller.network, sum(len(block.names) for block in controller.observations)
        for what, has, needs in (
            ("inputs", network.sizes[0], observed * controller.history),
            ("outputs", network.sizes[-1], actions),
        ):
            if has != needs:
                of = "the observations are" if what == "inputs" else "the actions are"
                raise FootfallError(f"{where}: the network has {has} {what}; {of} {needs}")
        names = [name for block in controller.observations for name in block.names]
        looks = looks_of(names) if controller.follows else ()
        slots = gait_slots(looks) if controller.gaits is not None else ()
        return cls(
            Pool.of(Scope(figure, states, actions, looks, states > 0, slots, controller.gets_up), names, where),
            observed,
            controller.history,
            network.sizes,
            network.activation,
            controller.rate,
            controller.limit,
        )

    @property
    def actions(self) -> int:
        """How many numbers an action has."""
        return self.sizes[-1]

    @property
    def weights(self) -> int:
        """How many numbers the network has."""
        return sum(n * m + m for n, m in pairwise(self.sizes))

    @property
    def key(self) -> Any:
        """All of it but the figure, which kernels are told apart by anyway."""
        return (self.pool.key, self.observed, self.history, self.sizes, self.activation, self.rate, self.limit)


def decision_memory(plan: DecisionPlan) -> tuple[tuple[str, int], ...]:
    """What a decision remembers, by name and size: the calls until the next one; whether the feet touched and which leg
    was the stance leg in the last step; the action; what was observed before."""
    past = (("network_past", (plan.history - 1) * plan.observed),) if plan.history > 1 else ()
    flags = tuple((name, 1) for name in ("network_wait", "network_begun", "network_left", "network_right", LAST))
    return (*flags, ("network_action", plan.actions), *past)


def view_names(plan: DecisionPlan) -> tuple[str, ...]:
    """What a decision sees of the ground, if it does: beneath the root, and ahead of it."""
    return () if not plan.pool.ground else ("ground_beneath", *(f"ground_{ahead:g}" for ahead in SIGHTS))


def decision_functions(
    types: Types, plan: DecisionPlan, layout: MemoryLayout, goal_column: int, views: int, clip: int = 0
) -> tuple[wp.Function, wp.Function]:
    """``decide`` (sense, memory, parameters, row), which answers an action where it is time, and ``remember`` (sense,
    memory, command), for the end of a step. ``clip``: where in the library a clip is that is followed."""
    names = ("left", "right", "stance", "action")
    places = {name: layout[f"network_{name}"] for name in names} | {"goal_speed": goal_column}
    if "turned" in layout:
        places["turned"] = layout["turned"]
    if FRAME in layout:
        places |= {"frame": layout[FRAME], "clip": clip}
    if FRAMES in layout:
        places |= {"frames": layout[FRAMES], "clip": clip}
    seen = SeenTypes.of(plan.pool.scope, types.real)
    fill = seen_function(types, seen, places, views if plan.pool.ground else -1)
    return _decide_function(types, plan, layout, seen, fill), _remember_function(types, layout)


def _decide_function(
    types: Types, plan: DecisionPlan, layout: MemoryLayout, seen_types: SeenTypes, fill: wp.Function
) -> wp.Function:
    real, Seen = types.real, seen_types.Seen
    observe, PoolVector = plan.pool.function(seen_types)
    Inputs = wp.types.vector(length=plan.sizes[0], dtype=real)
    answer = network_function(plan.sizes, plan.activation, layout["network_action"], types.Memory, real)
    wait, begun = layout["network_wait"], layout["network_begun"]
    past = layout["network_past"] if plan.history > 1 else 0
    observed, kept, first, width = plan.observed, plan.observed * (plan.history - 1), plan.weights, len(GATHER)
    period, half, one = real(1.0 / plan.rate), real(0.5), real(1.0)

    @types.part
    def decide(sense, memory, parameters, row):
        if memory[wait] < half:
            seen = Seen()
            fill(sense, memory, parameters, row, seen)
            pool = PoolVector()
            observe(seen, pool)
            inputs = Inputs()
            i = int(0)
            while i < wp.static(observed):
                at = first + width * i
                x = sense.library[0, at + 1] * (pool[int(sense.library[0, at])] - sense.library[0, at + 2])
                clip = sense.library[0, at + 3]
                inputs[wp.static(kept) + i] = wp.clamp(x, -clip, clip)
                i += 1
            if wp.static(kept > 0):
                i = int(0)
                while i < wp.static(kept):
                    inputs[i] = memory[past + i]
                    if memory[begun] < half:
                        inputs[i] = inputs[wp.static(kept) + i % wp.static(observed)]
                    i += 1
                i = int(0)
                while i < wp.static(kept):
                    memory[past + i] = inputs[wp.static(observed) + i]
                    i += 1
            answer(inputs, sense.library, memory)
            memory[begun] = one
            memory[wait] = wp.max(one, wp.floor(period / sense.dt + half))
        memory[wait] = memory[wait] - one

    return decide


def _remember_function(types: Types, layout: MemoryLayout) -> wp.Function:
    real, points = types.real, types.compiled.points
    left_mask, right_mask = (sum(1 << k for k, p in enumerate(points) if p.foot == side) for side in ("left", "right"))
    left, right, last = layout["network_left"], layout["network_right"], layout[LAST]
    zero, one = real(0.0), real(1.0)

    @types.part
    def remember(sense, memory, command):
        memory[left] = wp.where((sense.seen_contact & left_mask) != 0, one, zero)
        memory[right] = wp.where((sense.seen_contact & right_mask) != 0, one, zero)
        memory[last] = real(command.stance)

    return remember
