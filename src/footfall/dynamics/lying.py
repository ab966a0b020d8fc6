"""A fallen body on the ground: springs, dampers and friction at the balls of its skin, and its dynamics under them.

    f_n = k (ground - z - h z') - c z',  not negative;     f_t = μ f_n against the sliding, fading below 5 cm/s

All of it one step ahead. The ground is as soft as the body is light: at rest on three balls it is 2 mm deep. It needs
no memory, so a body lies on as it did after a pause, in another simulation or in a page.

A skin has some hundred balls, few of which touch. They are numbers in a table, not code: each body collects the forces
on its balls, and what they add to its inertia, before its accelerations are found.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import terrain_height
from footfall.dynamics.native import native_function
from footfall.figures import BodyParameters, Figure
from footfall.figures.contact_points import Ball
from footfall.figures.inertia import GRAVITY

DEPTH, BALLS, TIME, LOCKING_SPEED = 0.002, 3, 0.06, 0.05
"""Metres at rest on so many balls; c / k in seconds; metres per second."""
SOLVES = 3
"""How often accelerations are found in a step, at most: contacts that pull are released, the others get the friction of
the pressure that came out."""

PER_BALL, PER_BODY, PER_LOAD, PER_INERTIA = 5, 18, 6, 21
"""Numbers of a ball (body, centre 3, radius), of a body's position, of the forces on it, and of a spatial inertia."""
PER_TOUCH, X, Y, DEEP = 14, 2, 3, 4
"""Numbers of a ball while it may touch: grip (friction in newtons for each metre a second of sliding; negative off the
ground), body, position x and y in the world, depth, position 3 from the root, velocity 3, velocity product ω × v 3."""


NEAR = 0.15
"""Metres above the ground, within which a body's surface is watched closely."""
AROUND = ((0.0, 0.0), (0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5))
"""Where the ground's height is looked at, metres from the root."""


def bare_skin(figure: Figure) -> tuple[Ball, ...]:
    """The balls of a figure's skin that are neither on its feet nor at its ankles: there the ground points stand."""
    feet = {figure.body(leg.foot).index for leg in figure.legs.values()}
    ankles = {figure.bodies[foot].parent: figure.bodies[foot].position for foot in feet}

    def is_bare(ball: Ball) -> bool:
        near = ball.body in ankles and float(np.linalg.norm(ball.position - ankles[ball.body])) < ANKLE
        return ball.body not in feet and not near

    return tuple(ball for ball in figure.skin if is_bare(ball))


ANKLE = 0.12
"""Metres from the ankle, within which balls are the foot's."""


def low_function(compiled: CompiledFigure, terrain: str) -> wp.Function:
    """A Warp function (qpos, qvel, body, body_row, table, table_row) -> whether any ball of a figure's bare skin is
    close to the ground. Where bodies' sizes differ, the figure's own balls count."""
    m, g, real = compiled._motions, compiled.graph, compiled.real
    Qpos, Qvel = compiled.Qpos, compiled.Qvel
    balls = bare_skin(compiled.figure)
    heights = []
    for ball in balls:
        x, y, z = (g.constant(value) for value in ball.position)
        heights.append(m.point(ball.body, (x, y, z))[2] - ball.radius)
    text = f"S z[{max(1, len(balls))}];\n" + g.print([(f"z[{k}]", e) for k, e in enumerate(heights)])
    text += f"\nlowest = z[0];\nfor (int k = 1; k < {len(balls)}; ++k) if (z[k] < lowest) lowest = z[k];"
    find_lowest = compiled.function("lowest", {"lowest": wp.ref[real]}, text)
    height, near, count = terrain_height(terrain, real), real(NEAR), 1 if terrain == "flat" else len(AROUND)

    @wp.func
    def is_low(
        qpos: wp.ref[Qpos],
        qvel: wp.ref[Qvel],
        body: wp.array2d[real],
        body_row: int,
        table: wp.array2d[real],
        table_row: int,
    ):
        lowest = real(0.0)
        find_lowest(qpos, qvel, body, body_row, lowest)
        low = bool(False)
        for i in range(wp.static(count)):
            x = qpos[0] + real(wp.static(AROUND[i][0]))
            y = qpos[1] + real(wp.static(AROUND[i][1]))
            if qpos[2] + lowest - height(table, table_row, x, y) < near:
                low = True
        return low

    return is_low


