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

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.methods.limit_cycle.posture import Posture

Array = NDArray[np.float64]

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
