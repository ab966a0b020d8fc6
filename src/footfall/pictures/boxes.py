"""Boxes in a scene: solids with places of their own beside the body's joints."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.skeleton.solids import Solid
from footfall.pictures.scene import Scene

SHARP = 0.98
"""How near its edges a side's own rings are, so that edges look sharp."""


def with_boxes(scene: Scene, sizes: Sequence[Sequence[float]], states: Array) -> Scene:
    """A scene with boxes of the given edges, metres, at states [F, B, 7]: place and quaternion in each frame."""
    joints = scene.positions.shape[1]
    solids = [box_solid(joints + k, size) for k, size in enumerate(sizes)]
    return replace(
        scene,
        solids=[*scene.solids, *solids],
        positions=np.concatenate([scene.positions, states[..., :3]], axis=1),
        orientations=np.concatenate([scene.orientations, states[..., 3:]], axis=1),
    )


def box_solid(joint: int, size: Sequence[float]) -> Solid:
    """A box as rings of points: a pole, the bottom, the sides, the top, a pole."""
    x, y, z = (0.5 * float(edge) for edge in size)
    share = np.array([-1.0, -SHARP, SHARP, 1.0])
    side = np.stack([share, np.full(4, -1.0)], axis=-1)
    turns = [np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]).round() for a in 0.5 * np.pi * np.arange(4)]
    around = np.concatenate([side[:-1] @ turn.T for turn in turns]) * (x, y)
    levels = (
        (-1.0, 0.0),
        (-1.0, SHARP),
        (-1.0, 1.0),
        (-SHARP, 1.0),
        (SHARP, 1.0),
        (1.0, 1.0),
        (1.0, SHARP),
        (1.0, 0.0),
    )
    rings = [np.concatenate([inward * around, np.full((len(around), 1), z * up)], axis=1) for up, inward in levels]
    return Solid(joint, np.array(rings), "", "box")
