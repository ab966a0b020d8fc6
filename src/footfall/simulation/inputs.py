"""The arguments of a simulation, checked: figures, worlds, delays, threads, terrains, pushes."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.clusters.jobs import usable_cores
from footfall.control.kind import Controller, Integration
from footfall.control.law import Law
from footfall.control.registry import kind_of, located_error
from footfall.control.rows import check_kernel_index
from footfall.dynamics.ground import Ground
from footfall.errors import MOST_COUNT, FootfallError, check_whole
from footfall.figures import Figure
from footfall.push import Push
from footfall.terrain import Terrain, parse_terrain

INTEGRATORS = ("implicit", "explicit", "semi-implicit", "rk4")
"""implicit: joint servos and ground springs one step ahead, to first order. explicit: x += h v + h²/2 a, v += h a, as
in the papers. semi-implicit: v += h a, x += h v. rk4: fourth-order Runge-Kutta, law and ground evaluated in every
stage."""
SMALLEST_DT, LARGEST_DT = 1e-8, 0.02
MOST_STEPS = MOST_COUNT
"""Kernels count steps in 32 bits."""
MOST_STATES = 10_000
"""That a world keeps of what came before its end."""
LANES = (1, 2, 4, 8)


def check_options(worlds: int, dt: float, integrator: str, last_states: int) -> None:
    """Refuse a number of worlds or of last states, a step or an integrator that cannot be."""
    check_whole("worlds", worlds, 1)
    check_whole("last_states", last_states, 0, MOST_STATES)
    check_dt(dt)
    if integrator not in INTEGRATORS:
        raise FootfallError(f"integrator is '{integrator}'; choose one of: {', '.join(INTEGRATORS)}")


def check_dt(dt: float) -> None:
    """Refuse a step that cannot be."""
    if not SMALLEST_DT <= dt <= LARGEST_DT:
        raise FootfallError(f"dt is {dt}; it must be from {SMALLEST_DT:g} to {LARGEST_DT} seconds")


def check_steps(steps: Any, before: int, dt: float) -> None:
    """Refuse a number of steps that is none, or more than can be counted after those ``before``."""
    if isinstance(steps, int | np.integer) and before + steps > MOST_STEPS:
        raise FootfallError(
            f"{(before + steps) * dt:g} s are {before + steps:.3g} steps of {dt:g} s, more than can be counted; "
            f"a run has at most {MOST_STEPS}"
        )
    check_whole("steps", steps, 0)


def graph_of(controller: Controller | None) -> Controller:
    """The controller, which must be given where there is no law or no figure."""
    if controller is None:
        raise FootfallError("simulation: give a controller, or a law with a figure")
    return controller


def figure_of(figure: str | Path | Figure | None, controller: Controller | None) -> Figure:
    """The figure that is given, else the controller's own, as the controller's kind needs it."""
    if figure is None:
        own = graph_of(controller)
        try:
            body = Figure.load(own.figure)
        except FootfallError as error:
            raise located_error(own, error) from None
    else:
        body = figure if isinstance(figure, Figure) else Figure.load(figure)
    return body if controller is None else kind_of(controller).body(controller, body)


def check_controller(controller: Controller, figure: Figure, given: Collection[str]) -> None:
    """Refuse a controller that cannot drive a figure; ``given`` are names of parameters that are set apart."""
    try:
        kind_of(controller).check(controller, figure, given)
    except FootfallError as error:
        raise located_error(controller, error) from None


def given_for_all(dt: float | None, integrator: str | None, ground: object) -> set[str]:
    """What is given for all controllers, as :meth:`footfall.control.Law.check_world` takes it."""
    given = {"ground": ground is not None, "integration": dt is not None and integrator is not None}
    return {name for name, is_given in given.items() if is_given}


def grounds_of(
    ground: Ground | Sequence[Ground] | None, figure: Figure, law: Law, controller: Controller | None = None
) -> list[Ground]:
    """One ground, or one for each world, with their laws; by default the controller's own, else the usual one."""
    own = controller.ground if controller is not None else None
    given = [ground] if isinstance(ground, Ground) else list(ground or [own or Ground()])
    return [each.usual(limbs_touch(figure, law)) for each in given]


def limbs_touch(figure: Figure, law: Law) -> bool:
    """Whether limbs touch each other, and the ground loads smoothly, unless asked otherwise: for figures with legs in
    space, if the law wants that."""
    return figure.root == "free" and bool(figure.legs) and law.solid


def integration_of(dt: float | None, integrator: str | None, controller: Controller | None) -> tuple[float, str]:
    """The step and the integrator that are given, else the controller's own, else the usual ones."""
    own = (controller.integration if controller is not None else None) or Integration()
    return float(own.dt if dt is None else dt), own.integrator if integrator is None else integrator


def check_worlds(name: str, count: int, worlds: int) -> None:
    """Refuse what is given neither once nor once for each world."""
    if count not in (1, worlds):
        raise FootfallError(f"{name} is given for {count} worlds; give one for all or one for each of {worlds}")


