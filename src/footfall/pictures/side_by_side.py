"""Source and result of a retargeting side by side: limbs between landmarks, from the side and from the front."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.motion.gait.heading import facing
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.landmarks import landmark_positions
from footfall.pictures.page import empty_figure
from footfall.pictures.palette import SIDE_COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRUNK = "#4A525C"
_BONES = (
    *(
        (f"{side}_{a}", f"{side}_{b}")
        for side in ("left", "right")
        for a, b in (
            ("hip", "knee"),
            ("knee", "ankle"),
            ("ankle", "heel"),
            ("heel", "toe"),
            ("ankle", "toe"),
            ("shoulder", "elbow"),
            ("elbow", "wrist"),
        )
    ),
    ("left_hip", "right_hip"),
    ("left_shoulder", "right_shoulder"),
    ("hips", "shoulders"),
    ("shoulders", "head"),
)
_LIMB, _HEAD = 6.0, 0.055
"""Width of a limb, points, and radius of a head, as a share of the height."""


def plot_side_by_side(source: Motion, result: Motion, *, poses: int = 6, title: str | None = None) -> "Figure":
    """Poses of two motions with the same frames, the source above the result, from the side and from the front."""
    picks = np.linspace(0, len(source) - 1, poses + 2)[1:-1].round().astype(int)
    figure = empty_figure(2.1 * poses, 9.6)
    rows = figure.subplots(4, poses, squeeze=False)
    for motion, label, first in ((source, "source", 0), (result, "result", 2)):
        places, ahead = landmark_positions(motion), facing(motion)
        size = float(np.ptp(np.concatenate([p[:, 2] for p in places.values()])))
        for row, view in ((first, "side"), (first + 1, "front")):
            for axes, t in zip(rows[row], picks):
                along = ahead[t] if view == "side" else np.array([ahead[t][1], -ahead[t][0]])
                _body(axes, {name: place[t] for name, place in places.items()}, along, max(size, 1e-3))
                if axes is rows[row][0]:
                    axes.set_ylabel(f"{label}, {view}", fontsize=9)
                if row == 0:
                    axes.set_title(f"{source.times[t] - source.times[0]:.2f} s", fontsize=9)
    if title:
        figure.suptitle(title, fontsize=11, x=0.01, ha="left", color="#22272E")
    return figure


def _body(axes: "Axes", places: dict[str, Array], along: Array, size: float) -> None:
    from matplotlib.patches import Circle

    centre = places["hips"]
    for a, b in _BONES:
        if a in places and b in places:
            ends = np.array([places[a], places[b]]) - centre * [1.0, 1.0, 0.0]
            side = a.partition("_")[0]
            colour = SIDE_COLOURS.get(side, TRUNK) if b.startswith(side) else TRUNK
            axes.plot(ends[:, :2] @ along, ends[:, 2], color=colour, linewidth=_LIMB, solid_capstyle="round")
    if "head" in places:
        head = 0.5 * (places["head"] + places.get("head_top", places["head"])) - centre * [1.0, 1.0, 0.0]
        axes.add_patch(Circle((float(head[:2] @ along), float(head[2])), _HEAD * size, color=TRUNK, linewidth=0.0))
    axes.set_xlim(-0.6 * size, 0.6 * size)
    middle = float(np.mean([p[2] for p in places.values()]))
    axes.set_ylim(min(middle - 0.62 * size, -0.03), max(middle + 0.62 * size, 1.0))
    axes.axhline(0.0, color="#9AA4AE", linewidth=0.8)
    axes.set_aspect("equal", adjustable="box")
    axes.set_xticks([])
    axes.set_yticks([])
