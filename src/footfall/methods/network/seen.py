"""What is seen of a world, for the terms of observations and rewards (:mod:`.terms`), and how a law fills it.

A clip is seen from the figure. A look ``a`` is its frame g = min(f + a, T - 1), where f is the present frame: 0 at the
start, one more at every decision. With the figure's position p, heading ψ and height h over the ground beneath, and the
clip's position P, heading Ψ and pose at g, it has

    forward, left      P - p in axes that turn with ψ
    up                 P_z - h
    sin, cos           of Ψ - ψ
    up_x, up_y, up_z   the world's up in the axes of the clip's root
    and the clip's joint positions.

The clip's velocity is that of its root at the next frame, in the figure's axes too. A figure may be on a tether. Where
the clip's present position is further from it than that, the whole clip is seen as if it had been pulled towards the
figure to the tether's length: one who has fallen far behind does not rush after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import warp as wp

from footfall.control.law import Types, typed_by_name
from footfall.control.parts import lying_heading, root_heading, root_up
from footfall.control.rows import MACHINE, GraphField
from footfall.figures import Figure

SIGHTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4)
"""How far ahead of the root the ground's height is seen, metres along the body's heading."""
ROOT = {"planar": (3, 3), "free": (7, 6)}
"""Numbers of qpos and of qvel that place a figure in the world."""


@dataclass(frozen=True)
class Scope:
    """What there is to observe.

    Attributes:
        figure: whose state.
        states: how many the controller has.
        actions: how many numbers an action has.
        looks: how many decisions ahead a clip is seen; none without one.
        stance: whether the controller has a stance leg.
        slots: decisions ahead at which there are poses of gaits (:mod:`.gaits`) in place of a clip; none without them.
        lies: whether it may lie: headings are then those of :func:`~footfall.control.parts.lying_heading`.
    """

    figure: Figure
    states: int = 0
    actions: int = 0
    looks: tuple[int, ...] = ()
    stance: bool = False
    slots: tuple[int, ...] = ()
    lies: bool = False

    @property
    def heading_of(self) -> wp.Function:
        """The function of a root's quaternion that answers its heading."""
        return lying_heading if self.lies else root_heading

    @property
    def planar(self) -> bool:
        """Whether the figure is."""
        return self.figure.root == "planar"

    @property
    def root(self) -> tuple[int, int]:
        """Numbers of qpos and of qvel that place the figure in the world."""
        return ROOT[self.figure.root]

    @property
    def positions(self) -> list[tuple[str, str]]:
        """Name and unit of every number of qpos after the root's."""
        names: list[tuple[str, str]] = []
        for joint in self.figure.joints:
            if joint.qpos >= self.root[0]:
                parts = [f"{joint.name}_{part}" for part in "wxyz"] if joint.kind == "ball" else [joint.name]
                names += [(part, {"slide": "m", "ball": ""}.get(joint.kind, "rad")) for part in parts]
        return names

    @property
    def rates(self) -> list[tuple[str, str]]:
        """Name and unit of every number of qvel after the root's."""
        names: list[tuple[str, str]] = []
        for joint in self.figure.joints:
            if joint.dof >= self.root[1]:
                parts = [f"{joint.name}_{part}" for part in "xyz"] if joint.kind == "ball" else [joint.name]
                names += [(f"{part}_rate", "m/s" if joint.kind == "slide" else "rad/s") for part in parts]
        return names


