"""A tracked character that is steered while it walks (Data-Driven Biped Control, section 5, interactive control).

Steps are chosen from a motion graph while the simulation runs (:mod:`footfall.methods.tracking.step_choice`).

Many characters on one motion graph, each steered by itself, side by side in one simulation.

Every world has its own three slots of steps (:mod:`footfall.methods.tracking.step_choice`) in the library that all of
them read, and its own gains in its row of parameters. A world's walk is the one that it would make alone.

Random steering: characters on a motion graph that are sent here and there, stopped and hurried, until they fall.

Every few seconds a world gets another order: a heading up to 150 degrees away, a speed from that of slow steps (the
10th percentile) to that of the fastest one, where its clips stand a stop now and then, and one time in three another
style. What is measured is how many stay up, and how well they obey.

Where a character on a motion graph is sent: by a sequence of directions, or along a path.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings, TrackingGains
from footfall.methods.tracking.step_choice import FRAMES, SLOTS, SteeredController, StepChoice
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import facing_of
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.quaternion import wrap_angle
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.study.imitation.gain_search import BLANK, sized_set, split_set
from footfall.study.imitation.imitate import DEMO, sole_setting
from footfall.text_files import parse_toml

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Leg:
    """A stretch of a sequence: for how long, in what direction (degrees from the first heading, left is positive), how
    fast (metres a second) and in what style."""

    seconds: float
    direction: float
    speed: float = 1.0
    style: str = "normal"


class Directed(Protocol):
    """A character that is told where to go."""

    @property
    def time(self) -> float:
        """Seconds so far."""

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""

    @property
    def facing(self) -> float:
        """Heading of the pelvis, radians."""

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Say where to go."""

    def advance(self) -> bool:
        """Go on a little; False when it has fallen."""


def by_sequence(walker: Directed, sequence: Sequence[Leg]) -> list[float]:
    """Send it stretch after stretch; how far its heading was off, radians, in the last part of each."""
    errors: list[float] = []
    for leg in sequence:
        direction = math.radians(leg.direction)
        walker.direct(direction, leg.speed, leg.style)
        until = walker.time + leg.seconds
        settled = walker.time + 0.6 * leg.seconds
        while walker.time < until - 1e-9:
            if not walker.advance():
                return errors
            if walker.time > settled:
                errors.append(abs(float(wrap_angle(walker.facing - direction))))
    return errors


def _points(path: Sequence[Sequence[float]]) -> Array:
    """[N, 2] the origin and the points of a path."""
    points = np.array([[0.0, 0.0], *path], dtype=float)
    if points.shape[1] != 2 or not np.isfinite(points).all():
        raise FootfallError("path: give points as X,Y in metres")
    return points


def along_path(
    walker: Directed, path: Sequence[Sequence[float]], *, near: float = 0.5, look: float = 0.8, most: float = 300.0
) -> tuple[list[float], bool]:
    """Send it along points [(x, y), …] of the ground; how far it was from the path, metres, and whether it came to the
    last point.

    Args:
        walker: the character, which starts at the origin facing x.
        path: where to go. near: how close to the last point is there. look: metres that it looks ahead on the path.
        most: seconds after which it gives up.
    """
    points = _points(path)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    done = 0.0
    errors: list[float] = []
    while walker.time < most:
        place = walker.place
        done = max(done, _along(points, marks, place, done))
        if marks[-1] - done < near and np.linalg.norm(place - points[-1]) < max(near, 0.5):
            return errors, True
        goal = _at(points, marks, min(done + look, marks[-1]))
        to = goal - place
        walker.direct(math.atan2(to[1], to[0]))
        if not walker.advance():
            break
        errors.append(float(np.linalg.norm(place - _at(points, marks, done))))
    return errors, False


def _at(points: Array, marks: Array, distance: float) -> Array:
    return np.array([np.interp(distance, marks, points[:, k]) for k in range(2)])


def _along(points: Array, marks: Array, place: Array, done: float) -> float:
    """How far along the path the nearest place is, at most two metres further than before."""
    far = np.linspace(done, min(done + 2.0, marks[-1]), 81)
    places = np.stack([np.interp(far, marks, points[:, k]) for k in range(2)], axis=1)
    return float(far[np.argmin(np.linalg.norm(places - place, axis=1))])


