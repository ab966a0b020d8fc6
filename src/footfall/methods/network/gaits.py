"""Gaits that a policy follows where it is asked for, in place of a clip: stands, walks, runs, turns and side-steps.

A point moves over the ground with the speed v forward, u to the left and the turning w that are on their way to the
asked ones. Poses are relative to it, a table of steady gaits over v, w and the phase of the stride φ:

    pose = a (gait(v, w, φ) + aside(u, φ)) + (1 - a) stand

a goes to 0 where it stands. The stride's phase goes on by dt over its period, which is in a table over v and w. The
policy sees these poses where a clip's next frames would be. The point stays on the policy's tether.

A pose has K numbers: the root's position forward, to the left and up; its rotation vector relative to the point's
heading; and the joints.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.law import Types, typed_by_name
from footfall.control.parts import root_heading, wrap_angle
from footfall.control.rows import MemoryLayout
from footfall.errors import FootfallError
from footfall.methods.network.multilayer import read_tensors, write_tensors

Array = NDArray[np.float64]
ROOT = 6
"""Numbers of a pose before its joints."""
POINT = ("x", "y", "heading", "speed", "side", "spin", "phase", "share")
"""The point's state."""
X, Y, HEADING, SPEED, SIDE, SPIN, PHASE, SHARE = range(len(POINT))
FRAMES = "gait_frames"
"""In memory: the poses at the decisions of :func:`gait_slots`, then the root's velocity at the next one."""
LIMITS = {
    "acceleration": 1.0,  # m/s² of the point, at most
    "side_acceleration": 0.6,
    "spin_acceleration": 2.0,  # rad/s²
    "keen": 2.5,  # 1/s of a heading's error that it turns by
    "across": 0.8,  # m/s² to the side in a turn, at most
    "sharp": 0.35,  # rad of a turn from which on it is no faster than
    "sharp_speed": 0.8,  # so many m/s
    "shares": 2.5,  # 1/s at which a stand becomes a gait and a gait a stand
}
"""Of the point."""
STILL = (0.02, 0.05, 0.12, 0.15)
"""m/s of the point and m/s asked for, rad to the asked heading and rad/s, below which it comes to a stand."""


