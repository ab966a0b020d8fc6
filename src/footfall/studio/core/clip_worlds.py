"""A figure that follows captured motion (Data-Driven Biped Control), watched, pushed and edited while it walks.

The law works 30 times a second. The world pauses at each of its frames, so that what it asked for in a frame and the
clip's pose in it are known for every sample.

A figure that is steered while it walks: its steps are chosen from a motion graph (Data-Driven Biped Control, section
5, interactive control).

A figure that a network steers by steps of clips: a walk is played on a motion graph as it is asked for, and the
network follows it.

The world pauses at each of the network's decisions, so that the walk is always as far ahead as the network looks.

What is asked of a character whose steps are chosen from a motion graph while it walks: speed, heading, style.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.law import Law
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.deciding import FRAME
from footfall.methods.network.law import ServoNetworkLaw
from footfall.methods.network.steered_network import PlayedWalk, SteeredNetwork
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.methods.tracking.step_choice import FRAMES, SteeredController, StepChoice
from footfall.motion.ball_poses import hinge_chains, turned_frames
from footfall.simulation import Simulation, Trace
from footfall.studio.core.history import SIGNALS
from footfall.studio.core.walker import Can, Leading, Walker
from footfall.studio.core.world import Setting, World

Array = NDArray[np.float64]
KEPT = 128
"""Frames whose poses are kept until they are sampled."""
READ_AS = {"d": "lead", "v": "ahead"}
"""What the law's own signals are shown as: how far and how fast the pelvis is ahead of the clip's."""


class TrackedWorld(World):
    """A figure under one tracking controller.

    Args:
        controller: a repertoire of motion with its gains. figure: what follows it.
        setting: what it stands on and carries; by default the controller's own ground.
        saved: the controller as it was saved, to walk beside.
    """

    controllers: tuple[TrackingController, ...]

    def __init__(
        self,
        controller: TrackingController,
        figure: Figure,
        setting: Setting | None = None,
        saved: TrackingController | None = None,
    ) -> None:
        self._seen: dict[int, tuple[Array, Array]] = {}
        super().__init__([controller], figure, setting, saved)

    @property
    def can(self) -> Can:
        """It has a clip and asks for poses; its speed and its way are the clip's."""
        return Can(follow=True, target=True)

    @property
    def controller(self) -> TrackingController:
        """What it follows, and its gains."""
        return self.controllers[0]

    @property
    def _frame_steps(self) -> int:
        return round(self.controller.repertoire.settings.frame_time / self.dt)

    def _like(self, controllers: Sequence[Any], setting: Setting) -> "TrackedWorld":
        return type(self)(controllers[0], self.figure, setting)

    @property
    def _places(self) -> dict[str, int]:
        """Where in its memory the law keeps what."""
        places: dict[str, int] = self.law.layout.memory()  # type: ignore[attr-defined]
        return places

    # -- going on --------------------------------------------------------------------------------------------------

    def _step(self, steps: int) -> None:
        simulation, frame = self.simulation, self._frame_steps
        goal = simulation.step_number + steps
        while simulation.step_number < goal:
            now = simulation.step_number
            number = now // frame
            if now % frame == 0:
                self._begin_frame(number)
            simulation.step(min(goal, (number + 1) * frame) - now)
            self._seen[number] = self._poses(simulation.memory[0])
        self._seen = dict(list(self._seen.items())[-KEPT:])

    def _begin_frame(self, number: int) -> None:
        """Before the law's frame of a number."""

    def _fragments(self) -> Sequence[Fragment]:
        """What the law's numbers of fragments stand for."""
        return self.controller.repertoire.fragments

    def _poses(self, memory: Array) -> tuple[Array, Array]:
        """The pose that the law asked for last, and the clip's, [nq] each, from what it remembers."""
        places = self._places
        chains = hinge_chains(self.figure)
        bodies = 1 + self.law.layout.joints  # type: ignore[attr-defined]
        frames = self._fragments()[int(memory[places["fragment"]])].frames
        index = min(max(int(memory[places["index"]]), 0), len(frames) - 1)
        clip = turned_frames(frames[index : index + 1], float(memory[places["heading"]]))[0]
        asked = np.array(clip)
        if memory[places["frame"]] >= 0:
            asked[3:] = memory[places["control"] : places["control"] + 4 * bodies]
        if chains is not None:
            asked, clip = chains.hinge_poses(np.array([asked, clip]))
        return asked, clip

    def _at(self, time: float) -> tuple[Array, Array]:
        """The same in the frame of a time."""
        number = round(time / self.dt) // self._frame_steps
        if number not in self._seen:
            return self._poses(np.asarray(self.state["memory"][0], dtype=float))
        return self._seen[number]

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note(snapshot)
        self._now = self._poses(np.asarray(snapshot["memory"][0], dtype=float))

    @property
    def signals(self) -> tuple[str, ...]:
        """Which of ``SIGNALS`` its law reports, under other names."""
        return tuple(READ_AS)

    def _signals(self, trace: Trace, ran: NDArray[np.int64]) -> Array:
        found = {name: trace.signals[READ_AS[name]][ran, 0] for name in SIGNALS if name in READ_AS}
        return np.stack([found.get(name, np.zeros(len(ran))) for name in SIGNALS], axis=-1)

    # -- what it is doing --------------------------------------------------------------------------------------------

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A fragment (the present one) as (controller, number, whether the right leg is in stance)."""
        if state is None:
            state = int(self.state["memory"][0, self._places["fragment"]])
        right = self._fragments()[state].kind != "right_swing"
        return self.controller.name, self._number(state), right

    def _named(self, state: int, stance: int) -> tuple[str, int, bool]:
        return self.where(state)

    def _number(self, fragment: int) -> int:
        """The number by which a fragment is known to people."""
        return fragment

    @property
    def heading(self) -> float:
        """The turn of the clip's motion: the pelvis itself swings to and fro with each step."""
        return float(self.state["memory"][0, self._places["heading"]])

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array:
        """[nq] the joints that the law asks for, on the root as it is: nothing drives that."""
        return np.concatenate([qpos[:7], self._now[0][7:]])

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        asked = np.array([self._at(t)[0] for t in times])
        return np.concatenate([qpos[:, :7], asked[:, 7:]], axis=1)

    def reference(self) -> Array:
        """[nq] the clip's pose, over the place on the ground where the figure is."""
        pose = self._now[1].copy()
        pose[:2] = self.state["qpos"][0, :2]
        return pose

    def _references_then(self, times: Array, qpos: Array) -> Array:
        poses = np.array([self._at(t)[1] for t in times])
        poses[:, :2] = qpos[:, :2]
        return poses


