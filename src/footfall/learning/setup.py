"""What an environment consists of, before anything is simulated: figure, controller, action, terrains, observations.

What an action does: each of its numbers fills places of the row that a world's law reads.

    row[column] = clamp(offset + gain · action, least, most)

Torques and targets fill the row of :class:`footfall.simulation.python_law.HeldDrive`, corrections that of the
controller's own law.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.law import Law
from footfall.control.registry import kind_of, law_of, load_controller
from footfall.dynamics.ground import terrain_table
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.parts import Joint
from footfall.learning.kernels import EpisodePlan
from footfall.learning.options import FALLEN, STEP, Options
from footfall.learning.rewards import rewards_of
from footfall.methods.network.corrections import TARGETS, Action, Place, corrections
from footfall.methods.network.deciding import Pool
from footfall.methods.network.law import Servos
from footfall.methods.network.seen import Scope
from footfall.methods.network.terms import Observation, observation_term
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.tracking.law import OffsetLaw
from footfall.simulation.python_law import DRIVE, HeldDrive
from footfall.terrain import Terrain, parse_terrain

Array = NDArray[np.float64]


Made = tuple[Law, Array, list[Action], list[Place]]
"""A law, its row under an action of zeros, the action's numbers, and the places that they fill."""


@dataclass(frozen=True, eq=False)
class ActionMap:
    """All of an action.

    Attributes:
        law: the law whose row is filled.
        row: [NP] the row under an action of zeros.
        table: the action's numbers.
        places: that they fill.
        heading: where in the row a goal's heading belongs, -1 for nowhere.
    """

    law: Law
    row: Array
    table: list[Action]
    places: list[Place]
    heading: int

    @classmethod
    def of(cls, options: Options, figure: Figure, controller: Controller | None) -> "ActionMap":
        """The action that options ask for."""
        if options.action == "corrections" and controller is not None:
            law, row, table, places = _corrections(options, figure, controller)
            turns = kind_of(controller).abilities(controller).turn and "heading" in law.parameter_names
        else:
            law, row, table, places = (_torques if options.action == "torques" else _targets)(options, figure)
            turns = False
        if not table:
            raise FootfallError(
                f"figure '{figure.name}': no joint has a motor that action '{options.action}' could drive"
            )
        return cls(law, row, table, places, law.cells("heading")[0][0] if turns else -1)

    @property
    def states(self) -> int:
        """How many states the controller has; 0 without a state machine."""
        return len(self.law.table.states) if isinstance(self.law, GraphLaw) else 0


def _torques(options: Options, figure: Figure) -> Made:
    law = HeldDrive(figure)
    table: list[Action] = []
    places: list[Place] = []
    for joint in _driven(figure, balls=True):
        limit = options.strength * _strength(joint, figure)
        unit = "N" if joint.kind == "slide" else "N m"
        for k in range(joint.ndof):
            name = f"{joint.name}_{'xyz'[k]}" if joint.ndof > 1 else joint.name
            places.append(Place(len(table), joint.dof + k, 0.0, limit))
            table.append(Action(name, -limit, limit, unit, "torque, held until the next decision"))
    return law, law.parameters, table, places


def _targets(options: Options, figure: Figure) -> Made:
    law, nv, follow = HeldDrive(figure, gets_up=options.start == FALLEN), figure.nv, options.action == "follow"
    row = law.parameters.reshape(len(DRIVE), nv)
    table: list[Action] = []
    places: list[Place] = []
    unit = {joint.name: "m" if joint.kind == "slide" else "rad" for joint in _driven(figure, balls=False)}
    if not unit:
        return law, row.ravel(), table, places
    servos = joint_servos(options, figure)
    for name, (dof, qpos), numbers in zip(servos.joints, *servos.rows(figure, f"figure '{figure.name}'"), strict=True):
        home, reach, kp, kd, limit, least, most = numbers.tolist()
        for what, value in (("kp", kp), ("kd", kd), ("target", home), ("limit", limit)):
            row[DRIVE.index(what), dof] = value
        offset, of_clip = (0.0, qpos) if follow else (home, -1)
        places.append(Place(len(table), DRIVE.index("target") * nv + dof, offset, reach, least, most, of_clip))
        low, high = (-reach, reach) if follow else np.clip([home - reach, home + reach], least, most)
        about = "target of the joint's servo" + (", relative to the clip's joint position" if follow else "")
        table.append(Action(name, float(low), float(high), unit[name], about))
    return law, row.ravel(), table, places


def joint_servos(options: Options, figure: Figure) -> Servos:
    """The servos whose targets are actions, as a controller has them."""
    joints, follow = _driven(figure, balls=False), options.action == "follow"
    kp, kd = (tuple(options.stiffness * float(gain[j.dof]) for j in joints) for gain in (figure.kp, figure.kd))
    for joint, stiffness in zip(joints, kp, strict=True):
        if stiffness <= 0:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' has no servo gains; use action 'torques'"
            )
    names = tuple(joint.name for joint in joints)
    if not follow and options.stiffness == 1.0:
        return Servos(names, scale=options.reach, limit=options.torque_limit)
    return Servos(names, "clip" if follow else None, options.reach, kp, kd, options.torque_limit)


def _driven(figure: Figure, *, balls: bool) -> list[Joint]:
    """Joints with motors."""
    joints = [j for j in figure.joints if j.actuated]
    for joint in joints:
        if joint.ndof > 1 and not balls:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' is a ball; targets are for hinges and slides, "
                "use action 'torques' or 'corrections'"
            )
    return joints


