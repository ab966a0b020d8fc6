"""Foot slip: whether feet slide, and how deep they sink."""

from dataclasses import dataclass

import numpy as np

from footfall.dynamics.ground import Ground
from footfall.figures.inertia import GRAVITY
from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.figure_skeleton import poses_from_qpos, skeleton_of
from footfall.simulation.trace import Trace

LIFTING = 0.03
"""The last seconds of a point's contact, in which the foot pushes off and leaves the ground."""


@dataclass(frozen=True)
class FootSlip:
    """What the feet of a walk do on level ground, metres.

    Attributes:
        slide: the farthest that any point of a foot gets from where it came down while it carries a tenth of the
            weight, until it is lifted.
        scuff: the same whatever it carries: a toe may trail over the ground as its leg begins to swing.
        lift: the same when it leaves the ground: a toe that pushes off lets go of soft ground before it is out of it.
        depth: the deepest that any point of a foot sinks.
    """

    slide: float
    scuff: float
    lift: float
    depth: float


def foot_slip(trace: Trace, ground: Ground, *, world: int = 0) -> FootSlip:
    """Measure the feet of one world of a trace.

    Args:
        trace: of a walk on level ground, with contacts; 100 samples per second or more.
        ground: what it walked on: its spring and damper give the load on a point.
        world: which of the trace's worlds.
    """
    n = int(trace.last[world])
    figure, times = trace.figure, trace.times[:n]
    positions, orientations = skeleton_of(figure).forward(*poses_from_qpos(figure, trace.qpos[:n, world]))
    tenth = 0.1 * GRAVITY * float(sum(b.mass for b in figure.bodies))
    slide = scuff = lift = depth = 0.0
    for i, point in enumerate(p for p in figure.points if p.ground):
        if point.foot is None:
            continue
        place = positions[:, point.body] + rotate(orientations[:, point.body], point.position)
        carried = -ground.stiffness * place[:, 2] - ground.damping * np.gradient(place[:, 2], times)
        touching = np.r_[False, trace.contact[:n, world, i], False]
        downs, ups = (np.flatnonzero(touching[1:] & ~touching[:-1]), np.flatnonzero(~touching[1:] & touching[:-1]))
        for a, b in zip(downs, ups, strict=True):
            moved = np.linalg.norm(place[a:b, :2] - place[a, :2], axis=1)
            standing = times[a:b] < times[b - 1] - LIFTING
            slide = max(slide, float(np.max(moved[standing & (carried[a:b] > tenth)], initial=0.0)))
            scuff = max(scuff, float(np.max(moved[standing], initial=0.0)))
            lift = max(lift, float(np.max(moved)))
        depth = max(depth, float(np.max(-place[:, 2])))
    return FootSlip(slide, scuff, lift, depth)
