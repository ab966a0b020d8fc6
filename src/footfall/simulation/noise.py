"""Sensor noise in a kernel: what a law senses, with errors that depend on the world's key and the step alone.

Random numbers are counted, not drawn one after the other: the error of coordinate k in step n is a hash of (key, n, k)
turned into a normal number (splitmix64, then Box and Muller). So they do not depend on how many worlds there are, on
threads, or on how a run is cut into pieces.
"""

from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure

NOISES = {
    "joint_angle": "rad",
    "joint_speed": "rad/s",
    "orientation": "rad",
    "angular_velocity": "rad/s",
    "linear_velocity": "m/s",
}
"""What a sensor may be wrong about, and the unit of its standard deviation; the last three are the root's."""

JOINT_ANGLE, JOINT_SPEED, ORIENTATION, ANGULAR_VELOCITY, LINEAR_VELOCITY = range(5)


@wp.func
def mixed(x: wp.uint64):
    """The hash of splitmix64."""
    z = x + wp.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> wp.uint64(30))) * wp.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> wp.uint64(27))) * wp.uint64(0x94D049BB133111EB)
    return z ^ (z >> wp.uint64(31))


def noise_function(compiled: CompiledFigure) -> wp.Function:
    """A Warp function (qpos, qvel, noise, row, key, step) that adds the errors of a step to a state; ``noise[row]``
    holds the standard deviations of :data:`NOISES`."""
    figure, real, Qpos, Qvel, nv = compiled.figure, compiled.real, compiled.Qpos, compiled.Qvel, compiled.nv
    straight = [(j.qpos, j.dof) for j in figure.joints if j.ndof == 1 and j.dof >= compiled.root_freedoms]
    turning = [(j.qpos, j.dof, JOINT_ANGLE) for j in figure.joints if j.kind == "ball"]
    if figure.root == "free":
        turning.append((3, 3, ORIENTATION))
    if figure.root == "planar":
        straight.append((2, 2))
    places, dofs = tuple(q for q, _ in straight), tuple(d for _, d in straight)
    sizes = tuple(ORIENTATION if d < compiled.root_freedoms else JOINT_ANGLE for d in dofs)
    speeds = tuple(_speed_of(figure.root, d) for d in range(nv))
    quats, firsts, of_quat = (tuple(row[k] for row in turning) for k in range(3))
    count, quat_count = len(straight), len(turning)
    half, two_pi, minus_two = real(0.5), real(6.283185307179586), real(-2.0)
    scale, offset = real(2.0**-32), real(2.0**-33)
    Two = wp.types.vector(length=2, dtype=real)
    zero = real(0.0)

    @wp.func
    def normals(key: wp.uint64, step: int, k: int):
        """Two independent normal numbers."""
        bits = mixed(mixed(key + wp.uint64(step)) + wp.uint64(k))
        high = real(bits >> wp.uint64(32)) * scale + offset
        low = real(bits & wp.uint64(0xFFFFFFFF)) * scale
        length = wp.sqrt(minus_two * wp.log(high))
        return Two(length * wp.cos(two_pi * low), length * wp.sin(two_pi * low))

    @wp.func
    def disturb(qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], noise: wp.array2d[real], row: int, key: wp.uint64, step: int):
        angles = Qvel()
        for d in range(wp.static(nv)):
            pair = normals(key, step, d)
            angles[d] = pair[0]
            qvel[d] = qvel[d] + noise[row, wp.static(speeds[d])] * pair[1]
        for i in range(wp.static(count)):
            error = noise[row, wp.static(sizes[i])] * angles[wp.static(dofs[i])]
            qpos[wp.static(places[i])] = qpos[wp.static(places[i])] + error
        for i in range(wp.static(quat_count)):
            size = noise[row, wp.static(of_quat[i])]
            if size > zero:
                x = half * size * angles[wp.static(firsts[i])]
                y = half * size * angles[wp.static(firsts[i] + 1)]
                z = half * size * angles[wp.static(firsts[i] + 2)]
                turn = wp.sqrt(x * x + y * y + z * z)
                s = wp.sin(turn) / turn
                c = wp.cos(turn)
                x *= s
                y *= s
                z *= s
                a = qpos[wp.static(quats[i])]
                b = qpos[wp.static(quats[i] + 1)]
                e = qpos[wp.static(quats[i] + 2)]
                f = qpos[wp.static(quats[i] + 3)]
                qpos[wp.static(quats[i])] = a * c - b * x - e * y - f * z
                qpos[wp.static(quats[i] + 1)] = a * x + b * c + e * z - f * y
                qpos[wp.static(quats[i] + 2)] = a * y - b * z + e * c + f * x
                qpos[wp.static(quats[i] + 3)] = a * z + b * y - e * x + f * c

    return disturb


def _speed_of(root: Any, dof: int) -> int:
    """Which noise the velocity of a degree of freedom has."""
    straight, all_of_it = {"planar": (2, 3), "free": (3, 6), "fixed": (0, 0)}[root]
    if dof >= all_of_it:
        return JOINT_SPEED
    return LINEAR_VELOCITY if dof < straight else ANGULAR_VELOCITY
