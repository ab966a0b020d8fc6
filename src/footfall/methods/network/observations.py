"""What a network observes, by name: a world's state gathered in one vector, and which of its numbers are inputs.

The names are those of footfall's learning environments, whose observations are the same numbers. Others
are for policies that were trained elsewhere: velocities in the root's own axes, the action before this one.

What a policy that follows a clip observes of it: poses some decisions ahead, seen from the figure.

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.control.parts import root_heading, root_up
from footfall.control.rows import MACHINE, GraphField
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
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


SIGHTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4)
"""How far ahead of the root the ground's height is seen, metres along the body's heading."""
SPECIAL = (
    *("height", "up_x", "up_y", "up_z", "velocity_forward", "velocity_left"),
    *("velocity_x", "velocity_y", "velocity_z", "left_contact", "right_contact"),
    *("goal_speed", "heading_sin", "heading_cos", "stance", "clock"),
)
"""Numbers that are computed from a world's state."""
SPATIAL = ("up_y", "velocity_forward", "velocity_left", "velocity_y", "heading_sin", "heading_cos")
"""Those of them that planar figures do not have, or have as coordinates."""
ROOT = {"planar": (3, 3), "free": (7, 6)}
"""Numbers of qpos and of qvel that place a figure in the world."""
GATHER = ("source", "scale", "offset", "clip")
"""Of every input: where in the pool it is, and what becomes of it: clamp(scale (x - offset), -clip, clip)."""
NO_CLIP = 1e30


@dataclass(frozen=True)
class Block:
    """Numbers that are observed one after the other.

    Attributes:
        names: what they are (:class:`Pool`).
        scale, offset: each number x becomes scale (x - offset); one for all, or one for each.
        clip: how large it may then be, either way; 0 for any size.
    """

    names: tuple[str, ...]
    scale: float | tuple[float, ...] = 1.0
    offset: float | tuple[float, ...] = 0.0
    clip: float = 0.0

    def __post_init__(self) -> None:
        if not self.names:
            raise FootfallError("names is empty; name one observation or more")
        for what in ("scale", "offset"):
            given = getattr(self, what)
            numbers = [given] if isinstance(given, int | float) else given
            if isinstance(given, tuple) and len(given) != len(self.names):
                raise FootfallError(f"{what} has {len(given)} numbers; give one, or one for each of {len(self.names)}")
            if not np.isfinite(numbers).all():
                raise FootfallError(f"{what} is {given}; it must be finite")
        if not 0.0 <= self.clip < NO_CLIP:
            raise FootfallError(f"clip is {self.clip}; it must be at least 0, and 0 clips nothing")


