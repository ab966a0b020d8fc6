"""Draws one frame of a scene with Pillow: a camera beside the walker, capsules from back to front, the ground below."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.quaternion import Array
from footfall.pictures.palette import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.scene import Scene
from footfall.pictures.strips import capsule_outline

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

__all__ = ["Painter"]

_SHARPER = 2
_SKY, _EARTH, _LINE, _INK = (246, 249, 252), (226, 232, 238), (200, 208, 216), (96, 108, 120)
_GREEN, _PURPLE = (0, 158, 115), (204, 121, 167)


class Painter:
    """Paints frames of a scene; the camera follows the root.

    Args:
        scene: what to paint.
        size: (width, height) in pixels.
    """

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        self.scene = scene
        self.size = (size[0] * _SHARPER, size[1] * _SHARPER)
        top = np.maximum(scene.starts[..., 2], scene.ends[..., 2]).max(axis=1, initial=0.0)
        level = scene.ground.height(scene.root[:, 0], scene.root[:, 1])
        self.tall = max(float(np.median(top - level)), 0.3)
        self.scale = 0.68 * self.size[1] / self.tall
        self.level = _slow(level)
        yaw, pitch = (-np.pi / 2, 0.0) if scene.planar else (scene.heading - 0.85, 0.26)
        back = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
        right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        self.axes = np.stack([right, np.cross(back, right), back])
        self.colours = [hex_to_rgb(SIDE_COLOURS[c.side]) for c in scene.capsules]

    def paint(self, f: int) -> np.ndarray:
        """[height, width, 3] bytes of frame f."""
        from PIL import Image, ImageDraw

        image = Image.new("RGB", self.size, _SKY)
        draw = ImageDraw.Draw(image)
        centre = np.array([self.scene.root[f, 0], self.scene.root[f, 1], self.level[f] + 0.5 * self.tall])
        self._ground(draw, centre)
        starts, ends = (self._project(places[f], centre) for places in (self.scene.starts, self.scene.ends))
        self._shadow(draw, f, centre)
        for c in np.argsort(starts[:, 2] + ends[:, 2]):
            self._capsule(draw, starts[c], ends[c], int(c))
        self._contacts(draw, f, centre)
        self._push(draw, f, centre)
        unit = _SHARPER * max(self.size[1] // 720, 1)
        draw.text((12 * unit, 8 * unit), f"{self.scene.times[f]:.2f} s", fill=_INK, font_size=13 * unit)
        return np.asarray(image.reduce(_SHARPER))

    def _project(self, points: Array, centre: Array) -> Array:
        """[..., 3] pixels right, pixels down, metres towards the eye."""
        seen: Array = (points - centre) @ self.axes.T
        out = np.empty_like(seen)
        out[..., 0] = 0.5 * self.size[0] + self.scale * seen[..., 0]
        out[..., 1] = 0.52 * self.size[1] - self.scale * seen[..., 1]
        out[..., 2] = seen[..., 2]
        return out

    def _ground(self, draw: "ImageDraw", centre: Array) -> None:
        ground, reach = self.scene.ground, 0.75 * self.size[0] / self.scale
        unit = _SHARPER * max(self.size[1] // 720, 1)
        x = np.arange(np.floor(centre[0] - reach), np.ceil(centre[0] + reach) + 1)
        if self.scene.planar:
            inside = ground.x[(ground.x > x[0]) & (ground.x < x[-1])]
            rim = np.unique(np.concatenate([x, inside]))
            line = self._project(np.stack([rim, 0 * rim, ground.height(rim)], axis=-1), centre)[:, :2]
            below = [(line[-1, 0], self.size[1]), (line[0, 0], self.size[1])]
            draw.polygon([*map(tuple, line), *below], fill=_EARTH)
            draw.line([tuple(p) for p in line], fill=_INK, width=unit)
        else:
            self._grid(draw, centre, reach, unit)
        y = 0.0 if self.scene.planar else np.floor(centre[1]) - 1.0
        for place in x:
            at = self._project(np.array([place, y, float(ground.height(place, y))]), centre)
            draw.text((at[0], at[1] + 8 * unit), f"{place:.0f} m", fill=_INK, anchor="ma", font_size=11 * unit)

    def _grid(self, draw: "ImageDraw", centre: Array, reach: float, unit: int) -> None:
        ground, far = self.scene.ground, np.ceil(3 * reach)
        fine = np.array([-far, far]) if ground.is_flat else np.arange(-far, far + 0.25, 0.25)
        for k in np.arange(-far, far + 1):
            for axis in range(2):
                places = np.empty((len(fine), 3))
                places[:, axis] = np.floor(centre[axis]) + k
                places[:, 1 - axis] = np.floor(centre[1 - axis]) + fine
                places[:, 2] = ground.height(places[:, 0], places[:, 1])
                line = self._project(places, centre)[:, :2]
                draw.line([tuple(p) for p in line], fill=_LINE, width=unit)

    def _shadow(self, draw: "ImageDraw", f: int, centre: Array) -> None:
        """The body's outline pressed flat on the ground, straight below."""
        if self.scene.planar:
            return
        for c, capsule in enumerate(self.scene.capsules):
            ends = np.stack([self.scene.starts[f, c], self.scene.ends[f, c]])
            rim = capsule_outline(ends[0, :2], ends[1, :2], capsule.radius_start, capsule.radius_end)
            height = self.scene.ground.height(rim[:, 0], rim[:, 1])
            shape = self._project(np.concatenate([rim, height[:, None]], axis=-1), centre)[:, :2]
            draw.polygon([tuple(p) for p in shape], fill=(214, 221, 228))

    def _capsule(self, draw: "ImageDraw", a: Array, b: Array, c: int) -> None:
        capsule, base = self.scene.capsules[c], np.array(self.colours[c], dtype=float)
        near = float(np.clip(0.5 * (a[2] + b[2]), -0.4, 0.4))
        fill = base + (1 - 2.0 * near) * 0.06 * (255 - base) if near < 0 else base
        radii = [r * self.scale for r in (capsule.radius_start, capsule.radius_end)]
        for grow, share in ((1.0, 0.62), (0.86, 1.0), (0.45, 1.12)):
            shape = capsule_outline(a[:2], b[:2], grow * radii[0], grow * radii[1])
            tone = tuple(int(v) for v in np.clip(fill * share + (18 if share > 1 else 0), 0, 255))
            draw.polygon([tuple(p) for p in shape], fill=tone)

    def _contacts(self, draw: "ImageDraw", f: int, centre: Array) -> None:
        r = 0.02 * self.scale
        for point in self._project(self.scene.contact_points[f][self.scene.touching[f]], centre):
            draw.ellipse([point[0] - r, point[1] - r, point[0] + r, point[1] + r], fill=_GREEN)

    def _push(self, draw: "ImageDraw", f: int, centre: Array) -> None:
        if self.scene.push is None or not (size := float(np.linalg.norm(self.scene.push[f]))):
            return
        along = self.scene.push[f] / size
        tip = self.scene.push_at[f] - 0.08 * along
        tail = tip - min(0.25 + size / 600, 1.1) * along
        a, b = self._project(np.stack([tail, tip]), centre)[:, :2]
        ahead = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
        across = np.array([-ahead[1], ahead[0]])
        unit = 0.05 * self.scale
        draw.line([tuple(a), tuple(b - unit * ahead)], fill=_PURPLE, width=max(int(0.5 * unit), 1))
        draw.polygon([tuple(b), *(tuple(b - 1.8 * unit * ahead + s * unit * across) for s in (1, -1))], fill=_PURPLE)
        draw.text(
            tuple(a - [0, 0.4 * unit]), f"{size:.0f} N", fill=_PURPLE, anchor="mb", font_size=max(int(1.6 * unit), 8)
        )


def _slow(level: Array) -> Array:
    """Ground height under the root, smoothed so that the camera glides over steps."""
    width = max(min(len(level) // 8, 25), 1)
    padded = np.pad(level, (width, width), mode="edge")
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    return np.asarray(np.convolve(padded, kernel, mode="valid"))
