"""Triangles, lines and masks into pixels: compiled with Warp for the processor, so that films need no graphics card.

Every kernel of ``pixels`` runs as one thread over all its triangles, in their order. Places are (right, down,
1 / distance) in pixels and 1/m; what is nearer has the larger third number. Pixels are sampled at their centres.
"""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import warp as wp

from footfall.kernels.start import loading, start_warp
from footfall.pictures import pixels


def fill_triangles(
    places: np.ndarray, colours: np.ndarray, triangles: np.ndarray, image: np.ndarray, depth: np.ndarray,
    two_sided: bool = False,
) -> None:  # fmt: skip
    """Paint triangles [N, 3] on ``image`` [h, w, 3] of bytes, where nearer than ``depth`` [h, w], which they set.

    Their vertices are ``places`` [V, 3] with ``colours`` [V, 3] from 0 to 255. Those seen from behind are left out,
    unless ``two_sided``.
    """
    run_kernel(
        pixels.triangles, vec3s(places), vec3s(colours), _ints(triangles), _bytes(image), floats(depth), two_sided
    )


def fill_depth(places: np.ndarray, triangles: np.ndarray, depth: np.ndarray) -> None:
    """The nearest third number of the triangles over every pixel of ``depth`` [h, w]."""
    run_kernel(pixels.depths, vec3s(places), _ints(triangles), floats(depth), False)


def fill_mask(places: np.ndarray, triangles: np.ndarray, mask: np.ndarray) -> None:
    """1 in every pixel of ``mask`` [h, w] that a triangle covers."""
    run_kernel(pixels.depths, vec3s(places), _ints(triangles), floats(mask), True)


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
    run_kernel(pixels.lines, vec3s(starts), vec3s(ends), strong, ink, _bytes(image), floats(depth), slack, 0.5 * width)


def lay_over(
    tile: np.ndarray, tile_depth: np.ndarray, corner: tuple[int, int], image: np.ndarray, depth: np.ndarray | None,
    slack: float = 1.004,
) -> None:  # fmt: skip
    """Lay a tile [2 h, 2 w, 3] of twice the resolution on ``image``, its left upper pixel at ``corner`` (right, down),
    where it is nearer than ``depth``; over everything without one. With ``slack`` it counts as so much nearer."""
    behind = np.zeros((0, 0), np.float32) if depth is None else depth
    run_kernel(pixels.compose, _bytes(tile), floats(tile_depth), *corner, _bytes(image), floats(behind), slack)


def darken_image(mask: np.ndarray, corner: tuple[int, int], share: float, image: np.ndarray) -> None:
    """Take up to ``share`` of the light from ``image`` where ``mask`` [h, w], bytes of half the resolution, is set."""
    run_kernel(pixels.darken, _bytes(mask), *corner, share, _bytes(image))


def to_video(image: np.ndarray, planes: np.ndarray) -> None:
    """A picture [h, w, 3], both even, as ``planes`` [3 h w / 2]: brightness, then two planes of colour at half the
    resolution, as films store them (ITU-R BT.709, limited range)."""
    height, width, _ = image.shape
    luma, chroma = np.split(planes, [height * width])
    parts = luma.reshape(height, width), chroma.reshape(2, height // 2, width // 2)
    run_kernel(pixels.video, _bytes(image), *(_bytes(part) for part in parts))


@cache
def ready() -> None:
    """Compile the kernels, or take them from the cache; call it before several threads paint."""
    start_warp()
    with loading("the painter of films"):
        for name in ("footfall.pictures.pixels", "footfall.pictures.shading"):
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
