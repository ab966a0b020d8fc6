"""What a network observes: terms, each a small Warp function over what is seen of a world.

    number(seen, i)       number i of the term

:class:`SeenTypes` ``.Seen`` is what is seen. A law fills it from what it senses and remembers (:func:`seen_function`),
a learning environment from its worlds; both then call the same functions, so that a policy observes the same numbers
where it is trained and where it runs. Other packages add terms of their own (entry points ``footfall.terms``).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import warp as wp

from footfall.control.parts import root_up
from footfall.errors import FootfallError, unknown_name
from footfall.methods.network.seen import SIGHTS, Scope, SeenTypes, clip_number
from footfall.plugins import load_plugin, plugin_names, plugin_package

NEAR, FAR, ANGLE, RATE = 2.0, 10.0, 4.0 * np.pi, 500.0
"""Metres from a clip, other metres, radians and metres or radians a second at which observations are cut off in
training; a world whose velocities reach 500 has diverged."""
FURTHEST_LOOK = 500
"""Decisions."""
NO_TETHER = 1e9
_LOOK = re.compile(r"clip_([1-9]\d{0,2})_.+")


@dataclass(frozen=True)
class Observation:
    """A number that is observed: its name, least and largest value, unit and meaning; or one of an action."""

    name: str
    low: float
    high: float
    unit: str
    about: str


Build = Callable[[SeenTypes], wp.Function]


@dataclass(frozen=True)
class ObservationTerm:
    """Numbers that are observed together.

    Attributes:
        name: of the term.
        numbers: what they are, for a scope; none where they make no sense.
        build: makes the Warp function (seen, i) that answers number i.
        ground: whether the ground must be looked at.
    """

    name: str
    numbers: Callable[[Scope], Sequence[Observation]]
    build: Build
    ground: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        unit: str,
        about: str,
        build: Build,
        *,
        low: float = -FAR,
        high: float = FAR,
        ground: bool = False,
    ) -> "ObservationTerm":
        """A term of one number, of the same name."""
        return cls(name, lambda scope: [Observation(name, low, high, unit, about)], build, ground)


# -- terms -------------------------------------------------------------------------------------------------------------


def _plain(of: str, first: Callable[[Scope], int] = lambda scope: 0) -> Build:
    """What is seen, as it is: a number, or numbers of a vector from some place on."""

    def build(types: SeenTypes) -> wp.Function:
        at, stride = first(types.scope), 2 if types.scope.planar else 1

        @types.part
        def number(seen, i):
            value = seen.height
            if wp.static(of == "qpos"):
                value = seen.qpos[at + i]
            elif wp.static(of == "qvel"):
                value = seen.qvel[at + i]
            elif wp.static(of == "up"):
                value = seen.up[stride * i]
            elif wp.static(of == "ahead"):
                value = seen.ahead[i]
            elif wp.static(of == "action"):
                value = seen.action[i]
            elif wp.static(of == "goal_speed"):
                value = seen.goal_speed
            elif wp.static(of == "stance"):
                value = seen.stance
            elif wp.static(of == "clock"):
                value = seen.clock
            return value

        return number

    return build


def _velocity(types: SeenTypes) -> wp.Function:
    planar = types.scope.planar

    @types.part
    def velocity(seen, i):
        value = seen.qvel[i]
        if wp.static(not planar):
            if i == 0:
                value = seen.heading[0] * seen.qvel[0] + seen.heading[1] * seen.qvel[1]
            elif i == 1:
                value = seen.heading[0] * seen.qvel[1] - seen.heading[1] * seen.qvel[0]
        return value

    return velocity


def _body_velocity(types: SeenTypes) -> wp.Function:
    planar, one, two = types.scope.planar, types.real(1.0), types.real(2.0)

    @types.part
    def planar_velocity(seen, i):
        value = seen.up[2] * seen.qvel[0] + seen.up[0] * seen.qvel[1]
        if i == 1:
            value = seen.up[2] * seen.qvel[1] - seen.up[0] * seen.qvel[0]
        return value

    @types.part
    def body_velocity(seen, i):
        w = seen.qpos[3]
        x = seen.qpos[4]
        y = seen.qpos[5]
        z = seen.qpos[6]
        vx = seen.qvel[0]
        vy = seen.qvel[1]
        vz = seen.qvel[2]
        value = (one - two * (y * y + z * z)) * vx + two * (x * y + w * z) * vy + seen.up[0] * vz
        if i == 1:
            value = two * (x * y - w * z) * vx + (one - two * (x * x + z * z)) * vy + seen.up[1] * vz
        elif i == 2:
            value = two * (x * z + w * y) * vx + two * (y * z - w * x) * vy + seen.up[2] * vz
        return value

    return planar_velocity if planar else body_velocity


def _contacts(types: SeenTypes) -> wp.Function:
    @types.part
    def contact(seen, i):
        return wp.where(i == 0, seen.left, seen.right)

    return contact


def _heading(types: SeenTypes) -> wp.Function:
    @types.part
    def heading(seen, i):
        value = seen.heading[1] * seen.goal[0] - seen.heading[0] * seen.goal[1]
        if i == 1:
            value = seen.heading[0] * seen.goal[0] + seen.heading[1] * seen.goal[1]
        return value

    return heading


def _states(types: SeenTypes) -> wp.Function:
    zero, one = types.real(0.0), types.real(1.0)

    @types.part
    def state(seen, i):
        return wp.where(seen.state == i, one, zero)

    return state


def _clip(types: SeenTypes) -> wp.Function:
    scope, looks = types.scope, types.scope.looks
    per = len(_clip_places(scope)) + len(scope.positions)
    Looks = wp.types.vector(length=max(1, len(looks)), dtype=wp.int32)
    ahead, of_clip, heading_of = Looks(*looks), clip_number(types), scope.heading_of

    @types.part
    def planar_clip(seen, i):
        every = ahead
        j = i % per
        g = wp.min(seen.frame + every[i // per], seen.last)
        value = of_clip(seen, g, j)
        if j == 0:
            value = value - seen.qpos[0] - seen.pulled[0]
        elif j == 1:
            value = value - seen.height
        return value

    @types.part
    def clip(seen, i):
        every = ahead
        j = i % per
        g = wp.min(seen.frame + every[i // per], seen.last)
        value = of_clip(seen, g, wp.max(j - 1, 0))
        if j < 2:
            dx = of_clip(seen, g, 0) - seen.qpos[0] - seen.pulled[0]
            dy = of_clip(seen, g, 1) - seen.qpos[1] - seen.pulled[1]
            value = seen.heading[0] * dx + seen.heading[1] * dy
            if j == 1:
                value = seen.heading[0] * dy - seen.heading[1] * dx
        elif j == 2:
            value = of_clip(seen, g, 2) - seen.height
        elif j < 8:
            w = of_clip(seen, g, 3)
            x = of_clip(seen, g, 4)
            y = of_clip(seen, g, 5)
            z = of_clip(seen, g, 6)
            its = heading_of(w, x, y, z)
            upward = root_up(w, x, y, z)
            if j == 3:
                value = its[1] * seen.heading[0] - its[0] * seen.heading[1]
            elif j == 4:
                value = its[0] * seen.heading[0] + its[1] * seen.heading[1]
            else:
                value = upward[j - 5]
        return value

    return planar_clip if scope.planar else clip


def _clip_velocity(types: SeenTypes) -> wp.Function:
    nq, planar, of_clip = types.scope.figure.nq, types.scope.planar, clip_number(types)

    @types.part
    def clip_velocity(seen, i):
        g = wp.min(seen.frame + 1, seen.last)
        value = of_clip(seen, g, nq + i)
        if wp.static(not planar):
            if i < 2:
                vx = of_clip(seen, g, nq)
                vy = of_clip(seen, g, nq + 1)
                value = seen.heading[0] * vx + seen.heading[1] * vy
                if i == 1:
                    value = seen.heading[0] * vy - seen.heading[1] * vx
        return value

    return clip_velocity


# -- what they are called ----------------------------------------------------------------------------------------------


def _rows(names: Iterable[str], most: float, unit: str, about: str, least: float | None = None) -> list[Observation]:
    """Numbers that differ by name alone; ``{}`` in ``about`` is the name's last letter."""
    low = -most if least is None else least
    return [Observation(name, low, most, unit, about.format(name[-1])) for name in names]


