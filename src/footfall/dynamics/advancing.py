"""How positions move along velocities, as C++ text."""

from typing import Any


def advance_text(model: Any) -> str:
    """C++ that moves ``qpos`` by ``rate * dt``: sums, and for rotations the exponential of the local angular
    velocity."""
    lines = []
    for j in range(model.njnt):
        kind, q, v = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        straight = {0: 3, 1: 0, 2: 1, 3: 1}[kind]
        lines += [f"qpos[{q + k}] = qpos[{q + k}] + dt * rate[{v + k}];" for k in range(straight)]
        if kind in (0, 1):
            lines.append(_TURN.format(q=q + straight, v=v + straight))
    return "\n".join(lines)


_TURN = """{{
  const S wx = rate[{v}], wy = rate[{v}+1], wz = rate[{v}+2];
  const S speed = sqrt(wx*wx + wy*wy + wz*wz), half = S(0.5) * dt * speed;
  S s, c; Trig::sincos(half, s, c);
  const S k = speed > S(1e-12) ? s / speed : S(0.5) * dt;
  const S aw = qpos[{q}], ax = qpos[{q}+1], ay = qpos[{q}+2], az = qpos[{q}+3];
  const S bx = k*wx, by = k*wy, bz = k*wz;
  const S rw = aw*c - ax*bx - ay*by - az*bz, rx = aw*bx + ax*c + ay*bz - az*by;
  const S ry = aw*by - ax*bz + ay*c + az*bx, rz = aw*bz + ax*by - ay*bx + az*c;
  const S n = S(1) / sqrt(rw*rw + rx*rx + ry*ry + rz*rz);
  qpos[{q}] = rw*n; qpos[{q}+1] = rx*n; qpos[{q}+2] = ry*n; qpos[{q}+3] = rz*n;
}}"""
