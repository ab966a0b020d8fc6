"""Bodies that were thrown to the ground, from which one learns to get up.

Walking and standing bodies are pushed on the trunk, from any side; those that fall go on as bodies that no motor drives
and come to rest. Training begins there, in mid-fall, and in poses on the way from the ground to a stand: a policy
learns to stand from a squat first, then from the knees, then from the ground.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.learning.clips import ClipStates
from footfall.push import Push
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record
from footfall.text_files import packaged_toml

Array = NDArray[np.float64]

NEWTONS, PUSH_SECONDS, PUSHED_AT = (400.0, 1500.0), (0.1, 0.4), (1.0, 3.0)
WALKERS = ("walk-3d", "stand-3d")
"""The controllers of the bodies that are pushed: one walks, one stands."""
SECONDS, RATE, STEP = 7.0, 25.0, 0.002
"""How long each is watched, how often, and the step: the last push ends 3.6 s before the end."""
POSES, POSED = "getting-up.toml", 200
POSE_NOISE = 0.1
"""Radians, one standard deviation, by which poses on the way differ from those that are named."""
STANDS_HEIGHT, STANDS_UP = 0.85, 0.85
"""Share of the root's standing height, and of up along its own up, above which one stands."""


@dataclass(frozen=True, eq=False)
class Falls:
    """Falls of N bodies.

    Attributes:
        qpos, qvel: [frames, N, nq] and [frames, N, nv], ``RATE`` times a second.
        hit: [N] the frame at which each had fallen.
        push: [N, 3] newtons.
    """

    qpos: Array
    qvel: Array
    hit: NDArray[np.int64]
    push: Array

    @property
    def at_rest(self) -> tuple[Array, Array]:
        """[N, nq] and [N, nv] where they lie in the end."""
        return self.qpos[-1], self.qvel[-1]

    def after(self, frames: NDArray[np.int64]) -> tuple[Array, Array]:
        """[N, nq] and [N, nv] so many frames after each had fallen."""
        at = np.minimum(self.hit + frames, len(self.qpos) - 1)
        each = np.arange(len(at))
        return self.qpos[at, each], self.qvel[at, each]


def thrown(figure: Figure, walker: str, count: int, seed: int) -> Falls:
    """Falls under a controller: of ``count`` bodies that are pushed, those that fall."""
    random = np.random.default_rng(seed)
    angle, newtons = random.uniform(-np.pi, np.pi, count), random.uniform(*NEWTONS, count)
    force = np.stack([newtons * np.cos(angle), newtons * np.sin(angle), np.zeros(count)], axis=1)
    push = Push(force, random.uniform(*PUSHED_AT, count), random.uniform(*PUSH_SECONDS, count))
    record = Record(rate=RATE, fields=("qpos", "qvel"), worlds=count)
    simulation = Simulation(
        walker, figure=figure, worlds=count, pushes=[push], dt=STEP, ragdoll_after_fall=True, record=record
    )
    outcome = simulation.run(SECONDS)
    trace = simulation.trace()
    fell = np.asarray(outcome.fell) & np.isfinite(trace.qpos[-1]).all(axis=-1)
    hit = np.ceil(np.asarray(outcome.end_time)[fell] * RATE).astype(np.int64)
    return Falls(np.asarray(trace.qpos)[:, fell], np.asarray(trace.qvel)[:, fell], hit, force[fell])


def poses_on_the_way(figure: Figure, count: int, seed: int) -> tuple[Array, Array]:
    """[count, nq] and [count, nv] at rest, between poses of ``getting-up.toml`` that follow one another, disturbed, on
    the ground; half of them mirrored."""
    random, found = np.random.default_rng(seed), packaged_toml(__package__, POSES)
    poses = {name: _pose(figure, angles) for name, angles in found["poses"].items()}
    rows = []
    for k in range(count):
        first, second = (poses[name] for name in found["links"][random.integers(len(found["links"]))])
        share = random.uniform()
        row = (1.0 - share) * first + share * second + random.normal(0.0, POSE_NOISE, len(first))
        qpos = _on_the_ground(figure, row, roll=random.normal(0.0, POSE_NOISE))
        rows.append(figure.mirror_qpos(qpos) if k % 2 else qpos)
    return np.array(rows), np.zeros((count, figure.nv))


def on_the_back(figure: Figure) -> Array:
    """[nq] where it lies on its back."""
    return _on_the_ground(figure, _pose(figure, packaged_toml(__package__, POSES)["poses"]["back"]))


def stands(figure: Figure, height: Any, up: Any) -> Any:
    """Whether a body stands, by the height of its root above the ground, and by the share of the world's up along the
    root's own."""
    return (height > STANDS_HEIGHT * float(figure.default_qpos[2])) & (up > STANDS_UP)


def _pose(figure: Figure, angles: Mapping[str, float]) -> Array:
    """[1 + nq - 7] the root's pitch and the hinges."""
    row = np.zeros(1 + figure.nq - 7)
    for name, angle in angles.items():
        places = [j.qpos - 6 for j in figure.joints if j.name in (name, f"left_{name}", f"right_{name}")]
        row[[0] if name == "pitch" else places] = angle
    return row


def _on_the_ground(figure: Figure, row: Array, roll: float = 0.0) -> Array:
    """[nq] a pose within the joints' ranges, the lowest ball of the skin on the ground."""
    data, qpos = mujoco.MjData(figure.model), figure.default_qpos.copy()
    qpos[7:] = row[1:]
    for joint in figure.joints:
        if joint.kind == "hinge":
            qpos[joint.qpos] = np.clip(qpos[joint.qpos], joint.lower, joint.upper)
    mujoco.mju_mulQuat(qpos[3:7], _turn(row[0], 1), _turn(roll, 0))
    data.qpos[:] = qpos
    mujoco.mj_kinematics(figure.model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    qpos[2] -= min((data.xpos[b.body + 1] + turns[b.body + 1] @ b.position)[2] - b.radius for b in figure.skin)
    return qpos


def _turn(angle: float, axis: int) -> Array:
    """[4] the quaternion of a turn about an axis."""
    quaternion = np.zeros(4)
    quaternion[0], quaternion[1 + axis] = np.cos(angle / 2.0), np.sin(angle / 2.0)
    return quaternion


def states_to_get_up_from(figure: Figure, falls: int, seed: int = 0) -> ClipStates:
    """States that training begins with: bodies at rest where they fell and bodies that are about to hit the ground,
    of ``falls`` that are pushed, with their mirror images; and as many poses on the way to a stand, ``POSED`` at
    least."""
    random = np.random.default_rng(seed)
    parts = [(np.zeros((0, figure.nq)), np.zeros((0, figure.nv)))]
    for k, walker in enumerate(WALKERS if falls else ()):
        fallen = thrown(figure, walker, max(1, falls // len(WALKERS)), seed + k)
        parts += [fallen.at_rest, fallen.at_rest, fallen.after(random.integers(0, 15, len(fallen.hit)))]
    qpos, qvel = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    posed = poses_on_the_way(figure, max(POSED, 2 * len(qpos)), seed)
    qpos = np.concatenate([qpos, figure.mirror_qpos(qpos), posed[0]])
    qvel = np.concatenate([qvel, figure.mirror_qvel(qvel), posed[1]])
    qpos[:, :2] = 0.0
    frames = np.arange(len(qpos), dtype=np.int32)
    return ClipStates(qpos, qvel, frames, frames)
