"""The laws of networks: at every decision they observe the world and answer an action.

One corrects a SIMBICON controller: the action changes the numbers that SIMBICON reads until the next one, as a learning
environment with corrections does. The actions of the other are targets of joints' servos, as most policies of other
projects act:

    target = default + scale · action,     τ = kp (target - q) - kd q'

The servos act in every step, and one step ahead where the integrator is implicit; the network decides at its own rate.
A policy that follows a clip has the clip's pose at its next frame as default (DeepMimic's way); after the last frame it
keeps that one.
"""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Law, Types
from footfall.control.parts import limited, limited_stiffness, servo_stiffness, servo_torque
from footfall.control.rows import MemoryLayout, StateField
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ROOT_SPEEDS, ClipFrames
from footfall.methods.network.corrections import corrected_now, corrected_numbers, corrections
from footfall.methods.network.deciding import (
    FRAME,
    LAST,
    DecisionPlan,
    decision_functions,
    decision_memory,
    gather_numbers,
    network_numbers,
    view_names,
)
from footfall.methods.network.gaits import FRAMES, gait_function, gait_memory
from footfall.methods.network.seen import look_function
from footfall.methods.simbicon.law import SimbiconLaw, simbicon_function

if TYPE_CHECKING:
    from footfall.methods.network.controller import NetworkController

Array = NDArray[np.float64]
GOAL_SPEED = "goal_speed"
ASKED = ("speed", "heading", "side_speed")
"""Numbers of a law that follows gaits: m/s forward, radians from the world's x to its y, m/s to the left."""


class _Deciding(Law):
    """What laws of networks share: the numbers in the library, and what a decision remembers."""

    controller: "NetworkController"
    decision: DecisionPlan
    _library: Array
    memory_layout: MemoryLayout

    @property
    def key(self) -> Any:
        """What the Warp function depends on, and the network's numbers, which a page has compiled in."""
        return (*self.kernel_key, hashlib.sha256(self._library.tobytes()).hexdigest()[:16])

    @property
    def library(self) -> Array:
        """[1, L] the network, what its inputs are, and what it corrects, or its servos, tether and clip."""
        return self._library

    def check_library(self, numbers: Array) -> None:
        """Refuse libraries that the kernel would read beyond."""
        if numbers.shape != self._library.shape:
            raise FootfallError(
                f"library: {list(numbers.shape)} numbers; the network's are {list(self._library.shape)}"
            )

    def _remembered(self, own: Array | tuple[()] = ()) -> Array:
        """[M] at the start, beginning with another law's."""
        memory = np.zeros(len(self.memory_layout))
        memory[: len(own)] = own
        memory[self.memory_layout[LAST]] = -1.0
        return memory

    @property
    def memory_names(self) -> tuple[str, ...]:
        """What the law remembers."""
        return tuple(self.memory_layout.names)


