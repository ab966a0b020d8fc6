"""What pictures draw: the capsules of a body in the world, the ground, contacts and pushes, at chosen frames."""

from dataclasses import dataclass

import numpy as np

from footfall.motion.gait.heading import facing
from footfall.motion.ground import GroundProfile
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.motion.skeleton.tree import Capsule

__all__ = ["Scene", "frames_at", "scene_of"]


@dataclass(frozen=True, eq=False)
class Scene:
    """A motion laid out for drawing.

    Attributes:
        capsules: C capsules of the body.
        times: [F] seconds since the motion began.
        starts, ends: [F, C, 3] world positions of the capsules' two centres.
        root: [F, 3] position of the root.
        ground: under it.
        heading: mean direction faced, radians from x to the left.
        planar: whether all of it lies in one vertical plane along x.
        contact_points: [F, P, 3] contact points, P may be 0.
        touching: [F, P] whether they touch.
        push: [F, 3] newtons, or None.
        push_at: [F, 3] where the push acts.
        state: [F] state of the controller, or None.
    """

    capsules: list[Capsule]
    times: Array
    starts: Array
    ends: Array
    root: Array
    ground: GroundProfile
    heading: float
    planar: bool
    contact_points: Array
    touching: np.ndarray
    push: Array | None
    push_at: Array
    state: np.ndarray | None


def frames_at(motion: Motion, fps: float) -> np.ndarray:
    """Indices of the frames nearest to a clock of ``fps``; all frames where the motion has no more than that."""
    if motion.fps <= fps * 1.01:
        return np.arange(len(motion))
    ticks = np.arange(motion.times[0], motion.times[-1] + 0.25 / fps, 1.0 / fps)
    right = np.clip(np.searchsorted(motion.times, ticks), 1, len(motion) - 1)
    nearer = np.abs(motion.times[right - 1] - ticks) <= np.abs(motion.times[right] - ticks)
    return np.unique(right - nearer)


def scene_of(motion: Motion, frames: np.ndarray | None = None) -> Scene:
    """Lay out the given frames of a motion (all of them by default)."""
    index = np.arange(len(motion)) if frames is None else np.asarray(frames)
    skeleton = motion.skeleton
    positions, orientations = skeleton.forward(motion.root_position[index], motion.rotations[index])
    capsules = body_capsules(skeleton)
    joints = [c.joint for c in capsules]
    starts = positions[:, joints] + rotate(
        orientations[:, joints], np.array([c.start for c in capsules]).reshape(-1, 3)
    )
    ends = positions[:, joints] + rotate(orientations[:, joints], np.array([c.end for c in capsules]).reshape(-1, 3))
    sites = [end for end in skeleton.ends if end.contact]
    holders = [end.joint for end in sites]
    offsets = np.array([end.offset for end in sites]).reshape(-1, 3)
    points = positions[:, holders] + rotate(orientations[:, holders], offsets)
    push = motion.channels.get("push")
    push_joint = str(motion.source.get("push_joint", ""))
    at = skeleton.names.index(push_joint) if push_joint in skeleton.names else 0
    state = motion.channels.get("state")
    return Scene(
        capsules=capsules,
        times=motion.times[index] - motion.times[0],
        starts=starts,
        ends=ends,
        root=positions[:, 0],
        ground=motion.ground or GroundProfile.flat(),
        heading=float(np.arctan2(*facing(motion)[index].mean(axis=0)[::-1])),
        planar=bool(np.ptp(positions[..., 1]) < 1e-6),
        contact_points=points,
        touching=_touching(motion, index, [k for k, end in enumerate(skeleton.ends) if end.contact]),
        push=None if push is None or push.shape[1:] != (3,) else np.asarray(push[index], dtype=float),
        push_at=positions[:, at] + _push_lift(motion, orientations[:, at], at),
        state=None if state is None or state.ndim != 1 else state[index],
    )


def _touching(motion: Motion, index: np.ndarray, sites: list[int]) -> np.ndarray:
    """[F, P] contact flags; the channel may have a column for each contact point or for each end site."""
    contact = motion.channels.get("contact")
    if contact is None or contact.ndim != 2 or contact.shape[1] not in (len(sites), len(motion.skeleton.ends)):
        return np.zeros((len(index), len(sites)), dtype=bool)
    columns = slice(None) if contact.shape[1] == len(sites) else sites
    return np.asarray(contact[index][:, columns] > 0)


def _push_lift(motion: Motion, orientation: Array, joint: int) -> Array:
    """[F, 3] from a joint to the centre of mass of its segment, where a push acts."""
    com = motion.skeleton.com
    return rotate(orientation, com[joint] if com is not None else np.array([0.0, 0.0, 0.25]))