@dataclass(frozen=True)
class SeenTypes:
    """The types that a term is built from.

    Attributes:
        scope: what there is to observe.
        real: scalar type.
        Seen: structure type of what is seen, with these fields.

    ============ ============ ==========================================================================================
    qpos, qvel   [nq], [nv]   the figure's state
    heading      [2]          cosine and sine of the root's heading
    up           [3]          the world's up in the root's axes
    beneath      m            height of the ground under the root
    height       m            of the root above it
    ahead        [8] m        height of the ground at ``SIGHTS``, less that beneath
    left, right               1 while the foot touches
    goal_speed   m/s          the speed asked for
    goal         [2]          cosine and sine of the heading asked for
    stance                    the controller's stance leg: 1 left, -1 right, 0 none
    state, clock int, s       the controller's state, and the time since it entered it
    action       [A]          the last action
    frame, last  int          the present frame of the clip, and the last one; :func:`clip_number` reads them
    pulled       [2] m        by which the clip is seen nearer than it is, in x and y
    past         [A]          the action before the last, each number from -1 to 1 (this and what follows: for rewards)
    seconds      s            since the last decision
    moved        [2] m        of the root since then, in x and y
    slid         m            that the feet have slid since then, on average
    fell         bool         whether the episode ends in a fall
    frames                    poses of gaits at the slots of the scope, and the root's velocity at the next decision
    ============ ============ ==========================================================================================
    """

    scope: Scope
    real: Any
    Seen: Any

    @classmethod
    def of(cls, scope: Scope, real: Any) -> "SeenTypes":
        """Types for a scope."""
        figure, actions = scope.figure, max(1, scope.actions)
        Qpos, Qvel = (wp.types.vector(length=n, dtype=real) for n in (figure.nq, figure.nv))
        Two, Three, Ahead, Action = (wp.types.vector(length=n, dtype=real) for n in (2, 3, len(SIGHTS), actions))

        class Seen:
            qpos: Qpos
            qvel: Qvel
            heading: Two
            up: Three
            beneath: real
            height: real
            ahead: Ahead
            left: real
            right: real
            goal_speed: real
            goal: Two
            stance: real
            state: wp.int32
            clock: real
            action: Action
            clip: wp.array2d[real]
            clip_first: wp.int32
            clip_width: wp.int32
            frame: wp.int32
            last: wp.int32
            pulled: Two
            past: Action
            seconds: real
            moved: Two
            slid: real
            fell: wp.bool

        if scope.slots:
            count = figure.nq * len(scope.slots) + 3
            Seen.__annotations__["frames"] = wp.types.vector(length=count, dtype=real)
        return cls(scope, real, wp.struct(Seen))

    @cached_property
    def part(self) -> Callable[[Callable[..., Any]], wp.Function]:
        """A decorator: the Warp function of a function of ``seen``, whole numbers ``i``, ``frame`` and ``k``, and reals
        ``tether`` and ``number``, by these names."""
        numbers = dict.fromkeys(("i", "frame", "k"), int) | dict.fromkeys(("tether", "number"), self.real)
        return typed_by_name({"seen": wp.ref[self.Seen], **numbers})


def clip_number(types: SeenTypes) -> wp.Function:
    """A Warp function (seen, frame, k): number k of the clip at a frame; its qpos [nq], then its qvel."""

    slots, nq = types.scope.slots, types.scope.figure.nq

    @types.part
    def of_clip(seen, frame, k):
        return seen.clip[0, seen.clip_first + seen.clip_width * frame + k]

    @types.part
    def of_gaits(seen, frame, k):
        at = int(0)
        for slot in range(wp.static(len(slots))):
            if frame > wp.static(slots[slot]):
                at += nq
        if k >= nq:
            at = wp.static(nq * len(slots) - nq)
        return seen.frames[at + k]

    return of_gaits if slots else of_clip


# -- under a law -------------------------------------------------------------------------------------------------------


def look_function(types: Types, scope: Scope, wait: int, views: int, height: wp.Function) -> wp.Function:
    """A Warp function (sense, memory, parameters, row, table, table_row) that looks at the ground, where a decision is
    due, into ``sense.view`` from ``views`` on: beneath the root, and ahead of it. ``wait``: where in memory the calls
    until the next decision are."""
    real, planar, sights, heading_of = types.real, scope.planar, len(SIGHTS), scope.heading_of
    ahead_step, half, zero, one = real(SIGHTS[1] - SIGHTS[0]), real(0.5), real(0.0), real(1.0)

    @types.part
    def look(sense, memory, parameters, row, table_, table_row):
        if memory[wait] < half:
            face = wp.vector(one, zero, length=2)
            x = sense.seen_qpos[0]
            y = zero
            if wp.static(not planar):
                face = heading_of(sense.seen_qpos[3], sense.seen_qpos[4], sense.seen_qpos[5], sense.seen_qpos[6])
                y = sense.seen_qpos[1]
            sense.view[views] = height(table_, table_row, x, y)
            i = int(0)
            while i < wp.static(sights):
                far = ahead_step * real(i)
                sense.view[views + 1 + i] = height(table_, table_row, x + face[0] * far, y + face[1] * far)
                i += 1

    return look


def place_function(types: SeenTypes) -> wp.Function:
    """A Warp function (seen) that finds heading and up from the pose that is seen."""
    planar, zero, one, heading_of = types.scope.planar, types.real(0.0), types.real(1.0), types.scope.heading_of

    @types.part
    def place(seen):
        if wp.static(planar):
            seen.heading[0] = one
            seen.heading[1] = zero
            seen.up[0] = wp.sin(seen.qpos[2])
            seen.up[1] = zero
            seen.up[2] = wp.cos(seen.qpos[2])
        else:
            face = heading_of(seen.qpos[3], seen.qpos[4], seen.qpos[5], seen.qpos[6])
            seen.heading[0] = face[0]
            seen.heading[1] = face[1]
            upward = root_up(seen.qpos[3], seen.qpos[4], seen.qpos[5], seen.qpos[6])
            seen.up[0] = upward[0]
            seen.up[1] = upward[1]
            seen.up[2] = upward[2]

    return place


