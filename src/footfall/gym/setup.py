"""What an environment consists of, before anything is simulated: figure, controller, action, terrains, observations."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.registry import load_controller
from footfall.dynamics.ground import terrain_table
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.gym.actions import ActionMap, action_map
from footfall.gym.observations import Observation, observation_table
from footfall.gym.options import Options
from footfall.gym.rewards import TERMS, weights_of
from footfall.terrain import Terrain, parse_terrain

USUAL_DT = 0.002
"""Seconds of a step where neither options nor a controller say otherwise."""


@dataclass(frozen=True, eq=False)
class Setup:
    """An environment.

    Attributes:
        options: what was asked for.
        figure, controller: what moves, and whose motion is corrected or where it starts; None without a controller.
        action: what actions do.
        pool: the terrains that episodes draw from. ground: their kind. grounds: [1 or terrains, columns] their table.
        observations: what is observed.
        weights: of every term of the reward. terms: numbers of those that the goals ask for.
    """

    options: Options
    figure: Figure
    controller: Controller | None
    action: ActionMap
    pool: tuple[Terrain, ...]
    ground: str
    grounds: NDArray[np.float64]
    observations: tuple[Observation, ...]
    weights: tuple[float, ...]
    terms: tuple[int, ...]

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """The environment that options ask for."""
        controller = load_controller(options.controller) if options.controller is not None else None
        figure = _figure(options, controller)
        action = action_map(options, figure, controller)
        pool = _terrains(options)
        ground, grounds = terrain_table(pool)
        goals = {"heading": options.heading is not None, "clip": options.clip is not None}
        if goals["heading"] and figure.root == "planar":
            raise FootfallError(f"heading is {options.heading}; figure '{figure.name}' is planar and cannot turn")
        observed = observation_table(
            figure,
            states=[str(k) for k in range(action.states)],
            clock=action.states > 0,
            stance=options.action == "corrections",
            sight=ground != "flat",
            **goals,
        )
        weights = weights_of(options.weights, goals)
        terms = tuple(k for k, term in enumerate(TERMS) if goals.get(term.goal, True))
        return cls(
            options, figure, controller, action, tuple(pool), ground, grounds, tuple(observed), tuple(weights), terms
        )


def _figure(options: Options, controller: Controller | None) -> Figure:
    """The figure, which must stand in the world by itself."""
    if isinstance(options.figure, Figure):
        figure = options.figure
    else:
        named = options.figure if controller is None or options.figure is not None else controller.figure
        figure = Figure.load(str(named))
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