def skin_rows(skin: Sequence[Ball], parameters: BodyParameters | None = None) -> NDArray[np.float64]:
    """[1 or W, 5 K] the balls of a skin as a table; of worlds whose bodies differ, with ``parameters``."""
    bodies = [ball.body for ball in skin]
    centres = np.array([ball.position for ball in skin]).reshape(1, -1, 3)
    if parameters is not None:
        anchors = parameters.anchors[bodies]
        centres = anchors + parameters.stretch[:, bodies] * (centres - anchors)
    worlds = len(centres)
    owners = np.broadcast_to(np.array(bodies, dtype=float), (worlds, len(skin)))
    radii = np.broadcast_to([ball.radius for ball in skin], (worlds, len(skin)))
    return np.concatenate([owners[..., None], centres, radii[..., None]], axis=2).reshape(worlds, -1)


def grip_type(real: Any) -> Any:
    """The type of a friction and a step together."""
    return wp.types.vector(length=2, dtype=real)


def lying_function(compiled: CompiledFigure, terrain: str, balls: int, work: Any = None) -> wp.Function:
    """A Warp function (qpos, qvel, body, rows, torque, stiffness, push, skin, grip, table, qacc, work) that finds the
    accelerations [nv] of a body that lies, kneels or leans on the ground, under joint torques and pushes.

    ``rows`` are those of body, skin, ground and table that the world reads, ``grip`` the friction and the step.

    Args:
        compiled: the figure.
        terrain: kind of terrain that it lies on.
        balls: of its skin.
        work: the structure with ``force``, ``stiffness`` and ``moved`` [3 P] of the ground points of a body that also
            stands; None for one that has fallen, which is given any [3 P].
    """
    real, Qpos, Qvel, Pushes = compiled.real, compiled.Qpos, compiled.Qvel, compiled.Pushes
    bodies, loaded, links = compiled.bodies, compiled.loaded(standing=work is not None), len(compiled.figure.bodies)
    Places, Loads, Inertias, Moved = (
        wp.types.vector(length=n * links, dtype=real) for n in (PER_BODY, PER_LOAD, PER_INERTIA, PER_LOAD)
    )
    Touches = wp.types.vector(length=PER_TOUCH * max(1, balls), dtype=real)
    height = terrain_height(terrain, real)
    stiffness_of = float(compiled.figure.model.body_mass.sum()) * GRAVITY / (BALLS * DEPTH)
    constants = {"k": stiffness_of, "c": stiffness_of * TIME, "slow": LOCKING_SPEED}
    head = "".join(f"const S {name} = S({value!r});\n" for name, value in constants.items())
    head += f"const int balls = {balls}, links = {links};\n"

    def stage(name: str, text: str, **arguments: Any) -> wp.Function:
        arguments = {"touches": wp.ref[Touches], "touching": wp.ref[wp.int32], **arguments}
        return native_function(name, arguments, head + text, real)

    find = stage("find_balls", _FIND, places=wp.ref[Places], skin=wp.array2d(dtype=real), skin_row=wp.int32)
    meet = stage("meet_ground", _MEET, friction=real, dt=real)
    press = stage("press_bodies", _PRESS, dt=real, loads=wp.ref[Loads], inertias=wp.ref[Inertias])
    settle = stage("settle_balls", _SETTLE, moved=wp.ref[Moved], friction=real, dt=real)
    uneven, standing, Work = terrain != "flat", work is not None, compiled.Points if work is None else work
    Grip = grip_type(real)

    @wp.func
    def accelerate(
        qpos: wp.ref[Qpos],
        qvel: wp.ref[Qvel],
        body: wp.array2d[real],
        rows: wp.vec4i,
        torque: wp.ref[Qvel],
        stiffness: wp.ref[Qvel],
        push: wp.ref[Pushes],
        skin: wp.array2d[real],
        grip: Grip,
        table: wp.array2d[real],
        qacc: wp.ref[Qvel],
        work: wp.ref[Work],
    ):
        friction = grip[0]
        dt = grip[1]
        places = Places()
        touches = Touches()
        loads = Loads()
        inertias = Inertias()
        moved = Moved()
        touching = int(0)
        bodies(qpos, qvel, body, rows[0], places)
        find(touches, touching, places, skin, rows[1])
        if wp.static(uneven):
            for i in range(skin.shape[1] // wp.static(PER_BALL)):  # no constant: a loop of a hundred must stay one
                first = wp.static(PER_TOUCH) * i
                floor = height(table, rows[3], touches[first + wp.static(X)], touches[first + wp.static(Y)])
                touches[first + wp.static(DEEP)] = touches[first + wp.static(DEEP)] + floor
        meet(touches, touching, friction, dt)
        solves = int(0)
        again = bool(True)
        while again:
            press(touches, touching, dt, loads, inertias)
            if wp.static(standing):
                loaded(
                    qpos, qvel, body, rows[0], torque, stiffness, loads, inertias, push, qacc, moved, work.force,
                    work.stiffness, work.moved,
                )  # fmt: skip
            else:
                loaded(qpos, qvel, body, rows[0], torque, stiffness, loads, inertias, push, qacc, moved)
            solves += 1
            again = touching > 0 and solves < wp.static(SOLVES)
            if again:
                settle(touches, touching, moved, friction, dt)

    return accelerate


_FIND = """
const S* row = wp::address(skin, skin_row, 0);
touching = 0;
for (int i = 0; i < balls; ++i) {
  const S* ball = row + 5 * i;
  const int body = (int)ball[0];
  const S* p = &places[18 * body];
  S* t = &touches[14 * i];
  S arm[3];
  for (int k = 0; k < 3; ++k) arm[k] = p[3 + 3*k] * ball[1] + p[4 + 3*k] * ball[2] + p[5 + 3*k] * ball[3];
  arm[2] -= ball[4];
  const S* spin = p + 12;
  S* at = t + 5; S* v = t + 8; S* turning = t + 11;
  for (int k = 0; k < 3; ++k) at[k] = p[k] + arm[k] - places[k];
  v[0] = p[15] + spin[1] * arm[2] - spin[2] * arm[1];
  v[1] = p[16] + spin[2] * arm[0] - spin[0] * arm[2];
  v[2] = p[17] + spin[0] * arm[1] - spin[1] * arm[0];
  turning[0] = spin[1] * v[2] - spin[2] * v[1];
  turning[1] = spin[2] * v[0] - spin[0] * v[2];
  turning[2] = spin[0] * v[1] - spin[1] * v[0];
  t[0] = S(-1); t[1] = S(body);
  t[2] = p[0] + arm[0]; t[3] = p[1] + arm[1]; t[4] = -(p[2] + arm[2]);
}
"""

_GRIP = """
      const S speed = sqrt(t[8] * t[8] + t[9] * t[9]);
      t[0] = friction * pressure / (speed > slow ? speed : slow);
      ++touching;
"""

_MEET = f"""
touching = 0;
for (int i = 0; i < balls; ++i) {{
  S* t = &touches[14 * i];
  if (t[4] > S(0)) {{
    const S pressure = k * (t[4] - dt * t[10]) - c * t[10];
    if (pressure > S(0)) {{{_GRIP}    }}
  }}
}}
"""

_PRESS = """
for (int i = 0; i < 6 * links; ++i) loads[i] = S(0);
for (int i = 0; i < 21 * links; ++i) inertias[i] = S(0);
const S up = dt * (c + k * dt);
for (int i = 0; i < balls; ++i) {
  const S* t = &touches[14 * i];
  if (t[0] < S(0)) continue;
  const int body = (int)t[1];
  const S side = dt * t[0], x = t[5], y = t[6], z = t[7];
  const S fx = -t[0] * t[8] - side * t[11], fy = -t[0] * t[9] - side * t[12];
  const S fz = k * (t[4] - dt * t[10]) - c * t[10] - up * t[13];
  S* f = &loads[6 * body];
  f[0] += y * fz - z * fy; f[1] += z * fx - x * fz; f[2] += x * fy - y * fx;
  f[3] += fx; f[4] += fy; f[5] += fz;
  S* m = &inertias[21 * body];
  m[0] += z * z * side + y * y * up; m[1] -= x * y * up; m[2] -= x * z * side; m[4] -= z * side; m[5] += y * up;
  m[6] += z * z * side + x * x * up; m[7] -= y * z * side; m[8] += z * side; m[10] -= x * up;
  m[11] += (x * x + y * y) * side; m[12] -= y * side; m[13] += x * side;
  m[15] += side; m[18] += side; m[20] += up;
}
"""

_SETTLE = f"""
touching = 0;
const S up = dt * (c + k * dt);
for (int i = 0; i < balls; ++i) {{
  S* t = &touches[14 * i];
  if (t[0] >= S(0)) {{
    const S* a = &moved[6 * (int)t[1]];
    const S rise = a[5] + a[0] * t[6] - a[1] * t[5] + t[13];
    const S pressure = k * (t[4] - dt * t[10]) - c * t[10] - up * rise;
    t[0] = S(-1);
    if (pressure > S(0)) {{{_GRIP}    }}
  }}
}}
"""
