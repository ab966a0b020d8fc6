"""Pictures of a world as it is now, painted by footfall's own painter."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion import GroundProfile, Motion
from footfall.motion.skeleton.figure_skeleton import poses_from_qpos
from footfall.pictures.camera import Camera
from footfall.pictures.painter import Painter
from footfall.pictures.scene import scene_of
from footfall.terrain import Terrain


class Renderer:
    """Paints poses of a figure.

    Args:
        figure: what is painted. terrains: those that it may stand on.
        size: (width, height) in pixels. camera: its name; None for the usual one.
    """

    def __init__(
        self, figure: Figure, terrains: Sequence[Terrain], size: tuple[int, int], camera: str | None = None
    ) -> None:
        self.figure, self.size, self.camera, self.terrains = figure, size, camera, terrains
        self._scenes: dict[int, Any] = {}

    def paint(self, qpos: NDArray[np.float64], terrain: int, seconds: float) -> NDArray[np.uint8]:
        """[height, width, 3] a pose [nq] on a terrain, at a time."""
        if terrain not in self._scenes:
            ground = GroundProfile.of(self.terrains[terrain])
            motion = Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None], ground=ground)
            self._scenes[terrain] = motion.skeleton, scene_of(motion)
        skeleton, scene = self._scenes[terrain]
        place, turns = poses_from_qpos(self.figure, qpos[None])
        positions, orientations = skeleton.forward(place, turns)
        now = replace(
            scene, positions=positions, orientations=orientations, root=positions[:, 0], times=np.array([seconds])
        )
        vars(now)["tall"] = scene.tall
        return np.array(Painter(now, Camera(now, self.size, self.camera)).paint(0))
