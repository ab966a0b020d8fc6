"""Limbs that touch each other: damped springs between the capsules of a figure's shapes, with Coulomb friction.

Two capsules (segments c ± u of radius r) touch where the distance d of their axes is below r₁ + r₂. At the point
between the nearest points, along the normal n from the second to the first, with depth δ = r₁ + r₂ - d,

    f_n = k δ (1 - b v_n), not negative;     f_t = -min(μ f_n / |v_t|, 1 / (2 h w)) v_t

k is a spring, b a damper that grows with the depth (Hunt and Crossley), so that a touch loads smoothly and never
pulls; v is the velocity of the first body against the second there. The force and its opposite act in one point, so
that linear and angular momentum stay as they are; on the joints between the two bodies they are torques Jᵀ f, and on
all others nothing.

All is found in the root's frame, whose y axis tells most pairs apart: where one limb ends to the left of where another
begins, nothing more is computed.

With a step h, spring and damper are kept below what is stable: k ≤ 1 / (4 h² w) and k δ b ≤ 1 / (h w), where w is what
a newton at the two limbs' lightest points gives them in acceleration, over many poses (1 / kg). For a person that binds
the damper in deep contacts at steps of 2 ms, and nothing else.

Where axes are parallel, the nearest points jump from end to end; distance and normal do not. The point in which the
force acts is there in the middle of what lies side by side.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import mujoco
import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.expressions import Expression
from footfall.dynamics.limbs import Links
from footfall.dynamics.recursion import motions
from footfall.dynamics.spatial import add, matvec
from footfall.dynamics.stages import Stages
from footfall.figures import Figure
from footfall.figures.mjcf import posed
from footfall.figures.solid_shapes import MIDDLE, capsule_position, random_poses

STIFFNESS, PERSON = 2.0e4, 80.0
"""k of a figure that weighs so many kilograms, newtons per metre; others' is as much more or less as they weigh."""
DAMPING, FRICTION = 4.0, 0.4
"""b in seconds per metre; μ."""
MOST = 12
"""Contacts at a time; more than so many are left out."""
PARALLEL = 0.04
"""Squared sine of the angle between axes, below which contacts move to the middle."""
ROOT_SIZE, ROOT_W = 7, 3
"""Coordinates of a free root: position 3, quaternion 4 with its real part first."""
WEIGHED = 40
"""Poses in which limbs are weighed."""


class SolidLimbs:
    """Warp functions of a figure whose limbs touch.

    Args:
        compiled: the figure.
        stages: a step in which it is sensed before; functions then take its ``scratch`` after ``body_row``.

    Attributes:
        head: C++ of the capsules, where they are, and how near two of them come.
        press: (qpos, qvel, body, body_row, dt, torque) adds the torques [nv] of limbs that touch.
    """

    def __init__(self, compiled: CompiledFigure, stages: Stages | None = None) -> None:
        c = self.compiled = compiled
        sensed: dict[str, Any] = {"scratch": wp.ref[stages.Scratch]} if stages else {}
        self.head = _tables(c) + self._places(stages.given if stages else {}) + _NEAREST
        sizes = {"NV": str(c.nv), "FIRST": str(c.root_freedoms), "AXES": self._axes()}
        press = re.sub("|".join(sizes), lambda found: sizes[found[0]], _PRESS)
        arguments = sensed | {"dt": c.real, "torque": wp.ref[c.Qvel]}
        self.press = c.function("press_limbs", arguments, f"{self.head}{_FIND}{press}")

    def _places(self, given: Mapping[int, str]) -> str:
        """C++ for ``places``: centre and half axis [6] of each capsule, in the root's frame, from expressions that
        are ``given``."""
        c, outputs = self.compiled, []
        links = Links(c.mechanism, self._unmoved)
        for k, (body, centre, half) in enumerate(c.capsule_positions()):
            link, own, origin = links.frames[body]
            axes, at = links.world(link)
            values = [*add(at, matvec(axes, add(origin, matvec(own, centre)))), *matvec(axes, matvec(own, half))]
            outputs += [(f"places[{6 * k + i}]", value) for i, value in enumerate(values)]
        return f"S places[{len(outputs)}];\n{{{c.graph.print(outputs, given, as_built=True)}}}\n"

    def _axes(self) -> str:
        """C++ for ``axes``: the motion subspaces [6] of the joints' degrees of freedom, angular part first, in the
        root's frame."""
        c, outputs = self.compiled, []
        for freedom in (f for own in motions(c.mechanism, self._unmoved, c._qvel).freedoms for f in own):
            if freedom.address >= c.root_freedoms:
                outputs += [(f"axes[{6 * freedom.address + i}]", value) for i, value in enumerate(freedom.subspace)]
        return f"S axes[{6 * c.nv}];\n{{{c.graph.print(outputs)}}}\n"

    @property
    def _unmoved(self) -> list[Expression]:
        """[nq] coordinates of the figure with its root where the world is."""
        g = self.compiled.graph
        return [*(g.one if k == ROOT_W else g.zero for k in range(ROOT_SIZE)), *self.compiled._qpos[ROOT_SIZE:]]


