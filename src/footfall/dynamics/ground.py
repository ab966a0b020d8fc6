"""The ground: what a contact point feels over a terrain.

Four laws, chosen by :attr:`Ground.law`:

``anchor`` (Laszlo's thesis, section 2.4.1; SIMBICON): a point that comes below the ground is held by a spring and
damper to an anchor, the point where it came down. f = k (anchor - x) - c v, all axes alike. If the normal force would
pull, the whole force is dropped for that step. Where the tangential part exceeds μ times the normal one it is limited
to that, and the anchor moves above the point.

``smooth``: the same with a damper that grows with the depth (after Hunt and Crossley), so that a landing loads
smoothly: along the normal c min(1, depth / d) with d = 4 mm. With steps taken one ahead the depth is that of the next
step.

``regularised`` (Data-Driven Biped Control, section 4): no anchor. f_n = k depth - c v_n, not negative; the tangential
force is μ f_n against the sliding velocity, scaled down linearly below a locking speed.

``sampled`` (the same paper): the regularised law at many samples of the feet's pads
(:mod:`footfall.dynamics.sampled_ground`).

Forces stay along the world's axes even on slopes, as in the papers. With a step h the springs can be taken
implicitly: the force is evaluated at x + h v and answers -(c h + k h²) a to the point's acceleration a. A sliding point
answers in its normal only. Which points slide is guessed from that force without its answer, as explicit steps would
have it; where what comes out pulls, leaves the friction cone or turns a sliding point back, it is put right and the
accelerations are found again, twice at most.

Soles that are round: where a capsule touches the ground, seen from the two points of its sole.

A foot in the plane may be a capsule along the sole, as that of Gymnasium's walker. Its points are below the centres of
its ends. A foot that is turned by θ rolls: its end is lower than its point by r (1 - cos θ). An engine with contacts of
its own touches the ground there, and the law has to sense it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.contact import Ground
from footfall.dynamics.sampled_ground import sampled_function
from footfall.errors import FootfallError
from footfall.figures.mjcf import geom_capsule
from footfall.terrain import Terrain, stack_profiles

FULL_DAMPING = 0.004
"""Metres below which the smooth law's damper has its full strength."""

__all__ = ["Ground", "ground_function", "settle_function", "terrain_height", "terrain_table"]


def terrain_height(kind: str, real: Any) -> wp.Function:
    """A Warp function (table, row, x, y) -> height for terrain of a kind: "flat", "profile" or "grid".

    A profile's table row holds K, then K positions x, then K heights; a grid's holds x0, y0, its two spacings, NX, NY,
    then heights.
    """
    zero = real(0.0)

    if kind == "flat":

        @wp.func
        def flat(table: wp.array2d[real], row: int, x: real, y: real):
            return zero

        return flat

    if kind == "profile":

        @wp.func
        def profile(table: wp.array2d[real], row: int, x: real, y: real):
            count = int(table[row, 0])
            low = int(0)
            high = count - 1
            if x <= table[row, 1]:
                return table[row, 1 + count]
            if x >= table[row, count]:
                return table[row, 2 * count]
            while high - low > 1:
                middle = (low + high) // 2
                if table[row, 1 + middle] <= x:
                    low = middle
                else:
                    high = middle
            x0 = table[row, 1 + low]
            z0 = table[row, 1 + count + low]
            t = (x - x0) / (table[row, 2 + low] - x0)
            return z0 + t * (table[row, 2 + count + low] - z0)

        return profile

    if kind == "grid":

        @wp.func
        def grid(table: wp.array2d[real], row: int, x: real, y: real):
            nx = int(table[row, 4])
            ny = int(table[row, 5])
            u = wp.clamp((x - table[row, 0]) / table[row, 2], zero, real(nx - 1))
            v = wp.clamp((y - table[row, 1]) / table[row, 3], zero, real(ny - 1))
            i = wp.min(int(u), nx - 2)
            j = wp.min(int(v), ny - 2)
            s = u - real(i)
            t = v - real(j)
            k = 6 + i * ny + j
            low = table[row, k] + t * (table[row, k + 1] - table[row, k])
            high = table[row, k + ny] + t * (table[row, k + ny + 1] - table[row, k + ny])
            return low + s * (high - low)

        return grid

    raise FootfallError(f"terrain kind is '{kind}'; choose 'flat', 'profile' or 'grid'")


def terrain_table(terrains: Sequence[Terrain]) -> tuple[str, NDArray[np.float64]]:
    """The kind of one terrain, or of one per world, and its table [1 or worlds, columns]."""
    kinds = {t.kind for t in terrains}
    if kinds == {"flat"}:
        return "flat", np.zeros((1, 1))
    if "grid" in kinds:
        if len(terrains) > 1:
            raise FootfallError("terrain: worlds of their own can have profiles, not height fields")
        origin, spacing, heights = terrains[0].grid()
        return "grid", np.concatenate([origin, spacing, heights.shape, heights.ravel()])[None]
    x, z = stack_profiles(terrains)
    return "profile", np.concatenate([np.full((len(x), 1), x.shape[1]), x, z], axis=1)


