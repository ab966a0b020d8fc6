"""Dry friction of joints (MJCF's ``frictionloss``): a torque of at most F against the motion, which holds a resting
joint.

    slides:  τ = -F sign(q')            at rest:  τ = -c q'(next),   |τ| ≤ F,   c = F / 0.1 mrad/s

Under implicit steps a joint at rest has a damper so stiff that it does not move, taken one step ahead. When the
accelerations are known, a joint whose damper would need more than F slides, one whose velocity would turn round comes
to rest, and the accelerations are found again: friction never drives a joint, and a joint under a load below F creeps
by less than 0.1 mrad/s. Explicit steps bear only so much damping: friction is then a damper near rest, as stiff as the
joint's inertia allows for the step.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.stops import explicit_limits

CREEP = 1e-4
"""rad/s (m/s of slides): slower is at rest."""


@dataclass(frozen=True)
class DryFriction:
    """Friction as Warp functions.

    Attributes:
        Modes: vector of how each rubbing degree of freedom moves: 0 at rest, 1 or -1 sliding forward or back.
        begin: (qvel, dt, modes, torque, stiffness) adds friction by the velocities alone.
        settle: (qvel, qacc, dt, last, modes, torque, stiffness) corrects it by the accelerations that were found, and
            answers whether something changed; the ``last`` time only what would be stronger than F.
        plain: (qvel, dt, torque) adds friction to explicit steps.
    """

    Modes: Any
    begin: wp.Function
    settle: wp.Function
    plain: wp.Function


def dry_friction(compiled: CompiledFigure) -> DryFriction | None:
    """The friction of a figure's joints; None for a figure without."""
    model: Any = compiled.figure.model
    rubbing = [int(d) for d in np.flatnonzero(np.asarray(model.dof_frictionloss).reshape(model.nv, -1)[:, 0] > 0)]
    count = len(rubbing)
    if count == 0:
        return None
    real, Qvel, nv = compiled.real, compiled.Qvel, compiled.nv
    losses = np.asarray(model.dof_frictionloss).reshape(nv, -1)[:, 0]
    most_of = explicit_limits(compiled.figure)
    dofs, loss = tuple(rubbing), tuple(real(losses[d]) for d in rubbing)
    most = tuple(real(most_of[d]) for d in rubbing)
    creep, zero = real(CREEP), real(0.0)
    Modes = wp.types.vector(length=count, dtype=wp.int32)

    @wp.func
    def begin(qvel: wp.ref[Qvel], dt: real, modes: wp.ref[Modes], torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            rate = qvel[wp.static(dofs[i])]
            if wp.abs(rate) < creep:
                modes[i] = 0
                damping = wp.static(loss[i]) / creep
                torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] - damping * rate
                stiffness[wp.static(dofs[i])] = stiffness[wp.static(dofs[i])] + damping * dt
            else:
                modes[i] = int(wp.sign(rate))
                torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] - wp.sign(rate) * wp.static(loss[i])

    @wp.func
    def settle(
        qvel: wp.ref[Qvel], qacc: wp.ref[Qvel], dt: real, last: bool, modes: wp.ref[Modes], torque: wp.ref[Qvel],
        stiffness: wp.ref[Qvel],
    ):  # fmt: skip
        changed = bool(False)
        for i in range(wp.static(count)):
            rate = qvel[wp.static(dofs[i])]
            later = rate + dt * qacc[wp.static(dofs[i])]
            damping = wp.static(loss[i]) / creep
            if modes[i] == 0:
                if wp.abs(later) > creep:
                    changed = True
                    modes[i] = int(wp.sign(later))
                    slide = damping * rate - wp.sign(later) * wp.static(loss[i])
                    torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] + slide
                    stiffness[wp.static(dofs[i])] = stiffness[wp.static(dofs[i])] - damping * dt
            elif real(modes[i]) * later < zero and not last:
                changed = True
                hold = real(modes[i]) * wp.static(loss[i]) - damping * rate
                modes[i] = 0
                torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] + hold
                stiffness[wp.static(dofs[i])] = stiffness[wp.static(dofs[i])] + damping * dt
        return changed

    @wp.func
    def plain(qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            damping = wp.min(wp.static(loss[i]) / creep, wp.static(most[i]) / dt)
            rub = wp.clamp(damping * qvel[wp.static(dofs[i])], -wp.static(loss[i]), wp.static(loss[i]))
            torque[wp.static(dofs[i])] = torque[wp.static(dofs[i])] - rub

    return DryFriction(Modes, begin, settle, plain)
