"""The sampled ground: feet on soft pads, each felt at many points (Data-Driven Biped Control, section 5).

A foot has spherical pads, the sites of group 4 on its body. The lower half of each is sampled at its lowest point and
on two rings of six points, 60 and 30 degrees below its equator. Every sample below the ground feels

    f_n = k depth - c v_n, not negative;   f_t = μ f_n against its sliding, scaled down linearly below a locking speed

No sample needs a place in the dynamics of its own. Four ground points span a foot, so that a point p in its frame is
their weighted sum, x = Σ w_i(p) x_i with Σ w_i = 1. Velocities are sums with the same weights, and a force f at x acts
on the foot as the forces w_i f at the four points do: the same sum, the same moment.

Friction is steep below the locking speed: G = μ f_n / locking speed, and where h G exceeds the mass that moves with the
foot, explicit steps h turn it back and forth. Taken implicitly it is -G (v + h a), with a the sample's acceleration at
the end of the step. The four points answer for the samples with S_i = h Σ G |w_i| Σ_j |w_j| at least as much as those
do (Gershgorin's circles), which keeps every step stable and changes nothing where a foot rests.
"""

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError
from footfall.figures.ball_joints import PAD_GROUP, pad_samples

SLACK = 0.05
"""How far a pad may hang over the ground below its centre, metres, before it is passed over: slopes and steps."""

Array = NDArray[np.float64]


class Foot:
    """A foot as four ground points that span it.

    Attributes:
        points: the four points' numbers among the compiled ones.
        origin: [4] weights of the body frame's origin (the ankle).
        axes: [4, 3] their slopes: w(p) = origin + axes p.
        pads: [K, 4] pads' centres in the body frame, and their radii.
        samples: [K, 13, 3] in the body frame.
    """

    def __init__(self, compiled: CompiledFigure, body: int) -> None:
        figure = compiled.figure
        own = [(k, np.asarray(p.position)) for k, p in enumerate(compiled.points) if p.body == body]
        places = np.array([place for _, place in own]).reshape(-1, 3)
        chosen = _independent(places)
        name = figure.bodies[body].name
        if chosen is None:
            raise FootfallError(
                f"figure '{figure.name}': the sampled ground needs four ground points on '{name}', not in a plane"
            )
        self.points = tuple(own[i][0] for i in chosen)
        frame = np.vstack([places[chosen].T, np.ones(4)])
        inverse = np.linalg.inv(frame)
        self.axes, self.origin = inverse[:, :3], inverse[:, 3]
        self.pads, self.samples = pad_samples(figure, body)
        if not len(self.pads):
            raise FootfallError(
                f"figure '{figure.name}': the sampled ground needs pads on '{name}': round sites of group {PAD_GROUP}"
            )


def _independent(places: Array) -> list[int] | None:
    """Four of the points that span space."""
    for k in range(3, len(places)):
        chosen = [0, 1, 2, k]
        edges = places[chosen[1:]] - places[0]
        if abs(np.linalg.det(edges)) > 1e-7:
            return chosen
    return None


def foot_of(compiled: CompiledFigure, side: str) -> Foot:
    """The foot on a side."""
    figure = compiled.figure
    return Foot(compiled, figure.body(figure.legs[side].foot).index)


def sampled_function(compiled: CompiledFigure, height: wp.Function, *, implicit: bool = False) -> wp.Function:
    """A Warp function with the signature of :func:`footfall.dynamics.ground.ground_function`; if ``implicit``, in its
    friction."""
    real, Points = compiled.real, compiled.Points
    figure = compiled.figure
    if not figure.legs or compiled.planar:
        raise FootfallError(f"figure '{figure.name}': the sampled ground needs a figure in space with two feet")
    feet = [foot_of(compiled, side) for side in ("left", "right")]
    solve = _point_function(compiled)
    functions = [_foot_function(compiled, foot, height, solve, implicit=implicit) for foot in feet]
    left, right = functions
    spanning = {k for foot in feet for k in foot.points}
    others = tuple(k for k, p in enumerate(compiled.points) if k not in spanning and p.foot is None)
    count = len(others)
    Vec3 = wp.types.vector(length=3, dtype=real)

    @wp.func
    def sampled(
        position: wp.ref[Points],
        velocity: wp.ref[Points],
        anchor: wp.ref[Points],
        contact: wp.ref[wp.int32],
        force: wp.ref[Points],
        stiffness: wp.ref[Points],
        dt: real,
        constants: wp.array2d[real],
        constants_row: int,
        table: wp.array2d[real],
        table_row: int,
    ):
        contact = wp.int32(0)
        left(position, velocity, contact, force, stiffness, dt, constants, constants_row, table, table_row)
        right(position, velocity, contact, force, stiffness, dt, constants, constants_row, table, table_row)
        for i in range(wp.static(count)):
            p = wp.static(others[i])
            depth = height(table, table_row, position[3 * p], position[3 * p + 1]) - position[3 * p + 2]
            f = Vec3()
            if depth >= real(0.0):
                f = solve(
                    depth, Vec3(velocity[3 * p], velocity[3 * p + 1], velocity[3 * p + 2]), constants, constants_row
                )
                contact = contact | (wp.static(1) << p)
            force[3 * p] = f[0]
            force[3 * p + 1] = f[1]
            force[3 * p + 2] = f[2]

    return sampled


