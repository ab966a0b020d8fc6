"""The frame that balance is kept in: the torso against the world, and the body against its stance foot, plane by plane.

In the plane the torso's lean is a coordinate. In space the frame turns with the heading, the yaw of the root:

    heading = atan2(forward_y, forward_x)
    lean    = atan2 of the vertical as the root feels it, forward (pitch) and sideways (roll)

and d and v are taken along the heading (sagittal) and to its left (coronal). Leans and their rates are about the hips'
axes (about -y, x and z), so that a thigh's angle against the world is its hip's angle plus the lean of the same plane.
"""

from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.rows import GraphField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE


@wp.func
def root_pitch(w: Any, x: Any, y: Any, z: Any):
    """The lean about -y of a root with this quaternion, backward positive, whatever its heading."""
    two = type(w)(2.0)
    return wp.atan2(two * (x * z - w * y), type(w)(1.0) - two * (x * x + y * y))


@wp.func
def root_roll(w: Any, x: Any, y: Any, z: Any):
    """The lean about x of a root with this quaternion, to the right positive, whatever its heading."""
    two = type(w)(2.0)
    return wp.atan2(two * (y * z + w * x), type(w)(1.0) - two * (x * x + y * y))


@wp.func
def root_yaw(w: Any, x: Any, y: Any, z: Any):
    """The heading of a root with this quaternion: the yaw of its forward axis, to the left positive."""
    two = type(w)(2.0)
    return wp.atan2(two * (x * y + w * z), type(w)(1.0) - two * (y * y + z * z))


@wp.func
def root_heading(w: Any, x: Any, y: Any, z: Any):
    """Cosine and sine of the heading of a root with this quaternion; 1 and 0 where its forward axis is vertical."""
    two = type(w)(2.0)
    c = type(w)(1.0) - two * (y * y + z * z)
    s = two * (x * y + w * z)
    size = wp.sqrt(c * c + s * s)
    if size > type(w)(0.0):
        c = c / size
        s = s / size
    else:
        c = type(w)(1.0)
        s = type(w)(0.0)
    return wp.vector(c, s, length=2)


@wp.func
def root_up(w: Any, x: Any, y: Any, z: Any):
    """The world's up in the axes of a root with this quaternion."""
    two = type(w)(2.0)
    return wp.vector(two * (x * z - w * y), two * (y * z + w * x), type(w)(1.0) - two * (x * x + y * y), length=3)


def observe_function(types: Types, now: NowParts) -> wp.Function:
    """A part that observes the torso's lean and its rate, d and v, as balance sees them: late where sensors are."""
    figure, real, Sense, Memory, Command = types.compiled.figure, types.real, types.Sense, types.Memory, types.Command
    Now, of_graph = now.Now, now.of_graph
    planar = figure.root == "planar"
    names = [p.name for p in types.compiled.points]
    heels, toes = (
        [tuple(3 * names.index(name) for name in getattr(figure.legs[side], part)) for side in ("left", "right")]
        for part in ("heel", "toe")
    )
    left_heel, right_heel, left_toe, right_toe = heels[0][0], heels[1][0], toes[0][0], toes[1][0]

    @wp.func
    def observe_in_the_plane(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        heel = sense.seen_position[left_heel]
        toe = sense.seen_position[left_toe]
        if now.right_stance:
            heel = sense.seen_position[right_heel]
            toe = sense.seen_position[right_toe]
        reference = of_graph(now, GraphField.REFERENCE)
        now.d[SAGITTAL] = sense.seen_qpos[0] - heel - reference * (toe - heel)
        now.v[SAGITTAL] = sense.seen_qvel[0] - of_graph(now, GraphField.SPEED)
        now.lean[SAGITTAL] = sense.seen_qpos[2]
        now.rate[SAGITTAL] = sense.seen_qvel[2]

    @wp.func
    def middle(sense: wp.ref[Sense], right: bool, axis: int, reference: real):
        """The reference point of a foot: between the middles of its heel and its toe."""
        heel = real(0.0)
        toe = real(0.0)
        for i in range(wp.static(len(heels[0]))):
            if right:
                heel += sense.seen_position[wp.static(heels[1][i]) + axis]
            else:
                heel += sense.seen_position[wp.static(heels[0][i]) + axis]
        for i in range(wp.static(len(toes[0]))):
            if right:
                toe += sense.seen_position[wp.static(toes[1][i]) + axis]
            else:
                toe += sense.seen_position[wp.static(toes[0][i]) + axis]
        heel /= real(wp.static(float(len(heels[0]))))
        toe /= real(wp.static(float(len(toes[0]))))
        return heel + reference * (toe - heel)

    @wp.func
    def observe_in_space(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        w = sense.seen_qpos[3]
        x = sense.seen_qpos[4]
        y = sense.seen_qpos[5]
        z = sense.seen_qpos[6]
        heading = root_yaw(w, x, y, z)
        now.lean[SAGITTAL] = root_pitch(w, x, y, z)
        now.lean[CORONAL] = root_roll(w, x, y, z)
        now.lean[TRANSVERSE] = heading
        now.rate[SAGITTAL] = -sense.seen_qvel[4]
        now.rate[CORONAL] = sense.seen_qvel[3]
        now.rate[TRANSVERSE] = sense.seen_qvel[5]
        reference = of_graph(now, GraphField.REFERENCE)
        dx = sense.seen_qpos[0] - middle(sense, now.right_stance, 0, reference)
        dy = sense.seen_qpos[1] - middle(sense, now.right_stance, 1, reference)
        c = wp.cos(heading)
        s = wp.sin(heading)
        now.d[SAGITTAL] = c * dx + s * dy
        now.d[CORONAL] = c * dy - s * dx
        vx = sense.seen_qvel[0]
        vy = sense.seen_qvel[1]
        now.v[SAGITTAL] = c * vx + s * vy - of_graph(now, GraphField.SPEED)
        now.v[CORONAL] = c * vy - s * vx - of_graph(now, GraphField.SIDE_SPEED)

    return observe_in_the_plane if planar else observe_in_space
