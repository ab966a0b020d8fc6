"""A figure that follows captured motion (Data-Driven Biped Control), watched, pushed and edited while it walks.

The law works 30 times a second. The world pauses at each of its frames, so that what it asked for in a frame and the
clip's pose in it are known for every sample.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment
from footfall.motion.synthesis.ball_poses import turned_frames
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.simulation import Trace
from footfall.studio.core.history.samples import SIGNALS
from footfall.studio.core.worlds.can import Can
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.world import World

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
