"""A tracked character that is steered while it walks (Data-Driven Biped Control, section 5, interactive control).

Steps are chosen from a motion graph while the simulation runs (:mod:`footfall.methods.tracking.step_choice`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.contact import Ground
from footfall.figures import Figure
from footfall.methods.tracking.capture import frames_of
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.repertoire import PAPER_GROUND, Settings
from footfall.methods.tracking.step_choice import FRAMES, SteeredController, StepChoice
from footfall.motion import Motion, load_motion
from footfall.motion.synthesis.ball_poses import facing_of
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.study.imitation.directing import Leg, along_path, by_sequence
from footfall.study.imitation.gain_search import BLANK, sized_set, split_set
from footfall.study.imitation.imitate import DEMO, sole_setting
from footfall.text_files import parse_toml

__all__ = ["Leg", "Steered", "Steering", "clip_graph", "follow_path", "follow_sequence", "steered_controller"]

Array = NDArray[np.float64]


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
    clips: Sequence[tuple[str, Path]], gains: Mapping[str, Gains] | None = None, figure: str = "mocap-biped"
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
