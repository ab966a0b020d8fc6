"""Steps chosen from a motion graph while a character walks (Data-Driven Biped Control, section 5, interactive control).

The next step is that which brings the heading, the speed and the style nearest to what is wanted, blended with a second
one where that comes closer. The law reads three slots: the step that is being made, the next one, and the one after,
which is rewritten when a foot lands. Nothing is known in advance of where the character will go. Where a clip comes to
a stand, the character can stop: asked for no speed it goes the shortest way to such a stand and keeps standing.

Steps may be planned ahead, by all that can follow them (value iteration on a motion graph; Lee and Lee 2004,
precomputed avatar behaviour; ours in this law). A step costs what its seam, its speed and its style are off what is
wanted, and what is left to turn after it. What comes later counts less and less, by FADE for each step. The least sum,
for every step and every heading, is found once for a wanted speed and style, and read while the character walks. A
choice that looks at one or two steps waits for a turn that happens to fit, or walks into a part of the graph that it
cannot leave; this one goes where a turn begins. Only the largest part of the graph is used in which every step can be
reached from every other.
"""

from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import SEAM_LIMIT, TrackedGraph, TrackedStep, bent_step, blended_step
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings, TrackingGains
from footfall.motion.ball_poses import facing_of, joint_positions, turned_frames
from footfall.motion.quaternion import Array, wrapped_angle
from footfall.motion.synthesis.graph import Prices

PLAN_PRICES = Prices(turn=0.5, speed=0.25, style=2.0)
BEND = 0.12
"""Radians that a step may be bent."""
BINS = 36
"""Headings between which worths are interpolated."""
ALIGNED, FAR = 0.1, 1.2
"""Radians left to turn that cost nothing, since a pelvis turns to and fro with every step, and beyond which no more is
charged."""
FADE = 0.85
ROUNDS = 30
"""Of value iteration; what is left after them counts 1 %."""
NOWHERE = 1e3
"""Cost of a step that leads out of the part that is used."""
KEPT = 32
"""Wishes whose worths are kept."""


class StepPlan:
    """The worth of every step of a graph for what is wanted.

    Args:
        graph: the steps. Only those of its ``core`` are gone to.
    """

    def __init__(self, graph: TrackedGraph) -> None:
        count = len(graph.steps)
        self.styles = np.array([step.style for step in graph.steps])
        inside = np.zeros(count, dtype=bool)
        inside[list(graph.core)] = True
        cost = np.where(graph.near & inside[None], graph.cost / graph.choosing.seam, np.inf)
        most = min(graph.choosing.followers, count)
        self.after: NDArray[np.intp] = np.argsort(cost, axis=1, kind="stable")[:, :most]
        self.seams: Array = np.minimum(np.take_along_axis(cost, self.after, axis=1), NOWHERE)
        out = ~np.isfinite(cost).any(axis=1)
        self.after[out] = np.argmin(np.where(graph.may_follow, graph.seams, np.inf), axis=1)[out, None]
        self.turns: Array = np.array([step.turn for step in graph.steps])
        self.speeds: Array = np.array([step.speed for step in graph.steps])
        self.headings: Array = np.linspace(-np.pi, np.pi, BINS, endpoint=False)
        self.left: Array = _left(wrapped_angle(self.headings[None] - self.turns[:, None]))
        self._worths: OrderedDict[tuple[float, str], Array] = OrderedDict()

    def _own(self, speed: float, style: str) -> Array:
        """[S] what each step costs, wherever the character is heading."""
        return np.asarray(PLAN_PRICES.hurrying(self.speeds - speed) + PLAN_PRICES.style * (self.styles != style))

    def worth(self, speed: float, style: str) -> Array:
        """[S, BINS] least cost of all that comes after each step, by what is left to turn at its end."""
        key = (round(20.0 * speed) / 20.0, style)
        if key in self._worths:
            self._worths.move_to_end(key)
            return self._worths[key]
        own = self._own(*key)[:, None] + _turning(self.left)
        worth = np.zeros((len(self.turns), BINS))
        for _ in range(ROUNDS):
            then = own + FADE * self._at(worth, self.left)
            worth = np.min(self.seams[:, :, None] + then[self.after], axis=1)
        self._worths[key] = worth
        if len(self._worths) > KEPT:
            self._worths.popitem(last=False)
        return worth

    def _at(self, worth: Array, left: Array) -> Array:
        """[S, n] worths at headings [S, n], between those of the table."""
        place = (left + np.pi) * (BINS / (2.0 * np.pi))
        low = np.floor(place).astype(int)
        share = place - low
        rows = np.arange(len(worth))[:, None]
        return np.asarray((1.0 - share) * worth[rows, low % BINS] + share * worth[rows, (low + 1) % BINS])

    def best(self, number: int, need: float, speed: float, style: str) -> tuple[int, float]:
        """The step after one, and the radians by which it is bent, where ``need`` is left to turn."""
        worth = self.worth(speed, style)
        numbers = self.after[number]
        rest = wrapped_angle(need - self.turns[numbers])
        left = _left(rest)
        total = self.seams[number] + self._own(speed, style)[numbers] + _turning(left)
        total = total + FADE * self._at(worth[numbers], left[:, None])[:, 0]
        at = int(np.argmin(total))
        return int(numbers[at]), float(np.clip(rest[at], -BEND, BEND))


