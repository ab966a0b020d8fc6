"""Triangles, lines and masks into pixels: compiled with Warp for the processor, so that films need no graphics card.

Every kernel runs as one thread over all its triangles, in their order. Places are (right, down, 1 / distance) in pixels
and 1/m; what is nearer has the larger third number. Pixels are sampled at their centres.
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import warp as wp

from footfall.compiling import loading, start_warp

__all__ = [
    "compose",
    "darken",
    "draw_lines",
    "fill_depth",
    "fill_mask",
    "fill_triangles",
    "floats",
    "ready",
    "run_kernel",
    "to_video",
    "vec3s",
]


@wp.func
def edge(a: wp.vec3, b: wp.vec3, x: float, y: float):
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])


@wp.kernel(enable_backward=False)
def _triangles(
    places: wp.array(dtype=wp.vec3),
    colours: wp.array(dtype=wp.vec3),
    triangles: wp.array2d(dtype=wp.int32),
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    two_sided: wp.bool,
):
    height = image.shape[0]
    width = image.shape[1]
    for t in range(triangles.shape[0]):
        a = places[triangles[t, 0]]
        b = places[triangles[t, 1]]
        c = places[triangles[t, 2]]
        if a[2] <= 0.0 or b[2] <= 0.0 or c[2] <= 0.0:
            continue
        area = edge(a, b, c[0], c[1])
        if area >= 0.0 and not two_sided:
            continue
        if wp.abs(area) < 1.0e-6:
            continue
        top = wp.max(int(wp.ceil(wp.min(wp.min(a[1], b[1]), c[1]) - 0.5)), 0)
        bottom = wp.min(int(wp.floor(wp.max(wp.max(a[1], b[1]), c[1]) - 0.5)), height - 1)
        left = wp.max(int(wp.ceil(wp.min(wp.min(a[0], b[0]), c[0]) - 0.5)), 0)
        right = wp.min(int(wp.floor(wp.max(wp.max(a[0], b[0]), c[0]) - 0.5)), width - 1)
        if top > bottom or left > right:
            continue
        scale = 1.0 / area
        ca = colours[triangles[t, 0]]
        cb = colours[triangles[t, 1]]
        cc = colours[triangles[t, 2]]
        x0 = float(left) + 0.5
        du = -(c[1] - b[1]) * scale
        dv = -(a[1] - c[1]) * scale
        for row in range(top, bottom + 1):
            y = float(row) + 0.5
            u = edge(b, c, x0, y) * scale
            v = edge(c, a, x0, y) * scale
            first, last = left, right
            # where along the row the three shares are at least 0
            for k in range(3):
                share, slope = u, du
                if k == 1:
                    share, slope = v, dv
                if k == 2:
                    share, slope = 1.0 - u - v, -du - dv
                if slope > 0.0:
                    first = wp.max(first, left + int(wp.ceil(-share / slope - 1.0e-4)))
                elif slope < 0.0:
                    last = wp.min(last, left + int(wp.floor(-share / slope + 1.0e-4)))
                elif share < 0.0:
                    last = -1
            for column in range(first, last + 1):
                along = float(column - left)
                p = u + along * du
                q = v + along * dv
                z = a[2] * p + b[2] * q + c[2] * (1.0 - p - q)
                if z > depth[row, column]:
                    depth[row, column] = z
                    tone = ca * p + cb * q + cc * (1.0 - p - q)
                    image[row, column, 0] = wp.uint8(tone[0])
                    image[row, column, 1] = wp.uint8(tone[1])
                    image[row, column, 2] = wp.uint8(tone[2])


@wp.kernel(enable_backward=False)
def _depth(
    places: wp.array(dtype=wp.vec3),
    triangles: wp.array2d(dtype=wp.int32),
    depth: wp.array2d(dtype=wp.float32),
    mask: wp.bool,
):
    height = depth.shape[0]
    width = depth.shape[1]
    for t in range(triangles.shape[0]):
        a = places[triangles[t, 0]]
        b = places[triangles[t, 1]]
        c = places[triangles[t, 2]]
        area = edge(a, b, c[0], c[1])
        if area > -1.0e-6:
            continue
        top = wp.max(int(wp.ceil(wp.min(wp.min(a[1], b[1]), c[1]) - 0.5)), 0)
        bottom = wp.min(int(wp.floor(wp.max(wp.max(a[1], b[1]), c[1]) - 0.5)), height - 1)
        left = wp.max(int(wp.ceil(wp.min(wp.min(a[0], b[0]), c[0]) - 0.5)), 0)
        right = wp.min(int(wp.floor(wp.max(wp.max(a[0], b[0]), c[0]) - 0.5)), width - 1)
        scale = 1.0 / area
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                x = float(column) + 0.5
                y = float(row) + 0.5
                p = edge(b, c, x, y) * scale
                q = edge(c, a, x, y) * scale
                if p >= 0.0 and q >= 0.0 and p + q <= 1.0:
                    if mask:
                        depth[row, column] = 1.0
                    else:
                        depth[row, column] = wp.max(depth[row, column], a[2] * p + b[2] * q + c[2] * (1.0 - p - q))


@wp.kernel(enable_backward=False)
def _lines(
    starts: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    strength: wp.array2d(dtype=wp.float32),
    colour: wp.vec3,
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    slack: float,
    half: float,
):
    height = image.shape[0]
    width = image.shape[1]
    for s in range(starts.shape[0]):
        a = starts[s]
        b = ends[s]
        if a[2] <= 0.0 or b[2] <= 0.0:
            continue
        d = b - a
        steep = wp.abs(d[1]) > wp.abs(d[0])
        span = wp.max(wp.abs(d[0]), wp.abs(d[1]))
        if span < 1.0e-3:
            continue
        reach = half * wp.sqrt(d[0] * d[0] + d[1] * d[1]) / span
        main = 0
        if steep:
            main = 1
        lowest = wp.min(a[main], b[main])
        highest = wp.max(a[main], b[main])
        limit = width
        if steep:
            limit = height
        first = wp.max(int(wp.ceil(lowest - 0.5)), 0)
        last = wp.min(int(wp.ceil(highest - 0.5)), limit)
        # only where it lies inside the picture across its main direction, too
        slope = d[1 - main] / d[main]
        beyond = float(height + width - limit) + reach + 1.0
        if wp.abs(slope) > 1.0e-6:
            one = a[main] + (-reach - 1.0 - a[1 - main]) / slope
            other = a[main] + (beyond - a[1 - main]) / slope
            first = wp.max(first, int(wp.max(wp.min(one, other), 0.0)) - 1)
            last = wp.min(last, int(wp.min(wp.max(one, other), float(limit))) + 1)
        for i in range(first, last):
            share = (float(i) + 0.5 - a[main]) / d[main]
            across = a[1 - main] + share * d[1 - main]
            z = a[2] + share * d[2]
            near = strength[s, 0] * (1.0 - share) + strength[s, 1] * share
            if near < 0.012:
                continue
            for j in range(int(wp.floor(across - reach - 0.5)), int(wp.ceil(across + reach + 0.5))):
                row, column = j, i
                if steep:
                    row, column = i, j
                if row < 0 or column < 0 or row >= height or column >= width:
                    continue
                cover = wp.clamp(reach + 0.5 - wp.abs(float(j) + 0.5 - across), 0.0, 1.0) * near
                if cover < 0.012 or z * slack < depth[row, column]:
                    continue
                red = float(image[row, column, 0])
                green = float(image[row, column, 1])
                blue = float(image[row, column, 2])
                image[row, column, 0] = wp.uint8(red + cover * (colour[0] - red))
                image[row, column, 1] = wp.uint8(green + cover * (colour[1] - green))
                image[row, column, 2] = wp.uint8(blue + cover * (colour[2] - blue))


@wp.kernel(enable_backward=False)
def _compose(
    tile: wp.array3d(dtype=wp.uint8),
    tile_depth: wp.array2d(dtype=wp.float32),
    left: int,
    top: int,
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    slack: float,
):
    for row in range(tile.shape[0] // 2):
        for column in range(tile.shape[1] // 2):
            y = top + row
            x = left + column
            if y < 0 or x < 0 or y >= image.shape[0] or x >= image.shape[1]:
                continue
            behind = float(0.0)
            if depth.shape[0] > 0:
                behind = depth[y, x]
            red, green, blue, count = float(0.0), float(0.0), float(0.0), float(0.0)
            for i in range(2):
                for j in range(2):
                    near = tile_depth[2 * row + i, 2 * column + j]
                    if near > 0.0 and near * slack > behind:
                        red += float(tile[2 * row + i, 2 * column + j, 0])
                        green += float(tile[2 * row + i, 2 * column + j, 1])
                        blue += float(tile[2 * row + i, 2 * column + j, 2])
                        count += 1.0
            if count > 0.0:
                rest = 4.0 - count
                image[y, x, 0] = wp.uint8(0.25 * (red + rest * float(image[y, x, 0])))
                image[y, x, 1] = wp.uint8(0.25 * (green + rest * float(image[y, x, 1])))
                image[y, x, 2] = wp.uint8(0.25 * (blue + rest * float(image[y, x, 2])))


@wp.kernel(enable_backward=False)
def _darken(mask: wp.array2d(dtype=wp.uint8), left: int, top: int, share: float, image: wp.array3d(dtype=wp.uint8)):
    for row in range(2 * mask.shape[0]):
        y = top + row
        if y >= image.shape[0]:
            continue
        for column in range(2 * mask.shape[1]):
            x = left + column
            dark = mask[row // 2, column // 2]
            if dark == wp.uint8(0) or x >= image.shape[1]:
                continue
            light = 1.0 - share * float(dark) / 255.0
            for k in range(3):
                image[y, x, k] = wp.uint8(light * float(image[y, x, k]))


@wp.kernel(enable_backward=False)
def _video(image: wp.array3d(dtype=wp.uint8), luma: wp.array2d(dtype=wp.uint8), chroma: wp.array3d(dtype=wp.uint8)):
    for row in range(chroma.shape[1]):
        for column in range(chroma.shape[2]):
            red, green, blue = int(0), int(0), int(0)
            for k in range(4):
                y = 2 * row + k // 2
                x = 2 * column + k % 2
                r = int(image[y, x, 0])
                g = int(image[y, x, 1])
                b = int(image[y, x, 2])
                luma[y, x] = wp.uint8((11966 * r + 40254 * g + 4064 * b + 1081344) >> 16)
                red += r
                green += g
                blue += b
            chroma[0, row, column] = wp.uint8((-6596 * red - 22189 * green + 28784 * blue + 33685504) >> 18)
            chroma[1, row, column] = wp.uint8((28784 * red - 26145 * green - 2639 * blue + 33685504) >> 18)


def fill_triangles(
    places: np.ndarray, colours: np.ndarray, triangles: np.ndarray, image: np.ndarray, depth: np.ndarray,
    two_sided: bool = False,
) -> None:  # fmt: skip
    """Paint triangles [N, 3] on ``image`` [h, w, 3] of bytes, where nearer than ``depth`` [h, w], which they set.

    Their vertices are ``places`` [V, 3] with ``colours`` [V, 3] from 0 to 255. Those seen from behind are left out,
    unless ``two_sided``.
    """
    run_kernel(_triangles, vec3s(places), vec3s(colours), _ints(triangles), _bytes(image), floats(depth), two_sided)


def fill_depth(places: np.ndarray, triangles: np.ndarray, depth: np.ndarray) -> None:
    """The nearest third number of the triangles over every pixel of ``depth`` [h, w]."""
    run_kernel(_depth, vec3s(places), _ints(triangles), floats(depth), False)


def fill_mask(places: np.ndarray, triangles: np.ndarray, mask: np.ndarray) -> None:
    """1 in every pixel of ``mask`` [h, w] that a triangle covers."""
    run_kernel(_depth, vec3s(places), _ints(triangles), floats(mask), True)


def draw_lines(
    starts: np.ndarray, ends: np.ndarray, strength: np.ndarray, colour: tuple[float, float, float],
    image: np.ndarray, depth: np.ndarray, width: float = 1.0, slack: float = 1.01,
) -> None:  # fmt: skip
    """Draw smooth lines [N, 3] to [N, 3] on ``image``, where nothing in ``depth`` lies before them.

    Args:
        starts, ends: (right, down, 1 / distance).
        strength: [N, 2] from 0 to 1, at start and end.
        colour: 0 to 255.
        image, depth: as in ``fill_triangles``.
        width: pixels.
        slack: how much nearer than it is a line counts.
    """
    ink = wp.vec3(*(float(v) for v in colour))
    strong = wp.array(np.ascontiguousarray(strength, np.float32), dtype=wp.float32, device="cpu", copy=False)
    run_kernel(_lines, vec3s(starts), vec3s(ends), strong, ink, _bytes(image), floats(depth), slack, 0.5 * width)


def compose(
    tile: np.ndarray, tile_depth: np.ndarray, corner: tuple[int, int], image: np.ndarray, depth: np.ndarray | None,
    slack: float = 1.004,
) -> None:  # fmt: skip
    """Lay a tile [2 h, 2 w, 3] of twice the resolution on ``image``, its left upper pixel at ``corner`` (right, down),
    where it is nearer than ``depth``; over everything without one. With ``slack`` it counts as so much nearer."""
    behind = np.zeros((0, 0), np.float32) if depth is None else depth
    run_kernel(_compose, _bytes(tile), floats(tile_depth), *corner, _bytes(image), floats(behind), slack)


def darken(mask: np.ndarray, corner: tuple[int, int], share: float, image: np.ndarray) -> None:
    """Take up to ``share`` of the light from ``image`` where ``mask`` [h, w], bytes of half the resolution, is set."""
    run_kernel(_darken, _bytes(mask), *corner, share, _bytes(image))


def to_video(image: np.ndarray, planes: np.ndarray) -> None:
    """A picture [h, w, 3], both even, as ``planes`` [3 h w / 2]: brightness, then two planes of colour at half the
    resolution, as films store them (ITU-R BT.709, limited range)."""
    height, width, _ = image.shape
    luma, chroma = np.split(planes, [height * width])
    parts = luma.reshape(height, width), chroma.reshape(2, height // 2, width // 2)
    run_kernel(_video, _bytes(image), *(_bytes(part) for part in parts))


@cache
def ready() -> None:
    """Compile the kernels, or take them from the cache; call it before several threads paint."""
    start_warp()
    with loading("the painter of films"):
        for name in (__name__, "footfall.pictures.shading"):
            wp.load_module(import_module(name), device="cpu")


def run_kernel(kernel: Any, *inputs: Any) -> None:
    """Run a kernel as one thread on the processor."""
    ready()
    wp.launch(kernel, dim=1, inputs=list(inputs), device="cpu")


def vec3s(values: np.ndarray) -> Any:
    """An array [N, 3] for a kernel; not copied where it holds 4-byte floats."""
    return wp.array(np.ascontiguousarray(values, np.float32), dtype=wp.vec3, device="cpu", copy=False)


def _ints(values: np.ndarray) -> Any:
    return wp.array(np.ascontiguousarray(values, np.int32), dtype=wp.int32, device="cpu", copy=False)


def _bytes(values: np.ndarray) -> Any:
    return wp.array(values, dtype=wp.uint8, device="cpu", copy=False)


def floats(values: np.ndarray) -> Any:
    """An array of 4-byte floats for a kernel, not copied."""
    return wp.array(values, dtype=wp.float32, device="cpu", copy=False)
