"""The kernels of ``raster``, with loops over pixels in C++ (``pixels.cpp``).

Bytes written through Warp's arrays take twice the time: a byte may be part of anything, the array's own sizes included,
which are then read again for every pixel. All arrays lie in one piece of memory.
"""

from typing import Any

import warp as wp

from footfall.pictures.web_page import named_parts

_PARTS = named_parts("pixels.cpp")


def _looped(arguments: Any) -> Any:
    """A kernel with the arguments of a function and the part of ``pixels.cpp`` of its name, run by one thread."""
    name, given = arguments.__name__, ", ".join(arguments.__annotations__)
    text = _PARTS[name].replace("SPAN", _PARTS["SPAN"]).replace("ROW", _PARTS["ROW"])
    globals()[f"loop_{name}"] = wp.func_native(text)(arguments)
    call = f"def {name}({given}):\n    loop_{name}({given})\n"
    return wp.Kernel(arguments, options={"enable_backward": False}, source=call)


@_looped
def triangles(
    places: wp.array(dtype=wp.vec3),
    colours: wp.array(dtype=wp.vec3),
    corners: wp.array2d(dtype=wp.int32),
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    two_sided: wp.bool,
): ...


@_looped
def depths(
    places: wp.array(dtype=wp.vec3),
    corners: wp.array2d(dtype=wp.int32),
    depth: wp.array2d(dtype=wp.float32),
    mask: wp.bool,
): ...


@_looped
def lines(
    starts: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    strength: wp.array2d(dtype=wp.float32),
    colour: wp.vec3,
    image: wp.array3d(dtype=wp.uint8),
    depth: wp.array2d(dtype=wp.float32),
    slack: float,
    half: float,
): ...


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


@_looped
def darken(mask: wp.array2d(dtype=wp.uint8), left: int, top: int, share: float, image: wp.array3d(dtype=wp.uint8)): ...


@_looped
def video(image: wp.array3d(dtype=wp.uint8), luma: wp.array2d(dtype=wp.uint8), chroma: wp.array3d(dtype=wp.uint8)): ...
