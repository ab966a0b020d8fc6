"""How well a controller follows its clip: how long it stays up, how close its joints are, and whether it goes
where the clip goes.

A run ends with the clip: what a figure does after the last frame, with nothing to follow, counts neither for it nor
against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion import Motion
from footfall.motion.quaternion import conjugate, log, multiply, rotate
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.study.imitation.course import Course, clip_course, course_of, phase_frames
from footfall.study.imitation.judging import reached_end, shown_phases
from footfall.study.imitation.physique import Physique, physique_of

DT = 1.0 / 900.0
"""The paper's step, seconds."""
SAMPLES = 5
"""Samples of torques for each frame of the clip."""
TIPPED = np.cos(np.radians(45.0))
"""Cosine of the angle between the pelvis's up and the clip's at its end above which a policy is on its way down."""

Array = NDArray[np.float64]


def tracking_simulation(
    controller: Controller,
    *,
    worlds: int = 1,
    noise: float = 0.0,
    seed: int = 1,
    rows: Array | None = None,
    dt: float | None = DT,
    pushes: Sequence[Push] = (),
    figure: Figure | None = None,
    shaken: Array | None = None,
    **options: Any,
) -> Simulation:
    """Worlds of a controller that follows a clip, from disturbed starts.

    Args:
        controller: tracking, or a policy with a clip.
        worlds: how many.
        noise: standard deviation of the starts' velocities, rad/s and m/s; world 0 starts undisturbed.
        seed: of the noise.
        rows: [1 or worlds, NP] parameters, by default the controller's own.
        dt: step, seconds; None for the controller's own.
        pushes: timed forces.
        figure: by default the controller's own.
        shaken: [worlds, nv] what is added to the starts' velocities, in place of noise.
        options: as :class:`Simulation` takes them.
    """
    figure = Figure.load(controller.figure) if figure is None else figure
    start = controller.start
    assert start is not None
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
        fell: whether the figure fell before the clip's end. time: seconds that it stayed up, or until that end.
        seconds: of the clip.
        joint_error: mean angle between the simulated and the clip's joint rotations, degrees, at equal phases.
        correlation: of joint angles with the clip's, mean over joints that move.
        speed: along the path, over that of the clip; not a number where the clip stays in place.
        footsteps: taken.
        motion: the simulated one. reference: the clip at the same times; both at their true places.
        course: path, heading and places against the clip's. physique: what it asks of body and ground. Both None under
            laws that follow no clip's path.
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
    course: Course | None = None
    physique: Physique | None = None


def up_to_the_end(simulation: Simulation, clip: Repertoire | ClipFrames) -> NDArray[np.bool_]:
    """[N] which worlds are up, or were when they came to the clip's end."""
    outcome = simulation.outcome()
    if isinstance(clip, ClipFrames):
        up = np.asarray(outcome.survived | (np.nan_to_num(outcome.end_time) >= clip.seconds))
        return up & ~tipped(simulation.qpos, clip)
    return np.asarray(outcome.survived | reached_end(simulation, clip))


def tipped(poses: Array, clip: ClipFrames) -> NDArray[np.bool_]:
    """[N] whether a figure tips over at the clip's end, in poses [N, nq]: a short clip may end before a fall does."""
    own, wanted = (rotate(np.asarray(q[..., 3:7], dtype=float), np.array([0.0, 0.0, 1.0])) for q in (poses, clip.qpos))
    return np.asarray(own @ wanted[-1] < TIPPED)


def follow(controller: TrackingController, seconds: float, **options: Any) -> Following:
    """Simulate one world and compare it with its clip."""
    repertoire = controller.repertoire
    rate = 1.0 / repertoire.settings.frame_time
    simulation = tracking_simulation(controller, record=Record(rate=SAMPLES * rate, worlds=1), **options)
    outcome, figure = simulation.run(seconds), simulation.figure
    trace = simulation.trace()
    state, index, finished = shown_phases(repertoire, trace)
    frames = slice(0, len(state), SAMPLES)
    shown = trace.qpos[: len(state), 0][frames]
    phase, clock = phase_frames(repertoire, state[frames], index[frames])
    clip = clip_course(repertoire, len(shown))
    clip = np.concatenate([clip, np.repeat(clip[-1:], len(shown) - len(clip), axis=0)])
    up = finished or bool(outcome.survived[0])
    time = float((len(shown) - 1) / rate) if finished else seconds if up else float(outcome.end_time[0])
    footsteps, torque = int(outcome.footsteps[0]), trace.torque[: len(state), 0]
    return compared(figure, shown, (phase, clock), clip, torque, rate=rate, ended=(up, time, seconds), steps=footsteps)


def compared(
    figure: Figure,
    shown: Array,
    phase: tuple[Array, Array],
    clip: Array,
    torque: Array,
    *,
    rate: float,
    ended: tuple[bool, float, float],
    steps: int,
) -> Following:
    """A run beside its clip.

    Args:
        figure: what ran. shown: [S, nq] its poses. torque: [S', nv] at any rate.
        phase: [S, 7 + 4 J] the clip's frames that they show, of ball joints, and when in the clip these are, in frames.
        clip: [S, 7 + 4 J] the clip at equal times.
        rate: frames a second. steps: taken.
        ended: whether it was up at the clip's end; seconds that it stayed up, or until that end; seconds of the clip.
    """
    chains, (frames, clock), (up, time, seconds) = hinge_chains(figure), phase, ended
    own = shown if chains is None else chains.ball_poses(shown)
    course = course_of(figure if chains is None else chains.skeleton, own, frames, clock, clip, fps=rate, finished=up)
    turns = log(multiply(conjugate(own[:, 7:].reshape(len(own), -1, 4)), frames[:, 7:].reshape(len(own), -1, 4)))
    times = np.arange(len(own)) / rate
    return Following(
        not up,
        time,
        seconds,
        float(np.degrees(np.linalg.norm(turns, axis=-1)).mean()),
        _correlation(own, frames),
        course.way / course.duration,
        steps,
        Motion.from_qpos(figure, times, shown),
        Motion.from_qpos(figure, times, clip if chains is None else chains.hinge_poses(clip)),
        course,
        physique_of(figure, own, torque, clip, rate),
    )


def _correlation(own: Array, shown: Array) -> float:
    """Mean over joints of the correlation of their angles about the axis in which the clip moves most."""
    values = []
    for at in range(7, own.shape[1], 4):
        a, b = (log(frames[:, at : at + 4]) for frames in (own, shown))
        axis = int(np.argmax(b.std(axis=0)))
        if b[:, axis].std() > np.radians(2.0) and a[:, axis].std() > 0:
            values.append(float(np.corrcoef(a[:, axis], b[:, axis])[0, 1]))
    return float(np.mean(values)) if values else float("nan")
