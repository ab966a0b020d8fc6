"""The camera of films and of the player: beside, before, above or obliquely before the walker, which it follows.

The picture looks along −back from an eye at a distance that goes with the walker's height, in perspective. World z is
up in the picture. A walker on uneven ground is followed smoothly.
"""

from typing import Literal, get_args

import numpy as np

from footfall.errors import unknown_name
from footfall.motion.quaternion import Array
from footfall.pictures.scene import Scene

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
