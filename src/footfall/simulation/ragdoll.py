"""A fallen body: no motor drives it any more, and its whole surface feels the ground.

A kernel of its own, one for a figure and not for its law. It takes over the worlds that have fallen where the rollout
left them, and knows nothing but their positions and velocities: joints turn with some friction as far as the body lets
them (:mod:`footfall.dynamics.joints`), solid limbs push each other (:mod:`footfall.dynamics.solid`), and the skin lies
on the ground (:mod:`footfall.dynamics.lying`). Steps are implicit, whatever the law's were.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.joints import passive_function, stop_function, toppling_moment
from footfall.dynamics.lying import grip_type, lying_function
from footfall.dynamics.solid import SolidLimbs
from footfall.simulation.rollout import bounds_of, kernel_options
from footfall.simulation.structures import (
    FELL,
    STOPPED,
    pushed_function,
    pushing_structure,
    recording_functions,
    trace_structure,
)

RUNAWAY = 5000.0**2
"""(rad/s)² and (m/s)² summed. A body that lands at 50 m/s turns its shorter parts by 500 rad/s and more."""
FRICTION = 0.01
"""Of a joint, seconds times the moment of the body's weight: that of muscles that are no longer driven, so that legs
sink and do not fly up when the trunk lands."""
FARTHEST, MOST_PARTS = 0.03, 40
"""A step in which the body would move farther, in metres and radians together, is made in parts, so many at most: a
body that was torn about tumbles fast."""


@dataclass(frozen=True)
class Ragdoll:
    """The kernel with the structures that it takes.

    Attributes:
        kernel: (first, until, dt, own_rows, body, skin, ground, table, scene, fallen, pushing, trace): takes every
            fallen world from ``first`` on to the step number ``until``. ``own_rows`` says which of body, skin, ground
            and table have a row for each world.
        Fallen: qpos, qvel, step_count, status, state and stance of all worlds.
        Trace: what is recorded of them.
        block: threads per CUDA block.
    """

    kernel: Any
    compiled: CompiledFigure
    Fallen: Any
    Pushing: Any
    Trace: Any
    block: int


def loose_joints(compiled: CompiledFigure) -> wp.Function:
    """A Warp function (qpos, qvel, dt, torque, stiffness) of joints that no motor drives: some friction, their stops
    and springs."""
    real, Qpos, Qvel, loose, nv = compiled.real, compiled.Qpos, compiled.Qvel, compiled.root_freedoms, compiled.nv
    stop, take_ahead = stop_function(compiled, implicit=True), passive_function(compiled)
    friction = real(FRICTION * toppling_moment(compiled.figure))
    stops, springs = stop is not None, take_ahead is not None

    @wp.func
    def turn_loosely(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], dt: real, torque: wp.ref[Qvel], stiffness: wp.ref[Qvel]):
        for j in range(wp.static(loose), wp.static(nv)):
            torque[j] = -friction * qvel[j]
            stiffness[j] = friction * dt
        if wp.static(stops):
            stop(qpos, qvel, dt, torque, stiffness)
        if wp.static(springs):
            take_ahead(qvel, dt, torque, stiffness)

    return turn_loosely


def _fallen_structure(compiled: CompiledFigure) -> Any:
    """The structure of all worlds, of which the fallen ones are taken up."""
    fields: dict[str, Any] = {"qpos": wp.array[compiled.Qpos], "qvel": wp.array[compiled.Qvel]}
    fields |= dict.fromkeys(("step_count", "status", "state", "stance"), wp.array[wp.int32])
    return wp.struct(type("Fallen", (), {"__annotations__": fields, "__module__": __name__}))


def build_ragdoll(
    compiled: CompiledFigure,
    terrain: str,
    balls: int,
    outside: Callable[[CompiledFigure], wp.Function | None] = lambda compiled: None,
    *,
    divides: bool = True,
) -> Ragdoll:
    """The kernel of a figure with a skin of so many balls on a kind of terrain; ``outside`` makes another engine's
    dynamics. ``divides``: whether steps may be made in parts, which other things in a scene could not follow."""
    real, Qvel, Points = compiled.real, compiled.Qvel, compiled.Points
    Pushes, advance = compiled.Pushes, compiled.advance
    Pushing = pushing_structure(real)
    pushed = pushed_function(compiled, Pushing)
    accelerate, Grip = lying_function(compiled, terrain, balls), grip_type(real)
    turn_loosely, push_slots = loose_joints(compiled), len(compiled.push_places)
    forward = outside(compiled)
    elsewhere = forward is not None
    touching = bool(compiled.solid.pairs) and not elsewhere
    press = SolidLimbs(compiled).press if touching else None
    runaway, farthest = real(RUNAWAY), real(FARTHEST)

    Fallen = _fallen_structure(compiled)
    Trace = trace_structure(compiled)
    kept, sampled = recording_functions(compiled, Trace)
    options = kernel_options(compiled, implicit=False)

    @wp.kernel(**(options | {"name": "ragdoll"}))
    def ragdoll(
        first: int,
        until: int,
        dt: real,
        own_rows: wp.vec4i,
        body: wp.array2d[real],
        skin: wp.array2d[real],
        ground: wp.array2d[real],
        table: wp.array2d[real],
        scene: wp.array2d[wp.uint64],
        fallen: Fallen,
        pushing: Pushing,
        trace: Trace,
    ):
        w = first + wp.tid()
        if fallen.status[w] != wp.static(FELL):
            return
        rows = own_rows * w
        qpos = fallen.qpos[w]
        qvel = fallen.qvel[w]
        qacc = Qvel()
        nothing = Points()
        push = Pushes()
        slide = ground[rows[2], 2]
        done = fallen.step_count[w]
        n = done
        while n < until:
            kept(trace, w, n, qpos, qvel)
            if trace.stride > 0:
                if n % trace.stride == 0:
                    at = n // trace.stride - trace.first
                    sampled(trace, w, at, qpos, qvel, fallen.state[w], 0, fallen.stance[w])
            if wp.static(push_slots > 0):
                pushed(pushing, w, real(n) * dt, push)
            parts = int(1)
            if wp.static(divides):
                parts = wp.min(1 + int(wp.sqrt(wp.dot(qvel, qvel)) * dt / farthest), wp.static(MOST_PARTS))
            h = dt / real(parts)
            while parts > 0:
                parts -= 1
                torque = Qvel()
                give = Qvel()
                turn_loosely(qpos, qvel, h, torque, give)
                if wp.static(touching):
                    press(qpos, qvel, body, rows[0], h, torque)
                if wp.static(elsewhere):
                    scene_row = wp.min(wp.max(rows[0], wp.max(rows[2], rows[3])), scene.shape[0] - 1)
                    forward(qpos, qvel, body, rows[0], scene, scene_row, torque, give, nothing, push, qacc)
                else:
                    accelerate(qpos, qvel, body, rows, torque, give, push, skin, Grip(slide, h), table, qacc, nothing)
                later = qvel + qacc * h
                if wp.dot(later, later) < runaway:
                    advance(qpos, later, h)
                    qvel = later
                else:
                    fallen.status[w] = wp.static(STOPPED)
                    until = n
                    parts = 0
            if n < until:
                n += 1
        fallen.qpos[w] = qpos
        fallen.qvel[w] = qvel
        fallen.step_count[w] = n

    return Ragdoll(ragdoll, compiled, Fallen, Pushing, Trace, bounds_of(compiled, implicit=False)[0])
