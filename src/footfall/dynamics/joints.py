"""Joint stops: what the body itself does where a joint would leave its range.

    τ = K (q_stop - q - h q') - C q',     stiffness = h (C + h K)

A stiff, damped spring outside the range, one step ahead, that only pushes back. It belongs to the body: no motor's
limit cuts it, and every law that gives torques has it. K is 50 times the moment of the body's weight at the height of
its root, C is K times 20 ms: a pull that would turn the joint by that moment goes a fiftieth of a radian beyond the
range.

Three hinges in one place (:func:`footfall.figures.stops.gimbals`) lose an axis where the middle one brings the first
and the last together: their coordinates then move without moving the body, and any torque runs them away. Near such a
pose, and nowhere else, a damper on both keeps them to the body's own motion.

Explicit steps bear only so much: stops and dampers are then as stiff as the joint's inertia allows for the step.

Dampers and stiff springs of a figure's joints, taken one step ahead.

    τ = -k (q + h q' - rest) - d q',     stiffness = h (d + h k)

The generated dynamics have them as they are now; implicit steps add what the end of the step makes of them, so that a
light joint with a strong damper (a robot's finger) stays stable at any step. A spring that steps of this length bear as
it is stays so, as in MuJoCo: taken ahead it would lose energy, k h as a damper.

Dry friction of joints (MJCF's ``frictionloss``): a torque of at most F against the motion, which holds a resting
joint.

    slides:  τ = -F sign(q')            at rest:  τ = -c q'(next),   |τ| ≤ F,   c = F / 0.1 mrad/s

Under implicit steps a joint at rest has a damper so stiff that it does not move, taken one step ahead. When the
accelerations are known, a joint whose damper would need more than F slides, one whose velocity would turn round comes
to rest, and the accelerations are found again: friction never drives a joint, and a joint under a load below F creeps
by less than 0.1 mrad/s. Explicit steps bear only so much damping: friction is then a damper near rest, as stiff as the
joint's inertia allows for the step.

Rotations as vectors, in Warp: the axis times the angle, the short way round.
"""

import math
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.figures.reading import HEIGHT
from footfall.figures.stops import gimbals, stop_ranges


@cache
def rotation_vector(real: Any) -> wp.Function:
    """A Warp function (v, w) that gives the rotation vector of the unit quaternion with the parts v and w, for a scalar
    type."""
    Three = wp.types.vector(length=3, dtype=real)
    zero, two, tiny = real(0.0), real(2.0), real(1e-12)

    @wp.func
    def log(v: Three, w: real):
        if w < zero:
            v = -v
            w = -w
        size = wp.length(v)
        scale = two
        if size > tiny:
            scale = two * wp.atan2(size, w) / size
        return scale * v

    return log


STIFFNESS, TIME = 50.0, 0.02
"""K in moments of the weight, and C / K in seconds."""
NEAR_GIMBAL = 0.3
"""Radians around the pose where two axes fall together, in which the damper acts."""
GIMBAL_DAMPING = 0.05
"""Seconds times the moment of the weight: the damper in that pose."""
NOWHERE = 1e9


def toppling_moment(figure: Figure) -> float:
    """m g times the height at which the root stands (at least its size, for a figure that hangs), newton metres."""
    model: Any = figure.model
    height = 0.0 if figure.root == "fixed" else figure.default_qpos[HEIGHT[figure.root]]
    size = float(np.linalg.norm(model.body_pos[1:], axis=1).max(initial=0.1))
    return float(model.body_mass.sum()) * GRAVITY * max(abs(float(height)), size)