def _point_function(compiled: CompiledFigure) -> wp.Function:
    """(depth, velocity, constants, row) -> the force on one point below the ground."""
    real = compiled.real
    Vec3 = wp.types.vector(length=3, dtype=real)
    zero, tiny = real(0.0), real(1e-9)

    @wp.func
    def felt(depth: real, v: Vec3, constants: wp.array2d[real], row: int):
        normal = wp.max(constants[row, 0] * depth - constants[row, 1] * v[2], zero)
        sliding = wp.sqrt(v[0] * v[0] + v[1] * v[1])
        grip = constants[row, 2] * normal / wp.max(sliding, wp.max(constants[row, 3], tiny))
        return Vec3(-grip * v[0], -grip * v[1], normal)

    return felt


def _frame_function(compiled: CompiledFigure, foot: Foot) -> tuple[Any, Any, wp.Function]:
    """By what the foot's four points make its origin [4] and its axes [4, 3], and a Warp function (points, at, turn):
    where its frame is, or how that moves, from the points' positions or velocities."""
    real, Points, members = compiled.real, compiled.Points, tuple(foot.points)
    Vec3, Mat3 = wp.types.vector(length=3, dtype=real), wp.types.matrix(shape=(3, 3), dtype=real)
    origin = wp.types.vector(length=4, dtype=real)(*(float(x) for x in foot.origin))
    axes = wp.types.matrix(shape=(4, 3), dtype=real)(*(float(x) for x in foot.axes.ravel()))

    @wp.func
    def place(points: wp.ref[Points], at: wp.ref[Vec3], turn: wp.ref[Mat3]):
        for k in range(4):
            m = wp.static(members[k])
            x = Vec3(points[3 * m], points[3 * m + 1], points[3 * m + 2])
            at += origin[k] * x
            for i in range(3):
                for j in range(3):
                    turn[i, j] += x[i] * axes[k, j]

    return origin, axes, place


def _foot_function(
    compiled: CompiledFigure, foot: Foot, height: wp.Function, solve: wp.Function, *, implicit: bool
) -> wp.Function:
    """(position, velocity, contact, force, stiffness, dt, constants, constants_row, table, table_row): forces on one
    foot's points and, if ``implicit``, what they answer to accelerations with.

    Bits of contact are set for the heel half's and the toe half's points as samples there touch.
    """
    real, Points = compiled.real, compiled.Points
    Vec3, Vec4 = (wp.types.vector(length=n, dtype=real) for n in (3, 4))
    Mat3 = wp.types.matrix(shape=(3, 3), dtype=real)
    pads, each = foot.samples.shape[:2]
    places = foot.samples.reshape(-1, 3)
    middle = float(np.median(foot.pads[:, 0]))
    Places = wp.types.vector(length=3 * len(places), dtype=real)
    Centres = wp.types.vector(length=4 * pads, dtype=real)
    all_places = Places(*(float(x) for x in places.ravel()))
    all_pads = Centres(*(float(x) for x in foot.pads.ravel()))
    p0, p1, p2, p3 = foot.points
    frame = np.array([compiled.points[k].position[0] for k in foot.points])
    bits = [1 << k for k in foot.points]
    rear = sum(bit for bit, x in zip(bits, frame, strict=True) if x < middle)
    front = sum(bits) - rear
    origin, axes, place = _frame_function(compiled, foot)
    zero, slack, split, tiny = real(0.0), real(SLACK), real(middle - 1e-6), real(1e-9)
    members = (p0, p1, p2, p3)

    @wp.func
    def one(
        position: wp.ref[Points],
        velocity: wp.ref[Points],
        contact: wp.ref[wp.int32],
        force: wp.ref[Points],
        stiffness: wp.ref[Points],
        dt: real,
        constants: wp.array2d[real],
        constants_row: int,
        table: wp.array2d[real],
        table_row: int,
    ):
        at = Vec3()
        rate = Vec3()
        turn = Mat3()
        spin = Mat3()
        place(position, at, turn)
        place(velocity, rate, spin)
        total = Vec3()
        moment = Mat3()
        answer = Vec4()
        touched = wp.int32(0)
        samples = all_places
        centres = all_pads
        pad = int(0)
        while pad < wp.static(pads):
            centre = Vec3(centres[4 * pad], centres[4 * pad + 1], centres[4 * pad + 2])
            seen = at + turn * centre
            if seen[2] - centres[4 * pad + 3] - slack < height(table, table_row, seen[0], seen[1]):
                s = pad * wp.static(each)
                last = s + wp.static(each)
                while s < last:
                    p = Vec3(samples[3 * s], samples[3 * s + 1], samples[3 * s + 2])
                    x = at + turn * p
                    depth = height(table, table_row, x[0], x[1]) - x[2]
                    if depth >= zero:
                        v = rate + spin * p
                        f = solve(depth, v, constants, constants_row)
                        total += f
                        moment += wp.outer(f, p)
                        if wp.static(implicit):
                            share = origin + axes * p
                            slow = wp.max(constants[constants_row, 3], tiny)
                            sliding = wp.max(wp.sqrt(v[0] * v[0] + v[1] * v[1]), slow)
                            grip = constants[constants_row, 2] * f[2] / sliding
                            whole = wp.abs(share[0]) + wp.abs(share[1]) + wp.abs(share[2]) + wp.abs(share[3])
                            for k in range(4):
                                answer[k] += dt * grip * whole * wp.abs(share[k])
                        if p[0] < split:
                            touched = touched | rear
                        if p[0] >= split:
                            touched = touched | front
                    s += 1
            pad += 1
        contact = contact | touched
        for k in range(4):
            m = wp.static(members[k])
            f = origin[k] * total + moment * Vec3(axes[k, 0], axes[k, 1], axes[k, 2])
            force[3 * m] = f[0]
            force[3 * m + 1] = f[1]
            force[3 * m + 2] = f[2]
            if wp.static(implicit):
                stiffness[3 * m] = answer[k]
                stiffness[3 * m + 1] = answer[k]

    return one
