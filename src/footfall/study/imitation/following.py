"""How well a controller follows its clip: how long it stays up, how close its joints are, whether it goes where the
clip goes, and what that asks of a body.

The clip's path is that of its pelvis on the ground, with the sway of single steps taken out by a mean over one second.
Two clocks are used. The tracking law ends a step when the foot lands, so that its phase may run ahead of the clip or
behind it: distance, distance from the path and heading compare the figure with the frame of the clip that it is at
(its phase). Positions of the joints are compared at equal times, as learned trackers are judged; they contain the drift
of time. A run ends with the clip: what a figure does after the last frame, with nothing to follow, counts neither for
it nor against it.

The cost of a world in a search for gains is

    the share of the clip that it did not stay up for  +  how far it is from the clip (0.5 where it fell, and at most)

where the second part is a sum of small numbers: the pelvis's distance from its position on the clip's path for each
metre of it, what its distance and its time are too long or too short, the heading's and the joints' errors, and hip
torques beyond those of a strong person. Staying up comes first, the clip next.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames, poses_at
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS, body_frames, facing_of, hinge_chains, skeleton_of_balls, turned_frames
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.gait.contact import spans_of
from footfall.motion.quaternion import conjugate, log, multiply, rotate, wrapped_angle
from footfall.motion.synthesis.cuts import flying
from footfall.simulation import Record, Simulation
from footfall.simulation.trace import Trace
from footfall.study.trials.bench import disturbed_worlds

Array = NDArray[np.float64]
ClipController = TrackingController | NetworkController
Integers = NDArray[np.signedinteger[Any]]
UP = np.array([0.0, 0.0, 1.0])
SHORTEST = 0.5
"""Metres of path below which a clip stays in place, and shares of its distance mean nothing."""
NEAR = 1.0
"""Metres along the path, before and after the present phase, among which the nearest point is looked for."""
SUCCESS = 0.5
"""Metres that joints may be off in the mean at any time for a clip to count as tracked, as PHC and its successors
have it."""


@dataclass(frozen=True)
class Course:
    """How near the figure stays to its clip in the world.

    Attributes:
        distance_ratio: distance that the figure went over that of the clip, up to the phase that was reached; not a
            number where the clip stays within 0.5 m.
        duration: seconds that it took, over the clip's.
        off_path: the largest distance from the clip's path, metres for each metre of it (at least 1 m).
        heading_error: degrees between the facing of figure and clip, mean.
        root_error: metres between the pelvises at equal times, mean.
        mpjpe_root, mpjpe_global: mean per-joint position error at equal times, millimetres, relative to the
            pelvis and as they are.
        success: joints never more than 0.5 m off in the mean, up to the end.
    """

    distance_ratio: float
    duration: float
    off_path: float
    heading_error: float
    root_error: float
    mpjpe_root: float
    mpjpe_global: float
    success: bool


def clip_course(repertoire: Repertoire, count: int) -> Array:
    """[<= count, nq] frames of the clip at its own positions and times; a loop goes on, a clip that ends ends."""
    parts: list[Array] = []
    k, length, heading = repertoire.start, 0, 0.0
    place = repertoire.fragments[k].frames[0, :2].copy()
    while k >= 0 and length < count:
        fragment = repertoire.fragments[k]
        frames = turned_frames(fragment.frames, heading)
        frames[:, :2] += place - frames[0, :2]
        last = fragment.successor < 0
        parts.append(frames if last else frames[:-1])
        place = frames[-1, :2].copy()
        length += len(frames) - 1
        heading += fragment.turn
        k = fragment.successor
    return np.concatenate(parts)[:count]


def phase_frames(repertoire: Repertoire, state: Integers, index: Integers) -> tuple[Array, Array]:
    """The clip's frames [S, nq] at given phases (fragment and frame in it), at the clip's own positions, and their
    times in the clip [S], in frames."""
    frames, clock = np.empty((len(state), repertoire.fragments[0].frames.shape[1])), np.empty(len(state))
    heading, before = 0.0, 0
    place = repertoire.fragments[int(state[0])].frames[0, :2].copy() if len(state) else np.zeros(2)
    cuts = [0, *(np.flatnonzero(np.diff(state)) + 1).tolist(), len(state)]
    for a, b in pairwise(cuts):
        if a == b:
            continue
        fragment = repertoire.fragments[int(state[a])]
        turned = turned_frames(fragment.frames, heading)
        turned[:, :2] += place - turned[0, :2]
        shown = np.clip(index[a:b], 0, len(turned) - 1)
        frames[a:b], clock[a:b] = turned[shown], before + shown
        place, before = turned[-1, :2].copy(), before + len(turned) - 1
        heading += fragment.turn
    return frames, clock


def course_of(
    figure: Figure, own: Array, phase: Array, clock: Array, clip: Array, *, fps: float, finished: bool
) -> Course:
    """Compare poses [S, nq] of a figure with its clip.

    Args:
        figure: what moves.
        own: its poses.
        phase: the clip's frame that each shows, at its position.
        clock: when in the clip that is, in frames.
        clip: the clip at equal times, as long or shorter.
        fps: samples a second.
        finished: whether the figure came to the clip's end.
    """
    went, shown = smooth_path(own, fps), smooth_path(phase, fps)
    length, clip_length = way_length(went), way_length(shown)
    count = min(len(own), len(clip))
    off_time = np.linalg.norm(own[:count, :2] - clip[:count, :2], axis=1)
    a, b = (body_frames(frames[:count], figure)[0] for frames in (own, clip))
    whole = np.linalg.norm(a - b, axis=-1)
    rooted = np.linalg.norm((a - a[:, :1]) - (b - b[:, :1]), axis=-1)[:, 1:]
    turned = np.abs(wrapped_angle(facing_of(own) - facing_of(phase)))
    return Course(
        distance_ratio=length / clip_length if clip_length > SHORTEST else float("nan"),
        duration=(len(own) - 1) / max(float(clock[-1]), 1.0),
        off_path=_off_path(went, shown) / max(clip_length, 1.0),
        heading_error=float(np.degrees(turned.mean())),
        root_error=float(off_time.mean()),
        mpjpe_root=float(1e3 * rooted.mean()),
        mpjpe_global=float(1e3 * whole.mean()),
        success=finished and bool((whole.mean(axis=1) < SUCCESS).all()),
    )


def smooth_path(frames: Array, fps: float) -> Array:
    """[S, 2] the pelvis on the ground, a mean over one second; shorter towards both ends, which stay where they are."""
    half = round(0.5 * fps)
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(frames[:, :2], axis=0)])
    at = np.arange(len(frames))
    reach = np.minimum(half, np.minimum(at, len(frames) - 1 - at))
    return np.asarray((total[at + reach + 1] - total[at - reach]) / (2 * reach + 1)[:, None])


def way_length(path: Array) -> float:
    """Metres along positions [S, 2]."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def _off_path(went: Array, shown: Array) -> float:
    """The largest distance of positions from the path near their phase, metres."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(shown, axis=0), axis=1))])
    first, last = (np.searchsorted(along, along + sign * NEAR) for sign in (-1, 1))
    return max(
        float(np.linalg.norm(shown[a : max(b, a + 1)] - place, axis=1).min())
        for place, a, b in zip(went, first, last, strict=True)
    )


QUICK = 10.0
"""Hz above which joints vibrate: no walking motion is that fast."""
STANCE = 5
"""Samples that a foot stands for it to count as a stance."""
ON_GROUND = 0.0
"""Metres above the ground below which a sole touches it."""


@dataclass(frozen=True)
class Physique:
    """What a motion asks of a body and its ground.

    Attributes:
        stance_slide: metres that a standing foot moves over the ground in one stance, median.
        sink: metres that standing soles are under the ground, median.
        vibration: power of the joints' velocities above 10 Hz over that of the clip.
        hip_torque: N m for each kg of the body, 99th percentile over both hips.
        swing_height: greatest height of the lowest point of a swinging sole, metres, median over swings.
        flight: share of the time in which the body flies: falls freely with both soles off the ground.
        clip_swing_height, clip_flight: the clip's.
    """

    stance_slide: float
    sink: float
    vibration: float
    hip_torque: float
    swing_height: float
    flight: float
    clip_swing_height: float
    clip_flight: float


@dataclass(frozen=True, eq=False)
class Moments:
    """The figure beside its clip, frame by frame.

    Attributes:
        apart: [S] metres between its joints and the clip's at equal times, mean.
        turned: [S] degrees between the joints' rotations, at equal phases, mean.
        soles, clip_soles: [S] height of the higher sole, metres, at equal times.
        flies, clip_flies: [S] whether the body flies.
    """

    apart: Array
    turned: Array
    soles: Array
    clip_soles: Array
    flies: NDArray[np.bool_]
    clip_flies: NDArray[np.bool_]


def physique_of(figure: Figure, own: Array, torque: Array, clip: Array, fps: float) -> Physique:
    """Measure poses [S, nq] with torques [S', nv] (any rate) beside the clip's frames [T, nq], both of ball joints."""
    body, figure = figure, skeleton_of_balls(figure)
    soles = soles_of(own, figure)
    slides, deep = [], []
    for k in range(2):
        for a, b in spans_of(soles.height[:, k] < ON_GROUND):
            if b - a >= STANCE:
                middle = slice(a + 1, b - 1)
                slides.append(float(np.linalg.norm(soles.velocity[middle, k, :2], axis=-1).sum()) / fps)
                deep.append(float(np.median(-soles.height[a:b, k])))
    mass = float(sum(part.mass for part in body.bodies))
    size = np.stack([np.linalg.norm(torque[:, at], axis=1) for at in hip_freedoms(body)])
    return Physique(
        stance_slide=float(np.median(slides)) if slides else 0.0,
        sink=float(np.median(deep)) if deep else 0.0,
        vibration=vibration(own, fps) / max(vibration(clip, fps), 1e-9),
        hip_torque=float(np.percentile(size, 99.0)) / mass if size.size else 0.0,
        swing_height=_swing_height(own, figure),
        flight=float(flying(own, figure, soles.height).mean()),
        clip_swing_height=_swing_height(clip, figure),
        clip_flight=float(flying(clip, figure, soles_of(clip, figure).height).mean()),
    )


def _moments(figure: Figure, own: Array, clip: Array, turned: Array) -> Moments:
    """Poses [S, nq] of a figure of ball joints beside its clip's at equal times; their joints are turned [S] apart."""
    apart = np.linalg.norm(body_frames(own, figure)[0] - body_frames(clip, figure)[0], axis=-1).mean(axis=1)
    heights = [soles_of(poses, figure).height for poses in (own, clip)]
    flies = [flying(poses, figure, height) for poses, height in zip((own, clip), heights, strict=True)]
    return Moments(apart, turned, *(height.max(axis=1) for height in heights), *flies)


def joint_freedoms(figure: Figure) -> list[list[int]]:
    """Degrees of freedom of each ball joint, or of each chain of hinges that acts as one."""
    chains = hinge_chains(figure)
    if chains is not None:
        return [list(chain.dof) for chain in chains.chains]
    return [list(range(k, k + 3)) for k in range(6, figure.nv, 3)]


def hip_freedoms(figure: Figure) -> list[list[int]]:
    """The same of the left and the right hip."""
    first = {figure.joint(figure.legs[side].hip[0]).dof for side in ("left", "right")}
    return [found for found in joint_freedoms(figure) if found[0] in first]


def vibration(frames: Array, fps: float) -> float:
    """Power of the joints' velocities above 10 Hz, rad² s⁻², of poses [T, nq] of ball joints."""
    joints = frames[:, 7:].reshape(len(frames), -1, 4)
    velocity = fps * log(multiply(conjugate(joints[:-1]), joints[1:]))
    window = np.hanning(len(velocity))[:, None, None]
    spectrum = np.abs(np.fft.rfft(window * velocity, axis=0)) ** 2 / max(float((window**2).sum()), 1e-9)
    quick = np.fft.rfftfreq(len(velocity), 1.0 / fps) > QUICK
    return float(spectrum[quick].sum() / len(velocity))


def _swing_height(frames: Array, figure: Figure) -> float:
    """The greatest height of the sole's lowest point in a swing, median over swings."""
    heights = soles_of(frames, figure).height
    found = []
    for k in range(2):
        for a, b in spans_of(heights[:, k] > ON_GROUND):
            if b - a >= STANCE and a > 0 and b < len(heights):
                found.append(float(heights[a:b, k].max()))
    return float(np.median(found)) if found else float("nan")


FALLEN = 0.5
STRONG = 5.0
"""N m for each kg of the body: what a strong person's hip can give."""


@dataclass(frozen=True)
class Weights:
    """What counts how much: the pelvis's distance (m/m), shares of distance and time, heading and joints (rad), and the
    hips' torque beyond STRONG, as a share of it."""

    place: float = 1.0
    distance_ratio: float = 0.5
    duration: float = 0.5
    heading: float = 0.3
    pose: float = 0.5
    torque: float = 0.05


EVEN = Weights()
"""What is usual."""
ON_PATH = Weights(place=2.0, distance_ratio=1.0, heading=0.6, pose=0.25)
"""Where the clip's path counts more than its poses."""


def judging_record(repertoire: Repertoire) -> Record:
    """What has to be recorded of worlds that are to be judged."""
    return Record(rate=1.0 / repertoire.settings.frame_time, fields=("qpos", "torque", "signals", "events"))


def shown_phases(
    repertoire: Repertoire, trace: Trace, world: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Fragments and frames in them that a world showed, sample by sample up to the clip's end, and whether it came to
    that; what it did after the end had nothing to follow."""
    lived = int(trace.last[world])
    state = np.clip(trace.state[:lived, world], 0, len(repertoire.fragments) - 1).astype(np.int64)
    index = np.rint(trace.signals["frame"][:lived, world]).astype(np.int64) - int(repertoire.settings.ahead)
    lengths = np.array([len(f.frames) - 1 for f in repertoire.fragments])
    ends = np.array([f.successor < 0 for f in repertoire.fragments])
    over = np.flatnonzero(ends[state] & (index >= lengths[state]))
    count = int(over[0]) + 1 if len(over) else lived
    return state[:count], np.clip(index[:count], 0, lengths[state[:count]]), bool(len(over))


def reached_end(simulation: Simulation, repertoire: Repertoire) -> NDArray[np.bool_]:
    """[N] which worlds have come to the clip's last frame, whatever happened to them since; none in a loop."""
    places = simulation.law.layout.memory()  # type: ignore[attr-defined]
    fragment = np.clip(simulation.memory[:, places["fragment"]].astype(int), 0, len(repertoire.fragments) - 1)
    index = np.rint(simulation.memory[:, places["index"]]) - int(repertoire.settings.ahead)
    lengths = np.array([len(f.frames) - 1 for f in repertoire.fragments])
    ends = np.array([f.successor < 0 for f in repertoire.fragments])
    return np.asarray(ends[fragment] & (index >= lengths[fragment]))


def clip_costs(
    figure: Figure, repertoire: Repertoire, trace: Trace, up: NDArray[np.bool_], lived: Array, weights: Weights = EVEN
) -> Array:
    """[N] what worlds cost that were to follow a clip.

    Args:
        figure: theirs.
        repertoire: the clip.
        trace: of all of them (:func:`judging_record`).
        up: [N] which came to the clip's end, or were up when the time was over.
        lived: [N] share of the time that each stayed up.
        weights: what counts how much of those that are up.
    """
    cost = np.where(up, 0.0, 1.0 - lived + FALLEN)
    mass = float(sum(body.mass for body in figure.bodies))
    hips, chains = hip_freedoms(figure), hinge_chains(figure)
    for world in np.flatnonzero(up):
        state, index, _ = shown_phases(repertoire, trace, int(world))
        count = len(state)
        own = trace.qpos[:count, world]
        own = own if chains is None else chains.ball_poses(own)
        phase, clock = phase_frames(repertoire, state, index)
        torque = [np.linalg.norm(trace.torque[:count, world, at], axis=1) for at in hips]
        strain = float(np.percentile(torque, 99.0)) / (mass * STRONG)
        far = _distance(own, phase, clock, 1.0 / repertoire.settings.frame_time, strain, weights)
        cost[world] = min(far, FALLEN)
    return cost


def _distance(own: Array, phase: Array, clock: Array, fps: float, strain: float, weights: Weights) -> float:
    """How far poses [S, nq] are from the clip's at their phases."""
    went, shown = way_length(smooth_path(own, fps)), way_length(smooth_path(phase, fps))
    off = float(np.linalg.norm(own[:, :2] - phase[:, :2], axis=1).mean()) / max(shown, 1.0)
    share = abs(went / shown - 1.0) if shown > SHORTEST else 0.0
    late = abs((len(own) - 1) / max(float(clock[-1]), 1.0) - 1.0)
    heading = float(np.abs(wrapped_angle(facing_of(own) - facing_of(phase))).mean())
    joints = (frames[:, 7:].reshape(len(own), -1, 4) for frames in (own, phase))
    pose = float(np.linalg.norm(log(multiply(conjugate(next(joints)), next(joints))), axis=-1).mean())
    on_course = weights.place * off + weights.distance_ratio * share + weights.heading * heading
    return on_course + weights.duration * late + weights.pose * pose + weights.torque * max(strain - 1.0, 0.0)


SAMPLES = 5
"""Samples of torques for each frame of the clip."""
ROOM = 1e-6
"""Of a frame, that rounding may take off a clip."""
TIPPED = np.cos(np.radians(45.0))
"""Cosine of the angle between the pelvis's up and the clip's at its end above which a policy is on its way down."""


@dataclass(frozen=True)
class Following:
    """The outcome of following a clip.

    Attributes:
        fell: whether the figure fell before the clip's end.
        time: seconds that it stayed up, or until that end.
        seconds: of the clip.
        joint_error: mean angle between the simulated and the clip's joint rotations, degrees, at equal phases.
        correlation: of joint angles with the clip's, mean over joints that move.
        speed: along the path, over that of the clip; not a number where the clip stays in place.
        footsteps: taken.
        motion: the simulated one.
        reference: the clip at the same times; both at their true positions.
        course: path, heading and positions against the clip's.
        physique: what it asks of body and ground.
        moments: the run frame by frame. All three None under laws that follow no clip's path.
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
    moments: Moments | None = None


def clip_of(controller: ClipController) -> Repertoire | ClipFrames:
    """What a controller follows."""
    clip = controller.repertoire if isinstance(controller, TrackingController) else controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' has no clip to be compared with")
    return clip


def followed_up(controller: ClipController, seconds: float, **options: Any) -> tuple[NDArray[np.bool_], Array]:
    """[N] which worlds are up after some seconds, or were when they came to the clip's end; and for how many seconds
    each stays up until then. Options are those of :func:`disturbed_worlds`."""
    simulation, clip = disturbed_worlds(controller, last_states=1, **options), clip_of(controller)
    outcome = simulation.run(seconds)
    if isinstance(clip, ClipFrames):
        up = outcome.survived | (np.nan_to_num(outcome.end_time) >= clip.seconds)
        up = np.asarray(up & ~tipped(simulation.qpos, clip))
    else:
        up = np.asarray(outcome.survived | reached_end(simulation, clip))
    ended = np.nan_to_num(outcome.end_time, nan=seconds)  # not a number of one that has not fallen yet
    return up, np.where(up, seconds, np.minimum(ended, seconds))


def tipped(poses: Array, clip: ClipFrames) -> NDArray[np.bool_]:
    """[N] whether a figure tips over at the clip's end, in poses [N, nq]: a short clip may end before a fall does."""
    turns = (np.asarray(q[..., 3:7], dtype=float) for q in (poses, clip.clip[-1]))
    own, wanted = (rotate(turn, np.array([0.0, 0.0, 1.0])) for turn in turns)
    return np.asarray(own @ wanted < TIPPED)


def follow(controller: ClipController, seconds: float = math.inf, **options: Any) -> Following:
    """Simulate one world for some seconds, or to the clip's end where that comes first, and compare it with its clip.

    Args:
        controller: tracking, or a policy with a clip.
        seconds: at most; a loop has no end.
        options: as :func:`disturbed_worlds` takes them.
    """
    clip = clip_of(controller)
    if isinstance(clip, ClipFrames):
        return _follow_by_time(controller, clip, **options)
    return _follow_by_phase(controller, clip, seconds, **options)


def _follow_by_phase(controller: Controller, repertoire: Repertoire, seconds: float, **options: Any) -> Following:
    """The tracking law's: each pose beside the frame that the law is at."""
    rate = 1.0 / repertoire.settings.frame_time
    simulation = disturbed_worlds(controller, record=Record(rate=SAMPLES * rate, worlds=1), **options)
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


def _follow_by_time(controller: Controller, clip: ClipFrames, **options: Any) -> Following:
    """A network's: frame by frame at equal times, 30 a second."""
    simulation = disturbed_worlds(controller, record=Record(rate=SAMPLES * FPS, worlds=1), **options)
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
        figure: what ran.
        shown: [S, nq] its poses.
        torque: [S', nv] at any rate.
        phase: [S, 7 + 4 J] the clip's frames that they show, of ball joints, and when in the clip these are, in frames.
        clip: [S, 7 + 4 J] the clip at equal times.
        rate: frames a second.
        steps: taken.
        ended: whether it was up at the clip's end; seconds that it stayed up, or until that end; seconds of the clip.
    """
    chains, (frames, clock), (up, time, seconds) = hinge_chains(figure), phase, ended
    own = shown if chains is None else chains.ball_poses(shown)
    course = course_of(figure if chains is None else chains.skeleton, own, frames, clock, clip, fps=rate, finished=up)
    turns = log(multiply(conjugate(own[:, 7:].reshape(len(own), -1, 4)), frames[:, 7:].reshape(len(own), -1, 4)))
    times, turned = np.arange(len(own)) / rate, np.degrees(np.linalg.norm(turns, axis=-1)).mean(axis=1)
    return Following(
        not up,
        time,
        seconds,
        float(turned.mean()),
        _correlation(own, frames),
        course.distance_ratio / course.duration,
        steps,
        Motion.from_qpos(figure, times, shown),
        Motion.from_qpos(figure, times, clip if chains is None else chains.hinge_poses(clip)),
        course,
        physique_of(figure, own, torque, clip, rate),
        _moments(skeleton_of_balls(figure), own, clip, turned),
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