def explicit_limits(figure: Figure) -> NDArray[np.float64]:
    """[nv] a fifth of the inertia that each coordinate moves, in the default pose: over h² the most stiffness, over h
    the most damping that an explicit step bears."""
    model: Any = figure.model
    data = mujoco.MjData(model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    return 0.2 * np.diag(full)


def stop_function(compiled: CompiledFigure, *, implicit: bool) -> wp.Function | None:
    """A Warp function (qpos, qvel, dt, torque, stiffness) that adds the stops to joints' torques; None without any."""
    parts = [part(compiled, implicit) for part in (_hinge_function, _gimbal_function, _ball_function)]
    found = [part for part in parts if part is not None]
    if not found:
        return None
    return reduce(lambda first, second: _both(compiled, first, second), found)


def _both(compiled: CompiledFigure, first: wp.Function, second: wp.Function) -> wp.Function:
    """One after the other."""
    Qpos, Qvel, real = compiled.Qpos, compiled.Qvel, compiled.real

    @wp.func
    def stop_both(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        first(qpos, qvel, dt, torque, stiffness)
        second(qpos, qvel, dt, torque, stiffness)

    return stop_both


def _stop_function(compiled: CompiledFigure, implicit: bool) -> wp.Function:
    """A Warp function (back, rate, most, dt, dof, torque, stiffness) that adds the stop of one degree of freedom, which
    must turn ``back`` by so much to be in its range; ``most`` is what explicit steps bear."""
    real, Qvel = compiled.real, compiled.Qvel
    zero, stiff, time = real(0.0), real(STIFFNESS * toppling_moment(compiled.figure)), real(TIME)

    @wp.func
    def stop(back: real, rate: real, most: real, dt: real, dof: int, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        kp = stiff
        kd = stiff * time
        if wp.static(implicit):
            kd += kp * dt
        else:
            kp = wp.min(kp, most / (dt * dt))
            kd = wp.min(kd, most / dt)
        push = kp * back - kd * rate
        if push * back > zero:
            torque[dof] = torque[dof] + push
            if wp.static(implicit):
                stiffness[dof] = stiffness[dof] + kd * dt

    return stop


def _hinge_function(compiled: CompiledFigure, implicit: bool) -> wp.Function | None:
    figure, real, Qpos, Qvel = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel
    ranges, most_of = stop_ranges(figure), explicit_limits(figure)
    joints = [j for j in figure.joints if j.kind in ("hinge", "slide") and np.isfinite(ranges[j.dof]).any()]
    count = len(joints)
    if count == 0:
        return None
    places, dofs = tuple(j.qpos for j in joints), tuple(j.dof for j in joints)
    lows, highs = (
        tuple(real(x) if math.isfinite(x) else real(sign * NOWHERE) for x in ranges[list(dofs), side])
        for side, sign in ((0, -1.0), (1, 1.0))
    )
    most = tuple(real(most_of[d]) for d in dofs)
    stop, zero = _stop_function(compiled, implicit), real(0.0)

    @wp.func
    def stop_hinges(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            angle = qpos[wp.static(places[i])]
            if angle > wp.static(highs[i]) or angle < wp.static(lows[i]):
                back = wp.min(wp.static(highs[i]) - angle, zero) + wp.max(wp.static(lows[i]) - angle, zero)
                rate = qvel[wp.static(dofs[i])]
                stop(back, rate, wp.static(most[i]), dt, wp.static(dofs[i]), torque, stiffness)

    return stop_hinges


def _gimbal_function(compiled: CompiledFigure, implicit: bool) -> wp.Function | None:
    figure, real, Qpos, Qvel = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel
    triples, most_of = gimbals(figure), explicit_limits(figure)
    count = len(triples)
    if count == 0:
        return None
    middles = tuple(middle.qpos for _, middle, _ in triples)
    firsts, lasts = tuple(first.dof for first, _, _ in triples), tuple(last.dof for _, _, last in triples)
    least = tuple(real(min(most_of[a], most_of[b])) for a, b in zip(firsts, lasts, strict=True))
    damping = real(GIMBAL_DAMPING * toppling_moment(figure))
    quarter, near, one = real(0.5 * math.pi), real(NEAR_GIMBAL), real(1.0)

    @wp.func
    def damp_gimbals(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            away = (wp.abs(qpos[wp.static(middles[i])]) - quarter) / near
            if wp.abs(away) < one:
                kd = damping * (one - away * away)
                if wp.static(not implicit):
                    kd = wp.min(kd, wp.static(least[i]) / dt)
                torque[wp.static(firsts[i])] = torque[wp.static(firsts[i])] - kd * qvel[wp.static(firsts[i])]
                torque[wp.static(lasts[i])] = torque[wp.static(lasts[i])] - kd * qvel[wp.static(lasts[i])]
                if wp.static(implicit):
                    stiffness[wp.static(firsts[i])] = stiffness[wp.static(firsts[i])] + kd * dt
                    stiffness[wp.static(lasts[i])] = stiffness[wp.static(lasts[i])] + kd * dt

    return damp_gimbals


def _ball_function(compiled: CompiledFigure, implicit: bool) -> wp.Function | None:
    figure, real, Qpos, Qvel = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel
    ranges, most_of = stop_ranges(figure), explicit_limits(figure)
    joints = [j for j in figure.joints if j.kind == "ball" and np.isfinite(ranges[j.dof]).any()]
    count = len(joints)
    if count == 0:
        return None
    places, dofs = tuple(j.qpos for j in joints), tuple(j.dof for j in joints)
    lows, highs = (tuple(real(x) for d in dofs for x in ranges[d : d + 3, side]) for side in (0, 1))
    home = tuple(real(x) for p in places for x in figure.default_qpos[p : p + 4])
    most = tuple(real(x) for d in dofs for x in most_of[d : d + 3])
    cones = tuple(bool(np.ptp(ranges[d : d + 3, 1]) == 0.0 and ranges[d, 0] == -ranges[d, 1]) for d in dofs)
    zero, one = real(0.0), real(1.0)
    stop, log = _stop_function(compiled, implicit), rotation_vector(real)
    Three = wp.types.vector(length=3, dtype=real)

    @wp.func
    def turned(qpos: wp.ref[Qpos], place: int, w: real, x: real, y: real, z: real):
        """The rotation from the default pose (w, x, y, z) to the ball's, as a vector in its axes."""
        a = qpos[place]
        b = qpos[place + 1]
        c = qpos[place + 2]
        d = qpos[place + 3]
        real_part = w * a + x * b + y * c + z * d
        vector = Three(w * b - x * a - y * d + z * c, w * c - y * a - z * b + x * d, w * d - z * a - x * c + y * b)
        return log(vector, real_part)

    @wp.func
    def stop_balls(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for i in range(wp.static(count)):
            rotation = turned(
                qpos, wp.static(places[i]), wp.static(home[4 * i]), wp.static(home[4 * i + 1]),
                wp.static(home[4 * i + 2]), wp.static(home[4 * i + 3]),
            )  # fmt: skip
            angle = wp.length(rotation)
            for k in range(3):
                back = zero
                if wp.static(cones[i]):
                    if angle > wp.static(highs[3 * i]):
                        back = (wp.static(highs[3 * i]) / angle - one) * rotation[k]
                else:
                    back = wp.min(wp.static(highs[3 * i + k]) - rotation[k], zero)
                    back += wp.max(wp.static(lows[3 * i + k]) - rotation[k], zero)
                if back != zero:
                    rate = qvel[wp.static(dofs[i] + k)]
                    stop(back, rate, wp.static(most[3 * i + k]), dt, wp.static(dofs[i] + k), torque, stiffness)

    return stop_balls


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