LEADING = Leading(rate=math.inf, ahead=math.pi, around=1.8)
"""Any heading may be asked for at once: each step turns as far as the graph's steps do."""
SLOWEST = 0.3
"""Metres a second that may be asked for at least."""


@dataclass(frozen=True)
class SteeredDrive:
    """What is asked of a steered character: metres a second, and the style of its steps."""

    speed: float = 0.7
    style: str = ""

    def first_style(self, graph: TrackedGraph) -> str:
        """The style of the first step; empty for the graph's own, where it has no such style."""
        return self.style if self.style in graph.styles() else ""


class AskedSteps(Walker):
    """A walker whose steps are chosen.

    Attributes:
        choice: the steps that were chosen.
    """

    choice: StepChoice

    @property
    def can(self) -> Can:
        """It takes a speed, a heading and a style; two of them cannot share the steps that are chosen for one."""
        switch = len(self.gaits) > 1
        return Can(speed=True, turn=True, switch=switch, follow=True, target=True, compare=False)

    def compare(self, saved: Any | None) -> None:
        """Two characters cannot share the steps that are chosen for one."""
        if saved is not None:
            raise FootfallError("compare: a steered character chooses its own steps; two of them cannot be compared")

    def ask(self, speed: float | None = None, style: str | None = None) -> None:
        """Ask it for a speed, metres a second, or a style, from the next step that can be chosen."""
        self.choice.direct(speed=None if speed is None else float(np.clip(speed, *self.speeds)), style=style)
        self.drive = SteeredDrive(self.choice.speed, self.choice.style)

    @property
    def asked_speed(self) -> float:
        """Metres a second that it is asked for."""
        return float(self.drive.speed)

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """Ask it for a speed, metres a second, from the next step that can be chosen; its controller stays."""
        self.ask(speed=speed)
        return controller

    @property
    def speeds(self) -> tuple[float, float]:
        """Metres a second that may be asked for: up to those of the graph's fastest step, none where it can stop."""
        slowest = 0.0 if self.choice.graph.halts else SLOWEST
        return slowest, max(SLOWEST, math.ceil(10.0 * max(s.speed for s in self.choice.graph.steps)) / 10.0)

    @property
    def leading(self) -> Leading:
        """It turns to any heading, step by step."""
        return LEADING

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians."""
        self.choice.direct(direction=heading)

    @property
    def gaits(self) -> list[str]:
        """Styles of its steps."""
        return self.choice.graph.styles()

    @property
    def gait(self) -> str:
        """The style that it is asked for."""
        return self.choice.style

    def request(self, name: str) -> None:
        """Ask for another style, from the next step that can be chosen."""
        self.ask(style=name)

    @property
    def clip(self) -> str:  # type: ignore[override]
        """The clip that the present step comes from; two where it is a blend."""
        step = self.choice.slots.steps[self.choice.slots.now]
        return "standing" if step is None else step.clip


class SteeredWorld(AskedSteps, TrackedWorld):
    """A figure on a motion graph.

    Args:
        controller: the graph with its settings. figure: whose steps they are. setting: what it stands on.
        drive: speed and style; by default the first clip's style.

    Attributes:
        choice: the steps that were chosen.
    """

    choice: StepChoice
    controllers: tuple[SteeredController, ...]

    def __init__(
        self,
        controller: SteeredController,
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        style = wanted.first_style(controller.graph)
        self.choice = StepChoice(controller.graph, controller.repertoire.settings, controller.ground, style=style)
        self.ask(speed=wanted.speed)
        super().__init__(controller, figure, setting)

    # -- making simulations ----------------------------------------------------------------------------------------

    def _build(self) -> Simulation:
        simulation = super()._build()
        simulation.set_library(self.choice.repertoire().library())
        return simulation

    def _rows(self) -> Array:
        return self._repertoire_now().parameters()[None]

    def _repertoire_now(self) -> Repertoire:
        """What the law reads: the chosen steps, with the gains and settings that were edited."""
        steps = self.choice.repertoire()
        gains = tuple(self.controller.edited(gains) for gains in steps.gains)
        return replace(steps, gains=gains, settings=self.controller.repertoire.settings)

    @property
    def controller(self) -> SteeredController:
        """The motion graph, and its gains."""
        return self.controllers[0]

    def prepare(self, controller: TrackingController) -> None:
        """Nothing is to be compiled: gains and settings are numbers that the kernel reads."""

    # -- going on --------------------------------------------------------------------------------------------------

    def _begin_frame(self, number: int) -> None:
        """Every few frames: see which step it makes, and choose the next one."""
        if number % FRAMES:
            return
        memory, places = self.simulation.memory[0], self._places
        if number:
            self.choice.observe(int(memory[places["fragment"]]), float(memory[places["heading"]]))
        if self.choice.decide():
            repertoire = self._repertoire_now()
            self.simulation.set_library(repertoire.library())
            self.simulation.set_parameters(repertoire.parameters())

    def _fragments(self) -> tuple[Fragment, ...]:
        return self.choice.slots.fragments

    def _number(self, fragment: int) -> int:
        return max(self.choice.slots.numbers[fragment], 0)

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note({**snapshot, "choice": np.array([self.choice.slots], dtype=object)})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        return {**super().snapshot(), "choice": np.array([self.choice.slots], dtype=object)}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure on this graph."""
        self.choice.slots = snapshot["choice"][0]
        self.simulation.set_library(self.choice.repertoire().library())
        self.simulation.set_parameters(self._rows())
        super().restore(snapshot)

    def reset(self) -> None:
        """Back to the start."""
        self.choice.begin()
        super().reset()
        self.simulation.set_library(self.choice.repertoire().library())
        self.simulation.set_parameters(self._rows())


