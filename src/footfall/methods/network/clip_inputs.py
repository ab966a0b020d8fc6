"""What a policy that follows a clip observes of it: poses some decisions ahead, seen from the figure.

A look ``a`` is the clip's frame g = min(f + a, T - 1), where f is the present frame: 0 at the start, one more at every
decision. With the figure's place p, heading ψ and height h over the ground beneath, and the clip's place P, heading Ψ
and pose at g, it has

    forward, left      P - p in axes that turn with ψ
    up                 P_z - h
    sin, cos           of Ψ - ψ
    up_x, up_y, up_z   the world's up in the axes of the clip's root
    and the clip's joint positions.

The clip's velocity is that of its root at the next frame, in the figure's axes too.

A figure may be on a tether. Where the clip's present place is further from it than that, the whole clip is seen as if
it had been pulled towards the figure to the tether's length: one who has fallen far behind does not rush after it.
"""

import re
from collections.abc import Iterable
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.frame import root_heading, root_up
from footfall.methods.network.clip_frames import ROOT_SPEEDS

PLACES = ("forward", "left", "up", "sin", "cos", "up_x", "up_y", "up_z")
"""What is seen of a frame, before its joints."""
VELOCITY = ("clip_velocity_forward", "clip_velocity_left", "clip_velocity_up")
FURTHEST_LOOK = 500
"""Decisions."""
_LOOK = re.compile(r"clip_([1-9]\d{0,2})_.+")


def looks_of(names: Iterable[str]) -> tuple[int, ...]:
    """How many decisions ahead the named observations look, rising; of those that look nowhere: none, or (1,) for the
    clip's velocity."""
    names = tuple(names)
    looks = {int(found[1]) for name in names if (found := _LOOK.fullmatch(name))}
    looks = {look for look in looks if look <= FURTHEST_LOOK}
    if not looks and any(name in VELOCITY for name in names):
        looks = {1}
    return tuple(sorted(looks))


def clip_names(looks: Iterable[int], joints: Iterable[str]) -> tuple[str, ...]:
    """Names of all that is seen of a clip, in the order in which :func:`clip_function` writes it."""
    joints, looks = tuple(joints), tuple(looks)
    seen = tuple(f"clip_{look}_{name}" for look in looks for name in (*PLACES, *joints))
    return (*seen, *VELOCITY) if looks else ()


def clip_function(
    types: Types, looks: tuple[int, ...], places: dict[str, int], views: int, Out: Any, first: int
) -> wp.Function:
    """A Warp function (sense, memory, out) that writes what is seen of the clip into ``out`` from ``first`` on.

    Args:
        types, looks: of the law.
        places: where in memory "frame" is, and where in the library "clip" (:attr:`ClipFrames.numbers`), with the
            tether's length before it.
        views: where in the view the ground beneath is.
        Out: the type of ``out``.
    """
    Sense, Memory = types.Sense, types.Memory
    nq = types.compiled.figure.nq
    frame, clip, width, count = places["frame"], places["clip"], nq + ROOT_SPEEDS, len(looks)
    Looks = wp.types.vector(length=count, dtype=wp.int32)
    ahead, zero, one = Looks(*looks), types.real(0.0), types.real(1.0)

    @wp.func
    def see_clip(sense: wp.ref[Sense], memory: wp.ref[Memory], out: wp.ref[Out]):
        every = ahead
        last = int(sense.library[0, clip]) - 1
        now = int(memory[frame])
        face = root_heading(sense.seen_qpos[3], sense.seen_qpos[4], sense.seen_qpos[5], sense.seen_qpos[6])
        c = face[0]
        s = face[1]
        at = clip + 1 + width * wp.min(now, last)
        pulled_x = sense.library[0, at] - sense.seen_qpos[0]
        pulled_y = sense.library[0, at + 1] - sense.seen_qpos[1]
        far = wp.sqrt(pulled_x * pulled_x + pulled_y * pulled_y)
        beyond = zero
        if far > sense.library[0, clip - 1]:
            beyond = one - sense.library[0, clip - 1] / far
        pulled_x = beyond * pulled_x
        pulled_y = beyond * pulled_y
        k = int(first)
        i = int(0)
        while i < wp.static(count):
            at = clip + 1 + width * wp.min(now + every[i], last)
            dx = sense.library[0, at] - sense.seen_qpos[0] - pulled_x
            dy = sense.library[0, at + 1] - sense.seen_qpos[1] - pulled_y
            out[k] = c * dx + s * dy
            out[k + 1] = c * dy - s * dx
            out[k + 2] = sense.library[0, at + 2] - (sense.seen_qpos[2] - sense.view[views])
            w = sense.library[0, at + 3]
            x = sense.library[0, at + 4]
            y = sense.library[0, at + 5]
            z = sense.library[0, at + 6]
            faces = root_heading(w, x, y, z)
            out[k + 3] = faces[1] * c - faces[0] * s
            out[k + 4] = faces[0] * c + faces[1] * s
            upward = root_up(w, x, y, z)
            out[k + 5] = upward[0]
            out[k + 6] = upward[1]
            out[k + 7] = upward[2]
            j = int(7)
            while j < wp.static(nq):
                out[k + 1 + j] = sense.library[0, at + j]
                j += 1
            k += wp.static(nq + 1)
            i += 1
        at = clip + 1 + width * wp.min(now + 1, last) + nq
        vx = sense.library[0, at]
        vy = sense.library[0, at + 1]
        out[k] = c * vx + s * vy
        out[k + 1] = c * vy - s * vx
        out[k + 2] = sense.library[0, at + 2]

    return see_clip
