"""Clips joined into one graph: as wide seams as it takes to get from every clip to every other.

No seam may jolt the pelvis, so that a run of three metres a second cannot follow a walk. Clips that are apart for their
speed are also taken with shorter strides (:mod:`footfall.methods.tracking.slowed_clips`): a walker comes to such a run
step by step, and back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.figures import Figure
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph
from footfall.methods.tracking.slowed_clips import slowed_clip

NEAR = (0.08, 0.12, 0.16, 0.2)
"""Metres that joints are apart at a seam at most, as they are tried."""
CLOSE = 0.8
"""Share of the largest jolt by which speeds of slowed clips are apart."""
SLOWEST, MOST = 0.4, 10
"""Share of its speed to which a clip is slowed at most, and in how many steps."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Clips that are joined.

    Attributes:
        graph: of their steps. of: the clip whose steps each one has, by its name: its own, or another that was slowed.
        left_out: names of clips that no seam joins to the others.
    """

    graph: TrackedGraph
    of: Mapping[str, str]
    left_out: tuple[str, ...]


def joined(clips: Sequence[GraphClip], figure: Figure, choosing: Choosing, near: Sequence[float] = NEAR) -> Joined:
    """Join clips.

    Args:
        clips: poses of the figure's skeleton. figure: whose. choosing: how steps are chosen.
        near: widths of seams that are tried, rising.
    """
    of = {clip.name: clip.name for clip in clips}
    made = _widened(clips, figure, choosing, near)
    shares = _shares(made)
    if shares:
        slow = {
            clip.name: [slowed_clip(clip, x, made.skeleton) for x in shares.get(clip.name, ())] for clip in made.clips
        }
        of |= {one.name: name for name, some in slow.items() for one in some}
        more = [one for some in slow.values() for one in some]
        made = _widened([*made.clips, *more], figure, choosing, near)
    inside = _inside(made)
    if len(inside) < len(made.clips):
        made = _widened([clip for clip in made.clips if clip.name in inside], figure, choosing, near)
    kept = {of[clip.name] for clip in made.clips}
    return Joined(made, of, tuple(name for name in of if of[name] == name and name not in kept))


def _inside(graph: TrackedGraph) -> set[str]:
    """Names of the clips that can be come to and come back from."""
    return {graph.steps[k].clip for k in graph.core}


def _widened(clips: Sequence[GraphClip], figure: Figure, choosing: Choosing, widths: Sequence[float]) -> TrackedGraph:
    """With seams as wide as it takes to join as many clips as the widest do."""
    tried = [TrackedGraph(clips, figure, choosing=replace(choosing, near=near)) for near in widths]
    counts = [len(_inside(one)) for one in tried]
    return tried[counts.index(max(counts))]


def _shares(graph: TrackedGraph) -> dict[str, list[float]]:
    """Shares of their strides with which clips are taken too that are not joined and faster than any that is: from the
    speed of the fastest to their own, little by little."""
    inside = _inside(graph)
    fastest = max(graph.steps[k].speed for k in graph.core)
    speeds: dict[str, list[float]] = {}
    for step in graph.steps:
        speeds.setdefault(step.clip, []).append(step.speed)
    found = {}
    for name, own in speeds.items():
        speed = float(np.median(own))
        if name not in inside and speed > fastest:
            least = max(fastest / speed, SLOWEST)
            count = min(MOST, int(np.ceil((1.0 - least) * speed / (CLOSE * graph.choosing.jolt))))
            found[name] = [round(float(share), 2) for share in np.linspace(1.0, least, count + 1)[1:]]
    return found