NETWORK_STATES_KEPT = 256
"""Decisions whose poses are kept until they are sampled."""


class PlayedWorld(AskedSteps, World):
    """A figure whose network follows a walk that is steered.

    Args:
        controller: the network and the clips. figure: what it drives. setting: what it stands on and carries.
        drive: speed and style; by default the first clip's style.

    Attributes:
        walk: what is followed.
    """

    law: ServoNetworkLaw
    controllers: tuple[SteeredNetwork, ...]

    def __init__(
        self,
        controller: SteeredNetwork,
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        self.walk = PlayedWalk(controller, wanted.first_style(controller.graph))
        self._seen: dict[int, Array] = {}
        self.ask(speed=wanted.speed)
        super().__init__([controller], figure, setting)

    @property
    def choice(self) -> StepChoice:  # type: ignore[override]
        """The steps that were chosen."""
        return self.walk.steps

    # -- making simulations ----------------------------------------------------------------------------------------

    def _make_law(self, controllers: Sequence[Any]) -> Law:
        return ServoNetworkLaw(self.walk.follower(), self.figure)

    def _build(self) -> Simulation:
        simulation = super()._build()
        simulation.set_library(self.law.with_clip(self.walk.shown))
        return simulation

    def _start(self) -> Start:
        return self.walk.shown.start

    def _like(self, controllers: Sequence[Any], setting: Setting) -> "PlayedWorld":
        return type(self)(controllers[0], self.figure, setting)

    def edit(self, controller: Any) -> bool:
        """Nothing of it can be edited."""
        raise FootfallError(f"controller '{controller.name}' is a network with clips; nothing of it can be edited")

    def needs_kernel(self, controller: Any) -> bool:
        """Nothing is to be compiled."""
        return False

    # -- going on --------------------------------------------------------------------------------------------------

    @property
    def _decision_steps(self) -> int:
        return round(1.0 / (self.walk.rate * self.dt))

    def _step(self, steps: int) -> None:
        simulation, every = self.simulation, self._decision_steps
        goal = simulation.step_number + steps
        while simulation.step_number < goal:
            now = simulation.step_number
            if now % every == 0:
                self._go_ahead(now // every)
            simulation.step(min(goal, (now // every + 1) * every) - now)
            self._seen[now // every] = self.walk.pose(now // every)
        self._seen = dict(list(self._seen.items())[-NETWORK_STATES_KEPT:])

    def _go_ahead(self, decision: int) -> None:
        """Before a decision: let the walk be as far as the network looks."""
        before = self.walk.first
        if not self.walk.reach(decision):
            return
        self.simulation.set_library(self.law.with_clip(self.walk.shown))
        if self.walk.first != before:
            snapshot = self.simulation.snapshot()
            snapshot["memory"][:, self.law.memory_layout[FRAME]] -= self.walk.first - before
            self.simulation.restore(snapshot)

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note({**snapshot, "walk": np.array([None], dtype=object)})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        kept = np.empty(1, dtype=object)
        kept[0] = self.walk.state
        return {**super().snapshot(), "walk": kept}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure on these clips."""
        self.walk.state = snapshot["walk"][0]
        self.simulation.set_library(self.law.with_clip(self.walk.shown))
        super().restore({name: part for name, part in snapshot.items() if name != "walk"})

    def reset(self) -> None:
        """Back to the start."""
        asked = self.choice.speed, self.choice.style
        self.walk.begin()
        self.ask(*asked)
        super().reset()
        self.simulation.set_library(self.law.with_clip(self.walk.shown))

    # -- what it is doing --------------------------------------------------------------------------------------------

    def _followed(self, time: float) -> Array:
        """[nq] the walk's pose at a time."""
        number = int(time / self.dt + 1e-6) // self._decision_steps
        return self._seen.get(number, self.walk.pose(number))

    def reference(self) -> Array:
        """[nq] the walk's pose, over the place on the ground where the figure is."""
        pose = self._followed(self.time).copy()
        pose[:2] = self.state["qpos"][0, :2]
        return pose

    def _references_then(self, times: Array, qpos: Array) -> Array:
        poses = np.array([self._followed(t) for t in times]).reshape(len(times), -1)
        poses[:, :2] = qpos[:, :2]
        return poses

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array:
        """[nq] the joints of the walk, around which the network sets its targets, on the root as it is."""
        return np.concatenate([qpos[:7], self._followed(self.time)[7:]])

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        poses = np.array([self._followed(t) for t in times]).reshape(len(times), -1)
        return np.concatenate([qpos[:, :7], poses[:, 7:]], axis=1)

    @property
    def heading(self) -> float:
        """The turn of the walk that it follows: the pelvis itself swings to and fro with each step."""
        return self.walk.steps.slots.heading