def ground_function(compiled: CompiledFigure, law: str, terrain: str, *, implicit: bool) -> wp.Function:
    """A Warp function that finds the forces on all ground points.

    (position, velocity, anchor, contact, force, stiffness, dt, ground, ground_row, table, table_row): reads the points'
    world positions and velocities [3 P], keeps their anchors [3 P] and the bit mask of points in contact, writes world
    forces [3 P] and, if ``implicit``, the stiffness [3 P] with which they answer to accelerations.
    """
    real, Points, planar = compiled.real, compiled.Points, compiled.planar
    count = len(compiled.points)
    height = terrain_height(terrain, real)
    if law == "sampled":
        return sampled_function(compiled, height, implicit=implicit)
    zero = real(0.0)
    tiny = real(1e-9)
    anchored, grows = law in ("anchor", "smooth"), law == "smooth"
    full, one = real(FULL_DAMPING), real(1.0)

    @wp.func
    def ground(
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
        k = constants[constants_row, 0]
        damping = constants[constants_row, 1]
        mu = constants[constants_row, 2]
        ahead = zero
        if wp.static(implicit):
            ahead = dt
        for p in range(wp.static(count)):
            x = position[3 * p]
            y = position[3 * p + 1]
            z = position[3 * p + 2]
            floor = height(table, table_row, x, y)
            bit = wp.static(1) << p
            for i in range(3):
                force[3 * p + i] = zero
                if wp.static(implicit):
                    stiffness[3 * p + i] = zero
            if z <= floor:
                vx = velocity[3 * p]
                vy = velocity[3 * p + 1]
                vz = velocity[3 * p + 2]
                c = damping
                if wp.static(grows):
                    c = damping * wp.clamp((floor - z - ahead * vz) / full, zero, one)
                if wp.static(anchored):
                    if (contact & bit) == 0:
                        anchor[3 * p] = x
                        anchor[3 * p + 1] = y
                        anchor[3 * p + 2] = floor
                    fz = k * (anchor[3 * p + 2] - z - ahead * vz) - c * vz
                    if fz > zero:
                        if wp.static(implicit):
                            for i in range(3):
                                stiffness[3 * p + i] = ahead * (c + k * ahead)
                        force[3 * p] = k * (anchor[3 * p] - x - ahead * vx) - c * vx
                        if wp.static(not planar):
                            force[3 * p + 1] = k * (anchor[3 * p + 1] - y - ahead * vy) - c * vy
                        force[3 * p + 2] = fz
                        if wp.static(grows):
                            force[3 * p] -= (damping - c) * vx
                            force[3 * p + 1] -= (damping - c) * vy
                            if wp.static(implicit):
                                stiffness[3 * p] += ahead * (damping - c)
                                stiffness[3 * p + 1] += ahead * (damping - c)
                        slip = wp.abs(force[3 * p])
                        if wp.static(not planar):
                            slip = wp.sqrt(force[3 * p] * force[3 * p] + force[3 * p + 1] * force[3 * p + 1])
                        if slip > mu * fz:
                            force[3 * p] = force[3 * p] * mu * fz / slip
                            force[3 * p + 1] = force[3 * p + 1] * mu * fz / slip
                            if wp.static(implicit):
                                stiffness[3 * p] = zero
                                stiffness[3 * p + 1] = zero
                            anchor[3 * p] = x
                            anchor[3 * p + 1] = y
                else:
                    fz = wp.max(k * (floor - z - ahead * vz) - c * vz, zero)
                    if fz > zero:
                        speed = wp.abs(vx)
                        if wp.static(not planar):
                            speed = wp.sqrt(vx * vx + vy * vy)
                        grip = mu * fz / wp.max(speed, wp.max(constants[constants_row, 3], tiny))
                        force[3 * p] = -grip * vx
                        force[3 * p + 1] = -grip * vy
                        force[3 * p + 2] = fz
                        if wp.static(implicit):
                            stiffness[3 * p] = ahead * grip
                            stiffness[3 * p + 1] = ahead * grip
                            stiffness[3 * p + 2] = ahead * (c + k * ahead)
                contact = contact | bit
            else:
                contact = contact & ~bit

    return ground


def settle_function(compiled: CompiledFigure, law: str) -> wp.Function:
    """A Warp function that holds implicit ground forces to what a ground can do.

    (position, velocity, acceleration, anchor, force, stiffness, dt, ground, ground_row) -> whether anything changed:
    the accelerations [3 P] give each point's force. A pulling point is released; a sticking one outside the
    friction cone slides; a sliding one gets the friction of its new normal force, and sticks if that turned it back.
    """
    real, Points, planar = compiled.real, compiled.Points, compiled.planar
    count = len(compiled.points)
    zero, near = real(0.0), real(0.02)
    anchored, grows = law in ("anchor", "smooth"), law == "smooth"

    @wp.func
    def settle(
        position: wp.ref[Points],
        velocity: wp.ref[Points],
        acceleration: wp.ref[Points],
        anchor: wp.ref[Points],
        force: wp.ref[Points],
        stiffness: wp.ref[Points],
        dt: real,
        constants: wp.array2d[real],
        constants_row: int,
    ):
        changed = wp.vec2i(0, 0)  # a component is set in place: a number would be kept for every branch that sets it
        mu = constants[constants_row, 2]
        for p in range(wp.static(count)):
            sz = stiffness[3 * p + 2]
            if sz > zero:
                fz = force[3 * p + 2] - sz * acceleration[3 * p + 2]
                if fz <= zero:
                    for i in range(3):
                        force[3 * p + i] = zero
                        stiffness[3 * p + i] = zero
                    changed[0] = 1
                elif wp.static(anchored):
                    sx = stiffness[3 * p]
                    fx = force[3 * p] - sx * acceleration[3 * p]
                    fy = zero
                    slip = wp.abs(fx)
                    turned = (velocity[3 * p] + dt * acceleration[3 * p]) * fx
                    if wp.static(not planar):
                        fy = force[3 * p + 1] - sx * acceleration[3 * p + 1]
                        slip = wp.sqrt(fx * fx + fy * fy)
                        turned += (velocity[3 * p + 1] + dt * acceleration[3 * p + 1]) * fy
                    slides = sx == zero
                    if slides and turned > zero:
                        hold = constants[constants_row, 1] + dt * constants[constants_row, 0]
                        force[3 * p] = -hold * velocity[3 * p]
                        force[3 * p + 1] = -hold * velocity[3 * p + 1]
                        stiffness[3 * p] = sz
                        stiffness[3 * p + 1] = sz
                        if wp.static(grows):
                            stiffness[3 * p] = dt * hold
                            stiffness[3 * p + 1] = dt * hold
                        changed[0] = 1
                    elif (not slides and slip > mu * fz) or (slides and wp.abs(slip - mu * fz) > near * mu * fz):
                        force[3 * p] = fx * mu * fz / slip
                        force[3 * p + 1] = fy * mu * fz / slip
                        stiffness[3 * p] = zero
                        stiffness[3 * p + 1] = zero
                        anchor[3 * p] = position[3 * p]
                        anchor[3 * p + 1] = position[3 * p + 1]
                        changed[0] = 1
        return changed[0] > 0

    return settle


_CAPSULE = 3
_CLOSE = 1e-6


def rolling_contact(compiled: CompiledFigure, height: wp.Function) -> wp.Function | None:
    """(position, contact, table, row) adds the points whose capsule touches to a mask of contacts; None for a figure
    without such feet."""
    found = _round_feet(compiled)
    if not found:
        return None
    real, Points = compiled.real, compiled.Points
    count, heels, toes = len(found), tuple(f[0] for f in found), tuple(f[1] for f in found)
    radii = wp.types.vector(length=count, dtype=real)(*(f[2] for f in found))
    one = real(1.0)

    @wp.func
    def add(position: wp.ref[Points], contact: wp.ref[wp.int32], table: wp.array2d[real], row: int):
        every = radii
        for k in range(wp.static(count)):
            a = wp.static(heels[k])
            b = wp.static(toes[k])
            x = position[3 * b] - position[3 * a]
            z = position[3 * b + 2] - position[3 * a + 2]
            lower = every[k] * (one - x / wp.sqrt(x * x + z * z))
            if position[3 * a + 2] - lower <= height(table, row, position[3 * a], position[3 * a + 1]):
                contact = contact | (wp.static(1) << a)
            if position[3 * b + 2] - lower <= height(table, row, position[3 * b], position[3 * b + 1]):
                contact = contact | (wp.static(1) << b)

    return add


def _round_feet(compiled: CompiledFigure) -> list[tuple[int, int, float]]:
    """Heel, toe and radius of the feet of a planar figure that are capsules along their soles."""
    figure = compiled.figure
    if not compiled.planar:
        return []
    found = []
    for leg in figure.legs.values():
        body = figure.body(leg.foot).index
        own = [(k, np.asarray(p.position)) for k, p in enumerate(compiled.points) if p.body == body]
        shape = _capsule(figure.model, body)
        if len(own) != 2 or shape is None:
            continue
        (heel, back), (toe, front) = sorted(own, key=lambda point: float(point[1][0]))
        ends, radius = shape
        under = ends - np.array([0.0, 0.0, radius])
        if np.abs(np.array([back, front]) - under)[:, [0, 2]].max() < _CLOSE:
            found.append((heel, toe, radius))
    return found


def _capsule(model: Any, body: int) -> tuple[np.ndarray[Any, Any], float] | None:
    """The centres of the ends, rear one first, and the radius of the only shape under a foot that is a capsule."""
    shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body + 1 and model.geom_contype[g] & 1]
    if len(shapes) != 1 or int(model.geom_type[shapes[0]]) != _CAPSULE:
        return None
    centre, half, radius = geom_capsule(model, shapes[0])
    ends = np.array([centre - half, centre + half])
    return ends[np.argsort(ends[:, 0])], radius
