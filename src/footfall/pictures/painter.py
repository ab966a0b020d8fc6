"""Paints frames of a scene: lit bodies with a soft shadow on a ground with metres, seen by a camera that follows.

The look is the player's: a sun, a bright sky, a ground that fades into it. The body is painted at twice the resolution
and laid over the ground, so that its edges are smooth. A frame of 1920 x 1080 takes a few hundredths of a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, cross, to_matrix, unit
from footfall.motion.skeleton.solids import Solid, capsule_solid
from footfall.motion.skeleton.tree import Capsule, triple
from footfall.pictures import raster
from footfall.pictures.page import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.scene import Camera, GroundPatch, Mark, Scene, arrow_at, marks_at, scene_of
from footfall.text_files import write_whole


class Labels:
    """Writes on frames.

    Args:
        height: of the frames, in pixels; letters grow with it.
    """

    def __init__(self, height: int) -> None:
        self.size = max(round(height / 58), 9)
        self._made: dict[str, np.ndarray] = {}

    def write(
        self,
        image: np.ndarray,
        text: str,
        at: tuple[float, float] | None,
        colour: tuple[int, int, int],
        strength: float = 1.0,
    ) -> None:
        """Write ``text`` on ``image`` [h, w, 3], its middle at ``at`` (right, down), or in the left upper corner."""
        mask = self._mask(text)
        h, w = mask.shape
        left, top = (self.size, self.size) if at is None else (round(at[0] - 0.5 * w), round(at[1] - 0.5 * h))
        x0, y0 = max(left, 0), max(top, 0)
        x1, y1 = min(left + w, image.shape[1]), min(top + h, image.shape[0])
        if x0 >= x1 or y0 >= y1:
            return
        cover = strength * mask[y0 - top : y1 - top, x0 - left : x1 - left, None]
        part = image[y0:y1, x0:x1]
        part[...] = (part + cover * (np.array(colour, np.float32) - part)).astype(np.uint8)

    def write_legend(
        self, image: np.ndarray, entries: dict[str, tuple[int, int, int]], ink: tuple[int, int, int]
    ) -> None:
        """Words with their colours in the right upper corner, as pages have them; none where there is no room."""
        right, middle, dot = image.shape[1] - self.size, 1.5 * self.size, round(0.6 * self.size)
        for word, colour in reversed(entries.items()):
            width = self._mask(word).shape[1]
            right -= width
            if right < 0.6 * image.shape[1]:
                return
            self.write(image, word, (right + 0.5 * width, middle), ink)
            right -= round(1.6 * dot)
            top = round(middle - 0.5 * dot)
            image[top : top + dot, right : right + dot] = colour
            right -= self.size

    def _mask(self, text: str) -> np.ndarray:
        """[h, w] how much each pixel is covered, from 0 to 1."""
        if text not in self._made:
            from PIL import Image, ImageDraw

            probe = ImageDraw.Draw(Image.new("L", (1, 1)))
            left, top, right, bottom = (round(v) for v in probe.textbbox((0, 0), text, font=self._font))
            picture = Image.new("L", (right - left + 2, bottom - top + 2))
            ImageDraw.Draw(picture).text((1 - left, 1 - top), text, fill=255, font=self._font)
            self._made[text] = np.asarray(picture, dtype=np.float32) / 255.0
        return self._made[text]

    @cached_property
    def _font(self) -> Any:
        """Pillow's own letters; asked for by their size alone, it would unpack them at every word."""
        from PIL import ImageFont

        return ImageFont.load_default(self.size)


_LIGHT = np.array([-0.35, -0.55, 1.0]) / np.linalg.norm([-0.35, -0.55, 1.0])
_SKY = np.array([[244.0, 247.0, 250.0], [223.0, 230.0, 237.0]])
_EARTH = np.array([0.955, 0.965, 0.975]) * 255.0
_SIDES = {side: hex_to_rgb(SIDE_COLOURS[side]) for side in ("left", "right")}
_LINE, _INK, _PUSH = (92.0, 110.0, 128.0), (102, 114, 126), (168, 72, 127)
_SHADE = 0.62
"""Brightness of the ground in the body's shadow."""
_SLACK = 1.01
"""How much nearer than it is a line on the ground counts."""
_SUN_PIXELS = 640
_ACROSS = unit(cross(np.array([0.0, 1.0, 0.0]), _LIGHT))
_SUN_AXES = np.stack([_ACROSS, cross(_ACROSS, _LIGHT), _LIGHT])
"""Right, down and towards the sun, in the sun's picture of the body."""