def stiffness_of(figure: Figure) -> float:
    """k between limbs, newtons per metre."""
    return STIFFNESS * float(figure.model.body_mass.sum()) / PERSON


@cache
def lightness(figure: Figure) -> tuple[float, ...]:
    """1 / kg of each capsule: the largest acceleration that a newton gives to a point on it, over many poses."""
    model, capsules = figure.model, figure.solid.capsules
    data, most = mujoco.MjData(model), np.zeros(len(capsules))
    jacobian, answer = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    for pose in [figure.default_qpos, *random_poses(model, figure.default_qpos, WEIGHED)]:
        data.qpos[:] = pose
        mujoco.mj_fwdPosition(model, data)
        for k, capsule in enumerate(capsules):
            turn = data.xmat[capsule.body + 1].reshape(3, 3)
            beside = np.linalg.svd(np.atleast_2d(capsule.half))[2][1:] * capsule.radius
            for place in (capsule.centre + sign * capsule.half + side for sign in (-1.0, 1.0) for side in beside):
                at = data.xpos[capsule.body + 1] + turn @ place
                mujoco.mj_jac(model, data, jacobian, None, at, capsule.body + 1)
                mujoco.mj_solveM(model, data, answer, jacobian)
                most[k] = max(most[k], float(np.linalg.eigvalsh(jacobian @ answer.T)[-1]))
    return tuple(float(max(most[k], most[image])) for k, image in enumerate(_images(figure)))


def _images(figure: Figure) -> list[int]:
    """The number of each capsule's mirror image as the figure stands, or its own where it has none."""
    data = posed(figure.model, figure.default_qpos)
    middle = [0.0, figure.default_qpos[1], 0.0, 0.0]
    places = (
        np.array([[*capsule_position(data, c)[0], c.radius] for c in figure.solid.capsules]).reshape(-1, 4) - middle
    )
    apart = np.linalg.norm(places[None] - (places * [1.0, -1.0, 1.0, 1.0])[:, None], axis=-1)
    return [int(np.argmin(row)) if row.min() < MIDDLE else k for k, row in enumerate(apart)]


def _tables(c: CompiledFigure) -> str:
    """C++ constants: pairs of capsules with reach, radii and 1 / kg; which joints move the first or second body."""
    figure, shapes = c.figure, c.solid
    light, parents = lightness(figure), [b.parent for b in figure.bodies]
    owner = [int(b) - 1 for b in figure.model.dof_bodyid]

    def moved_by(body: int) -> set[int]:
        bodies = set()
        while body >= 0:
            bodies.add(body)
            body = parents[body]
        return {dof for dof, own in enumerate(owner) if own in bodies}

    numbers, signs = [], []
    for a, b in shapes.pairs:
        one, other = shapes.capsules[a], shapes.capsules[b]
        radii = one.radius + other.radius
        reach = radii + float(np.linalg.norm(one.half) + np.linalg.norm(other.half))
        grown = GROWN if c.sizes_differ else 1.0
        numbers.append((radii, reach * reach * grown, light[a] + light[b]))
        first, second = moved_by(one.body), moved_by(other.body)
        signs.append([(dof in first) - (dof in second) for dof in range(c.nv)])
    text: dict[str, list[Any]] = {
        "short owners": [k for pair in shapes.pairs for k in pair],
        "S radii": [capsule.radius for capsule in shapes.capsules],
        "S numbers": [x for row in numbers for x in row],
        "signed char signs": [s for row in signs for s in row],
    }
    lines = [f"static const {name}[] = {{{', '.join(map(repr, values))}}};" for name, values in text.items()]
    lines.append(f"const int pairs = {len(shapes.pairs)}, capsules = {len(shapes.capsules)}, most = {MOST};")
    lines.append(f"const S spring = S({stiffness_of(figure)!r}), damper = S({DAMPING!r}), friction = S({FRICTION!r});")
    return "\n".join(lines) + "\n"


GROWN = 4.0
"""Squared: bodies whose sizes differ may be stretched to twice their length."""

_NEAREST = """
struct Nearest {
  S s, t, squared, x, y, z;
  static CUDA_CALLABLE inline S clamp(S a) { return a < S(-1) ? S(-1) : a > S(1) ? S(1) : a; }
  CUDA_CALLABLE inline Nearest(const S* p, const S* q) {
    const S* u = p + 3; const S* v = q + 3;
    const S wx = p[0] - q[0], wy = p[1] - q[1], wz = p[2] - q[2];
    const S a = u[0]*u[0] + u[1]*u[1] + u[2]*u[2], e = v[0]*v[0] + v[1]*v[1] + v[2]*v[2];
    const S b = u[0]*v[0] + u[1]*v[1] + u[2]*v[2];
    const S c = u[0]*wx + u[1]*wy + u[2]*wz, f = v[0]*wx + v[1]*wy + v[2]*wz;
    const S across = a * e - b * b;
    s = across > S(1e-12) * a * e ? clamp((b * f - c * e) / across) : a > S(0) ? clamp(-c / a) : S(0);
    t = e > S(0) ? (b * s + f) / e : S(0);
    if (t < S(-1) || t > S(1)) {
      t = clamp(t);
      s = a > S(0) ? clamp((b * t - c) / a) : S(0);
    }
    x = wx + s * u[0] - t * v[0]; y = wy + s * u[1] - t * v[1]; z = wz + s * u[2] - t * v[2];
    squared = x*x + y*y + z*z;
  }
};
"""