class NetworkLaw(_Deciding, SimbiconLaw):
    """SIMBICON with a network.

    Args:
        controller: what it observes and corrects, and its network.
        figure: what is driven.

    Attributes:
        actions: the numbers that the network answers.
    """

    def __init__(self, controller: "NetworkController", figure: Figure) -> None:
        assert controller.graph is not None
        super().__init__(controller.graph, figure)
        self.controller = controller
        where = f"controller '{controller.name}'"
        plain = SimbiconLaw(controller.graph, figure)
        self._own = len(plain.parameters)
        self.actions, places = corrections(plain, figure, controller.correct)
        states, network = len(self.table.states), controller.network
        self.decision = DecisionPlan.of(controller, figure, states, len(self.actions), where)
        gather = gather_numbers(controller.observations, self.decision.pool)
        self._check(places, where)
        numbers = [network_numbers(network), gather.ravel(), corrected_numbers(places, self._own).ravel()]
        self._library = np.concatenate(numbers)[None]
        self._columns = self._library.shape[1] - len(numbers[2])
        self.memory_layout = MemoryLayout((*self.plan.memory.sizes, *decision_memory(self.decision)))

    def _check(self, places: Any, where: str) -> None:
        layout = self.table.layout
        fixed = {layout.state(k, f) for k in range(layout.states) for f in (StateField.STANCE, StateField.NEXT)}
        for place in places:
            if place.column in fixed or place.column >= layout.first_entry:
                raise FootfallError(f"{where}, [correct]: a network changes numbers, not which state follows")

    @property
    def kernel_key(self) -> Any:
        """What the Warp function depends on."""
        return ("network", self.plan, self.decision.key, self._own)

    @property
    def memory(self) -> Array:
        """[M] at the start: SIMBICON's, then the network's."""
        return self._remembered(super().memory)

    @property
    def parameters(self) -> Array:
        """[NP] SIMBICON's row, then the speed that is asked of the network."""
        return np.append(super().parameters, self.controller.goal_speed)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Paths of SIMBICON's numbers, and the speed."""
        return (*super().parameter_names, GOAL_SPEED)

    def cells(self, name: str) -> list[tuple[int, float]]:
        """Where a parameter is."""
        return [(self._own, 1.0)] if name == GOAL_SPEED else super().cells(name)

    def check_parameters(self, rows: Array) -> None:
        """As SIMBICON does, for its part."""
        super().check_parameters(rows[:, : self._own])

    def check_library(self, numbers: Array) -> None:
        """Refuse libraries in which an index names nothing, too."""
        super().check_library(numbers)
        indices = np.arange(self.decision.weights, self._columns)
        if not np.array_equal(numbers[0, indices], self._library[0, indices]):
            raise FootfallError("library: what a network observes and corrects cannot be replaced while it runs")

    @property
    def views(self) -> tuple[str, ...]:
        """What SIMBICON sees of the ground, then what the network does."""
        return (*super().views, *view_names(self.decision))

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """SIMBICON's look at the ground, then the network's."""
        own = super().sight(types, height)
        if not self.decision.pool.ground:
            return own
        look = look_function(
            types, self.decision.pool.scope, self.memory_layout["network_wait"], len(super().views), height
        )
        if own is None:
            return look

        @types.part
        def look_twice(sense, memory, parameters, row, table_, table_row):
            own(sense, memory, parameters, row, table_, table_row)
            look(sense, memory, parameters, row, table_, table_row)

        return look_twice

    def build(self, types: Types) -> wp.Function:
        """The decision, then SIMBICON with the numbers that it changed."""
        layout, plan = self.memory_layout, self.decision
        action_at = layout["network_action"]
        now, take_action = corrected_now(types, self.plan.layout, self._columns, plan.actions, action_at, plan.limit)
        act = simbicon_function(types, self.plan, now=now, before=(take_action,))
        decide, remember = decision_functions(types, plan, layout, self._own, len(super().views))

        @types.part
        def network_law(sense, memory, parameters, row, command):
            decide(sense, memory, parameters, row)
            act(sense, memory, parameters, row, command)
            remember(sense, memory, command)

        return network_law


SERVO = ("default", "scale", "kp", "kd", "limit", "least", "most")
"""Numbers of each servo in the library."""
UNLIMITED = 1e9
CLIP = "clip"
"""The default of servos around the poses of a clip."""