def distances(path: Sequence[Sequence[float]], places: Array) -> Array:
    """[T] how far places [T, 2] are from a path that begins at the origin."""
    points = _points(path)
    first, along = points[:-1], np.diff(points, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((places[:, None] - first) * along).sum(axis=-1) / squared, 0.0, 1.0)
    return np.asarray(np.linalg.norm(first + share[..., None] * along - places[:, None], axis=-1).min(axis=1))


def steering_set() -> dict[str, float]:
    """The set of default gains for steering."""
    text = (resources.files("footfall.study.imitation") / "steering-gains.toml").read_text(encoding="utf-8")
    return BLANK | parse_toml(text, "steering-gains.toml")


@dataclass(frozen=True, eq=False)
class Steered:
    """The outcome of steering.

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


class Steering(StepChoice):
    """One character on a motion graph.

    Args:
        graph: its steps. settings: of the law. ground: what it walks on.
        pushes: timed forces. noise: of the start's velocities. seed: of the noise.
        figure: name of the figure.
        engine: the class of simulation; options go to it.
    """

    def __init__(
        self,
        graph: TrackedGraph,
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
        super().__init__(graph, settings, ground, style=style)
        controller = TrackingController("steered", self.repertoire(), figure)
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
        self._boxes: list[Array] = [self._seen_boxes()]

    @classmethod
    def with_defaults(cls, graph: TrackedGraph, **options: Any) -> "Steering":
        """Under the settings that go with the default gains."""
        settings = steering_settings(graph.figure)
        ground = replace(PAPER_GROUND, friction=DEMO["friction"])
        return cls(graph, settings=settings, ground=ground, **options)

    @property
    def time(self) -> float:
        """Seconds that were simulated."""
        return self.simulation.time

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
        if self.decide():
            repertoire = self.repertoire()
            self.simulation.set_library(repertoire.library())
            self.simulation.set_parameters(repertoire.parameters())
        for _ in range(frames):
            self.simulation.step(round(self.settings.frame_time / self.simulation.dt))
            self._boxes.append(self._seen_boxes())
        memory = self.simulation.memory[0]
        self.observe(int(memory[self._places["fragment"]]), float(memory[self._places["heading"]]))
        return self.up

    def _seen_boxes(self) -> Array:
        states = getattr(self.simulation, "box_states", None)
        return np.zeros((0, 7)) if states is None else np.asarray(states[0])

    def result(self, errors: Sequence[float] = ()) -> Steered:
        """The outcome so far."""
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
    clips: Sequence[tuple[str, Path]], gains: Mapping[str, TrackingGains] | None = None, figure: str = "mocap-biped"
) -> TrackedGraph:
    """A motion graph of (style, motion file), with gains by style where given, else the default ones."""
    body = Figure.load(figure)
    usual = split_set(sized_set(steering_set(), body))[0]
    made = []
    for style, file in clips:
        frames = frames_of(load_motion(file), body, lifted=True)
        made.append(GraphClip(file.stem, frames, style, (gains or {}).get(style, usual)))
    return TrackedGraph(made, body)


def steered_controller(graph: TrackedGraph, name: str = "steered", about: str = "") -> SteeredController:
    """A graph as a controller, under the settings that go with the default gains."""
    ground = replace(PAPER_GROUND, friction=DEMO["friction"])
    return SteeredController.of(graph, steering_settings(graph.figure), ground, name, about)


def steering_settings(body: Figure) -> Settings:
    """The settings that go with the default gains, on a body."""
    return replace(split_set(sized_set(steering_set(), body))[1], **sole_setting(body))


def follow_sequence(steering: Steering, sequence: Sequence[Leg]) -> Steered:
    """Steer by a sequence, stretch after stretch."""
    return steering.result(by_sequence(steering, sequence))


def follow_path(steering: Steering, path: Sequence[Sequence[float]], **options: float) -> tuple[Steered, bool]:
    """Walk along points [(x, y), …] of the ground; also whether the last one was reached.

    Args:
        steering: the character, which starts at the origin facing x.
        path: where to go. options: as :func:`.directing.along_path` takes them.
    """
    errors, arrived = along_path(steering, path, **options)
    return replace(steering.result(), path_error=float(np.mean(errors or [math.nan]))), arrived


class SteeredWorlds:
    """Characters on one motion graph.

    Args:
        controller: the graph, with its settings and ground.
        worlds: how many.
        noise: standard deviation of what is added to the starts' velocities. seed: of that.
        styles: of the first step, one for each world; by default the first clip's.
        recorded: how many worlds' motions are kept.
        lifted: metres that they start higher, as the ground is there.
        options: as :class:`Simulation` takes them.

    Attributes:
        choices: what each world was asked for, and the steps that were chosen for it. simulation: of all worlds.
    """

    def __init__(
        self,
        controller: SteeredController,
        worlds: int,
        *,
        noise: float = 0.0,
        seed: int = 1,
        styles: Sequence[str] = (),
        recorded: int = 0,
        lifted: float = 0.0,
        **options: Any,
    ) -> None:
        self.controller, self.figure = controller, controller.graph.figure
        settings, ground = controller.repertoire.settings, controller.ground
        wanted = styles or [""] * worlds
        self.choices = [StepChoice(controller.graph, settings, ground, style=style) for style in wanted]
        parts = [choice.repertoire() for choice in self.choices]
        starts = [TrackingController("", part, controller.figure, entry=controller.entry).start for part in parts]
        qvel = np.array([start.qvel for start in starts])
        qvel += np.random.default_rng(seed).normal(0.0, 1.0, qvel.shape) * noise
        self.simulation = Simulation(
            TrackingController(controller.name, self._all(parts), controller.figure),
            figure=self.figure,
            worlds=worlds,
            qpos=np.array([start.qpos for start in starts]) + lifted * np.eye(1, self.figure.nq, 2),
            qvel=qvel,
            record=Record(rate=1.0 / settings.frame_time, worlds=recorded) if recorded else None,
            efforts=False,
            last_states=1,
            **options,
        )
        self.simulation.set_parameters(np.stack([self._row(part) for part in parts]))
        self._places = self.simulation.law.layout.memory()  # type: ignore[attr-defined]
        snapshot = self.simulation.snapshot()
        snapshot["memory"][:, self._places["fragment"]] = SLOTS * np.arange(worlds)
        self.simulation.restore(snapshot)
        self._steps = round(settings.frame_time / self.simulation.dt)

    def _row(self, part: Repertoire) -> Array:
        """A world's parameters: the settings, and the gains of its slots as they were edited."""
        gains = tuple(self.controller.edited(own) for own in part.gains)
        return replace(part, gains=gains, settings=self.controller.repertoire.settings).parameters()

    def _all(self, parts: Sequence[Repertoire]) -> Repertoire:
        """The slots of all worlds, one after another."""
        fragments: list[Fragment] = []
        for world, part in enumerate(parts):
            first = SLOTS * world
            fragments += [replace(f, successor=f.successor + first if f.successor >= 0 else -1) for f in part.fragments]
        return Repertoire(tuple(fragments), parts[0].gains, self.controller.repertoire.settings, self.controller.ground)

    @property
    def up(self) -> NDArray[np.bool_]:
        """[N] which have not fallen."""
        return np.asarray(self.simulation.outcome().survived)

    @property
    def places(self) -> Array:
        """[N, 2] the pelvises on the ground."""
        return self.simulation.qpos[:, :2]

    @property
    def facings(self) -> Array:
        """[N] headings of the simulated pelvises."""
        return np.array([facing_of(pose[None])[0] for pose in self.simulation.qpos])

    def advance(self, frames: int = FRAMES) -> NDArray[np.bool_]:
        """Simulate some frames and choose the next steps; which worlds are up."""
        up = self.up
        changed = [bool(up[k]) and choice.decide() for k, choice in enumerate(self.choices)]
        if any(changed):
            parts = [choice.repertoire() for choice in self.choices]
            self.simulation.set_library(self._all(parts).library())
            self.simulation.set_parameters(np.stack([self._row(part) for part in parts]))
        self.simulation.step(frames * self._steps)
        memory, up = self.simulation.memory, self.up
        for k in np.flatnonzero(up):
            slot = int(memory[k, self._places["fragment"]]) - SLOTS * int(k)
            self.choices[k].observe(slot, float(memory[k, self._places["heading"]]))
        return up

    def motion(self, world: int = 0) -> Motion:
        """What a world did so far, up to its fall."""
        trace = self.simulation.trace()
        own: Array = trace.qpos[: int(trace.last[world]), world].astype(np.float64)
        times = np.arange(len(own), dtype=np.float64) * self.controller.repertoire.settings.frame_time
        return Motion.from_qpos(self.figure, times, own)


