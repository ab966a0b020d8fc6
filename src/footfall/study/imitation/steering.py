"""A tracked character that is steered while it walks (Data-Driven Biped Control, section 5, interactive control).

Steps are chosen from a motion graph while the simulation runs: the next one is that which brings the heading, the speed
and the style nearest to what is wanted, blended with a second one where that comes closer. The law reads three slots:
the step that is being made, the next one, and the one after, which is rewritten when a foot lands. Nothing is known in
advance of where the character will go.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.tracking.capture import frames_of
from footfall.control.tracking.clips import facing_of, turned_frames
from footfall.control.tracking.controller import TrackingController
from footfall.control.tracking.gains import Gains
from footfall.control.tracking.motion_graph import GraphClip, MotionGraph, Step, bent_step, blended_step
from footfall.control.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, load_motion
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.study.imitation.gain_search import default_sets, split_set
from footfall.study.imitation.imitate import DEMO

__all__ = ["Leg", "Steered", "Steering", "clip_graph", "follow_path", "follow_sequence"]

Array = NDArray[np.float64]
STEERING_SET = 6
"""Number of the default set for steering: of six that were tried on the scripted minute, the one that stays up."""
SLOTS = 3
FRAMES = 3
"""Between two decisions, in frames of the motion."""
STAND_FRAMES = 15
"""How much of a clip's standing comes before the first step, at most."""
SEAM = 0.06
"""Metres that count as much as a heading half a radian off."""
SEAM_LIMIT = 0.25
SPEED_SCALE = 0.5
STYLE_COST = 2.0
BEND = 0.12
"""Radians that a step may be bent."""
PER_STEP = 0.5
"""Radians that one step can be asked to turn."""


def steering_set() -> dict[str, float]:
    """The set of default gains for steering."""
    return default_sets()[STEERING_SET]


@dataclass(frozen=True)
class Leg:
    """A stretch of a sequence: for how long, in what direction (degrees from the first heading, left is positive), how
    fast (metres a second) and in what style."""

    seconds: float
    direction: float
    speed: float = 1.0
    style: str = "normal"


@dataclass(frozen=True, eq=False)
class Steered:
    """What came of steering.

    Attributes:
        fell: whether it fell. seconds: that it walked. steps: made, with their clips in ``made``.
        heading_error: degrees between wanted and simulated heading, mean over the times when it was to keep one.
        path_error: metres from the path, mean; not a number without one.
        distance: metres walked. motion: the simulated one.
        boxes: [T, B, 7] where movable boxes were, frame by frame; None without any.
    """

    fell: bool
    seconds: float
    steps: int
    heading_error: float
    distance: float
    made: tuple[str, ...]
    motion: Motion
    path_error: float = float("nan")
    boxes: Array | None = None