def _clip_places(scope: Scope) -> tuple[str, ...]:
    """What is seen of a frame before its joints."""
    if scope.planar:
        return ("forward", "up", "pitch")
    return ("forward", "left", "up", "sin", "cos", "up_x", "up_y", "up_z")


def _look_rows(scope: Scope, look: int) -> list[Observation]:
    """What is seen of the clip, ``look`` decisions from now."""
    when = f"{look} decision{'s' if look > 1 else ''} from now"
    less = f"position of the clip's root {when} relative to the figure's" + (
        "" if scope.planar else ", in axes that turn with its heading"
    )
    known = {
        "pitch": (ANGLE, "rad", f"of the clip's root {when}"),
        "sin": (1.0, "", f"sine of the clip's heading {when} relative to the figure's"),
        "cos": (1.0, "", f"cosine of the clip's heading {when} relative to the figure's"),
        **{f"up_{a}": (1.0, "", f"the world's up along the clip's root's {a} {when}") for a in "xyz"},
    }
    rows = []
    for place in _clip_places(scope):
        most, unit, about = known.get(place, (NEAR, "m", less))
        rows.append(Observation(f"clip_{look}_{place}", -most, most, unit, about))
    return rows + [
        Observation(f"clip_{look}_{name}", -ANGLE, ANGLE, unit, f"the clip's joint position {when}")
        for name, unit in scope.positions
    ]


