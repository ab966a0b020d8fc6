"""Many characters on one motion graph, each steered by itself, side by side in one simulation.

Every world has its own three slots of steps (:mod:`footfall.methods.tracking.step_choice`) in the library that all of
them read, and its own gains in its row of parameters. A world's walk is the one that it would make alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.methods.tracking.step_choice import FRAMES, SLOTS, SteeredController, StepChoice
from footfall.motion import Motion
from footfall.motion.synthesis.ball_poses import facing_of
from footfall.simulation import Record, Simulation

Array = NDArray[np.float64]


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
