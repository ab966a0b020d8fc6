"""A character that is steered while it walks (Data-Driven Biped Control, section 5, interactive control).

Steps are chosen from a motion graph (:mod:`footfall.methods.tracking.step_choice`). A tracked character chooses them
while the simulation runs. A network's walk is played on the graph without physics, and the network follows it as it
would follow a clip: where the walk goes, the policy keeps the balance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import PlayedMinute
from footfall.methods.network.clip_frames import poses_at
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.steered_network import tethered
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings
from footfall.methods.tracking.step_choice import FRAMES, SLOTS, STOP, SteeredController, StepChoice
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS, facing_of
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.quaternion import wrapped_angle
from footfall.simulation import Record, Simulation
from footfall.study.imitation.followers import DEMO, sole_setting
from footfall.study.imitation.following import way_length
from footfall.study.imitation.gain_search import BLANK, sized_set, split_set
from footfall.study.trials.bench import disturbed_worlds
from footfall.text_files import packaged_toml

Array = NDArray[np.float64]
SETTLED = 0.6
"""Share of an order's time after which its heading is measured."""
HALTING, STANDING = 8.0, 1.0
"""Seconds that a played walk may take to come to its last stand, and that it stands then."""


# -- where it is sent --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stretch:
    """A part of a sequence of orders.

    Attributes:
        seconds: for how long.
        direction: degrees from the first heading, left is positive.
        speed: metres a second.
        style: of the steps.
    """

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


def by_sequence(walker: Directed, sequence: Sequence[Stretch]) -> list[float]:
    """Send it stretch after stretch; how far its heading was off, radians, in the last part of each."""
    errors: list[float] = []
    for stretch in sequence:
        direction = math.radians(stretch.direction)
        walker.direct(direction, stretch.speed, stretch.style)
        until = walker.time + stretch.seconds
        settled = walker.time + SETTLED * stretch.seconds
        while walker.time < until - 1e-9:
            if not walker.advance():
                return errors
            if walker.time > settled:
                errors.append(abs(float(wrapped_angle(walker.facing - direction))))
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
        path: where to go.
        near: how close to the last point is there, metres.
        look: metres that it looks ahead on the path.
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
        to = _at(points, marks, min(done + look, marks[-1])) - place
        walker.direct(math.atan2(to[1], to[0]))
        if not walker.advance():
            break
        errors.append(float(np.linalg.norm(place - _at(points, marks, done))))
    return errors, False


def _at(points: Array, marks: Array, distance: float) -> Array:
    return np.array([np.interp(distance, marks, points[:, k]) for k in range(2)])


def _along(points: Array, marks: Array, place: Array, done: float) -> float:
    """How far along the path the nearest point is, at most two metres further than before."""
    far = np.linspace(done, min(done + 2.0, marks[-1]), 81)
    places = np.stack([np.interp(far, marks, points[:, k]) for k in range(2)], axis=1)
    return float(far[np.argmin(np.linalg.norm(places - place, axis=1))])


def distances(path: Sequence[Sequence[float]], places: Array) -> Array:
    """[T] how far positions [T, 2] are from a path that begins at the origin."""
    points = _points(path)
    first, along = points[:-1], np.diff(points, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((places[:, None] - first) * along).sum(axis=-1) / squared, 0.0, 1.0)
    return np.asarray(np.linalg.norm(first + share[..., None] * along - places[:, None], axis=-1).min(axis=1))