SHORTEST, LONGEST = 3.0, 8.0
"""Seconds between two orders."""
TURN = math.radians(150.0)
STOPPING = 0.15
"""Share of the orders that stop it."""
SETTLED = 0.6
"""Share of an order's time after which its heading is measured."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What random steering came to.

    Attributes:
        up: [N] which worlds stayed up. seconds: [N] that they did.
        heading_error: degrees between asked and simulated heading, mean over the last part of each order.
        walked: numbers of the steps that each world made, -1 for a stand.
        worlds: they, with the motions that were recorded.
    """

    up: NDArray[np.bool_]
    seconds: Array
    heading_error: float
    walked: tuple[tuple[int, ...], ...]
    worlds: SteeredWorlds


class RandomOrders:
    """The orders that one character on a graph gets."""

    def __init__(self, graph: TrackedGraph, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.styles, self.stops = graph.styles(), bool(graph.halts)
        used = graph.core if graph.choosing.plans else range(len(graph.steps))
        quick = [graph.steps[k].speed for k in used if graph.steps[k].speed > 0.0] or [0.0]
        self.speeds = float(np.percentile(quick, 10.0)), max(quick)
        self.since, self.until = 0.0, 0.0

    def next(self, time: float, direction: float) -> tuple[float, float, str | None]:
        """Direction, speed and style from now on."""
        random, first = self.random, self.until == 0.0
        self.since, self.until = time, time + float(random.uniform(SHORTEST, LONGEST))
        turned = direction + (0.0 if first else float(random.uniform(-TURN, TURN)))
        speed = float(random.uniform(*self.speeds))
        if self.stops and not first and random.random() < STOPPING:
            speed = 0.0
        style = str(random.choice(self.styles)) if random.random() < 1 / 3 else None
        return turned, speed, style


def rehearse(
    controller: SteeredController,
    worlds: int = 20,
    seconds: float = 60.0,
    *,
    noise: float = 0.03,
    seed: int = 1,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Rehearsal:
    """Steer worlds at random.

    Args:
        controller: what they walk on. worlds: how many. seconds: for how long.
        noise: of the starts' velocities. seed: of noise and orders.
        progress: called with the share done.
        options: as :class:`.steered_worlds.SteeredWorlds` takes them.
    """
    crowd = SteeredWorlds(controller, worlds, noise=noise, seed=seed, **options)
    orders = [RandomOrders(controller.graph, 1000 * seed + k) for k in range(worlds)]
    walked: list[list[int]] = [[choice.slots.numbers[choice.slots.now]] for choice in crowd.choices]
    errors: list[float] = []
    up = crowd.up
    while crowd.simulation.time < seconds - 1e-9 and up.any():
        time = crowd.simulation.time
        for own, choice in zip(orders, crowd.choices, strict=True):
            if time >= own.until:
                choice.direct(*own.next(time, choice.direction))
        slots = [choice.slots.now for choice in crowd.choices]
        up = crowd.advance()
        facings = crowd.facings
        for k in np.flatnonzero(up):
            choice, own = crowd.choices[k], orders[k]
            if choice.slots.now != slots[k]:
                walked[k].append(choice.slots.numbers[choice.slots.now])
            if time > own.since + SETTLED * (own.until - own.since) and choice.speed > 0.0:
                errors.append(abs(float(wrap_angle(facings[k] - choice.direction))))
        if progress is not None:
            progress(min(crowd.simulation.time / seconds, 1.0))
    lived = np.where(up, seconds, np.nan_to_num(crowd.simulation.outcome().end_time, nan=seconds))
    off = float(np.degrees(np.mean(errors))) if errors else math.nan
    return Rehearsal(up, lived, off, tuple(map(tuple, walked)), crowd)