class Steering:
    """One character on a motion graph.

    Args:
        graph: its steps. settings: of the law. ground: what it walks on.
        pushes: timed forces. noise: of the start's velocities. seed: of the noise.
        figure: name of the figure.
        engine: the class of simulation; options go to it.
    """

    def __init__(
        self,
        graph: MotionGraph,
        *,
        settings: Settings = Settings(),  # noqa: B008
        ground: Ground = PAPER_GROUND,
        pushes: Sequence[Push] = (),
        noise: float = 0.0,
        seed: int = 1,
        style: str = "",
        figure: str = "mocap-biped",
        engine: type[Simulation] = Simulation,
        **options: Any,
    ) -> None:
        self.graph, self.settings, self.ground = graph, settings, ground
        self.direction, self.speed, self.style = 0.0, 1.0, style or graph.styles()[0]
        first = min(graph.stands, key=lambda k: (graph.steps[k].style != self.style, abs(graph.steps[k].turn), k))
        stand = _standing(graph.stands[first])
        step = graph.steps[first]
        self._numbers = [-1, first, first]
        self._steps: list[Step | None] = [None, step, step]
        self._fragments = [stand, step.fragment, step.fragment]
        self._turns = [float(np.diff(facing_of(stand.frames)[[0, -1]])[0]), step.turn, step.turn]
        self._gains = [step.gains, step.gains, step.gains]
        self._slot, self.heading = 0, 0.0
        self.made: list[str] = []
        repertoire = self._repertoire()
        controller = TrackingController("steered", repertoire, figure)
        body = graph.figure
        qvel = np.array(controller.start.qvel)
        qvel = qvel + np.random.default_rng(seed).normal(0.0, 1.0, qvel.shape) * noise
        rate = 1.0 / settings.frame_time
        self.simulation = engine(
            controller,
            figure=body,
            qvel=qvel,
            pushes=pushes,
            record=Record(rate=rate, worlds=1),
            efforts=False,
            last_states=1,
            **options,
        )
        self._places = self.simulation.law.layout.memory()  # type: ignore[attr-defined]
        self._asked: tuple[Any, ...] = ()
        self._boxes: list[Array] = [self._seen_boxes()]

    @classmethod
    def with_defaults(cls, graph: MotionGraph, **options: Any) -> "Steering":
        """Under the settings that go with the default gains."""
        settings = split_set(steering_set())[1]
        ground = replace(PAPER_GROUND, friction=DEMO["friction"])
        return cls(graph, settings=settings, ground=ground, **options)

    def _repertoire(self) -> Repertoire:
        fragments = [
            replace(fragment, gains=k, successor=(k + 1) % SLOTS, turn=self._turns[k])
            for k, fragment in enumerate(self._fragments)
        ]
        gains: tuple[Gains, ...] = tuple(self._gains)
        return Repertoire(tuple(fragments), gains, self.settings, self.ground)

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Say where to go: a direction in the world (radians from x), metres a second, a style's name."""
        self.direction = self.direction if direction is None else direction
        self.speed = self.speed if speed is None else speed
        if style is not None:
            if style not in self.graph.styles():
                raise FootfallError(f"steering: no style '{style}'; choose one of: {', '.join(self.graph.styles())}")
            self.style = style

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""
        return np.asarray(self.simulation.qpos[0, :2], dtype=float)

    @property
    def facing(self) -> float:
        """Heading of the simulated pelvis."""
        return float(facing_of(np.asarray(self.simulation.qpos, dtype=float))[0])

    @property
    def up(self) -> bool:
        """Whether it has not fallen."""
        return bool(self.simulation.outcome().survived[0])

    def advance(self, frames: int = FRAMES) -> bool:
        """Simulate some frames and choose the next step; False when it has fallen."""
        self._decide()
        for _ in range(frames):
            self.simulation.step(round(self.settings.frame_time / self.simulation.dt))
            self._boxes.append(self._seen_boxes())
        memory = self.simulation.memory[0]
        slot = int(memory[self._places["fragment"]])
        self.heading = float(memory[self._places["heading"]])
        if slot != self._slot:
            self._slot = slot
            step = self._steps[slot]
            if step is not None:
                self.made.append(step.clip)
        return self.up

    def _seen_boxes(self) -> Array:
        states = getattr(self.simulation, "box_states", None)
        return np.zeros((0, 7)) if states is None else np.asarray(states[0])

    def _decide(self) -> None:
        """Write the step after the present one into its slot."""
        now, after = self._slot, (self._slot + 1) % SLOTS
        asked = (now, round(self.direction, 3), self.speed, self.style)
        if self._steps[now] is None or asked == self._asked:
            return
        self._asked = asked
        need = _wrapped(self.direction - (self.heading + self._turns[now]))
        number, step = self._choose(self._numbers[now], need)
        self._numbers[after], self._steps[after] = number, step
        self._fragments[after], self._turns[after], self._gains[after] = step.fragment, step.turn, step.gains
        repertoire = self._repertoire()
        self.simulation.set_library(repertoire.library())
        self.simulation.set_parameters(repertoire.parameters())

    def _choose(self, number: int, need: float) -> tuple[int, Step]:
        graph = self.graph
        cost = graph.cost[number]
        steps = graph.steps
        turns = np.array([s.turn for s in steps])
        speeds = np.array([s.speed for s in steps])
        other = np.array([s.style != self.style for s in steps])
        ask = float(np.clip(need, -PER_STEP, PER_STEP))
        price = cost / SEAM + STYLE_COST * other + np.abs(speeds - self.speed) / SPEED_SCALE
        rest = np.abs(turns - ask) / 0.5
        # what the step after can still do about it
        seams = np.where(graph.cost < SEAM_LIMIT, graph.cost / SEAM, np.inf)
        later = np.abs(np.clip(need - turns[:, None], -PER_STEP, PER_STEP) - turns[None]) / 0.5
        ahead = np.min(seams + later + STYLE_COST * other[None], axis=1)
        total = np.where(
            cost < SEAM_LIMIT, price + 0.5 * rest + 0.5 * np.where(np.isfinite(ahead), ahead, 10.0), np.inf
        )
        if not np.isfinite(total).any():
            total = np.where(np.isfinite(cost), cost, np.inf)
        best = int(np.argmin(total))
        step = self._between(best, total, ask)
        bend = float(np.clip(ask - step.turn, -BEND, BEND))
        return best, bent_step(step, bend, graph.figure)

    def _between(self, best: int, total: Array, ask: float) -> Step:
        """The best step, or one between it and another that turns or hurries as is wanted."""
        graph, first = self.graph, self.graph.steps[best]
        chosen, least = first, abs(first.turn - ask) / 0.5 + abs(first.speed - self.speed) / SPEED_SCALE
        for k in np.argsort(total)[1:6]:
            second = graph.steps[int(k)]
            if not np.isfinite(total[k]) or second.fragment.kind != first.fragment.kind:
                continue
            for a, b, wanted in ((first.turn, second.turn, ask), (first.speed, second.speed, self.speed)):
                if abs(b - a) < 1e-3:
                    continue
                share = float(np.clip((wanted - a) / (b - a), 0.0, 1.0))
                turn = (1 - share) * first.turn + share * second.turn
                speed = (1 - share) * first.speed + share * second.speed
                miss = abs(turn - ask) / 0.5 + abs(speed - self.speed) / SPEED_SCALE
                miss += share * 0.3 * (total[k] - total[best])
                if miss < least - 0.05 and share > 0.05:
                    chosen, least = blended_step(first, second, share, graph.figure), miss
        return chosen

    def result(self, errors: Sequence[float] = ()) -> Steered:
        """What came of it so far."""
        outcome, trace = self.simulation.outcome(), self.simulation.trace()
        own: NDArray[np.float64] = trace.qpos[: int(trace.last[0]), 0].astype(np.float64)
        times = np.arange(len(own), dtype=np.float64) * self.settings.frame_time
        fell = not bool(outcome.survived[0])
        return Steered(
            fell,
            float(outcome.end_time[0]) if fell else self.simulation.time,
            int(outcome.footsteps[0]),
            float(np.degrees(np.mean(errors))) if len(errors) else float("nan"),
            float(np.linalg.norm(np.diff(own[:, :2], axis=0), axis=1).sum()),
            tuple(self.made),
            Motion.from_qpos(self.graph.figure, times, own),
            boxes=np.array(self._boxes[: len(own)]) if len(self._boxes[0]) else None,
        )