_plans: "WeakKeyDictionary[TrackedGraph, StepPlan]" = WeakKeyDictionary()


def plan_of(graph: TrackedGraph) -> StepPlan:
    """A graph's plan, which all characters on it share."""
    if graph not in _plans:
        _plans[graph] = StepPlan(graph)
    return _plans[graph]


def _left(rest: Array) -> Array:
    """What is left to turn after a step was bent."""
    return np.asarray(np.sign(rest) * np.maximum(np.abs(rest) - BEND, 0.0))


def _turning(left: Array) -> Array:
    return PLAN_PRICES.turning(np.clip(np.abs(left) - ALIGNED, 0.0, FAR))


SLOTS = 3
FRAMES = 3
"""Between two decisions, in frames of the motion."""
STAND_FRAMES = 15
"""How much of a clip's standing comes before the first step, at most."""
STOP = 0.2
"""Metres a second below which it is asked to stand."""
PRICES = Prices(turn=0.5, speed=0.5, style=2.0)
PER_STEP = 0.5
"""Radians that one step can be asked to turn."""


@dataclass(frozen=True, eq=False)
class ChosenStep(TrackedStep):
    """A step as it is walked, bent and blended, or a stand, which the law reads in one of its slots.

    Attributes:
        number: of the graph's step, -1 for a stand.
    """

    number: int

    @classmethod
    def of(cls, number: int, step: TrackedStep) -> "ChosenStep":
        """A step of the graph as it is chosen."""
        return cls(**vars(step), number=number)

    @property
    def stands(self) -> bool:
        """Whether it is a stand."""
        return self.number < 0


@dataclass(frozen=True, eq=False)
class Slots:
    """What the law reads, and where it is in it; a value.

    Attributes:
        all: the slots.
        now: which of them is being walked.
        heading: the turn of its motion, radians.
        asked: what was decided on last.
        holds: whether it keeps standing in the present slot.
        halted: the step after which it stands, -1 at the start.
    """

    all: tuple[ChosenStep, ...]
    now: int = 0
    heading: float = 0.0
    asked: tuple[Any, ...] = ()
    holds: bool = False
    halted: int = -1

    @property
    def present(self) -> ChosenStep:
        """The slot that is being walked."""
        return self.all[self.now]

    @property
    def after(self) -> int:
        """Which slot is next."""
        return (self.now + 1) % SLOTS

    def put(self, at: int, slot: ChosenStep) -> "Slots":
        """With another slot in one place."""
        return replace(self, all=(*self.all[:at], slot, *self.all[at + 1 :]))


