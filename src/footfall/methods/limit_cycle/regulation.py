"""Regulation variables: the few numbers of a posture that balance is controlled by (Laszlo 1996, section 3.5).

A vector fixed to the body is sampled at the end of a step, made one long, projected onto the ground and split into its
forward and lateral parts; forward is at right angles to the line through the hips, lateral is positive to the left.

    up           along the torso              uprightness of the torso
    pelvis-up    along the pelvis             the same, for a torso that a servo holds (§3.8)
    swing-com    from the swing foot to the centre of mass
    stance-com   from the stance foot to the centre of mass
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.figures.side_names import SIDES
from footfall.motion.quaternion import conjugate, multiply, rotate
from footfall.motion.skeleton.figure_skeleton import poses_from_qpos, skeleton_of
from footfall.motion.skeleton.tree import Skeleton

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Posture:
    """The posture of W worlds of a figure at one moment.

    Attributes:
        qpos: [W, nq].
        stance: [W] side of the stance leg, 0 left, 1 right. The legs change roles only after the last state of a step.
    """

    figure: Figure
    qpos: Array
    stance: NDArray[np.int64]

    @cached_property
    def _world(self) -> tuple[Array, Array, Array, Array]:
        """Positions [W, J, 3] and orientations [W, J, 4] of the bodies; offsets and masses of their centres."""
        skeleton, _ = _rig(self.figure)
        positions, orientations = skeleton.forward(*poses_from_qpos(self.figure, self.qpos))
        assert skeleton.mass is not None
        assert skeleton.com is not None
        return positions, orientations, skeleton.com, skeleton.mass

    @cached_property
    def com(self) -> Array:
        """[W, 3] centre of mass."""
        positions, orientations, offsets, mass = self._world
        centres = positions + rotate(orientations, offsets)
        return np.asarray(np.einsum("j,wjk->wk", mass, centres) / mass.sum())

    @cached_property
    def feet(self) -> Array:
        """[W, 2, 3] the left and the right foot: the point under the ankle, or the middle of the sole."""
        positions, orientations, _, _ = self._world
        feet = []
        for side in SIDES:
            leg = self.figure.leg(side)
            ankle = [p for p in self.figure.points if p.name == f"{side}_under_ankle"]
            points = ankle or [self.figure.point(name) for name in leg.sole]
            places = [positions[:, p.body] + rotate(orientations[:, p.body], p.position) for p in points]
            feet.append(np.mean(places, axis=0))
        return np.stack(feet, axis=1)

    @cached_property
    def hips(self) -> Array:
        """[W, 2, 3] the left and the right hip."""
        bodies = [self.figure.body(self.figure.leg(side).links[0]).index for side in SIDES]
        return self._world[0][:, bodies]

    @property
    def pelvis(self) -> Array:
        """[W, 3] the root's position."""
        return self.qpos[:, :3]

    @cached_property
    def forward(self) -> Array:
        """[W, 3] the horizontal direction at right angles to the line through the hips (Laszlo 1996, section 3.5)."""
        left = self.left
        return np.stack([left[:, 1], -left[:, 0], np.zeros(len(left))], axis=1)

    @cached_property
    def left(self) -> Array:
        """[W, 3] the horizontal direction from the right hip to the left one."""
        line = self.hips[:, 0] - self.hips[:, 1]
        line[:, 2] = 0.0
        return np.asarray(line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12))

    @property
    def heading(self) -> Array:
        """[W] angle of the facing direction from the world's x to its y, radians."""
        return np.asarray(np.arctan2(self.forward[:, 1], self.forward[:, 0]))

    def up(self, body: str) -> Array:
        """[W, 3] the direction that is vertical in the default pose, carried by a body."""
        index = self.figure.body(body).index
        turned = multiply(self._world[1][:, index], conjugate(_rig(self.figure)[1][index]))
        return rotate(turned, np.array([0.0, 0.0, 1.0]))

    def foot(self, swing: bool) -> Array:
        """[W, 3] the swing foot or the stance foot."""
        side = 1 - self.stance if swing else self.stance
        return np.asarray(self.feet[np.arange(len(side)), side])


_rigs: WeakKeyDictionary[Figure, tuple[Skeleton, Array]] = WeakKeyDictionary()


def _rig(figure: Figure) -> tuple[Skeleton, Array]:
    """A figure's skeleton, and the orientations [J, 4] of its bodies in the default pose."""
    if figure not in _rigs:
        skeleton = skeleton_of(figure)
        _, rotations = poses_from_qpos(figure, figure.default_qpos[None])
        _rigs[figure] = skeleton, skeleton.forward(np.zeros((1, 3)), rotations)[1][0]
    return _rigs[figure]


VECTORS: dict[str, Callable[[Posture], Array]] = {
    "up": lambda posture: posture.up(posture.figure.torso),
    "pelvis-up": lambda posture: posture.up(posture.figure.bodies[0].name),
    "swing-com": lambda posture: posture.com - posture.foot(swing=True),
    "stance-com": lambda posture: posture.com - posture.foot(swing=False),
}
"""Vectors [W, 3] of a posture by name."""

COMPONENTS = ("forward", "lateral")


@dataclass(frozen=True)
class RegulationVariable:
    """One scalar function of the posture at the end of a step, q = γ(x) (equation 3.5).

    Attributes:
        name: "up.forward", "swing-com.lateral" …, or a name of your own.
        project: posture of W worlds -> [W].
        mirrored: whether its sign changes when left and right change roles, so that a target of 0.03 means 0.03 towards
            the stance leg's side in every step.
    """

    name: str
    project: Callable[[Posture], Array]
    mirrored: bool = False

    def __call__(self, posture: Posture) -> Array:
        """[W] its values."""
        values = np.asarray(self.project(posture), dtype=float)
        if values.shape != (len(posture.qpos),):
            raise FootfallError(
                f"regulation variable '{self.name}' gives shape {values.shape} for {len(posture.qpos)} worlds; "
                f"it must give ({len(posture.qpos)},)"
            )
        return values


def regulation_variable(name: str | RegulationVariable) -> RegulationVariable:
    """A regulation variable by name, "VECTOR.COMPONENT": "up.forward", "swing-com.lateral" (one passes through)."""
    if isinstance(name, RegulationVariable):
        return name
    vector, _, component = name.partition(".")
    if vector not in VECTORS or component not in COMPONENTS:
        choices = [f"{v}.{c}" for v in VECTORS for c in COMPONENTS]
        raise unknown_name("regulation variable", name, choices)

    def project(posture: Posture) -> Array:
        direction = VECTORS[vector](posture)
        unit = direction / np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-12)
        axis = posture.forward if component == "forward" else posture.left
        return np.asarray(np.einsum("wk,wk->w", unit, axis))

    mirrored = component == "lateral" and vector.endswith("com")
    return RegulationVariable(name, project, mirrored)
