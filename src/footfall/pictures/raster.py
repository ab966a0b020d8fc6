"""Vertices of bodies posed, seen and lit, and triangles, lines and masks into pixels: compiled with Warp for
the processor, so that films need no graphics card.

Every kernel runs as one thread over all its triangles, in their order. Positions are (right, down, 1 / distance) in
pixels and 1/m; what is nearer has the larger third number. Pixels are sampled at their centres.

Loops over pixels are written in C++ (``pixels.cpp``): bytes written through Warp's arrays take twice the time. A byte
may be part of anything, the array's own sizes included, which are then read again for every pixel. All arrays lie in
one piece of memory.
"""

from collections.abc import Callable
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
import warp as wp

from footfall.kernels.start import loading, start_warp
from footfall.pictures import shading
from footfall.pictures.web_page import named_parts

_PARTS = named_parts("pixels.cpp")


def _looped(arguments: Any) -> Callable[..., None]:
    """A function that runs, with the arguments of the one given, the part of ``pixels.cpp`` of its name as a kernel."""
    name, given = arguments.__name__, ", ".join(arguments.__annotations__)
    text = _PARTS[name].replace("SPAN", _PARTS["SPAN"]).replace("ROW", _PARTS["ROW"])
    globals()[f"loop_{name}"] = wp.func_native(text)(arguments)
    call = f"def {name}({given}):\n    loop_{name}({given})\n"
    kernel, names = wp.Kernel(arguments, options={"enable_backward": False}, source=call), signature(arguments)

    def run(*inputs: Any, **named: Any) -> None:
        _run(kernel, *names.bind(*inputs, **named).args)

    return run


@_looped
def fill_triangles(
    places: wp.array(dtype=wp.vec3),
    colours: wp.array(dtype=wp.vec3),
    corners: wp.array2d(dtype=wp.int32),
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    two_sided: wp.bool,
):
    """Paint triangles [N, 3] on ``image`` [h, w, 3] of bytes, where nearer than ``depth`` [h, w], which they set.

    Their vertices are ``places`` [V, 3] with ``colours`` [V, 3] from 0 to 255. Those seen from behind are left out,
    unless ``two_sided``.
    """


@_looped
def fill_depth(
    places: wp.array(dtype=wp.vec3),
    corners: wp.array2d(dtype=wp.int32),
    depth: wp.array2d(dtype=wp.float32),
    mask: wp.bool,
):
    """The nearest third number of the triangles over every pixel of ``depth`` [h, w]; as a ``mask`` 1 in every one that
    a triangle covers."""


@_looped
def draw_lines(
    starts: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    strength: wp.array2d(dtype=wp.float32),
    colour: wp.vec3,
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    slack: float,
    half: float,
):
    """Draw smooth lines [N, 3] to [N, 3] on ``image``, where nothing in ``depth`` lies before them.

    Args:
        starts, ends: (right, down, 1 / distance).
        strength: [N, 2] from 0 to 1, at start and end.
        colour: 0 to 255.
        image, depth: as in ``fill_triangles``.
        slack: how much nearer than it is a line counts.
        half: of its width, pixels.
    """


@_looped
def compose(
    tile: wp.array3d(dtype=wp.uint8),
    tile_depth: wp.array2d(dtype=wp.float32),
    left: int,
    top: int,
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    slack: float,
): ...


def lay_over(
    tile: np.ndarray, tile_depth: np.ndarray, corner: tuple[int, int], image: np.ndarray, depth: np.ndarray | None,
    slack: float = 1.004,
) -> None:  # fmt: skip
    """Lay a tile [2 h, 2 w, 3] of twice the resolution on ``image``, its left upper pixel at ``corner`` (right, down),
    where it is nearer than ``depth``; over everything without one. With ``slack`` it counts as so much nearer."""
    behind = np.zeros((0, 0), np.float32) if depth is None else depth
    compose(tile, tile_depth, *corner, image, behind, slack)


@_looped
def darken(mask: wp.array2d(dtype=wp.uint8), left: int, top: int, share: float, image: wp.array3d(dtype=wp.uint8)):
    """Take up to ``share`` of the light from ``image`` where ``mask`` [h, w], bytes of half the resolution with their
    corner at (left, top), is set."""


@_looped
def video(image: wp.array3d(dtype=wp.uint8), luma: wp.array2d(dtype=wp.uint8), chroma: wp.array3d(dtype=wp.uint8)): ...


def to_video(image: np.ndarray, planes: np.ndarray) -> None:
    """A picture [h, w, 3], both even, as ``planes`` [3 h w / 2]: brightness, then two planes of colour at half the
    resolution, as films store them (ITU-R BT.709, limited range)."""
    height, width, _ = image.shape
    luma, chroma = np.split(planes, [height * width])
    video(image, luma.reshape(height, width), chroma.reshape(2, height // 2, width // 2))


def pose(
    vertices: np.ndarray, normals: np.ndarray, joints: np.ndarray, frames: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and normals [V, 3] in the world, of vertices fixed to ``joints`` [V] with ``frames`` [J, 3, 4]."""
    places, outward = np.empty_like(vertices), np.empty_like(vertices)
    _run(shading._pose, vertices, normals, joints, frames, places, outward)
    return places, outward


def see(places: np.ndarray, camera: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """[V, 3] pixels right and down and 1 / distance of points [V, 3] by a camera's matrix [4, 4]; 0 behind the eye."""
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
        for module in (__name__, shading):
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
