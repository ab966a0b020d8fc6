"""How well a tracking controller follows its clip: how long it stays up, and how close its joints are."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion import Motion
from footfall.motion.quaternion import conjugate, log, multiply
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.simulation.trace import Trace

__all__ = ["DT", "Following", "follow", "reference_frames", "tracking_simulation"]

DT = 1.0 / 900.0
"""The paper's step, seconds."""

Array = NDArray[np.float64]


def tracking_simulation(
    controller: TrackingController,
    *,
    worlds: int = 1,
    noise: float = 0.0,
    seed: int = 1,
    rows: Array | None = None,
    dt: float = DT,
    pushes: Sequence[Push] = (),
    figure: Figure | None = None,
    shaken: Array | None = None,
    **options: Any,
) -> Simulation:
    """Worlds of a tracking controller from disturbed starts.

    Args:
        controller: what they follow.
        worlds: how many.
        noise: standard deviation of the starts' velocities, rad/s and m/s; world 0 starts undisturbed.
        seed: of the noise.
        rows: [1 or worlds, NP] parameters, by default the controller's own.
        dt: step, seconds.
        pushes: timed forces.
        figure: by default the controller's own.
        shaken: [worlds, nv] what is added to the starts' velocities, in place of noise.
        options: as :class:`Simulation` takes them.
    """
    figure = Figure.load(controller.figure) if figure is None else figure
    start = controller.start
    qvel = np.tile(np.array(start.qvel), (worlds, 1))
    if shaken is None:
        qvel[1:] += np.random.default_rng(seed).normal(0.0, 1.0, (worlds - 1, figure.nv)) * noise
    else:
        qvel += shaken
    options = {"efforts": False} | options
    simulation = Simulation(controller, figure=figure, qvel=qvel, worlds=worlds, dt=dt, pushes=pushes, **options)
    if rows is not None:
        simulation.set_parameters(rows)
    return simulation


@dataclass(frozen=True)
class Following:
    """The outcome of following a clip.

    Attributes:
        fell: whether the figure fell within ``seconds``. time: seconds that it stayed up.
        joint_error: mean angle between the simulated and the clip's joint rotations, degrees.
        correlation: of joint angles with the clip's, mean over joints that move.
        speed: of the simulated pelvis on the ground over that of the clip, mean; not a number where the clip stays
            within 0.3 m.
        footsteps: taken.
    """

    fell: bool
    time: float
    seconds: float
    joint_error: float
    correlation: float
    speed: float
    footsteps: int
    motion: Motion
    reference: Motion


def reference_frames(repertoire: Repertoire, trace: Trace, world: int = 0) -> tuple[Array, Array]:
    """Frames of the clip that a world was to show and its own poses, each [S, nq], sample by sample."""
    lived = int(trace.last[world])
    library, count = repertoire.library(), len(repertoire.fragments)
    fragment = np.clip(trace.state[:lived, world], 0, count - 1)
    index = np.rint(trace.signals["frame"][:lived, world]).astype(int) - int(repertoire.settings.ahead)
    first, length = library[fragment, 0].astype(int), library[fragment, 1].astype(int)
    shown = library[first + np.clip(index, 0, length)].copy()
    return shown, trace.qpos[:lived, world]


def follow(controller: TrackingController, seconds: float, **options: Any) -> Following:
    """Simulate one world and compare it with its clip."""
    repertoire = controller.repertoire
    rate = 1.0 / repertoire.settings.frame_time
    simulation = tracking_simulation(controller, record=Record(rate=rate, worlds=1), **options)
    outcome = simulation.run(seconds)
    shown, own = reference_frames(repertoire, simulation.trace())
    turns = log(multiply(conjugate(own[:, 7:].reshape(len(own), -1, 4)), shown[:, 7:].reshape(len(own), -1, 4)))
    times = np.arange(len(own)) / rate
    figure = simulation.figure
    return Following(
        bool(outcome.fell[0] or outcome.diverged[0]),
        float(outcome.end_time[0]) if not outcome.survived[0] else seconds,
        seconds,
        float(np.degrees(np.linalg.norm(turns, axis=-1)).mean()),
        _correlation(own, shown),
        _pace(repertoire, simulation.trace().state[: len(own), 0], own),
        int(outcome.footsteps[0]),
        Motion.from_qpos(figure, times, own),
        Motion.from_qpos(figure, times, _joined(shown, own)),
    )


def _pace(repertoire: Repertoire, visited: NDArray[np.signedinteger[Any]], own: Array) -> float:
    """The pelvis's way over the time that it took, over the same of the fragments that were followed to their ends."""
    cuts = [0, *(np.flatnonzero(np.diff(visited)) + 1), len(visited)]
    visits = list(pairwise(cuts))
    visits = visits[:-1] or visits
    way, clip_way, frames = 0.0, 0.0, 0
    for a, b in visits:
        clip = repertoire.fragments[int(visited[a])].frames
        clip_way += float(np.linalg.norm(np.diff(clip[:, :2], axis=0), axis=1).sum())
        frames += len(clip) - 1
        way += float(np.linalg.norm(np.diff(own[a : b + 1, :2], axis=0), axis=1).sum())
    taken = visits[-1][1] - visits[0][0]
    return (way / taken) / (clip_way / frames) if clip_way > 0.3 else float("nan")


def _joined(shown: Array, own: Array) -> Array:
    """The clip's frames moved to where the simulated figure is, so that the two can be drawn side by side."""
    frames = shown.copy()
    frames[:, :2] = own[:, :2]
    return frames


def _correlation(own: Array, shown: Array) -> float:
    """Mean over joints of the correlation of their angles about the axis in which the clip moves most."""
    values = []
    for at in range(7, own.shape[1], 4):
        a, b = (log(frames[:, at : at + 4]) for frames in (own, shown))
        axis = int(np.argmax(b.std(axis=0)))
        if b[:, axis].std() > np.radians(2.0) and a[:, axis].std() > 0:
            values.append(float(np.corrcoef(a[:, axis], b[:, axis])[0, 1]))
    return float(np.mean(values)) if values else float("nan")