# -- the outcome -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Steered:
    """The outcome of steering; errors are not a number where they were not measured.

    Attributes:
        fell: whether it fell.
        seconds: that it stayed up.
        steps: made.
        distance: metres walked.
        motion: the simulated one, 30 frames a second.
        clips: whose steps it made, in the order in which they first came.
        heading_error: degrees between asked and simulated heading, mean over the last part of each order to walk.
        speed_error: metres a second between asked and simulated speed, mean over the same (a network's).
        path_error: metres from the path, mean.
        off_walk: metres between the simulated pelvis and the played one, mean (a network's).
        arrived: whether it reached the end of its path; None without one.
        boxes: [T, B, 7] where movable boxes were, frame by frame; None without any.
        controller: a policy with the walk that it followed; None of a tracked character.
        seed: of the orders and of what disturbed the start.
    """

    fell: bool
    seconds: float
    steps: int
    distance: float
    motion: Motion
    clips: tuple[str, ...] = ()
    heading_error: float = math.nan
    speed_error: float = math.nan
    path_error: float = math.nan
    off_walk: float = math.nan
    arrived: bool | None = None
    boxes: Array | None = None
    controller: NetworkController | None = None
    seed: int = 1

    @property
    def path(self) -> Array:
        """[T, 2] where the pelvis was, 30 times a second."""
        return self.motion.root_position[:, :2]

    @property
    def fastest(self) -> float:
        """The highest speed over a second, m/s."""
        second = min(int(FPS), len(self.path) - 1)
        return float(np.linalg.norm(self.path[second:] - self.path[:-second], axis=1).max() * FPS / second)


def steered_walk(
    character: Any,
    path: Sequence[Sequence[float]] = (),
    sequence: Sequence[Stretch] = (),
    *,
    speed: float = 1.0,
    style: str = "",
    noise: float = 0.0,
    seed: int = 1,
    **options: Any,
) -> Steered:
    """Steer a character along a path or by a sequence.

    Args:
        character: steps of clips, tracked (:class:`SteeredController`) or followed by a network
            (:class:`SteeredNetwork`).
        path: points [(x, y), …] of the ground; it starts at the origin facing x.
        sequence: orders, in place of a path.
        speed: metres a second, where the sequence says nothing else.
        style: of the first step.
        noise: standard deviation of what is added to the start's velocities.
        seed: of the noise.
        options: of a tracked character's simulation.
    """
    if not kind_of(character).abilities(character).played:
        walker = Steering(character, style=style, noise=noise, seed=seed, **options)
        walker.direct(speed=speed)
        return walker.sent(path, sequence)
    walk = PlayedSteps(character.graph, style=style)
    walk.direct(speed=speed)
    arrived: bool | None = None
    if path:
        _, arrived = along_path(walk, path)
    else:
        by_sequence(walk, sequence)
    asked = len(walk.frames)
    (minute,) = PlayedMinute.of([halted(walk)], character.policy.rate)
    made = follow_walk(character.policy, minute, noise=noise, seed=seed)
    made = replace(made, clips=clips_of(character.graph, walk.walked))
    if not path:
        return made
    off = float(np.mean(distances(path, made.path[:asked])))
    nothing: dict[str, Any] = {"heading_error": math.nan, "speed_error": math.nan}
    return replace(made, path_error=off, arrived=arrived and not made.fell, **nothing)


def clips_of(graph: TrackedGraph, walked: Sequence[int]) -> tuple[str, ...]:
    """The clips of the steps with these numbers, -1 for a stand."""
    return tuple(dict.fromkeys(graph.steps[number].clip for number in walked if number >= 0))


# -- a tracked character -----------------------------------------------------------------------------------------------


