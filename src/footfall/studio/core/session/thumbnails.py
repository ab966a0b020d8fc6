"""Small pictures of controllers: the poses that they ask for, as stick figures seen from the side."""

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.registry import kind_of
from footfall.motion import Motion
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.studio.core.markup import INK, LEFT, RIGHT

POSES, WIDTH, HEIGHT, EDGE = 3, 96.0, 48.0, 2.0
COLOURS = {"left": LEFT, "right": RIGHT, "": INK}
Segment = tuple[str, float, NDArray[np.float64]]
"""Side, width and two ends, [2, 2] metres ahead and up."""


def thumbnail(controller: Controller) -> str:
    """A drawing of a controller's poses, as many as there is room for; empty where its kind has none."""
    poses = kind_of(controller).describe(controller, draw=True).poses
    if poses is None or not len(poses):
        return ""
    frames = np.unique(np.linspace(0, len(poses) - 1, POSES).round().astype(int))
    drawn = [_segments(poses, int(frame)) for frame in frames]
    heights = np.array([[ends[:, 1].min() - width / 2, ends[:, 1].max() + width / 2]
                        for pose in drawn for _, width, ends in pose])  # fmt: skip
    low = float(heights.min())
    scale = (HEIGHT - 2 * EDGE) / max(float(heights.max()) - low, 1e-3)
    parts = []
    for k, pose in enumerate(drawn):
        middle = WIDTH * (k + 0.5) / len(drawn)
        for (side, width), same in groupby(pose, key=lambda one: one[:2]):
            way = ""
            for _, _, ends in same:
                x, y = middle + scale * ends[:, 0], HEIGHT - EDGE - scale * (ends[:, 1] - low)
                way += f"M{x[0]:.1f} {y[0]:.1f}L{x[1]:.1f} {y[1]:.1f}"
            parts.append(f"<path d='{way}' stroke='{COLOURS[side]}' stroke-width='{max(scale * width, 1.0):.1f}'/>")
    return (
        f"<svg viewBox='0 0 {WIDTH:g} {HEIGHT:g}' width='{WIDTH:g}' height='{HEIGHT:g}' aria-hidden='true' fill='none' "
        f"stroke-linecap='round'>{''.join(parts)}</svg>"
    )


def _segments(motion: Motion, frame: int) -> list[Segment]:
    """The bones of a pose, the left side first, so that the right one is in front."""
    skeleton = motion.skeleton
    one = slice(frame, frame + 1)
    positions, turns = (a[0] for a in skeleton.forward(motion.root_position[one], motion.rotations[one]))
    found: list[Segment] = []
    for bone in body_capsules(skeleton):
        ends = np.array(
            [positions[bone.joint] + rotate(turns[bone.joint], np.array(end)) for end in (bone.start, bone.end)]
        )
        width = round(bone.radius_start + bone.radius_end, 2)
        found.append((bone.side, width, (ends - positions[0])[:, [0, 2]]))
    order = {"left": 0, "": 1, "right": 2}
    return sorted(found, key=lambda one: (order[one[0]], one[1]))
