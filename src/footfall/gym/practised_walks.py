"""A tracker practises to be steered: it follows walks that are played at random on a character's clips, until it stays
up in all that its judge tries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.gym.options import Options
from footfall.gym.practice import Practice, PracticeSettings
from footfall.gym.practised import tracker_options
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.motion import Motion
from footfall.simulation.device import device_of
from footfall.study.imitation.clip_worlds import seconds_up
from footfall.study.imitation.played_minutes import PlayedMinute, played_minutes
from footfall.study.progress import Show, part_of

if TYPE_CHECKING:
    from footfall.gym.practice_torch import TorchPractice

SECONDS = 60.0
NOISE = 0.03
"""Deviation of the velocities at a judged walk's start."""
PRACTISED_AT, JUDGED_AT = 2_000_000, 3_000_000
"""Seeds of walks, far from those of a report."""


@dataclass(frozen=True)
class _Course:
    """How a character practises.

    Attributes:
        walks, judged: played walks of a minute that it practises, and others by which it is judged.
        every: iterations between judgements. usual: decisions, at most.
    """

    walks: int
    judged: int
    every: int
    usual: int


ON_CPU, ON_GPU = _Course(48, 20, 50, 4_000_000), _Course(240, 40, 100, 300_000_000)


@dataclass(frozen=True)
class PractisedWalks:
    """What practice made of a character.

    Attributes:
        controller: with the best policy. decisions: that it practised. up, tried: judged minutes that it stayed up in.
    """

    controller: SteeredNetwork
    decisions: int
    up: int
    tried: int


@dataclass(frozen=True)
class _Judged:
    network: Network
    up: int
    share: float

    @property
    def worth(self) -> tuple[int, float]:
        return self.up, self.share


def practise_walks(
    controller: SteeredNetwork,
    *,
    decisions: int | None = None,
    seed: int = 1,
    device: str = "cpu",
    progress: Show | None = None,
) -> PractisedWalks:
    """Let a character's policy practise random walks on its clips.

    Args:
        controller: the tracker and the clips.
        decisions: how many, at most, in all worlds together; None for 4 million on a CPU, 300 million on a GPU. It ends
            where it stays up in all judged minutes; 0 for none.
        seed: of everything random.
        device: "cpu", or "cuda" to practise on a GPU (with torch).
        progress: called with the share done and a few words.
    """
    if decisions is not None and decisions < 0:
        raise FootfallError(f"practice is {decisions}; give decisions, 0 for none")
    check_device(device)
    course = ON_CPU if device == "cpu" else ON_GPU
    show = progress or (lambda done, what: None)
    graph, policy, most = controller.graph, controller.policy, course.usual if decisions is None else decisions
    seeds = [
        *(JUDGED_AT + 1000 * seed + k for k in range(course.judged)),
        *(PRACTISED_AT + 1000 * seed + k for k in range(course.walks)),
    ]
    walks = played_minutes(graph, SECONDS, seeds, policy.rate, progress=part_of(show, 0.0, 0.1))
    judged, practised = walks[: course.judged], walks[course.judged :]
    best, done = _judge(policy, policy.network, judged), 0
    if most > 0 and best.up < course.judged:
        options = tracker_options(policy, [_motion(walk.clip, graph.figure) for walk in practised])
        practice = _practice(
            best.network, replace(options, device=device, lanes=1 if device != "cpu" else options.lanes), seed
        )
        try:
            while practice.decisions < most and best.up < course.judged:
                practice.iterate()
                if practice.iteration % course.every == 0 or practice.decisions >= most:
                    best = max(best, _judge(policy, practice.network(), judged), key=lambda one: one.worth)
                share = 0.1 + 0.9 * practice.decisions / most
                show(min(share, 1.0), f"practising walks: up in {best.up} of {course.judged} minutes")
            done = practice.decisions
        finally:
            practice.close()
    made = replace(controller, policy=replace(policy, network=best.network))
    return PractisedWalks(made, done, best.up, course.judged)


def check_device(device: str) -> None:
    """Refuse a device that is not there, or on which nothing can be practised."""
    device_of(device)
    if device != "cpu" and find_spec("torch") is None:
        raise FootfallError(f"device '{device}': practice there needs torch; pip install 'footfall[gym,learn]'")


def _practice(network: Network, options: Options, seed: int) -> "Practice | TorchPractice":
    """Where a policy practises: in NumPy, or on a GPU in torch."""
    if options.device == "cpu":
        return Practice(network, options, PracticeSettings(), seed)
    from footfall.gym.practice_torch import TorchPractice

    return TorchPractice(network, options, seed)


def _motion(clip: ClipFrames, figure: Figure) -> Motion:
    return Motion.from_qpos(figure, np.arange(len(clip)) / clip.rate, clip.qpos.astype(float))


def _judge(policy: NetworkController, network: Network, walks: Sequence[PlayedMinute]) -> _Judged:
    """How many walks a policy stays up in, and for what share of their time."""
    own = replace(policy, network=network, start=None)
    lasted = seconds_up(own, [walk.clip for walk in walks], NOISE, range(len(walks)))
    share = np.minimum(lasted, SECONDS).mean() / SECONDS
    return _Judged(network, int(np.isinf(lasted).sum()), float(share))
