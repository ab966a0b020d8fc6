"""When a figure has fallen: a point other than the feet's touches the ground, or a planar figure is bent beyond
walking."""

import math

import warp as wp

from footfall.dynamics.compiler import CompiledFigure

__all__ = ["fall_function"]

TORSO_LIMIT = 2.0
HIP_LIMIT = 2.3
PELVIS_LIMIT = 1.3


def fall_function(
    compiled: CompiledFigure, height: wp.Function, *, turns_over: bool = False, upright: bool = False
) -> wp.Function | None:
    """A Warp function (qpos, qvel, body, body_row, table, table_row, turning_over) -> whether the figure has fallen.

    SIMBICON's applet calls control lost beyond 2 rad of torso lean or 2.3 rad of a hip. Neither counts while the
    figure is ``turning_over``; under a law that ``turns_over`` at times, lean is what is left over from whole turns.
    None for a figure that hangs fixed in the world or has no points to fall on. ``upright``: a root in space that leans
    by more than 1.3 rad has fallen too, since a law that prescribes accelerations can throw it into the air.
    """
    figure, real, planar = compiled.figure, compiled.real, compiled.planar
    off_foot = tuple(k for k, p in enumerate(figure.points) if p.foot is None and p.ground)
    count = len(off_foot)
    if figure.root == "fixed" or (count == 0 and not planar):
        return None
    hips = tuple(figure.joint(n).dof for leg in figure.legs.values() for n in leg.hip) if planar else ()
    hip_count = len(hips)
    Qpos, Qvel, landmarks = compiled.Qpos, compiled.Qvel, compiled.landmarks
    Landmarks = wp.types.vector(length=max(1, 3 * len(figure.points)), dtype=real)
    torso_limit, hip_limit = real(TORSO_LIMIT), real(HIP_LIMIT)
    turn, half, one, two, lowest = (real(x) for x in (2.0 * math.pi, 0.5, 1.0, 2.0, math.cos(PELVIS_LIMIT)))
    upright = upright and figure.root == "free"

    @wp.func
    def fallen(
        qpos: wp.ref[Qpos],
        qvel: wp.ref[Qvel],
        body: wp.array2d[real],
        body_row: int,
        table: wp.array2d[real],
        table_row: int,
        turning_over: bool,
    ):
        down = bool(False)
        places = Landmarks()
        landmarks(qpos, qvel, body, body_row, places)
        for i in range(wp.static(count)):
            x = places[wp.static(3 * off_foot[i])]
            y = places[wp.static(3 * off_foot[i] + 1)]
            z = places[wp.static(3 * off_foot[i] + 2)]
            if z <= height(table, table_row, x, y):
                down = True
        if wp.static(planar):
            if not turning_over:
                lean = qpos[2]
                if wp.static(turns_over):
                    lean -= turn * wp.floor(lean / turn + half)
                if wp.abs(lean) > torso_limit:
                    down = True
                for i in range(wp.static(hip_count)):
                    if wp.abs(qpos[wp.static(hips[i])]) > hip_limit:
                        down = True
        if wp.static(upright):
            if one - two * (qpos[4] * qpos[4] + qpos[5] * qpos[5]) < lowest:
                down = True
        return down

    return fallen
