"""Whether a clip can be tracked at all: what the law cannot do is said in words.

Worlds in which a policy follows clips of one length, each world its own.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.deciding import FRAME
from footfall.methods.network.law import ServoNetworkLaw
from footfall.methods.network.terms import looks_of
from footfall.motion.ball_poses import skeleton_of_balls
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.quaternion import rotate
from footfall.motion.synthesis.cuts import flying
from footfall.simulation import Simulation
from footfall.simulation.outcome import Outcome
from footfall.study.imitation.following import tracking_simulation

Array = NDArray[np.float64]
LOWEST_PELVIS = 0.6
LARGEST_LEAN = 60.0
SPIKE = 4
"""Frames that anything has to last to count: captures have spikes of up to three."""
OFF_GROUND, LONGEST_FLIGHT, LONGEST_HANG = 0.03, 0.8, 0.4
"""Metres above which both soles are in the air, seconds for which they may be at a time (nobody jumps higher than
0.8 m), and seconds for which they may be while the body does not fall."""
MOST_FLIGHT = 0.6
"""Share of a clip's frames in which both soles may be off the ground."""
FPS = 30.0


def check_clip(frames: Array, figure: Figure) -> None:
    """Refuse a clip that lies, tumbles or hangs in the air; runs, hops and jumps are tried.

    Args:
        frames: [T, nq] poses at 30 a second.
        figure: what they are poses of.
    """
    if len(frames) < 20:
        raise FootfallError(f"clip: it has {len(frames) / FPS:.1f} s at 30 frames a second; give at least 0.7 s")
    figure = skeleton_of_balls(figure)
    standing = float(figure.default_qpos[2])
    k = _lasting(frames[:, 2] < LOWEST_PELVIS * standing, SPIKE)
    if k is not None:
        raise FootfallError(
            f"clip: the pelvis is {frames[k, 2]:.2f} m above the ground at {k / FPS:.1f} s, "
            f"{frames[k, 2] / standing:.0%} of standing height; "
            "falls, crawling, sitting and acrobatics cannot be tracked"
        )
    lean = np.degrees(np.arccos(np.clip(rotate(frames[:, 3:7], np.array([0.0, 0.0, 1.0]))[:, 2], -1, 1)))
    k = _lasting(lean > LARGEST_LEAN, SPIKE)
    if k is not None:
        raise FootfallError(
            f"clip: the pelvis leans {lean[k]:.0f} degrees at {k / FPS:.1f} s; falls and acrobatics cannot be tracked"
        )
    soles = soles_of(frames, figure).height
    flies = soles.min(axis=1) > OFF_GROUND
    k = _lasting(flies & ~flying(frames, figure, soles), round(LONGEST_HANG * FPS) + 1)
    if k is not None:
        raise FootfallError(
            f"clip: both feet are off the ground for more than {LONGEST_HANG} s from {k / FPS:.1f} s on while the body "
            "does not fall; nothing but the ground can be stood on"
        )
    k = _lasting(flies, round(LONGEST_FLIGHT * FPS) + 1)
    if k is not None:
        raise FootfallError(
            f"clip: both feet are off the ground for more than {LONGEST_FLIGHT} s from {k / FPS:.1f} s on; "
            "no jump lasts as long"
        )
    if flies.mean() > MOST_FLIGHT:
        raise FootfallError(
            f"clip: both feet are off the ground in {flies.mean():.0%} of its frames; nothing but the ground can be "
            "stood on"
        )


def _lasting(flags: NDArray[np.bool_], least: int) -> int | None:
    """The first frame of a stretch of at least so many; None without one."""
    run = 0
    for k, flag in enumerate(flags):
        run = run + 1 if flag else 0
        if run >= least:
            return k - least + 1
    return None


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