@dataclass(frozen=True, eq=False)
class Gaits:
    """Steady gaits of a figure with a free root and hinges.

    Attributes:
        speeds, spins, sides: [V], [W] and [S] rising: m/s forward, rad/s and m/s to the left.
        periods: [V, W] seconds of a stride.
        poses: [V, W, P, K] at P phases.
        aside: [S, P, K] what side-steps add.
        stand: [K].
        limits: [8] :data:`LIMITS`.
    """

    speeds: Array
    spins: Array
    sides: Array
    periods: Array
    poses: Array
    aside: Array
    stand: Array
    limits: Array = field(default_factory=lambda: np.array(list(LIMITS.values())))

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float32).astype(float))
        grid = (len(self.speeds), len(self.spins))
        shapes = {"periods": grid, "poses": (*grid, *self.poses.shape[2:]), "stand": self.poses.shape[3:]}
        shapes |= {"aside": (len(self.sides), *self.poses.shape[2:]), "limits": (len(LIMITS),)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape or self.poses.ndim != 4:
                raise FootfallError(f"gaits: {name} has the shape {list(getattr(self, name).shape)}, not {list(shape)}")
        if not all(np.isfinite(getattr(self, name)).all() for name in self.__dataclass_fields__):
            raise FootfallError("gaits: a number is not finite")
        for name in ("speeds", "spins", "sides"):
            if len(getattr(self, name)) < 2 or (np.diff(getattr(self, name)) <= 0.0).any():
                raise FootfallError(f"gaits: {name} must be two numbers or more that rise")
        if (self.periods <= 0.0).any():
            raise FootfallError("gaits: periods must be above 0 seconds")

    def to_bytes(self) -> bytes:
        """The bytes of a .safetensors file."""
        return write_tensors({name: getattr(self, name) for name in self.__dataclass_fields__})

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> "Gaits":
        """Gaits from the bytes of a file; errors begin with ``where``."""
        tensors, _ = read_tensors(data, where)
        if missing := [name for name in cls.__dataclass_fields__ if name not in tensors]:
            raise FootfallError(f"{where}: it has no tensor '{missing[0]}'")
        try:
            return cls(*(tensors[name].astype(float) for name in cls.__dataclass_fields__))
        except FootfallError as error:
            raise FootfallError(f"{where}: {error}") from None

    @cached_property
    def numbers(self) -> Array:
        """All of them, one after the other, as the law reads them."""
        return np.concatenate([getattr(self, name).ravel() for name in self.__dataclass_fields__])

    @property
    def key(self) -> tuple[int, ...]:
        """What the Warp function depends on."""
        return (*self.poses.shape, len(self.sides))

    @property
    def start(self) -> Start:
        """The stand, over the origin."""
        size = float(np.linalg.norm(self.stand[3:ROOT]))
        turn = math.sin(0.5 * size) / max(size, 1e-12) * self.stand[3:ROOT]
        qpos = [*self.stand[:3], math.cos(0.5 * size), *turn, *self.stand[ROOT:]]
        return Start(tuple(map(float, qpos)), (0.0,) * (len(qpos) - 1))


def gait_slots(looks: Sequence[int]) -> tuple[int, ...]:
    """The decisions from now on whose poses are kept: those that are looked at, and three by which the root's velocity
    is found."""
    return tuple(sorted({0, 1, 2, *looks}))


def gait_memory(nq: int, looks: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """What is remembered, by name and size. A page that turns the walker adds to "turned"."""
    point = tuple((f"gait_{name}", 1) for name in POINT)
    return (("turned", 1), *point, (FRAMES, nq * len(gait_slots(looks)) + 3))


def gait_function(
    types: Types,
    gaits: Gaits,
    layout: MemoryLayout,
    slots: tuple[int, ...],
    at: int,
    columns: Sequence[int],
    rate: float,
) -> wp.Function:
    """A Warp function (sense, memory, parameters, row) that puts the poses from now on into memory and moves the point
    on, where a decision is due.

    Args:
        types: of the law.
        gaits: the tables.
        layout: of the memory.
        slots: decisions from now on.
        at: where in the library the tables are, after the tether.
        columns: of speed, heading and speed to the left in the row.
        rate: decisions a second.
    """
    real, nq = types.real, types.compiled.figure.nq
    Point = wp.types.vector(length=len(POINT), dtype=real)
    speed_column, heading_column, side_column = columns
    first, frames, begun, turned = layout["gait_x"], layout[FRAMES], layout["network_begun"], layout["turned"]
    move, put = _move_function(types, gaits, Point, at, 1.0 / rate), _pose_function(types, gaits, Point, at)
    count, furthest, half, one = len(POINT), slots[-1], real(0.5), real(1.0)
    velocity, twice = frames + nq * len(slots), real(0.5 * rate)
    stand = at + len(gaits.numbers) - len(gaits.stand) - len(LIMITS)

    @types.part
    def follow_gaits(sense, memory, parameters, row):
        point = Point()
        i = int(0)
        while i < wp.static(count):
            point[i] = memory[first + i]
            i += 1
        face = root_heading(sense.seen_qpos[3], sense.seen_qpos[4], sense.seen_qpos[5], sense.seen_qpos[6])
        if memory[begun] < half:
            point = Point()
            point[HEADING] = wp.atan2(face[1], face[0])
            point[X] = sense.seen_qpos[0] - face[0] * sense.library[0, stand] + face[1] * sense.library[0, stand + 1]
            point[Y] = sense.seen_qpos[1] - face[1] * sense.library[0, stand] - face[0] * sense.library[0, stand + 1]
        else:
            point[HEADING] = point[HEADING] + memory[turned]
        put(point, sense.library, memory, frames)
        dx = sense.seen_qpos[0] - memory[frames]
        dy = sense.seen_qpos[1] - memory[frames + 1]
        far = wp.sqrt(dx * dx + dy * dy)
        tether = sense.library[0, at - 1]
        if far > tether:
            beyond = one - tether / far
            point[X] = point[X] + beyond * dx
            point[Y] = point[Y] + beyond * dy
            memory[frames] = memory[frames] + beyond * dx
            memory[frames + 1] = memory[frames + 1] + beyond * dy
        heading = parameters[row, heading_column] + memory[turned]
        to = frames + nq
        i = int(0)
        while i < wp.static(furthest):
            move(point, sense.library, heading, parameters[row, speed_column], parameters[row, side_column])
            i += 1
            if i == 1:
                k = int(0)
                while k < wp.static(count):
                    memory[first + k] = point[k]
                    k += 1
                memory[first + wp.static(HEADING)] = point[HEADING] - memory[turned]
            for slot in range(wp.static(len(slots))):
                if wp.static(slots[slot] > 0):
                    if i == wp.static(slots[slot]):
                        put(point, sense.library, memory, to)
                        to += nq
        i = int(0)
        while i < 3:
            memory[velocity + i] = twice * (memory[frames + 2 * nq + i] - memory[frames + i])
            i += 1

    return follow_gaits


def _place_function(real: Any) -> wp.Function:
    """(library, at, count, x): the number of the interval of rising numbers that x is in, and how far in it."""
    zero, one, close = real(0.0), real(1.0), real(1e-6)

    @typed_by_name({"library": wp.array2d[real], "at": int, "count": int, "x": real})
    def place(library, at, count, x):
        found = zero
        i = int(0)
        while i < count - 1:
            low = library[0, at + i]
            found = found + wp.clamp((x - low) / (library[0, at + i + 1] - low), zero, one)
            i += 1
        return wp.min(found, real(count - 1) - close)

    return place


def _move_function(types: Types, gaits: Gaits, Point: Any, at: int, period: float) -> wp.Function:
    """(point, library, heading, speed, side): the point a decision later."""
    real = types.real
    place = _place_function(real)
    v_count, w_count = gaits.periods.shape
    periods = at + v_count + w_count + len(gaits.sides)
    dt, half, zero, one = real(period), real(0.5), real(0.0), real(1.0)
    limits = at + len(gaits.numbers) - len(LIMITS)
    fastest_spin, still = real(gaits.spins[-1]), [real(x) for x in STILL]
    slowest, fastest, most_aside = real(gaits.speeds[0]), real(gaits.speeds[-1]), real(gaits.sides[-1])
    still_speed, still_asked, still_turn, still_spin = still
    small = real(1e-3)

    @types.typed(point=wp.ref[Point], heading=real, speed=real, side=real)
    def move(point, library, heading, speed, side):
        gain = dt * library[0, limits]
        gain_side = dt * library[0, limits + 1]
        gain_spin = dt * library[0, limits + 2]
        keen = library[0, limits + 3]
        across = library[0, limits + 4]
        sharp = library[0, limits + 5]
        sharp_speed = library[0, limits + 6]
        gain_share = dt * library[0, limits + 7]
        error = wrap_angle(heading - point[HEADING])
        asked = wp.clamp(speed, slowest, fastest)
        if wp.abs(error) > sharp:
            asked = wp.min(asked, sharp_speed)
        point[SPEED] = point[SPEED] + wp.clamp(asked - point[SPEED], -gain, gain)
        aside = wp.clamp(side, -most_aside, most_aside)
        point[SIDE] = point[SIDE] + wp.clamp(aside - point[SIDE], -gain_side, gain_side)
        most = wp.min(fastest_spin, across / wp.max(wp.abs(point[SPEED]), small))
        spin = wp.clamp(keen * error, -most, most)
        point[SPIN] = point[SPIN] + wp.clamp(spin - point[SPIN], -gain_spin, gain_spin)
        moving = wp.abs(point[SPEED]) > still_speed or wp.abs(asked) > still_asked
        moving = moving or wp.abs(error) > still_turn or wp.abs(point[SPIN]) > still_spin
        moving = moving or wp.abs(point[SIDE]) > still_speed or wp.abs(aside) > still_asked
        share = zero
        if moving:
            share = one
            if point[SHARE] <= zero:
                point[PHASE] = zero
        point[SHARE] = point[SHARE] + wp.clamp(share - point[SHARE], -gain_share, gain_share)
        p = place(library, at, v_count, point[SPEED])
        q = place(library, at + v_count, w_count, point[SPIN])
        i = int(p)
        j = int(q)
        f = p - real(i)
        g = q - real(j)
        k = periods + i * w_count + j
        slow = (one - g) * library[0, k] + g * library[0, k + 1]
        fast = (one - g) * library[0, k + w_count] + g * library[0, k + w_count + 1]
        phase = point[PHASE] + dt / ((one - f) * slow + f * fast)
        point[PHASE] = phase - wp.floor(phase)
        mid = point[HEADING] + half * dt * point[SPIN]
        c = wp.cos(mid)
        s = wp.sin(mid)
        point[X] = point[X] + dt * (c * point[SPEED] - s * point[SIDE])
        point[Y] = point[Y] + dt * (s * point[SPEED] + c * point[SIDE])
        point[HEADING] = point[HEADING] + dt * point[SPIN]

    return move


def _pose_function(types: Types, gaits: Gaits, Point: Any, at: int) -> wp.Function:
    """(point, library, memory, to): the pose of a point, [nq], into memory."""
    real = types.real
    place = _place_function(real)
    v_count, w_count, phases, width = gaits.poses.shape
    s_count, row = len(gaits.sides), phases * width
    first = at + v_count + w_count + s_count + v_count * w_count
    side_first = first + v_count * w_count * row
    stand = side_first + s_count * row
    half, zero, one, tiny, parts = real(0.5), real(0.0), real(1.0), real(1e-9), real(phases)
    sides = at + v_count + w_count
    Root = wp.types.vector(length=ROOT, dtype=real)

    @types.typed(point=wp.ref[Point], to=int)
    def put(point, library, memory, to):
        p = place(library, at, v_count, point[SPEED])
        q = place(library, at + v_count, w_count, point[SPIN])
        r = place(library, sides, s_count, point[SIDE])
        x = point[PHASE] * parts
        low = int(x) % phases
        high = (low + 1) % phases
        h = x - wp.floor(x)
        f = p - wp.floor(p)
        g = q - wp.floor(q)
        e = r - wp.floor(r)
        corner = first + (int(p) * w_count + int(q)) * row
        aside = side_first + int(r) * row
        root = Root()
        k = int(0)
        while k < width:
            value = zero
            end = int(0)
            while end < 2:
                weight = one - h
                place_ = low * width + k
                if end == 1:
                    weight = h
                    place_ = high * width + k
                slow = (one - g) * library[0, corner + place_] + g * library[0, corner + row + place_]
                over = corner + w_count * row + place_
                fast = (one - g) * library[0, over] + g * library[0, over + row]
                more = (one - e) * library[0, aside + place_] + e * library[0, aside + row + place_]
                value += weight * ((one - f) * slow + f * fast + more)
                end += 1
            value = point[SHARE] * value + (one - point[SHARE]) * library[0, stand + k]
            if k < wp.static(ROOT):
                root[k] = value
            else:
                memory[to + wp.static(7 - ROOT) + k] = value
            k += 1
        c = wp.cos(point[HEADING])
        s = wp.sin(point[HEADING])
        memory[to] = point[X] + c * root[0] - s * root[1]
        memory[to + 1] = point[Y] + s * root[0] + c * root[1]
        memory[to + 2] = root[2]
        size = wp.sqrt(root[3] * root[3] + root[4] * root[4] + root[5] * root[5])
        w = wp.cos(half * size)
        share = half
        if size > tiny:
            share = wp.sin(half * size) / size
        c = wp.cos(half * point[HEADING])
        s = wp.sin(half * point[HEADING])
        memory[to + 3] = c * w - s * share * root[5]
        memory[to + 4] = share * (c * root[3] - s * root[4])
        memory[to + 5] = share * (c * root[4] + s * root[3])
        memory[to + 6] = c * share * root[5] + s * w

    return put