class Painter:
    """Paints frames of a scene; a painter paints one frame at a time, several may paint at once.

    Args:
        scene: what to paint.
        camera: from where.
        words: whether to write the time and metres on the ground.
    """

    def __init__(self, scene: Scene, camera: Camera, *, words: bool = True) -> None:
        raster.ready()
        self.scene, self.camera, self._worded = scene, camera, words
        width, height = camera.size
        ramp = np.linspace(0.0, 1.0, height)[:, None]
        self._sky_rows = (1.0 - ramp) * _SKY[0] + ramp * _SKY[1]
        self._image, self._depth = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.float32)
        self._backdrop: np.ndarray | None = None
        self._patch = GroundPatch(scene.ground)
        self._labels = Labels(height)
        nothing = np.zeros((0, 3))
        self._vertices = np.concatenate([nothing, *(s.vertices for s in scene.solids)]).astype(np.float32)
        self._normals = np.concatenate([nothing, *(s.normals for s in scene.solids)]).astype(np.float32)
        sizes = [len(s.vertices) for s in scene.solids]
        self._joints = np.repeat([s.joint for s in scene.solids], sizes).astype(np.int32)
        paints = np.array([hex_to_rgb(SIDE_COLOURS[s.side]) for s in scene.solids], np.float32).reshape(-1, 3)
        self._paint = np.repeat(paints, sizes, axis=0)
        starts = np.cumsum([0, *sizes])
        self._triangles = np.concatenate(
            [s.triangles + start for s, start in zip(scene.solids, starts)] or [np.zeros((0, 3), int)]
        ).astype(np.int32)
        self._spare = np.empty(0, np.uint8), np.empty(0, np.float32)

    def paint(self, f: int) -> np.ndarray:
        """[height, width, 3] bytes of frame f, which last until the next one is painted."""
        image, depth = self._image, self._depth
        turns, origins = to_matrix(self.scene.orientations[f]), self.scene.positions[f][..., None]
        frames = np.concatenate([turns, origins], axis=-1)
        places, normals = raster.pose(self._vertices, self._normals, self._joints, frames)
        self._ground(image, depth, f)
        self._lines(image, depth, f)
        self._shadow(image, f, places)
        sun = self._sun(f)
        near = np.full((_SUN_PIXELS, _SUN_PIXELS), -1e3, np.float32)
        raster.fill_depth(_through(sun, places), self._triangles, near, mask=False)
        body = _Mesh(places, normals, self._paint, self._triangles)
        marks = marks_at(self.scene, f)
        for depths, meshes in ((depth, [body, *(_mark(m) for m in marks if not m.above)]),
                               (None, [_mark(m) for m in marks if m.above])):  # fmt: skip
            if meshes:
                self._bodies(image, depths, f, _joined(meshes), sun, near)
        if self._worded:
            self._words(image, f)
        return image

    def _ground(self, image: np.ndarray, depth: np.ndarray, f: int) -> None:
        """Sky and ground. A flat ground looks the same in every frame, since the camera keeps its place to it, and
        nothing else changes its depth."""
        if self._backdrop is not None:
            image[...] = self._backdrop
            return
        image[...], depth[...] = self._sky_rows[:, None], 0.0
        centre = self.camera.centres[f]
        corners, normals, triangles = self._patch.triangles(centre)
        seen = self._seen(corners, f)
        slope = 0.72 + 0.28 * np.maximum(normals @ _LIGHT, 0.0) / _LIGHT[2]
        fade = _fade(corners, centre)[:, None]
        rows = np.clip(seen[:, 1], 0, len(self._sky_rows) - 1).astype(int)
        tone = (1.0 - fade) * slope[:, None] * _EARTH + fade * self._sky_rows[rows]
        raster.fill_triangles(seen, np.clip(tone, 0.0, 255.0), triangles, image, depth, two_sided=True)
        if self.scene.ground.is_flat:
            self._backdrop = image.copy()

    def _lines(self, image: np.ndarray, depth: np.ndarray, f: int) -> None:
        """Lines on the ground at each metre, and fine ones at each half."""
        centre, unit = self.camera.centres[f], max(image.shape[0] / 720.0, 1.0)
        starts, ends, every, strength = self._patch.lines(centre)
        both = np.concatenate([starts, ends])
        seen = self._seen(both, f)
        # lines thin out with distance, so that the far ground does not turn grey
        strong = np.clip(np.tile(every, 2) * self.camera.focal * seen[:, 2] / (14.0 * unit) - 0.3, 0.0, 1.0)
        strong *= np.tile(strength, 2) * (1.0 - _fade(both, centre))
        half = len(starts)
        shares = np.stack([strong[:half], strong[half:]], axis=-1)
        shown = (shares.max(axis=1) > 0.012) & (seen[:half, 2] > 0) & (seen[half:, 2] > 0)
        raster.draw_lines(
            seen[:half][shown], seen[half:][shown], shares[shown], _LINE, image, depth, _SLACK, half=0.55 * unit
        )

    def _shadow(self, image: np.ndarray, f: int, places: Array) -> None:
        """The body's shadow: its triangles along the sun's rays onto the ground, softened. Those that face one way
        cover all of it, since solids are closed."""
        if not len(places):
            return
        ground, fallen = self.scene.ground, places.copy()
        for _ in range(1 if ground.is_flat else 3):
            down = fallen[:, 2] - ground.height(fallen[:, 0], fallen[:, 1])
            fallen = fallen - down[:, None] * _LIGHT / _LIGHT[2]
        seen = self._seen(fallen, f)
        window = _window(seen, image.shape, max(image.shape[0] // 60, 4))
        if window is None:
            return
        left, top, right, bottom = window
        mask = np.zeros(((bottom - top + 1) // 2, (right - left + 1) // 2), np.float32)
        seen[:, :2] = 0.5 * (seen[:, :2] - (left, top))
        raster.fill_depth(seen, self._triangles, mask, mask=True)
        raster.darken(_blurred(mask, max(image.shape[0] // 520, 1)), left, top, 1.0 - _SHADE, image)

    def _sun(self, f: int) -> Array:
        """[4, 4] from the world to the sun's picture of the body: pixels, and metres towards the sun."""
        axes = _SUN_AXES.copy()
        axes[:2] *= 0.5 * _SUN_PIXELS / (1.15 * self.scene.tall)
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = axes, -axes @ self.scene.root[f]
        out[:2, 3] += 0.5 * _SUN_PIXELS
        return out

    def _bodies(
        self, image: np.ndarray, depth: np.ndarray | None, f: int, mesh: "_Mesh", sun: Array, near: np.ndarray
    ) -> None:
        """Paint a mesh at twice the resolution, and lay it over the ground: where it is nearer than ``depth``, or over
        everything."""
        seen = self._seen(mesh.places, f)
        window = _window(seen, image.shape, 2)
        if window is None:
            return
        left, top, right, bottom = window
        tile, tile_depth = self._tile(2 * (bottom - top), 2 * (right - left))
        eye = self.camera.eyes[f]
        toned = raster.tone(mesh.places, mesh.normals, mesh.paint, eye, _LIGHT, sun, near)
        seen[:, :2] = 2.0 * (seen[:, :2] - (left, top))
        raster.fill_triangles(seen, toned, mesh.triangles, tile, tile_depth, two_sided=False)
        raster.lay_over(tile, tile_depth, (left, top), image, depth)

    def _tile(self, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Room for a picture, with a depth of 0; colours are whatever was there."""
        pixels = height * width
        if len(self._spare[1]) < pixels:
            self._spare = np.empty(3 * pixels, np.uint8), np.empty(pixels, np.float32)
        tile = self._spare[0][: 3 * pixels].reshape(height, width, 3)
        depth = self._spare[1][:pixels].reshape(height, width)
        depth[...] = 0.0
        return tile, depth

    def _words(self, image: np.ndarray, f: int) -> None:
        scene, camera = self.scene, self.camera
        if scene.caption:
            self._labels.write_legend(image, _SIDES, _INK)
        centre = camera.centres[f]
        aside = 0.0 if scene.planar else centre[1]
        y = aside + (-0.62 if camera.back[1] < 0 else 0.62)
        metres = np.arange(round(centre[0]) - 5, round(centre[0]) + 6)
        places = np.stack(
            [metres, 0 * metres + y, scene.ground.height(metres.astype(float), 0.0 * metres + y)], axis=-1
        )
        for x, at in zip(metres, camera.project(places, f)):
            strength = max(0.0, 1.0 - abs(x - centre[0]) / 5.2)
            if np.isfinite(at).all() and strength > 0:
                self._labels.write(image, f"{x} m", (at[0], at[1]), _INK, strength)
        if arrow := arrow_at(scene, f):
            at = camera.project(arrow.tail + np.array([0.0, 0.0, 0.09]), f)
            if np.isfinite(at).all():
                self._labels.write(image, f"{arrow.newtons:.0f} N", (at[0], at[1]), _PUSH)
        self._labels.write(image, f"{scene.caption}  {scene.times[f]:.2f} s".strip(), None, _INK)

    def _seen(self, points: Array, f: int) -> Array:
        """[N, 3] pixels right and down, and 1 / distance, which is 0 behind the eye."""
        return raster.see(points, self.camera.matrix(f), self.camera.size)


def save_painted(motions: Sequence[Motion], frames: np.ndarray, path: Path, *, height: int) -> Path:
    """Save frames of motions side by side: a row for each motion, seen from the side, and as many from the front.

    Args:
        motions: what to paint.
        frames: of each.
        path: the picture.
        height: of a row, pixels.
    """
    from PIL import Image

    rows = []
    for view in ("side", "front"):
        for motion in motions:
            scene = scene_of(motion, frames)
            painter = Painter(scene, Camera(scene, (height * 3 // 5, height), view))
            rows.append(np.concatenate([painter.paint(k).copy() for k in range(len(frames))], axis=1))
    write_whole(path, lambda part: Image.fromarray(np.concatenate(rows, axis=0)).save(part))
    return path


@dataclass(frozen=True, eq=False)
class _Mesh:
    """Vertices with normals and colours, each [V, 3], and triangles [N, 3]."""

    places: np.ndarray
    normals: np.ndarray
    paint: np.ndarray
    triangles: np.ndarray


def _joined(meshes: list[_Mesh]) -> _Mesh:
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(mesh.places) for mesh in meshes)])
    return _Mesh(
        np.concatenate([mesh.places for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.paint for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts)]),
    )


def _mark(mark: Mark) -> _Mesh:
    solid = _capsule(triple(mark.end - mark.start), mark.radii)
    colours = np.tile(255.0 * np.array(mark.colour), (len(solid.vertices), 1))
    return _Mesh(mark.start + solid.vertices, solid.normals, colours, solid.triangles)


@lru_cache(maxsize=64)
def _capsule(along: tuple[float, float, float], radii: tuple[float, float]) -> Solid:
    """A tapered capsule from the origin; marks of one film have few different ones."""
    return capsule_solid(Capsule(0, (0.0, 0.0, 0.0), along, *radii))


def _through(matrix: Array, points: Array) -> Array:
    """Points [N, 3] through a matrix [4, 4] without perspective."""
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _fade(points: Array, centre: Array) -> Array:
    """[N] from 0 near the centre to 1 where the ground has become sky."""
    share = np.clip((np.linalg.norm(points[:, :2] - centre[:2], axis=-1) - 7.0) / 9.0, 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _window(seen: Array, shape: tuple[int, ...], margin: int) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of the pixels around points, inside the picture; None outside it."""
    x, y, near = seen.T
    if not (near > 0.0).all():
        x, y = x[near > 0.0], y[near > 0.0]
    if not len(x):
        return None
    left, top = max(int(np.floor(x.min())) - margin, 0), max(int(np.floor(y.min())) - margin, 0)
    right, bottom = min(int(np.ceil(x.max())) + margin, shape[1]), min(int(np.ceil(y.max())) + margin, shape[0])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _blurred(mask: np.ndarray, radius: int) -> np.ndarray:
    """Bytes of a mask smoothed by two passes of a box of 2 radius + 1 pixels."""
    from PIL import Image, ImageFilter

    picture = Image.fromarray((255.0 * mask).astype(np.uint8))
    return np.array(picture.filter(ImageFilter.BoxBlur(radius)).filter(ImageFilter.BoxBlur(radius)))
