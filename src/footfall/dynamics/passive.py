"""Dampers and stiff springs of a figure's joints, taken one step ahead.

    τ = -k (q + h q' - rest) - d q',     stiffness = h (d + h k)

The generated dynamics have them as they are now; implicit steps add what the end of the step makes of them, so that a
light joint with a strong damper (a robot's finger) stays stable at any step. A spring that steps of this length bear as
it is stays so, as in MuJoCo: taken ahead it would lose energy, k h as a damper.
"""

from typing import Any

import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.stops import explicit_limits


def passive_function(compiled: CompiledFigure) -> wp.Function | None:
    """A Warp function (qvel, dt, torque, stiffness) that takes dampers and stiff springs one step ahead; None without
    any."""
    model: Any = compiled.figure.model
    damping = np.asarray(model.dof_damping).reshape(model.nv, -1)[:, 0].copy()
    spring = np.zeros(model.nv)
    for _, dof, stiffness, _ in compiled.mechanism.springs:
        spring[dof] = stiffness
    found = np.flatnonzero((damping > 0) | (spring > 0))
    count = len(found)
    if count == 0:
        return None
    real, Qvel, limits = compiled.real, compiled.Qvel, explicit_limits(compiled.figure)
    dofs, zero = tuple(int(d) for d in found), real(0.0)
    most = tuple(real(limits[d]) for d in dofs)
    dampers, springs = (tuple(real(values[d]) for d in dofs) for values in (damping, spring))

    @wp.func
    def take_ahead(qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            pull = wp.static(springs[i]) * dt
            if pull * dt < wp.static(most[i]):
                pull = zero
            torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] - pull * qvel[wp.static(dofs[i])]
            stiffness[wp.static(dofs[i])] = stiffness[wp.static(dofs[i])] + dt * (wp.static(dampers[i]) + pull)

    return take_ahead
