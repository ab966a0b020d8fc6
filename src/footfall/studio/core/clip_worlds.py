"""Figures that follow captured motion, watched, pushed and steered while they walk.

:class:`TrackedWorld` follows a clip under the law of Data-Driven Biped Control. :class:`SteeredWorld` chooses its steps
from a motion graph while it walks (section 5 of that paper, interactive control). :class:`PlayedWorld` plays such a
walk ahead, and a network follows it.
"""

import math
from collections.abc import Sequence
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
from footfall.studio.core.setting import Setting
from footfall.studio.core.world import ANY_HEADING, Can, Leading, World

Array = NDArray[np.float64]
SEEN = 256
"""Frames whose poses are kept until they are sampled."""
READ_AS = {"d": "lead", "v": "ahead"}
"""What the tracking law's own signals are shown as: how far and how fast the pelvis is ahead of the clip's."""
SLOWEST = 0.3
"""Metres a second that may be asked for at least."""


class FollowingWorld(World):
    """A figure that follows poses, one for each frame of its law.

    It pauses at each frame, so that what was asked for in a frame and the clip's pose in it are known for every sample.
    """

    def __init__(
        self, controllers: Sequence[Any], figure: Figure, setting: Setting | None = None, drive: Any = None
    ) -> None:
        self._seen: dict[int, tuple[Array, Array]] = {}
        super().__init__(controllers, figure, setting, drive)

    @property
    def _frame_steps(self) -> int:
        """Steps of the simulation in a frame."""
        raise NotImplementedError

    def _begin_frame(self, number: int) -> None:
        """Before the law's frame of a number."""

    def _poses(self, number: int, memory: Array) -> tuple[Array, Array]:
        """The pose that the law asked for in a frame, and the clip's, [nq] each, given what the law remembers."""
        raise NotImplementedError

    def _step(self, steps: int) -> None:
        simulation, frame = self.simulation, self._frame_steps
        goal = simulation.step_number + steps
        while simulation.step_number < goal:
            now = simulation.step_number
            number = now // frame
            if now % frame == 0:
                self._begin_frame(number)
            simulation.step(min(goal, (number + 1) * frame) - now)
            self._seen[number] = self._poses(number, simulation.memory[0])
        self._seen = dict(list(self._seen.items())[-SEEN:])

    def _begin_anew(self) -> None:
        self._seen.clear()
        super()._begin_anew()

    def _at(self, time: float) -> tuple[Array, Array]:
        """The poses in the frame of a time."""
        number = round(time / self.dt) // self._frame_steps
        if number not in self._seen:
            return self._poses(number, np.asarray(self.state["memory"][0], dtype=float))
        return self._seen[number]

    def _wanted(self, times: Array, states: NDArray[np.void], qpos: Array, signals: Array) -> Array:
        """The joints that are asked for, on the root as it is: nothing drives that."""
        asked = np.array([self._at(t)[0] for t in times])
        return np.concatenate([qpos[:, :7], asked[:, 7:]], axis=1)

    def _references(self, times: Array, qpos: Array) -> Array:
        """The clip's poses, over the positions on the ground where the figure is."""
        return np.concatenate([qpos[:, :2], np.array([self._at(t)[1] for t in times])[:, 2:]], axis=1)


class TrackedWorld(FollowingWorld):
    """A figure under one tracking controller, a repertoire of motion with its gains."""

    controllers: tuple[TrackingController, ...]

    @property
    def can(self) -> Can:
        """It has a clip and asks for poses; its speed and its way are the clip's."""
        return Can(follow=True, target=True)

    @property
    def _frame_steps(self) -> int:
        return round(self.controllers[0].repertoire.settings.frame_time / self.dt)

    @property
    def _places(self) -> dict[str, int]:
        """Where in its memory the law keeps what."""
        places: dict[str, int] = self.law.layout.memory()  # type: ignore[attr-defined]
        return places

    def _fragments(self) -> Sequence[Fragment]:
        """What the law's numbers of fragments stand for."""
        return self.controllers[0].repertoire.fragments

    def _poses(self, number: int, memory: Array) -> tuple[Array, Array]:
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

    @property
    def signals(self) -> tuple[str, ...]:
        return tuple(READ_AS)

    def _signals(self, trace: Trace, ran: NDArray[np.int64]) -> Array:
        found = {name: trace.signals[READ_AS[name]][ran, 0] for name in SIGNALS if name in READ_AS}
        return np.stack([found.get(name, np.zeros(len(ran))) for name in SIGNALS], axis=-1)

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A fragment (the present one) as (controller, number, whether the right leg is in stance)."""
        if state is None:
            state = int(self.state["memory"][0, self._places["fragment"]])
        right = self._fragments()[state].kind != "right_swing"
        return self.controllers[0].name, self._number(state), right

    def _named(self, state: int, stance: int) -> tuple[str, int, bool]:
        return self.where(state)

    def _number(self, fragment: int) -> int:
        """The number by which a fragment is known to people."""
        return fragment

    @property
    def heading(self) -> float:
        """The turn of the clip's motion: the pelvis itself swings to and fro with each step."""
        return float(self.state["memory"][0, self._places["heading"]])