def clip_graph(
    clips: Sequence[tuple[str, Path]], gains: Mapping[str, Gains] | None = None, figure: str = "mocap-biped"
) -> MotionGraph:
    """A motion graph of (style, motion file), with gains by style where given, else the default ones."""
    body = Figure.load(figure)
    usual = split_set(steering_set())[0]
    made = []
    for style, file in clips:
        frames = frames_of(load_motion(file), body)
        made.append(GraphClip(file.stem, frames, style, (gains or {}).get(style, usual)))
    return MotionGraph(made, body)


def _standing(stand: Fragment) -> Fragment:
    """The last part of a stand, at the origin and facing x."""
    frames = stand.frames[-STAND_FRAMES:].copy()
    frames[:, :2] -= frames[0, :2]
    frames = turned_frames(frames, -float(facing_of(frames)[0]))
    return Fragment("stand", frames, stand.ground)


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def follow_sequence(steering: Steering, sequence: Sequence[Leg]) -> Steered:
    """Steer by a sequence, stretch after stretch."""
    errors: list[float] = []
    for leg in sequence:
        steering.direct(math.radians(leg.direction), leg.speed, leg.style)
        until = steering.simulation.time + leg.seconds
        settled = steering.simulation.time + 0.6 * leg.seconds
        while steering.simulation.time < until - 1e-9:
            if not steering.advance():
                return steering.result(errors)
            if steering.simulation.time > settled:
                errors.append(abs(_wrapped(steering.facing - steering.direction)))
    return steering.result(errors)


def follow_path(
    steering: Steering, path: Sequence[Sequence[float]], *, near: float = 0.5, look: float = 0.8, most: float = 300.0
) -> tuple[Steered, bool]:
    """Walk along points [(x, y), …] of the ground; also whether the last one was reached.

    Args:
        steering: the character, which starts at the origin facing x.
        path: where to go. near: how close to the last point is there. look: metres that it looks ahead on the path.
        most: seconds after which it gives up.
    """
    points = np.array([[0.0, 0.0], *path], dtype=float)
    if points.shape[1] != 2 or not np.isfinite(points).all():
        raise FootfallError("path: give points as X,Y in metres")
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    done = 0.0
    errors: list[float] = []
    while steering.simulation.time < most:
        place = steering.place
        done = max(done, _along(points, marks, place, done))
        if marks[-1] - done < near and np.linalg.norm(place - points[-1]) < max(near, 0.5):
            return replace(steering.result(), path_error=float(np.mean(errors))), True
        goal = _at(points, marks, min(done + look, marks[-1]))
        to = goal - place
        steering.direct(math.atan2(to[1], to[0]))
        if not steering.advance():
            break
        errors.append(float(np.linalg.norm(place - _at(points, marks, done))))
    return replace(steering.result(), path_error=float(np.mean(errors or [math.nan]))), False


def _at(points: Array, marks: Array, distance: float) -> Array:
    return np.array([np.interp(distance, marks, points[:, k]) for k in range(2)])


def _along(points: Array, marks: Array, place: Array, done: float) -> float:
    """How far along the path the nearest place is, at most two metres further than before."""
    far = np.linspace(done, min(done + 2.0, marks[-1]), 81)
    places = np.stack([np.interp(far, marks, points[:, k]) for k in range(2)], axis=1)
    return float(far[np.argmin(np.linalg.norm(places - place, axis=1))])
