"""Worlds in which a policy follows clips of one length, each world its own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_inputs import looks_of
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.deciding import FRAME
from footfall.methods.network.servo_law import ServoNetworkLaw
from footfall.simulation import Simulation
from footfall.simulation.outcome import Outcome
from footfall.study.imitation.following import tracking_simulation

Array = NDArray[np.float64]


class ClipWorlds:
    """Worlds that follow clips.

    Args:
        policy: a tracker. clips: of one length; others of that length may be followed later.
        starts: worlds of each clip.

    Attributes:
        of: [worlds] the number of each one's clip. seconds: of a clip.
    """

    def __init__(self, policy: NetworkController, clips: Sequence[ClipFrames], starts: int = 1) -> None:
        self.figure, self.seconds = Figure.load(policy.figure), clips[0].seconds
        looks = looks_of(name for block in policy.observations for name in block.names)
        self._beyond = max(looks, default=0) + 1
        self.of = np.repeat(np.arange(len(clips)), starts)
        longer = [self._longer(clip) for clip in clips]
        self._length = len(longer[0])
        whole = ClipFrames(np.concatenate([clip.qpos for clip in longer]), policy.rate)
        own = replace(policy, clip_frames=whole, start=None)
        self.simulation: Simulation = tracking_simulation(
            own, worlds=len(self.of), dt=None, figure=self.figure, last_states=1
        )
        self._begin = self.simulation.snapshot()

    def _longer(self, clip: ClipFrames) -> ClipFrames:
        """A clip that stays in its last pose for as far as a policy looks: there the next one begins."""
        return ClipFrames(np.concatenate([clip.qpos, np.repeat(clip.qpos[-1:], self._beyond, axis=0)]), clip.rate)

    def walk(self, clips: Sequence[ClipFrames], shaken: Array) -> Outcome:
        """Follow as many clips to their end; ``shaken`` [worlds, nv] is added to the velocities at the start."""
        simulation, law = self.simulation, self.simulation.law
        assert isinstance(law, ServoNetworkLaw)
        simulation.set_library(law.with_clips([self._longer(clip) for clip in clips]))
        state = {name: part.copy() for name, part in self._begin.items()}
        starts = [clip.start for clip in clips]
        state["qpos"][:] = np.array([start.qpos for start in starts])[self.of]
        state["qvel"][:] = np.array([start.qvel for start in starts])[self.of] + shaken
        state["memory"][:, law.memory_layout[FRAME]] = self.of * self._length
        simulation.restore(state)
        return simulation.run(self.seconds)


def seconds_up(policy: NetworkController, clips: Sequence[ClipFrames], noise: float, seeds: Sequence[int]) -> Array:
    """[clips] how long a policy stays up, infinite where it does to the end; from starts whose velocities are disturbed
    by ``noise``, each with its own seed."""
    worlds = ClipWorlds(policy, clips)
    shaken = np.array([np.random.default_rng(seed).normal(0.0, noise, worlds.figure.nv) for seed in seeds])
    outcome = worlds.walk(clips, shaken)
    return np.where(outcome.survived, np.inf, np.nan_to_num(outcome.end_time))
