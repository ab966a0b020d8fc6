"""Bodies that were thrown to the ground, from which one learns to get up, and by which getting up is judged.

A walker and one who stands are pushed on the trunk, from any side, until most of them fall; what has fallen goes on as
a body that no motor drives and comes to rest. Seeds that training uses are below :data:`JUDGED_SEED`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import ClipStates
from footfall.push import Push
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

Array = NDArray[np.float64]

JUDGED_SEED = 1_000_000
"""From here on seeds are the judge's."""
NEWTONS, PUSH_SECONDS, PUSHED_AT = (400.0, 1500.0), (0.1, 0.4), (1.0, 3.0)
WALKERS = ("walk-3d", "stand-3d")
"""Who is pushed: one who walks and one who stands."""
SECONDS, RATE = 7.0, 25.0
"""How long each is watched, and how often: the last push is over four seconds before the end."""
THROWN, CROUCHING = 1500, 200
"""Worlds that training throws, and crouches from a stand to a squat."""
SQUAT = {"hip_pitch": 1.5, "knee": -2.2, "ankle_pitch": 0.7}
"""Radians of a squat."""


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
    """Falls of one who walks or stands, of ``count`` that are pushed those that fall."""
    random = np.random.default_rng(seed)
    angle, newtons = random.uniform(-np.pi, np.pi, count), random.uniform(*NEWTONS, count)
    force = np.stack([newtons * np.cos(angle), newtons * np.sin(angle), np.zeros(count)], axis=1)
    push = Push(force, random.uniform(*PUSHED_AT, count), random.uniform(*PUSH_SECONDS, count))
    record = Record(rate=RATE, fields=("qpos", "qvel"), worlds=count)
    simulation = Simulation(
        walker, figure=figure, worlds=count, pushes=[push], ragdoll_after_fall=True, record=record, last_states=0
    )
    outcome = simulation.run(SECONDS)
    trace = simulation.trace()
    fell = np.asarray(outcome.fell) & np.isfinite(trace.qpos[-1]).all(axis=-1)
    if not fell.any():
        raise FootfallError(f"'{walker}' on '{figure.name}': no push of up to {NEWTONS[1]:g} N made it fall")
    hit = np.ceil(np.asarray(outcome.end_time)[fell] * RATE).astype(np.int64)
    return Falls(np.asarray(trace.qpos)[:, fell], np.asarray(trace.qvel)[:, fell], hit, force[fell])


def crouches(figure: Figure, count: int) -> tuple[Array, Array]:
    """[count, nq] and [count, nv] at rest, from a stand to a squat, soles on the ground."""
    import mujoco

    share = np.linspace(0.0, 1.0, count)
    qpos = np.tile(figure.default_qpos, (count, 1))
    for joint in figure.joints:
        for name, angle in SQUAT.items():
            if joint.name.endswith(name):
                qpos[:, joint.qpos] = np.clip(share * angle, joint.lower, joint.upper)
    data = mujoco.MjData(figure.model)
    soles = [(p.body + 1, p.position) for p in figure.points if p.foot is not None]
    for row in qpos:
        data.qpos[:] = row
        mujoco.mj_kinematics(figure.model, data)
        row[2] -= min((data.xpos[b] + data.xmat[b].reshape(3, 3) @ at)[2] for b, at in soles)
    return qpos, np.zeros((count, figure.nv))


def states_to_get_up_from(figure: Figure, seed: int = 0) -> ClipStates:
    """States that training begins with: bodies at rest where they fell, bodies that are about to hit the ground,
    both with their mirror images, and crouches."""
    parts = []
    random = np.random.default_rng(seed)
    for k, walker in enumerate(WALKERS):
        falls = thrown(figure, walker, THROWN // len(WALKERS), seed + k)
        count = len(falls.hit)
        parts += [falls.at_rest, falls.at_rest, falls.after(random.integers(0, 15, count))]
    qpos, qvel = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    crouched = crouches(figure, CROUCHING)
    qpos = np.concatenate([qpos, figure.mirror_qpos(qpos), crouched[0]])
    qvel = np.concatenate([qvel, figure.mirror_qvel(qvel), crouched[1]])
    qpos[:, :2] = 0.0
    frames = np.arange(len(qpos), dtype=np.int32)
    return ClipStates(qpos, qvel, frames, frames)