@dataclass(frozen=True)
class SteeredDrive:
    """What is asked of a steered character: metres a second, and the style of its steps."""

    speed: float = 0.7
    style: str = ""

    def first_style(self, graph: TrackedGraph) -> str:
        """The style of the first step; empty for the graph's own, where it has no such style."""
        return self.style if self.style in graph.styles() else ""


class AskedSteps(World):
    """A walker whose steps are chosen from a motion graph as speed, heading and style are asked for.

    Attributes:
        choice: the steps that were chosen.
    """

    choice: StepChoice

    def _build(self) -> Simulation:
        simulation = super()._build()
        simulation.set_library(self._library())
        return simulation

    def _library(self) -> Array:
        """[rows, columns] what the law reads of the steps that are chosen now."""
        raise NotImplementedError

    def _show_steps(self) -> None:
        """Let the law read the steps that are chosen now."""
        self.simulation.set_library(self._library())

    def _begin(self) -> None:
        """Choose the first steps again."""
        raise NotImplementedError

    def reset(self) -> None:
        self._begin()
        super().reset()
        self._show_steps()

    @property
    def can(self) -> Can:
        """It takes a speed, a heading and a style; two of them cannot share the steps that are chosen for one."""
        switch = len(self.gaits) > 1
        return Can(speed=True, turn=True, switch=switch, follow=True, target=True, compare=False)

    def compare(self, saved: Any | None) -> None:
        if saved is not None:
            raise FootfallError("compare: a steered character chooses its own steps; two of them cannot be compared")

    def ask(self, speed: float | None = None, style: str | None = None) -> None:
        """Ask it for a speed, metres a second, or a style, from the next step that can be chosen."""
        self.choice.direct(speed=None if speed is None else float(np.clip(speed, *self.speeds)), style=style)
        self.drive = SteeredDrive(self.choice.speed, self.choice.style)

    @property
    def asked_speed(self) -> float:
        return float(self.drive.speed)

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """From the next step that can be chosen; its controller stays."""
        self.ask(speed=speed)
        return controller

    @property
    def speeds(self) -> tuple[float, float]:
        """Up to those of the graph's fastest step, from none where it can stop."""
        slowest = 0.0 if self.choice.graph.halts else SLOWEST
        return slowest, max(SLOWEST, math.ceil(10.0 * max(s.speed for s in self.choice.graph.steps)) / 10.0)

    @property
    def leading(self) -> Leading:
        return ANY_HEADING

    def lead(self, heading: float) -> None:
        self.choice.direct(direction=heading)

    @property
    def gaits(self) -> list[str]:
        return self.choice.graph.styles()

    @property
    def gait(self) -> str:
        """The style that it is asked for."""
        return self.choice.style

    def request(self, name: str) -> None:
        self.ask(style=name)

    @property
    def clip(self) -> str:
        """The clip that the present step comes from; two where it is a blend."""
        return self.choice.slots.present.clip