def pull_function(types: SeenTypes) -> wp.Function:
    """A Warp function (seen, tether) that pulls the clip on to the tether's length, if it is further away."""
    planar, zero, one, of_clip = types.scope.planar, types.real(0.0), types.real(1.0), clip_number(types)

    @types.part
    def pull(seen, tether):
        now = wp.min(seen.frame, seen.last)
        x = of_clip(seen, now, 0) - seen.qpos[0] - seen.pulled[0]
        y = zero
        if wp.static(not planar):
            y = of_clip(seen, now, 1) - seen.qpos[1] - seen.pulled[1]
        far = wp.sqrt(x * x + y * y)
        beyond = zero
        if far > tether:
            beyond = one - tether / far
        seen.pulled[0] = seen.pulled[0] + beyond * x
        seen.pulled[1] = seen.pulled[1] + beyond * y

    return pull


def seen_function(law: Types, types: SeenTypes, places: Mapping[str, int], views: int) -> wp.Function:
    """A Warp function (sense, memory, parameters, row, seen) that fills what is seen under a law.

    Args:
        law: its types.
        types: of what is seen.
        places: where in memory "left", "right", "stance", "action" and, under a state machine, "turned" are, and where
            in the row "goal_speed"; where a clip is seen, also where in memory "frame" is and where in the library
            "clip", with the tether's length before it; where gaits are, in memory "frames".
        views: where in the view the ground is; -1 where it is not seen.
    """
    real, Sense, Memory, Seen, scope = law.real, law.Sense, law.Memory, types.Seen, types.scope
    nq, nv, up, actions, sights = scope.figure.nq, scope.figure.nv, 1 if scope.planar else 2, scope.actions, len(SIGHTS)
    left, right, stance, action = (places[name] for name in ("left", "right", "stance", "action"))
    goal_column, turned = places["goal_speed"], places.get("turned", 0)
    frame, clip, width = places.get("frame", 0), places.get("clip", 1), nq + 3
    state_at, clock_at = MACHINE.index("state"), MACHINE.index("clock")
    heading = int(GraphField.HEADING)
    machine, sees, looks = scope.states > 0, views >= 0, len(scope.looks) > 0
    gaits, last, frames = len(scope.slots) > 0, max(scope.slots, default=0), places.get("frames", 0)
    kept = nq * len(scope.slots) + 3
    half, zero, one = real(0.5), real(0.0), real(1.0)
    place, pull = place_function(types), pull_function(types)

    @wp.func
    def fill(sense: wp.ref[Sense], memory: wp.ref[Memory], parameters: wp.array2d[real], row: int, seen: wp.ref[Seen]):
        i = int(0)
        while i < wp.static(nq):
            seen.qpos[i] = sense.seen_qpos[i]
            i += 1
        i = int(0)
        while i < wp.static(nv):
            seen.qvel[i] = sense.seen_qvel[i]
            i += 1
        place(seen)
        if wp.static(sees):
            seen.beneath = sense.view[views]
            seen.height = sense.seen_qpos[up] - sense.view[views]
            i = int(0)
            while i < wp.static(sights):
                seen.ahead[i] = sense.view[views + 1 + i] - sense.view[views]
                i += 1
        seen.left = memory[left]
        seen.right = memory[right]
        seen.goal_speed = parameters[row, goal_column]
        if wp.static(machine):
            goal = parameters[row, heading] + memory[turned]
            seen.goal[0] = wp.cos(goal)
            seen.goal[1] = wp.sin(goal)
            side = memory[stance]
            seen.stance = wp.where(side < -half, zero, wp.where(side < half, one, -one))
            seen.clock = memory[clock_at]
            seen.state = int(memory[state_at])
        i = int(0)
        while i < wp.static(actions):
            seen.action[i] = memory[action + i]
            i += 1
        if wp.static(gaits):
            i = int(0)
            while i < wp.static(kept):
                seen.frames[i] = memory[frames + i]
                i += 1
            seen.last = wp.static(last)
            pull(seen, sense.library[0, clip - 1])
        elif wp.static(looks):
            seen.clip = sense.library
            seen.clip_first = clip + 1
            seen.clip_width = width
            seen.frame = int(memory[frame])
            seen.last = int(sense.library[0, clip]) - 1
            pull(seen, sense.library[0, clip - 1])

    return fill
