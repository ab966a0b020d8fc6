"""What pictures draw: the solids of a body in the world, the ground, contacts and pushes, at chosen frames."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.motion.gait.heading import facing
from footfall.motion.ground import GroundProfile
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.mesh_solids import MeshSolid
from footfall.motion.skeleton.solids import Solid

STANDING = 0.8
"""Share of its greatest height that a body is drawn for at least, so that one that fell is seen whole."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A motion laid out for drawing.

    Attributes:
        solids: the parts of the body.
        times: [F] seconds since the motion began.
        positions, orientations: [F, J, 3] and [F, J, 4] of the joints in the world.
        root: [F, 3] position of the root.
        ground: under it.
        heading: mean direction faced, radians from x to the left.
        planar: whether all of it lies in one vertical plane along x.
        contact_points: [F, P, 3] contact points, P may be 0.
        touching: [F, P] whether they touch.
        forces: [F, P, 3] newtons of the ground on the contact points, or None.
        push: [F, 3] newtons, or None.
        push_at: [F, 3] where the push acts.
        state: [F] state of the controller, or None.
        caption: what it shows, written in a corner; empty for nothing.
    """

    solids: list[Solid | MeshSolid]
    times: Array
    positions: Array
    orientations: Array
    root: Array
    ground: GroundProfile
    heading: float
    planar: bool
    contact_points: Array
    touching: np.ndarray
    push: Array | None
    push_at: Array
    state: np.ndarray | None
    caption: str = ""
    forces: Array | None = None

    def places(self, f: int, solid: Solid | MeshSolid) -> Array:
        """[V, 3] a solid's vertices in the world at frame f."""
        return np.asarray(self.positions[f, solid.joint] + rotate(self.orientations[f, solid.joint], solid.vertices))

    @cached_property
    def tall(self) -> float:
        """How far the body reaches above the ground at the root, in most frames or before a fall; metres."""
        frames = np.unique(np.linspace(0, len(self.times) - 1, 15).astype(int))
        tops = [max((float(self.places(f, s)[:, 2].max()) for s in self.solids), default=0.0) for f in frames]
        level = self.ground.height(self.root[frames, 0], self.root[frames, 1])
        return max(float(np.median(tops - level)), STANDING * float(np.max(tops - level)), 0.2)


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
    sites = [end for end in skeleton.ends if end.contact]
    holders = [end.joint for end in sites]
    offsets = np.array([end.offset for end in sites]).reshape(-1, 3)
    points = positions[:, holders] + rotate(orientations[:, holders], offsets)
    push = motion.channels.get("push")
    push_joint = str(motion.source.get("push_joint", ""))
    at = skeleton.names.index(push_joint) if push_joint in skeleton.names else 0
    state = motion.channels.get("state")
    return Scene(
        solids=body_solids(skeleton),
        times=motion.times[index] - motion.times[0],
        positions=positions,
        orientations=orientations,
        root=positions[:, 0],
        ground=motion.ground or GroundProfile.flat(),
        heading=float(np.arctan2(*facing(motion)[index].mean(axis=0)[::-1])),
        planar=bool(np.ptp(positions[..., 1]) < 1e-6),
        contact_points=points,
        touching=_touching(motion, index, [k for k, end in enumerate(skeleton.ends) if end.contact]),
        push=None if push is None or push.shape[1:] != (3,) else np.asarray(push[index], dtype=float),
        push_at=positions[:, at] + _push_lift(motion, orientations[:, at], at),
        state=None if state is None or state.ndim != 1 else state[index],
        forces=_forces(motion, index, len(sites)),
    )


def _forces(motion: Motion, index: np.ndarray, points: int) -> Array | None:
    """[F, P, 3] the channel of ground forces, if it has a row for each contact point."""
    grf = motion.channels.get("grf")
    if grf is None or grf.shape[1:] != (points, 3) or not points:
        return None
    return np.asarray(np.nan_to_num(grf[index]), dtype=float)


def _touching(motion: Motion, index: np.ndarray, sites: list[int]) -> np.ndarray:
    """[F, P] contact flags; the channel may have a column for each contact point or for each end site."""
    contact = motion.channels.get("contact")
    if contact is None or contact.ndim != 2 or contact.shape[1] not in (len(sites), len(motion.skeleton.ends)):
        return np.zeros((len(index), len(sites)), dtype=bool)
    columns = slice(None) if contact.shape[1] == len(sites) else sites
    return np.asarray(contact[index][:, columns] > 0)


def _push_lift(motion: Motion, orientation: Array, joint: int) -> Array:
    """[F, 3] from a joint to where a push acts on its segment: the place recorded, or else its centre of mass."""
    place, com = motion.source.get("push_place"), motion.skeleton.com
    if place is not None and np.shape(place) == (3,):
        return rotate(orientation, np.asarray(place, dtype=float))
    return rotate(orientation, com[joint] if com is not None else np.array([0.0, 0.0, 0.25]))
