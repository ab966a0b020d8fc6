"""Where the camera stands: views from the side, three-quarter, the front and the top."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIELD_OF_VIEW", "VIEWS", "camera_of", "first_view"]

Array = NDArray[np.float64]

FIELD_OF_VIEW = 0.7
VIEWS: dict[str, tuple[float, float, float]] = {
    "side": (-86.0, 7.0, 5.4),
    "three-quarter": (-50.0, 16.0, 5.6),
    "front": (0.0, 8.0, 5.4),
    "top": (-90.0, 80.0, 6.0),
}
"""Azimuth from the heading and elevation, degrees, and distance for a figure of 1.75 m."""
AIM, TALL = 0.70, 1.75


def camera_of(view: str, heading: float = 0.0, height: float = TALL) -> tuple[Array, Array]:
    """Place [3] and aim [3] of the camera around a walker that stands at the scene's origin.

    Args:
        view: one of ``VIEWS``. heading: of the walker, radians. height: of its figure, metres.
    """
    azimuth, elevation, distance = VIEWS[view]
    scale = max(height, 0.4) / TALL
    a, e = heading + math.radians(azimuth), math.radians(elevation)
    aim = np.array([0.0, 0.0, AIM * scale])
    way = np.array([math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e)])
    return aim + scale * distance * way, aim


def first_view(figure: Any) -> str:
    """The view in which a figure is shown first: from the side in a plane, else three-quarter."""
    return "side" if figure.root == "planar" else "three-quarter"
