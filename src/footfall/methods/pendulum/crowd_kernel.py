"""The crowd's kernel: one thread per walker runs control, state and posture of each frame.

It is compiled from the same text that numpy runs for few walkers (:mod:`footfall.methods.pendulum.numpy_warp`).
"""

from functools import cache
from typing import Any

from footfall.kernels.start import start_warp
from footfall.methods.pendulum import closed_form, leg, pelvis_height, smooth, time_projection
from footfall.methods.pendulum import posture as posture_module
from footfall.methods.pendulum.closed_form import advance
from footfall.methods.pendulum.numpy_warp import m, warp_functions
from footfall.methods.pendulum.posture import posture
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.time_projection import project

CROWD_STATE = (
    "t",
    "d",
    "sx",
    "px",
    "svx",
    "pvx",
    "sy",
    "py",
    "svy",
    "pvy",
    "vx",
    "wx",
    "vy",
    "wy",
    "before",
    "foot_x",
    "foot_y",
    "heading",
    "turn_in",
    "turn_out",
)
"""Rows of a crowd's state, as in :class:`footfall.methods.pendulum.walkers.WalkState`."""

CROWD_POSE = (
    "x",
    "y",
    "z",
    "heading",
    "pelvis_turn",
    "pelvis_list",
    "spread",
    "swing_side",
    "stance_thigh",
    "stance_shank",
    "stance_roll",
    "stance_pitch",
    "stance_toe",
    "stance_yaw",
    "swing_thigh",
    "swing_shank",
    "swing_roll",
    "swing_pitch",
    "swing_toe",
    "swing_yaw",
)
"""Rows of a crowd's poses: the pelvis in the world (along the slope) and its heading, then as in
:data:`footfall.methods.pendulum.posture.POSTURE`; ``swing_side`` is +1 while the left leg swings, -1 while the right
one does."""

Strides = Any
Rows = Any
Table = Any
Cube = Any
Int = Any
wp: Any = None


def walk_frames(
    strides: "Strides",
    row: "Rows",
    wanted: "Rows",
    state: "Table",
    command: "Table",
    poses: "Cube",
    first: "Int",
    frames: "Int",
    dt: Any,
) -> None:
    """Kernel: walker first + tid walks ``frames`` frames of ``dt`` seconds. ``command`` has rows fx, fy, turn."""
    i = first + wp.tid()
    t = state[0, i]
    d = state[1, i]
    sx = state[2, i]
    px = state[3, i]
    svx = state[4, i]
    pvx = state[5, i]
    sy = state[6, i]
    py = state[7, i]
    svy = state[8, i]
    pvy = state[9, i]
    vx = state[10, i]
    wx = state[11, i]
    vy = state[12, i]
    wy = state[13, i]
    before = state[14, i]
    foot_x = state[15, i]
    foot_y = state[16, i]
    heading = state[17, i]
    turn_in = state[18, i]
    turn_out = state[19, i]
    cos = m.cos(heading)
    sin = m.sin(heading)
    for frame in range(frames):
        left = dt
        while left > 0.0:
            c = strides[row[i]]
            vx, wx, vy, wy = project(c, d, before, t, vx, wx, vy, wy, sx, px, svx, pvx, sy, py, svy, pvy)
            fx = cos * command[0, i] + sin * command[1, i]
            fy = cos * command[1, i] - sin * command[0, i]
            part = m.min(left, c.duration - t)
            sx, px, svx, pvx, sy, py, svy, pvy = advance(
                c, d, before, t, part, vx, wx, vy, wy, fx, fy, sx, px, svx, pvx, sy, py, svy, pvy
            )
            if left < c.duration - t:
                t = t + part
                left = 0.0
            else:
                left = left - part
                foot_x = foot_x + cos * sx - sin * sy
                foot_y = foot_y + sin * sx + cos * sy
                ca = m.cos(turn_out)
                sa = m.sin(turn_out)
                qx = px - sx
                qy = py - sy
                px = ca * qx + sa * qy
                py = ca * qy - sa * qx
                qx = pvx
                qy = pvy
                pvx = ca * qx + sa * qy
                pvy = ca * qy - sa * qx
                qx = -sx
                qy = -sy
                sx = ca * qx + sa * qy
                sy = ca * qy - sa * qx
                svx = 0.0
                svy = 0.0
                vx = 0.0
                wx = 0.0
                vy = 0.0
                wy = 0.0
                t = 0.0
                d = -d
                before = c.ankle + c.ankle_ramp
                heading = heading + turn_out
                cos = m.cos(heading)
                sin = m.sin(heading)
                turn_in = turn_out
                turn_out = command[2, i]
                row[i] = wanted[i]
        b = strides[row[i]]
        p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, p17 = posture(
            b, d, t, turn_in, turn_out, sx, px, pvx, sy, py, pvy
        )
        ahead = px + p0
        poses[frame, 0, i] = foot_x + cos * ahead - sin * py
        poses[frame, 1, i] = foot_y + sin * ahead + cos * py
        poses[frame, 2, i] = p1
        poses[frame, 3, i] = heading + p2
        poses[frame, 4, i] = p3
        poses[frame, 5, i] = p4
        poses[frame, 6, i] = p5
        poses[frame, 7, i] = d
        poses[frame, 8, i] = p6
        poses[frame, 9, i] = p7
        poses[frame, 10, i] = p8
        poses[frame, 11, i] = p9
        poses[frame, 12, i] = p10
        poses[frame, 13, i] = p11
        poses[frame, 14, i] = p12
        poses[frame, 15, i] = p13
        poses[frame, 16, i] = p14
        poses[frame, 17, i] = p15
        poses[frame, 18, i] = p16
        poses[frame, 19, i] = p17
    state[0, i] = t
    state[1, i] = d
    state[2, i] = sx
    state[3, i] = px
    state[4, i] = svx
    state[5, i] = pvx
    state[6, i] = sy
    state[7, i] = py
    state[8, i] = svy
    state[9, i] = pvy
    state[10, i] = vx
    state[11, i] = wx
    state[12, i] = vy
    state[13, i] = wy
    state[14, i] = before
    state[15, i] = foot_x
    state[16, i] = foot_y
    state[17, i] = heading
    state[18, i] = turn_in
    state[19, i] = turn_out


@cache
def crowd_kernel(precision: str) -> tuple[Any, Any]:
    """The kernel and the struct of strides for "float32" or "float64"."""
    warp = start_warp()
    scalar = getattr(warp, precision)
    annotations = dict.fromkeys(Stride.names(), scalar)
    struct = warp.struct(type("Stride", (), {"__annotations__": annotations, "__module__": __name__}))
    names = {
        "Stride": struct,
        "Strides": warp.array(dtype=struct),
        "Rows": warp.array(dtype=warp.int32),
        "Table": warp.array2d(dtype=scalar),
        "Cube": warp.array3d(dtype=scalar),
        "Int": warp.int32,
    }
    modules = (closed_form, time_projection, smooth, pelvis_height, leg, posture_module)
    functions = [f for module in modules for f in _in_order(module)]
    scope = warp_functions(f"footfall_pendulum_{precision}", functions, scalar, names, [walk_frames])
    return scope["walk_frames"], struct


def _in_order(module: Any) -> list[Any]:
    """The functions that ``module`` defines, in order."""
    own = [f for f in vars(module).values() if callable(f) and getattr(f, "__module__", "") == module.__name__]
    return sorted((f for f in own if hasattr(f, "__code__")), key=lambda f: f.__code__.co_firstlineno)