class StepChoice:
    """What a character on a motion graph does next.

    Args:
        graph: its steps.
        settings: of the law.
        ground: what it walks on.
        style: of the first step; by default the first clip's.

    Attributes:
        direction, speed, style: what is wanted: radians from the world's x, metres a second, a style's name.
        slots: what was chosen.
        made: clips of the steps that were made.
    """

    def __init__(
        self,
        graph: TrackedGraph,
        settings: Settings = Settings(),  # noqa: B008
        ground: Ground = PAPER_GROUND,
        *,
        style: str = "",
    ) -> None:
        self.graph, self.settings, self.ground = graph, settings, ground
        self.direction, self.speed, self.style = 0.0, 1.0, style or graph.styles()[0]
        self._plan = plan_of(graph) if graph.choosing.plans else None
        self.begin()

    def begin(self) -> None:
        """Stand at the start, facing x; on a graph without a stand, walk."""
        graph = self.graph
        self.direction = 0.0
        self.made: list[str] = []
        if not graph.stands:
            self._begin_walking()
            return
        first = min(self._in_core(list(graph.stands)), key=self._start_price)
        stand, step = stand_of(graph.stands[first]), graph.steps[first]
        next_one = ChosenStep.of(first, step)
        self.slots = Slots((_stand_slot(stand, step.gains), next_one, next_one))

    def _start_price(self, number: int) -> tuple[bool, bool, float, int]:
        """By what the first step is chosen: its style, forwards, straight."""
        step = self.graph.steps[number]
        return step.style != self.style, step.speed < 0.0, abs(step.turn), number

    def _in_core(self, numbers: list[int]) -> list[int]:
        """Those steps, of some, that a plan may come to; all where it may come to none, or nothing is planned."""
        core = set(self.graph.core if self._plan is not None else numbers)
        return [number for number in numbers if number in core] or numbers

    def _begin_walking(self) -> None:
        """In mid-walk, with the first of two steps that follow each other in a clip."""
        graph = self.graph
        first, second = min(graph.following.items(), key=lambda pair: self._start_price(pair[0]))
        next_one = ChosenStep.of(second, graph.steps[second])
        self.slots = Slots((ChosenStep.of(first, graph.steps[first]), next_one, next_one))

    def repertoire(self) -> Repertoire:
        """What the law reads."""
        slots = self.slots
        fragments = [
            replace(
                slot.fragment,
                gains=k,
                successor=-1 if slots.holds and k == slots.now else (k + 1) % SLOTS,
                turn=slot.turn,
            )
            for k, slot in enumerate(slots.all)
        ]
        return Repertoire(tuple(fragments), tuple(slot.gains for slot in slots.all), self.settings, self.ground)

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Say where to go: a direction in the world (radians from x), metres a second, a style's name."""
        self.direction = self.direction if direction is None else direction
        self.speed = self.speed if speed is None else speed
        if style is not None:
            if style not in self.graph.styles():
                raise FootfallError(f"steering: no style '{style}'; choose one of: {', '.join(self.graph.styles())}")
            self.style = style

    def observe(self, slot: int, heading: float) -> None:
        """See which slot the law walks, and the turn of its motion."""
        begun = slot != self.slots.now
        self.slots = replace(self.slots, now=slot, heading=heading)
        present = self.slots.present
        if begun and not present.stands:
            self.made.append(present.clip)

    @property
    def stops(self) -> bool:
        """Whether it is asked to stand, and its clips can."""
        return self.speed < STOP and bool(self.graph.halts)

    def decide(self) -> bool:
        """Choose the step after the present one; whether there is a new choice for the law to read."""
        slots = self.slots
        asked = (slots.now, round(self.direction, 3), self.speed, self.style)
        if asked == slots.asked:
            return False
        if slots.present.stands:
            return self._decide_standing(asked)
        number = slots.present.number
        if self.stops and number in self.graph.halts:
            stand = stand_of(self.graph.halts[number], first=True)
            slots = replace(slots.put(slots.after, _stand_slot(stand, slots.present.gains)), halted=number)
        else:
            need = float(wrapped_angle(self.direction - (slots.heading + slots.present.turn)))
            chosen = (self._choose_halt if self.stops else self._choose)(number, need)
            slots = slots.put(slots.after, ChosenStep.of(*chosen))
        self.slots = replace(slots, asked=asked, holds=False)
        return True

    def _decide_standing(self, asked: tuple[Any, ...]) -> bool:
        """Keep standing, or begin with the step whose clip stands most alike."""
        slots, graph = self.slots, self.graph
        if self.stops:
            changed, self.slots = not slots.holds, replace(slots, asked=asked, holds=True)
            return changed
        if not slots.holds and not self.made:
            return False
        here = joint_positions(slots.present.fragment.frames[-1:], graph.skeleton)[0]
        numbers = self._in_core(graph.starts_after(slots.halted))
        steps = [graph.steps[k] for k in numbers]
        there = np.array([joint_positions(step.fragment.frames[:1], graph.skeleton)[0] for step in steps])
        price = np.linalg.norm(there - here, axis=-1).mean(axis=-1) / graph.choosing.seam
        need = float(wrapped_angle(self.direction - (slots.heading + slots.present.turn)))
        price += PRICES.style * np.array([step.style != self.style for step in steps])
        price += PRICES.hurrying(np.array([step.speed for step in steps]) - self.speed)
        price += 0.5 * PRICES.turning(np.array([step.turn for step in steps]) - np.clip(need, -PER_STEP, PER_STEP))
        best = numbers[int(np.argmin(price))]
        slots = slots.put(slots.after, ChosenStep.of(best, graph.steps[best]))
        self.slots = replace(slots, asked=asked, holds=False)
        return True

    def _choose_halt(self, number: int, need: float) -> tuple[int, TrackedStep]:
        """The next step on the shortest way to a stand, bent towards the wanted heading."""
        graph = self.graph
        near = graph.cost[number] < SEAM_LIMIT if self._plan is None else graph.near[number]
        cost = np.where(near, graph.cost[number], np.inf)
        total = (
            cost / graph.choosing.seam + graph.to_halt + PRICES.turning(np.array([step.turn for step in graph.steps]))
        )
        if not np.isfinite(total).any():
            return self._choose(number, need)
        best = int(np.argmin(total))
        bend = float(np.clip(need - graph.steps[best].turn, -BEND, BEND))
        return best, bent_step(graph.steps[best], bend, graph.skeleton)

    def _choose(self, number: int, need: float) -> tuple[int, TrackedStep]:
        graph = self.graph
        if self._plan is not None:
            planned, bend = self._plan.best(number, need, self.speed, self.style)
            return planned, bent_step(graph.steps[planned], bend, graph.skeleton)
        cost = graph.cost[number]
        steps = graph.steps
        turns = np.array([s.turn for s in steps])
        speeds = np.array([s.speed for s in steps])
        other = np.array([s.style != self.style for s in steps])
        ask = float(np.clip(need, -PER_STEP, PER_STEP))
        price = cost / graph.choosing.seam + PRICES.style * other + PRICES.hurrying(speeds - self.speed)
        rest = PRICES.turning(turns - ask)
        # what the step after can still do about it
        seams = np.where(graph.cost < SEAM_LIMIT, graph.cost / graph.choosing.seam, np.inf)
        later = PRICES.turning(np.clip(need - turns[:, None], -PER_STEP, PER_STEP) - turns[None])
        ahead = np.min(seams + later + PRICES.style * other[None], axis=1)
        total = np.where(
            cost < SEAM_LIMIT, price + 0.5 * rest + 0.5 * np.where(np.isfinite(ahead), ahead, 10.0), np.inf
        )
        if not np.isfinite(total).any():
            total = np.where(np.isfinite(cost), cost, np.inf)
        best = int(np.argmin(total))
        step = self._between(best, total, ask) if graph.choosing.blends else steps[best]
        bend = float(np.clip(ask - step.turn, -BEND, BEND))
        return best, bent_step(step, bend, graph.skeleton)

    def _between(self, best: int, total: Array, ask: float) -> TrackedStep:
        """The best step, or one between it and another that turns or hurries as is wanted."""
        graph, first = self.graph, self.graph.steps[best]
        chosen, least = first, self._miss(first.turn, first.speed, ask)
        for k in np.argsort(total)[1:6]:
            second = graph.steps[int(k)]
            if not np.isfinite(total[k]) or second.kind != first.kind:
                continue
            for a, b, wanted in ((first.turn, second.turn, ask), (first.speed, second.speed, self.speed)):
                if abs(b - a) < 1e-3:
                    continue
                share = float(np.clip((wanted - a) / (b - a), 0.0, 1.0))
                turn = (1 - share) * first.turn + share * second.turn
                speed = (1 - share) * first.speed + share * second.speed
                miss = self._miss(turn, speed, ask) + share * 0.3 * (total[k] - total[best])
                if miss < least - 0.05 and share > 0.05:
                    chosen, least = blended_step(first, second, share, graph.skeleton), miss
        return chosen

    def _miss(self, turn: float, speed: float, ask: float) -> float:
        return float(PRICES.turning(turn - ask) + PRICES.hurrying(speed - self.speed))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SteeredController(TrackingController):
    """A motion graph to be steered on.

    Attributes:
        graph: its steps.
        made: the repertoire before any gain was edited.
    """

    graph: TrackedGraph
    made: Repertoire
    _use: ClassVar[str] = "footfall steer on the command line"

    @property
    def law(self) -> str:
        """The law's name in files."""
        return "steering"

    def edited(self, gains: TrackingGains) -> TrackingGains:
        """A step's gains with those that were edited, which hold for all steps."""
        now, before = self.repertoire.gains[0], self.made.gains[0]
        pairs = ((f.name, getattr(now, f.name), getattr(before, f.name)) for f in fields(TrackingGains))
        return replace(gains, **{name: new for name, new, old in pairs if new != old})

    @classmethod
    def of(
        cls, graph: TrackedGraph, settings: Settings, ground: Ground, name: str, about: str = ""
    ) -> "SteeredController":
        """A controller of a graph, under settings and on a ground."""
        first = StepChoice(graph, settings, ground).repertoire()
        return cls(name, first, graph.figure.name, about, graph=graph, made=first)


def stand_of(stand: Fragment, *, first: bool = False) -> Fragment:
    """The last part of a stand, or its first, at the origin and facing x."""
    frames = (stand.frames[:STAND_FRAMES] if first else stand.frames[-STAND_FRAMES:]).copy()
    frames[:, :2] -= frames[0, :2]
    frames = turned_frames(frames, -float(facing_of(frames)[0]))
    return Fragment("stand", frames, stand.ground)


def _stand_slot(stand: Fragment, gains: TrackingGains) -> ChosenStep:
    turn = float(np.diff(facing_of(stand.frames)[[0, -1]])[0])
    return ChosenStep("standing", "", stand, gains, turn, 0.0, -1)
