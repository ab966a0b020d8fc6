"""A search for a better controller, from what is wanted to a controller with a name and a record of where it comes
from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from footfall.motion.motion import Motion
from footfall.study.search.cma_search import Found, Range, Search, all_ranges
from footfall.study.search.in_words import TOLD, disturbed_starts, with_origin
from footfall.study.search.measures import Measuring
from footfall.study.search.objective import Bound, Objective
from footfall.study.search.usual_bounds import usual_bounds
from footfall.study.sweeps.experiment import Experiment


def prepared_search(
    experiment: Experiment,
    objective: Objective,
    ranges: Sequence[Range] = (),
    *,
    clip: Motion | None = None,
    any_speed: bool = False,
    any_gait: bool = False,
    **numbers: Any,
) -> tuple[Search, dict[str, float], tuple[Bound, ...]]:
    """A search that keeps the speed and the kind of gait unless it is told otherwise.

    Args:
        experiment: the controller to begin with and what it walks on. objective: what is wanted.
        ranges: the parameters to vary; by default every angle, gain and hold of the graph.
        clip: for the measure ``likeness``. any_speed, any_gait: whether these may change.
        numbers: population, generations, starts, sigma and seed of :class:`Search`.

    Returns:
        the search, the measures of the controller that it begins with, and the bounds that were added.
    """
    measuring = Measuring(experiment, tuple(dict.fromkeys([*TOLD, *objective.measures])), clip=clip)
    search = Search(measuring, objective, tuple(ranges) or tuple(all_ranges(experiment.graph)), **numbers)
    base = {name: float(values[0]) for name, values in measuring({}, 1).items()}
    kept = usual_bounds(objective, base, any_speed=any_speed, any_gait=any_gait)
    return replace(search, objective=replace(objective, bounds=(*objective.bounds, *kept))), base, kept


def judged(found: Found, search: Search, place: Experiment, source: str, name: str) -> tuple[Found, tuple[int, int]]:
    """What a search found under a name of its own, tried from disturbed starts that no search has seen.

    Args:
        found: by the search. place: what the controller is tried on. source: what the first one was asked for by.
        name: of the new controller.

    Returns:
        the same with its controller's name and origin; from how many of how many starts it stays up for 20 s.
    """
    tried = disturbed_starts(place, found.controller)
    effort = f"CMA-ES, {len(found.history)} generations of {search.population}, seed {search.seed}"
    first = search.measuring.experiment.graph
    made = with_origin(found, first, source, search.objective, name, tried, effort)
    return replace(found, controller=made), tried