class SteeredWorlds:
    """Characters on one motion graph, each steered by itself, side by side in one simulation.

    Every world has its own three slots of steps (:mod:`footfall.methods.tracking.step_choice`) in the library that all
    of them read, and its own gains in its row of parameters. A world's walk is the one that it would make alone.

    Args:
        controller: the graph, with its settings and ground.
        worlds: how many.
        noise: standard deviation of what is added to the starts' velocities.
        seed: of that.
        styles: of the first step, one for each world; by default the first clip's.
        recorded: how many worlds' motions are kept.
        lifted: metres that they start higher, as the ground is there.
        engine: the class of simulation.
        options: as :class:`Simulation` takes them.

    Attributes:
        choices: what each world was asked for, and the steps that were chosen for it.
        simulation: of all worlds.
        boxes: [B, 7] where the first world's movable boxes were, frame by frame.
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
        engine: type[Simulation] = Simulation,
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
        self.simulation = engine(
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
        self.boxes: list[Array] = []
        self._see_boxes()

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

    def _see_boxes(self) -> None:
        states = getattr(self.simulation, "box_states", None)
        if states is not None:
            self.boxes.append(np.asarray(states[0]))

    @property
    def up(self) -> NDArray[np.bool_]:
        """[N] which have not fallen."""
        return np.asarray(self.simulation.outcome().survived)

    @property
    def places(self) -> Array:
        """[N, 2] the pelvises on the ground."""
        return np.asarray(self.simulation.qpos[:, :2], dtype=float)

    @property
    def facings(self) -> Array:
        """[N] headings of the simulated pelvises."""
        return np.array([facing_of(pose[None])[0] for pose in np.asarray(self.simulation.qpos, dtype=float)])

    def advance(self, frames: int = FRAMES) -> NDArray[np.bool_]:
        """Simulate some frames and choose the next steps; which worlds are up."""
        up = self.up
        changed = [bool(up[k]) and choice.decide() for k, choice in enumerate(self.choices)]
        if any(changed):
            parts = [choice.repertoire() for choice in self.choices]
            self.simulation.set_library(self._all(parts).library())
            self.simulation.set_parameters(np.stack([self._row(part) for part in parts]))
        for _ in range(frames):
            self.simulation.step(self._steps)
            self._see_boxes()
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


class Steering:
    """One tracked character that is told where to go.

    Args:
        controller: its motion graph, with settings and ground.
        style: of the first step; by default the first clip's.
        options: as :class:`SteeredWorlds` takes them.
    """

    def __init__(self, controller: SteeredController, *, style: str = "", **options: Any) -> None:
        self.worlds = SteeredWorlds(controller, 1, styles=[style], recorded=1, **options)
        self.simulation, self.choice = self.worlds.simulation, self.worlds.choices[0]
        self.direct = self.choice.direct

    @property
    def time(self) -> float:
        """Seconds that were simulated."""
        return self.simulation.time

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""
        return np.asarray(self.worlds.places[0])

    @property
    def facing(self) -> float:
        """Heading of the simulated pelvis."""
        return float(self.worlds.facings[0])

    def advance(self) -> bool:
        """Simulate some frames and choose the next step; False when it has fallen."""
        return bool(self.worlds.advance()[0])

    def sent(self, path: Sequence[Sequence[float]] = (), sequence: Sequence[Stretch] = (), **options: float) -> Steered:
        """Walk along a path (:func:`along_path`, which takes the options) or by a sequence."""
        if path:
            errors, arrived = along_path(self, path, **options)
            return replace(self.result(), path_error=float(np.mean(errors or [math.nan])), arrived=arrived)
        errors = by_sequence(self, sequence)
        return replace(self.result(), heading_error=float(np.degrees(np.mean(errors))) if errors else math.nan)

    def result(self) -> Steered:
        """The outcome so far."""
        outcome, motion, boxes = self.simulation.outcome(), self.worlds.motion(), self.worlds.boxes
        fell = not bool(outcome.survived[0])
        return Steered(
            fell,
            float(outcome.end_time[0]) if fell else self.simulation.time,
            int(outcome.footsteps[0]),
            way_length(motion.root_position[:, :2]),
            motion,
            tuple(dict.fromkeys(self.choice.made)),
            boxes=np.array(boxes[: len(motion)]) if boxes else None,
        )


def steering_set() -> dict[str, float]:
    """The set of default gains for steering."""
    return BLANK | packaged_toml("footfall.study.imitation", "steering-gains.toml")


def steering_settings(body: Figure) -> Settings:
    """The settings that go with the default gains, on a body."""
    return replace(split_set(sized_set(steering_set(), body))[1], **sole_setting(body))


def clip_graph(clips: Sequence[tuple[str, Path]], figure: str = "mocap-biped") -> TrackedGraph:
    """A motion graph of (style, motion file) with the default gains."""
    body = Figure.load(figure)
    usual = split_set(sized_set(steering_set(), body))[0]
    frames = [frames_of(load_motion(file), body, lifted=True) for _, file in clips]
    made = [GraphClip(file.stem, own, style, usual) for (style, file), own in zip(clips, frames, strict=True)]
    return TrackedGraph(made, body)


def steered_controller(graph: TrackedGraph, name: str = "steered", about: str = "") -> SteeredController:
    """A graph as a controller, under the settings that go with the default gains."""
    ground = replace(PAPER_GROUND, friction=DEMO["friction"])
    return SteeredController.of(graph, steering_settings(graph.figure), ground, name, about)


# -- a network's character ---------------------------------------------------------------------------------------------


def halted(walk: PlayedSteps) -> PlayedSteps:
    """The walk, which has come to a stand where its clips can stand."""
    if walk.graph.halts:
        walk.direct(speed=0.0)
        until = walk.time + HALTING
        while not walk.slots.holds and walk.time < until:
            walk.advance()
        until = walk.time + STANDING
        while walk.slots.holds and walk.time < until:
            walk.advance()
    return walk


def follow_walk(policy: NetworkController, walk: PlayedMinute, *, noise: float = 0.0, seed: int = 1) -> Steered:
    """Let a policy follow a played walk, from a start whose velocities are disturbed by ``noise``."""
    about = f"Walks {walk.time:.1f} s as it was steered, in steps of captured motion, by the policy {policy.name}."
    clip, figure = walk.clip, Figure.load(policy.figure)
    controller = replace(tethered(policy), name="steered", about=about, clip_frames=clip)
    shaken = np.random.default_rng(seed).normal(0.0, 1.0, (1, figure.nv)) * noise
    simulation = disturbed_worlds(
        controller, figure=figure, shaken=shaken, record=Record(rate=policy.rate, worlds=1), last_states=1
    )
    outcome, trace = simulation.run(clip.seconds), simulation.trace()
    fell = not bool(outcome.survived[0])
    lived = max(int(trace.last[0]), 2)
    poses, times = trace.qpos[:lived, 0].astype(float), trace.times[:lived]
    at = np.arange(min(int(times[-1] * FPS) + 1, len(walk.frames))) / FPS
    went = poses_at(poses, times, figure, at)
    heading, speed = obeyed(went, walk.orders)
    return Steered(
        fell,
        float(outcome.end_time[0]) if fell else clip.seconds,
        int(outcome.footsteps[0]),
        way_length(went[:, :2]),
        Motion.from_qpos(figure, np.arange(len(went)) / FPS, went),
        heading_error=heading,
        speed_error=speed,
        off_walk=float(np.linalg.norm(went[:, :2] - walk.frames[: len(went), :2], axis=1).mean()),
        controller=controller,
        seed=seed,
    )


def obeyed(shown: Array, orders: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean errors of heading, degrees, and of speed, m/s, over the last part of each order to walk.

    Args:
        shown: [T, nq] poses, 30 a second.
        orders: wanted direction and speed, frame by frame, at least T.
    """
    wanted, facing = np.array(orders[: len(shown)]), facing_of(shown)
    way = np.linalg.norm(np.diff(shown[:, :2], axis=0), axis=1) * FPS
    begins = np.concatenate([[0], np.flatnonzero(np.abs(np.diff(wanted, axis=0)).max(axis=1) > 0.0) + 1, [len(shown)]])
    headings: list[Array] = []
    speeds: list[Array] = []
    for a, b in pairwise(begins):
        last = slice(a + int(SETTLED * (b - a)), b - 1)
        if wanted[a, 1] >= STOP and len(way[last]):
            headings.append(np.abs(wrapped_angle(facing[last] - wanted[a, 0])))
            speeds.append(np.full(len(way[last]), abs(way[last].mean() - wanted[a, 1])))
    if not headings:
        return math.nan, math.nan
    return float(np.degrees(np.concatenate(headings).mean())), float(np.concatenate(speeds).mean())