def per_world(
    name: str,
    value: ArrayLike,
    worlds: int,
    must: str = "",
    holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]] | None = None,
) -> NDArray[np.float64]:
    """[1 or worlds] numbers that are given once, or once for each world; each ``must`` be such that ``holds``."""
    array = np.atleast_1d(np.asarray(value, dtype=float))
    check_worlds(name, len(array), worlds)
    if holds is not None and (wrong := ~holds(array)).any():
        raise FootfallError(f"{name} is {array[wrong][0]:g}; it must be {must}")
    return array


def terrains_of(terrain: str | Terrain | Sequence[Terrain]) -> list[Terrain]:
    """One terrain, or one for each world."""
    if isinstance(terrain, str):
        return [parse_terrain(terrain)]
    return [terrain] if isinstance(terrain, Terrain) else list(terrain)


def delays_in_steps(sensor: ArrayLike, actuator: ArrayLike, worlds: int, dt: float) -> NDArray[np.int32]:
    """[1 or worlds, 2] sensor and actuator delays in steps, from seconds."""
    columns = []
    for name, value in (("sensor_delay", sensor), ("actuator_delay", actuator)):
        array = per_world(name, value, worlds, "from 0 to 1 second", lambda a: (a >= 0) & (a <= 1.0))
        columns.append(np.rint(array / dt).astype(np.int32))
    count = max(len(c) for c in columns)
    return np.stack([np.broadcast_to(c, count) for c in columns], axis=1)


def footsteps_of(footsteps: ArrayLike, worlds: int) -> NDArray[np.int32]:
    """[worlds] footsteps before which worlds pause, from a number or one for each."""
    counts = per_world("footsteps", footsteps, worlds)
    check_kernel_index(counts, 0, MOST_STEPS, "footsteps")
    return np.broadcast_to(counts, (worlds,)).astype(np.int32)


def parameter_rows(
    rows: ArrayLike, which: ArrayLike | None, worlds: int, law: Law
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """A law's parameters [R, NP], and which row each world reads [worlds], or None for one row or each its own."""
    array = np.atleast_2d(np.asarray(rows, dtype=float))
    chosen = None if which is None else np.asarray(which, dtype=int)
    if array.ndim != 2 or array.shape[1] != len(law.parameters):
        raise FootfallError(f"parameters have shape {np.shape(rows)}; give [1 or {worlds}, {len(law.parameters)}]")
    if chosen is None and array.shape[0] not in (1, worlds):
        raise FootfallError(f"parameters have {array.shape[0]} rows; give 1 or {worlds}, or name each world's")
    if chosen is not None and (chosen.shape != (worlds,) or chosen.min() < 0 or chosen.max() >= len(array)):
        raise FootfallError(f"parameters: which must hold {worlds} rows, each from 0 to {len(array) - 1}")
    law.check_parameters(array)
    return array, chosen


def threads_for(threads: int | None, worlds: int, device: Any) -> int:
    """CPU threads: as many as asked for, else one per core; never more than worlds. One on a GPU."""
    if threads is not None:
        check_whole("threads", threads, 1)
    if not device.is_cpu:
        return 1
    return min(threads or usable_cores(), worlds)


def lanes_for(lanes: int, device: Any, integrator: str, engine: str, law: Law) -> int:
    """Worlds that a thread takes side by side; FootfallError where they cannot be so many."""
    if lanes not in LANES:
        raise FootfallError(f"lanes is {lanes}; choose one of: {', '.join(map(str, LANES))}")
    others = {
        "on a GPU": not device.is_cpu,
        f"with the integrator '{integrator}'": integrator != "implicit",
        f"with {engine} as engine": engine != "native",
        "of a law that prescribes accelerations": law.prescribes,
    }
    reason = next((text for text, holds in others.items() if holds), None)
    if lanes > 1 and reason is not None:
        raise FootfallError(f"lanes is {lanes}; worlds {reason} run one by one: leave it at 1")
    return lanes


def may_kneel(figure: Figure, law: Law, integrator: str, engine: str) -> bool:
    """Whether a figure's whole surface can touch the ground while a law acts: not in the plane or without legs, nor
    under laws that prescribe accelerations, explicit steps and another engine."""
    return figure.root == "free" and bool(figure.legs) and not law.prescribes and (integrator, engine) == _KNEELING


_KNEELING = ("implicit", "native")


def push_places(pushes: Sequence[Push], figure: Figure) -> list[tuple[int, tuple[float, float, float]]]:
    """Body and point of every place that pushes act at. Without pushes it is the usual place of a figure with legs, so
    that a walker that is pushed and one that is not share a kernel."""
    usual = [Push(0.0, 0.0, 0.0)] if figure.legs else []
    return list(dict.fromkeys(p.place_on(figure) for p in pushes or usual))


def push_tables(
    pushes: Sequence[Push], figure: Figure, worlds: int, dt: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Windows [1 or worlds, K, 2] and forces [1 or worlds, K, 3] of K pushes, and at which place each acts [K].

    Windows begin and end half a step early, so that rounding never moves a push by a step.
    """
    places = push_places(pushes, figure)
    rows = [p.rows(worlds) for p in pushes]
    count = max([1, *(len(window) for window, _ in rows)])
    windows, forces = np.zeros((count, len(rows), 2)), np.zeros((count, len(rows), 3))
    for i, (window, force) in enumerate(rows):
        windows[:, i], forces[:, i] = window - 0.5 * dt, force
    return windows, forces, np.array([places.index(p.place_on(figure)) for p in pushes], dtype=np.int32)
