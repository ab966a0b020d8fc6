"""Vertices of bodies posed, seen and lit, and triangles, lines and masks into pixels: compiled with Warp for
the processor, so that films need no graphics card.

Every kernel of ``pixels`` runs as one thread over all its triangles, in their order. Places are (right, down,
1 / distance) in pixels and 1/m; what is nearer has the larger third number. Pixels are sampled at their centres.
"""

from functools import cache
from typing import Any

import numpy as np
import warp as wp

from footfall.kernels.start import loading, start_warp
from footfall.pictures import pixels, shading


def fill_triangles(
    places: np.ndarray, colours: np.ndarray, triangles: np.ndarray, image: np.ndarray, depth: np.ndarray,
    two_sided: bool = False,
) -> None:  # fmt: skip
    """Paint triangles [N, 3] on ``image`` [h, w, 3] of bytes, where nearer than ``depth`` [h, w], which they set.

    Their vertices are ``places`` [V, 3] with ``colours`` [V, 3] from 0 to 255. Those seen from behind are left out,
    unless ``two_sided``.
    """
    _run(pixels.triangles, places, colours, triangles, image, depth, two_sided)


def fill_depth(places: np.ndarray, triangles: np.ndarray, depth: np.ndarray) -> None:
    """The nearest third number of the triangles over every pixel of ``depth`` [h, w]."""
    _run(pixels.depths, places, triangles, depth, False)


def fill_mask(places: np.ndarray, triangles: np.ndarray, mask: np.ndarray) -> None:
    """1 in every pixel of ``mask`` [h, w] that a triangle covers."""
    _run(pixels.depths, places, triangles, mask, True)


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
    _run(pixels.lines, starts, ends, strength, colour, image, depth, slack, 0.5 * width)


def lay_over(
    tile: np.ndarray, tile_depth: np.ndarray, corner: tuple[int, int], image: np.ndarray, depth: np.ndarray | None,
    slack: float = 1.004,
) -> None:  # fmt: skip
    """Lay a tile [2 h, 2 w, 3] of twice the resolution on ``image``, its left upper pixel at ``corner`` (right, down),
    where it is nearer than ``depth``; over everything without one. With ``slack`` it counts as so much nearer."""
    behind = np.zeros((0, 0), np.float32) if depth is None else depth
    _run(pixels.compose, tile, tile_depth, *corner, image, behind, slack)


def darken_image(mask: np.ndarray, corner: tuple[int, int], share: float, image: np.ndarray) -> None:
    """Take up to ``share`` of the light from ``image`` where ``mask`` [h, w], bytes of half the resolution, is set."""
    _run(pixels.darken, mask, *corner, share, image)


def to_video(image: np.ndarray, planes: np.ndarray) -> None:
    """A picture [h, w, 3], both even, as ``planes`` [3 h w / 2]: brightness, then two planes of colour at half the
    resolution, as films store them (ITU-R BT.709, limited range)."""
    height, width, _ = image.shape
    luma, chroma = np.split(planes, [height * width])
    _run(pixels.video, image, luma.reshape(height, width), chroma.reshape(2, height // 2, width // 2))


def pose(
    vertices: np.ndarray, normals: np.ndarray, joints: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Places and normals [V, 3] in the world of vertices [V, 3] fixed to ``joints`` [V] with ``frames`` [J, 3, 4]."""
    places, outward = np.empty_like(vertices), np.empty_like(vertices)
    _run(shading._pose, vertices, normals, joints, frames, places, outward)
    return places, outward


def see(places: np.ndarray, camera: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """[V, 3] pixels right and down and 1 / distance of places [V, 3] by a camera's matrix [4, 4]; 0 behind the eye."""
    seen = np.empty((len(places), 3), np.float32)
    _run(shading._see, places, camera, float(size[0]), float(size[1]), seen)
    return seen


def tone(
    places: np.ndarray, normals: np.ndarray, paint: np.ndarray, eye: np.ndarray, light: np.ndarray,
    sun: np.ndarray, near: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """[V, 3] colours from 0 to 255 of a matt surface under sun and sky.

    Args:
        places, normals, paint: [V, 3] in the world; paint is its own colour.
        eye, light: (3,) where it is seen from, and the way to the sun.
        sun: [4, 4] from the world to pixels of ``near`` and metres towards the sun.
        near: [h, h] what the sun sees first; without pixels nothing lies in shadow.
    """
    colours = np.empty((len(places), 3), np.float32)
    _run(shading._tone, places, normals, paint, eye, light, sun, near, colours)
    return colours


@cache
def ready() -> None:
    """Compile the kernels, or take them from the cache; call it before several threads paint."""
    start_warp()
    with loading("the painter of films"):
        for module in (pixels, shading):
            wp.load_module(module, device="cpu")


def _run(kernel: Any, *inputs: Any) -> None:
    """Run a kernel as one thread on the processor. Arrays are turned into those that it takes, and not copied where
    they hold their numbers already; vectors and matrices are given as their numbers."""
    ready()
    given = [_input(value, argument.type) for value, argument in zip(inputs, kernel.adj.args, strict=True)]
    wp.launch(kernel, dim=1, inputs=given, device="cpu")


def _input(value: Any, kind: Any) -> Any:
    if isinstance(kind, wp.array):
        numbers = wp.dtype_to_numpy(getattr(kind.dtype, "_wp_scalar_type_", kind.dtype))
        return wp.array(np.ascontiguousarray(value, numbers), dtype=kind.dtype, device="cpu", copy=False)
    return kind(*(float(x) for x in np.ravel(value))) if hasattr(kind, "_wp_scalar_type_") else value
