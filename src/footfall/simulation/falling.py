"""When a figure has fallen: a point off its feet touches the ground, its root is too low, it leans too far, or a planar
figure is bent beyond walking."""

import math

import mujoco
import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure

TORSO_LIMIT = 2.0
HIP_LIMIT = 2.3
LEAN_LIMIT, UPRIGHT_LIMIT = 1.75, 1.3
LEAST_HEIGHT = 0.35


def fall_function(
    compiled: CompiledFigure, height: wp.Function, *, turns_over: bool = False, upright: bool = False
) -> wp.Function | None:
    """A Warp function (qpos, qvel, body, body_row, table, table_row, turning_over) -> whether the figure has fallen.

    Every figure has fallen when its root is lower above the ground than 0.35 of where it stands, or when a root in
    space leans by more than 1.75 rad (``upright``: 1.3, since a law that prescribes accelerations can throw it into
    the air). One with legs has fallen when a point off its feet touches the ground. SIMBICON's applet calls control
    lost beyond 2 rad of a planar torso's lean or 2.3 rad of a hip. Neither lean counts while the figure is
    ``turning_over``; under a law that ``turns_over`` at times, lean is what is left over from whole turns. None for a
    figure that hangs fixed in the world.
    """
    figure, real, planar = compiled.figure, compiled.real, compiled.planar
    if figure.root == "fixed":
        return None
    off_foot = tuple(k for k, p in enumerate(figure.points) if p.foot is None and p.ground and figure.legs)
    count = len(off_foot)
    touches = count > 0
    hips = tuple(figure.joint(n).dof for leg in figure.legs.values() for n in leg.hip) if planar else ()
    hip_count = len(hips)
    Qpos, Qvel, landmarks = compiled.Qpos, compiled.Qvel, compiled.landmarks
    Landmarks = wp.types.vector(length=max(1, 3 * len(figure.points)), dtype=real)
    torso_limit, hip_limit = real(TORSO_LIMIT), real(HIP_LIMIT)
    turn, half, zero, two = (real(x) for x in (2.0 * math.pi, 0.5, 0.0, 2.0))
    up = 1 if planar else 2
    least = real(LEAST_HEIGHT * float(figure.default_qpos[up]))
    steep = real(math.cos(UPRIGHT_LIMIT if upright else LEAN_LIMIT))
    ax, ay, az = (real(x) for x in _own_up(figure.default_qpos[3:7])) if not planar else (zero, zero, zero)

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
        if wp.static(touches):
            places = Landmarks()
            landmarks(qpos, qvel, body, body_row, places)
            for i in range(wp.static(count)):
                x = places[wp.static(3 * off_foot[i])]
                y = places[wp.static(3 * off_foot[i] + 1)]
                z = places[wp.static(3 * off_foot[i] + 2)]
                if z <= height(table, table_row, x, y):
                    down = True
        if wp.static(planar):
            if qpos[1] - height(table, table_row, qpos[0], zero) < least:
                down = True
            if not turning_over:
                lean = qpos[2]
                if wp.static(turns_over):
                    lean -= turn * wp.floor(lean / turn + half)
                if wp.abs(lean) > torso_limit:
                    down = True
                for i in range(wp.static(hip_count)):
                    if wp.abs(qpos[wp.static(hips[i])]) > hip_limit:
                        down = True
        else:
            if qpos[2] - height(table, table_row, qpos[0], qpos[1]) < least:
                down = True
            if not turning_over:
                w = qpos[3]
                x = qpos[4]
                y = qpos[5]
                z = qpos[6]
                rise = az * (w * w - x * x - y * y + z * z) + two * (ax * (x * z - w * y) + ay * (y * z + w * x))
                if rise < steep:
                    down = True
        return down

    return fallen


def _own_up(quaternion: np.ndarray) -> np.ndarray:
    """[3] the world's up in the root's axes, as it stands."""
    back, local = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(back, quaternion)
    mujoco.mju_rotVecQuat(local, np.array([0.0, 0.0, 1.0]), back)
    return local