@lru_cache(maxsize=64)
def _numbers(scope: Scope) -> Mapping[str, Sequence[Observation]]:
    """What the terms that come with footfall observe, by their names."""
    planar, machine = scope.planar, scope.states > 0
    axes, ways = ("xz", ("forward", "up")) if planar else ("xyz", ("forward", "left", "up"))
    turned = "" if planar else ", in axes that turn with {} heading"
    velocity = {f"velocity_{way}": "of the root" + turned.format("its") for way in ways}
    velocity |= {"velocity_forward": "of the root along x"} if planar else {}
    turn = _rows([f"turn_rate_{a}" for a in "xyz"], RATE, "rad/s", "of the root about its own {}")
    heading = {"heading_sin": "sine of the body's heading relative to the goal's", "heading_cos": "its cosine"}
    clip_velocity = "of the clip's root at the next decision" + turned.format("the figure's")
    ahead = {
        f"ground_{sight:g}": f"height of the ground {sight:g} m ahead, relative to the ground beneath"
        for sight in SIGHTS
    }
    return {
        "height": _rows(["height"], FAR, "m", "of the root above the ground beneath it"),
        "pitch": _rows(["pitch"] if planar else [], ANGLE, "rad", "of the root"),
        "up": _rows([f"up_{axis}" for axis in axes], 1.0, "", "the world's up along the root's {}"),
        "joints": [Observation(name, -ANGLE, ANGLE, unit, "joint position") for name, unit in scope.positions],
        "velocity": [Observation(name, -RATE, RATE, "m/s", about) for name, about in velocity.items()],
        "turn": _rows(["pitch_rate"], RATE, "rad/s", "of the root") if planar else turn,
        "joint_rates": [Observation(name, -RATE, RATE, unit, "joint velocity") for name, unit in scope.rates],
        "contacts": [
            Observation(f"{side}_contact", 0.0, 1.0, "", f"1 while the {side} foot touches")
            for side in ("left", "right")
        ],
        "goal_speed": _rows(["goal_speed"], FAR, "m/s", "the speed asked for"),
        "heading": [Observation(name, -1.0, 1.0, "", about) for name, about in heading.items() if not planar],
        "stance": _rows(
            ["stance"] if scope.stance else [], 1.0, "", "the controller's stance leg: 1 left, -1 right, 0 none"
        ),
        "states": _rows(
            [f"state_{k}" for k in range(scope.states)], 1.0, "", "1 while the controller is in this state", 0.0
        ),
        "clock": _rows(["clock"] if machine else [], FAR, "s", "since the controller entered its state", 0.0),
        "ground": [Observation(name, -FAR, FAR, "m", about) for name, about in ahead.items()],
        "body_velocity": _rows([f"velocity_{axis}" for axis in axes], RATE, "m/s", "of the root along its {}"),
        "action": _rows([f"action_{k}" for k in range(scope.actions)], FAR, "", "of the last action"),
        "clip": [row for look in scope.looks for row in _look_rows(scope, look)],
        "clip_velocity": _rows([f"clip_velocity_{way}" for way in ways if scope.looks], RATE, "m/s", clip_velocity),
    }