_FIND = """
S touches[9 * most];
int count = 0;
S low[capsules], high[capsules];
for (int k = 0; k < capsules; ++k) {
  const S wide = (places[6*k + 4] < S(0) ? -places[6*k + 4] : places[6*k + 4]) + radii[k];
  low[k] = places[6*k + 1] - wide; high[k] = places[6*k + 1] + wide;
}
for (int i = 0; i < pairs; ++i) {
  const int first = owners[2*i], second = owners[2*i + 1];
  if (low[first] > high[second] || low[second] > high[first]) continue;
  const S* p = &places[6 * first]; const S* q = &places[6 * second];
  const S wx = p[0] - q[0], wy = p[1] - q[1], wz = p[2] - q[2];
  if (wx*wx + wy*wy + wz*wz > numbers[3*i + 1]) continue;
  const Nearest near(p, q);
  if (near.squared >= numbers[3*i] * numbers[3*i] || count == most) continue;
  const S distance = sqrt(near.squared), depth = numbers[3*i] - distance;
  const S* u = p + 3; const S* v = q + 3;
  const S a = u[0]*u[0] + u[1]*u[1] + u[2]*u[2], e = v[0]*v[0] + v[1]*v[1] + v[2]*v[2];
  const S b = u[0]*v[0] + u[1]*v[1] + u[2]*v[2];
  S s = near.s, t = near.t;
  const S sine = a > S(0) && e > S(0) ? S(1) - b * b / (a * e) : S(1);
  if (sine < S(PARALLEL)) {
    const S c = u[0]*wx + u[1]*wy + u[2]*wz, f = v[0]*wx + v[1]*wy + v[2]*wz, ratio = sine / S(PARALLEL);
    const S middle = S(0.5) * (Nearest::clamp((b - c) / a) + Nearest::clamp((-b - c) / a));
    const S beside = S(0.5) * (Nearest::clamp((b + f) / e) + Nearest::clamp((f - b) / e));
    s = middle + ratio * (s - middle);
    t = beside + ratio * (t - beside);
  }
  S* touch = &touches[9 * count];
  const S away = distance > S(1e-9) ? S(1) / distance : S(0);
  const S nx = near.x * away, ny = away > S(0) ? near.y * away : S(1), nz = near.z * away;
  touch[0] = S(i);
  touch[1] = S(0.5) * (p[0] + s * u[0] + q[0] + t * v[0]);
  touch[2] = S(0.5) * (p[1] + s * u[1] + q[1] + t * v[1]);
  touch[3] = S(0.5) * (p[2] + s * u[2] + q[2] + t * v[2]);
  touch[4] = nx; touch[5] = ny; touch[6] = nz; touch[7] = depth; touch[8] = numbers[3*i + 2];
  ++count;
}
""".replace("PARALLEL", repr(PARALLEL))

_PRESS = """
if (count == 0) return;
AXES
for (int i = 0; i < count; ++i) {
  const S* touch = &touches[9 * i];
  const signed char* own = &signs[NV * (int)touch[0]];
  const S x = touch[1], y = touch[2], z = touch[3], nx = touch[4], ny = touch[5], nz = touch[6];
  S vx = S(0), vy = S(0), vz = S(0);
  for (int j = FIRST; j < NV; ++j) {
    if (!own[j]) continue;
    const S* axis = &axes[6 * j];
    const S rate = S(own[j]) * qvel[j];
    vx += rate * (axis[3] + axis[1] * z - axis[2] * y);
    vy += rate * (axis[4] + axis[2] * x - axis[0] * z);
    vz += rate * (axis[5] + axis[0] * y - axis[1] * x);
  }
  const S rising = vx * nx + vy * ny + vz * nz, light = dt * touch[8];
  const S stiff = S(0.25) / (dt * light);
  S push = (spring < stiff ? spring : stiff) * touch[7];
  const S most_damping = S(1) / light, damping = push * damper;
  push -= (damping < most_damping ? damping : most_damping) * rising;
  if (push <= S(0)) continue;
  vx -= rising * nx; vy -= rising * ny; vz -= rising * nz;
  const S slide = sqrt(vx*vx + vy*vy + vz*vz), held = S(0.5) / light;
  S grip = friction * push / (slide > S(1e-9) ? slide : S(1e-9));
  grip = grip < held ? grip : held;
  const S fx = push * nx - grip * vx, fy = push * ny - grip * vy, fz = push * nz - grip * vz;
  const S mx = y * fz - z * fy, my = z * fx - x * fz, mz = x * fy - y * fx;
  for (int j = FIRST; j < NV; ++j) {
    if (!own[j]) continue;
    const S* axis = &axes[6 * j];
    torque[j] += S(own[j]) * (axis[0]*mx + axis[1]*my + axis[2]*mz + axis[3]*fx + axis[4]*fy + axis[5]*fz);
  }
}
"""