@dataclass(frozen=True)
class Servos:
    """What a network's actions are.

    Attributes:
        joints: one for each action, in its order.
        default: rad under an action of 0; by default the figure's standing pose; "clip" for the pose of the clip that
            is followed.
        scale: rad that an action of 1 adds.
        kp, kd: gains; by default the figure's. Each is one number for all joints or one for each. Joints that are not
            named are held in the figure's pose, or the clip's, with the figure's gains.
        limit: N m that no joint's servo exceeds, where the figure's own limit is not lower; None for the figure's.
    """

    joints: tuple[str, ...]
    default: float | tuple[float, ...] | Literal["clip"] | None = None
    scale: float | tuple[float, ...] = 0.25
    kp: float | tuple[float, ...] | None = None
    kd: float | tuple[float, ...] | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        if not self.joints or len(set(self.joints)) != len(self.joints):
            raise FootfallError("servos: joints must be one name or more, each once")
        for what in ("default", "scale", "kp", "kd"):
            given = getattr(self, what)
            if isinstance(given, tuple) and len(given) != len(self.joints):
                raise FootfallError(
                    f"servos: {what} has {len(given)} numbers; give one, or one for each of {len(self.joints)} joints"
                )
            if given is not None and given != CLIP and not np.isfinite(given).all():
                raise FootfallError(f"servos: {what} is {given}; it must be finite")
        if self.limit is not None and not 0.0 < self.limit <= UNLIMITED:
            raise FootfallError(f"servos: limit is {self.limit}; give N m above 0")
        for what in ("kp", "kd"):
            if getattr(self, what) is not None and np.min(getattr(self, what)) < 0:
                raise FootfallError(f"servos: {what} is {getattr(self, what)}; it must be at least 0")

    def rows(self, figure: Figure, where: str) -> tuple[tuple[tuple[int, int], ...], Array]:
        """(dof, qpos) of every joint with a motor, those that are named first; and their numbers [J, 7] (``SERVO``).
        Errors begin with ``where``."""
        own = {j.name: j for j in figure.joints if j.actuated}
        for name in self.joints:
            if name not in own:
                raise FootfallError(f"{where}, [servos]: {unknown_name('joint with a motor', name, own)}")
        named = [*self.joints, *(name for name in own if name not in self.joints)]
        rows, places = np.zeros((len(named), len(SERVO))), []
        for k, name in enumerate(named):
            joint, driven = own[name], k < len(self.joints)
            if joint.ndof != 1:
                raise FootfallError(f"{where}: joint '{name}' is a {joint.kind}; servos drive hinges and slides")
            home = float(figure.default_qpos[joint.qpos])
            default, kp, kd = (
                _of(given, k, usual) if driven else usual
                for given, usual in (
                    (None if self.default == "clip" else self.default, home),
                    (self.kp, float(figure.kp[joint.dof])),
                    (self.kd, float(figure.kd[joint.dof])),
                )
            )
            if driven and kp <= 0:
                raise FootfallError(f"{where}, [servos]: joint '{name}' has no gains of its own; give kp and kd")
            limit = min(float(figure.torque_limit[joint.dof]), UNLIMITED if self.limit is None else self.limit)
            least, most = min(joint.lower, default), max(joint.upper, default)
            rows[k] = default, _of(self.scale, k, 0.0) if driven else 0.0, kp, kd, limit, least, most
            places.append((joint.dof, joint.qpos))
        return tuple(places), np.clip(rows, -UNLIMITED, UNLIMITED)