@dataclass(frozen=True)
class Pool:
    """Where in one vector everything is that can be observed.

    Attributes:
        figure: whose state. states: how many the base controller has. actions: how many numbers the network answers.
        looks: how many decisions ahead a clip is seen (:mod:`.clip_inputs`); none without one.
    """

    figure: Figure
    states: int
    actions: int
    looks: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each number: coordinates by joint, rates, what is computed, states, the ground ahead, the last
        action, a clip. Numbers of the root that have no name of their own are empty."""
        root_q, root_v = ROOT[self.figure.root]
        positions, rates = [""] * self.figure.nq, [""] * self.figure.nv
        for joint in self.figure.joints:
            if joint.qpos >= root_q:
                parts = [f"_{p}" for p in "wxyz"] if joint.kind == "ball" else [""]
                positions[joint.qpos : joint.qpos + len(parts)] = [f"{joint.name}{p}" for p in parts]
            if joint.dof >= root_v:
                parts = [f"_{p}" for p in "xyz"] if joint.kind == "ball" else [""]
                rates[joint.dof : joint.dof + len(parts)] = [f"{joint.name}{p}_rate" for p in parts]
        special: list[str] = list(SPECIAL)
        if self.figure.root == "planar":
            positions[2], rates[:3] = "pitch", ["velocity_forward", "velocity_up", "pitch_rate"]
            for name in SPATIAL:
                special[SPECIAL.index(name)] = ""
        else:
            rates[2:6] = ["velocity_up", "turn_rate_x", "turn_rate_y", "turn_rate_z"]
        if not self.states:
            special[SPECIAL.index("clock")] = special[SPECIAL.index("stance")] = ""
        return (
            *positions,
            *rates,
            *special,
            *(f"state_{k}" for k in range(self.states)),
            *(f"ground_{ahead:g}" for ahead in SIGHTS),
            *(f"action_{k}" for k in range(self.actions)),
            *clip_names(self.looks, positions[root_q:]),
        )

    def special(self, name: str) -> int:
        """Where a computed number is."""
        return self.figure.nq + self.figure.nv + SPECIAL.index(name)

    @property
    def first_state(self) -> int:
        """Where the states begin."""
        return self.figure.nq + self.figure.nv + len(SPECIAL)

    @property
    def first_sight(self) -> int:
        """Where the ground ahead begins."""
        return self.first_state + self.states

    @property
    def first_action(self) -> int:
        """Where the last action begins."""
        return self.first_sight + len(SIGHTS)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.names)


def gather_numbers(blocks: Sequence[Block], pool: Pool, where: str) -> NDArray[np.float64]:
    """[D, 4] ``GATHER`` of every input; a name that cannot be observed is refused."""
    known = [name for name in pool.names if name]
    rows = []
    for block in blocks:
        count = len(block.names)
        scales, offsets = (np.broadcast_to(np.asarray(x, dtype=float), count) for x in (block.scale, block.offset))
        for name, scale, offset in zip(block.names, scales, offsets, strict=True):
            if name not in known:
                raise FootfallError(f"{where}: {unknown_name('observation', name, known)}")
            rows.append([pool.names.index(name), scale, offset, block.clip or NO_CLIP])
    return np.array(rows, dtype=float).reshape(-1, len(GATHER))


def pool_functions(
    types: Types, pool: Pool, places: dict[str, int], views: int, height: wp.Function | None
) -> tuple[wp.Function | None, wp.Function]:
    """Two Warp functions: (sense, memory, parameters, row, table, table_row) looks at the ground into ``sense.view``
    from ``views`` on, and (sense, memory, parameters, row, out) fills the pool.

    Args:
        types, pool: of the law.
        places: where in memory "wait", "left", "right", "stance", "action" and, under a state machine, "turned" are,
            and where in the row "goal_speed"; where a clip is seen, also where in memory "frame" is and where in the
            library "clip".
        views: how many numbers of the view another law uses; -1 where the ground is not observed.
        height: of the terrain; None for the second function alone.
    """
    real, Sense, Memory = types.real, types.Sense, types.Memory
    nq, nv, planar = pool.figure.nq, pool.figure.nv, pool.figure.root == "planar"
    first_state, first_sight, first_action, states = pool.first_state, pool.first_sight, pool.first_action, pool.states
    actions, sights = pool.actions, len(SIGHTS)
    at = {name: pool.special(name) for name in SPECIAL}
    height_, up_x, up_y, up_z = (at[name] for name in ("height", "up_x", "up_y", "up_z"))
    forward_, left_ = at["velocity_forward"], at["velocity_left"]
    body_x, body_y, body_z = (at[f"velocity_{a}"] for a in "xyz")
    left_contact, right_contact = at["left_contact"], at["right_contact"]
    goal_, sin_, cos_, stance_, clock_ = (
        at[name] for name in ("goal_speed", "heading_sin", "heading_cos", "stance", "clock")
    )
    wait, left, right, stance, action = (places[name] for name in ("wait", "left", "right", "stance", "action"))
    goal_column, turned = places["goal_speed"], places.get("turned", 0)
    state_at, clock_at = MACHINE.index("state"), MACHINE.index("clock")
    heading = int(GraphField.HEADING)
    machine, sees = states > 0, views >= 0
    ahead_step, half = real(SIGHTS[1] - SIGHTS[0]), real(0.5)
    zero, one, two = real(0.0), real(1.0), real(2.0)
    PoolVector: Any = wp.types.vector(length=pool.size, dtype=real)
    looks = len(pool.looks) > 0
    see_clip = clip_function(types, pool.looks, places, views, PoolVector, first_action + actions) if looks else None

    @wp.func
    def facing(sense: wp.ref[Sense]):
        """Cosine and sine of the root's heading."""
        face = wp.vector(one, zero, length=2)
        if wp.static(not planar):
            face = root_heading(sense.seen_qpos[3], sense.seen_qpos[4], sense.seen_qpos[5], sense.seen_qpos[6])
        return face

    @wp.func
    def fill(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        out: wp.ref[PoolVector],
    ):
        i = int(0)
        while i < wp.static(nq):
            out[i] = sense.seen_qpos[i]
            i += 1
        i = int(0)
        while i < wp.static(nv):
            out[wp.static(nq) + i] = sense.seen_qvel[i]
            i += 1
        face = facing(sense)
        c = face[0]
        s = face[1]
        up = int(1)
        if wp.static(planar):
            sine = wp.sin(sense.seen_qpos[2])
            cosine = wp.cos(sense.seen_qpos[2])
            out[up_x] = sine
            out[up_z] = cosine
            out[body_x] = cosine * sense.seen_qvel[0] + sine * sense.seen_qvel[1]
            out[body_z] = cosine * sense.seen_qvel[1] - sine * sense.seen_qvel[0]
        else:
            up = int(2)
            w = sense.seen_qpos[3]
            x = sense.seen_qpos[4]
            y = sense.seen_qpos[5]
            z = sense.seen_qpos[6]
            vx = sense.seen_qvel[0]
            vy = sense.seen_qvel[1]
            vz = sense.seen_qvel[2]
            upward = root_up(w, x, y, z)
            out[up_x] = upward[0]
            out[up_y] = upward[1]
            out[up_z] = upward[2]
            out[forward_] = c * vx + s * vy
            out[left_] = c * vy - s * vx
            out[body_x] = (one - two * (y * y + z * z)) * vx + two * (x * y + w * z) * vy + upward[0] * vz
            out[body_y] = two * (x * y - w * z) * vx + (one - two * (x * x + z * z)) * vy + upward[1] * vz
            out[body_z] = two * (x * z + w * y) * vx + two * (y * z - w * x) * vy + upward[2] * vz
        if wp.static(sees):
            out[height_] = sense.seen_qpos[up] - sense.view[views]
            i = int(0)
            while i < wp.static(sights):
                out[first_sight + i] = sense.view[views + 1 + i] - sense.view[views]
                i += 1
        out[left_contact] = memory[left]
        out[right_contact] = memory[right]
        out[goal_] = parameters[row, goal_column]
        if wp.static(machine):
            goal = parameters[row, heading] + memory[turned]
            gc = wp.cos(goal)
            gs = wp.sin(goal)
            out[sin_] = s * gc - c * gs
            out[cos_] = c * gc + s * gs
            side = memory[stance]
            out[stance_] = wp.where(side < -half, zero, wp.where(side < half, one, -one))
            out[clock_] = memory[clock_at]
            state = int(memory[state_at])
            i = int(0)
            while i < wp.static(states):
                out[first_state + i] = wp.where(state == i, one, zero)
                i += 1
        i = int(0)
        while i < wp.static(actions):
            out[first_action + i] = memory[action + i]
            i += 1
        if wp.static(looks):
            see_clip(sense, memory, out)

    if height is None:
        return None, fill

    @wp.func
    def look(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        table_: wp.array2d[real],
        table_row: int,
    ):
        if memory[wait] < half:
            face = facing(sense)
            x = sense.seen_qpos[0]
            y = zero
            if wp.static(not planar):
                y = sense.seen_qpos[1]
            sense.view[views] = height(table_, table_row, x, y)
            i = int(0)
            while i < wp.static(sights):
                far = ahead_step * real(i)
                sense.view[views + 1 + i] = height(table_, table_row, x + face[0] * far, y + face[1] * far)
                i += 1

    return look, fill
