"""How good worlds are that follow a clip: up to its end, on its path, in its poses, with a body's torques.

The cost of a world is

    the share of the clip that it did not stay up for  +  how far it is from the clip (0.5 where it fell, and at most)

where the second part is a sum of small numbers: the pelvis's distance from its place on the clip's path for each metre
of it, what its way and its time are too long or too short, the heading's and the joints' errors, and hip torques
beyond those of a strong person. Staying up comes first, the clip next.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion.quaternion import conjugate, log, multiply, wrap_angle
from footfall.motion.synthesis.ball_poses import facing_of
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.simulation import Record, Simulation
from footfall.simulation.trace import Trace
from footfall.study.imitation.course import SHORTEST, path_length, phase_frames, smooth_path
from footfall.study.imitation.physique import hip_freedoms

Array = NDArray[np.float64]
FALLEN = 0.5
STRONG = 5.0
"""N m for each kg of the body: what a strong person's hip can give."""


@dataclass(frozen=True)
class Weights:
    """What counts how much: the pelvis's distance (m/m), shares of way and time, heading and joints (rad), and the
    hips' torque beyond STRONG, as a share of it."""

    place: float = 1.0
    way: float = 0.5
    duration: float = 0.5
    heading: float = 0.3
    pose: float = 0.5
    torque: float = 0.05


EVEN = Weights()
"""What is usual."""
ON_PATH = Weights(place=2.0, way=1.0, heading=0.6, pose=0.25)
"""Where the clip's path counts more than its poses."""


@dataclass(frozen=True)
class Judged:
    """Worlds [N] that were judged.

    Attributes:
        cost: of each. up: whether it came to the clip's end, or was up when the time was over. lived: share of the
            time that it stayed up.
    """

    cost: Array
    up: NDArray[np.bool_]
    lived: Array


def judging_record(repertoire: Repertoire, worlds: int) -> Record:
    """What has to be recorded of worlds that are to be judged."""
    rate = 1.0 / repertoire.settings.frame_time
    return Record(rate=rate, worlds=worlds, fields=("qpos", "torque", "signals", "events"))


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


def judge(
    simulation: Simulation,
    repertoire: Repertoire,
    seconds: float,
    weights: Weights = EVEN,
) -> Judged:
    """Judge all worlds of a simulation that ran for some seconds and recorded them (:func:`judging_record`)."""
    outcome, trace = simulation.outcome(), simulation.trace()
    up = outcome.survived | reached_end(simulation, repertoire)
    lived = np.where(up, 1.0, np.minimum(np.nan_to_num(outcome.end_time) / seconds, 1.0))
    cost = 1.0 - lived + FALLEN
    mass = float(sum(body.mass for body in simulation.figure.bodies))
    hips = hip_freedoms(simulation.figure)
    chains = hinge_chains(simulation.figure)
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
    return Judged(cost, np.asarray(up), lived)


def _distance(own: Array, phase: Array, clock: Array, fps: float, strain: float, weights: Weights) -> float:
    """How far poses [S, nq] are from the clip's at their phases."""
    went, way = path_length(smooth_path(own, fps)), path_length(smooth_path(phase, fps))
    off = float(np.linalg.norm(own[:, :2] - phase[:, :2], axis=1).mean()) / max(way, 1.0)
    share = abs(went / way - 1.0) if way > SHORTEST else 0.0
    late = abs((len(own) - 1) / max(float(clock[-1]), 1.0) - 1.0)
    heading = float(np.abs(wrap_angle(facing_of(own) - facing_of(phase))).mean())
    joints = (frames[:, 7:].reshape(len(own), -1, 4) for frames in (own, phase))
    pose = float(np.linalg.norm(log(multiply(conjugate(next(joints)), next(joints))), axis=-1).mean())
    on_course = weights.place * off + weights.way * share + weights.heading * heading
    return on_course + weights.duration * late + weights.pose * pose + weights.torque * max(strain - 1.0, 0.0)