def _strength(joint: Joint, figure: Figure) -> float:
    """N m that an action of 1 asks for: the motor's limit; without one, what the servo gives for an error of 1 rad."""
    for strength in (joint.torque_limit, float(figure.kp[joint.dof])):
        if math.isfinite(strength) and strength > 0:
            return strength
    raise FootfallError(f"figure '{figure.name}': joint '{joint.name}' has neither a torque limit nor servo gains")


def _corrections(options: Options, figure: Figure, controller: Controller) -> Made:
    kind_of(controller).check(controller, figure, ())
    law = law_of(controller, figure)
    if TARGETS in options.correct and law.prescribes:
        law = OffsetLaw(law, figure)
    return law, law.parameters, *corrections(law, figure, options.correct)


LOOKS = (1, 5, 15)
"""Decisions from now at which the clip is seen."""
USUAL_DT = 0.002
"""Seconds of a step where neither options nor a controller say otherwise."""


@dataclass(frozen=True, eq=False)
class Setup:
    """An environment.

    Attributes:
        options: what was asked for.
        figure, controller: what moves, and whose motion is corrected or where it starts; None without a controller.
        action: what actions do.
        terrains: that episodes draw from.
        grounds: [1 or terrains, columns] their table.
        plan: what is observed and rewarded, and what else its kernels depend on.
        weights: of every term of the reward.
    """

    options: Options
    figure: Figure
    controller: Controller | None
    action: ActionMap
    terrains: tuple[Terrain, ...]
    grounds: NDArray[np.float64]
    plan: EpisodePlan
    weights: tuple[float, ...]

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """The environment that options ask for."""
        controller = load_controller(options.controller) if options.controller is not None else None
        figure = _figure(options, controller)
        action = ActionMap.of(options, figure, controller)
        terrains = _terrains(options)
        ground, grounds = terrain_table(terrains)
        goals = {"heading": options.heading is not None, "clip": options.follows}
        if goals["heading"] and figure.root == "planar":
            raise FootfallError(f"heading is {options.heading}; figure '{figure.name}' is planar and cannot turn")
        looks = LOOKS if goals["clip"] else ()
        lies, corrects = options.start == FALLEN, options.action == "corrections"
        scope = Scope(figure, action.states, len(action.table), looks, corrects, lies=lies)
        pool = environment_pool(scope, sight=ground != "flat", heading=goals["heading"], more=options.observe)
        rewards = rewards_of(options.weights)
        plan = EpisodePlan(
            pool,
            rewards,
            counted=tuple(k for k, term in enumerate(rewards) if goals.get(term.goal, True)),
            terrain=ground,
            clip=goals["clip"],
            sights=any(term.name == "ground" for term in pool.terms),
            pushes=options.push is not None,
            paused=options.decide == STEP,
            turns=action.heading >= 0 and goals["heading"],
            late=bool(np.any(options.hardware.get("sensor_delay", 0.0))),
            noisy=any(np.any(size) for size in options.hardware.get("noise", {}).values()),
        )
        weights = tuple(
            float(options.weights.get(term.name, term.weight)) if k in plan.counted else 0.0
            for k, term in enumerate(rewards)
        )
        return cls(options, figure, controller, action, tuple(terrains), grounds, plan, weights)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The numbers that are observed."""
        return self.plan.pool.numbers


def environment_pool(scope: Scope, *, sight: bool = False, heading: bool = False, more: Sequence[str] = ()) -> Pool:
    """What an environment observes: the usual terms, the goal's heading and the ground ahead if there are such, the
    clip if there is one, and more by name."""
    names = ["height", "pitch" if scope.planar else "up", "joints", "velocity", "turn", "joint_rates", "contacts"]
    names += ["goal_speed", *(["heading"] if heading else []), "stance", "states", "clock"]
    names += [*(["ground"] if sight else []), "clip", "clip_velocity"]
    terms = [observation_term(name) for name in (*names, *(name for name in more if name not in names))]
    return Pool(scope, tuple(term for term in terms if term.numbers(scope)))


def _figure(options: Options, controller: Controller | None) -> Figure:
    """The figure, which must stand in the world by itself."""
    if isinstance(options.figure, Figure):
        figure = options.figure
    else:
        named = options.figure if controller is None or options.figure is not None else controller.figure
        figure = Figure.load(str(named))
    if options.start == FALLEN and not (figure.root == "free" and figure.legs):
        raise FootfallError(f"start is 'fallen'; figure '{figure.name}' is not a 3D figure with legs")
    if figure.root == "fixed":
        raise FootfallError(f"figure '{figure.name}' is fixed in the world; environments are for figures that can fall")
    return figure


def _terrains(options: Options) -> list[Terrain]:
    """The terrains that episodes draw from."""
    given = options.terrain
    names: Sequence[str | Terrain] = [given] if isinstance(given, str | Terrain) else list(given)
    if not names:
        raise FootfallError("terrain: the list is empty; give one terrain or several")
    first = options.terrain_seed
    made = [_terrain(t, 0) for t in names]
    if all(str(_terrain(t, 1)) == str(own) for t, own in zip(names, made, strict=True)):
        return made
    count = max(options.terrains, len(names))  # some are random: each of them stands for many
    return [_terrain(names[k % len(names)], first + k) for k in range(count)]


def _terrain(given: str | Terrain, seed: int) -> Terrain:
    return parse_terrain(given, seed=seed) if isinstance(given, str) else given
