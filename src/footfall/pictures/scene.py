"""What pictures draw: the solids of a body in the world, the ground around it, contacts, pushes and boxes, at chosen
frames, and the camera that follows it.

The camera looks along −back from an eye at a distance that goes with the walker's height, in perspective. World z is
up in the picture. A walker on uneven ground is followed smoothly.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from footfall.errors import unknown_name
from footfall.motion.gait.feet import facing
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.solids import MeshSolid, Solid, sharp_edged

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


def nearest_frames(motion: Motion, times: Array) -> np.ndarray:
    """Indices of the frames nearest to times, seconds on the motion's own clock."""
    last = len(motion) - 1
    right = np.clip(np.searchsorted(motion.times, times), min(1, last), last)
    left = np.maximum(right - 1, 0)
    nearer = np.abs(motion.times[left] - times) <= np.abs(motion.times[right] - times)
    return np.asarray(np.where(nearer, left, right))


def frames_at(motion: Motion, fps: float) -> np.ndarray:
    """Indices of the frames nearest to a clock of ``fps``; all frames where the motion has no more than that."""
    if motion.fps <= fps * 1.01:
        return np.arange(len(motion))
    return np.unique(nearest_frames(motion, np.arange(motion.times[0], motion.times[-1] + 0.25 / fps, 1.0 / fps)))


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
    """[F, 3] from a joint to where a push acts on its segment: the point recorded, or else its centre of mass."""
    place, com = motion.source.get("push_place"), motion.skeleton.com
    if place is not None and np.shape(place) == (3,):
        return rotate(orientation, np.asarray(place, dtype=float))
    return rotate(orientation, com[joint] if com is not None else np.array([0.0, 0.0, 0.25]))


CameraName = Literal["side", "three-quarter", "front", "top"]
CAMERAS = get_args(CameraName)

_ANGLES = {"side": (-np.pi / 2, 0.1), "three-quarter": (-0.85, 0.24), "front": (0.0, 0.14), "top": (-np.pi / 2, 1.45)}
"""From where the walker is seen: turned to its left from its heading, and raised; radians."""
_NEAR, _FAR = 0.05, 120.0
_OPENING = 0.62
_DISTANCE = 2.7
_LIFT = 0.03
"""How far above the middle of the picture the point looked at lies, as a share of half the picture's height."""


class Camera:
    """Where a scene is seen from, frame by frame.

    Args:
        scene: what is seen.
        size: (width, height) of the picture in pixels.
        name: one of ``CAMERAS``; None for the side of a planar walker, and obliquely from the front of any other.
    """

    def __init__(self, scene: Scene, size: tuple[int, int], name: str | None = None) -> None:
        if name is not None and name not in CAMERAS:
            raise unknown_name("camera", name, CAMERAS)
        turn, pitch = _ANGLES[name or ("side" if scene.planar else "three-quarter")]
        yaw = (0.0 if scene.planar else scene.heading) + turn
        self.size = size
        self.back = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
        right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        self.axes = np.stack([right, np.cross(self.back, right), self.back])
        level = _smooth(scene.ground.height(scene.root[:, 0], scene.root[:, 1]))
        aside = 0.0 * level if scene.planar else scene.root[:, 1]
        self.centres = np.stack([scene.root[:, 0], aside, level + 0.48 * scene.tall], axis=-1)
        self.eyes = self.centres + _DISTANCE * scene.tall * self.back
        floor = scene.ground.height(self.eyes[:, 0], self.eyes[:, 1]) + 0.06
        self.eyes[:, 2] = np.maximum(self.eyes[:, 2], floor)
        self.focal = 0.5 * size[1] / np.tan(_OPENING / 2)
        """Pixels that a metre takes at a distance of one metre."""

    def matrix(self, f: int) -> Array:
        """[4, 4] from world to clip coordinates in frame f, for columns."""
        return _projection(self.size) @ _view(self.axes, self.eyes[f])

    def project(self, points: Array, f: int) -> Array:
        """[..., 3] pixels right, pixels down and metres from the eye of points [..., 3]; NaN behind the eye."""
        clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ self.matrix(f).T
        ahead = np.where(clip[..., 3:] > _NEAR, clip[..., 3:], np.nan)
        x, y = np.moveaxis(clip[..., :2] / ahead, -1, 0)
        return np.stack([(0.5 + 0.5 * x) * self.size[0], (0.5 - 0.5 * y) * self.size[1], ahead[..., 0]], axis=-1)


