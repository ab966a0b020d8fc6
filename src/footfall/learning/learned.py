"""A trained network as a controller that runs by itself: what it observed and did in its environment, written down."""

import math
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from footfall.control.kind import Integration
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.observations import Observation
from footfall.learning.options import STEP
from footfall.learning.setup import USUAL_DT, Setup
from footfall.methods.network.controller import NetworkController, base_text
from footfall.methods.network.law import Servos
from footfall.methods.network.multilayer import Network
from footfall.methods.network.observations import Block


def check_trainable(setup: Setup) -> None:
    """Refuse environments whose policies cannot be written down as controllers."""
    options = setup.options
    if options.action == "torques":
        raise FootfallError("action is 'torques'; train policies whose actions are 'corrections' or 'targets'")
    if options.decide == STEP:
        raise FootfallError("decide is 'step'; policies are trained that decide at a rate, such as 50 times a second")
    if options.clip is not None and options.action != "follow":
        raise FootfallError(
            f"clip: policies that observe a clip are trained with action 'follow', not '{options.action}'"
        )


def learned_controller(
    setup: Setup, network: Network, name: str, *, about: str = "", report: Mapping[str, Any] | None = None
) -> NetworkController:
    """The controller of a network that was trained in an environment.

    Args:
        setup: of the environment. network: of its plain observations.
        name: of the controller. about: what it is, in words. report: how it was trained and what was measured.
    """
    check_trainable(setup)
    options = setup.options
    low, high = options.limits("speed")
    given = options.figure if options.figure is not None or setup.controller is None else setup.controller.figure
    does: dict[str, Any]
    if options.action == "corrections" and setup.controller is not None:
        does = {"base": base_text(setup.controller), "correct": dict(options.correct)}
    else:
        does = {"servos": _servos(setup)}
    if options.action == "follow":
        does["integration"] = Integration(USUAL_DT if options.dt is None else options.dt)
    return NetworkController(
        name,
        given.name if isinstance(given, Figure) else str(given),
        network,
        tuple(
            Block(tuple(row.name for row in rows), clip=clip) for clip, rows in groupby(setup.observations, key=_clip)
        ),
        **does,
        about=about,
        rate=float(options.decide),
        goal_speed=(low + high) / 2.0,
        report=dict(report or {}),
    )


def _servos(setup: Setup) -> Servos:
    """What its actions are."""
    options, figure = setup.options, setup.figure
    joints = [figure.joint(row.name) for row in setup.action.table]
    names = tuple(joint.name for joint in joints)
    if options.action != "follow" and options.stiffness == 1.0:
        return Servos(names, scale=options.reach)
    kp, kd = (tuple(options.stiffness * float(gain[j.dof]) for j in joints) for gain in (figure.kp, figure.kd))
    return Servos(names, "clip" if options.action == "follow" else None, options.reach, kp, kd)


def _clip(row: Observation) -> float:
    """How large an observation is at most; those that are never cut off have no limit."""
    largest = max(abs(row.low), abs(row.high))
    return 0.0 if largest == 1.0 or not math.isfinite(largest) else largest
