"""A clip followed by a trained policy: retarget, give the policy the clip, report as for a searched controller.

Nothing is searched: a policy that was trained on many clips follows another one as it is.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_table import poses_at, table_of
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.capture import FPS, frames_of
from footfall.methods.tracking.clips import looped_frames
from footfall.motion import Motion, load_motion, resampled
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.simulation import Record
from footfall.study.imitation.clip_check import check_clip
from footfall.study.imitation.following import SAMPLES, Following, compared, tipped, tracking_simulation, up_to_the_end
from footfall.study.imitation.imitate import (
    LOOP_SECONDS,
    UNSEEN,
    UNSEEN_NOISE,
    Imitation,
    controller_name,
    limits_of,
    reported,
)

Show = Callable[[float, str], None]
ROOM = 1e-6
"""Of a frame, that rounding may take off a clip."""


def imitate_by_policy(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Imitation[NetworkController]:
    """Make a clip's controller.

    Args:
        clip: a motion or its file. policy: a tracker; its figure is the clip's.
        name: of the controller; by default from the file's name.
        loop: repeat the clip's best two steps for a minute.
        pushes: whether to look for push limits (of clips of 6 s or more).
        seed: of the disturbed starts.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    show(0.0, "reading the clip")
    motion = clip if isinstance(clip, Motion) else load_motion(clip)
    name = name or (controller_name(clip) if isinstance(clip, Path) else "clip")
    controller = with_clip(policy, motion, name, loop=loop)
    show(0.3, "measuring")
    return measured(controller, policy.name, pushes=pushes, seed=seed, progress=lambda d, w: show(0.3 + 0.7 * d, w))


def measured(
    controller: NetworkController,
    policy: str,
    *,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Imitation[NetworkController]:
    """What a policy makes of its clip.

    Args:
        controller: the policy with its clip. policy: the name of the one that it began as.
        pushes: whether to look for push limits (of clips of 6 s or more). seed: of the disturbed starts.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    assert controller.clip_frames is not None
    seconds = controller.clip_frames.seconds
    following = follow_clip(controller)
    unseen = tracking_simulation(
        controller, worlds=UNSEEN + 1, noise=UNSEEN_NOISE, seed=seed + 100, dt=None, last_states=1
    )
    unseen.run(seconds)
    up = int(up_to_the_end(unseen, controller.clip_frames)[1:].sum())
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        show(0.5, "pushing")
        limits = limits_of(controller, seconds, dt=None)
    made = Imitation(controller, None, following, up, UNSEEN, limits)
    return replace(made, controller=replace(controller, report={"policy": policy, **reported(made)}))


def check_policy(controller: Controller) -> NetworkController:
    """The controller, which must be a policy that follows clips."""
    if not isinstance(controller, NetworkController) or not controller.follows:
        raise FootfallError(
            f"policy: controller '{controller.name}' follows no clips; give one that was trained to, "
            "as `footfall train` writes it"
        )
    return controller


def with_clip(policy: NetworkController, motion: Motion, name: str, *, loop: bool = False) -> NetworkController:
    """A policy with a clip to follow, retargeted onto its figure; a motion of that figure is taken as it is. In a
    ``loop`` its best two steps are repeated for a minute."""
    figure = Figure.load(policy.figure)
    if motion.figure == figure.name and not loop:
        qpos = resampled(motion, policy.rate).to_qpos(figure)
    else:
        frames = frames_of(motion, figure, lifted=True)
        check_clip(frames, figure)
        frames = looped_frames(frames, figure, LOOP_SECONDS) if loop else frames
        qpos = table_of(frames, figure, policy.rate)
    shown = ClipFrames(qpos.astype(np.float32), policy.rate)
    what = f"two steps of {name}, again and again," if loop else f"{name}, {shown.seconds:.1f} s of motion,"
    about = f"Follows {what} by the policy {policy.name}."
    return replace(policy, name=name, about=about, clip_frames=shown, start=None)


def follow_clip(controller: NetworkController) -> Following:
    """Simulate one world and compare it with its clip, frame by frame at equal times, 30 a second."""
    clip = controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' has no clip to be compared with")
    simulation = tracking_simulation(controller, dt=None, record=Record(rate=SAMPLES * FPS, worlds=1))
    outcome, figure = simulation.run(clip.seconds), simulation.figure
    trace, survived = simulation.trace(), bool(outcome.survived[0])
    up = survived and not bool(tipped(simulation.qpos, clip)[0])
    lived = max(int(trace.last[0]), 2)
    times, poses = trace.times[:lived], trace.qpos[:lived, 0]
    if survived:
        times, poses = np.append(times, simulation.time), np.concatenate([poses, simulation.qpos])
    at = np.minimum(np.arange(int(times[-1] * FPS + ROOM) + 1) / FPS, times[-1])
    shown = poses_at(poses, times, figure, at)
    wanted = poses_at(clip.qpos.astype(float), np.arange(len(clip)) / clip.rate, figure, np.minimum(at, clip.seconds))
    chains = hinge_chains(figure)
    frames = wanted if chains is None else chains.ball_poses(wanted)
    phase = (frames, np.arange(len(at)).astype(float))
    time, steps = clip.seconds if survived else float(outcome.end_time[0]), int(outcome.footsteps[0])
    ended = (up, time, clip.seconds)
    return compared(figure, shown, phase, frames, trace.torque[:lived, 0], rate=FPS, ended=ended, steps=steps)