def _projection(size: tuple[int, int]) -> Array:
    s = 1.0 / np.tan(_OPENING / 2)
    span = _NEAR - _FAR
    out = np.zeros((4, 4))
    out[0, 0], out[1, 1] = s * size[1] / size[0], s
    out[2, 2], out[2, 3], out[3, 2] = (_FAR + _NEAR) / span, 2 * _FAR * _NEAR / span, -1.0
    out[1] += _LIFT * out[3]
    return out


def _view(axes: Array, eye: Array) -> Array:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = axes, -axes @ eye
    return out


def _smooth(level: Array) -> Array:
    """Heights smoothed over frames, so that the camera glides over steps."""
    width = max(min(len(level) // 8, 25), 1)
    padded = np.pad(level, (width, width), mode="edge")
    return np.asarray(np.convolve(padded, np.ones(2 * width + 1) / (2 * width + 1), mode="valid"))


_GREEN, _PURPLE = (0.0, 0.62, 0.45), (0.80, 0.47, 0.65)
_GAP = 0.02
"""Between an arrow's tip and where it points, m."""


@dataclass(frozen=True, eq=False)
class Mark:
    """A tapered capsule: start and end (3,) and their radii in metres, colour from 0 to 1; whether it shows through."""

    start: Array
    end: Array
    radii: tuple[float, float]
    colour: tuple[float, float, float]
    above: bool = False


@dataclass(frozen=True, eq=False)
class Arrow:
    """The arrow of a push: tail and tip (3,) and newtons."""

    tail: Array
    tip: Array
    newtons: float


def arrow_at(scene: Scene, f: int) -> Arrow | None:
    """The arrow of the push in frame f, its tip where the push acts; None without one."""
    if scene.push is None or not (size := float(np.linalg.norm(scene.push[f]))):
        return None
    along = scene.push[f] / size
    tip = scene.push_at[f] - _GAP * along
    return Arrow(tip - min(0.25 + size / 600, 1.1) * along, tip, size)


def marks_at(scene: Scene, f: int) -> list[Mark]:
    """The marks of frame f: points that touch the ground, and a push's shaft and head."""
    r = 0.022 * scene.tall / 1.7
    marks = [Mark(p, p, (r, r), _GREEN) for p in scene.contact_points[f][scene.touching[f]]]
    if arrow := arrow_at(scene, f):
        along = (arrow.tip - arrow.tail) / np.linalg.norm(arrow.tip - arrow.tail)
        marks.append(Mark(arrow.tail, arrow.tip - 0.12 * along, (0.018, 0.018), _PURPLE, above=True))
        marks.append(Mark(arrow.tip - 0.13 * along, arrow.tip, (0.05, 0.004), _PURPLE, above=True))
    return marks


_BOX = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
"""A box's sides: their corners counter-clockwise from outside, where a corner's number has a bit for x, y and z."""


def with_boxes(scene: Scene, sizes: Sequence[Sequence[float]], states: Array) -> Scene:
    """A scene with boxes of the given edges, metres, at states [F, B, 7]: position and quaternion in each frame."""
    joints = scene.positions.shape[1]
    solids = [box_solid(joints + k, size) for k, size in enumerate(sizes)]
    return replace(
        scene,
        solids=[*scene.solids, *solids],
        positions=np.concatenate([scene.positions, states[..., :3]], axis=1),
        orientations=np.concatenate([scene.orientations, states[..., 3:]], axis=1),
    )


def box_solid(joint: int, size: Sequence[float]) -> MeshSolid:
    """A box of the given edges, metres, around a joint."""
    corners = 0.5 * np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * np.asarray(size, dtype=float)
    return MeshSolid(joint, *sharp_edged(corners, np.concatenate([_BOX[:, :3], _BOX[:, [0, 2, 3]]])), part="box")


_REACH = 16.0
_LINES = ((0.5, 0.12, 6.0), (1.0, 0.26, _REACH))
"""Metres between lines, how strong they are, and how far they reach."""


class GroundPatch:
    """Cuts patches of a ground; the triangles' corners lie on whole metres, and where the ground bends."""

    def __init__(self, ground: GroundProfile) -> None:
        self.ground = ground

    def triangles(self, centre: Array) -> tuple[Array, Array, np.ndarray]:
        """Corners [V, 3], their upward normals [V, 3] and triangles [N, 3], up to 16 m around ``centre`` (3,)."""
        x, y = (self._stops(k, float(centre[k])) for k in (0, 1))
        places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
        corners = np.concatenate([places, self.ground.height(places[..., 0], places[..., 1])[..., None]], axis=-1)
        if self.ground.is_flat:
            normals = np.broadcast_to([0.0, 0.0, 1.0], (corners.shape[0] * corners.shape[1], 3))
            index = np.arange(len(x) * len(y)).reshape(len(x), len(y))
            a, b, c, d = (v.reshape(-1) for v in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
            return corners.reshape(-1, 3), normals, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        cells = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=2).reshape(
            -1, 4, 3
        )
        normal = np.cross(cells[:, 2] - cells[:, 0], cells[:, 3] - cells[:, 1])
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        first = 4 * np.arange(len(cells))[:, None]
        faces = np.concatenate([first + np.array(corner) for corner in ([0, 1, 2], [0, 2, 3])])
        return cells.reshape(-1, 3), np.repeat(normal, 4, axis=0), faces

    def lines(self, centre: Array) -> tuple[Array, Array, Array, Array]:
        """Starts [N, 3] and ends [N, 3] of lines on the ground at whole metres, and near ``centre`` at half metres;
        with how far apart they lie [N], and how strong they are [N]."""
        starts, ends, every, strength = [], [], [], []
        for apart, strong, reach in _LINES:
            for axis in (0, 1):
                low = np.ceil((centre[axis] - reach) / apart)
                fixed = apart * np.arange(low, (centre[axis] + reach) / apart)
                stops = self._stops(1 - axis, float(centre[1 - axis]), reach)[:: 2 if self.ground.is_flat else 1]
                places = np.empty((len(fixed), len(stops), 3))
                places[..., axis], places[..., 1 - axis] = fixed[:, None], stops
                places[..., 2] = self.ground.height(places[..., 0], places[..., 1])
                starts.append(places[:, :-1].reshape(-1, 3))
                ends.append(places[:, 1:].reshape(-1, 3))
                every.append(np.full(len(starts[-1]), apart))
                strength.append(np.full(len(starts[-1]), strong))
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(every), np.concatenate(strength)

    def _stops(self, axis: int, centre: float, reach: float = _REACH) -> Array:
        grid = (self.ground.x, self.ground.y)[axis]
        low, high = np.floor(centre - reach), np.ceil(centre + reach)
        inside = grid[(grid > low) & (grid < high)] if not self.ground.is_flat else grid[:0]
        return np.unique(np.concatenate([np.arange(low, high + 1.0), inside]))


def default_title(motion: Motion) -> str:
    """The title of a picture that is given none."""
    controller = str(motion.source.get("controller", ""))
    file = Path(str(motion.source.get("file", ""))).name
    return " · ".join(part for part in (controller, motion.figure, file) if part)