class SteeredWorld(AskedSteps, TrackedWorld):
    """A tracked figure on a motion graph.

    Args:
        drive: speed and style; by default the first clip's style.
    """

    controllers: tuple[SteeredController, ...]

    def __init__(
        self,
        controllers: Sequence[SteeredController],
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        controller, wanted = controllers[0], drive or SteeredDrive()
        style = wanted.first_style(controller.graph)
        self.choice = StepChoice(controller.graph, controller.repertoire.settings, controller.ground, style=style)
        self.ask(speed=wanted.speed)
        super().__init__(controllers, figure, setting, self.drive)

    def _library(self) -> Array:
        return self._repertoire_now().library()

    def _rows(self) -> Array:
        return self._repertoire_now().parameters()[None]

    def _repertoire_now(self) -> Repertoire:
        """What the law reads: the chosen steps, with the gains and settings that were edited."""
        steps, controller = self.choice.repertoire(), self.controllers[0]
        gains = tuple(controller.edited(gains) for gains in steps.gains)
        return replace(steps, gains=gains, settings=controller.repertoire.settings)

    def _show_steps(self) -> None:
        super()._show_steps()
        self.simulation.set_parameters(self._rows())

    def _begin_frame(self, number: int) -> None:
        """Every few frames: see which step it makes, and choose the next one."""
        if number % FRAMES:
            return
        memory, places = self.simulation.memory[0], self._places
        if number:
            self.choice.observe(int(memory[places["fragment"]]), float(memory[places["heading"]]))
        if self.choice.decide():
            self._show_steps()

    def _fragments(self) -> tuple[Fragment, ...]:
        return tuple(slot.fragment for slot in self.choice.slots.all)

    def _number(self, fragment: int) -> int:
        return max(self.choice.slots.all[fragment].number, 0)

    def _kept(self) -> Any:
        return self.choice.slots

    def _take_up(self, kept: Any) -> None:
        self.choice.slots = kept
        self._show_steps()

    def _begin(self) -> None:
        self.choice.begin()


class PlayedWorld(AskedSteps, FollowingWorld):
    """A figure whose network follows a walk that is steered. A frame is a decision of the network, before which the
    walk is always as far ahead as the network looks.

    Args:
        drive: speed and style; by default the first clip's style.

    Attributes:
        walk: what is followed.
    """

    law: ServoNetworkLaw
    controllers: tuple[SteeredNetwork, ...]

    def __init__(
        self,
        controllers: Sequence[SteeredNetwork],
        figure: Figure,
        setting: Setting | None = None,
        drive: SteeredDrive | None = None,
    ) -> None:
        wanted = drive or SteeredDrive()
        self.walk = PlayedWalk(controllers[0], wanted.first_style(controllers[0].graph))
        self.ask(speed=wanted.speed)
        super().__init__(controllers, figure, setting, self.drive)

    @property
    def choice(self) -> StepChoice:  # type: ignore[override]
        return self.walk.steps

    def _make_law(self, controllers: Sequence[Any]) -> Law:
        return ServoNetworkLaw(self.walk.follower(), self.figure)

    def _library(self) -> Array:
        return self.law.with_clips(self.walk.shown)

    def _start(self) -> Start:
        return self.walk.shown.start

    def edit(self, controller: Any) -> bool:
        raise FootfallError(f"controller '{controller.name}' is a network with clips; nothing of it can be edited")

    def needs_kernel(self, controller: Any) -> bool:
        return False

    @property
    def _frame_steps(self) -> int:
        return round(1.0 / (self.walk.rate * self.dt))

    def _begin_frame(self, number: int) -> None:
        """Let the walk be as far as the network looks."""
        before = self.walk.first
        if not self.walk.reach(number):
            return
        self._show_steps()
        if self.walk.first != before:
            snapshot = self.simulation.snapshot()
            snapshot["memory"][:, self.law.memory_layout[FRAME]] -= self.walk.first - before
            self.simulation.restore(snapshot)

    def _poses(self, number: int, memory: Array) -> tuple[Array, Array]:
        """The walk's pose, around whose joints the network sets its targets."""
        pose = self.walk.pose(number)
        return pose, pose

    def _kept(self) -> Any:
        return self.walk.state

    def _take_up(self, kept: Any) -> None:
        self.walk.state = kept
        self._show_steps()

    def _begin(self) -> None:
        asked = self.choice.speed, self.choice.style
        self.walk.begin()
        self.ask(*asked)

    @property
    def heading(self) -> float:
        """The turn of the walk that it follows: the pelvis itself swings to and fro with each step."""
        return self.walk.steps.slots.heading