class ServoNetworkLaw(_Deciding):
    """A network that sets targets.

    Args:
        controller: what it observes, its servos and its network.
        figure: what is driven.
    """

    def __init__(self, controller: "NetworkController", figure: Figure) -> None:
        assert controller.servos is not None
        self.controller, self.figure = controller, figure
        where, servos = f"controller '{controller.name}'", controller.servos
        self.decision = DecisionPlan.of(controller, figure, 0, len(servos.joints), where)
        gather = gather_numbers(controller.observations, self.decision.pool)
        self.joints, rows = servos.rows(figure, where)
        before = [network_numbers(controller.network), gather.ravel()]
        self._first = sum(map(len, before))
        tether = [UNLIMITED if controller.tether is None else controller.tether] if controller.follows else []
        self._clip = self._first + rows.size + len(tether)
        self._library = np.concatenate([*before, rows.ravel(), tether, self._clip_numbers(where)])[None]
        self.gaits, self._slots = controller.gaits, self.decision.pool.scope.slots
        self.numbers = {GOAL_SPEED: controller.goal_speed}
        frame: tuple[tuple[str, int], ...] = ((FRAME, 1),) if controller.follows else ()
        if self.gaits is not None:
            self.numbers = dict(zip(ASKED, (controller.goal_speed, 0.0, 0.0), strict=True))
            frame = gait_memory(figure.nq, self._slots)
        self.memory_layout = MemoryLayout((*decision_memory(self.decision), *frame))

    def _clip_numbers(self, where: str) -> Array:
        """What the library holds of the clip; a policy that follows one must have it."""
        controller, figure, clip = self.controller, self.figure, self.controller.clip_frames
        if not controller.follows:
            return np.zeros(0)
        if figure.root != "free" or figure.nq != figure.nv + 1:
            raise FootfallError(f"{where}: clips are followed by figures in space whose joints are hinges")
        if controller.gaits is not None:
            controller.gaits.start.check_size(figure)
            return controller.gaits.numbers
        if clip is None:
            raise FootfallError(
                f"{where} follows a clip and has none; give it one with "
                "`footfall imitate CLIP --policy FILE --out WALK.toml`, and run that"
            )
        clip.start.check_size(figure)
        return clip.numbers

    @property
    def gets_up(self) -> bool:
        """Whether the controller does."""
        return self.controller.gets_up

    @property
    def label(self) -> str:
        """The controller's name."""
        return self.controller.name

    @property
    def kernel_key(self) -> Any:
        """What the Warp function depends on."""
        key = ("servo-network", self.decision.key, self.joints, self.controller.follows)
        return key if self.gaits is None else (*key, self.gaits.key)

    def with_clips(self, *clips: ClipFrames) -> Array:
        """[1, L] the library with other clips one after another, together as long as its own: a world's frame says
        which of them it follows."""
        library = self._library.copy()
        frames = np.concatenate([clip.numbers[1:] for clip in clips])
        library[0, self._clip :] = np.concatenate([[sum(map(len, clips))], frames])
        return library

    @property
    def memory(self) -> Array:
        """[M] at the start."""
        return self._remembered()

    @property
    def views(self) -> tuple[str, ...]:
        """What the network sees of the ground."""
        return view_names(self.decision)

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """The network's look at the ground."""
        pool = self.decision.pool
        return look_function(types, pool.scope, self.memory_layout["network_wait"], 0, height) if pool.ground else None

    def build(self, types: Types) -> wp.Function:
        """The decision, then the servos."""
        real, layout, joints, actions = types.real, self.memory_layout, self.joints, self.decision.actions
        decide, remember = decision_functions(types, self.decision, layout, 0, 0, self._clip)
        walks, nq = self.gaits is not None, self.figure.nq
        follows, clip_at, row_width = self.controller.follows and not walks, self._clip, nq + ROOT_SPEEDS
        wait, frame = layout["network_wait"], layout[FRAME] if follows else 0
        action, last, left, right = (layout[f"network_{name}"] for name in ("action", "stance", "left", "right"))
        first, width, count = self._first, len(SERVO), len(joints)
        implicit, clip, zero, half = types.implicit, real(self.decision.limit), real(0.0), real(0.5)
        one, next_pose = real(1.0), layout[FRAMES] + nq if walks else 0
        reach = decide
        if self.gaits is not None:
            columns, rate = [*map(self.column, ASKED)], self.decision.rate
            reach = gait_function(types, self.gaits, layout, self._slots, self._clip, columns, rate)

        @types.part
        def servo_network(sense, memory, parameters, row, command):
            decides = memory[wait] < half
            if wp.static(walks):
                if decides:
                    reach(sense, memory, parameters, row)
            decide(sense, memory, parameters, row)
            pose = int(0)
            if wp.static(follows):
                if decides:
                    memory[frame] = wp.min(memory[frame] + one, sense.library[0, clip_at] - one)
                pose = clip_at + 1 + row_width * int(memory[frame])
            ahead = zero
            if wp.static(implicit):
                ahead = sense.dt
            for k in range(wp.static(count)):
                at = wp.static(first + width * k)
                target = sense.library[0, at]
                if wp.static(follows):
                    target = sense.library[0, pose + wp.static(joints[k][1])]
                if wp.static(walks):
                    target = memory[wp.static(next_pose + joints[k][1])]
                if wp.static(k < actions):
                    asked = wp.clamp(memory[wp.static(action + k)], -clip, clip)
                    target = target + sense.library[0, at + 1] * asked
                target = wp.clamp(target, sense.library[0, at + 5], sense.library[0, at + 6])
                kp = sense.library[0, at + 2]
                kd = sense.library[0, at + 3]
                limit = sense.library[0, at + 4]
                rate = sense.qvel[wp.static(joints[k][0])]
                torque = servo_torque(kp, kd, target - sense.qpos[wp.static(joints[k][1])], rate, ahead)
                stiffness = limited_stiffness(servo_stiffness(kp, kd, ahead), torque, limit)
                command.stiffness[wp.static(joints[k][0])] = stiffness
                command.torque[wp.static(joints[k][0])] = limited(torque, limit)
            stance = memory[last]
            command.stance = int(stance)
            remember(sense, memory, command)
            if memory[left] > half and memory[right] < half:
                stance = zero
            if memory[right] > half and memory[left] < half:
                stance = one
            memory[last] = stance
            command.stance = int(stance)

        return servo_network


def _of(given: float | tuple[float, ...] | None, k: int, usual: float) -> float:
    if given is None:
        return usual
    return float(given[k]) if isinstance(given, tuple) else float(given)