def _numbers_of(name: str, scope: Scope) -> Sequence[Observation]:
    return _numbers(scope)[name]


_BUILDS: Mapping[str, Build] = {
    "height": _plain("height"),
    "pitch": _plain("qpos", lambda scope: 2),
    "up": _plain("up"),
    "joints": _plain("qpos", lambda scope: scope.root[0]),
    "velocity": _velocity,
    "turn": _plain("qvel", lambda scope: 2 if scope.planar else 3),
    "joint_rates": _plain("qvel", lambda scope: scope.root[1]),
    "contacts": _contacts,
    "goal_speed": _plain("goal_speed"),
    "heading": _heading,
    "stance": _plain("stance"),
    "states": _states,
    "clock": _plain("clock"),
    "ground": _plain("ahead"),
    "body_velocity": _body_velocity,
    "action": _plain("action"),
    "clip": _clip,
    "clip_velocity": _clip_velocity,
}
_OF_GROUND = ("height", "ground", "clip", "clip_velocity")
OBSERVATIONS: Mapping[str, ObservationTerm] = {
    name: ObservationTerm(name, partial(_numbers_of, name), build, name in _OF_GROUND)
    for name, build in _BUILDS.items()
}
"""The terms that come with footfall, by name."""


def observation_term(name: str) -> ObservationTerm:
    """A term by its name: footfall's, or another package's."""
    if name in OBSERVATIONS:
        return OBSERVATIONS[name]
    own: dict[str, ObservationTerm] = own_terms(ObservationTerm)
    if name not in own:
        raise unknown_name("observation term", name, [*OBSERVATIONS, *own])
    return own[name]


def own_terms(kind: type[Any], taken: Iterable[str] = ()) -> dict[str, Any]:
    """Terms of a kind that other packages add, by name; names of footfall's own terms, ``taken``, are refused."""
    loaded = {name: load_plugin("terms", name) for name in plugin_names("terms")}
    found = {name: term for name, term in loaded.items() if isinstance(term, kind)}
    for name in set(found) & set(taken):
        raise FootfallError(
            f"package '{plugin_package('terms', name)}' adds the term '{name}', a name of footfall's own; rename it"
        )
    return found


def looks_of(names: Iterable[str]) -> tuple[int, ...]:
    """How many decisions ahead the named observations look, rising; of those that look nowhere: none, or (1,) for the
    clip's velocity."""
    names = tuple(names)
    looks = {int(found[1]) for name in names if (found := _LOOK.fullmatch(name))}
    looks = {look for look in looks if look <= FURTHEST_LOOK}
    if not looks and any(name.startswith("clip_velocity_") for name in names):
        looks = {1}
    return tuple(sorted(looks))
