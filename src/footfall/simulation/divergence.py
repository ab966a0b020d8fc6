"""What ran away in a world that diverged."""

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure

Array = NDArray[np.float64]


def describe_divergence(figure: Figure, qvel: Array, qacc: Array, dt: float) -> str:
    """Which coordinate was fastest when the numbers ran away, in words.

    Args:
        figure: whose coordinates they are.
        qvel: [nv] the last good velocities.
        qacc: [nv] the accelerations that would have come next.
        dt: step, seconds.
    """
    speeds = velocity_names(figure)
    with np.errstate(invalid="ignore", over="ignore"):
        after = qvel + qacc * dt
    if np.isfinite(after).all():
        k = int(np.argmax(np.abs(after)))
        name, unit = speeds[k]
        return f"{name} went from {qvel[k]:.3g} to {after[k]:.3g} {unit} in one step"
    k = int(np.argmax(np.abs(qvel)))
    name, unit = speeds[k]
    return f"accelerations were no numbers any more; the fastest before was {name} at {qvel[k]:.3g} {unit}"


def velocity_names(figure: Figure) -> list[tuple[str, str]]:
    """[nv] name and unit of every velocity."""
    names = []
    for joint in figure.joints:
        if joint.kind == "free":
            names += [(f"{joint.name} {axis}", "m/s") for axis in "xyz"]
        if joint.ndof == 1:
            names.append((joint.name, "m/s" if joint.kind == "slide" else "rad/s"))
        else:
            names += [(f"{joint.name} about {axis}", "rad/s") for axis in "xyz"]
    return names
